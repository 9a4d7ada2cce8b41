//! The kind `prefer-tool`: advises to use one family of tools where a marker shows that it is there, and
//! none of it ran in the turn, the client's `prompt_id`.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{self, Kind};
use super::silence::Silence;
use super::tool_pattern::ToolPattern;
use super::workflow::project;
use super::{Can, Context, Failure, Level, OptionProblem, careful};
use crate::client::{Answer, Event};

pub(super) static KIND: Kind = Kind::of::<Options>(
    "prefer-tool",
    &[Can::Decide, Can::Advise, Can::Remember, Can::ReadFiles],
    run,
);

/// The tools that are preferred to others, and the places.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Options {
    /// Sets of tools. Those whose marker is in the session's directory, else those whose marker is in the
    /// project, are advised.
    indexes: Vec<Index>,
    /// The calls that are better made with the preferred tools.
    instead_of: Vec<ToolPattern>,
    /// `Grep` counts only if it searches more than one file, and `Glob` only if its pattern is one.
    only_searches: bool,
    /// The reaction: `advise`, or `block`.
    level: Option<Level>,
    /// Hooks with the same word here share their noted calls; a single hook needs no word.
    shared: String,
    /// The message; `$index` is the name of the index, and `$tools` are its tools.
    message: String,
}

/// One set of tools.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Index {
    /// Its name in messages.
    name: String,
    /// The file or directory below those that shows that it is there; with `/` at its end it is a directory.
    marker: String,
    /// Its tools; a call of one ends the advice for the turn.
    tools: Vec<ToolPattern>,
    /// The tools to name in the message.
    advised: String,
}

impl kind::Options for Options {
    fn check(&self) -> Result<(), OptionProblem> {
        let is_outside =
            |index: &Index| index.marker.starts_with('/') || index.marker.contains("..");
        match self.indexes.iter().position(is_outside) {
            Some(at) => Err(OptionProblem::at(
                &["indexes", &at.to_string(), "marker"],
                "expected a path below the session's directory",
            )),
            None => Ok(()),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Input {
    pattern: String,
    path: String,
}

fn run(context: &Context<'_>) -> Result<Answer, Failure> {
    let options: Options = context.options()?;
    let is_preferred = |index: &&Index| index.tools.iter().any(|pattern| pattern.hits(context));
    if context.event == Event::PostToolUse {
        if options.indexes.iter().any(|index| is_preferred(&index)) {
            let turn = turn(context);
            let name = key(context, &options);
            context.store.change(&name, &mut |_| Some(turn.clone()))?;
            return Ok(Silence::Noted.answer());
        }
        return Ok(Answer::default());
    }
    let is_other = options.instead_of.iter().any(|pattern| pattern.hits(context));
    if !is_other || (options.only_searches && !is_search(context)?) {
        return Ok(Answer::default());
    }
    let is_in = |folder: &Path, index: &Index| {
        let found = context.host.look(&folder.join(&index.marker));
        found.is_some_and(|it| it.is_directory || !index.marker.ends_with('/'))
    };
    let of = |folder: &Path| options.indexes.iter().filter(|it| is_in(folder, it)).collect();
    let mut indexes: Vec<&Index> = of(Path::new(&*context.payload.cwd));
    if indexes.is_empty() {
        indexes = of(&project(context));
    }
    if indexes.is_empty() {
        return Ok(Silence::NoIndex.answer());
    }
    let used = context.store.text(&key(context, &options))?;
    if used.is_some_and(|used| used == turn(context)) {
        return Ok(Silence::IndexUsed.answer());
    }
    let join = |text: fn(&Index) -> &str| {
        indexes.iter().map(|index| text(index)).collect::<Vec<_>>().join(", ")
    };
    let names = join(|index| &index.name);
    let tools = join(|index| &index.advised);
    let message = options.message.replace("$index", &names).replace("$tools", &tools);
    careful::answer(context, options.level.unwrap_or(Level::Advise), message)
}

/// The named text with the turn in which a preferred tool ran.
fn key(context: &Context<'_>, options: &Options) -> String {
    match options.shared.as_str() {
        "" => context.agent_key("turn"),
        shared => format!("{shared}.turn@{}", context.payload.agent_id),
    }
}

/// The turn that the call belongs to. Clients before 2.1.196 name no prompt; there it is the session.
fn turn(context: &Context<'_>) -> String {
    format!("turn {}", context.payload.turn())
}

/// Returns whether a call of a search tool looks at more than one file. No directory is walked.
fn is_search(context: &Context<'_>) -> Result<bool, Failure> {
    let input = context.tool_input::<Input>()?.unwrap_or_default();
    Ok(match &*context.payload.tool_name {
        "Grep" => {
            let path = Path::new(&*context.payload.cwd).join(&input.path);
            input.path.is_empty() || !context.host.look(&path).is_some_and(|it| it.is_file)
        }
        "Glob" => input.pattern.contains(['*', '?', '[']),
        _ => true,
    })
}

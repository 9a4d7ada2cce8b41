//! The kind `content-guard`: stops writing what should come from a tool, whose call lets one write pass.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{self, Kind};
use super::silence::Silence;
use super::tool_input::ToolInput;
use super::tool_pattern::ToolPattern;
use super::values::PathGlob;
use super::{Can, Context, Failure, Level, Period, careful};
use crate::client::{Answer, Event};

pub(super) static KIND: Kind = Kind::of::<Options>(
    "content-guard",
    &[Can::Decide, Can::Advise, Can::Remember, Can::ReadFiles],
    run,
);

/// The texts that are stopped, the files, and the calls that let them through.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Options {
    /// The files that are guarded.
    paths: Vec<PathGlob>,
    /// Exceptions among these files.
    except_paths: Vec<PathGlob>,
    /// A text is only looked at if it has one of these characters.
    needs: String,
    /// The characters that are counted.
    counted: String,
    /// From so many counted characters on a text is stopped; 0 counts none.
    from: usize,
    /// A text is stopped if it contains one of these.
    words: Vec<String>,
    /// A text that contains one of these passes.
    unless: Vec<String>,
    /// A call of one of these lets the next text through that would be stopped.
    mark: Vec<ToolPattern>,
    /// Shell commands whose program is one of these count as such a call as well.
    mark_programs: Vec<String>,
    /// The time for which such a call counts.
    mark_for: Period,
    /// Hooks with the same word here share their noted calls; a single hook needs no word.
    shared: String,
    /// The reaction to a text that is stopped.
    level: Option<Level>,
    /// The message about it; `$count` is the number of counted characters, `$file` the file.
    message: String,
    /// The advice once the tool ran.
    marked: String,
}

impl kind::Options for Options {}

fn run(context: &Context<'_>) -> Result<Answer, Failure> {
    let options: Options = context.options()?;
    let input = context.tool_input::<ToolInput<'_>>()?.unwrap_or_default();
    if context.event == Event::PostToolUse {
        let line = if input.command.is_some() { context.command()? } else { None };
        return mark(context, &options, line.map_or("", |line| &line.line));
    }
    let is_hit = |globs: &[PathGlob]| globs.iter().any(|glob| glob.hits(&input.file_path, context));
    if input.file_path.is_empty() || !is_hit(&options.paths) || is_hit(&options.except_paths) {
        return Ok(Answer::default());
    }
    let Some(count) = stopped(&options, &input.written()) else { return Ok(Answer::default()) };
    if is_marked(context, &options)? {
        return Ok(Silence::Marked.answer());
    }
    let message = options.message.replace("$count", &count.to_string());
    let message = message.replace("$file", &input.file_path);
    careful::answer(context, options.level.unwrap_or(Level::Block), message)
}

/// The number of counted characters in a text that is stopped; `None` for any other.
fn stopped(options: &Options, text: &str) -> Option<usize> {
    let has = |any: &[String]| any.iter().any(|it| text.contains(it.as_str()));
    if !(options.needs.is_empty() || text.contains(|it| options.needs.contains(it)))
        || has(&options.unless)
    {
        return None;
    }
    let count = text.chars().filter(|it| options.counted.contains(*it)).count();
    ((options.from > 0 && count >= options.from) || has(&options.words)).then_some(count)
}

/// Returns whether a call of the tool counts for this write; it then counts for no other.
fn is_marked(context: &Context<'_>, options: &Options) -> Result<bool, Failure> {
    Ok(context.store.take(&flag(context, options))?)
}

fn mark(context: &Context<'_>, options: &Options, line: &str) -> Result<Answer, Failure> {
    let runs_program = || {
        let mut found = false;
        crate::syntax::shell::each_invocation(line, &mut |invocation| {
            found |= options.mark_programs.iter().any(|program| program == invocation.program);
        });
        found
    };
    let is_mark = options.mark.iter().any(|pattern| pattern.hits(context));
    if !is_mark && (line.is_empty() || !runs_program()) {
        return Ok(Answer::default());
    }
    let lasts = options.mark_for.duration();
    // A flag that is up keeps its end, so it is taken down first.
    let flag = flag(context, options);
    context.store.take(&flag)?;
    context.store.raise(&flag, lasts)?;
    Ok(match options.marked.as_str() {
        "" => Silence::Noted.answer(),
        text => Answer::context(text),
    })
}

fn flag(context: &Context<'_>, options: &Options) -> String {
    match options.shared.as_str() {
        "" => context.key("mark"),
        shared => format!("{shared}.mark"),
    }
}

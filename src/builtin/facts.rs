//! The kind `facts`: one short line of what is so now, for the model to read with each prompt.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::host::Program;
use super::kind::{self, Kind};
use super::silence::Silence;
use super::template::{fill, one_line, problem};
use super::workflow::{Source, Workflow};
use super::{Can, Context, Failure, OptionProblem, Period};
use crate::client::Answer;
use crate::machine::git;

pub(super) static KIND: Kind =
    Kind::of::<Options>("facts", &[Can::Advise, Can::ReadFiles, Can::StartProcesses], run);

/// The time that a session's named text may be in the line, in characters.
const LONGEST_TEXT: usize = 120;

/// The content of the line.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Options {
    /// The facts in their order. One is left out where a field in it has no value. Fields: `{time}`,
    /// `{cwd}`, `{project}`, `{branch}`, `{changes}` (`clean` or `3 changed files`, by `git status`),
    /// `{session}`, `{title}`, `{agent}`, `{command}`, `{counter NAME}` (of `hookman state counter incr NAME`),
    /// and any other name is a text of the session, such as `{skill}` or `{phase}`.
    facts: Vec<String>,
    /// The text between two facts.
    separator: String,
    /// The form of `{time}`, in the fields of `strftime`.
    time_format: String,
    /// The program whose output is `{command}`, and its arguments, never through a shell.
    command: Vec<String>,
    /// The time that this program and `git status` may each take; what takes longer is left out.
    command_limit: Period,
    /// The hook is silent if one of these fields has no value.
    needs: Vec<String>,
    /// The hook is silent while a name of the state has one of these values.
    pause: BTreeMap<String, Vec<String>>,
    /// The most characters of the line.
    longest: usize,
    /// The place of the session's texts; with a state file, `{session}` is the name of its folder.
    state: Source,
}

impl Default for Options {
    fn default() -> Self {
        let facts = [
            "{time}",
            "in {cwd}",
            "branch {branch}",
            "{changes}",
            "skill {skill}",
            "phase {phase}",
        ];
        Self {
            facts: facts.map(str::to_owned).to_vec(),
            separator: " | ".to_owned(),
            time_format: "%Y-%m-%d %H:%M:%S %Z".to_owned(),
            command: Vec::new(),
            command_limit: Period::seconds(2),
            needs: Vec::new(),
            pause: BTreeMap::new(),
            longest: 400,
            state: Source::default(),
        }
    }
}

impl kind::Options for Options {
    fn check(&self) -> Result<(), OptionProblem> {
        for (index, fact) in self.facts.iter().enumerate() {
            if let Some(problem) = problem(fact) {
                return Err(OptionProblem::at(&["facts", &index.to_string()], problem));
            }
            if fact.contains("{command}") && self.command.is_empty() {
                let message = "`{command}` needs the option `command`";
                return Err(OptionProblem::at(&["facts", &index.to_string()], message));
            }
        }
        Ok(())
    }
}

/// Tells the model the facts that are known. A fact that cannot be had is left out, and is no failure.
fn run(context: &Context<'_>) -> Result<Answer, Failure> {
    let options: Options = context.options()?;
    let workflow = Workflow::new(context, &options.state);
    for (name, values) in &options.pause {
        if workflow.is_one_of(name, values)? {
            return Ok(Silence::Paused.answer());
        }
    }
    let mut value = |name: &str| field(context, &options, &workflow, name);
    if options.needs.iter().any(|name| value(name).is_none_or(|it| it.is_empty())) {
        return Ok(Silence::Needs.answer());
    }
    let facts: Vec<String> = options.facts.iter().filter_map(|it| fill(it, &mut value)).collect();
    let line = one_line(&facts.join(&options.separator), options.longest);
    Ok(if line.is_empty() { Silence::Needs.answer() } else { Answer::context(line) })
}

fn field(
    context: &Context<'_>,
    options: &Options,
    workflow: &Workflow<'_>,
    name: &str,
) -> Option<String> {
    let text = |name: &str| workflow.get(name).ok().map(|text| one_line(&text, LONGEST_TEXT));
    let payload = context.payload;
    let cwd = Path::new(&*payload.cwd);
    match name {
        "time" => Some(context.host.local_time(&options.time_format)),
        "cwd" => {
            let home = context.host.variable("HOME").unwrap_or_default();
            let below = cwd.strip_prefix(&home).ok().filter(|_| !home.is_empty());
            Some(match below {
                Some(path) if path.as_os_str().is_empty() => "~".to_owned(),
                Some(path) => format!("~/{}", path.display()),
                None => payload.cwd.to_string(),
            })
        }
        "project" => {
            let project = context.host.variable("CLAUDE_PROJECT_DIR")?;
            project.rsplit('/').next().map(str::to_owned)
        }
        "branch" => context.host.branch(cwd),
        "changes" => changes(context, cwd, options.command_limit),
        "session" if options.state.is_file() => text(name),
        "session" => Some(payload.session_id.to_string()),
        "title" => Some(payload.session_title.to_string()),
        "agent" => Some(payload.agent_type.to_string()),
        "command" => output(context, &options.command, options.command_limit),
        name => text(name),
    }
}

fn changes(context: &Context<'_>, cwd: &Path, limit: Period) -> Option<String> {
    let words = git::SAFE.into_iter().chain(["status", "--porcelain"]).map(str::to_owned);
    let words: Vec<String> = words.collect();
    // It only looks, and must not be in the way of a git that works.
    let variables = [("GIT_OPTIONAL_LOCKS", OsStr::new("0"))];
    let program = Program { argv: &words, directory: Some(cwd), variables: &variables, stdin: b"" };
    let finished = context.host.run(program, limit.duration()).ok()?;
    (finished.code == Some(0)).then(|| match finished.stdout.lines().count() {
        0 => "clean".to_owned(),
        1 => "1 changed file".to_owned(),
        count => format!("{count} changed files"),
    })
}

/// Runs a program and gives its output on one line; nothing where it fails or takes too long.
fn output(context: &Context<'_>, argv: &[String], limit: Period) -> Option<String> {
    let cwd = Path::new(&*context.payload.cwd);
    let program =
        Program { directory: Some(cwd), stdin: context.text.as_bytes(), ..Program::new(argv) };
    let finished = context.host.run(program, limit.duration()).ok()?;
    (finished.code == Some(0)).then(|| one_line(&finished.stdout, LONGEST_TEXT))
}

//! The kind `run-after-edit`: formatters, linters, type checks and tests after edits.
//!
//! After `typecheck-changed` and `lint-changed` of the session disable document
//! (`004_1870e012f86aed79`). A tool that lies in the project runs only where the options say so,
//! because a cloned repository must not start its programs unasked.

mod options;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::context::{Context, Failure};
use super::host::{Finished, Program};
use super::kind::{Can, Kind};
use super::values::Level;
use crate::client::answer::Answer;
use crate::client::event::Event;

use options::{At, Options, Tool};

/// The kind as the catalogue knows it.
pub(super) static KIND: Kind = Kind::of::<Options>(
    "run-after-edit",
    &[Can::Decide, Can::Advise, Can::Remember, Can::ReadFiles, Can::StartProcesses],
    run,
);

/// Where a project keeps programs of its own.
const PROJECT_PROGRAMS: &[&str] = &["node_modules/.bin", ".venv/bin", "venv/bin"];

/// The most characters of one tool's output that the model gets.
const TOLD: usize = 4_000;

/// How much of a configuration is read for a tool's section.
const CONFIGURATION: u64 = 256 * 1024;

/// How long it is remembered that files were edited.
const EDITED: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Input {
    file_path: String,
    notebook_path: String,
}

fn run(context: &Context<'_>) -> Result<Answer, Failure> {
    let options: Options = context.options()?;
    let is_stop = matches!(context.event, Event::Stop | Event::SubagentStop);
    match (options.at, is_stop) {
        (At::Edit, false) => after_edit(context, &options),
        (At::Stop, true) => at_stop(context, &options),
        (At::Stop, false) => note_edit(context, &options),
        (At::Edit, true) => Ok(Answer::default()),
    }
}

/// The edited file, if it is one that tools are run for.
fn edited(context: &Context<'_>, options: &Options) -> Result<Option<PathBuf>, Failure> {
    let input = context.tool_input::<Input>()?.unwrap_or_default();
    let path = if input.file_path.is_empty() { input.notebook_path } else { input.file_path };
    let is_skipped = options.skip.iter().any(|glob| glob.hits(&path, context));
    Ok((!path.is_empty() && !is_skipped).then(|| Path::new(&*context.payload.cwd).join(path)))
}

fn after_edit(context: &Context<'_>, options: &Options) -> Result<Answer, Failure> {
    let Some(file) = edited(context, options)? else { return Ok(Answer::default()) };
    // A hook before this one, or the user, may have removed it by now.
    if !context.host.look(&file).is_some_and(|it| it.is_file) {
        return Ok(Answer::default());
    }
    let name = file.to_string_lossy();
    let fitting =
        options.all().filter(|tool| tool.files.iter().any(|glob| glob.hits(&name, context)));
    let results = run_tools(context, options, fitting, &file)?;
    Ok(results.answer(options))
}

fn note_edit(context: &Context<'_>, options: &Options) -> Result<Answer, Failure> {
    let Some(file) = edited(context, options)? else { return Ok(Answer::default()) };
    let name = file.to_string_lossy();
    if options.all().any(|tool| tool.files.iter().any(|glob| glob.hits(&name, context))) {
        context.store.raise(&context.key("edited"), EDITED).map_err(Failure::Store)?;
    }
    Ok(Answer::default())
}

fn at_stop(context: &Context<'_>, options: &Options) -> Result<Answer, Failure> {
    let refusals = context.key("refused");
    let store = context.store;
    if !context.payload.stop_hook_active {
        store.count(&refusals, i64::MIN).map_err(Failure::Store)?;
    }
    // The flag stays up until the tools pass, so that a turn without edits is tested too while they fail.
    let flag = context.key("edited");
    if !store.is_up(&flag).map_err(Failure::Store)? {
        return Ok(Answer::default());
    }
    if store.count(&refusals, 0).map_err(Failure::Store)? >= options.most {
        return Ok(Answer::default());
    }
    let anything = Path::new(&*context.payload.cwd).join("any");
    let results = run_tools(context, options, options.all(), &anything)?;
    if results.failed.is_empty() {
        store.take(&flag).map_err(Failure::Store)?;
    } else {
        store.count(&refusals, 1).map_err(Failure::Store)?;
    }
    Ok(results.answer(options))
}

/// What came of the tools that ran.
#[derive(Default)]
struct Results {
    failed: Vec<String>,
    missing: Vec<String>,
}

impl Results {
    fn answer(self, options: &Options) -> Answer {
        let mut answer = match (self.failed.is_empty(), options.level) {
            (true, _) | (_, Level::Off) => Answer::default(),
            (false, Level::Advise) => Answer::context(self.failed.join("\n\n")),
            (false, _) => Answer::deny(self.failed.join("\n\n")),
        };
        if !self.missing.is_empty() {
            answer.system_message = Some(self.missing.join("\n"));
        }
        answer
    }
}

fn run_tools<'t>(
    context: &Context<'_>,
    options: &Options,
    tools: impl Iterator<Item = &'t Tool>,
    file: &Path,
) -> Result<Results, Failure> {
    let mut results = Results::default();
    let mut done = BTreeSet::new();
    for tool in tools {
        if done.contains(tool.job.as_str()) || (tool.runs_project && !options.project_tools) {
            continue;
        }
        let Some(root) = root(context, tool, file) else { continue };
        if !tool.job.is_empty() {
            done.insert(tool.job.as_str());
        }
        match start(context, options, tool, &root, file) {
            Ok(finished) => results.failed.extend(failure(tool, &finished, &root, options.lines)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                results.missing.extend(missing(context, tool)?);
            }
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                let limit = options.limit;
                results
                    .missing
                    .push(format!("`{}` took longer than {limit} and was ended", tool.argv[0]));
            }
            Err(error) => return Err(Failure::of(format!("run `{}`", tool.argv[0]))(error)),
        }
    }
    Ok(results)
}

/// The directory that a tool runs in: the nearest one above the file with one of the tool's files.
fn root(context: &Context<'_>, tool: &Tool, file: &Path) -> Option<PathBuf> {
    if tool.root.is_empty() {
        return Some(PathBuf::from(&*context.payload.cwd));
    }
    let configures = |folder: &Path, wanted: &str| {
        let (name, section) = wanted.split_once(' ').unwrap_or((wanted, ""));
        let path = folder.join(name);
        context.host.look(&path).is_some_and(|it| it.is_file)
            && (section.is_empty()
                || context
                    .host
                    .read(&path, CONFIGURATION)
                    .is_ok_and(|text| text.is_some_and(|text| text.contains(section))))
    };
    let has = |folder: &&Path| tool.root.iter().any(|wanted| configures(folder, wanted));
    file.ancestors().skip(1).find(has).map(Path::to_owned)
}

fn start(
    context: &Context<'_>,
    options: &Options,
    tool: &Tool,
    root: &Path,
    file: &Path,
) -> io::Result<Finished> {
    let filled = |word: &String| {
        let word = word.replace("{file}", &file.to_string_lossy());
        word.replace("{root}", &root.to_string_lossy())
    };
    let mut argv: Vec<String> = tool.argv.iter().map(filled).collect();
    if options.project_tools {
        let own = root.ancestors().flat_map(|folder| {
            PROJECT_PROGRAMS.iter().map(move |programs| folder.join(programs).join(&tool.argv[0]))
        });
        let is_there = |path: &PathBuf| context.host.look(path).is_some_and(|it| it.is_file);
        if let Some(path) = { own }.find(is_there) {
            argv[0] = path.to_string_lossy().into_owned();
        }
    }
    let variables: Vec<(&str, &OsStr)> =
        options.env.iter().map(|(name, value)| (name.as_str(), OsStr::new(value))).collect();
    let program = Program { argv: &argv, directory: Some(root), variables: &variables, stdin: b"" };
    context.host.run(program, Duration::from_secs(options.limit.as_seconds()))
}

/// What the model reads of a tool that failed.
fn failure(tool: &Tool, finished: &Finished, root: &Path, lines: usize) -> Option<String> {
    if finished.code == Some(0) {
        return None;
    }
    let output = format!("{}\n{}", finished.stdout.trim_end(), finished.stderr.trim_end());
    let root = format!("{}/", root.display());
    let shown = trimmed(&output.replace(&root, ""), lines);
    let how = match finished.code {
        Some(code) => format!("exited with {code}"),
        None => "was killed".to_owned(),
    };
    let named = tool.argv.iter().filter(|word| !word.contains('{'));
    let call = named.map(String::as_str).collect::<Vec<_>>().join(" ");
    Some(format!("`{call}` {how}:\n{shown}"))
}

/// The first lines of an output, without empty ones.
fn trimmed(output: &str, most: usize) -> String {
    let lines: Vec<&str> = output.lines().filter(|line| !line.trim().is_empty()).collect();
    let mut shown = lines.iter().take(most).copied().collect::<Vec<_>>().join("\n");
    if let Some((cut, _)) = shown.char_indices().nth(TOLD) {
        shown.truncate(cut);
        shown.push('…');
    }
    match lines.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown}\n… {more} more lines"),
    }
}

/// Says once a session that a program is not installed.
fn missing(context: &Context<'_>, tool: &Tool) -> Result<Option<String>, Failure> {
    let program = &tool.argv[0];
    let flag = context.key(&format!("missing {program}"));
    let is_news = context.store.raise(&flag, EDITED).map_err(Failure::Store)?;
    Ok(is_news.then(|| {
        format!("`{program}` is not on the client's PATH, so it did not run; install it, or set `project_tools = true` if the project has it")
    }))
}

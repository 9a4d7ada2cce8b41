//! The kind `run-after-edit`: formatters, linters, type checks and tests after edits.
//!
//! A tool that lies in the project runs only where the user allowed it, because a cloned repository must
//! not start its programs unasked.

pub mod offer;
mod options;
mod steady;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::host::{Facts, Finished, Program};
use super::kind::Kind;
use super::silence::Silence;
use super::{Can, Context, Failure, Level};
use crate::client::{Answer, Event};
use crate::machine::paths::{self, path_hash};
use options::{At, Options, Tool};
use steady::steady;

pub(super) static KIND: Kind = Kind::of::<Options>(
    "run-after-edit",
    &[Can::Decide, Can::Advise, Can::Remember, Can::ReadFiles, Can::StartProcesses],
    run,
);

const PROJECT_PROGRAMS: &[&str] = &["node_modules/.bin", ".venv/bin", "venv/bin"];

/// The most characters of one tool's output that the model gets.
const TOLD: usize = 4_000;

/// The bytes of a configuration that are searched for a tool's section.
const CONFIGURATION: u64 = 256 * 1024;

const SAID: Duration = Duration::from_secs(24 * 60 * 60);

/// The number of edited files that are remembered for the end of the turn.
const EDITED: usize = 50;

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

fn fitting<'t>(
    context: &Context<'_>,
    options: &'t Options,
    file: &Path,
) -> impl Iterator<Item = &'t Tool> {
    let name = file.to_string_lossy();
    options.all().filter(move |tool| tool.files.iter().any(|glob| glob.hits(&name, context)))
}

fn after_edit(context: &Context<'_>, options: &Options) -> Result<Answer, Failure> {
    let Some(file) = edited(context, options)? else { return Ok(Silence::NoFile.answer()) };
    // A hook before this one, or the user, may have removed it by now.
    if !context.host.look(&file).is_some_and(|it| it.is_file) {
        return Ok(Silence::Gone.answer());
    }
    let results = run_tools(context, options, &[file])?;
    Ok(results.answer(options))
}

fn note_edit(context: &Context<'_>, options: &Options) -> Result<Answer, Failure> {
    let Some(file) = edited(context, options)? else { return Ok(Silence::NoFile.answer()) };
    if fitting(context, options, &file).next().is_none() {
        return Ok(Silence::NoTool.answer());
    }
    let file = file.to_string_lossy();
    let mut add = |old: Option<&str>| {
        let mut files: Vec<&str> = old.unwrap_or_default().lines().collect();
        files.retain(|known| *known != file);
        files.push(&file);
        Some(files[files.len().saturating_sub(EDITED)..].join("\n"))
    };
    context.store.change(&context.key("edited"), &mut add)?;
    Ok(Silence::Noted.answer())
}

fn at_stop(context: &Context<'_>, options: &Options) -> Result<Answer, Failure> {
    let refusals = context.key("refused");
    let store = context.store;
    if !context.payload.stop_hook_active {
        store.count(&refusals, i64::MIN)?;
    }
    let mut edited = None;
    let mut take = |old: Option<&str>| {
        edited = old.map(str::to_owned);
        None
    };
    store.change(&context.key("edited"), &mut take)?;
    // What failed in this turn may have been mended by a command, of which nothing is noted.
    let failed = context.key("failed");
    if edited.is_none() && context.payload.stop_hook_active {
        edited = store.text(&failed)?;
    }
    let Some(edited) = edited else {
        store.change(&failed, &mut |_| None)?;
        return Ok(Silence::Unedited.answer());
    };
    if store.count(&refusals, 0)? >= options.most {
        return Ok(Silence::Most.answer());
    }
    let files: Vec<PathBuf> = edited.lines().map(PathBuf::from).collect();
    let results = run_tools(context, options, &files)?;
    let told = context.key("told");
    let sum = results.sum();
    let mut is_same = false;
    let mut note = |old: Option<&str>| {
        is_same = old.is_some() && old == sum.as_deref();
        sum.clone()
    };
    store.change(&told, &mut note)?;
    let failing = sum.is_some().then_some(edited);
    store.change(&failed, &mut |_| failing.clone())?;
    if is_same {
        return Ok(Silence::Same.answer());
    }
    if sum.is_some() {
        store.count(&refusals, 1)?;
    }
    Ok(results.answer(options))
}

#[derive(Default)]
struct Results {
    failed: Vec<String>,
    /// The messages to the user about tools that did not run.
    messages: Vec<String>,
    quiet: Option<Silence>,
}

impl Results {
    fn answer(self, options: &Options) -> Answer {
        // The first line names the tool and how it ended; what it printed has no place in the journal.
        let heads = self.failed.iter().filter_map(|text| text.lines().next());
        let rule = heads.map(|head| head.trim_end_matches(':')).collect::<Vec<_>>().join(", ");
        let mut answer = match (self.failed.is_empty(), options.level) {
            (true, _) => self.quiet.unwrap_or(Silence::NoTool).answer(),
            (_, Level::Off) => Silence::LevelOff.answer(),
            (false, Level::Advise) => Answer::context(self.failed.join("\n\n")),
            (false, _) => Answer::deny(self.failed.join("\n\n")),
        };
        answer.rule = (!rule.is_empty()).then_some(rule);
        if !self.messages.is_empty() {
            answer.system_message = Some(self.messages.join("\n"));
        }
        answer
    }

    /// A sum of what failed; two failures that differ only in what changes from run to run have the same.
    fn sum(&self) -> Option<String> {
        let text: Vec<String> = self.failed.iter().map(|text| steady(text)).collect();
        (!text.is_empty()).then(|| path_hash(Path::new(&text.join("\n"))))
    }
}

fn run_tools(
    context: &Context<'_>,
    options: &Options,
    files: &[PathBuf],
) -> Result<Results, Failure> {
    let mut results = Results::default();
    let mut done: BTreeSet<(PathBuf, &[String])> = BTreeSet::new();
    for file in files {
        let mut jobs = BTreeSet::new();
        for tool in fitting(context, options, file) {
            if jobs.contains(tool.job.as_str()) {
                continue;
            }
            let Some(root) = root(context, tool, file) else { continue };
            if !tool.job.is_empty() {
                jobs.insert(tool.job.as_str());
            }
            let consent = given(context, options, &root);
            if tool.runs_project
                && let Err(why) = consent
            {
                results.quiet.get_or_insert(why);
                results.messages.extend(unasked(context, &tool.argv[0], &root, why)?);
                continue;
            }
            // At the end of a turn a tool is about its whole directory.
            if options.at == At::Stop && !done.insert((root.clone(), &tool.argv)) {
                continue;
            }
            run_tool(context, options, tool, &root, file, consent, &mut results)?;
        }
    }
    Ok(results)
}

fn run_tool(
    context: &Context<'_>,
    options: &Options,
    tool: &Tool,
    root: &Path,
    file: &Path,
    consent: Result<(), Silence>,
    results: &mut Results,
) -> Result<(), Failure> {
    let own = own_program(tool, root, |path| context.host.look(path).is_some_and(|it| it.is_file));
    let chosen = own.as_ref().filter(|_| consent.is_ok());
    let program = &tool.argv[0];
    if let Err(why) = consent
        && is_found_in_project(context, options, program, root)
    {
        results.quiet.get_or_insert(why);
        results.messages.extend(unasked(context, program, root, why)?);
        return Ok(());
    }
    match start(context, options, tool, root, file, chosen) {
        Ok(finished) => {
            results.quiet = Some(Silence::Passed);
            results.failed.extend(failure(tool, &finished, root, options.lines));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => match (own, consent) {
            (Some(_), Err(why)) => {
                results.quiet.get_or_insert(why);
                results.messages.extend(unasked(context, program, root, why)?);
            }
            _ => {
                results.quiet.get_or_insert(Silence::Missing);
                results.messages.extend(missing(context, program)?);
            }
        },
        Err(error) if error.kind() == io::ErrorKind::TimedOut => {
            let limit = options.limit;
            results.quiet = Some(Silence::Late);
            results.messages.push(format!("`{program}` took longer than {limit} and was ended"));
        }
        Err(error) => return Err(Failure::of(format!("run `{program}`"))(error)),
    }
    Ok(())
}

/// The directory that a tool runs in: the nearest one above the file with one of the tool's files.
fn root(context: &Context<'_>, tool: &Tool, file: &Path) -> Option<PathBuf> {
    if tool.root.is_empty() {
        return Some(PathBuf::from(&*context.payload.cwd));
    }
    let host = context.host;
    let look = |path: &Path| host.look(path).is_some_and(|it| is_meant(path, &it));
    let read = |path: &Path| host.read(path, CONFIGURATION).ok().flatten();
    file.ancestors().skip(1).find(|folder| is_root(tool, folder, look, read)).map(Path::to_owned)
}

/// Returns whether this is a file, or a directory where the path ends as one.
fn is_meant(path: &Path, facts: &Facts) -> bool {
    facts.is_file || facts.is_directory && path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

fn is_root(
    tool: &Tool,
    folder: &Path,
    look: impl Fn(&Path) -> bool,
    read: impl Fn(&Path) -> Option<String>,
) -> bool {
    let configures = |wanted: &String| {
        let (name, section) = wanted.split_once(' ').unwrap_or((wanted, ""));
        let path = folder.join(name);
        let sets = |rest: &str| rest.trim_start_matches(':').starts_with('=');
        let begins = |line: &str, start| line.strip_prefix(start).is_some_and(|rest| !sets(rest));
        let has = |text: &str| match section.split_at_checked(1) {
            Some(("^", start)) => text.lines().any(|line| begins(line, start)),
            Some(("/", _)) => serde_json::from_str::<Value>(text)
                .is_ok_and(|value| value.pointer(section).is_some()),
            _ => text.contains(section),
        };
        let suits = |text: &str| has(text) && !tool.unless.iter().any(|it| text.contains(it));
        let is_read = !section.is_empty() || !tool.unless.is_empty();
        look(&path) && (!is_read || read(&path).is_some_and(|text| suits(&text)))
    };
    let is_near = |name: &String| folder.ancestors().any(|folder| look(&folder.join(name)));
    tool.root.iter().any(configures) && (tool.needs.is_empty() || tool.needs.iter().any(is_near))
}

fn own_program(tool: &Tool, root: &Path, look: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let mut own = root.ancestors().flat_map(|folder| {
        PROJECT_PROGRAMS.iter().map(move |programs| folder.join(programs).join(&tool.argv[0]))
    });
    own.find(|path| look(path))
}

/// Returns whether the `PATH` leads from a program's name into the project around a directory.
fn is_found_in_project(
    context: &Context<'_>,
    options: &Options,
    program: &str,
    root: &Path,
) -> bool {
    let host = context.host;
    let path = options.env.get("PATH").cloned().or_else(|| host.variable("PATH"));
    let found = path
        .unwrap_or_default()
        .split(':')
        .map(|folder| (!folder.starts_with('/'), root.join(folder).join(program)))
        .find(|(_, path)| host.look(path).is_some_and(|it| it.is_file));
    let Some((is_relative, found)) = found.filter(|_| !program.contains('/')) else { return false };
    let (root, cwd) = (host.real(root), host.real(Path::new(&*context.payload.cwd)));
    let repository = root.ancestors().find(|it| host.look(&it.join(".git")).is_some());
    let outer = if root.starts_with(&cwd) { &cwd } else { &root };
    let project = repository.unwrap_or(outer);
    // A home that is a repository has the user's own programs in it.
    let home = host.variable("HOME").map(|it| host.real(Path::new(&it)));
    let is_home = home.is_some_and(|home| home.starts_with(project));
    let lies = [found.parent().unwrap_or(&found), &found];
    is_relative || !is_home && lies.iter().any(|it| host.real(it).starts_with(project))
}

fn start(
    context: &Context<'_>,
    options: &Options,
    tool: &Tool,
    root: &Path,
    file: &Path,
    own: Option<&PathBuf>,
) -> io::Result<Finished> {
    let filled = |word: &String| {
        let word = word.replace("{file}", &file.to_string_lossy());
        word.replace("{root}", &root.to_string_lossy())
    };
    let mut argv: Vec<String> = tool.argv.iter().map(filled).collect();
    if let Some(own) = own {
        argv[0] = own.to_string_lossy().into_owned();
    }
    let variables: Vec<(&str, &OsStr)> =
        options.env.iter().map(|(name, value)| (name.as_str(), OsStr::new(value))).collect();
    let program = Program { argv: &argv, directory: Some(root), variables: &variables, stdin: b"" };
    context.host.run(program, Duration::from_secs(options.limit.as_seconds()))
}

fn failure(tool: &Tool, finished: &Finished, root: &Path, lines: usize) -> Option<String> {
    if finished.code.is_some_and(|code| code == 0 || tool.nothing.contains(&code)) {
        return None;
    }
    let output = format!("{}\n{}", finished.stdout.trim_end(), finished.stderr.trim_end());
    let root = format!("{}/", root.display());
    let shown = trimmed(&output.replace(&root, ""), lines);
    let how = match finished.code {
        Some(code) => format!("exited with {code}"),
        None => "was killed".to_owned(),
    };
    let named = tool.argv.iter().map(|word| word.strip_prefix("{root}/").unwrap_or(word));
    let call = named.filter(|word| !word.contains('{')).collect::<Vec<_>>().join(" ");
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
fn missing(context: &Context<'_>, program: &str) -> Result<Option<String>, Failure> {
    let flag = context.key(&format!("missing {program}"));
    let is_news = context.store.raise(&flag, SAID)?;
    Ok(is_news
        .then(|| format!("`{program}` is not on the client's PATH, so it did not run; install it")))
}

/// Says once a session that nobody answered yet whether a project's program may run.
fn unasked(
    context: &Context<'_>,
    program: &str,
    root: &Path,
    why: Silence,
) -> Result<Option<String>, Failure> {
    if why != Silence::Unasked {
        return Ok(None);
    }
    let flag = context.key(&format!("unasked {}", root.display()));
    let is_news = context.store.raise(&flag, SAID)?;
    Ok(is_news.then(|| {
        let program = program.strip_prefix("{root}/").unwrap_or(program);
        format!(
            "`{program}` did not run, because it is a program of the project or runs its code. \
             `hookman install --project-tools yes`, typed in {}, allows that; `no` ends this message.",
            root.display()
        )
    }))
}

/// The most bytes that are read of an answer.
const MOST: u64 = 64;

/// Returns whether programs of the repository around `folder` may run, by the user's state, or why not.
fn given(context: &Context<'_>, options: &Options, folder: &Path) -> Result<(), Silence> {
    match options.project_tools {
        Some(true) => return Ok(()),
        Some(false) => return Err(Silence::Refused),
        None => {}
    }
    let host = context.host;
    let state = host.session_folder().ancestors().nth(2).unwrap_or(Path::new(""));
    for folder in host.real(folder).ancestors() {
        let text = host.read(&paths::project_tools(state, folder), MOST).ok().flatten();
        let answer = text.and_then(|text| paths::answer_for(&text, folder, |it| host.look(it)));
        if let Some(is_yes) = answer {
            return if is_yes { Ok(()) } else { Err(Silence::Refused) };
        }
        if host.look(&folder.join(".git")).is_some() {
            break;
        }
    }
    Err(Silence::Unasked)
}

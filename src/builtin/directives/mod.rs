//! The kind `directives`: at the first touch of a folder, the files that say how to work there.
//!
//! What is pending and gone is dropped, so that no file that cannot be read locks a session.

pub(super) mod finding;
mod known;
mod options;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::kind::Kind;
use super::silence::Silence;
use super::tool_pattern::ToolPattern;
use super::workflow::Workflow;
use super::{Can, Context, Failure, allowance};
use crate::client::{Answer, Event};
use crate::syntax::shell;
use known::{Known, List};
use options::{Mode, Options};

pub(super) static KIND: Kind = Kind::of::<Options>(
    "directives",
    &[Can::Decide, Can::Advise, Can::Remember, Can::ReadFiles],
    run,
);

/// The call for an agent that is kept from reading what it should.
const WAY_OUT: &str = "hookman state clear pending_directives";

/// Programs that show a file, and do nothing else with it.
const READERS: &[&str] = &["bat", "cat", "head", "less", "more", "nl", "tail"];

fn run(context: &Context<'_>) -> Result<Answer, Failure> {
    let options: Options = context.options()?;
    match context.event {
        Event::SessionStart => {
            if context.payload.source == "compact" {
                Known::forget(context)?;
            }
            Ok(Silence::Noted.answer())
        }
        Event::Stop | Event::SubagentStop => at_stop(context),
        Event::PreToolUse if options.mode == Mode::Require => gate(context, &options),
        _ => {
            if !options.before_stop.is_empty() {
                List::Checklists.remove(context, &read_files(context)?)?;
            }
            if options.mode == Mode::Require {
                List::Pending.remove(context, &read_files(context)?)?;
            }
            told(context, &options, &discover(context, &options)?)
        }
    }
}

/// Looks for directive files that the call makes known; gives those to tell of.
fn discover(context: &Context<'_>, options: &Options) -> Result<Vec<PathBuf>, Failure> {
    let Some(touched) = finding::touched(context)? else { return Ok(Vec::new()) };
    let mut known = Known::of(context)?;
    let before = known.clone();
    let workflow = Workflow::new(context, &options.state);
    let chosen =
        if options.optional.is_empty() { String::new() } else { workflow.get("directives")? };
    let is_chosen = |name: &&String| {
        chosen.split([',', ' ', '\n']).any(|word| word == *name || Some(word) == stem(name))
    };
    let names: Vec<&str> = options
        .files
        .iter()
        .chain(options.optional.iter().filter(is_chosen))
        .chain(&options.before_stop)
        .map(String::as_str)
        .collect();
    let found = finding::found(context, options, &names, &touched, &mut known);
    if known != before {
        known.keep(context)?;
    }
    let is_checklist = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default();
        options.before_stop.iter().any(|checklist| name == checklist.as_str())
    };
    let (checklists, news): (Vec<PathBuf>, Vec<PathBuf>) =
        found.into_iter().partition(is_checklist);
    if !checklists.is_empty() {
        List::Checklists.add(context, &checklists)?;
    }
    if options.mode == Mode::Require && !news.is_empty() {
        List::Pending.add(context, &news)?;
        context.store.count(&context.agent_key("calls"), i64::MIN)?;
    }
    Ok(news)
}

fn stem(name: &str) -> Option<&str> {
    name.strip_suffix(".md")
}

fn told(context: &Context<'_>, options: &Options, news: &[PathBuf]) -> Result<Answer, Failure> {
    if news.is_empty() {
        return Ok(Silence::Known.answer());
    }
    Ok(Answer::context(match options.mode {
        Mode::Mention => format!(
            "There are directives for this folder that you have not read: {}. Read those that bear \
             on the task before you change anything here.",
            listed(news)
        ),
        Mode::Inject => texts(context, options, news)?,
        Mode::Require => format!(
            "There are directives for this folder. Read each of them before you go on: {}.",
            listed(news)
        ),
    }))
}

fn listed(files: &[PathBuf]) -> String {
    files.iter().map(|file| format!("`{}`", file.display())).collect::<Vec<_>>().join(", ")
}

fn texts(context: &Context<'_>, options: &Options, files: &[PathBuf]) -> Result<String, Failure> {
    let mut texts = "Directives for this folder:".to_owned();
    let mut left: Vec<PathBuf> = Vec::new();
    for file in files {
        if !finding::is_of_project(context, file) {
            left.push(file.clone());
            continue;
        }
        let doing = format!("read `{}`", file.display());
        // A character has at most four bytes, and one more tells that there is more.
        let most = options.longest_file.saturating_mul(4).saturating_add(1);
        let Some(text) = context.host.read(file, most).map_err(Failure::of(doing))? else {
            continue;
        };
        let cut = usize::try_from(options.longest_file).unwrap_or(usize::MAX);
        let shown: String = text.chars().take(cut).collect();
        let rest = if shown.len() < text.len() { "\n(The file has more.)" } else { "" };
        let part = format!("\n\n`{}`:\n{}{rest}", file.display(), shown.trim_end());
        if texts.chars().count() + part.chars().count() > options.longest {
            left.push(file.clone());
        } else {
            texts.push_str(&part);
        }
    }
    if !left.is_empty() {
        // Writing to a string cannot fail.
        let _ = write!(
            texts,
            "\n\nNot shown here: {}; read them if they bear on the task.",
            listed(&left)
        );
    }
    Ok(texts)
}

/// Has the model read what it found before it goes on.
fn gate(context: &Context<'_>, options: &Options) -> Result<Answer, Failure> {
    if allowance::covers(&way_out(), context) {
        List::Pending.clear(context)?;
        return Ok(Silence::Allowed.answer());
    }
    let is_listed = List::Pending.is_any(context)? || List::Checklists.is_any(context)?;
    let mut read = if is_listed { read_files(context)? } else { Vec::new() };
    if !read.is_empty() {
        let mut listed = List::Pending.files(context)?;
        listed.extend(List::Checklists.files(context)?);
        read.retain(|file| listed.contains(file));
    }
    if !read.is_empty() {
        List::Pending.remove(context, &read)?;
        List::Checklists.remove(context, &read)?;
        context.store.count(&context.agent_key("calls"), i64::MIN)?;
    }
    let news = discover(context, options)?;
    let pending = List::Pending.files(context)?;
    if pending.is_empty() {
        // The gates that come after it still let the reading through.
        if read.is_empty() {
            allowance::open(context)?;
        }
        return Ok(Silence::Known.answer());
    }
    if !news.is_empty() {
        return told(context, options, &news);
    }
    if !read.is_empty() || allowance::covers(&options.free, context) {
        return Ok(Silence::Allowed.answer());
    }
    let workflow = Workflow::new(context, &options.state);
    for (name, values) in &options.pause {
        if workflow.is_one_of(name, values)? {
            return Ok(Silence::Paused.answer());
        }
    }
    let count = context.store.count(&context.agent_key("calls"), 1)?;
    let reminder = || Answer::context(format!("Still to be read: {}.", listed(&pending)));
    if options.block_after == 0 || count < options.block_after {
        return Ok(reminder());
    }
    let mut allowed = options.free.clone();
    allowed.extend(way_out());
    allowed.extend(pending.iter().filter_map(|file| reading(file)));
    allowance::close(context, &allowed);
    if allowance::is_let_through_by_others(context) {
        return Ok(reminder());
    }
    let answer = Answer::deny(format!(
        "These directives are still unread: {}. Read each of them with Read, then go on. \
         What cannot be read is given up with `{WAY_OUT}`.",
        listed(&pending)
    ));
    Ok(Answer { rule: Some("unread".to_owned()), ..answer })
}

fn way_out() -> Vec<ToolPattern> {
    ToolPattern::parse(&format!("Bash({WAY_OUT})")).into_iter().collect()
}

/// The call that reads a file. What a pattern gives a meaning to is any character.
fn reading(file: &Path) -> Option<ToolPattern> {
    let plain = |letter: char| if "*?[]{}()!\\".contains(letter) { '?' } else { letter };
    let path: String = file.to_string_lossy().chars().map(plain).collect();
    ToolPattern::parse(&format!("Read(/{path})")).ok()
}

fn read_files(context: &Context<'_>) -> Result<Vec<PathBuf>, Failure> {
    #[derive(Default, serde::Deserialize)]
    #[serde(default)]
    struct Input {
        file_path: String,
        /// The line at which the reading begins, from 1.
        offset: Option<f64>,
        command: String,
    }
    let tool = &*context.payload.tool_name;
    if !matches!(tool, "Read" | "Bash") {
        return Ok(Vec::new());
    }
    let input = context.tool_input::<Input>()?.unwrap_or_default();
    if tool == "Read" {
        if input.offset.is_some_and(|line| line > 1.0) {
            return Ok(Vec::new());
        }
        // With a file the client gives the model each CLAUDE.md from its folder up to the project's.
        let file = finding::absolute(context, &input.file_path);
        let loaded = file.ancestors().skip(1).map(|folder| folder.join("CLAUDE.md"));
        return Ok(loaded.chain([file.clone()]).collect());
    }
    let split = shell::split(&input.command);
    let mut files = Vec::new();
    for command in &split.commands {
        let mut words = command.words.iter();
        let is_reader = words.next().is_some_and(|it| READERS.contains(&&*it.text));
        if !is_reader || !command.redirections.is_empty() {
            return Ok(Vec::new());
        }
        let is_file = |word: &&shell::Word<'_>| !word.expanded && !word.text.starts_with('-');
        files.extend(words.filter(is_file).map(|word| finding::absolute(context, &word.text)));
    }
    Ok(if split.complete { files } else { Vec::new() })
}

/// Keeps a turn from ending, once, while a checklist that was found is unread.
fn at_stop(context: &Context<'_>) -> Result<Answer, Failure> {
    if context.payload.stop_hook_active {
        return Ok(Silence::Again.answer());
    }
    let unread = List::Checklists.files(context)?;
    if unread.is_empty() {
        return Ok(Silence::Known.answer());
    }
    Ok(Answer::deny(format!(
        "Before you stop, read these checklists and see that what they ask for is done: {}.",
        listed(&unread)
    )))
}

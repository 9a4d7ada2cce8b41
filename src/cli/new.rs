//! `hookman new`: ask what a hook should do and when, and add it.

use anyhow::{Result, bail};

use super::args::{Add, Install, New};
use super::exit::ExitStatus;
use super::{add, install, package, word};
use crate::builtin::catalogue;
use crate::chain::plan::FILE;
use crate::client::{Block, Event, Subject};
use crate::install::target::Target;
use crate::machine::World;
use crate::manifest::{OnError, check_name};
use crate::state::configured;
use crate::syntax::escaped::quoted;
use crate::syntax::shell;

/// The events that most new hooks run on; the others follow.
const FREQUENT: &[Event] = &[
    Event::PreToolUse,
    Event::PostToolUse,
    Event::Stop,
    Event::UserPromptSubmit,
    Event::SessionStart,
    Event::Notification,
];

pub(super) fn new(args: &New, world: &World) -> Result<ExitStatus> {
    if let Some(folder) = &args.package {
        return package::make(folder, world);
    }
    let terminal = &world.terminal;
    if !terminal.can_choose() {
        bail!(
            "`hookman new` asks on a terminal, and there is none; `hookman add NAME --event EVENT -- \
             PROGRAM` says the same in one line"
        );
    }
    let Some(add) = asked(args, world)? else {
        terminal.line("Nothing was written.");
        return Ok(ExitStatus::Done);
    };
    match add {
        Wanted::ReadyMade(name) => {
            let (hooks, options) = (vec![name], args.options.clone());
            install::install(&Install { hooks, options, ..Install::default() }, world)
        }
        Wanted::Own(add) => {
            let target = Target::of(&add.options.scope, world)?;
            terminal.line(format!("The same in one line: {}", in_one_line(&add, world, &target)));
            add::add(&add, world)
        }
    }
}

enum Wanted {
    ReadyMade(String),
    Own(Box<Add>),
}

/// Asks the user for all answers; `None` where they gave up.
fn asked(args: &New, world: &World) -> Result<Option<Wanted>> {
    let terminal = &world.terminal;
    let chain = if Target::of(&args.options.scope, world)?.is_users() { "user" } else { "project" };
    let there = configured::hooks(world)?;
    let is_there = |name: &str| there.iter().any(|it| it.scope == chain && it.hook.name == name);
    let entries = catalogue::names().iter().filter_map(|it| catalogue::find(it));
    let entries: Vec<_> = entries.filter(|entry| !is_there(entry.name)).collect();
    let mut rows = vec!["run a command of your own".to_owned()];
    rows.extend(entries.iter().map(|entry| {
        let words = entry.keywords.join(", ");
        let words = if words.is_empty() { words } else { format!(" ({words})") };
        format!("{}: {}{words}", entry.name, entry.summary)
    }));
    match terminal.choose_one("What the hook should do", &rows)? {
        None => return Ok(None),
        Some(0) => {}
        Some(index) => return Ok(Some(Wanted::ReadyMade(entries[index - 1].name.to_owned()))),
    }
    let question = "Command (it reads the client's JSON; `{file}` is the file of the call)";
    let Some(line) = terminal.ask(question, "")?.filter(|line| !line.is_empty()) else {
        return Ok(None);
    };
    let rest = Event::ALL.iter().filter(|event| !FREQUENT.contains(event));
    let events: Vec<Event> = FREQUENT.iter().chain(rest).copied().collect();
    let row = |event: &Event| format!("{}: {}", event.name(), event.occasion());
    let rows: Vec<String> = events.iter().map(row).collect();
    let Some(index) = terminal.choose_one("When it should run", &rows)? else { return Ok(None) };
    let event = events[index];
    let matcher = match event.facts().subject {
        Subject::None => None,
        Subject::Tool => terminal.ask("For which tools, such as Edit|Write? (empty: all)", "")?,
        _ => terminal.ask("Matcher (empty: all)", "")?,
    };
    let on_error = match event.facts().block {
        Block::Never => None,
        _ => {
            let rows = ["go on", "ask me", "block"].map(str::to_owned);
            match terminal.choose_one("What follows if it fails", &rows)? {
                None => return Ok(None),
                Some(index) => [None, Some(OnError::Ask), Some(OnError::Closed)][index],
            }
        }
    };
    let name = loop {
        let Some(name) = terminal.ask("Name", &named(&line))? else { return Ok(None) };
        match check_name(&name) {
            Ok(()) => break name,
            Err(problem) => terminal.warn(problem.to_string()),
        }
    };
    let words = without_shell(&line);
    Ok(Some(Wanted::Own(Box::new(Add {
        name,
        events: vec![event],
        matcher: matcher.filter(|matcher| !matcher.is_empty()),
        on_error,
        command: words.is_empty().then_some(line),
        words,
        options: args.options.clone(),
        ..Add::default()
    }))))
}

/// The command that adds the same hook without a question.
fn in_one_line(add: &Add, world: &World, target: &Target) -> String {
    let mut words = vec!["add", &add.name];
    words.extend(add.events.iter().flat_map(|event| ["--event", event.name()]));
    let values = [
        ("--matcher", add.matcher.as_deref()),
        ("--on-error", add.on_error.map(OnError::name)),
        ("--command", add.command.as_deref()),
    ];
    words.extend(
        values.into_iter().filter_map(|(flag, value)| value.map(|it| [flag, it])).flatten(),
    );
    words.extend(target.flag().split_whitespace());
    words.extend((!add.words.is_empty()).then_some("--"));
    words.extend(add.words.iter().map(String::as_str));
    let words: Vec<String> = words.into_iter().map(quoted).collect();
    format!("{} {}", word::hookman(world), words.join(" "))
}

/// The words of a line that asks for the file of the call, and for nothing that only a shell could do.
fn without_shell(line: &str) -> Vec<String> {
    if !line.contains(FILE)
        || line.contains(['$', '`', '|', '&', ';', '<', '>', '(', '*', '?', '~'])
    {
        return Vec::new();
    }
    let commands = shell::split(line).commands;
    // A variable for the program is the shell's to set.
    if commands.iter().any(|command| !command.assignments.is_empty()) {
        return Vec::new();
    }
    let words = commands.into_iter().flat_map(|command| command.words);
    words.map(|word| word.text.into_owned()).collect()
}

/// The name of the first program of a line, without its directory and ending.
fn named(line: &str) -> String {
    let commands = shell::split(line).commands;
    let first = commands.first().and_then(|command| command.words.first());
    let program = first.map(|word| &*word.text).unwrap_or_default();
    let file = program.rsplit('/').next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    let fits = |it: char| it.is_alphanumeric() || "-_".contains(it);
    stem.chars().filter(|it| fits(*it)).take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_a_variable_for_the_program_stays_a_line() {
        assert_eq!(without_shell("fmt '{file}'"), ["fmt", "{file}"]);
        assert!(without_shell("MODE=fast fmt {file}").is_empty());
    }
}

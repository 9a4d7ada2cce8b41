//! Scripts, and the programs that read them without running them.

use std::path::{Path, PathBuf};

use super::calls::{self, Call, is_shell};
use super::command::{Around, Command, Fault, Layer};
use super::programs;
use crate::client::Event;
use crate::machine::child::Finished;
use crate::machine::environment;
use crate::machine::program::{self, Trouble};

pub(super) const MOST: usize = 300;

/// The sign before a program that is in a line itself, in the place of its file.
const INLINE: char = '=';

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Script {
    /// The number of the command that runs it.
    pub(super) of: usize,
    pub(super) file: PathBuf,
    pub(super) shown: String,
    pub(super) language: Language,
    pub(super) program: PathBuf,
    /// True if a script that cannot be read blocks what it is asked about.
    pub(super) locks: bool,
    /// True if what runs it brings modules along.
    pub(super) brings_modules: bool,
    /// The events that it is for, where exit code 1 lets pass.
    pub(super) events: Vec<Event>,
    pub(super) matchers: Vec<Option<String>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Shell,
    Python,
    Node,
    Ruby,
    Jq,
}

impl Script {
    /// One that is in no file, with the start of what is shown of it.
    fn inline(of: usize, text: &str, shown: &str, language: Language, program: PathBuf) -> Self {
        let start: String = shown.lines().next().unwrap_or_default().chars().take(40).collect();
        Self {
            of,
            file: PathBuf::from(format!("{INLINE}{text}")),
            shown: if start == shown { start } else { start + "…" },
            language,
            program,
            locks: false,
            brings_modules: false,
            events: Vec::new(),
            matchers: Vec::new(),
        }
    }

    /// The text of one that is in no file.
    pub(super) fn line(&self) -> Option<&str> {
        self.file.to_str()?.strip_prefix(INLINE)
    }
}

/// The line of a command as a script of the shell, but for one that no shell refuses and no linter warns of.
pub(super) fn of_line(of: usize, command: &Command) -> Option<Script> {
    let is_plain = |it: char| it.is_alphanumeric() || " _-./:=,@%+~$\"".contains(it);
    let line = command.text()?;
    let is_sound = line.chars().all(is_plain)
        && line.matches('"').count() % 2 == 0
        && !line.contains("source ");
    let (locks, events) = (command.blocked_by_two().is_some(), command.events.clone());
    let script = || Script::inline(of, line, line, Language::Shell, PathBuf::from("/bin/sh"));
    (!is_sound).then(|| Script { locks, events, ..script() })
}

/// The filter of a call of `jq` as a script, in which each variable has a value.
pub(super) fn filter(of: usize, call: &Call) -> Option<Script> {
    call.program.as_ref().filter(|it| it.text == "jq")?;
    let mut words = call.arguments.iter();
    let text = loop {
        match words.next()?.as_ref()?.text.as_str() {
            "--arg" | "--argjson" | "--slurpfile" | "--rawfile" => {
                words.nth(1)?;
            }
            // A filter may be in a file.
            word if word.starts_with('-') && word.contains(['f', 'L']) => return None,
            word if word.starts_with('-') => {}
            word => break word,
        }
    };
    let mut names: Vec<&str> = text.split('$').skip(1).map(calls::name).collect();
    names.retain(|name| !["", "ENV", "__loc__"].contains(name));
    names.dedup();
    let values: Vec<String> = names.iter().map(|name| format!("null as ${name} | ")).collect();
    let whole = format!("{}({text}\n)", values.concat());
    let is_whole = !text.contains("import ") && !text.contains("include ");
    let program = on_own_path("jq").filter(|_| is_whole)?;
    Some(Script::inline(of, &whole, text.trim(), Language::Jq, program))
}

/// The script that a call of a command runs, where there is a program to read it.
pub(super) fn script(of: usize, command: &Command, around: &Around, call: &Call) -> Option<Script> {
    let inline = programs::inline(call);
    let (shown, file) = match &inline {
        Some((option, code)) => (format!("{option} …"), PathBuf::from(format!("{INLINE}{code}"))),
        None => {
            let (word, file) = programs::run_file(call).filter(|(_, file)| file.is_file())?;
            (word.shown.clone(), file)
        }
    };
    let is_given = inline.is_some() || programs::script(call).is_some();
    let given = is_given.then_some(call.program.as_ref());
    let by = match (given, program::trouble(&file)) {
        (Some(program), _) => match program?.text.as_str() {
            "." | "source" => "/bin/sh".to_owned(),
            "uv" => "python3".to_owned(),
            name => name.to_owned(),
        },
        (None, None) => program::interpreter(&file)?,
        (None, Some(Trouble::NoFormat)) if call.by_shell => "/bin/sh".to_owned(),
        (None, Some(_)) => return None,
    };
    let language = match programs::stem(&by) {
        _ if is_shell(&by) => Language::Shell,
        "python" => Language::Python,
        "node" | "nodejs" => Language::Node,
        "ruby" => Language::Ruby,
        _ => return None,
    };
    let program = on_own_path(&by)?;
    let locks = language == Language::Shell && command.blocked_by_two().is_some();
    // A settings file may have another program of that name run it, or other modules found.
    let is_other = !by.contains('/')
        && program::on_path(&by, &around.path).as_ref() != Some(&program)
        || around.variables.iter().any(|it| it == "PYTHONPATH")
        || [&call.site.before, &call.site.source].iter().any(|it| it.contains("PYTHONPATH="));
    let is_borne = call.site.behind.trim_start().starts_with("||");
    program.is_file().then(|| Script {
        of,
        file,
        shown,
        language,
        program,
        locks,
        brings_modules: call.program.as_ref().is_some_and(|it| it.text == "uv") || is_other,
        // A line may say itself what is to be done where its script fails.
        events: command.events.iter().copied().filter(|_| !is_borne).collect(),
        matchers: vec![command.matcher.clone()],
    })
}

/// A program that may be started to read a script: one in this process's `PATH`, and no clone's.
pub(super) fn on_own_path(name: &str) -> Option<PathBuf> {
    let path = environment::raw("PATH")?;
    let mut folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    match Path::new(name).parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) => folders.any(|folder| folder == parent).then(|| PathBuf::from(name)),
        None => program::on_path(name, &std::env::join_paths(folders).ok()?),
    }
}

/// Reads what a program says of scripts: faults, each with the number of its command.
pub(super) type Reader = fn(&[&Script], &Finished) -> Vec<(usize, Fault)>;

/// A program that reads scripts, and the reading of what it says of them.
pub(super) struct Run<'s> {
    pub(super) words: Vec<String>,
    pub(super) of: Vec<&'s Script>,
    pub(super) read: Reader,
}

/// One run for each program of scripts, which takes the scripts behind its own options.
pub(super) fn by_program<'s>(
    scripts: &[&'s Script],
    options: &[&str],
    read: Reader,
) -> Vec<Run<'s>> {
    let mut runs: Vec<Run<'s>> = Vec::new();
    for script in scripts.iter().copied() {
        let program = script.program.display().to_string();
        let file = script.file.display().to_string();
        if let Some(run) = runs.iter_mut().find(|run| run.words[0] == program) {
            run.words.push(file);
            run.of.push(script);
        } else {
            let options = options.iter().map(|it| (*it).to_owned());
            let words = std::iter::once(program).chain(options).chain([file]).collect();
            runs.push(Run { words, of: vec![script], read });
        }
    }
    runs
}

pub(super) fn unreadable(script: &Script, why: &str) -> Option<Fault> {
    let program = script.program.file_name().unwrap_or_default().to_string_lossy();
    let name = match (script.line(), script.language) {
        (Some(_), Language::Shell) => "unreadable-line",
        _ => "unreadable-script",
    };
    let mut fault = Fault::known(name, &[&program, &script.shown, &why])?;
    if script.locks {
        fault.notice = Some("the shell ends with 2, so each call is blocked");
    }
    fault.layer = Layer::Parsed;
    Some(fault)
}

//! The programs that a command calls, with the paths that its words stand for.

use std::path::{Path, PathBuf};

use regress::{Match, Regex};

use super::command::{Around, Caller, Command, Line};
use crate::syntax::shell::{self, Word, programs};

#[derive(Clone, Debug)]
pub(super) struct Call {
    /// The program's word, as it is known; none where it cannot be told.
    pub(super) program: Option<Known>,
    pub(super) arguments: Vec<Option<Known>>,
    pub(super) is_first: bool,
    /// True if the line asks for it before it uses it, or puts up with its failure.
    pub(super) is_tested: bool,
    /// True if the line may itself say where its program is found, or make a function of that name.
    pub(super) is_brought: bool,
    pub(super) by_shell: bool,
    pub(super) site: Site,
    pub(super) start: Start,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Site {
    pub(super) before: String,
    pub(super) source: String,
    pub(super) behind: String,
    pub(super) has_redirections: bool,
}

impl Site {
    fn of(line: &str, call: &shell::Invocation<'_>) -> Self {
        let (before, behind) = line.split_once(call.source).unwrap_or_default();
        let has_redirections = !call.redirections.is_empty() || call.source.contains("<<");
        let [before, source, behind] = [before, call.source, behind].map(str::to_owned);
        Self { before, source, behind, has_redirections }
    }

    /// Returns whether the line says what is to be done where it fails.
    fn has_other(&self) -> bool {
        let until = self.behind.split_once("||").map(|(until, _)| until);
        until.is_some_and(|it| !it.contains([';', '\n', '|']) && !it.contains("&&"))
    }

    /// Returns whether the command's own input is read there, by itself or from a variable that has it.
    pub(super) fn reads_call(&self) -> bool {
        let before = self.before.trim_end();
        let behind = self.behind.trim_start();
        let given = match before.strip_suffix('|') {
            Some(before) => before.rsplit(['\n', ';', '(', '&']).next().unwrap_or_default(),
            None if behind.starts_with('<') => {
                behind.split(['\n', ';', ')', '|']).next().unwrap_or_default()
            }
            None if self.has_redirections && self.source.contains('<') => &self.source,
            None => return true,
        };
        let name = name(given.rsplit_once('$').map_or("", |(_, it)| it.trim_start_matches('{')));
        !name.is_empty() && before.contains(&format!("{name}=$(cat)"))
    }
}

/// The directory that relative words are found in.
#[derive(Clone, Debug)]
pub(super) struct Start {
    /// The directory; none where it cannot be told.
    pub(super) directory: Option<PathBuf>,
    /// True if that is where the session happens to be.
    pub(super) is_fragile: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) text: String,
    /// As it was written, without quotes.
    pub(super) shown: String,
}

pub(super) fn of(command: &Command, around: &Around) -> Vec<Call> {
    match &command.line {
        Line::Argv(words) => of_argv(command, around, words),
        Line::Shell(line) => of_line(command, around, line),
    }
}

/// Finds the directory in which a command begins, and whether that is the session's current one.
fn start(command: &Command, around: &Around) -> Start {
    let is_fragile = !matches!(command.caller, Caller::Hookman { in_project: true, .. });
    Start { directory: around.project.clone(), is_fragile }
}

fn of_argv(command: &Command, around: &Around, words: &[String]) -> Vec<Call> {
    let known = |word: &String| {
        let mut text = word.clone();
        for (name, value) in [("PROJECT_DIR", &around.project), ("PLUGIN_ROOT", &around.plugin)] {
            let Some(value) = value else { continue };
            text = text.replace(&format!("${{CLAUDE_{name}}}"), &value.display().to_string());
        }
        let is_known = !text.contains("${CLAUDE_P");
        is_known.then(|| Known { text, shown: word.clone() })
    };
    let is_in_package = matches!(&command.caller, Caller::Hookman { manifest: Some(root), .. } if Some(root) == around.plugin.as_ref());
    let argument = |word: &String| match known(word)? {
        word if is_in_package && word.text.starts_with("./") => {
            Some(next_to_manifest(command, word))
        }
        word => Some(word),
    };
    let Some((program, arguments)) = words.split_first() else { return Vec::new() };
    let mut calls = vec![Call {
        program: known(program).map(|word| next_to_manifest(command, word)),
        arguments: arguments.iter().map(argument).collect(),
        is_first: true,
        is_tested: false,
        is_brought: false,
        by_shell: false,
        site: Site::default(),
        start: start(command, around),
    }];
    let is_line = |word: &&String| word.starts_with('-') && word.ends_with('c');
    if is_shell(program)
        && let Some(at) = arguments.iter().position(|word| is_line(&word))
        && !arguments[..=at].iter().any(|word| is_of_login(word))
        && let Some(line) = arguments.get(at + 1)
    {
        let inner = of_line(command, around, line).into_iter();
        calls.extend(inner.map(|call| Call { is_first: false, ..call }));
    }
    calls
}

/// Returns whether a program is a shell that reads scripts of `sh`, by its name.
pub(super) fn is_shell(program: &str) -> bool {
    program.rsplit('/').next().is_some_and(programs::is_posix_shell)
}

/// Returns whether an option of a shell has it read the user's files, which may set another `PATH`.
fn is_of_login(word: &str) -> bool {
    let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    letters.is_some_and(|letters| letters.contains(['l', 'i'])) || word == "--login"
}

/// hookman looks for a relative program next to the manifest.
fn next_to_manifest(command: &Command, word: Known) -> Known {
    let Caller::Hookman { manifest: Some(manifest), .. } = &command.caller else { return word };
    if !word.text.contains('/') || word.text.starts_with(['/', '~', '$']) {
        return word;
    }
    let path = manifest.join(word.text.strip_prefix("./").unwrap_or(&word.text));
    Known { text: path.display().to_string(), ..word }
}

fn of_line(command: &Command, around: &Around, line: &str) -> Vec<Call> {
    let line = &plain(line);
    let mut calls: Vec<Call> = Vec::new();
    let mut start = start(command, around);
    let brings = Regex::new(r"\b(?:PATH|BASH_ENV)=");
    let mut is_brought = brings.is_ok_and(|it| it.find(line).is_some());
    // A line that blocks is a gate, and does not hold where what it asks is not there.
    let is_gate = line.contains("exit 2");
    let is_borne = ["|| true", "|| :", "|| exit 0", "||true", "||:"];
    // What asks for a machine of another kind runs nothing on this one.
    let of_others = ["uname", "$OSTYPE", "/proc/version", "$DISPLAY", "$WAYLAND_DISPLAY", "$CI\""];
    let is_borne = !is_gate && is_borne.iter().chain(&of_others).any(|part| line.contains(part));
    let functions = shell::split(line).functions;
    let mut tested: Vec<String> = functions.iter().map(|it| it.name.to_string()).collect();
    let mut elsewhere: Vec<String> = Vec::new();
    shell::each_invocation(line, &mut |call| {
        let Some(program) = call.called else { return };
        let arguments = call.arguments;
        let texts = || arguments.iter().map(|word| word.text.to_string());
        if elsewhere.iter().any(|outer| outer.contains(call.source)) {
            return;
        }
        let is_login = is_shell(call.program) && texts().any(|word| is_of_login(&word));
        if is_login || programs::runs_elsewhere(call.program) {
            elsewhere.push(call.source.to_owned());
        }
        is_brought |= matches!(call.program, "." | "source" | "eval");
        match call.program {
            "[" | "[[" | "test" | "which" | "type" | "hash" => return tested.extend(texts()),
            "command" if texts().any(|it| it == "-v" || it == "-V") => {
                return tested.extend(texts());
            }
            "alias" => return tested.extend(texts().map(|it| name(&it).to_owned())),
            "cd" => {
                let to = arguments.first().and_then(|word| known(word, around));
                let to = to.map(|to| PathBuf::from(to.text));
                start.is_fragile &= !to.as_ref().is_some_and(|to| to.is_absolute());
                start.directory = to.and_then(|to| Some(start.directory.as_ref()?.join(to)));
                return;
            }
            _ => {}
        }
        let is_named = |word: &Word<'_>| tested.iter().any(|it| names(it, &word.text));
        let (is_first, site) = (calls.is_empty(), Site::of(line, call));
        let mut named = known(program, around);
        if is_first {
            named = named.map(|word| next_to_manifest(command, word));
        }
        calls.push(Call {
            program: named,
            arguments: arguments.iter().map(|word| known(word, around)).collect(),
            is_first,
            is_tested: is_borne
                || !is_gate && site.has_other()
                || is_named(program)
                || arguments.iter().any(is_named),
            is_brought,
            by_shell: true,
            site,
            start: start.clone(),
        });
    });
    calls
}

/// A line without the defaults of known variables, and with `$HOME` for a tilde that begins a value.
fn plain(line: &str) -> String {
    let held = Regex::new(r"\$\{(CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_ROOT|HOME):?-[^}$]*\}");
    let tilde = Regex::new(r"(?<=(?:^|[ \n;&|('])\w+=)~(?=[/ \n;&]|$)");
    let (Ok(held), Ok(tilde)) = (held, tilde) else { return line.to_owned() };
    let name = |found: &Match| line[found.group(1).unwrap_or(0..0)].to_owned();
    let line = held.replace_all_with(line, |it| format!("${{{}}}", name(it)));
    tilde.replace_all_with(&line, |_| "$HOME".to_owned())
}

pub(super) fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

pub(super) fn name(text: &str) -> &str {
    text.split(|it| !is_of_name(it)).next().unwrap_or_default()
}

fn names(tested: &str, word: &str) -> bool {
    tested == word || Path::new(word).file_name().is_some_and(|name| name == tested)
}

/// A word of a shell line with what the shell would put in its place, where that is known.
pub(super) fn known(word: &Word<'_>, around: &Around) -> Option<Known> {
    let shown = word.text.to_string();
    let mut text = shown.clone();
    let is_tilde = text == "~" || text.starts_with("~/");
    if is_tilde && word.written.starts_with('~') {
        text = format!("{}{}", around.home.as_ref()?.display(), &text[1..]);
    }
    if word.expanded {
        // The session's current directory is where a relative word begins.
        for here in ["$PWD/", "${PWD}/", "$(pwd)/"] {
            if let Some(rest) = text.strip_prefix(here) {
                text = format!("./{rest}");
            }
        }
        for (name, value) in [
            ("CLAUDE_PROJECT_DIR", &around.project),
            ("CLAUDE_PLUGIN_ROOT", &around.plugin),
            ("HOME", &around.home),
        ] {
            text = replaced(&text, name, value.as_deref());
        }
        if text.contains(['$', '`', '*', '?', '[', '{']) {
            return None;
        }
    }
    Some(Known { text, shown })
}

/// Puts a directory in the place of a variable; its default is for where there is none.
fn replaced(text: &str, name: &str, value: Option<&Path>) -> String {
    let of_braces = format!(r"\{{{name}(?:[:-][^}}$]*)?\}}");
    let pattern = Regex::new(&format!(r"\$(?:{of_braces}|{name}(?![A-Za-z0-9_]))"));
    match (value, pattern) {
        (Some(value), Ok(pattern)) if text.contains(name) => {
            pattern.replace_all_with(text, |_| value.display().to_string())
        }
        _ => text.to_owned(),
    }
}

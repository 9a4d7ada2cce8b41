//! What redirections do to files, and what a line writes to a file that it runs later.

use std::borrow::Cow;

use super::super::{Command, Redirection, Split, Word, split};
use super::{Place, Walk, expansion};

/// Builtins that people also know as programs; a path that `hash -p` gives them counts only after
/// `enable -n`.
const BUILTINS: &[&str] = &[
    "[", ":", "cd", "echo", "false", "kill", "printf", "pwd", "read", "set", "test", "true", "type",
];

/// Files that a line has written so far, and programs that `hash -p` has given another path.
#[derive(Default)]
pub(super) struct Files {
    written: Vec<(String, String)>,
    hashed: Vec<(String, String)>,
    disabled: Vec<String>,
}

impl Files {
    /// What the line has written to a file.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        let path = plain(path);
        let found = self.written.iter().rev().find(|(known, _)| known == path)?;
        Some(found.1.clone())
    }

    fn write(&mut self, path: &str, text: &str, appends: bool) {
        let known = if appends { self.text(path).unwrap_or_default() } else { String::new() };
        self.written.push((plain(path).to_owned(), known + text));
    }

    /// Keeps what `hash -p PATH NAME` says.
    pub(super) fn hash(&mut self, arguments: &[Word<'_>]) {
        if let [option, path, names @ ..] = arguments
            && option.text == "-p"
        {
            let all = names.iter().map(|name| (name.text.to_string(), path.text.to_string()));
            self.hashed.extend(all);
        }
    }

    /// Keeps what `enable -n NAME` says.
    pub(super) fn enable(&mut self, arguments: &[Word<'_>]) {
        if let [option, names @ ..] = arguments
            && option.text == "-n"
        {
            self.disabled.extend(names.iter().map(|name| name.text.to_string()));
        }
    }

    /// The words of a command with the path of its program, where `hash -p` gave it one.
    pub(super) fn located<'w>(&self, words: Cow<'w, [Word<'w>]>) -> Cow<'w, [Word<'w>]> {
        let Some(first) = words.first().filter(|_| !self.hashed.is_empty()) else { return words };
        if BUILTINS.contains(&&*first.text) && !self.disabled.iter().any(|it| *it == first.text) {
            return words;
        }
        match self.hashed.iter().rev().find(|(name, _)| *name == first.text) {
            Some((_, path)) => {
                let mut words = words.into_owned();
                words[0] = Word::literal(path.clone());
                Cow::Owned(words)
            }
            None => words,
        }
    }
}

fn plain(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

impl Walk<'_> {
    /// What a command reads by `<` from a file that the line has written, or from a substitution.
    pub(super) fn files_input(&mut self, command: &Command<'_>) -> Option<String> {
        let from = &*command.redirections.iter().rev().find(|it| it.operator == "<")?.target.text;
        let Some(inside) = from.strip_prefix("<(") else { return self.files.text(from) };
        let Split { commands, .. } = split(inside.strip_suffix(')').unwrap_or(inside));
        Some(self.printer().commands(&commands, 0..commands.len()).text)
    }

    /// The redirections of a command with what is known of their targets.
    pub(super) fn targets<'c>(&mut self, command: &Command<'c>) -> Vec<Redirection<'c>> {
        let target = |redirection: &Redirection<'c>| {
            let fields = self
                .printer()
                .with_scope(|scope| expansion::fields(&redirection.target.written, scope));
            let target = fields.into_iter().next().unwrap_or_else(|| redirection.target.clone());
            Redirection { operator: redirection.operator, target }
        };
        command.redirections.iter().map(target).collect()
    }

    /// Files that a redirection empties, and devices that it writes to.
    pub(super) fn redirected(&mut self, place: Place<'_>, words: &[Word<'_>]) {
        let command = place.command;
        if command.redirections.is_empty() {
            return;
        }
        let texts = || words.iter().map(|word| &*word.text);
        let is_empty = words.is_empty()
            || texts().eq([":"])
            || texts().eq(["true"])
            || texts().eq(["cat", "/dev/null"])
            || texts().eq(["echo", "-n"]);
        let mut empties = is_empty && command.input.is_none() && command.feed.is_empty();
        empties &= !command.redirections.iter().any(|it| it.operator.starts_with('<'));
        for Redirection { operator, target } in &command.redirections {
            if !matches!(*operator, ">" | ">|" | ">>" | "&>" | "&>>" | "<>") {
                continue;
            }
            if writes_to_device(&target.text) {
                let word = Word::literal(format!("of={}", target.text));
                self.show("dd", &[word], place);
            } else if empties
                && matches!(*operator, ">" | ">|")
                && !target.text.starts_with("/dev/")
            {
                self.show("truncate", &[Word::literal("-s0"), target.clone()], place);
            }
        }
    }

    /// Keeps what a command writes to files, as far as that can be told.
    pub(super) fn keep_written(&mut self, place: Place<'_>, words: &[Word<'_>]) {
        let command = place.command;
        let to_file = |it: &&Redirection<'_>| matches!(it.operator, ">" | ">|" | ">>" | "&>");
        let target = command.redirections.iter().rev().find(to_file);
        let is_tee = words.first().is_some_and(|word| word.text == "tee");
        if target.is_none() && !is_tee {
            return;
        }
        let silent = Command { redirections: Vec::new(), ..command.clone() };
        let printed = self.printer().command(place.list, &silent).text;
        if let Some(Redirection { operator, target }) = target
            && !printed.is_empty()
            && !target.text.starts_with("/dev/")
        {
            self.files.write(&target.text, &printed, *operator == ">>");
        } else if is_tee && let Some(text) = self.input(place) {
            let appends = words.iter().any(|word| word.text == "-a");
            for file in words[1..].iter().filter(|word| !word.text.starts_with('-')) {
                self.files.write(&file.text, &text, appends);
            }
        }
    }
}

/// Whether writing to this path writes to a disk or to the kernel.
fn writes_to_device(path: &str) -> bool {
    if path == "/proc/sysrq-trigger" {
        return true;
    }
    let Some(device) = path.strip_prefix("/dev/") else { return false };
    let harmless = ["null", "zero", "full", "random", "urandom", "tty", "ptmx", "console"];
    let folders = ["std", "fd/", "tcp/", "udp/", "shm/", "pts/", "tty", "mqueue/"];
    !harmless.contains(&device) && !folders.iter().any(|folder| device.starts_with(folder))
}

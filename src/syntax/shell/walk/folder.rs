//! The folder that a line has surely gone to.

use super::super::{Command, Word, programs};
use super::state::{Place, Walk};

/// A folder with a longer path is not followed.
const LONGEST: usize = 256;
/// So many folders that a line makes are kept.
const MADE: usize = 16;
/// The count of blocks where the line may not have gone to its folder.
const UNSURE: i32 = i32::MIN / 2;

impl Walk<'_> {
    /// Forgets the folder where a command also runs if the `cd` before it fails.
    pub(super) fn keep_folder(&mut self, text: &str, list: &[Command<'_>], at: usize) {
        if self.folder.is_empty() {
            return;
        }
        let command = &list[at];
        let before = list[..at].iter().rposition(|it| it.nesting <= command.nesting);
        // In a script of its own a line begins where the one around it is.
        let Some(nth) = before else { return };
        let before = &list[nth];
        let place = |source: &str| (source.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
        let end = place(&before.source).wrapping_add(before.source.len());
        let between = text.get(end..place(&command.source)).unwrap_or(";");
        let leaves = |it: &Command<'_>| {
            it.words.first().is_some_and(|word| matches!(&*word.text, "exit" | "return"))
        };
        let goes = |it: &Command<'_>| {
            it.words.first().is_some_and(|word| matches!(&*word.text, "cd" | "pushd"))
        };
        let own =
            text.get(..place(&before.source)).unwrap_or_default().trim_end_matches([' ', '\t']);
        if goes(before) {
            let is_own = own.is_empty()
                || own.ends_with([';', '\n', '(', '{'])
                || (own.ends_with("&&") && list[..nth].last().is_some_and(makes))
                || leaves(command);
            let is_waited_for = !between.replace("&&", "").contains('&');
            self.blocks = if is_own && is_waited_for { 0 } else { UNSURE };
        }
        for word in between.split([' ', '\t', '\n', ';']) {
            self.blocks += match word {
                "if" | "for" | "while" | "until" | "case" | "{" => 1,
                "fi" | "done" | "esac" | "}" => -1,
                "else" | "elif" if self.blocks == 0 => UNSURE,
                _ => 0,
            };
        }
        // Whether it succeeds or not, the folder is the same behind it.
        let is_alone = !goes(before) && (own.is_empty() || own.ends_with([';', '\n']));
        let is_sure = between.trim() == "||" && leaves(command)
            || leaves(before)
            || (between.contains("&&") && !between.contains([';', '\n', '|', ')']))
            // A folder that was made a moment ago is there.
            || ((text.trim_start().starts_with("set -e")
                || self.folder.starts_with("$(mktemp")
                || self.made.contains(&self.folder))
                && self.blocks >= 0
                && !between.contains(')')
                && (is_alone || !between.contains('|')));
        if !is_sure {
            self.folder.clear();
        }
    }

    /// Forgets the folder where a program runs something elsewhere, and keeps the call of a container's.
    pub(super) fn leave_folder(&mut self, program: &str, place: Place<'_>) {
        if programs::REMOTE.contains(&program) {
            self.folder.clear();
            if self.container.is_none() && matches!(program, "docker" | "nerdctl" | "podman") {
                self.container = Some(place.command.source.to_string());
            }
        }
    }

    /// Keeps the folders that a call makes, or has git make.
    pub(super) fn keep_made(&mut self, program: &str, arguments: &[Word<'_>]) {
        let makes = |word: &Word<'_>| matches!(&*word.text, "clone" | "init" | "add");
        let is_maker = program == "mkdir" || (program == "git" && arguments.iter().any(makes));
        if program == "docker" && arguments.first().is_some_and(|it| it.text == "run") {
            let ports = arguments.windows(2).filter(|two| two[0].text == "-p");
            let of_host = |two: &[Word<'_>]| Some(two[1].text.rsplit(':').nth(1)?.to_owned());
            let ports = ports.filter_map(of_host).take(MADE);
            self.made.extend(ports.map(|port| format!("localhost:{port}")));
            self.made.truncate(2 * MADE);
        }
        if is_maker && self.made.len() < MADE {
            let words = arguments.iter().map(|word| &*word.text);
            let words = words.filter(|it| it.len() < LONGEST && !it.starts_with('-'));
            let folders = words.map(|it| folded(it.trim_end_matches('/')));
            self.made.extend(folders.take(MADE));
        }
    }

    /// Returns whether an address leads to a port of this machine that the line has a container listen at.
    pub(super) fn is_published(&self, address: &str) -> bool {
        let mut parts = address.split(['/', '?']).filter_map(|it| it.rsplit('@').next());
        parts.any(|part| self.made.iter().any(|it| it.starts_with("localhost:") && it == part))
    }

    /// Goes to another folder, as far as that can be told.
    pub(super) fn go(&mut self, arguments: &[Word<'_>], nesting: usize) {
        let to =
            arguments.iter().map(|word| &*word.text).find(|it| *it == "-" || !it.starts_with('-'));
        match to {
            None => "~".clone_into(&mut self.folder),
            Some("-") => self.folder.clear(),
            Some(to) if nesting > 0 || self.folder.len() + to.len() > LONGEST => {
                self.folder.clear();
            }
            Some(to) => {
                if self.folder.is_empty() || to.starts_with(['/', '~', '$', '`']) {
                    self.folder.clear();
                } else {
                    self.folder.push('/');
                }
                self.folder.push_str(to);
                self.folder = folded(&self.folder);
            }
        }
    }
}

/// Returns whether a command only makes something, so that what `&&` joins to it goes on.
fn makes(command: &Command<'_>) -> bool {
    let first = command.words.first();
    first.is_none_or(|it| matches!(&*it.text, "cp" | "export" | "git" | "mkdir" | "tar" | "unzip"))
}

/// A path without the names that a `..` behind them takes away.
fn folded(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match (part, parts.last()) {
            (".", _) => {}
            ("..", Some(last))
                if !matches!(*last, "" | "..") && !last.contains(['$', '`', '~', '*']) =>
            {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

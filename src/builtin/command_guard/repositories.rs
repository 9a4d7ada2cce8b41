//! The repositories that a line makes, in which git may do what it likes.

use super::naming::{NAMES, is_new, is_unique, of_address, plain};
use super::operands::is_temporary;
use crate::syntax::shell::Invocation;

/// The work trees and bare repositories of a line.
#[derive(Default)]
pub(super) struct Repositories {
    pub(super) own: Vec<String>,
    /// True if a push from one of them may go on to another one.
    pub(super) is_linked: bool,
    /// The names of remotes that are among them.
    pub(super) remotes: Vec<String>,
    /// True if some work tree shares its branches and tags with another.
    pub(super) shares: bool,
}

impl Repositories {
    /// Keeps temporary folders, into which a repository may be copied.
    pub(super) fn keep_copies<'c>(&mut self, folders: impl Iterator<Item = &'c str>, copies: bool) {
        // A copy has the remotes of what it is one of.
        self.is_linked |= copies;
        let room = NAMES.saturating_sub(self.own.len());
        let temporary = folders.map(plain).filter(|it| is_temporary(it));
        self.own.extend(temporary.take(room).map(str::to_owned));
    }

    /// The names of what a call of git makes; keeps its work trees and remotes.
    pub(super) fn reads<'c>(&mut self, call: &'c Invocation<'_>) -> Vec<&'c str> {
        let texts: Vec<&str> = call.arguments.iter().map(|word| &*word.text).collect();
        let own = if texts.first() == Some(&"-C") { 2.min(texts.len()) } else { 0 };
        let operands = texts[own..].iter().copied().filter(|it| !it.starts_with('-'));
        let operands: Vec<&str> = operands.collect();
        let makes = |it: &&str| matches!(*it, "-b" | "-c" | "--create" | "--orphan");
        let takes_back = |it: &&str| matches!(*it, "-d" | "-D" | "--delete" | "-m" | "-M");
        match operands[..] {
            ["worktree", "add", ..] => {
                self.shares = true;
                let room = NAMES.saturating_sub(self.own.len());
                let trees = operands[2..].iter().take(room).map(|it| plain(it).to_owned());
                self.own.extend(trees);
                return texts[own + 2..].to_vec();
            }
            ["branch" | "tag", name, ..] if !texts.iter().any(takes_back) => return vec![name],
            ["push", ..] => {
                let targets = operands.iter().skip(2).filter_map(|it| it.rsplit(':').next());
                return targets.filter(|it| is_new(it)).collect();
            }
            ["checkout" | "switch", ..] => {
                return texts.iter().copied().skip_while(|it| !makes(it)).skip(1).take(1).collect();
            }
            ["remote", "add" | "set-url", name, address, ..] => {
                if self.is_own_address(address) {
                    self.remotes.push(name.to_owned());
                } else {
                    self.is_linked = true;
                }
            }
            _ => self.makes_repository(call, &texts),
        }
        Vec::new()
    }

    fn makes_repository(&mut self, call: &Invocation<'_>, texts: &[&str]) {
        let at = texts.iter().take(4).position(|it| matches!(*it, "clone" | "init"));
        let (Some(at), Some(folder)) = (at, work_tree(call)) else { return };
        let takes_next = |at: usize| texts[at].starts_with('-') && !texts[at].contains('=');
        let given = (at + 1..texts.len()).filter(|at| !texts[*at].starts_with('-'));
        let given: Vec<usize> = given.collect();
        let is_bare = texts.iter().any(|it| matches!(*it, "--bare" | "--mirror"));
        let sources = given.get(..given.len().max(2) - 1).unwrap_or_default();
        let is_own = |source: &str| {
            self.is_own_address(source)
                || (!source.contains(':')
                    && (is_bare || self.is_own_address(&below(&folder, source))))
        };
        self.is_linked |= texts[at] == "clone" && !sources.iter().all(|at| is_own(texts[*at]));
        // `git init -b main` makes one here.
        if texts[at] == "init" && given.iter().all(|at| takes_next(at - 1)) {
            self.own.push(plain(&folder).to_owned());
        }
        let room = NAMES.saturating_sub(self.own.len());
        let sources = usize::from(texts[at] == "clone");
        let folders = given.iter().skip(sources).map(|at| texts[*at]);
        let names = folders.chain(given.iter().filter_map(|at| of_address(texts[*at]))).take(room);
        self.own.extend(names.map(|name| below(&folder, name)));
    }

    /// Returns whether an address is a repository in a folder that the line makes, or a temporary one.
    pub(super) fn is_own_address(&self, address: &str) -> bool {
        if address.contains(':') && !address.starts_with("file:") {
            return false;
        }
        let path = plain(address.strip_prefix("file://").unwrap_or(address));
        is_temporary(path) || is_unique(path) || self.own.iter().any(|it| it == path && it != ".")
    }
}

/// The folder in which a call of git works; empty where that is its session's, `None` where it cannot be told.
pub(super) fn work_tree(call: &Invocation<'_>) -> Option<String> {
    let texts = || call.arguments.iter().map(|word| &*word.text);
    let is_elsewhere = |it: &str| it.starts_with("--git-dir") || it.starts_with("--work-tree");
    let mut behind = texts().skip_while(|it| *it != "-C");
    let folder = match behind.nth(1).filter(|_| call.program == "git") {
        Some(to) => below(call.folder, to),
        None => call.folder.to_owned(),
    };
    (!texts().any(is_elsewhere)).then_some(folder)
}

fn below(folder: &str, path: &str) -> String {
    match plain(path) {
        "." => folder.to_owned(),
        path if folder.is_empty() || path.starts_with(['/', '~', '$']) => path.to_owned(),
        path => format!("{folder}/{path}"),
    }
}

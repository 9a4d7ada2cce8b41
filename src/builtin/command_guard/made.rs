//! Files that a line makes itself, which nobody misses when the same line deletes them.

use std::path::{Component, Path, PathBuf};

use super::operands::has_word;
use crate::builtin::context::Context;
use crate::syntax::shell::{self, Invocation};

/// So many folders are looked into.
const FOLDERS: usize = 16;
/// So many names of what is made are kept.
const NAMES: usize = 64;

/// Programs that make the files or folders that they are given.
const MAKERS: &str = "New-Item cp curl git install mkdir tar tee touch unzip wget";
/// Programs by which something that was there gets into a place, so that to delete that deletes it.
const MOVERS: &str = "Move-Item ln mi mount mv rename rsync sshfs";
/// Files that the installation of a package manager writes again.
const LOCKS: &str = "bun.lock bun.lockb package-lock.json pnpm-lock.yaml yarn.lock";

/// The files and folders that a line makes.
pub(super) struct Made {
    names: Vec<String>,
    /// The session's folder and those that the line may go to; none where these are not known.
    folders: Vec<PathBuf>,
    installs: bool,
}

impl Made {
    /// Reads a line once more; what moves something, or deletes something elsewhere, has nothing of its own.
    pub(super) fn by(line: &str, cwd: &str) -> Self {
        let mut made =
            Self { names: Vec::new(), folders: vec![PathBuf::from(cwd)], installs: false };
        let mut is_known = !line.contains("move(") && !line.contains("rename");
        let complete = shell::each_invocation(line, &mut |call| is_known &= made.read(call));
        if !complete || !is_known || cwd.is_empty() || made.folders.len() > FOLDERS {
            made.names.clear();
        }
        made
    }

    /// Reads one call, and tells whether what is made can still be known.
    fn read(&mut self, call: &Invocation<'_>) -> bool {
        let program = call.program;
        let mut words =
            call.arguments.iter().map(|word| &*word.text).filter(|it| !it.starts_with('-'));
        let deletes = |text: &str| matches!(text, "rm" | "mv") || text.contains("rm ");
        if has_word(MOVERS, program)
            || (!shell::programs::is_shell(program) && words.clone().any(deletes))
        {
            return false;
        }
        let outputs = call.redirections.iter().filter(|it| it.operator.contains('>'));
        let mut names: Vec<&str> = outputs.map(|it| &*it.target.text).collect();
        match program {
            "cd" | "pushd" => {
                let Some(to) = words.next().filter(|to| is_plain(to)) else {
                    return call.arguments.iter().any(|word| word.text == "-");
                };
                // It may also stay in the folder from which it would go.
                let known = self.folders.iter().take(FOLDERS);
                let more: Vec<PathBuf> = known.map(|from| joined(from, to)).collect();
                self.folders.truncate(FOLDERS + 1);
                self.folders.extend(more);
                self.folders.sort();
                self.folders.dedup();
            }
            "npm" | "pnpm" | "yarn" | "bun" => {
                self.installs |= words.next().is_none_or(|word| has_word("i install add", word));
            }
            _ if has_word(MAKERS, program) => names.extend(words),
            _ => {}
        }
        let room = NAMES.saturating_sub(self.names.len());
        self.names.extend(names.into_iter().take(room).map(|it| plain(it).to_owned()));
        true
    }

    /// Returns whether a path is made by the line and was not there before, or is made again by it.
    pub(super) fn has(&self, path: &str, context: &Context<'_>) -> bool {
        let path = plain(path);
        let name = path.rsplit('/').next().unwrap_or_default();
        // What is temporary may be deleted anyhow.
        let is_there = |folder: &PathBuf| {
            let whole = folder.join(path);
            !whole.starts_with("/tmp") && context.host.look(&whole).is_some()
        };
        let is_made = |made: &String| {
            path.strip_prefix(&**made).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.installs && has_word(LOCKS, name)
            || is_plain(path)
                && self.names.iter().any(is_made)
                && !path.split('/').any(|part| part == "..")
                && !self.folders.iter().any(is_there)
    }
}

/// Returns whether a shell takes a path as it is written.
fn is_plain(path: &str) -> bool {
    !path.is_empty()
        && !path.starts_with(['~', '-'])
        && !path.contains(['$', '`', '*', '?', '[', '{'])
}

fn plain(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path).trim_end_matches('/')
}

fn joined(from: &Path, to: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for part in from.join(to).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    path
}

//! The state of a walk.

use super::super::{Command, Redirection, Word};
use super::variables::Variables;
use super::written::Files;

/// So much work a word that is shown may make.
pub(super) const SHOWN: usize = 16;

/// A program with its arguments, as it is called in the end.
///
/// Similar effects have one form: a deletion in a Python script is shown as `rm` or `unlink`, a
/// database statement as `sql` with lower-case words, an emptied file as `truncate`, and a write to
/// a device as `dd`.
#[derive(Debug)]
pub struct Invocation<'c> {
    /// The program's name without its folder and without `.exe`; empty for redirections alone.
    pub program: &'c str,
    /// The word that names it; `None` if the line has another program with the same effect, or if it is
    /// only a word that may name one.
    pub called: Option<&'c Word<'c>>,
    pub arguments: &'c [Word<'c>],
    /// The simple command that it is part of, as it was written.
    pub source: &'c str,
    /// The source of its input and the target of its output.
    pub redirections: &'c [Redirection<'c>],
    /// The folder that it surely runs in, from that of the line; empty for that one, or if it is not known.
    pub folder: &'c str,
    /// The text of a here-document or here-string.
    pub input: Option<&'c str>,
}

pub(super) struct Walk<'v> {
    pub(super) visit: &'v mut dyn FnMut(&Invocation<'_>),
    /// The number of bytes that may still be read, copied and shown.
    pub(super) work: usize,
    /// The number of words that may still be made of scripts.
    pub(super) words: usize,
    pub(super) complete: bool,
    pub(super) variables: Variables,
    pub(super) files: Files,
    /// Scripts that are run when the one that is being read ends.
    pub(super) traps: Vec<String>,
    /// The folder that the script has gone to where nothing runs if it could not; empty for that of the call.
    pub(super) folder: String,
    /// Folders that the line has made.
    pub(super) made: Vec<String>,
    /// The call that runs a container, as it was written, in what it runs there.
    pub(super) container: Option<String>,
    /// True if a script so far has commands of which only some run, so that a variable that is set
    /// again may have either value.
    pub(super) has_else: bool,
    /// The blocks that were opened since the line went to its folder, less those that were closed.
    pub(super) blocks: i32,
    /// True in the body of a function that is read for a call of it.
    pub(super) in_function: bool,
    /// The standard input of the script that is being read.
    pub(super) given: Option<String>,
}

/// The place of a call: its command in its list, and the number of scripts around it.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) list: &'p [Command<'p>],
    pub(super) command: &'p Command<'p>,
    pub(super) depth: usize,
}

/// The longest name that a file can have.
const LONGEST_NAME: usize = 255;

/// The program's name in a path such as `/bin/rm` or `C:\Git\git.exe`; empty where it is too long for one.
pub(super) fn base_name(path: &str) -> &str {
    let mut near = path.bytes().rev().take(LONGEST_NAME + 1);
    let name = match near.position(|byte| matches!(byte, b'/' | b'\\')) {
        Some(length) => &path[path.len() - length..],
        None if path.len() <= LONGEST_NAME => path,
        None => "",
    };
    // `npx rimraf@5`
    let name =
        name.split_once('@').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem });
    match name.len().checked_sub(4).and_then(|at| name.split_at_checked(at)) {
        Some((stem, extension)) if extension.eq_ignore_ascii_case(".exe") => stem,
        _ => name,
    }
}

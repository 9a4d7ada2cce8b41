//! The programs of a command, and what interpreters say when they cannot run one.

use super::{expanded, file_name};

/// A program, and the script that it is an interpreter of.
pub(super) struct Called {
    program: String,
    pub(super) script: Option<String>,
}

impl Called {
    pub(super) fn new(program: &str, arguments: &[&str]) -> Self {
        /// Options with which the next word is no script to run.
        const APART: [char; 3] = ['c', 'm', 'n'];
        let arguments = match file_name(program) {
            "uv" => arguments.strip_prefix(&["run"]).unwrap_or_default(),
            _ if is_interpreter(program) => arguments,
            _ => &[],
        };
        let options = arguments.iter().take_while(|word| word.starts_with('-')).count();
        let is_apart = arguments[..options].iter().any(|option| option.contains(APART));
        let script = arguments.get(options).filter(|_| !is_apart).map(|script| expanded(script));
        Self { program: expanded(program), script }
    }

    /// The script, or the program where it has none: a program that has one may speak of another.
    pub(super) fn own(&self) -> &str {
        self.script.as_ref().unwrap_or(&self.program)
    }

    /// Whether it is an interpreter without a script, which says nothing of itself.
    pub(super) fn is_bare_interpreter(&self) -> bool {
        self.script.is_none() && is_interpreter(&self.program)
    }

    /// Whether a line is what interpreters say of a script that they cannot read.
    pub(super) fn could_not_open(&self, line: &str, script: &str) -> bool {
        if !line.contains(script) {
            return false;
        }
        let Some((head, rest)) = line.split_once(": ") else {
            return line.starts_with("Can't open perl script ");
        };
        let rest = rest.strip_prefix("0: ").unwrap_or(rest);
        let is_own = stem(file_name(head)) == stem(file_name(&self.program));
        let says = ["can't open ", "Can't open ", "cannot open "];
        (is_own && says.iter().any(|start| rest.starts_with(start)))
            || line.starts_with("Can't open perl script ")
            || line.starts_with("error: Failed to spawn: ")
    }
}

const INTERPRETERS: &[&str] =
    &["ash", "bash", "dash", "ksh", "node", "perl", "php", "pypy", "python", "ruby", "sh", "zsh"];

/// An interpreter's name without its version.
fn stem(name: &str) -> String {
    name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.').to_ascii_lowercase()
}

fn is_interpreter(program: &str) -> bool {
    INTERPRETERS.contains(&stem(file_name(program)).as_str())
}

/// The script in `SCRIPT: line 3: syntax error …` of a shell, with or without the word `line`.
pub(super) fn of_syntax_error(line: &str) -> Option<&str> {
    let (script, rest) = line.split_once(": ")?;
    let rest = rest.strip_prefix("line ").unwrap_or(rest);
    let digits = rest.find(|it: char| !it.is_ascii_digit()).unwrap_or_default();
    let says = rest[digits..].strip_prefix(": ").filter(|_| digits > 0)?;
    ["syntax error", "Syntax error", "unexpected EOF while looking for matching"]
        .iter()
        .any(|start| says.starts_with(start))
        .then_some(script)
}

/// The program in `usage: PROGRAM [OPTIONS]`: words that go on like a sentence are a hook's own.
pub(super) fn of_usage(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("usage:").or_else(|| line.strip_prefix("Usage:"))?;
    let mut words = rest.split_whitespace();
    let program = words.next()?;
    let is_argument = |word: &str| {
        word.starts_with(['[', '<', '-', '{', '(']) || !word.contains(|it: char| it.is_lowercase())
    };
    words.next().is_none_or(is_argument).then_some(program)
}

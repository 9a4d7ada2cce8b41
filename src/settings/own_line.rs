//! The command of the client's status line where it calls hookman.

use crate::client::call;
use crate::syntax::json::Document;
use crate::syntax::quoting::quoted;

/// JSON Pointer of the command.
pub(super) const COMMAND: &str = "/statusLine/command";

/// A command of the status line that calls hookman as hookman writes it.
pub(super) struct OwnLine {
    pub(super) program: String,
    /// The command whose line comes first.
    pub(super) other: Option<String>,
}

impl OwnLine {
    pub(super) fn of(command: &str) -> Option<Self> {
        let (program, rest) = command.split_once(" statusline")?;
        // Without a path it is a line that a person wrote.
        let program = call::program(program).filter(|it| it.ends_with("/hookman"))?;
        if rest.is_empty() {
            return Some(Self { program, other: None });
        }
        let word = rest.strip_prefix(" -- sh -c ")?;
        let inner = word.strip_prefix('\'').and_then(|it| it.strip_suffix('\''));
        let other = inner.map_or_else(|| word.to_owned(), |it| it.replace(r"'\''", "'"));
        Some(Self { program, other: Some(other) })
    }

    pub(super) fn command(&self) -> String {
        let Self { program, other } = self;
        let in_home = program.starts_with("$HOME/");
        let program = if in_home { format!("\"{program}\"") } else { quoted(program) };
        let behind = other.as_ref().map(|it| format!(" -- sh -c {}", quoted(it)));
        format!("{program} statusline{}", behind.unwrap_or_default())
    }
}

/// Returns whether the status line of a settings file calls hookman as hookman writes it.
pub(super) fn is_shown(document: &Document<'_>) -> bool {
    let command = document.lookup(COMMAND).and_then(|node| document.string(node));
    command.is_some_and(|command| OwnLine::of(&command).is_some())
}

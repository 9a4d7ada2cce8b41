//! The record of a settings file: facts that the file itself does not tell.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::inventory::{Survey, own_handlers};
use super::registration::{Passed, Registration};
use crate::client::call;
use crate::syntax::escaped::quoted;
use crate::syntax::json::{BOM, Document, Node, child, is_blank, strip_bom, without_comments};

/// The containers of a settings file that are there only because hookman needed them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    #[serde(default)]
    pub file_made: bool,
    /// JSON Pointers of what hookman created: `/hooks`, `/hooks/Stop`, and the root of an empty file.
    #[serde(default)]
    pub made: Vec<String>,
    /// The blanks inside a user's empty container before it was filled, by JSON Pointer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub hollow: BTreeMap<String, String>,
    /// True if the program that reads the file passes over comments in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub comments: bool,
    /// True if the events are at the root of the file, and not below `hooks`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bare: bool,
    /// True if an event can have handlers that are in no group.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub flat: bool,
    /// The entries that hookman wrote and the client runs without it, which look like a user's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<Passed>,
    /// The literal of the command that was the status line before hookman's, empty where there was
    /// none; `None` where the status line is not hookman's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_line: Option<String>,
}

impl Record {
    /// The record of a file that came without one, as in a fresh clone: `hooks` and every event
    /// that holds nothing but hookman entries are taken for made by hookman.
    pub fn presumed(text: &str) -> Self {
        Self::default().presumed_of(text)
    }

    /// As [`Record::presumed`], for a file of the same form as this one's.
    #[must_use]
    pub fn presumed_of(&self, text: &str) -> Self {
        let form = self.form();
        let text = form.plain(text);
        let Ok(document) = Document::parse(&text) else { return form };
        let survey = Survey::of(&document);
        let ours = survey.events.iter().filter(|event| {
            let groups = event.array.elements().map_or(0, <[_]>::len);
            !event.groups.is_empty()
                && event.groups.len() == groups
                && event.groups.iter().all(|group| group.plain && group.is_ours_alone())
        });
        let mut made: Vec<String> = ours.map(|event| child("/hooks", &event.name)).collect();
        let members = survey.hooks.and_then(|hooks| hooks.value.members()).unwrap_or_default();
        if !made.is_empty() && made.len() == members.len() {
            made.insert(0, "/hooks".to_owned());
        }
        let status_line = is_shown(&document).then(String::new);
        Self { made, status_line, ..form }
    }

    /// The record of a file of the same form of which nothing else is known.
    #[must_use]
    pub fn form(&self) -> Self {
        Self { comments: self.comments, bare: self.bare, flat: self.flat, ..Self::default() }
    }

    pub fn lines(&self, text: &str) -> Vec<String> {
        let text = self.plain(text);
        let handlers = Document::parse(&text).map(|it| own_handlers(&it)).unwrap_or_default();
        let line = |handler: Value| Some(handler.get("command")?.as_str()?.to_owned());
        handlers.into_iter().filter_map(line).collect()
    }

    /// The text as one without comments whose events are below `hooks`.
    pub(crate) fn plain<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match (self.comments, self.inner(text)) {
            (false, text) => text,
            (true, Cow::Borrowed(text)) => without_comments(text),
            (true, Cow::Owned(text)) => without_comments(&text).into_owned().into(),
        }
    }

    /// The text as one whose events are below `hooks`, and whose handlers are in groups.
    pub fn inner<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.flat {
            return grouped(text).map_or(Cow::Borrowed(text), Cow::Owned);
        }
        if self.bare && !is_blank(text) { wrapped(text).into() } else { Cow::Borrowed(text) }
    }

    /// A text of [`Record::inner`] as it is in the file.
    pub fn outer(&self, text: String) -> String {
        if self.flat {
            return text.replace(OPEN, "").replace(CLOSE, "");
        }
        if self.bare && !is_blank(&text) { unwrapped(&text) } else { text }
    }

    /// The record of a file that came without one and is to hold `wanted`: in one that hookman wrote
    /// elsewhere, the entries that are wanted and run without hookman are taken for its own.
    pub fn presumed_for(text: &str, wanted: &[Registration]) -> Self {
        let Ok(document) = Document::parse(text) else { return Self::default() };
        if Survey::of(&document).is_without_ours() {
            return Self::default();
        }
        let there = |passed: &Passed| Survey::of(&document).find(&document, passed).is_some();
        let passed = wanted.iter().filter_map(Passed::of).filter(there).collect();
        Self { passed, ..Self::default() }
    }

    pub fn finds_ours(&self, text: &str) -> bool {
        Document::parse(&self.plain(text)).is_ok_and(|document| {
            let mut survey = Survey::of(&document);
            survey.claim(&document, &self.passed);
            !survey.is_without_ours()
        })
    }

    pub(crate) fn has_made(&self, pointer: &str) -> bool {
        self.made.iter().any(|made| made == pointer)
    }

    pub(crate) fn note(&mut self, pointer: &str) {
        if !self.has_made(pointer) {
            self.made.push(pointer.to_owned());
        }
    }

    pub(crate) fn forget(&mut self, gone: &HashSet<String>) {
        self.made.retain(|made| !gone.contains(made));
        self.hollow.retain(|pointer, _| !gone.contains(pointer));
    }
}

/// The blanks tell these groups from those of the file.
const OPEN: &str = "{\"hooks\":\t\t \t\t[";
const CLOSE: &str = "]\t\t \t\t}";

/// Returns whether a text is none that can be put into groups and out again.
pub fn has_marks(text: &str) -> bool {
    text.contains(OPEN) || text.contains(CLOSE)
}

/// The text with a group around each handler that is in none; `None` where there are no such handlers.
fn grouped(text: &str) -> Option<String> {
    let document = Document::parse(text).ok().filter(|_| !has_marks(text))?;
    let hooks = document.get(document.root(), "hooks")?;
    let events = hooks.members()?.iter().filter_map(|event| event.value.elements());
    let is_alone = |node: &&Node| node.members().is_some() && document.get(node, "hooks").is_none();
    let spans: Vec<_> = events.flatten().filter(is_alone).map(|node| node.span).collect();
    let mut grouped = text.to_owned();
    for span in spans.iter().rev() {
        grouped.insert_str(span.end, CLOSE);
        grouped.insert_str(span.start, OPEN);
    }
    (!spans.is_empty()).then_some(grouped)
}

const BEFORE: &str = "{\"hooks\":";
const AFTER: &str = "}";

/// The text with its events below `hooks`.
pub(crate) fn wrapped(text: &str) -> String {
    let (mark, text) = match text.strip_prefix(BOM) {
        Some(text) => ("\u{feff}", text),
        None => ("", text),
    };
    // A comment on the last line ends there.
    format!("{mark}{BEFORE}{text}\n{AFTER}")
}

pub(crate) fn unwrapped(text: &str) -> String {
    let mark = if text.starts_with(BOM) { "\u{feff}" } else { "" };
    let inner = strip_bom(text).strip_prefix(BEFORE).unwrap_or_default();
    let inner = inner.strip_suffix(AFTER).and_then(|it| it.strip_suffix('\n'));
    format!("{mark}{}", inner.unwrap_or_default())
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_is_presumed_to_hold_our_containers() {
        let ours = r#"{"hooks": [{"type": "command", "command": "hookman run Stop"}]}"#;
        let theirs = r#"{"hooks": [{"type": "command", "command": "x"}]}"#;
        for (events, made) in [
            (format!(r#""Stop": [{ours}]"#), vec!["/hooks", "/hooks/Stop"]),
            (format!(r#""Stop": [{ours}], "SessionEnd": [{theirs}]"#), vec!["/hooks/Stop"]),
            (format!(r#""Stop": [{ours}], "SessionEnd": []"#), vec!["/hooks/Stop"]),
            (format!(r#""Stop": [{ours}, {theirs}]"#), vec![]),
            (format!(r#""Stop": [{ours}, 1]"#), vec![]),
            (r#""Stop": []"#.to_owned(), vec![]),
        ] {
            let record = Record::presumed(&format!(r#"{{"hooks": {{{events}}}}}"#));
            assert_eq!(
                record,
                Record { made: made.into_iter().map(str::to_owned).collect(), ..Record::default() }
            );
        }
        assert_eq!(Record::presumed("{"), Record::default());
    }
}

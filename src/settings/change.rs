//! The steps of a plan, entry by entry.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::syntax::named::named;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// A new group is appended to its event.
    Add,
    /// A hookman entry is brought up to date in its place.
    Replace,
    /// A hookman entry is taken out, with its group if that was ours alone.
    Remove,
    /// A handler of others goes into the manifest; the pointer is that in the text without hookman.
    Adopt,
    /// A handler that was adopted and is back is taken out again, likewise.
    Withdraw,
    /// A handler of somebody else's comes back, likewise.
    Release,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    pub action: Action,
    pub event: String,
    /// JSON Pointer of the group or handler, valid when the changes before it are done.
    pub pointer: String,
    /// The value before; none for an addition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// The value afterwards; none for a removal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.action {
            Action::Add => write!(f, "the entry for {} is missing", self.event),
            Action::Replace => write!(f, "the entry for {} is out of date", self.event),
            Action::Remove => write!(f, "there is an entry for {} too many", self.event),
            Action::Adopt => write!(f, "a handler for {} is adopted", self.event),
            Action::Withdraw => {
                write!(f, "an adopted handler for {} is there again", self.event)
            }
            Action::Release => write!(f, "a handler for {} is released", self.event),
        }
    }
}

named! {
/// A change of a settings file outside of its hooks, as part of a plan's summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    GuardPut = "seats the guard mod before all others",
    GuardTaken = "takes out the guard mod's seat",
    LinePut = "adds hookman to the status line",
    LineMoved = "changes hookman's call in the status line",
    LineTaken = "takes hookman out of the status line",
}
}

/// The changes and the foreign handlers in words: `adds 3 entries, changes 1, leaves 14 of yours alone`.
pub(crate) fn summary(changes: &[Change], foreign: usize) -> String {
    let count = |action| changes.iter().filter(|change| change.action == action).count();
    let mut parts: Vec<String> = Vec::new();
    for (verb, what, action) in [
        ("adopts", "handler", Action::Adopt),
        ("takes out", "adopted handler", Action::Withdraw),
        ("releases", "handler", Action::Release),
    ] {
        match count(action) {
            0 => {}
            1 => parts.push(format!("{verb} 1 {what}")),
            count => parts.push(format!("{verb} {count} {what}s")),
        }
    }
    let mut unnamed = true;
    for (verb, action) in
        [("adds", Action::Add), ("changes", Action::Replace), ("removes", Action::Remove)]
    {
        match (count(action), std::mem::take(&mut unnamed)) {
            (0, first) => unnamed = first,
            (1, true) => parts.push(format!("{verb} 1 entry")),
            (count, true) => parts.push(format!("{verb} {count} entries")),
            (count, false) => parts.push(format!("{verb} {count}")),
        }
    }
    if foreign > 0 {
        parts.push(format!("leaves {foreign} of yours alone"));
    }
    parts.join(", ")
}

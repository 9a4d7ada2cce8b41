//! Can two matchers hit the same?

use crate::client::event::{Event, Subject};
use crate::client::matcher;
use crate::client::tools;

/// Returns whether two matchers of an event hit the same tool, or may hit the same otherwise.
pub(super) fn meet(one: Option<&str>, other: Option<&str>, event: Event) -> bool {
    let hits = |it: Option<&str>, tool: &str| matcher::matches(it, event, Some(tool));
    let is_any = |it: Option<&str>| matcher::kind(it, event) == matcher::Kind::Any;
    is_any(one)
        || is_any(other)
        || one == other
        || event.facts().subject != Subject::Tool
        || tools::KNOWN.iter().any(|tool| hits(one, tool) && hits(other, tool))
}

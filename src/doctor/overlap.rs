//! The calls that a matcher hits.

use crate::client::{Event, Rule, Subject, matcher, tools};
use crate::settings::Handler;

/// The calls that a matcher of an event hits, worked out once, as many may be compared.
pub(super) struct Reach {
    matcher: Option<String>,
    /// True where it hits every call, or where only some subjects would tell.
    is_wide: bool,
    /// The client's tools that it hits, by their places in the table.
    tools: Vec<usize>,
}

impl Reach {
    pub(super) fn of(matcher: Option<&str>, event: Event) -> Self {
        let is_wide = matcher::kind(matcher, event) == matcher::Kind::Any
            || event.facts().subject != Subject::Tool;
        let is_hit = |tool: &str| !is_wide && matcher::matches(matcher, event, Some(tool));
        let places = tools::KNOWN.iter().enumerate();
        let tools = places.filter(|(_, tool)| is_hit(tool)).map(|(place, _)| place).collect();
        Self { matcher: matcher.map(str::to_owned), is_wide, tools }
    }

    /// Returns whether both hit the same tool, or may hit the same otherwise.
    pub(super) fn meets(&self, other: &Self) -> bool {
        self.is_wide
            || other.is_wide
            || self.matcher == other.matcher
            || self.tools.iter().any(|tool| other.tools.contains(tool))
    }
}

/// Returns whether two matchers of an event hit the same tool, or may hit the same otherwise.
pub(super) fn meet(one: Option<&str>, other: Option<&str>, event: Event) -> bool {
    one == other || Reach::of(one, event).meets(&Reach::of(other, event))
}

pub(super) fn is_for_nothing(handler: &Handler, event: Event) -> bool {
    let subject = event.facts().subject;
    let matcher = handler.matcher.as_deref();
    let known = if subject == Subject::Tool { Some(tools::KNOWN) } else { subject.words(event) };
    let hits = |name: &&str| matcher::matches(matcher, event, Some(name));
    let is_of_server = |name: &str| name.contains("mcp__");
    if known.is_some_and(|known| !known.iter().any(hits)) && !matcher.is_some_and(is_of_server) {
        return true;
    }
    let Some(text) = handler.text("if").filter(|text| !text.is_empty()) else { return false };
    let Some(rule) = Rule::parse(text).filter(|_| subject == Subject::Tool) else { return true };
    let is_tool = tools::KNOWN.contains(&rule.tool) || is_of_server(rule.tool);
    !is_tool || rule.never().is_some() || !hits(&rule.tool)
}

//! Handlers for which the client has no call.

use crate::client::event::{Event, Subject};
use crate::client::permission_rule::Rule;
use crate::client::{matcher, tools};
use crate::settings::Handler;

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

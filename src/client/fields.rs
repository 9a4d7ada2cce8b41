//! The fields of payloads, and of the inputs of the client's own tools.

use super::{Event, matcher};
use crate::syntax::named::listed;
use crate::syntax::suggestion::nearest;

/// The fields of payloads of any event, by the client's hooks reference up to client 2.1.330.
pub(crate) const OF_PAYLOADS: &[&str] = listed!("PAYLOAD_FIELDS");

const OF_TOOL_CALLS: &[Event] = &[
    Event::PreToolUse,
    Event::PermissionRequest,
    Event::PermissionDenied,
    Event::PostToolUse,
    Event::PostToolUseFailure,
];

/// A field that some events alone have, by the client's hooks reference up to client 2.1.330.
struct EventField {
    name: &'static str,
    events: &'static [Event],
}

const OF_EVENTS: &[EventField] = listed!("EventField");

/// The fields of a tool's input, by the client's tools reference up to client 2.1.330.
struct InputFields {
    name: &'static str,
    fields: &'static str,
}

const OF_TOOLS: &[InputFields] = listed!("InputFields");

/// Returns whether a payload of one of some events has a field; of no events, one of any.
pub(crate) fn is_of(events: &[Event], field: &str) -> bool {
    let mut rows = OF_EVENTS.iter().filter(|it| it.name == field && !events.is_empty());
    OF_PAYLOADS.contains(&field) && rows.all(|row| events.iter().any(|it| row.events.contains(it)))
}

/// The path that is meant by a field which payloads of some events do not have.
pub(crate) fn meant(events: &[Event], field: &str) -> Option<String> {
    let is_tool_call = events.iter().all(|event| OF_TOOL_CALLS.contains(event));
    let is_of_input = OF_TOOLS.iter().any(|it| it.fields.split(' ').any(|it| it == field));
    match field {
        "tool_output" | "tool_result" | "response" => Some("tool_response".to_owned()),
        "tool" => Some("tool_name".to_owned()),
        _ if is_of_input && is_tool_call => Some(format!("tool_input.{field}")),
        _ => nearest(field, OF_PAYLOADS.iter().copied().filter(|it| is_of(events, it)))
            .map(str::to_owned),
    }
}

/// Returns whether an input has a field; none where a matcher may hit an unknown tool.
pub(crate) fn may_have(matcher: Option<&str>, field: &str) -> Option<bool> {
    let of = |tool: &str| OF_TOOLS.iter().find(|it| it.name == tool);
    let fields = matcher::names(matcher?).map(|tool| Some(of(tool)?.fields));
    let fields: Vec<&str> = fields.collect::<Option<_>>()?;
    let has = |fields: &&str| fields.split(' ').any(|known| known == field);
    (!fields.is_empty()).then(|| fields.iter().any(has))
}

//! Fields of `hookSpecificOutput` that several hooks filled.

use serde_json::{Map, Value};

use crate::client::Event;

/// The treatment of a field that an earlier hook filled too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Joined {
    /// The later one counts, as it does for the client.
    Later,
    Within,
    /// The entries of both, each once.
    List,
    Either,
    /// Both texts, one after the other.
    Text,
}

fn joined(field: &str) -> Joined {
    match field {
        "decision" => Joined::Within,
        "watchPaths" | "updatedPermissions" => Joined::List,
        "reloadSkills" | "retry" | "suppressOriginalPrompt" | "interrupt" => Joined::Either,
        "initialUserMessage" | "classifierContext" => Joined::Text,
        _ => Joined::Later,
    }
}

/// Returns whether of two hooks that fill a field of the event's the earlier is not heeded.
pub fn is_contested(event: Event, field: &str) -> bool {
    let is_rewrite = field == "updatedInput";
    let is_own = event.facts().specific.contains(&field);
    is_own && !is_rewrite && !decides(field) && joined(field) == Joined::Later
}

/// Returns whether a field says what was decided, so that it counts only in an answer that wins.
pub(super) fn decides(field: &str) -> bool {
    matches!(field, "decision" | "action" | "content")
}

/// Adds the fields of a later hook to those of the earlier ones.
pub(super) fn add(fields: &mut Map<String, Value>, later: Map<String, Value>) {
    for (field, value) in later {
        let rule = joined(&field);
        match (rule, fields.get_mut(&field), value) {
            (Joined::Within, Some(Value::Object(earlier)), Value::Object(later)) => {
                add(earlier, later);
            }
            (Joined::List, Some(Value::Array(earlier)), Value::Array(later)) => {
                for entry in later {
                    if !earlier.contains(&entry) {
                        earlier.push(entry);
                    }
                }
            }
            (Joined::Either, Some(Value::Bool(earlier)), Value::Bool(later)) => *earlier |= later,
            (Joined::Text, Some(Value::String(earlier)), Value::String(later)) => {
                earlier.push_str("\n\n");
                earlier.push_str(&later);
            }
            (_, _, value) => {
                fields.insert(field, value);
            }
        }
    }
}

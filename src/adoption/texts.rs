//! Readings of a settings text: its handlers, and the rest.

use serde_json::{Map, Value};

use crate::settings::inventory::handlers;
use crate::settings::record::Record;
use crate::settings::refusal::Refusal;
use crate::syntax::json::{Document, is_blank};

use super::multiset::Multiset;

/// The text without hookman's entries.
pub(super) fn bare(text: &str, record: &Record) -> Result<String, Refusal> {
    let removal = crate::settings::plan(Some(text), &[], record)?;
    Ok(removal.after.unwrap_or_else(|| "{}\n".to_owned()))
}

pub(super) fn value(text: &str) -> Result<Value, Refusal> {
    let document = Document::parse(filled(text))?;
    Ok(document.value(document.root()))
}

/// An empty file counts as `{}` for the client.
pub(super) fn filled(text: &str) -> &str {
    if is_blank(text) { "{}" } else { text }
}

pub(super) fn count_foreign(text: &str) -> Result<usize, Refusal> {
    let document = Document::parse(text)?;
    Ok(handlers(&document).iter().filter(|handler| !handler.ours).count())
}

/// The foreign handlers of a text, each with its event and matcher.
pub(super) fn foreign(text: &str) -> Result<Multiset, Refusal> {
    Ok(lines(text, false)?.into_iter().map(|(_, line)| line).collect())
}

/// The handlers of a text that are ours or not, each with its pointer and, as one line, its event,
/// its matcher and itself.
pub(super) fn lines(text: &str, ours: bool) -> Result<Vec<(String, String)>, Refusal> {
    let document = Document::parse(filled(text))?;
    let line = |handler: crate::settings::Handler| {
        let crate::settings::Handler { event, matcher, value, pointer, .. } = handler;
        (pointer, serde_json::json!([event, matcher, value]).to_string())
    };
    let wanted = |handler: &crate::settings::Handler| handler.ours == ours;
    Ok(handlers(&document).into_iter().filter(wanted).map(line).collect())
}

/// The file without its hooks.
pub(super) fn rest(text: &str) -> Result<Map<String, Value>, Refusal> {
    let mut rest = value(text)?.as_object().cloned().unwrap_or_default();
    rest.remove("hooks");
    Ok(rest)
}

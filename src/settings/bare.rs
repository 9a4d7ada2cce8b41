//! Files with the events at their root: they are planned as if they were below `hooks`.

use crate::syntax::json::{BOM, strip_bom};

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

/// The text before it was wrapped.
pub(crate) fn unwrapped(text: &str) -> String {
    let mark = if text.starts_with(BOM) { "\u{feff}" } else { "" };
    let inner = strip_bom(text).strip_prefix(BEFORE).unwrap_or_default();
    let inner = inner.strip_suffix(AFTER).and_then(|it| it.strip_suffix('\n'));
    format!("{mark}{}", inner.unwrap_or_default())
}

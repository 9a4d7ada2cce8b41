//! Limits on the fields of a payload that are kept: one that was forged may be of any length.

use std::borrow::Cow;

/// The number of bytes of a field are kept: no path is longer.
const FIELD: usize = 4096;

/// A field, as far as it is kept.
pub(super) fn short<'a>(field: &Cow<'a, str>) -> Cow<'a, str> {
    match field {
        Cow::Borrowed(text) => start(text).into(),
        Cow::Owned(text) => start(text).to_owned().into(),
    }
}

/// The start of a text, whole characters of it.
pub(super) fn start(text: &str) -> &str {
    if text.len() <= FIELD {
        return text;
    }
    let end = (0..=FIELD).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or_default()]
}

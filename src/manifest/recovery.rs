//! The words on failures that a manifest which cannot be read seems to have.

use super::model::OnError;

/// The strictest of the words `closed` and `ask` in the bytes of a manifest that is no valid one.
///
/// In doubt it is [`OnError::Closed`]: for bytes that are no text, for an escape, which may hide a
/// word, and for an `on_error` whose value is none of the three words. Only a line that begins with `#` is a comment, because a `#` further
/// on may be part of a string.
pub fn on_error(bytes: &[u8]) -> OnError {
    let Ok(text) = std::str::from_utf8(bytes) else { return OnError::Closed };
    if ["\0", "\\u", "\\x"].iter().any(|hidden| text.contains(hidden)) {
        return OnError::Closed;
    }
    let is_code = |line: &&str| !line.trim_start().starts_with('#');
    let lines = text.split(['\n', '\r']).filter(is_code).map(str::to_ascii_lowercase);
    lines.map(|line| of_line(&line)).max().unwrap_or_default()
}

fn of_line(line: &str) -> OnError {
    let words = line.split(|it: char| !it.is_ascii_alphanumeric());
    let named = words.filter_map(OnError::from_name).max().unwrap_or_default();
    let mut values = line.split("on_error").skip(1).filter_map(value);
    let is_unknown = values.any(|value| OnError::from_name(value).is_none());
    if is_unknown { OnError::Closed } else { named }
}

fn value(rest: &str) -> Option<&str> {
    let is_around = |it: char| it.is_whitespace() || matches!(it, '"' | '\'');
    let value = rest.trim_start_matches(is_around).strip_prefix('=')?;
    let value = value.trim_start_matches(is_around);
    value.split(|it: char| !it.is_ascii_alphanumeric()).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strictest_word_counts_and_doubt_is_a_gate() {
        let rows = [
            ("", OnError::Open),
            ("[[hook]]\nname = \"x\"\n", OnError::Open),
            ("on_error = \"ask\"\non_error = \"open\"", OnError::Ask),
            ("on_error = \"ask\"\non_error = \"closed\"", OnError::Closed),
            ("on_error = \"\"\"\nclosed\"\"\"", OnError::Closed),
            ("hook = [ { command = \"echo '#1'\", on_error=\"closed\" } ]", OnError::Closed),
            ("  # on_error = \"closed\"\n", OnError::Open),
            ("# a comment with an old line end\ron_error = \"closed\"", OnError::Closed),
            // What is broken is the line itself.
            ("on_error = closed", OnError::Closed),
            ("on_error = \"open", OnError::Open),
            ("on_error \"ask\"", OnError::Ask),
            ("ON_ERROR = \"CLOSED\"", OnError::Closed),
            ("on_eror = \"closed\"", OnError::Closed),
            ("on_error.closed = true", OnError::Closed),
            ("on_error = \"clsed\"", OnError::Closed),
            ("\"on_error\" = 'block'", OnError::Closed),
            ("on_error =", OnError::Closed),
            ("name = \"a\0b\"", OnError::Closed),
            ("\"on_\\u0065rror\" = \"clo\\x73ed\"", OnError::Closed),
            // Whole words only.
            ("command = \"task close enclosed\"", OnError::Open),
            ("prompt = \"say on_error what is meant\"", OnError::Open),
        ];
        for (text, expected) in rows {
            assert_eq!(on_error(text.as_bytes()), expected, "{text}");
        }
        let wide: Vec<u8> = "name".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(on_error(&wide), OnError::Closed);
        assert_eq!(on_error(b"\xff\xfe"), OnError::Closed);
    }
}

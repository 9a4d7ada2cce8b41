//! Changing a manifest as text, so that comments and layout stay.

/// The text with a ready-made hook added at its end.
pub fn add_builtin(text: &str, name: &str) -> String {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut text = text.to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str(end);
    }
    if !text.is_empty() && !text.ends_with(&end.repeat(2)) {
        text.push_str(end);
    }
    text.extend(["[[hook]]", end, "builtin = \"", name, "\"", end]);
    text
}

//! Changing a manifest as text, so that comments and layout stay.

/// The text with a ready-made hook added at its end.
pub fn add_builtin(text: &str, name: &str) -> String {
    let mut text = text.to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    if !text.is_empty() && !text.ends_with("\n\n") {
        text.push('\n');
    }
    text.push_str("[[hook]]\nbuiltin = \"");
    text.push_str(name);
    text.push_str("\"\n");
    text
}

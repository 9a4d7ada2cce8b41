//! Lines of `PowerShell` as the reader of shell lines takes them.

use std::borrow::Cow;

/// A line in which a backslash is a slash, as it escapes nothing there, a backtick escapes, and blanks are
/// between the items of a list.
///
/// Gives the line itself where it has none of these.
pub fn from_powershell(line: &str) -> Cow<'_, str> {
    if !line.contains(['\\', '`', ',']) {
        return Cow::Borrowed(line);
    }
    let mut text = String::with_capacity(line.len());
    let (mut quote, mut depth, mut lists) = (None, 0_usize, 0_usize);
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', _) => text.push('/'),
            ('`', None | Some('"')) => match letters.next() {
                Some('\n' | '\r') | None => text.push(' '),
                Some(escaped) => text.extend(['\\', escaped]),
            },
            (',', None) if depth == 0 => text.push(' '),
            ('@', None) if letters.as_str().starts_with('(') => {
                letters.next();
                lists += 1;
            }
            (')', None) if depth == 0 && lists > 0 => lists -= 1,
            ('\'' | '"', None) => {
                quote = Some(letter);
                text.push(letter);
            }
            ('\'' | '"', Some(open)) if open == letter => {
                quote = None;
                text.push(letter);
            }
            (other, _) => {
                match (other, quote) {
                    ('(' | '[', None) => depth += 1,
                    (')' | ']', None) => depth = depth.saturating_sub(1),
                    _ => {}
                }
                text.push(other);
            }
        }
    }
    Cow::Owned(text)
}

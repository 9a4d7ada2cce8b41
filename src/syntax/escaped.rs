//! Text from outside in one line: of a message, and as a word for a shell.

use std::fmt::Write;

/// The text with control characters and invisible ones written out as JSON does, `\n` and `\u001b`.
pub fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            _ if character != ' ' && (character.is_control() || is_invisible(character)) => {
                // Writing to a string cannot fail.
                let _ = write!(shown, "\\u{:04x}", u32::from(character));
            }
            _ => shown.push(character),
        }
    }
    shown
}

/// Returns whether a character shows nothing, or turns the direction of the text behind it.
fn is_invisible(character: char) -> bool {
    character.is_whitespace()
        || matches!(
            character,
            '\u{61c}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{2069}'
                | '\u{feff}'
        )
}

/// Quotes a word for a POSIX shell: unchanged if it is plain, else in single quotes.
pub fn quoted(word: &str) -> String {
    let is_plain = |it: char| it.is_alphanumeric() || "/._-+@%:,=".contains(it);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_take_the_form_of_json() {
        assert_eq!(
            escaped("o'n\ne\t\u{1b}[2J\u{9b}\u{7f} é\r"),
            "o'n\\ne\\t\\u001b[2J\\u009b\\u007f é\\r"
        );
    }
}

#[cfg(test)]
mod quoting_tests {
    use super::*;

    #[test]
    fn what_is_not_plain_is_quoted() {
        let rows = [
            ("/a/b-c_d.sh", "/a/b-c_d.sh"),
            ("", "''"),
            ("a b", "'a b'"),
            ("$x", "'$x'"),
            ("~", "'~'"),
            ("it's", r"'it'\''s'"),
        ];
        for (word, expected) in rows {
            assert_eq!(quoted(word), expected, "{word}");
        }
    }
}

//! Texts with fields in braces, as in `branch {branch}`.

/// The text with its fields filled; `None` where one of them has no value. A doubled brace is a brace.
pub(super) fn fill(text: &str, value: &mut dyn FnMut(&str) -> Option<String>) -> Option<String> {
    let mut filled = String::with_capacity(text.len());
    for part in parts(text) {
        match part {
            Part::Text(text) => filled.push_str(text),
            Part::Field(name) => filled.push_str(&value(name).filter(|it| !it.is_empty())?),
        }
    }
    Some(filled)
}

/// Names the mistake in a text with a brace that has no partner.
pub(super) fn problem(text: &str) -> Option<String> {
    let plain = text.replace("{{", "").replace("}}", "");
    let mut is_open = false;
    for letter in plain.chars().filter(|letter| matches!(letter, '{' | '}')) {
        if is_open == (letter == '{') {
            return Some(format!("a brace in `{text}` has no partner; a doubled one is a brace"));
        }
        is_open = !is_open;
    }
    is_open.then(|| format!("a brace in `{text}` has no partner; a doubled one is a brace"))
}

/// A text on one line, without what a terminal would obey, of at most so many characters.
pub(super) fn one_line(text: &str, longest: usize) -> String {
    let shown = |letter: char| if letter.is_control() { ' ' } else { letter };
    let plain: String = text.chars().map(shown).collect();
    let mut line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(longest) {
        line.truncate(end);
        line.push('…');
    }
    line
}

enum Part<'a> {
    Text(&'a str),
    Field(&'a str),
}

fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let doubled = rest[at + 1..].starts_with(&rest[at..=at]);
        let end = at + usize::from(doubled);
        parts.push(Part::Text(&rest[..end]));
        let behind = &rest[end + 1..];
        rest = match behind.split_once('}') {
            Some((name, behind)) if !doubled && rest[at..].starts_with('{') => {
                parts.push(Part::Field(name.trim()));
                behind
            }
            _ => behind,
        };
    }
    parts.push(Part::Text(rest));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_filled_and_doubled_braces_are_braces() {
        let mut value = |name: &str| match name {
            "a" => Some("1".to_owned()),
            "empty" => Some(String::new()),
            _ => None,
        };
        for (text, expected) in [
            ("", Some("")),
            ("plain", Some("plain")),
            ("x {a}{ a }.", Some("x 11.")),
            ("{{a}} {a}", Some("{a} 1")),
            ("{b}", None),
            ("{empty}", None),
        ] {
            assert_eq!(fill(text, &mut value).as_deref(), expected, "{text}");
            assert_eq!(problem(text), None, "{text}");
        }
        for text in ["{", "}", "a {b", "b} a", "{a{b}}}"] {
            assert!(problem(text).is_some(), "{text}");
        }
    }

    #[test]
    fn a_line_has_nothing_that_a_terminal_would_obey() {
        assert_eq!(one_line(" a\n\tb\u{1b}]0;c\u{7} ", 80), "a b ]0;c");
        assert_eq!(one_line("äöü", 2), "äö…");
    }
}

//! Regular expressions as JavaScript reads them without flags.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::mem::ManuallyDrop;

/// The reason why JavaScript would not take a text for a regular expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    #[error("`\\{0}` cannot be repeated")]
    Repeated(char),
    #[error("{0}")]
    Syntax(regress::Error),
}

pub fn compile(pattern: &str) -> Result<regress::Regex, PatternError> {
    regress::Regex::new(&plainer(pattern)?).map_err(PatternError::Syntax)
}

/// Returns whether one of these names is hit; never by a pattern that JavaScript would not take.
pub(super) fn hits(pattern: &str, names: &[&str]) -> bool {
    type Known = BTreeMap<String, Option<regress::Regex>>;
    // A replay asks for the same one thousands of times. There is nothing to do at the thread's end.
    thread_local! {
        static KNOWN: RefCell<ManuallyDrop<Known>> =
            const { RefCell::new(ManuallyDrop::new(Known::new())) };
    }
    KNOWN.with_borrow_mut(|known| {
        if !known.contains_key(pattern) {
            known.insert(pattern.to_owned(), compile(pattern).ok());
        }
        let compiled = known.get(pattern).and_then(Option::as_ref);
        compiled.is_some_and(|it| names.iter().any(|name| it.find(name).is_some()))
    })
}

/// A pattern without what the library and JavaScript read otherwise, such as an escape that is cut short.
fn plainer(pattern: &str) -> Result<Cow<'_, str>, PatternError> {
    let mut plainer = Cow::Borrowed(pattern);
    let mut rest = pattern;
    let mut in_class = false;
    while let Some(letter) = rest.chars().next() {
        let at = pattern.len() - rest.len();
        rest = &rest[letter.len_utf8()..];
        match letter {
            '[' => in_class = true,
            ']' => in_class = false,
            '\\' => {
                let Some(escaped) = rest.chars().next() else { break };
                rest = &rest[escaped.len_utf8()..];
                let digits = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
                match escaped {
                    'b' | 'B' if !in_class && is_repeated(rest) => {
                        return Err(PatternError::Repeated(escaped));
                    }
                    'x' if digits >= 2 => {}
                    'u' if digits >= 4 => {}
                    'x' | 'u' => {
                        let dropped = pattern.len() - plainer.len();
                        plainer.to_mut().remove(at - dropped);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    Ok(plainer)
}

fn is_repeated(text: &str) -> bool {
    if text.starts_with(['*', '+', '?']) {
        return true;
    }
    let count = text.strip_prefix('{').and_then(|rest| rest.split_once('}'));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    count.is_some_and(|(count, _)| {
        let (least, most) = count.split_once(',').unwrap_or((count, ""));
        !least.is_empty() && is_number(least) && is_number(most)
    })
}

/// Returns whether a simple `pattern`, of texts, anchors and `.*`, is found; `None` for others.
pub(super) fn plain_hits(pattern: &str, subject: &str) -> Option<bool> {
    if let Some(names) = names(pattern) {
        let hit = |name: &str| is_literal(name).then(|| name == subject);
        return any(names, hit);
    }
    any(pattern, |part| {
        let (part, from_start) = match part.strip_prefix('^') {
            Some(part) => (part, true),
            None => (part.strip_prefix(".*").unwrap_or(part), false),
        };
        let (part, to_end) = match part.strip_suffix('$') {
            Some(part) => (part, true),
            None => (part.strip_suffix(".*").unwrap_or(part), false),
        };
        is_literal(part).then(|| match (from_start, to_end) {
            (false, false) => subject.contains(part),
            (true, false) => subject.starts_with(part),
            (false, true) => subject.ends_with(part),
            (true, true) => subject == part,
        })
    })
}

/// The alternatives of `^(a|b)$`, of which `|` does not split the anchors off.
fn names(pattern: &str) -> Option<&str> {
    let group = pattern.strip_prefix("^(")?.strip_suffix(")$")?;
    Some(group.strip_prefix("?:").unwrap_or(group))
}

fn any(alternatives: &str, hit: impl Fn(&str) -> Option<bool>) -> Option<bool> {
    alternatives.split('|').try_fold(false, |hits, part| Some(hit(part)? || hits))
}

fn is_literal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_- ,/:".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_that_is_cut_short_is_its_letter() {
        let rows = [
            (r"\x5|Write", "Write", true),
            (r"\x5", "x5", true),
            (r"\u72\x5|\u{2}", "uu", true),
            (r"[\u{57}]rite", "Write", false),
            (r"\u0057\x72ite", "Write", true),
            (r"\\x5", "x5", false),
            (r"\\x5", r"\x5", true),
            (r"[\b]*Write", "Write", true),
        ];
        for (pattern, subject, hits) in rows {
            let regex = compile(pattern).unwrap();
            assert_eq!(regex.find(subject).is_some(), hits, "{pattern} on {subject}");
        }
        for pattern in [r"\b+Write", r"\B*Write", r"\b{2}Write", r"a\b?", "["] {
            assert!(compile(pattern).is_err(), "{pattern}");
        }
    }
}

#[cfg(test)]
mod plain_tests {
    use proptest::prelude::*;

    use crate::client::matcher::compile;

    #[test]
    fn usual_matchers_are_told_without_compiling() {
        let rows = [
            ("mcp__.*", "mcp__memory__store", Some(true)),
            ("mcp__.*", "Bash", Some(false)),
            ("mcp__.*__write.*|Bash", "Bash", None),
            ("^mcp__a__", "xmcp__a__", Some(false)),
            ("^(Edit|Write)$", "Write", Some(true)),
            ("^(?:Edit|Write)$", "NotebookEdit", Some(false)),
            ("Edit$", "NotebookEdit", Some(true)),
            (".*", "Bash", Some(true)),
            ("Notebook.*|^Edit$", "Edit", Some(true)),
            ("[", "[", None),
            ("^(Edit|(Write))$", "Write", None),
            ("a.*$", "a\nb", None),
            ("my.file", "my.file", None),
        ];
        for (pattern, subject, expected) in rows {
            assert_eq!(super::plain_hits(pattern, subject), expected, "`{pattern}` on {subject}");
        }
    }

    proptest! {
        #[test]
        fn what_is_told_is_what_the_regular_expression_tells(
            pattern in "((\\^|\\$|\\.\\*|\\.|\\||\\(|\\(\\?:|\\)|a|b|_|-|\\?|\\\\)){0,8}",
            inner in "[ab|^$.]{0,5}",
            subject in "[ab_\n-]{1,4}",
        ) {
            for pattern in [&*pattern, &format!("^({inner})$"), &format!("^(?:{inner})$")] {
                if let Some(told) = super::plain_hits(pattern, &subject) {
                    let found = compile(pattern).unwrap().find(&subject).is_some();
                    prop_assert_eq!(told, found, "`{}` on {:?}", pattern, subject);
                }
            }
        }
    }
}

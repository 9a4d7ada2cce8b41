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

/// Compiles a pattern the way the client does.
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

/// A pattern without what the library takes and JavaScript does not, or reads otherwise: to
/// JavaScript an escape that is cut short is its letter.
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

/// Returns whether a text begins with what repeats the thing before it.
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

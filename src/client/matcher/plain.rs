//! Regular expressions that ask for a text and nothing more, as most matchers do.
//!
//! To compile one takes some microseconds, which every hook would cost at every call that it is not
//! for.

/// Returns whether `pattern` is found in `subject`; `None` where only a regular expression can tell.
///
/// Understood are alternatives of a text with or without its anchors, or with `.*` where it is not
/// anchored, and one anchored group of texts.
pub(super) fn hits(pattern: &str, subject: &str) -> Option<bool> {
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
            assert_eq!(super::hits(pattern, subject), expected, "`{pattern}` on {subject}");
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
                if let Some(told) = super::hits(pattern, &subject) {
                    let found = compile(pattern).unwrap().find(&subject).is_some();
                    prop_assert_eq!(told, found, "`{}` on {:?}", pattern, subject);
                }
            }
        }
    }
}

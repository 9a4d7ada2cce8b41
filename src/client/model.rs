//! The client's names for a model, whoever provides it.

/// The client's name for a model's id, by its family and two numbers in either order; `None` in doubt.
/// Measured on 2.1.329: `us.anthropic.claude-opus-4-5-20251101` is `claude-opus-4-5`, and `claude-opus-4`
/// is `claude-opus-4-0`.
pub fn canonical(id: &str) -> Option<&str> {
    let name = &id[id.rfind("claude-")?..];
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(name.len());
    let words: Vec<&str> = name[..end].split('-').collect();
    let number = |word: &str| word.len() < 3 && word.parse::<u8>().is_ok();
    let family = |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase());
    let count = match words[1..] {
        [word, major, minor, ref rest @ ..] if family(word) && number(major) && number(minor) => {
            (!rest.first().is_some_and(|next| number(next))).then_some(4)?
        }
        [major, minor, word, ..] if number(major) && number(minor) && family(word) => 4,
        [major, word, ..] if number(major) && family(word) => 3,
        _ => return None,
    };
    let length = words[..count].iter().map(|word| word.len() + 1).sum::<usize>() - 1;
    Some(&name[..length])
}

/// A matcher for models without the size of the context at its end, `[1m]`, which the client ignores.
pub fn without_context(matcher: &str) -> &str {
    let size = matcher.strip_suffix([']']).and_then(|rest| rest.strip_suffix(['m', 'M']));
    let rest = size.map(|rest| rest.trim_end_matches(|c: char| c.is_ascii_digit()));
    match rest.zip(size).filter(|(rest, size)| rest.len() < size.len()) {
        Some((rest, _)) => match rest.strip_suffix('[') {
            Some(rest) if !rest.trim().is_empty() => rest.trim_end(),
            _ => matcher,
        },
        None => matcher,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_known_by_the_form_of_its_id() {
        let rows = [
            ("claude-opus-4-5", Some("claude-opus-4-5")),
            ("claude-opus-4-5-20251101", Some("claude-opus-4-5")),
            ("us.anthropic.claude-opus-4-5-20251101-v1:0", Some("claude-opus-4-5")),
            ("claude-opus-4-5@20251101", Some("claude-opus-4-5")),
            ("anthropic/claude-opus-4-5", Some("claude-opus-4-5")),
            ("claude-opus-4-5-fast", Some("claude-opus-4-5")),
            ("claude-opus-4-5[1m]", Some("claude-opus-4-5")),
            ("claude-3-5-haiku-20241022", Some("claude-3-5-haiku")),
            ("claude-3-7-sonnet-latest", Some("claude-3-7-sonnet")),
            ("claude-3-opus", Some("claude-3-opus")),
            ("claude-opus-4", None),
            ("claude-opus-4-20250514", None),
            ("claude-opus-4-5-1", None),
            ("CLAUDE-OPUS-4-5", None),
            ("my-own-model", None),
            ("xclaude-opus-4-5y", None),
            ("claude-", None),
            ("opus", None),
            ("", None),
        ];
        for (id, expected) in rows {
            assert_eq!(canonical(id), expected, "{id}");
        }
    }

    #[test]
    fn the_size_of_the_context_is_no_part_of_a_matcher() {
        let rows = [
            ("claude-opus-4-6[1m]", "claude-opus-4-6"),
            ("claude-opus-4-5 [1M]", "claude-opus-4-5"),
            ("a|b[2m]", "a|b"),
            ("[1m]", "[1m]"),
            ("a[xm]", "a[xm]"),
            ("a[m]", "a[m]"),
            ("a[1m]$", "a[1m]$"),
            ("a1m]", "a1m]"),
        ];
        for (matcher, expected) in rows {
            assert_eq!(without_context(matcher), expected, "{matcher}");
        }
    }
}

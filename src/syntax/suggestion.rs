//! Words compared: with patterns in which a star is any text, and with the ones that were probably meant.

/// The candidate nearest to a word by edit distance, case apart; none where even that is too far
/// to be what was meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let length = lower.chars().count();
    let distance = |candidate: &str| {
        let its = candidate.chars().count();
        // Words are at least as many edits apart as their lengths are, which is cheap to know.
        let may_be = its.abs_diff(length) <= most(its);
        let distance =
            may_be.then(|| strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()))?;
        (distance <= most(its)).then_some(distance)
    };
    candidates
        .into_iter()
        .filter_map(|candidate| Some((distance(candidate)?, candidate)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Counts how many edits a word of a length may be away.
fn most(length: usize) -> usize {
    match length {
        0..=3 => 1,
        4..=8 => 2,
        _ => length / 3,
    }
}

/// Finds the words that a word may be the beginning of, else the candidate nearest to it, as the end of
/// a message; none where it is neither or begins too many to name.
pub fn meant<'a>(word: &str, candidates: &[&'a str]) -> Option<String> {
    const MOST: usize = 8;
    let lower = word.to_lowercase();
    let begin_so = |it: &&&'a str| !lower.is_empty() && it.to_lowercase().starts_with(&lower);
    let found: Vec<&str> = candidates.iter().filter(begin_so).copied().collect();
    match found.as_slice() {
        [] => nearest(word, candidates.iter().copied()).map(did_you_mean),
        [first @ .., last] if !first.is_empty() && found.len() <= MOST => {
            Some(format!("; did you mean `{}` or `{last}`?", first.join("`, `")))
        }
        [one] => Some(did_you_mean(one)),
        _ => None,
    }
}

pub fn did_you_mean(name: &str) -> String {
    format!("; did you mean `{name}`?")
}

/// Returns whether a pattern is the whole of a text; without a star the two are the same.
pub fn hits(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut left) = text.strip_prefix(start) else { return false };
    let mut pieces = rest.split('*').peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return left.ends_with(piece);
        }
        match left.find(piece) {
            Some(at) => left = &left[at + piece.len()..],
            None => return false,
        }
    }
    true
}

/// Returns whether a shell's pattern may hit a name; a class of letters is any of them.
pub fn may_hit(pattern: &str, name: &str) -> bool {
    let (mut pattern, mut name) = (pattern.as_bytes(), name.as_bytes());
    let mut star = None;
    while let [first, rest @ ..] = name {
        let after = match pattern {
            [b'*', after @ ..] => {
                star = Some((after, name));
                pattern = after;
                continue;
            }
            [b'?', after @ ..] => Some(after),
            [b'[', class @ ..] => {
                let end = class.iter().skip(1).position(|byte| *byte == b']');
                Some(end.map_or(&[][..], |end| &class[end + 2..]))
            }
            [letter, after @ ..] if letter == first => Some(after),
            _ => None,
        };
        (pattern, name) = match (after, star) {
            (Some(after), _) => (after, rest),
            (None, Some((after, from))) => {
                star = Some((after, &from[1..]));
                (after, &from[1..])
            }
            (None, None) => return false,
        };
    }
    pattern.iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_word_is_suggested_and_a_far_one_is_not() {
        let words = ["ci", "level", "event", "PreToolUse", "git-push-force"];
        let rows = [
            ("levle", Some("level")),
            ("EVENT", Some("event")),
            ("pretooluse", Some("PreToolUse")),
            ("git-push", None),
            ("git-push-forced", Some("git-push-force")),
            ("ic", Some("ci")),
            ("x", None),
            ("leave", Some("level")),
            ("nothing-like-it", None),
        ];
        for (word, expected) in rows {
            assert_eq!(nearest(word, words), expected, "{word}");
        }
    }

    #[test]
    fn all_that_begin_so_are_named() {
        let words = ["Stop", "StopFailure", "PreToolUse", "PreCompact", "PreModelSwitch"];
        let rows = [
            ("pre", Some("; did you mean `PreToolUse`, `PreCompact` or `PreModelSwitch`?")),
            ("stopf", Some("; did you mean `StopFailure`?")),
            ("Stpo", Some("; did you mean `Stop`?")),
            ("", None),
            ("other", None),
        ];
        for (word, expected) in rows {
            assert_eq!(meant(word, &words).as_deref(), expected, "{word}");
        }
        assert_eq!(meant("a", &["a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"]), None);
    }
}

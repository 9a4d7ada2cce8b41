//! Words such as `NAME=value`.

/// Returns whether a word as it is written starts with `NAME=`, `NAME+=` or `NAME[…]=`.
pub(super) fn is_assignment(word: &str) -> bool {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let rest = word.trim_start_matches(is_name);
    if rest.len() == word.len() || word.starts_with(|first: char| first.is_ascii_digit()) {
        return false;
    }
    let rest = match rest.strip_prefix('[').and_then(|index| index.split_once(']')) {
        Some((_, after)) => after,
        None => rest,
    };
    rest.starts_with('=') || rest.starts_with("+=")
}

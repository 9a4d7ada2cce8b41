//! What declares variables, and what of it is read.

use super::expansion;
use super::word::is_name;

/// Commands whose arguments may be assignments.
pub(super) const DECLARES: &[&str] = &["declare", "export", "local", "readonly", "typeset"];

/// Variables that may not be unset.
const KEPT: &[&str] = &["HOME", "IFS", "PATH", "PS4"];

/// Returns whether an option of a declaration changes what its value means.
pub(super) fn is_odd_option(command: &str, option: &str) -> bool {
    matches!(command, "declare" | "typeset" | "local")
        && option.starts_with('-')
        && option.contains(['a', 'A', 'i', 'n'])
}

/// Returns whether an argument that is no assignment, at the start of `rest`, is one that the client reads
/// behind a command: of what declares or unsets these are names and options, and some strings.
pub(super) fn is_read(command: &str, rest: &str) -> bool {
    let unsets = command == "unset";
    if !unsets && !DECLARES.contains(&command) {
        return true;
    }
    let ends = |rest: &str| rest.is_empty() || rest.starts_with(word_end);
    let quote = rest.chars().next().filter(|first| matches!(first, '\'' | '"'));
    if let Some(quote) = quote {
        let inside = &rest[1..];
        let end = if quote == '"' { expansion::string_end(inside) } else { inside.find(quote) };
        let Some((inside, behind)) = end.map(|end| (&inside[..end], &inside[end + 1..])) else {
            return false;
        };
        let exports = quote == '"' && matches!(command, "export" | "readonly");
        let name = inside.split_once('=').map_or(inside, |(name, _)| name);
        return !unsets && ends(behind) && (exports || is_name(name));
    }
    let word = &rest[..rest.find(word_end).unwrap_or(rest.len())];
    match word.as_bytes().first() {
        Some(b'-') if unsets => word[1..].bytes().all(|byte| byte.is_ascii_alphabetic()),
        Some(b'-') => word.len() > 1,
        Some(b'+') => matches!(command, "declare" | "local" | "typeset"),
        _ => is_name(word) && !(unsets && KEPT.contains(&word)),
    }
}

fn word_end(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>')
}

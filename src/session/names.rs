//! Finding the hook that a user means by a name or part of one.

use crate::syntax::suggestion::{did_you_mean, nearest};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<'a> {
    One(&'a str),
    Several(Vec<&'a str>),
    /// None; the nearest by edit distance, as a suggestion only.
    None(Option<&'a str>),
}

/// Resolves a name: exact, then the only one that has the text anywhere; case counts only between equals.
pub fn resolve<'a>(typed: &str, hooks: &[&'a str]) -> Found<'a> {
    let typed = typed.trim();
    if typed.is_empty() {
        return Found::None(None);
    }
    if let Some(name) = hooks.iter().find(|name| **name == typed) {
        return Found::One(name);
    }
    let typed = typed.to_lowercase();
    let tests: [&dyn Fn(&str) -> bool; 2] = [&|name| name == typed, &|name| name.contains(&typed)];
    for test in tests {
        let hits: Vec<&str> =
            hooks.iter().copied().filter(|name| test(&name.to_lowercase())).collect();
        match hits.as_slice() {
            [] => {}
            [one] => return Found::One(one),
            _ => return Found::Several(hits),
        }
    }
    Found::None(nearest(&typed, hooks.iter().copied()))
}

/// The reason why a text does not mean one name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("several {0} match `{1}`: {hits}", hits = .2.join(", "))]
    Several(&'static str, String, Vec<String>),
    #[error("no {0} matches `{1}`{2}")]
    None(&'static str, String, String),
}

/// The one name that is meant; `what` is the singular and plural, `hint` where names are listed.
pub fn one<'a>(
    typed: &str,
    names: &[&'a str],
    what: [&'static str; 2],
    hint: &str,
) -> Result<&'a str, NameError> {
    let (typed, [one, several]) = (typed.to_owned(), what);
    Err(match resolve(&typed, names) {
        Found::One(name) => return Ok(name),
        Found::Several(hits) => {
            NameError::Several(several, typed, hits.into_iter().map(str::to_owned).collect())
        }
        Found::None(nearest) => {
            let hint = nearest.map_or_else(|| format!("; {hint}"), did_you_mean);
            NameError::None(one, typed, hint)
        }
    })
}

/// Names that are near to one that nothing has, as a part of a message.
pub fn near(typed: &str, names: &[&str]) -> String {
    match resolve(typed, names) {
        Found::One(near) | Found::None(Some(near)) => format!(", and `{near}` is one"),
        Found::Several(near) => format!(", and {} are some", near.join(", ")),
        Found::None(None) => String::new(),
    }
}

/// The hooks that a pattern with `*` and `?` names; `None` where the text is no pattern.
pub fn matching<'a>(typed: &str, hooks: &[&'a str]) -> Option<Vec<&'a str>> {
    let pattern: Vec<char> = typed.trim().to_lowercase().chars().collect();
    if !pattern.contains(&'*') && !pattern.contains(&'?') {
        return None;
    }
    let fits = |name: &&&str| fits(&pattern, &name.to_lowercase().chars().collect::<Vec<char>>());
    Some(hooks.iter().filter(fits).copied().collect())
}

// A star takes as little as it can; where the rest does not fit, the last star takes one more.
fn fits(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut seen) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while seen < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, seen));
                at += 1;
            }
            Some(expected) if *expected == '?' || *expected == name[seen] => {
                at += 1;
                seen += 1;
            }
            _ => {
                let Some((place, taken)) = star else { return false };
                star = Some((place, taken + 1));
                at = place + 1;
                seen = taken + 1;
            }
        }
    }
    pattern[at..].iter().all(|rest| *rest == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_by_the_surest_rule() {
        let hooks = ["typecheck-changed", "check-todos", "lint-changed", "check"];
        let rows = [
            ("check", Found::One("check")),
            (" TypeCheck-Changed ", Found::One("typecheck-changed")),
            ("type", Found::One("typecheck-changed")),
            ("check-", Found::Several(vec!["typecheck-changed", "check-todos"])),
            ("-todos", Found::One("check-todos")),
            ("lint", Found::One("lint-changed")),
            ("todo", Found::One("check-todos")),
            ("changed", Found::Several(vec!["typecheck-changed", "lint-changed"])),
            ("chekc", Found::None(Some("check"))),
            ("nothing-like-it", Found::None(None)),
            ("", Found::None(None)),
        ];
        for (typed, expected) in rows {
            assert_eq!(resolve(typed, &hooks), expected, "{typed:?}");
        }
        let hooks = ["typecheck-changed", "check-todos"];
        assert_eq!(resolve("check", &hooks), Found::Several(hooks.to_vec()));
        let twins = ["log", "Log"];
        assert_eq!(resolve("Log", &twins), Found::One("Log"));
        assert_eq!(resolve("LOG", &twins), Found::Several(vec!["log", "Log"]));
    }

    #[test]
    fn a_pattern_names_all_that_fit() {
        let hooks = ["notify-start", "notify-stop", "Format", "format-rust"];
        let rows: [(&str, Option<&[&str]>); 9] = [
            ("notify-*", Some(&["notify-start", "notify-stop"])),
            (" NOTIFY-st?p ", Some(&["notify-stop"])),
            ("*", Some(&hooks)),
            ("*o*t*", Some(&hooks)),
            ("*-r*t", Some(&["format-rust"])),
            ("format", None),
            ("x*", Some(&[])),
            ("??????", Some(&["Format"])),
            ("*?*-*stop", Some(&["notify-stop"])),
        ];
        for (typed, expected) in rows {
            assert_eq!(matching(typed, &hooks).as_deref(), expected, "{typed:?}");
        }
    }
}

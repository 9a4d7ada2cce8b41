//! Finding the hook that a user means by a name or part of one.

/// What a name came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<'a> {
    /// This hook.
    One(&'a str),
    /// Several could be meant.
    Several(Vec<&'a str>),
    /// None; the nearest by edit distance, as a suggestion only.
    None(Option<&'a str>),
}

/// Resolves a name: exact, then a unique beginning, then a unique part; blanks around it do not
/// count, and case only where two names differ in nothing else.
///
/// After the session switches document (`004_1870e012f86aed79`), which has no order between
/// beginnings and parts; a beginning comes first here, as it is what people type.
pub fn resolve<'a>(typed: &str, hooks: &[&'a str]) -> Found<'a> {
    let typed = typed.trim();
    if typed.is_empty() {
        return Found::None(None);
    }
    if let Some(name) = hooks.iter().find(|name| **name == typed) {
        return Found::One(name);
    }
    let typed = typed.to_lowercase();
    let tests: [&dyn Fn(&str) -> bool; 3] =
        [&|name| name == typed, &|name| name.starts_with(&typed), &|name| name.contains(&typed)];
    for test in tests {
        let hits: Vec<&str> =
            hooks.iter().copied().filter(|name| test(&name.to_lowercase())).collect();
        match hits.as_slice() {
            [] => {}
            [one] => return Found::One(one),
            _ => return Found::Several(hits),
        }
    }
    Found::None(nearest(&typed, hooks))
}

fn nearest<'a>(typed: &str, hooks: &[&'a str]) -> Option<&'a str> {
    hooks
        .iter()
        .map(|name| (strsim::damerau_levenshtein(typed, &name.to_lowercase()), *name))
        .filter(|(distance, name)| *distance <= name.len().max(6) / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_by_the_surest_rule() {
        let hooks = ["check", "typecheck-changed", "check-todos", "lint-changed"];
        let rows = [
            ("check", Found::One("check")),
            (" TypeCheck-Changed ", Found::One("typecheck-changed")),
            ("type", Found::One("typecheck-changed")),
            ("check-", Found::One("check-todos")),
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
        let twins = ["log", "Log"];
        assert_eq!(resolve("Log", &twins), Found::One("Log"));
        assert_eq!(resolve("LOG", &twins), Found::Several(vec!["log", "Log"]));
    }
}

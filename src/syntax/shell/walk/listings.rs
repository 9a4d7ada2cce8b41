//! Listings of folders that a program on the line goes through.

use super::items::{Bound, items, known};
use super::tokens::{READ, Token};
use crate::syntax::named::listed;

static LISTINGS: &[&str] = listed!("LISTINGS");

/// So many listings are looked at for their folders, and so many tokens in front of each.
const FOLDERS: usize = 4;
const NEAR: usize = 4;

/// The hits of a listing that a call is given one by one or as a whole, with `{}` for what is not known.
pub(super) fn listed(
    tokens: &[Token<'_>],
    texts: &[String],
    names: &[&str],
    receiver: &str,
    bound: &Bound<'_>,
) -> Option<Vec<String>> {
    let name_at = |at: usize| match tokens.get(at) {
        Some(Token::Name(name)) => *name,
        _ => "",
    };
    let lists = |name: &str| LISTINGS.contains(&name);
    let text_behind = |at: usize| {
        tokens[at + 1..].iter().take(2).find_map(|token| match token {
            Token::Text(text) => Some(text.as_str()),
            _ => None,
        })
    };
    let is_sign = |at: Option<usize>, wanted: char| {
        at.and_then(|at| tokens.get(at)).is_some_and(|it| *it == Token::Sign(wanted))
    };
    // `glob` is also the name of a module.
    let is_listing = |at: &usize| {
        let is_called =
            matches!(tokens.get(at + 1), Some(Token::Text(_) | Token::Sign('(' | '[' | '<')));
        is_called && lists(name_at(*at))
    };
    let listings: Vec<usize> = (0..tokens.len()).filter(is_listing).take(READ).collect();
    // A variable of a loop in Python, JavaScript or PHP, and of a block in Ruby.
    let loops = |at: usize| {
        matches!(name_at(at + 1), "in" | "of")
            || (is_sign(Some(at + 1), '=') && is_sign(Some(at + 2), '>'))
            || (is_sign(at.checked_sub(1), '|') && is_sign(Some(at + 1), '|'))
            || (is_sign(at.checked_sub(1), '(') && at > 1 && name_at(at - 2) == "function")
            || (is_sign(at.checked_sub(1), '$') && at > 2 && name_at(at - 3) == "function")
            || (is_sign(Some(at + 1), ':') && name_at(at + 3) == "range")
    };
    let mut variables: Vec<&str> =
        (0..tokens.len()).filter(|at| loops(*at)).map(name_at).take(READ).collect();
    // `src = folder / "src"`
    let below = |at: usize| {
        let is_path = is_sign(Some(at + 1), '=') && is_sign(Some(at + 3), '/');
        is_path && variables.contains(&name_at(at + 2))
    };
    let more: Vec<&str> = (0..tokens.len()).filter(|at| below(*at)).map(name_at).collect();
    variables.extend(more);
    let given_names = || names.iter().copied().chain([receiver]).filter(|name| !name.is_empty());
    let given = texts.iter().any(|text| text.contains("$_"));
    let is_pattern = texts.iter().any(|text| text.contains('*'));
    let is_listed = given_names().any(|name| lists(name) || variables.contains(&name)) || given;
    if !(is_pattern || (!listings.is_empty() && is_listed)) {
        return None;
    }
    // What is temporary has nothing that anyone misses.
    let folder = |at: &usize| {
        let mut before = tokens[..*at].iter().rev().take(NEAR);
        let of_name = before.find_map(|token| match token {
            Token::Name(name) => known(bound, name, *at)?.texts().next().cloned(),
            _ => None,
        });
        let own = || items(tokens, at + 1, bound, false).into_iter().flatten().next();
        of_name.or_else(own).filter(|it| it.starts_with("/tmp/"))
    };
    if let [first, ..] = listings[..]
        && listings.len() <= FOLDERS
        && listings.iter().all(|at| folder(at).is_some())
    {
        return Some(folder(&first).into_iter().collect());
    }
    let ending = (0..tokens.len())
        .filter(|at| matches!(name_at(*at), "endswith" | "endsWith" | "end_with"))
        .find_map(text_behind);
    if let Some(ending) = ending {
        return Some(vec![format!("{{}}/*{ending}")]);
    }
    let hit = |text: &str| {
        if text.contains('*') { text.replace('*', "{}*") } else { format!("{text}/{{}}") }
    };
    let hits: Vec<String> = if texts.is_empty() {
        let of_listing = |at: &usize| {
            let path = match tokens.get(at.saturating_sub(4)..*at) {
                Some([.., Token::Text(path), Token::Sign(')'), Token::Sign('.')]) => path.as_str(),
                Some([.., Token::Name(name), Token::Sign('.')]) => {
                    let own = known(bound, name, *at);
                    own.and_then(|it| it.texts().next()).map_or("", String::as_str)
                }
                _ => "",
            };
            match (path, text_behind(*at)) {
                ("", text) => hit(text.unwrap_or(".")),
                (path, text) => hit(&format!("{path}/{}", text.unwrap_or_default())),
            }
        };
        listings.iter().map(of_listing).collect()
    } else {
        texts.iter().map(|text| hit(text)).collect()
    };
    Some(hits)
}

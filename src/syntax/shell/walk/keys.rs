//! The values that programs keep by keys, in dictionaries.

use super::items::{Bound, Items, Known, filled, items, known};
use super::tokens::{READ, Token, names_from};

/// So many tokens are between a loop and its dictionary.
const CLOSE: usize = 6;
/// So many keys are kept.
const MOST: usize = 64;

/// The values of a dictionary that a loop goes over by `items()`, each with its key, or by `values()`.
pub(super) fn pairs(tokens: &[Token<'_>], list: usize, bound: &Bound<'_>) -> Option<Items> {
    let near = &tokens[list.saturating_sub(1)..tokens.len().min(list + CLOSE)];
    let keys = near.iter().any(|it| matches!(it, Token::Name("items" | "entries")));
    let brace = near.iter().position(|it| *it == Token::Sign('{'));
    let dictionary = |name: &str| {
        let part = *known(bound, name, tokens.len())?.parts.first()?;
        (tokens.get(part) == Some(&Token::Sign('{'))).then_some(part)
    };
    let named = names_from(near, 0).find_map(dictionary);
    let start = match (named, brace) {
        (Some(start), _) => start,
        (None, Some(brace)) if brace > 0 && near[brace - 1] == Token::Sign('(') => {
            list.saturating_sub(1) + brace
        }
        _ => return None,
    };
    let (mut found, mut depth) = (Vec::new(), 0_i32);
    for at in start..tokens.len().min(start + READ) {
        match &tokens[at] {
            Token::Sign('{' | '[' | '(') => depth += 1,
            Token::Sign('}' | ']' | ')') if depth == 1 => break,
            Token::Sign('}' | ']' | ')') => depth -= 1,
            Token::Sign(':') if depth == 1 => {
                let key = keys.then(String::new);
                let value: Vec<String> = match tokens.get(at + 1)? {
                    Token::Text(text) => vec![text.clone()],
                    _ => items(tokens, at + 1, bound, false).into_iter().flatten().collect(),
                };
                found.push(key.into_iter().chain(value).collect());
            }
            _ => {}
        }
    }
    Some(found).filter(|it| !it.is_empty())
}

/// The texts and lists that a program keeps by keys, as in `{"cmd": "ls"}`, for each group of keys.
pub(super) fn keyed<'t>(tokens: &'t [Token<'t>], bound: &Bound<'t>) -> Vec<Bound<'t>> {
    let mut groups: Vec<(usize, Bound<'t>)> = Vec::new();
    let (mut open, mut count) = (Vec::new(), 0);
    for at in 0..tokens.len() {
        match &tokens[at] {
            Token::Sign('{' | '(' | '[') => open.push(at),
            Token::Sign('}' | ')' | ']') => drop(open.pop()),
            _ => {}
        }
        let key = match &tokens[at] {
            Token::Text(key) => key.as_str(),
            Token::Name(key) => key,
            _ => continue,
        };
        let start = match tokens[at + 1..] {
            [Token::Sign(':'), Token::Text(_) | Token::Sign('['), ..] => at + 2,
            [Token::Sign('='), Token::Sign('>'), Token::Text(_) | Token::Sign('['), ..] => at + 3,
            _ => continue,
        };
        count += 1;
        let Some(group) = open.last().filter(|_| count < MOST) else { continue };
        let items = match &tokens[start] {
            Token::Text(text) => vec![vec![filled(text, start, bound)]],
            _ => items(tokens, start, bound, false),
        };
        let value = Known { at: usize::MAX, ..Known::new(key, items) };
        match groups.iter_mut().find(|it| it.0 == *group) {
            Some((_, own)) => own.push(value),
            None => groups.push((*group, vec![value])),
        }
    }
    groups.into_iter().map(|it| it.1).collect()
}

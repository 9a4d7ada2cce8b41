//! Lists, and listings of folders, that a program on the line goes through.

use super::bound::Bound;
use super::state::Walk;
use super::tokens::{READ, Token};
use crate::syntax::named::listed;

static LISTINGS: &[&str] = listed!("LISTINGS");
/// So many tokens are between a list and the variable of its block.
const BETWEEN: usize = 6;
/// So many calls of a function are looked at, each for what is given on so many times.
const CALLS: usize = 4;
const HANDED: usize = 2;
/// So many variables are looked at.
const VARIABLES: usize = 64;

/// The places of variables that are a loop's, a block's or a function's.
pub(super) fn variables(tokens: &[Token<'_>]) -> Vec<usize> {
    (0..tokens.len()).filter(|at| Around(tokens, *at).is_given()).take(VARIABLES).collect()
}

/// A place in a program.
struct Around<'t>(&'t [Token<'t>], usize);

impl<'t> Around<'t> {
    fn name(&self, back: usize) -> &'t str {
        match self.1.checked_sub(back).and_then(|at| self.0.get(at)) {
            Some(Token::Name(name)) => name,
            _ => "",
        }
    }

    fn has(&self, signs: &str) -> bool {
        let behind = self.0.get(self.1 + 1..).unwrap_or_default();
        signs.chars().zip(behind).filter(|(sign, it)| **it == Token::Sign(*sign)).count()
            == signs.len()
    }

    fn follows(&self, sign: char) -> bool {
        self.1.checked_sub(1).is_some_and(|at| self.0[at] == Token::Sign(sign))
    }

    fn is_looped(&self) -> bool {
        matches!(self.name(1), "for" | "const" | "let" | "var")
            && matches!(self.0.get(self.1 + 1), Some(Token::Name("in" | "of")))
    }

    fn is_parameter(&self) -> bool {
        matches!(self.name(3), "def" | "function") && self.follows('(')
    }

    fn is_given(&self) -> bool {
        self.is_looped()
            || self.is_parameter()
            || self.has("=>")
            || self.has(")=>")
            || (self.has(")") && self.name(2) == "function")
            || (self.follows('|') && self.has("|"))
            || (self.follows('$') && self.name(2) == "as")
    }
}

impl Walk<'_> {
    /// The texts that variables may have which a call is given.
    pub(super) fn given(
        &mut self,
        tokens: &[Token<'_>],
        call: (usize, &[&str]),
        variables: &[usize],
        bound: &Bound<'_>,
    ) -> Vec<String> {
        let is_given = |at: &usize| matches!(tokens[*at], Token::Name(it) if call.1.contains(&it));
        if variables.iter().any(is_given) && self.spend(tokens.len()) {
            looped(tokens, call, variables, bound, HANDED)
        } else {
            Vec::new()
        }
    }
}

/// The texts that one of these variables may have at a place: those of the list that a loop or a block goes
/// over, or of the calls of the function whose parameter it is.
fn looped(
    tokens: &[Token<'_>],
    (at, names): (usize, &[&str]),
    variables: &[usize],
    bound: &Bound<'_>,
    handed: usize,
) -> Vec<String> {
    let name = |at: usize| Around(tokens, at).name(0);
    let is = |at: usize, wanted: char| tokens.get(at) == Some(&Token::Sign(wanted));
    let mut given = variables.iter().copied().filter(|it| names.contains(&name(*it)));
    let first = given.next();
    let Some(start) = given.chain(first).filter(|it| *it < at).max().or(first) else {
        return Vec::new();
    };
    let here = Around(tokens, start);
    let known = |names: &[&str]| -> Vec<String> {
        let known = bound.iter().filter(|(known, _)| names.contains(known));
        known.flat_map(|(_, texts)| texts.iter().cloned()).collect()
    };
    // `['a', 'b'].each`, `%w[a b].each` or `dirs.forEach`
    let list_before = |at: usize| {
        let first = at.saturating_sub(BETWEEN);
        let Some(end) = (first..at).rev().find(|it| is(*it, ']')) else {
            return known(&(first..at).map(name).collect::<Vec<_>>());
        };
        let from = end.saturating_sub(READ);
        let from = (from..end).rev().find(|it| is(*it, '[')).unwrap_or(from);
        if Around(tokens, from).name(1) == "w" {
            return names_in(&tokens[from..end]).map(str::to_owned).collect();
        }
        texts_in(&tokens[from..end])
    };
    if here.is_looped() {
        let over = &tokens[start + 2..];
        let ends = |it: &Token<'_>| matches!(it, Token::Sign(':' | ']' | '{' | ')'));
        let over = &over[..over.iter().position(ends).unwrap_or(over.len())];
        let is_list = matches!(over.first(), Some(Token::Sign('[' | '(')));
        let mut found = texts_in(over);
        found.truncate(if is_list { READ } else { 1 });
        let lists: Vec<&str> = names_in(over).take(BETWEEN).collect();
        if found.is_empty() {
            found = known(&lists);
        }
        if found.is_empty() && handed > 0 {
            found = looped(tokens, (start, &lists), variables, bound, handed - 1);
        }
        return found;
    }
    let mut found = list_before(start);
    let function = match here.0.get(start.wrapping_sub(2)) {
        Some(Token::Sign('=')) => here.name(3),
        _ if here.is_parameter() || here.follows('=') => here.name(2),
        _ => "",
    };
    let calls = (0..tokens.len()).filter(|at| !function.is_empty() && name(*at) == function);
    for at in
        calls.filter(|at| !matches!(Around(tokens, *at).name(1), "def" | "function")).take(CALLS)
    {
        if is(at + 1, '(') {
            let end = (at..tokens.len()).take(READ).find(|it| is(*it, ')')).unwrap_or(at);
            let mut own = texts_in(&tokens[at..end]);
            own.extend(known(&[name(at + 2)]));
            if own.is_empty() && handed > 0 {
                own = looped(tokens, (at, &[name(at + 2)]), variables, bound, handed - 1);
            }
            found.extend(own);
        } else if Around(tokens, at).follows('(') {
            found.extend(list_before(at));
        }
    }
    found
}

fn texts_in(tokens: &[Token<'_>]) -> Vec<String> {
    let texts = tokens.iter().filter_map(|token| match token {
        Token::Text(text) => Some(text.clone()),
        _ => None,
    });
    texts.take(READ).collect()
}

fn names_in<'t>(tokens: &'t [Token<'t>]) -> impl Iterator<Item = &'t str> {
    tokens.iter().filter_map(|token| match token {
        Token::Name(name) => Some(*name),
        _ => None,
    })
}

/// The hits of a listing that a call is given one by one or as a whole, with `{}` for what is not known.
pub(super) fn listed(
    tokens: &[Token<'_>],
    texts: &[String],
    names: &[&str],
    receiver: &str,
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
    };
    let variables: Vec<&str> =
        (0..tokens.len()).filter(|at| loops(*at)).map(name_at).take(READ).collect();
    let given_names = || names.iter().copied().chain([receiver]).filter(|name| !name.is_empty());
    let given = texts.iter().any(|text| text.contains("$_"));
    let is_pattern = texts.iter().any(|text| text.contains('*'));
    let is_listed = given_names().any(|name| lists(name) || variables.contains(&name)) || given;
    if !(is_pattern || (!listings.is_empty() && is_listed)) {
        return None;
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

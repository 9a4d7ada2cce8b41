//! The values that a program gives to the variables of loops and blocks, and to the parameters of functions.

use super::bound::{behind_type, is_value};
use super::call::Call;
use super::items::{Bound, Items, Known, LISTS, items, known};
use super::keys::pairs;
use super::tokens::{READ, Token, names_from};
use crate::syntax::named::listed;

static METHODS: &[&str] = listed!("METHODS");

/// So many tokens are between a list and the variable of its block.
const BETWEEN: usize = 12;
/// So many loops and functions are looked at, and so many of their names.
const MOST: usize = 64;
const NAMES: usize = 8;
/// So many tokens are between the name of a class and its methods.
const CLASS: usize = 2048;
/// A value is handed on so many times.
const HANDED: usize = 2;
/// So many values of one variable are looked at.
const VALUES: usize = 64;

/// Names that get their values from a list or from the calls of a function.
pub(super) struct Given<'t> {
    at: usize,
    /// Each with whether it gets all that is left.
    names: Vec<(&'t str, bool)>,
    /// The place of the list that a loop goes over.
    list: Option<usize>,
    function: &'t str,
}

impl<'t> Given<'t> {
    pub(super) fn is_function(&self, name: &str) -> bool {
        self.function == name
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'t str> {
        self.names.iter().map(|it| it.0)
    }
}

struct Tokens<'t>(&'t [Token<'t>]);

impl<'t> Tokens<'t> {
    fn name(&self, at: usize) -> &'t str {
        match self.0.get(at) {
            Some(Token::Name(name)) => name,
            _ => "",
        }
    }

    fn is(&self, at: usize, wanted: char) -> bool {
        self.0.get(at) == Some(&Token::Sign(wanted))
    }

    /// The parameters in the brackets that begin at a place, or up to the sign `:` or `|`.
    fn parameters(&self, start: usize) -> (Vec<(&'t str, bool)>, usize) {
        let mut names: Vec<(&str, bool)> = Vec::new();
        let (mut depth, mut is_new, mut takes_all) = (0_i32, true, false);
        let mut at = start;
        while at < self.0.len().min(start + READ) {
            match self.0[at] {
                Token::Sign('(' | '[' | '{') => depth += 1,
                Token::Sign(')' | ']' | '}') => depth -= 1,
                Token::Sign(':' | '|') if depth == 0 && at > start => break,
                Token::Sign(',') if depth <= 1 => (is_new, takes_all) = (true, false),
                Token::Sign('*' | '.' | '@') if is_new => takes_all = true,
                // `words ...string`
                Token::Sign('.') if self.is(at + 1, '.') && self.is(at + 2, '.') => {
                    if let Some(last) = names.last_mut() {
                        last.1 = true;
                    }
                }
                // `array $words`
                Token::Sign('$') if depth <= 1 && !is_new && self.0[at - 1] != Token::Sign('=') => {
                    names.pop();
                    is_new = true;
                }
                Token::Name(name) if is_new && depth <= 1 => {
                    if !matches!(name, "self" | "cls" | "my") {
                        names.push((name, takes_all));
                    }
                    is_new = name == "my";
                }
                _ => {}
            }
            at += 1;
            if depth <= 0 && self.is(start, '(') {
                break;
            }
        }
        names.truncate(NAMES);
        (names, at)
    }

    /// The names between the word of a loop and a place behind them.
    fn loop_names(&self, end: usize) -> Vec<(&'t str, bool)> {
        let mut names = Vec::new();
        for at in (end.saturating_sub(BETWEEN)..end).rev() {
            match self.0[at] {
                Token::Name("for" | "foreach" | "const" | "let" | "var" | "my") => {
                    names.reverse();
                    return names;
                }
                Token::Name(name) => names.push((name, names.is_empty())),
                Token::Sign(',' | '[' | ']' | '(' | ')' | '$' | ':' | '=' | '.' | '*') => {}
                _ => break,
            }
        }
        Vec::new()
    }

    fn given(&self, at: usize) -> Option<Given<'t>> {
        let of = |names, list, function| Some(Given { at, names, list, function });
        let over = |names: Vec<_>, list| (!names.is_empty()).then_some(of(names, Some(list), "")?);
        let blank = || vec![("_", true)];
        match self.0[at] {
            Token::Name("in" | "of") => {
                let counts = matches!(self.name(at + 1), "enumerate" | "ipairs");
                // `for p in map(Path, paths)`
                let is_mapped = self.name(at + 1) == "map" && self.is(at + 4, ',');
                let list = if is_mapped { at + 5 } else { at + 1 };
                over(self.loop_names(at).split_off(usize::from(counts)), list)
            }
            Token::Name("range") if at > 1 && self.is(at - 1, '=') => {
                let names = self.loop_names(at - 1);
                let behind = names.len().saturating_sub(1);
                over(names[behind..].to_vec(), behind_type(self.0, at + 1))
            }
            // PHP
            Token::Name("as") if self.is(at + 1, '$') => {
                let mut names = vec![(self.name(at + 2), true)];
                if self.is(at + 3, '=') && self.is(at + 5, '$') {
                    names.push((self.name(at + 6), true));
                }
                of(names, self.list_before(at), "")
            }
            // Perl
            Token::Name("for" | "foreach") => {
                let is_named = self.name(at + 1) == "my" || self.is(at + 1, '$');
                let own = at + 1 + usize::from(self.name(at + 1) == "my");
                if is_named && self.is(own, '$') && self.is(own + 2, '(') {
                    return over(vec![(self.name(own + 1), true)], own + 2);
                }
                let start = at + 1 + usize::from(self.name(at + 1) == "split");
                let is_list = matches!(self.0.get(start), Some(Token::Sign('(' | '[' | '@' | '$')));
                is_list.then(|| over(blank(), start)).flatten()
            }
            Token::Name("def" | "function" | "sub" | "fn" | "lambda" | "func")
                if ![',', ']', ')'].iter().any(|sign| self.is(at + 1, *sign)) =>
            {
                let is_own = |at: usize| self.is(at, '(') || self.is(at, '{');
                let mut start = at + 1;
                // `def self.git(`
                start += if self.name(start) == "self" && self.is(start + 1, '.') { 2 } else { 0 };
                let named = self.name(start);
                let is_lambda = self.name(at) == "lambda";
                if !named.is_empty() && is_own(start + 1) && !is_lambda {
                    if self.is(start + 1, '{') {
                        return of(self.of_perl(start + 2), None, named);
                    }
                    return of(self.parameters(start + 1).0, None, self.of_class(at, named));
                }
                let (own, end) = self.parameters(at + 1);
                let is_mapped = at > 1 && self.is(at - 1, '(') && self.name(at - 2) == "map";
                let list = if is_mapped { self.list_behind(end) } else { self.list_before(at) };
                of(own, list, self.assigned(at))
            }
            // A method in JavaScript
            Token::Name(name) if self.is(at + 1, '(') && self.starts_method(at) => {
                let (names, end) = self.parameters(at + 1);
                self.is(end, '{').then(|| of(names, None, self.of_class(at, name)))?
            }
            // `(a, b) => …` and `a => …`
            Token::Sign('=')
                if self.is(at + 1, '>') && at > 0 && !(at > 1 && self.is(at - 2, '{')) =>
            {
                let (mut start, mut depth) = (at - 1, 0_i32);
                while start > 0 && at - start < BETWEEN * 2 {
                    depth += i32::from(self.is(start, ')')) - i32::from(self.is(start, '('));
                    if depth <= 0 {
                        break;
                    }
                    start -= 1;
                }
                let names = if self.is(start, '(') {
                    self.parameters(start).0
                } else {
                    vec![(self.name(at - 1), false)]
                };
                of(names, self.list_before(start), self.assigned(start))
            }
            Token::Sign('|') if matches!(self.0.get(at + 1), Some(Token::Name(_))) => {
                let (names, end) = self.parameters(at + 1);
                self.is(end, '|').then(|| of(names, self.list_before(at), ""))?
            }
            // `->(*words) { … }`
            Token::Sign('-') if self.is(at + 1, '>') && self.is(at + 2, '(') => {
                of(self.parameters(at + 2).0, None, self.assigned(at))
            }
            _ => None,
        }
    }

    fn class(&self, at: usize) -> Option<&'t str> {
        let class = (1..at).rev().take(CLASS).find(|at| self.name(at - 1) == "class")?;
        Some(self.name(class))
    }

    fn starts_method(&self, at: usize) -> bool {
        let is_end = at > 0 && ['{', '}', ';'].iter().any(|sign| self.is(at - 1, *sign));
        let is_marked = at > 0 && matches!(self.name(at - 1), "async" | "static");
        let is_statement = matches!(self.name(at), "if" | "for" | "while" | "switch" | "catch");
        (is_end || is_marked) && !is_statement && self.class(at).is_some()
    }

    /// The name by which a method is called: that of its class makes an instance, and that of the instance calls it.
    fn of_class(&self, at: usize, method: &'t str) -> &'t str {
        let class = || self.class(at);
        match method {
            "__init__" | "constructor" | "initialize" | "__construct" => class().unwrap_or(method),
            "__call__" => {
                let class = class().unwrap_or(method);
                let makes = |at: &usize| self.is(*at, '=') && self.name(at + 1) == class;
                (1..self.0.len()).find(makes).map_or(class, |at| self.name(at - 1))
            }
            _ => method,
        }
    }

    /// The names that a function of Perl gives to what it is given.
    fn of_perl(&self, start: usize) -> Vec<(&'t str, bool)> {
        let mut names = Vec::new();
        let mut at = start;
        while self.name(at) == "my" && names.len() < NAMES {
            let shifts = self.0.get(at + 4) == Some(&Token::Name("shift"));
            let (more, end) = self.parameters(at + 1);
            if !shifts {
                if self.is(at + 1, '(') || self.is(at + 1, '@') {
                    names.extend(more);
                }
                break;
            }
            names.push((self.name(at + 2), false));
            at = (at + 5..end.max(at + 8))
                .find(|at| self.is(*at, ';'))
                .map_or(usize::MAX, |at| at + 1);
        }
        names.push(("_", true));
        names
    }

    /// The name to which a function without one is assigned.
    fn assigned(&self, at: usize) -> &'t str {
        let is_marked = at > 0 && matches!(self.name(at - 1), "async" | "fn");
        let at = at - usize::from(is_marked);
        if at > 1 && self.is(at - 1, '=') { self.name(at - 2) } else { "" }
    }

    /// The place of the list behind a function, as in `map(lambda it: …, ['a', 'b'])`.
    fn list_behind(&self, start: usize) -> Option<usize> {
        let mut depth = 0_i32;
        let end = (start..self.0.len().min(start + READ)).find(|at| {
            depth += match self.0[*at] {
                Token::Sign('(' | '[' | '{') => 1,
                Token::Sign(')' | ']' | '}') => -1,
                _ => 0,
            };
            depth < 0 || (depth == 0 && self.is(*at, ','))
        })?;
        self.is(end, ',').then_some(end + 1)
    }

    /// The place of the list in front of a block, as in `['a', 'b'].each`.
    fn list_before(&self, at: usize) -> Option<usize> {
        let mut end = at;
        for _ in 0..BETWEEN {
            end = end.checked_sub(1)?;
            if self.is(end, ']') || self.is(end, ')') {
                let mut depth = 0_i32;
                let start = (end.saturating_sub(READ)..=end).rev().find(|at| {
                    depth += match self.0[*at] {
                        Token::Sign(')' | ']') => 1,
                        Token::Sign('(' | '[') => -1,
                        _ => 0,
                    };
                    depth == 0
                })?;
                if self.is(end, ']') || end + 1 == at {
                    return Some(start);
                }
                // `dirs.map(…).forEach(…)`
                end = start;
                continue;
            }
            if matches!(self.0[end], Token::Text(_)) && self.is(end + 1, '.') {
                return Some(end);
            }
            let name = self.name(end);
            let is_list = self.is(end + 1, '.') || self.name(end + 1) == "as" || end + 1 == at;
            if !name.is_empty() && !METHODS.contains(&name) {
                return is_list.then_some(end);
            }
        }
        None
    }
}

pub(super) fn given<'t>(tokens: &'t [Token<'t>]) -> Vec<Given<'t>> {
    let all = Tokens(tokens);
    (0..tokens.len()).filter_map(|at| all.given(at)).take(MOST).collect()
}

/// The names in a call, and those in its texts and in the values of these names, as of `["git", *args]`.
pub(super) fn names_of<'t>(
    tokens: &'t [Token<'t>],
    at: usize,
    call: &Call<'t>,
    given: &[Given<'t>],
    bound: &Bound<'t>,
) -> Vec<&'t str> {
    let mut names = [&call.names[..], &[call.receiver]].concat();
    let has_hole = |text: &&String| text.contains(['{', '$', '@']);
    for text in call.texts.iter().filter(has_hole) {
        let all = given.iter().flat_map(|it| &it.names).map(|it| it.0);
        names.extend(all.filter(|name| text.contains(name)));
    }
    let parts: Vec<usize> = names
        .iter()
        .filter_map(|name| known(bound, name, at))
        .flat_map(|it| it.parts.iter().copied())
        .collect();
    names.extend(parts.into_iter().flat_map(|part| names_from(tokens, part)));
    names
}

/// The values that names at a place may have at a time, each as what is known then.
pub(super) fn values<'t>(
    tokens: &'t [Token<'t>],
    at: (usize, &[&str]),
    given: &[Given<'t>],
    bound: &mut Bound<'t>,
) -> Vec<Bound<'t>> {
    handed(tokens, at, given, bound, HANDED)
}

fn handed<'t>(
    tokens: &'t [Token<'t>],
    (at, names): (usize, &[&str]),
    given: &[Given<'t>],
    bound: &mut Bound<'t>,
    left: usize,
) -> Vec<Bound<'t>> {
    let all = Tokens(tokens);
    let has = |it: &&Given<'_>| it.names.iter().any(|(name, _)| names.contains(name));
    let own = given.iter().rfind(|it| it.at < at && has(it)).or_else(|| given.iter().find(has));
    let Some(own) = own else { return Vec::new() };
    let mut found: Vec<Bound<'t>> = Vec::new();
    let mut over = |start: usize, is_call: bool, bound: &mut Bound<'t>| {
        let read = |bound: &Bound<'t>| -> Items {
            let items = items(tokens, start, bound, false);
            if items.iter().all(Vec::is_empty) { Vec::new() } else { items }
        };
        let mut values = vec![read(bound)];
        let is_unknown = values[0].is_empty() || (is_call && values[0].iter().any(Vec::is_empty));
        if is_unknown && left > 0 {
            let own = tokens[start..]
                .iter()
                .skip(1)
                .position(|it| matches!(it, Token::Sign(':' | '{' | ')')));
            let own = &tokens[start..][..own.map_or(0, |at| at + 1)];
            let names: Vec<&str> = names_from(own, 0).collect();
            let length = bound.len();
            for more in handed(tokens, (start, &names), given, bound, left - 1) {
                bound.extend(more);
                values.push(read(bound));
                bound.truncate(length);
            }
        }
        if let Some(pairs) = pairs(tokens, start, bound) {
            values = vec![pairs];
        }
        for items in values.into_iter().filter(|it| !it.is_empty()) {
            if is_call {
                found.push(of_call(&own.names, &items));
            } else {
                found.extend(items.iter().map(|item| of_element(&own.names, item)));
            }
        }
        found.len() < VALUES
    };
    if let Some(list) = own.list {
        let starts_list = is_value(tokens, list, bound)
            || all.is(list, '@')
            || LISTS.contains(&all.name(list))
            || all.name(list) == "Object"
            || names_from(tokens, list)
                .take(1)
                .any(|name| given.iter().any(|it| it.names.iter().any(|it| it.0 == name)));
        if starts_list {
            over(list, false, bound);
        }
    }
    if !own.function.is_empty() {
        for at in 0..tokens.len() {
            let defines =
                at > 0 && matches!(all.name(at - 1), "def" | "function" | "sub" | "func" | "class");
            if all.name(at) != own.function || defines || all.is(at + 1, '=') {
                continue;
            }
            // `git.call(…)`
            let skipped = match tokens.get(at + 1..).unwrap_or_default() {
                [Token::Sign('.'), Token::Sign('('), ..] => 1,
                [Token::Sign('('), Token::Sign(')'), Token::Sign('('), ..]
                | [Token::Sign('.'), Token::Name("call" | "new"), Token::Sign('('), ..] => 2,
                _ => 0,
            };
            let start = at + 1 + skipped;
            let goes_on = match tokens.get(start) {
                Some(Token::Sign('(') | Token::Text(_)) => over(start, true, bound),
                // `dirs.forEach(clean)`
                _ if at > 0 && all.is(at - 1, '(') => match all.list_before(at - 1) {
                    Some(list) => over(list, false, bound),
                    None => true,
                },
                _ => true,
            };
            if !goes_on {
                break;
            }
        }
    }
    found.truncate(VALUES);
    found
}

/// The values of the parameters in a call.
fn of_call<'t>(names: &[(&'t str, bool)], items: &[Vec<String>]) -> Bound<'t> {
    let value = |(at, (name, takes_all)): (usize, &(&'t str, bool))| {
        let all = items.get(at..).unwrap_or_default();
        let own = if *takes_all { all } else { &all[..all.len().min(1)] };
        let is_list = own.len() == 1;
        // A list that is handed on is one again.
        let own: Items = if is_list {
            own[0].iter().map(|text| vec![text.clone()]).collect()
        } else {
            own.to_vec()
        };
        Known::new(name, own)
    };
    names.iter().enumerate().map(value).collect()
}

/// The values of the variables for one element.
fn of_element<'t>(names: &[(&'t str, bool)], item: &[String]) -> Bound<'t> {
    let value = |(at, (name, _)): (usize, &(&'t str, bool))| {
        let end = if at + 1 == names.len() { item.len() } else { item.len().min(at + 1) };
        let own = item.get(at..end).filter(|it| !it.is_empty()).unwrap_or(item);
        Known::new(name, own.iter().map(|text| vec![text.clone()]).collect())
    };
    names.iter().enumerate().map(value).collect()
}

//! Names that a program gives to functions, and to texts and lists of texts.

use super::items::{Bound, Known, LISTS, items, known};
use super::tokens::Token;
use crate::syntax::named::listed;

static TEMPORARY: &[&str] = listed!("TEMPORARY");

/// So many names are kept.
const MOST: usize = 64;
/// So many times something may be added to a value.
const PARTS: usize = 16;
/// So many tokens are between a name and the call that makes something temporary for it.
const NEAR: usize = 6;
const BEHIND: usize = 24;

/// Other names of functions: `import x as y`, and `const {execSync: run} = …`.
pub(super) fn aliases<'t>(tokens: &'t [Token<'t>]) -> Vec<(&'t str, &'t str)> {
    let deletes_or_runs =
        |name: &str| ["exec", "spawn", "rm", "unlink"].iter().any(|start| name.starts_with(start));
    let five = (0..tokens.len()).filter_map(|at| match &tokens[at..] {
        // `f = shutil.rmtree`
        [
            Token::Name(new),
            Token::Sign('='),
            Token::Name(_),
            Token::Sign('.'),
            Token::Name(old),
            rest @ ..,
        ] if (deletes_or_runs(old) || matches!(*old, "system" | "run"))
            && !matches!(rest.first(), Some(Token::Sign('(' | '.') | Token::Text(_))) =>
        {
            Some((*new, *old))
        }
        _ => None,
    });
    let three = tokens.windows(3).filter_map(|three| match three {
        [Token::Name(old), Token::Name("as"), Token::Name(new)] => Some((*new, *old)),
        [Token::Name(old), Token::Sign(':'), Token::Name(new)] if deletes_or_runs(old) => {
            Some((*new, *old))
        }
        _ => None,
    });
    // `f = getattr(shutil, 'rmtree')`
    let named = tokens.windows(7).filter_map(|seven| match seven {
        [Token::Name(new), Token::Sign('='), Token::Name("getattr"), .., Token::Text(old)] => {
            Some((*new, old.as_str()))
        }
        _ => None,
    });
    // `f = partial(shutil.rmtree, …)`
    let partial = (0..tokens.len()).filter_map(|at| {
        let [Token::Name("partial" | "promisify"), Token::Sign('('), rest @ ..] = &tokens[at..]
        else {
            return None;
        };
        let old =
            rest.iter().take_while(|it| !matches!(it, Token::Sign(',' | ')'))).take(NEAR).last()?;
        let new = tokens[at.saturating_sub(NEAR)..at].windows(2).rev().find_map(|two| match two {
            [Token::Name(new), Token::Sign('=')] => Some(*new),
            _ => None,
        });
        match old {
            Token::Name(old) => Some((new?, *old)),
            _ => None,
        }
    });
    three.chain(named).chain(partial).chain(five).take(MOST).collect()
}

/// Makes attributes names like any others: `self.x` is `x`, or `y` where `self.x = y` gives it that.
pub(super) fn attributes(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let owner = |at: usize| match tokens.get(at..).unwrap_or_default() {
        [Token::Name("self" | "this"), Token::Sign('.'), Token::Name(name), ..] => Some((2, *name)),
        [Token::Name("this"), Token::Sign('-'), Token::Sign('>'), Token::Name(name), ..] => {
            Some((3, *name))
        }
        [Token::Sign('@'), Token::Name(name), ..] => Some((1, *name)),
        _ => None,
    };
    let owners: Vec<(usize, usize, &str)> = (0..tokens.len())
        .filter(|at| *at == 0 || tokens[at - 1] != Token::Name("def"))
        .filter_map(|at| owner(at).map(|(length, name)| (at, length, name)))
        .collect();
    let renamed: Vec<(&str, &str)> = owners
        .iter()
        .filter_map(|(at, length, name)| match tokens.get(at + length + 1..)? {
            [Token::Sign('='), Token::Name(value), rest @ ..]
                if !matches!(rest.first(), Some(Token::Sign('.' | '(' | '[' | '+')))
                    && !matches!(*value, "new" | "None" | "null" | "await" | "async") =>
            {
                Some((*name, *value))
            }
            _ => None,
        })
        .take(MOST)
        .collect();
    let mut made = Vec::with_capacity(tokens.len());
    let mut owners = owners.into_iter().peekable();
    let (mut skipped, mut name) = (0, None);
    for (at, token) in tokens.into_iter().enumerate() {
        if let Some((_, length, own)) = owners.next_if(|it| it.0 == at) {
            // The sign of Ruby's `@x` stays.
            skipped = if length == 1 { 0 } else { length };
            let new = renamed.iter().find(|it| it.0 == own).map(|it| it.1);
            name = new.map(|new| (at + length, new));
        }
        if skipped > 0 {
            skipped -= 1;
            continue;
        }
        let renamed = name.filter(|it| it.0 == at).map(|it| Token::Name(it.1));
        made.push(renamed.unwrap_or(token));
    }
    made
}

/// The values of `p = 'x'`, of `p = ['x', 'y']` and what is added to them, of the path that `p = Path('x')`
/// or `join('x', 'y')` is, and of what is made in a temporary place.
pub(super) fn bound<'t>(tokens: &'t [Token<'t>], mut bound: Bound<'t>) -> Bound<'t> {
    for at in 0..tokens.len() {
        if tokens[at] == Token::Sign('=') && bound.len() < MOST {
            let names = parts(tokens, at);
            if !names.is_empty() {
                let value = |(nth, (name, takes_all)): (usize, &(&'t str, bool))| {
                    let (parts, taken) = (vec![at + 1], Some((nth, *takes_all)));
                    let whole = Known { at, parts, taken, ..Known::new(name, Vec::new()) };
                    if is_value(tokens, at + 1, &bound) {
                        Known { at, ..whole.again(tokens, &bound) }
                    } else {
                        whole
                    }
                };
                bound.extend(names.iter().enumerate().map(value).collect::<Vec<_>>());
            }
        }
        let Token::Name(name) = tokens[at] else { continue };
        if bound.len() >= MOST {
            break;
        }
        if name == "add_argument"
            && let [Token::Sign('('), Token::Text(name), ..] = &tokens[at + 1..]
            && !name.starts_with('-')
        {
            let parses = |at: &usize| tokens[*at] == Token::Name("parse_args");
            let given =
                (at..tokens.len()).find(parses).map(|at| items(tokens, at + 1, &bound, false));
            let given = given.filter(|it| !it.is_empty());
            let own = given.or_else(|| Some(known(&bound, "argv", 0)?.items.get(1..)?.to_vec()));
            bound.push(Known { at: usize::MAX, ..Known::new(name, own.unwrap_or_default()) });
        }
        if matches!(name, "open" | "fopen" | "openSync")
            && let [Token::Sign('('), Token::Text(path), ..] = &tokens[at + 1..]
            && let Some(name) = temporary(tokens, at)
        {
            bound.push(Known { at, ..Known::new(name, vec![vec![path.clone()]]) });
        }
        if TEMPORARY.contains(&name) {
            if let Some(name) = temporary(tokens, at) {
                let items = vec![vec!["/tmp/hookman/x".to_owned()]];
                bound.push(Known { at, ..Known::new(name, items) });
            }
            continue;
        }
        let (start, is_new) = match &tokens[at + 1..] {
            [Token::Sign('='), ..] => (at + 2, true),
            [Token::Sign(':'), Token::Sign('='), ..] => (at + 3, true),
            // `cmd += …`, `cmd << '--hard'` and `cmd.append(…)`
            [Token::Sign('+' | '.'), Token::Sign('='), ..]
            | [Token::Sign('<'), Token::Sign('<'), Token::Text(_), ..]
            | [Token::Sign('.'), Token::Name("append" | "extend" | "push" | "concat"), ..] => {
                (at + 3, false)
            }
            _ => continue,
        };
        let start = behind_type(tokens, start);
        if !is_new {
            let own = bound.iter().rposition(|it| it.name == name);
            if let Some(own) = own.filter(|own| bound[*own].parts.len() < PARTS) {
                let more = items(tokens, start, &bound, false);
                bound[own].add(tokens, start, more);
                bound[own].parts.push(start);
            }
        } else if is_value(tokens, start, &bound) {
            let items = items(tokens, start, &bound, false);
            if !items.is_empty() || tokens[start] == Token::Sign('[') {
                bound.push(Known { at, parts: vec![start], ..Known::new(name, items) });
            }
        }
    }
    bound
}

/// The names that a list is taken apart to, as in `const [cmd, ...args] = argv` and `first, *rest = argv`.
fn parts<'t>(tokens: &[Token<'t>], end: usize) -> Vec<(&'t str, bool)> {
    let sign = |at: usize| match tokens.get(at) {
        Some(Token::Sign(sign)) => *sign,
        _ => ' ',
    };
    if end == 0 || matches!(sign(end + 1), '=' | '>') {
        return Vec::new();
    }
    let is_bracketed = matches!(sign(end - 1), ']' | ')');
    let (mut at, mut names) = (end - usize::from(is_bracketed), Vec::<(&str, bool)>::new());
    let mut is_behind = false;
    while let Some(before) = at.checked_sub(1).filter(|_| end - at < BEHIND) {
        match &tokens[before] {
            Token::Name(name) if !is_behind && *name != "my" => names.push((*name, false)),
            Token::Sign('*' | '.' | '@') => {
                if let Some(last) = names.last_mut() {
                    last.1 = true;
                }
            }
            Token::Sign(',' | '$') => {}
            _ => break,
        }
        is_behind = matches!(tokens[before], Token::Name(_));
        at = before;
    }
    let opens = at.checked_sub(1).map_or(' ', sign);
    let declares = |at: usize| {
        matches!(tokens.get(at), Some(Token::Name("const" | "let" | "var" | "my" | "list")))
    };
    let is_list = if is_bracketed {
        at > 1 && matches!(opens, '[' | '(') && declares(at - 2)
    } else {
        names.len() > 1 && !matches!(opens, '(' | '[' | '{')
    };
    names.reverse();
    if is_list { names } else { Vec::new() }
}

/// The place behind the type of Go's `[]string{"x"}`.
pub(super) fn behind_type(tokens: &[Token<'_>], at: usize) -> usize {
    match tokens.get(at..) {
        Some([Token::Sign('['), Token::Sign(']'), Token::Name(_), Token::Sign('{'), ..]) => at + 3,
        Some([Token::Sign('['), Token::Sign(']'), Token::Sign('['), ..]) => {
            Some(behind_type(tokens, at + 2)).filter(|it| *it > at + 2).unwrap_or(at)
        }
        _ => at,
    }
}

/// Returns whether a text, a list, a path or a known name is at a place.
pub(super) fn is_value(tokens: &[Token<'_>], at: usize, bound: &Bound<'_>) -> bool {
    let rest = &tokens[at.min(tokens.len())..];
    let is_path =
        |it: &&Token<'_>| matches!(it, Token::Name(_) | Token::Sign('.' | '@' | '$' | '*'));
    let (path, value) = rest.split_at(rest.iter().take_while(is_path).take(BEHIND).count());
    let is_known = path
        .iter()
        .take(2 * NEAR)
        .any(|it| matches!(it, Token::Name(name) if bound.iter().any(|it| it.name == *name)));
    match (path.last(), value.first()) {
        (None, Some(Token::Text(_) | Token::Sign('[' | '(' | '{')))
        | (
            Some(Token::Name(
                "Path" | "join" | "resolve" | "abspath" | "realpath" | "expanduser" | "getcwd"
                | "cwd",
            )),
            Some(Token::Sign('(')),
        ) => true,
        (Some(Token::Name(name)), Some(Token::Sign('(')))
            if LISTS.contains(name) || matches!(*name, "dedent" | "cleandoc") =>
        {
            true
        }
        // `root / name`, of which the root may be unknown
        (Some(Token::Name(_)), Some(Token::Sign('/'))) => {
            is_known || matches!(value.get(1), Some(Token::Name(_) | Token::Text(_)))
        }
        _ => is_known,
    }
}

/// The name of what a call makes in a temporary place.
fn temporary<'t>(tokens: &[Token<'t>], at: usize) -> Option<&'t str> {
    let is_call = matches!(tokens[at], Token::Name("Tempfile" | "mktmpdir"))
        || matches!(tokens.get(at + 1), Some(Token::Sign('(' | '!')));
    if !is_call {
        return None;
    }
    let before = &tokens[at.saturating_sub(2 * NEAR)..at];
    let assigns = before.iter().rposition(|it| *it == Token::Sign('='));
    // `p = os.path.join(tempfile.mkdtemp(), "x")`
    let leads = |it: &Token<'_>| matches!(it, Token::Name(_) | Token::Sign('.' | '('));
    let is_near = |end: &usize| end + NEAR >= before.len() || before[end + 1..].iter().all(leads);
    let assigns = assigns.filter(is_near);
    let own = assigns.and_then(|end| {
        before[..end].iter().rev().find_map(|token| match token {
            Token::Name(name) => Some(*name),
            _ => None,
        })
    });
    let behind = tokens[at + 1..].windows(2).take(BEHIND);
    own.or_else(|| {
        let mut behind = behind.take_while(|it| it[0] != Token::Sign(';'));
        behind.find_map(|two| match two {
            [Token::Name("as" | "do") | Token::Sign('|'), Token::Name(name)] => Some(*name),
            _ => None,
        })
    })
}

/// Returns whether a text names a function that is called with what follows its bracket.
pub(super) fn is_selector(tokens: &[Token<'_>], at: usize) -> bool {
    matches!(tokens.get(at + 1), Some(Token::Sign(')' | ']')))
        && matches!(tokens.get(at + 2), Some(Token::Sign('(')))
}

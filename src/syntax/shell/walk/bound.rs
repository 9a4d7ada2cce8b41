//! Names that a program gives to functions and to texts.

use super::tokens::{READ, Token};

/// So many names are kept.
const MOST: usize = 32;

/// Names with the texts that they are for.
pub(super) type Bound<'t> = Vec<(&'t str, Vec<String>)>;

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
    three.chain(named).chain(five).take(MOST).collect()
}

/// The texts of `p = 'x'`, of `p = ['x', 'y']`, and of the path that `p = Path('x')` or `join('x', 'y')` is.
pub(super) fn bound<'t>(tokens: &[Token<'t>]) -> Bound<'t> {
    let of_name = |at| {
        let [Token::Name(name), Token::Sign('='), value @ ..] = &tokens[at..] else { return None };
        let value = &value[..value.len().min(READ)];
        let is_path = |it: &&Token<'_>| matches!(it, Token::Name(_) | Token::Sign('.'));
        let (function, value) = value.split_at(value.iter().take_while(is_path).count());
        let is_call = match (function.last(), value.first()?) {
            (None, Token::Text(_) | Token::Sign('[')) => false,
            (Some(Token::Name("Path" | "join")), Token::Sign('(')) => true,
            _ => return None,
        };
        let is_text = matches!(value[0], Token::Text(_));
        let goes_on = |it: &&Token<'_>| match it {
            Token::Text(_) | Token::Sign('+') => true,
            Token::Sign(sign) => !is_text && !")]=:{}".contains(*sign),
            _ => !is_text,
        };
        let mut texts: Vec<String> = Vec::new();
        for token in value.iter().take_while(goes_on) {
            match (token, texts.last_mut().filter(|_| is_text || is_call)) {
                (Token::Text(text), Some(whole)) if is_call => whole.extend(["/", text]),
                (Token::Text(text), Some(whole)) => whole.push_str(text),
                (Token::Text(text), None) => texts.push(text.clone()),
                _ => {}
            }
        }
        (!texts.is_empty()).then_some((*name, texts))
    };
    let mut bound: Bound<'_> = (0..tokens.len()).filter_map(of_name).take(MOST).collect();
    for four in tokens.windows(4) {
        if let [Token::Name(name), Token::Sign('+' | '.'), Token::Sign('='), Token::Text(more)] =
            four
            && let Some((_, texts)) = bound.iter_mut().rfind(|(known, _)| known == name)
            && let Some(last) = texts.last_mut()
        {
            last.push_str(more);
        }
    }
    bound
}

/// Returns whether a text names a function that is called with what follows its bracket.
pub(super) fn is_selector(tokens: &[Token<'_>], at: usize) -> bool {
    matches!(tokens.get(at + 1), Some(Token::Sign(')' | ']')))
        && matches!(tokens.get(at + 2), Some(Token::Sign('(')))
}

//! Regular expressions as JavaScript reads them without flags.

use std::fmt;

/// Why a text is no regular expression that hookman and the client read alike.
#[derive(Debug)]
pub enum Unreadable {
    /// JavaScript does not take it for one.
    NoExpression(String),
    /// Its escape of this letter is cut short, which JavaScript takes for the letter itself.
    CutShort(char),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoExpression(why) => {
                write!(
                    formatter,
                    "is no JavaScript regular expression and would never match: {why}"
                )
            }
            Self::CutShort(letter) => write!(
                formatter,
                "is read by JavaScript as if `\\{letter}` were `{letter}`: `\\x` takes two \
                 hexadecimal digits and `\\u` four"
            ),
        }
    }
}

/// Compiles a pattern the way the client does.
///
/// # Errors
///
/// Why hookman cannot do with it what the client does.
pub fn compile(pattern: &str) -> Result<regress::Regex, Unreadable> {
    check(pattern)?;
    regress::Regex::new(pattern).map_err(|error| Unreadable::NoExpression(error.to_string()))
}

// What the library takes and JavaScript does not, or reads otherwise.
fn check(pattern: &str) -> Result<(), Unreadable> {
    let mut rest = pattern;
    let mut in_class = false;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        match letter {
            '[' => in_class = true,
            ']' => in_class = false,
            '\\' => {
                let Some(escaped) = rest.chars().next() else { return Ok(()) };
                rest = &rest[escaped.len_utf8()..];
                let digits = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
                match escaped {
                    'b' | 'B' if !in_class && is_repeated(rest) => {
                        let why = format!("`\\{escaped}` cannot be repeated");
                        return Err(Unreadable::NoExpression(why));
                    }
                    'x' if digits < 2 => return Err(Unreadable::CutShort('x')),
                    'u' if digits < 4 => return Err(Unreadable::CutShort('u')),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether a text begins with what repeats the thing before it.
fn is_repeated(text: &str) -> bool {
    if text.starts_with(['*', '+', '?']) {
        return true;
    }
    let count = text.strip_prefix('{').and_then(|rest| rest.split_once('}'));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    count.is_some_and(|(count, _)| {
        let (least, most) = count.split_once(',').unwrap_or((count, ""));
        !least.is_empty() && is_number(least) && is_number(most)
    })
}

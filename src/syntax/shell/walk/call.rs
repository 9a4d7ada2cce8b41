//! Calls of functions with what they are given.

use super::bound::is_selector;
use super::items::{Bound, Known, items, known};
use super::tokens::{READ, Token, end};
use crate::syntax::named::listed;

static RUNS_SHELL: &[&str] = listed!("RUNS_SHELL");
static DECODING: &[&str] = listed!("DECODING");
pub(super) static TREES: &[&str] = listed!("TREES");

/// A call of a function with its arguments.
#[expect(clippy::struct_excessive_bools, reason = "each comes from an argument of its own")]
pub(super) struct Call<'t> {
    /// The name in front of its dot.
    pub(super) receiver: &'t str,
    pub(super) texts: Vec<String>,
    pub(super) names: Vec<&'t str>,
    pub(super) numbers: Vec<&'t str>,
    pub(super) recursive: bool,
    /// The way by which an argument is decoded or fetched first.
    pub(super) origin: Option<&'static str>,
    /// True if a file is opened to write to it, by an argument with a name.
    pub(super) writes: bool,
    /// True if what it opens is closed at once.
    pub(super) closes: bool,
    /// The folder in which it runs, as a text or a name.
    pub(super) folder: Option<String>,
    /// True if its texts are joined to one.
    pub(super) joins: bool,
    /// The text that what it runs reads.
    pub(super) input: Option<&'t str>,
}

impl<'t> Call<'t> {
    pub(super) fn at(
        tokens: &'t [Token<'t>],
        at: usize,
        name: &str,
        bound: &Bound<'_>,
    ) -> Option<Self> {
        let sign = |at: Option<usize>| match at.and_then(|at| tokens.get(at)) {
            Some(Token::Sign(sign)) => *sign,
            _ => ' ',
        };
        let dotted = matches!(sign(at.checked_sub(1)), '.' | ':' | '>');
        let before = (1..=3).filter_map(|back| tokens.get(at.checked_sub(back)?));
        let receiver = before.filter(|_| dotted).find_map(|token| match token {
            Token::Name(name) => Some(*name),
            // `require('x').name(…)`
            Token::Text(name) => Some(name.as_str()),
            Token::Shell(_) | Token::Sign(_) => None,
        });
        let passes = matches!(tokens.get(at), Some(Token::Text(_))) && sign(Some(at + 1)) == ',';
        let selects = is_selector(tokens, at) && !passes;
        // `map(os.remove, …)`
        let is_mapped = [2, 4]
            .iter()
            .any(|back| at.checked_sub(*back).is_some_and(|at| tokens[at] == Token::Name("map")));
        let is_marked = sign(Some(at + 1)) == '!';
        let start = if selects || is_marked { at + 2 } else { at + 1 };
        // `script` is the last word of `do shell script "…"`.
        let calls = match tokens.get(start) {
            Some(Token::Sign(',')) if is_mapped => true,
            Some(Token::Sign(',')) => passes || sign(at.checked_sub(1)) == ':',
            Some(Token::Text(_) | Token::Sign('(' | '$' | '@' | '*' | '<')) => true,
            Some(Token::Name(_)) => {
                matches!(name, "exec" | "system" | "unlink" | "kill" | "chmod")
                    || TREES.contains(&name)
                    || (receiver == Some("File") && name == "delete")
                    || receiver == Some("FileUtils")
            }
            None | Some(Token::Sign(';' | '}')) => name == "unlink" && receiver.is_none(),
            _ => false,
        };
        if !calls {
            return None;
        }
        let mut call = Self {
            receiver: receiver.unwrap_or_default(),
            texts: Vec::new(),
            names: Vec::new(),
            numbers: Vec::new(),
            recursive: false,
            origin: None,
            writes: false,
            closes: matches!(
                tokens.get(end(tokens, start)..),
                Some([Token::Sign('.'), Token::Name("close"), ..])
            ),
            folder: None,
            joins: false,
            input: None,
        };
        let runs = runs_shell(name, &call);
        call.texts = items(tokens, start, bound, runs).into_iter().flatten().collect();
        call.read(&tokens[start..]);
        let folder = call.folder.as_deref().and_then(|name| known(bound, name, at));
        if let Some(text) = folder.and_then(|it| it.texts().next()) {
            call.folder = Some(text.clone());
        }
        // What is called on a path, as in `p.unlink()` and `Path("x").unlink()`.
        if dotted && call.texts.is_empty() {
            let own = known(bound, call.receiver, at).map(Known::texts);
            call.texts.extend(own.into_iter().flatten().cloned());
        }
        if dotted && call.texts.is_empty() {
            let before = tokens[..at].iter().enumerate().rev().take(4);
            let is_module =
                |at: usize| at > 1 && matches!(tokens[at - 2], Token::Name("require" | "import"));
            call.texts.extend(before.filter_map(|(at, token)| match token {
                Token::Text(text) if !is_module(at) => Some(text.clone()),
                _ => None,
            }));
        }
        Some(call)
    }

    /// Reads the names in the arguments up to the bracket or the end of the statement that closes them.
    fn read(&mut self, tokens: &'t [Token<'t>]) {
        let mut depth = 0_i32;
        let is_sign = |at: usize, sign| at > 0 && tokens[at - 1] == Token::Sign(sign);
        for (at, token) in tokens.iter().enumerate().take(READ) {
            match token {
                Token::Sign('(' | '[' | '{') => depth += 1,
                Token::Sign(')' | ']' | '}') => {
                    depth -= 1;
                    if depth <= 0 && tokens.get(at + 1) != Some(&Token::Sign('+')) {
                        return;
                    }
                }
                Token::Sign(';') if depth == 0 => return,
                // `[::-1]`
                Token::Sign('-') if at > 1 && is_sign(at, ':') && is_sign(at - 1, ':') => {
                    self.origin = self.origin.or(Some("base64"));
                }
                Token::Text(text) => {
                    self.origin = self.origin.or((text == "base64").then_some("base64"));
                    let is_named = is_sign(at, '=') || is_sign(at, ':');
                    let name = tokens.get(at.wrapping_sub(2)).filter(|_| is_named);
                    if name == Some(&Token::Name("input")) {
                        self.input = Some(text);
                    }
                    let is_mode = name == Some(&Token::Name("mode"));
                    self.writes |= is_mode && text.contains(['w', 'a', '+']);
                }
                Token::Name("cwd") => {
                    self.folder = match tokens[at + 1..] {
                        [Token::Sign('=' | ':'), Token::Name(name), ..] => Some(name.to_owned()),
                        [Token::Sign('=' | ':'), Token::Text(ref text), ..] => Some(text.clone()),
                        _ => None,
                    };
                }
                Token::Name(name) => {
                    let of_path =
                        is_sign(at, '.') && matches!(tokens[..at], [.., Token::Name(_), _]);
                    self.joins |= matches!(*name, "implode" | "escapeshellarg")
                        || (*name == "join" && !of_path);
                    self.names.push(name);
                    self.recursive |= name.eq_ignore_ascii_case("recursive");
                    self.writes |= matches!(*name, "O_WRONLY" | "O_RDWR");
                    let fetches = matches!(*name, "urlopen" | "requests").then_some("fetch");
                    let decodes = DECODING.iter().any(|it| name.ends_with(it)).then_some("base64");
                    self.origin = self.origin.or(fetches).or(decodes);
                    let is_number = name.starts_with(|first: char| first.is_ascii_digit());
                    self.numbers.extend(is_number.then_some(*name));
                }
                _ => {}
            }
        }
    }

    /// The number of letters in its texts.
    pub(super) fn length(&self) -> usize {
        self.texts.iter().map(String::len).sum()
    }

    /// The mode that it is given.
    pub(super) fn mode(&self) -> Option<&str> {
        self.numbers.first().map(|mode| mode.trim_start_matches("0o"))
    }
}

pub(super) fn runs_shell(name: &str, call: &Call<'_>) -> bool {
    RUNS_SHELL.contains(&name) || matches!(name, "run" | "call") && call.receiver != "app"
}

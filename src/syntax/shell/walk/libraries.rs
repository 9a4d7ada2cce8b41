//! Methods of libraries that delete, and what programs send away.

use super::super::Word;
use super::items::{Bound, items, known};
use super::state::{Place, Walk};
use super::tokens::{READ, Token, end};
use crate::syntax::named::listed;

/// A method, and the command that does the same; `libraries.toml` says what the fields mean.
struct Method {
    name: &'static str,
    marks: &'static [&'static str],
    of: &'static str,
    with: &'static str,
    unless: &'static str,
    bare: bool,
    command: &'static str,
}

static METHODS: &[Method] = listed!("Method");
static SENDS: &[&str] = listed!("SENDS");
static READS: &[&str] = listed!("READS_FILES");

/// So many names may be before a method.
const CHAIN: usize = 12;

/// The arguments of a method, and the names before it.
struct Called<'t> {
    texts: Vec<String>,
    names: Vec<&'t str>,
    chain: Vec<&'t str>,
    is_bare: bool,
}

impl Method {
    fn is(&self, name: &str) -> bool {
        match self.name.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => self.name == name,
        }
    }

    fn fits(&self, called: &Called<'_>) -> bool {
        let has = |words: &str, name: &&str| words.split(' ').any(|word| word == *name);
        let begins = |name: &&str| self.unless.split(' ').any(|start| name.starts_with(start));
        let all = || called.chain.iter().chain(&called.names);
        (self.of.is_empty() || called.chain.iter().any(|name| has(self.of, name)))
            && (self.with.is_empty() || called.names.iter().any(|name| has(self.with, name)))
            && (self.unless.is_empty() || !all().any(begins))
            && (called.is_bare || !self.bare)
    }

    fn words(&self, name: &str, called: &Called<'_>) -> Vec<String> {
        let name = of_command(name);
        let mut words = Vec::new();
        for word in self.command.split(' ') {
            match word {
                "{name}" => words.push(name.clone()),
                "{kind}" => words.extend(name.rsplit('-').next().map(str::to_owned)),
                "{mode}" => words.extend(called.names.first().map(|it| (*it).to_owned())),
                "{words}" if self.command.starts_with("git") => {
                    words.extend(called.texts.iter().map(|text| option(&name, text)));
                }
                "{words}" => words.extend(called.texts.iter().cloned()),
                word => words.push(word.to_owned()),
            }
        }
        words
    }
}

impl<'t> Called<'t> {
    fn at(tokens: &'t [Token<'t>], at: usize, bound: &Bound<'_>) -> Self {
        let opens = tokens.get(at + 1) == Some(&Token::Sign('('));
        let (chain, owner) = chain(tokens, at);
        let end = if opens { end(tokens, at + 1) } else { at + 1 };
        let inside = &tokens[(at + 1).min(end)..end];
        let is_text = |it: &Token<'_>| matches!(it, Token::Text(_));
        let mut texts: Vec<String> = if opens || tokens.get(at + 1).is_some_and(is_text) {
            items(tokens, at + 1, bound, false).into_iter().flatten().collect()
        } else {
            Vec::new()
        };
        let (mut names, mut is_bare) = (Vec::new(), true);
        for (at, token) in inside.iter().enumerate() {
            is_bare &= match token {
                Token::Sign(sign) => matches!(sign, '(' | ')' | '{' | '}' | ':'),
                Token::Text(text) => text.is_empty(),
                Token::Name(name) => *name == "where",
                Token::Shell(_) => false,
            };
            match token {
                Token::Text(text) if !texts.contains(text) => texts.push(text.clone()),
                Token::Name(name) => {
                    let is_set = inside
                        .get(at + 2)
                        .is_some_and(|it| matches!(it, Token::Name("True" | "true" | "null")));
                    if is_set {
                        let dashes = if name.len() == 1 { "-" } else { "--" };
                        texts.push(format!("{dashes}{name}"));
                    } else if name.eq_ignore_ascii_case("hard") || name.ends_with("_HARD") {
                        texts.push("--hard".to_owned());
                    } else if *name == "FORCE" {
                        texts.push("-f".to_owned());
                    }
                    names.push(*name);
                }
                _ => {}
            }
        }
        texts.retain(|text| !text.is_empty());
        if texts.is_empty() {
            let inside = owner.map_or(&[][..], |start| &tokens[start..at]);
            texts.extend(inside.iter().filter_map(|token| match token {
                Token::Text(text) => Some(text.clone()),
                _ => None,
            }));
            let own = chain.first().and_then(|name| known(bound, name, at));
            texts.extend(own.into_iter().flat_map(|it| it.texts().cloned()));
        }
        Self { texts, names, chain, is_bare }
    }
}

impl Walk<'_> {
    /// Shows the command that does the same as a method of a library.
    pub(super) fn library(
        &mut self,
        methods: &mut Methods<'_>,
        (tokens, at): (&[Token<'_>], usize),
        bound: &Bound<'_>,
        place: Place<'_>,
    ) {
        let Token::Name(name) = tokens[at] else { return };
        let first = |it: &Method| it.name.as_bytes()[0];
        for (nth, method) in METHODS.iter().enumerate() {
            let may_be = first(method) == name.as_bytes()[0] || first(method) == b'*';
            if !may_be || !method.is(name) || !methods.has(nth) {
                continue;
            }
            if !self.spend(READ) {
                return;
            }
            let called = Called::at(tokens, at, bound);
            let rehearses = |it: &&str| matches!(*it, "DryRun" | "dryRun" | "dry_run");
            if called.names.iter().any(rehearses) {
                continue;
            }
            let goes_on = matches!(tokens.get(at + 1), Some(Token::Sign('(') | Token::Text(_)))
                // `each(&:delete_all)`
                || matches!(tokens[..at], [.., Token::Sign('&'), Token::Sign(':')]);
            if (goes_on || !called.chain.is_empty()) && method.fits(&called) {
                let words: Vec<Word<'_>> =
                    method.words(name, &called).into_iter().map(Word::literal).collect();
                self.call_deeper(&words, place);
            }
        }
    }

    /// Shows the files that a program reads which sends something, and that it sends its environment.
    pub(super) fn sent(&mut self, tokens: &[Token<'_>], place: Place<'_>) {
        let calls = |at: usize, names: &[&str]| {
            matches!(tokens.get(at + 1), Some(Token::Sign('(') | Token::Text(_)))
                && matches!(tokens[at], Token::Name(name) if names.contains(&name))
        };
        if !(0..tokens.len()).any(|at| calls(at, SENDS)) {
            return;
        }
        let file = |at: &usize| match tokens.get(*at + 1..)? {
            [Token::Text(file), ..] | [Token::Sign('('), Token::Text(file), ..] => Some(file),
            _ => None,
        };
        let files = (0..tokens.len()).filter(|at| calls(*at, READS)).filter_map(|at| file(&at));
        let mut files: Vec<Word<'_>> =
            files.take(READ).map(|it| Word::literal(it.as_str())).collect();
        if !files.is_empty() || (0..tokens.len()).any(|at| calls(at, READS)) {
            // `join(home, ".ssh", name)` and `home + "/.aws/credentials"`
            let of_home = |it: &&Token<'_>| match it {
                Token::Text(text) => text.starts_with("/.") || matches!(&**text, ".ssh" | ".aws"),
                _ => false,
            };
            files.extend(tokens.iter().filter(of_home).filter_map(|it| match it {
                Token::Text(text) => Some(Word::literal(text.as_str())),
                _ => None,
            }));
        }
        if !files.is_empty() {
            self.show("file-send", &files, place);
        }
        let is_whole = |at: usize| {
            let behind = tokens.get(at + 1..).unwrap_or_default();
            let before = &tokens[at.saturating_sub(4)..at];
            let is_spread = before.iter().any(|it| matches!(it, Token::Sign('*')))
                || matches!(before, [Token::Name("env"), ..] | [_, Token::Name("env"), ..]);
            let is_one = match behind {
                [Token::Sign('.'), Token::Name(name), ..] => {
                    !matches!(*name, "items" | "copy" | "to_h" | "to_a" | "to_json" | "map")
                }
                [Token::Sign('['), ..] => true,
                _ => false,
            };
            !is_spread && !is_one
        };
        let names_all = |at: usize| match (&tokens[at], &tokens[..at]) {
            (Token::Name("environ" | "_ENV"), _)
            | (Token::Name("env"), [.., Token::Name("process"), Token::Sign('.')])
            | (Token::Name("ENV"), [.., Token::Sign('%')]) => is_whole(at),
            (Token::Name("ENV"), _) => {
                tokens.get(at + 1) == Some(&Token::Sign('.')) && is_whole(at)
            }
            _ => false,
        };
        if (0..tokens.len()).any(names_all) {
            self.show("secret-send", &[Word::literal("env")], place);
        }
    }
}

/// The methods that a program may call, as far as that was asked.
pub(super) struct Methods<'p> {
    text: &'p str,
    known: Vec<Option<bool>>,
}

impl<'p> Methods<'p> {
    pub(super) fn new(text: &'p str) -> Self {
        Self { text, known: Vec::new() }
    }

    fn has(&mut self, nth: usize) -> bool {
        self.known.resize(METHODS.len(), None);
        let marks = METHODS[nth].marks;
        let has = || marks.is_empty() || marks.iter().any(|mark| self.text.contains(mark));
        *self.known[nth].get_or_insert_with(has)
    }
}

/// The names before a method, the nearest first, as `all` and `objects` are before `delete` in
/// `objects.all().delete()`, and the place of the bracket in front of it.
fn chain<'t>(tokens: &[Token<'t>], at: usize) -> (Vec<&'t str>, Option<usize>) {
    let (mut names, mut owner) = (Vec::new(), None);
    let mut at = at;
    for _ in 0..CHAIN {
        at -= match &tokens[..at] {
            [.., Token::Sign('?' | '!' | '&'), Token::Sign('.')]
            | [.., Token::Sign(':'), Token::Sign(':')]
            | [.., Token::Sign('-'), Token::Sign('>')] => 2,
            [.., Token::Sign('.')] => 1,
            _ => break,
        };
        while let Some(Token::Sign(')' | ']' | '}')) = at.checked_sub(1).map(|at| &tokens[at]) {
            let mut depth = 0_i32;
            let opens = (at.saturating_sub(READ)..at).rev().find(|at| {
                depth += match tokens[*at] {
                    Token::Sign(')' | ']' | '}') => 1,
                    Token::Sign('(' | '[' | '{') => -1,
                    _ => 0,
                };
                depth == 0
            });
            let Some(start) = opens else { return (names, owner) };
            owner = owner.or(Some(start));
            at = start;
        }
        match at.checked_sub(1).map(|at| &tokens[at]) {
            Some(Token::Name(name)) => {
                names.push(*name);
                at -= 1;
            }
            _ => break,
        }
    }
    (names, owner)
}

/// The name of a method as a command has it: `delete-bucket` for `delete_bucket` and `DeleteBucketCommand`.
fn of_command(name: &str) -> String {
    let mut made = String::new();
    for letter in name.strip_suffix("Command").unwrap_or(name).chars() {
        if letter.is_ascii_uppercase() && !made.is_empty() && !made.ends_with('-') {
            made.push('-');
        }
        made.push(if letter == '_' { '-' } else { letter.to_ascii_lowercase() });
    }
    made
}

/// An option of git as its libraries abbreviate it: `hard` and `fd`.
fn option(command: &str, text: &str) -> String {
    let is_short = || text.bytes().all(|it| b"fdxXqn".contains(&it));
    match command {
        "reset" if matches!(text, "hard" | "--index" | "--working_tree") => "--hard".to_owned(),
        "clean" if !text.is_empty() && is_short() => format!("-{text}"),
        _ if text.starts_with("--") => text.replace('_', "-"),
        _ => text.to_owned(),
    }
}

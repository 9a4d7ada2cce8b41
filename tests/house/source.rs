//! Rust code as far as the rule of the house needs it: paths, macro calls, where the tests begin.

/// A path that code names, with groups in braces written out one by one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// Where, counted from 1.
    pub(crate) line: usize,
    /// Its parts.
    pub(crate) path: Vec<String>,
    /// Whether a `pub use` hands it on.
    pub(crate) handed_on: bool,
}

/// A file of code.
#[derive(Debug)]
pub(crate) struct Source {
    /// Every path of it.
    pub(crate) paths: Vec<Named>,
    /// Every macro call, by line and name.
    pub(crate) macros: Vec<(usize, String)>,
    /// The line its tests begin in.
    pub(crate) tests: Option<usize>,
    /// How many lines it has.
    pub(crate) lines: usize,
}

impl Source {
    /// Reads a file's text.
    pub(crate) fn of(text: &str) -> Self {
        let code = code(text);
        let mut scanner = Scanner {
            code: &code,
            at: 0,
            counted: (0, 1),
            handing_on: false,
            paths: Vec::new(),
            macros: Vec::new(),
        };
        scanner.scan();
        let lines: Vec<&str> = text.lines().collect();
        let tests = lines
            .windows(2)
            .position(|pair| pair[0] == "#[cfg(test)]" && pair[1].ends_with('{'))
            .map(|index| index + 1);
        Self { paths: scanner.paths, macros: scanner.macros, tests, lines: lines.len() }
    }
}

/// The text with comments and the content of literals blanked, line by line as before.
fn code(text: &str) -> Vec<char> {
    let text: Vec<char> = text.chars().collect();
    let mut code = text.clone();
    let mut at = 0;
    while at < text.len() {
        let end = match (text[at], text.get(at + 1)) {
            ('/', Some('/')) => until(&text, at, |rest| rest[0] == '\n'),
            ('/', Some('*')) => comment(&text, at),
            ('"', _) => string(&text, at),
            ('r', Some('"' | '#')) if !follows_word(&text, at) => raw(&text, at),
            ('\'', _) => character(&text, at),
            _ => at + 1,
        };
        if end > at + 1 {
            for blank in code[at..end].iter_mut().filter(|character| **character != '\n') {
                *blank = ' ';
            }
        }
        at = end;
    }
    code
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

// A prefix such as `br` belongs to the literal; any longer word is a name that ends in r.
fn follows_word(text: &[char], at: usize) -> bool {
    let before = text[..at].iter().rev().take_while(|character| is_word(**character)).count();
    before > usize::from(before > 0 && matches!(text[at - 1], 'b' | 'c'))
}

fn until(text: &[char], from: usize, end: impl Fn(&[char]) -> bool) -> usize {
    (from..text.len()).find(|at| end(&text[*at..])).unwrap_or(text.len())
}

fn comment(text: &[char], from: usize) -> usize {
    let (mut depth, mut at) = (0_usize, from);
    while at < text.len() {
        match (text[at], text.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at.min(text.len())
}

fn string(text: &[char], from: usize) -> usize {
    let mut at = from + 1;
    while at < text.len() && text[at] != '"' {
        at += if text[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(text.len())
}

fn raw(text: &[char], from: usize) -> usize {
    let hashes = text[from + 1..].iter().take_while(|character| **character == '#').count();
    let open = from + 1 + hashes;
    if text.get(open) != Some(&'"') {
        return open;
    }
    let close: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    (until(text, open + 1, |rest| rest.starts_with(&close)) + close.len()).min(text.len())
}

// What is not closed by a quote is a lifetime.
fn character(text: &[char], from: usize) -> usize {
    match (text.get(from + 1), text.get(from + 2)) {
        (Some('\\'), Some(_)) => {
            (until(text, from + 3, |rest| rest[0] == '\'') + 1).min(text.len())
        }
        (Some(_), Some('\'')) => from + 3,
        _ => from + 1,
    }
}

struct Scanner<'a> {
    code: &'a [char],
    at: usize,
    /// How far lines were counted, and the line there.
    counted: (usize, usize),
    /// Whether the path being read is that of a `pub use`.
    handing_on: bool,
    paths: Vec<Named>,
    macros: Vec<(usize, String)>,
}

impl Scanner<'_> {
    fn scan(&mut self) {
        while self.at < self.code.len() {
            if is_word(self.code[self.at]) {
                let is_public = self.follows_pub();
                let is_use = self.code[self.at..].starts_with(&['u', 's', 'e', ' ']);
                self.tree(&mut Vec::new());
                self.handing_on = is_use && is_public;
            } else {
                self.at += 1;
            }
        }
    }

    // `pub` and `pub(crate)` alike.
    fn follows_pub(&self) -> bool {
        let before: String = self.code[..self.at].iter().rev().take(12).collect();
        let before = before.trim_start();
        let before = before
            .strip_prefix(')')
            .map_or(before, |scope| scope.split_once('(').map_or(scope, |(_, before)| before));
        before.starts_with("bup")
    }

    fn line(&mut self) -> usize {
        let (from, line) = self.counted;
        let passed = self.code[from..self.at].iter().filter(|it| **it == '\n').count();
        self.counted = (self.at, line + passed);
        self.counted.1
    }

    fn blanks(&mut self) {
        while self.code.get(self.at).is_some_and(|character| character.is_whitespace()) {
            self.at += 1;
        }
    }

    fn eat(&mut self, wanted: &str) -> bool {
        let wanted: Vec<char> = wanted.chars().collect();
        let found = self.code[self.at..].starts_with(&wanted);
        self.at += if found { wanted.len() } else { 0 };
        found
    }

    fn word(&mut self) -> Option<String> {
        let word: String =
            self.code[self.at..].iter().take_while(|character| is_word(**character)).collect();
        self.at += word.chars().count();
        (!word.is_empty()).then_some(word)
    }

    // Reads a path or a tree of paths that begin with `prefix`.
    fn tree(&mut self, prefix: &mut Vec<String>) {
        let line = self.line();
        let Some(word) = self.word() else { return };
        if self.code[self.at..].starts_with(&['!'])
            && !self.code[self.at..].starts_with(&['!', '='])
        {
            self.macros.push((line, word.clone()));
        }
        prefix.push(word);
        let end = self.at;
        self.blanks();
        if !self.eat("::") {
            self.at = end;
            self.paths.push(Named { line, path: prefix.clone(), handed_on: self.handing_on });
            return;
        }
        self.blanks();
        if self.eat("{") {
            self.group(prefix);
        } else if self.code.get(self.at).copied().is_some_and(is_word) {
            self.tree(prefix);
        } else {
            self.paths.push(Named { line, path: prefix.clone(), handed_on: self.handing_on });
        }
    }

    fn group(&mut self, prefix: &[String]) {
        loop {
            self.blanks();
            if self.at >= self.code.len() || self.eat("}") {
                return;
            }
            let before = self.at;
            self.tree(&mut prefix.to_vec());
            // What is left is a comma, a star, or another name for the path.
            while self.at < self.code.len() && !matches!(self.code[self.at], ',' | '}') {
                self.at += 1;
            }
            if !self.eat(",") && self.at == before {
                return;
            }
        }
    }
}

#[test]
fn code_is_read_as_far_as_needed() {
    let source = Source::of(
        r##"//! crate::comment
use crate::{client::{self, event::*}, manifest as other};
pub(crate) use seven::Eight;
fn f<'a>(text: &'a str) -> char {
    /* crate::block /* nested */ std::fs */
    println!("crate::text {}", r#"std::env"#);
    super::super::chain::g(text != "\"crate::quoted", '"')
}

#[cfg(test)]
mod tests {
}
"##,
    );
    let paths: Vec<(usize, String)> = source
        .paths
        .iter()
        .filter(|named| named.path.len() > 1)
        .map(|named| (named.line, named.path.join("::")))
        .collect();
    let expected = [
        (2, "crate::client::self"),
        (2, "crate::client::event"),
        (2, "crate::manifest"),
        (3, "seven::Eight"),
        (7, "super::super::chain::g"),
    ];
    assert_eq!(paths, expected.map(|(line, path)| (line, path.to_owned())));
    let handed_on = source.paths.iter().filter(|named| named.handed_on);
    let handed_on: Vec<String> = handed_on.map(|named| named.path.join("::")).collect();
    assert_eq!(handed_on, ["seven::Eight"]);
    assert_eq!(source.macros, [(6, "println".to_owned())]);
    assert_eq!((source.tests, source.lines), (Some(10), 12));
}

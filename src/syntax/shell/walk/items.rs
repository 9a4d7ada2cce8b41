//! The texts of lists and of the arguments of calls, where some names are known.

use super::tokens::{READ, Token, end, ends_before, known_folder};
use crate::syntax::named::listed;

pub(super) static LISTS: &[&str] = listed!("LISTS");

/// So much text one value gets from names.
const LONGEST: usize = 4 << 10;
/// So many places for names are looked at in a text, each so long.
const HOLES: usize = 64;
const LONGEST_HOLE: usize = 64;

/// A name with the texts of each element of its value.
#[derive(Clone)]
pub(super) struct Known<'t> {
    pub(super) name: &'t str,
    /// The place from which on it has the value.
    pub(super) at: usize,
    /// The places where its value begins and what is added to that.
    pub(super) parts: Vec<usize>,
    /// The element of the value that it is, and whether all that follow it too, where it is taken out of a list.
    pub(super) taken: Option<(usize, bool)>,
    pub(super) items: Items,
}

pub(super) type Items = Vec<Vec<String>>;
pub(super) type Bound<'t> = Vec<Known<'t>>;

impl<'t> Known<'t> {
    pub(super) fn new(name: &'t str, items: Items) -> Self {
        Self { name, at: 0, parts: Vec::new(), taken: None, items }
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &String> {
        self.items.iter().flatten()
    }

    fn joined(&self) -> String {
        self.texts().map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    /// Reads the value again where other names are known.
    pub(super) fn again(&self, tokens: &[Token<'_>], bound: &Bound<'_>) -> Self {
        let mut again = Self { at: 0, items: Vec::new(), ..self.clone() };
        for part in &self.parts {
            again.add(tokens, *part, items(tokens, *part, bound, false));
        }
        if let Some((nth, takes_all)) = self.taken {
            let end = if takes_all { again.items.len() } else { again.items.len().min(nth + 1) };
            again.items = again.items.get(nth..end).unwrap_or_default().to_vec();
        }
        again
    }

    pub(super) fn add(&mut self, tokens: &[Token<'_>], part: usize, more: Items) {
        let is_text = matches!(tokens.get(part), Some(Token::Text(_)));
        // `c += "x"`, and not `c.append("x")`
        if is_text
            && tokens[part - 1] == Token::Sign('=')
            && let Some(last) = self.items.last_mut().and_then(|item| item.last_mut())
        {
            last.extend(more.iter().flatten().map(String::as_str));
        } else {
            self.items.extend(more);
        }
    }
}

/// The value that a name has at a place.
pub(super) fn known<'b, 't>(bound: &'b Bound<'t>, name: &str, at: usize) -> Option<&'b Known<'t>> {
    let is_it = |it: &&Known<'_>| it.name == name;
    bound.iter().rfind(|it| is_it(it) && it.at <= at).or_else(|| bound.iter().rfind(is_it))
}

/// The elements of a list, or the arguments of a call, that begin at a place, each with its texts. An
/// unknown one that is joined to what a shell reads has a name in its place.
pub(super) fn items(
    tokens: &[Token<'_>],
    start: usize,
    bound: &Bound<'_>,
    runs: bool,
) -> Vec<Vec<String>> {
    let mut list = List {
        tokens: &tokens[..tokens.len().min(start + READ)],
        start,
        items: Vec::new(),
        is_new: true,
        depth: 0,
        path: i32::MAX,
        is_first: false,
        room: LONGEST,
        next: 0,
    };
    let mut at = start;
    while at < list.tokens.len() && list.read(at, bound, runs) {
        at = list.next.max(at + 1);
    }
    list.items.truncate(READ);
    list.items
}

struct List<'l> {
    tokens: &'l [Token<'l>],
    start: usize,
    items: Items,
    /// True if what comes next is another element.
    is_new: bool,
    depth: i32,
    /// The depth in a call that joins the parts of a path, and whether its first part comes next.
    path: i32,
    is_first: bool,
    room: usize,
    /// Up to this place all was read already.
    next: usize,
}

impl List<'_> {
    fn sign(&self, at: usize) -> char {
        match self.tokens.get(at) {
            Some(Token::Sign(sign)) => *sign,
            _ => ' ',
        }
    }

    fn texts(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.items.iter().flatten().map(String::as_str)
    }

    fn before(&self, at: usize, back: usize) -> Option<usize> {
        at.checked_sub(back).filter(|it| *it >= self.start)
    }

    /// The sign before a text or a name, and whether that has one of its own.
    fn near(&self, at: usize) -> (char, bool) {
        let before = |back| self.before(at, back).map_or(' ', |at| self.sign(at));
        let has_sigil = matches!(before(1), '$' | '@');
        (before(1 + usize::from(has_sigil)), has_sigil)
    }

    /// The text that joins a text to the one before.
    fn separator(&self, at: usize) -> Option<&'static str> {
        let (near, has_sigil) = self.near(at);
        let is_list = self.before(at, 2).is_some_and(|at| matches!(self.sign(at), ']' | ')'));
        match near {
            _ if self.depth >= self.path && !self.is_first => Some("/"),
            '/' => Some("/"),
            '+' if !is_list || self.depth > 1 => Some(""),
            '.' if has_sigil => Some(""),
            _ => None,
        }
    }

    /// Reads one token, and tells whether the list goes on behind it.
    fn read(&mut self, at: usize, bound: &Bound<'_>, runs: bool) -> bool {
        let tokens = self.tokens;
        match &tokens[at] {
            Token::Sign('(' | '[' | '{') => {
                self.depth += 1;
                self.is_new |= self.depth == 1;
            }
            Token::Sign(')' | ']' | '}') => {
                self.depth -= 1;
                self.path = if self.depth < self.path { i32::MAX } else { self.path };
                let next = self.sign(at + 1);
                self.is_new |= self.depth == 0 && next == '+';
                let is_joined =
                    matches!(tokens.get(at + 2), Some(Token::Text(_) | Token::Sign('$')));
                let goes_on = matches!(next, '+' | '/') || (next == '.' && is_joined);
                return self.depth > 0 || (self.depth == 0 && goes_on);
            }
            Token::Sign(';') if self.depth == 0 => return false,
            Token::Sign(',') if self.depth <= 1 && self.depth < self.path => {
                if self.is_new {
                    self.open();
                }
                self.is_new = true;
            }
            Token::Text(_) | Token::Name(_)
                if self.depth == 0 && ends_before(tokens, at, self.start) =>
            {
                return false;
            }
            Token::Text(key) if let Some(known) = self.by_key(key, at, bound) => {
                self.extend(&known.items, false);
                self.is_first = false;
            }
            Token::Text(text) => {
                let mut text = filled(text, at, bound);
                if let Some((made, next)) = self.formatted(&text, at, bound) {
                    (text, self.next) = (made, next);
                }
                if matches!(tokens[..at], [.., Token::Name("array_map"), Token::Sign('(')]) {
                    return true;
                }
                if self.depth > 0 && matches!(self.near(at).0, '=' | ':') {
                    self.open();
                } else if let Some(ends) = self.splits(at) {
                    self.add_all(text.split(ends));
                } else {
                    self.add(&text, self.separator(at));
                }
                self.is_first = false;
                let is_end = self.next > at && self.depth == 0;
                return !is_end || self.sign(self.next) == '+';
            }
            Token::Name(name) => return self.read_name(name, at, bound, runs),
            _ => {}
        }
        true
    }

    /// A text with what is put into it or between which it is put, as in `"{}".format(…)`, `"%s" % …` and
    /// `" ".join(…)`, and the place behind that.
    fn formatted(&self, text: &str, at: usize, bound: &Bound<'_>) -> Option<(String, usize)> {
        let is_print =
            matches!(self.tokens[..at], [.., Token::Name("sprintf" | "format"), Token::Sign('(')]);
        let (hole, start, end) = match self.tokens.get(at + 1..)? {
            [Token::Sign('.'), Token::Name("join"), Token::Sign('('), ..] => {
                ("", at + 3, end(self.tokens, at + 3))
            }
            [Token::Sign('.'), Token::Name("format"), Token::Sign('('), ..] => {
                ("{}", at + 3, end(self.tokens, at + 3))
            }
            [Token::Sign('%'), Token::Sign('('), ..] => ("%s", at + 2, end(self.tokens, at + 2)),
            [Token::Sign('%'), _, ..] => ("%s", at + 2, at + 3),
            _ if is_print => ("%s", at + 2, end(self.tokens, at - 1) - 1),
            _ => return None,
        };
        let words = items(self.tokens, start.min(self.tokens.len()), bound, false);
        if hole.is_empty() {
            // What is added to another text was joined to the separator.
            let (before, separator) =
                if text.len() > 2 { text.split_at(text.len() - 1) } else { ("", text) };
            return Some((before.to_owned() + &words.concat().join(separator), end));
        }
        let fill = |text: String, word: &Vec<String>| match &word[..] {
            [] => text.replacen(hole, "$it", 1),
            word => text.replacen(hole, &word.join(" "), 1),
        };
        Some((words.iter().take(HOLES).fold(text.to_owned(), fill), end))
    }

    /// The value that `step["cmd"]` names.
    fn by_key<'b>(&self, key: &str, at: usize, bound: &'b Bound<'_>) -> Option<&'b Known<'b>> {
        let owner = at.checked_sub(2).map(|at| &self.tokens[at]);
        let is_key = self.sign(at + 1) == ']'
            && at > 0
            && self.sign(at - 1) == '['
            && matches!(owner, Some(Token::Name(_) | Token::Sign(')' | ']')));
        is_key.then(|| known(bound, key, at)).flatten().filter(|it| it.at == usize::MAX)
    }

    fn read_name(&mut self, name: &str, at: usize, bound: &Bound<'_>, runs: bool) -> bool {
        let tokens = self.tokens;
        let (near, has_sigil) = self.near(at);
        let (next, mut separator) = (self.sign(at + 1), self.separator(at));
        let is_list = |it: &Known<'_>| {
            it.parts.first().is_some_and(|at| tokens.get(*at) == Some(&Token::Sign('[')))
        };
        // `BASE + words`
        if near == '+'
            && let Some(Token::Name(base)) = self.before(at, 2).map(|at| &tokens[at])
            && known(bound, base, at).is_some_and(is_list)
        {
            (self.is_new, separator) = (true, None);
        }
        // `step["cmd"]`
        if next == '['
            && let Some(Token::Text(key)) = tokens.get(at + 2)
            && self.by_key(key, at + 2, bound).is_some()
        {
            return true;
        }
        let in_braces = self.before(at, 1).is_some_and(|at| self.sign(at) == '{');
        let is_whole = self.depth <= 1 || self.depth >= self.path || in_braces;
        if let Some(folder) = known_folder(tokens, at)
            && is_whole
            && self.items.iter().all(Vec::is_empty)
        {
            self.add(folder, separator);
            self.is_first = false;
            return true;
        }
        let calls_path = next == '(' && matches!(name, "join" | "resolve" | "Path");
        let owner = self.before(at, 2).map(|at| &tokens[at]);
        let is_method = near == '.' && matches!(owner, Some(Token::Name(_)));
        if calls_path && (is_method || name == "Path") && self.path == i32::MAX {
            (self.path, self.is_first) = (self.depth + 1, true);
        }
        let is_value = self.depth > 0 && matches!(near, '=' | ':');
        let is_keyword = next == '=' && self.sign(at + 2) != '=';
        let splits = self.splits(at);
        let is_near = self.depth <= 1 + i32::from(runs || splits.is_some())
            || self.depth >= self.path
            || near == '/';
        let is_spread = near == '.' && self.before(at, 2).is_some_and(|at| self.sign(at) == '.');
        let is_own =
            has_sigil || near != '.' || is_spread || matches!(name, "argv" | "Args" | "args");
        let is_symbol = near == ':' && self.before(at, 2).is_some_and(|at| self.sign(at) == '[');
        let is_key = |it: &Known<'_>| it.at == usize::MAX && (next != ':' || self.depth == 0);
        let known = known(bound, name, at).filter(|it| {
            let is_read = it.taken.is_none() || !it.items.is_empty();
            is_read && is_near && (is_own || is_key(it)) && !is_keyword && (!is_value || is_symbol)
        });
        let callee = at.checked_sub(2).and_then(|at| tokens.get(at));
        let is_spread = matches!(near, '*' | '.')
            || self.depth == 0
            || has_sigil
            || matches!(callee, Some(Token::Name(name)) if LISTS.contains(name));
        match known {
            Some(known) => {
                self.is_first = false;
                let chosen = chosen(&known.items, &tokens[at + 1..]);
                if let Some(ends) = splits {
                    self.add_all(chosen.iter().flatten().flat_map(|text| text.split(ends)));
                } else if separator.is_some() {
                    let texts: Vec<&str> = chosen.iter().flatten().map(String::as_str).collect();
                    self.add(&texts.join(" "), separator);
                } else {
                    self.extend(chosen, is_spread);
                }
                // `dirs.forEach(…)`
                let is_method = next == '.' && !matches!(tokens.get(at + 2), Some(Token::Sign(_)));
                return self.depth > 0 || !is_method;
            }
            None if runs && separator == Some("") && !calls_path && !LISTS.contains(&name) => {
                self.add("$it", separator);
            }
            // `["git", "checkout"] + files`
            None if near == '+' && self.depth == 0 && !matches!(next, '(' | '.') => {
                self.is_new = true;
                self.add("$it", None);
            }
            // `["git", "-C", folder, "reset"]` and `["git", "restore", path]`
            None if runs && matches!(self.texts().next_back(), Some("-C" | "--" | "restore")) => {
                self.is_new = true;
                self.add("$it", None);
            }
            None if self.depth <= 1 && !matches!(next, '(' | '.') => self.open(),
            None => {}
        }
        true
    }

    /// The ends of the words or lines to which a text or a name is split.
    fn splits(&self, at: usize) -> Option<fn(char) -> bool> {
        let name = |at: usize| match self.tokens.get(at) {
            Some(Token::Name(name)) => *name,
            _ => "",
        };
        let ends = |by: usize| -> fn(char) -> bool {
            let is_line = |it: &Token<'_>| matches!(it, Token::Text(by) if by.contains('\n'));
            let by_lines = match self.tokens.get(by..).unwrap_or_default() {
                [Token::Sign('/'), Token::Sign('\\'), Token::Name("n" | "r"), ..] => true,
                [by, ..] => is_line(by),
                [] => false,
            };
            if by_lines { |it| it == '\n' } else { char::is_whitespace }
        };
        // `cmds.strip().split('\n')`
        let mut dot = at + 1;
        while self.sign(dot) == '.' {
            match name(dot + 1) {
                "split" => return Some(ends(dot + 3)),
                "words" => return Some(char::is_whitespace),
                "splitlines" | "lines" | "each_line" => return Some(|it| it == '\n'),
                "strip" | "trim" | "chomp" => {}
                _ => break,
            }
            dot += if self.sign(dot + 2) == '(' { 4 } else { 2 };
        }
        // `shlex.split(cmd)`, and `split(/\n/, $cmds)` in Perl
        let back = [2, 4, 5, 7, 8].iter().filter_map(|back| at.checked_sub(*back));
        let mut back = back.filter(|it| matches!(name(*it), "split" | "splitlines" | "words"));
        let own = back.find(|it| *it + 2 == at || (*it + 3..at).any(|at| self.sign(at) == ','))?;
        Some(ends(own + 1 + usize::from(self.sign(own + 1) == '(')))
    }

    fn add_all<'w>(&mut self, words: impl Iterator<Item = &'w str>) {
        for word in words.map(str::trim).filter(|word| !word.is_empty()).take(READ) {
            self.is_new = true;
            self.add(word, None);
        }
    }

    fn open(&mut self) {
        if self.is_new || self.items.is_empty() {
            self.items.push(Vec::new());
        }
        self.is_new = false;
    }

    /// Adds a text, or joins it to the one before.
    fn add(&mut self, text: &str, separator: Option<&str>) {
        let last = self.items.last_mut().and_then(|item| item.last_mut());
        match (last, separator) {
            (Some(last), Some(separator)) if !self.is_new => last.extend([separator, text]),
            _ => {
                self.open();
                self.items.last_mut().expect("it is open").push(text.to_owned());
            }
        }
    }

    fn extend(&mut self, items: &[Vec<String>], is_spread: bool) {
        for item in items {
            let length: usize = item.iter().map(|text| text.len() + 1).sum();
            let Some(room) = self.room.checked_sub(length) else { return };
            self.room = room;
            self.is_new |= is_spread;
            self.open();
            self.items.last_mut().expect("it is open").extend(item.iter().cloned());
        }
    }
}

/// The elements that `[1]` and `[1:]` mean.
fn chosen<'i>(items: &'i [Vec<String>], behind: &[Token<'_>]) -> &'i [Vec<String>] {
    let (number, is_open) = match behind {
        [Token::Sign('['), Token::Name(number), Token::Sign(sign), ..] => (number, *sign == ':'),
        [Token::Sign('.'), Token::Name("slice"), Token::Sign('('), Token::Name(number), ..] => {
            (number, true)
        }
        _ => return items,
    };
    let first: usize = number.parse().unwrap_or(usize::MAX);
    let end = if is_open { items.len() } else { first.saturating_add(1) };
    items.get(first..end).unwrap_or(items)
}

/// A text with the values of names in the place of `{name}`, `${name}`, `#{name}`, `$name` and `@name`.
pub(super) fn filled(text: &str, at: usize, bound: &Bound<'_>) -> String {
    let is_letter = |it: char| it.is_alphanumeric() || it == '_';
    let mut made = String::new();
    let mut rest = text;
    for _ in 0..HOLES {
        let Some(sign) = rest.find(['{', '$', '@']) else { break };
        let (before, behind) = rest.split_at(sign);
        let (hole, after) = match behind.strip_prefix('{') {
            Some(inside) => match inside.bytes().take(LONGEST_HOLE).position(|it| it == b'}') {
                Some(end) => (&inside[..end], &inside[end + 1..]),
                None => ("", ""),
            },
            None => {
                let name = &behind[1..];
                name.split_at(name.find(|it| !is_letter(it)).unwrap_or(name.len()))
            }
        };
        let value = hole.split(|it| !is_letter(it)).find_map(|name| known(bound, name, at));
        made.push_str(before);
        if let Some(value) = value {
            made.truncate(made.trim_end_matches(['$', '#', '@']).len());
            made.push_str(&value.joined());
            rest = after;
        } else {
            made.push_str(&behind[..1]);
            rest = &behind[1..];
        }
        if made.len() > text.len() + LONGEST {
            return text.to_owned();
        }
    }
    made + rest
}

//! Lists and compound commands.

use std::borrow::Cow;
use std::ops::Range;

use super::assignment::is_assignment;
use super::command::{Command, Function, Loop, Split, Word};

/// The depth to which substitutions and subshells nest: more than anyone writes, and little stack.
const DEPTH: usize = 48;
/// So many words a line may have, which bounds what is kept of it.
pub(super) const WORDS: usize = 16_384;
/// A command takes as much as so many words.
const COMMAND: usize = 4;

pub(super) fn split(text: &str, depth: usize) -> Split<'_> {
    split_within(text, depth, &mut { WORDS })
}

/// Splits a text of which so many words may still be kept.
pub(super) fn split_within<'a>(text: &'a str, depth: usize, words: &mut usize) -> Split<'a> {
    let mut parser = Parser { words: *words, ..Parser::new(text, depth) };
    parser.list(false);
    parser.bodies();
    let Parser { commands, complete, has_condition, functions, .. } = parser;
    *words = parser.words;
    Split { commands, complete, has_condition, functions }
}

/// A position in a text and what was found before it.
#[derive(Default)]
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    /// The end of the text for now: here-documents and backticks are read inside their bounds.
    pub(super) end: usize,
    pub(super) depth: usize,
    pub(super) commands: Vec<Command<'a>>,
    pub(super) complete: bool,
    pub(super) has_condition: bool,
    functions: Vec<Function<'a>>,
    /// The function whose body comes next, by its place in the list.
    headed: Option<usize>,
    pub(super) bodies: Vec<Body<'a>>,
    feed: Range<usize>,
    /// The number of substitutions that are open.
    pub(super) nesting: usize,
    /// The number of words that may still be kept.
    pub(super) words: usize,
    /// The number of bytes that may still be copied, or read before it is their turn.
    pub(super) ahead: usize,
    /// A part of the text that has no sign of a list of braces.
    pub(super) no_list: Range<usize>,
}

/// A here-document whose body has not been reached.
pub(super) struct Body<'a> {
    pub(super) delimiter: Cow<'a, str>,
    pub(super) strip_tabs: bool,
    pub(super) literal: bool,
    /// The command that reads it, by its place in the list, once that is known.
    pub(super) reader: Option<usize>,
}

#[derive(Default)]
pub(super) struct Current<'a> {
    pub(super) command: Command<'a>,
    start: Option<usize>,
    end: usize,
    /// Words of `[[` are no command.
    pub(super) dropped: bool,
    each: Option<Loop<'a>>,
}

/// A list with the compound commands that are open in it.
pub(super) struct List {
    /// The first command of the pipeline's element that is read.
    element: usize,
    /// The words that feed an element which begins a pipeline.
    feed: Range<usize>,
    /// The same of what is around each compound command, and the function whose body it is.
    open: Vec<(usize, Range<usize>, Option<usize>)>,
    pub(super) cases: Vec<Case>,
}

impl List {
    fn enter(&mut self, feed: &Range<usize>, function: Option<usize>) {
        let feed = std::mem::replace(&mut self.feed, feed.clone());
        self.open.push((self.element, feed, function));
    }

    /// Goes back to what is around a compound command, and gives the function whose body it was.
    pub(super) fn leave(&mut self) -> Option<usize> {
        let (element, feed, function) = self.open.pop()?;
        self.element = element;
        self.feed = feed;
        function
    }
}

/// The place of a list in the `case` statements around it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Pattern,
    Body,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, depth: usize) -> Self {
        Self {
            text,
            end: text.len(),
            depth,
            complete: true,
            words: WORDS,
            ahead: 2 * text.len() + 4096,
            ..Self::default()
        }
    }

    /// Gives up where so many bytes may no longer be copied or read twice.
    pub(super) fn spend(&mut self, bytes: usize) -> bool {
        let rest = self.ahead.checked_sub(bytes);
        self.ahead = rest.unwrap_or_default();
        if rest.is_none() {
            self.give_up();
        }
        rest.is_some()
    }

    /// Gives up where so many words may no longer be kept.
    pub(super) fn keep(&mut self, words: usize) -> bool {
        let rest = self.words.checked_sub(words);
        self.words = rest.unwrap_or_default();
        if rest.is_none() {
            self.give_up();
        }
        rest.is_some()
    }

    /// The words of a text that is no command: the values of an array, or a split argument.
    pub(super) fn words_of(text: &'a str) -> Vec<Word<'a>> {
        let mut parser = Self::new(text, 0);
        let mut words = Vec::new();
        loop {
            parser.line_ends();
            let start = parser.at;
            if parser.peek().is_none() || !parser.keep(1) {
                return words;
            }
            let word = parser.word();
            if parser.at == start {
                parser.at += 1;
            } else {
                words.push(word);
            }
        }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.byte(0)
    }

    pub(super) fn byte(&self, ahead: usize) -> Option<u8> {
        let at = self.at + ahead;
        if at < self.end { self.text.as_bytes().get(at).copied() } else { None }
    }

    pub(super) fn starts_with(&self, prefix: &str) -> bool {
        self.text.as_bytes()[self.at..self.end].starts_with(prefix.as_bytes())
    }

    pub(super) fn give_up(&mut self) {
        self.complete = false;
        self.at = self.end;
    }

    /// Runs `read` one level deeper, or gives up where that is too deep.
    pub(super) fn nested(&mut self, read: impl FnOnce(&mut Self)) {
        if self.depth >= DEPTH {
            return self.give_up();
        }
        self.depth += 1;
        read(self);
        self.depth -= 1;
    }

    /// Runs `read` on the text up to `end` and goes on there.
    pub(super) fn within(&mut self, end: usize, read: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.end, end);
        read(self);
        self.end = outer;
        self.at = end;
    }

    /// Reads the commands of a substitution, which are fed by nothing that is known.
    pub(super) fn commands_inside(&mut self, closes: bool) {
        let feed = std::mem::replace(&mut self.feed, 0..0);
        self.nesting += 1;
        self.nested(|parser| parser.list(closes));
        self.nesting -= 1;
        self.feed = feed;
    }

    /// Reads commands up to the end, or up to and with the `)` that closes them.
    pub(super) fn list(&mut self, closes: bool) {
        let mut current = Current::default();
        let outer = self.feed.clone();
        let mut list = List {
            element: self.commands.len(),
            feed: outer.clone(),
            open: Vec::new(),
            cases: Vec::new(),
        };
        loop {
            self.blanks();
            if list.cases.last() == Some(&Case::Pattern) {
                self.pattern(&mut list);
                continue;
            }
            let Some(byte) = self.peek() else { break };
            match byte {
                b'\n' => {
                    self.at += 1;
                    self.finish(&mut current);
                    // A pipe goes on in the next line.
                    if list.element < self.commands.len() {
                        self.begin_pipeline(&mut list);
                    }
                    self.bodies();
                }
                b'#' => self.comment(),
                b'(' => self.parenthesis(&mut current, &list),
                b')' => {
                    self.at += 1;
                    self.finish(&mut current);
                    if closes {
                        self.feed = outer;
                        return;
                    }
                    self.begin_pipeline(&mut list);
                    self.complete = false;
                }
                b'<' | b'>' if self.byte(1) != Some(b'(') => self.redirection(&mut current),
                b'&' if self.byte(1) == Some(b'>') => self.redirection(&mut current),
                b';' | b'&' | b'|' => self.operator(&mut current, &mut list),
                b'0'..=b'9' if self.skip_descriptor() => {}
                _ => self.command_word(&mut current, &mut list),
            }
        }
        self.finish(&mut current);
        self.feed = outer;
        self.complete &= !closes;
    }

    fn begin_pipeline(&mut self, list: &mut List) {
        list.element = self.commands.len();
        self.feed = list.feed.clone();
    }

    fn operator(&mut self, current: &mut Current<'a>, list: &mut List) {
        let ends_branch = self.starts_with(";;") || self.starts_with(";&");
        let start = self.at;
        while matches!(self.peek(), Some(b';' | b'&' | b'|')) {
            self.at += 1;
        }
        self.finish(current);
        if matches!(&self.text[start..self.at], "|" | "|&") {
            self.feed = list.element..self.commands.len();
            list.element = self.commands.len();
        } else {
            self.begin_pipeline(list);
        }
        if let Some(case) = list.cases.last_mut().filter(|_| ends_branch) {
            *case = Case::Pattern;
        }
    }

    fn command_word(&mut self, current: &mut Current<'a>, list: &mut List) {
        if !self.keep(1) {
            return;
        }
        let start = self.at;
        let mut word = self.word();
        if self.at == start {
            // A closing bracket of nothing, say: it is left out, so that reading goes on.
            self.at += 1;
            return self.complete = false;
        }
        let starts = current.command.words.is_empty() && current.each.is_none() && !current.dropped;
        if starts
            && !word.quoted
            && !word.expanded
            && current.command.assignments.is_empty()
            && self.keyword(&word.text, current, list)
        {
            return;
        }
        if current.each.is_none()
            && word.text.ends_with('=')
            && self.peek() == Some(b'(')
            && is_assignment(&self.text[start..self.at])
        {
            self.array();
            word.written = Cow::Borrowed(&self.text[start..self.at]);
        }
        if let Some(each) = &mut current.each {
            each.words.push(word);
        } else if starts && is_assignment(&word.written) {
            current.command.assignments.push(word);
        } else {
            current.command.words.push(word);
        }
        current.start.get_or_insert(start);
        current.end = self.at;
    }

    /// Returns whether a first word is a keyword, and what it does then.
    fn keyword(&mut self, word: &str, current: &mut Current<'a>, list: &mut List) -> bool {
        let headed = self.headed.take();
        match word {
            "then" | "elif" | "else" | "do" | "!" => {}
            "coproc" => self.skip_coprocess_name(),
            "if" | "while" | "until" | "{" => {
                list.enter(&self.feed, headed.filter(|_| word == "{"));
            }
            "fi" | "done" | "}" => {
                let function = list.leave();
                self.end_body(function);
                self.close(current, list);
            }
            "time" => self.skip_flags(),
            "function" => {
                self.blanks();
                let name = self.word().text;
                self.skip_empty_parentheses();
                self.begin_body(name);
            }
            "for" | "select" => {
                list.enter(&self.feed, None);
                current.each = Some(Loop::default());
            }
            "case" => {
                list.enter(&self.feed, None);
                self.case(list);
            }
            "esac" => {
                list.cases.pop();
                list.leave();
            }
            "[[" => self.condition(current),
            _ => return false,
        }
        true
    }

    fn finish(&mut self, current: &mut Current<'a>) {
        if current.start.is_none() && !current.dropped && self.bodies.is_empty() {
            let Current { command, each, .. } = current;
            if command.redirections.is_empty() && command.input.is_none() && each.is_none() {
                command.closes = false;
                return;
            }
        }
        let Current { mut command, start, end, dropped, each } = std::mem::take(current);
        // What a loop or a group reads counts, too.
        let awaits = self.bodies.last().is_some_and(|body| body.reader.is_none());
        let is_given = command.closes && (command.input.is_some() || awaits);
        let is_bare = command.redirections.is_empty() && each.is_none() && !is_given;
        let is_empty = command.words.is_empty() && command.assignments.is_empty() && is_bare;
        let is_command = !dropped && !is_empty;
        for body in self.bodies.iter_mut().rev().take_while(|body| body.reader.is_none()) {
            body.reader = Some(if is_command { self.commands.len() } else { usize::MAX });
        }
        if is_command && self.keep(COMMAND) {
            command.source = Cow::Borrowed(start.map_or("", |start| &self.text[start..end]));
            if !command.closes
                || is_given
                || command.redirections.iter().any(|it| it.operator == "<")
            {
                command.feed = self.feed.clone();
            }
            command.nesting = self.nesting;
            command.each = each;
            self.commands.push(command);
        }
    }

    /// A subshell, an arithmetic command, or the `()` of a function.
    fn parenthesis(&mut self, current: &mut Current<'a>, list: &List) {
        if current.command.words.len() == 1 && self.empty_parentheses().is_some() {
            self.skip_empty_parentheses();
            let name = current.command.words.remove(0).text;
            self.begin_body(name);
            *current = Current::default();
            return;
        }
        let is_arithmetic = self.starts_with("((") && current.command.words.is_empty();
        if is_arithmetic && let Some(end) = self.arithmetic_end(self.at + 2) {
            self.at += 2;
            self.nested(|parser| parser.within(end, Self::data));
            self.at = (self.at + 2).min(self.end);
            return;
        }
        self.finish(current);
        let headed = self.headed.take();
        self.at = (self.at + 1).min(self.end);
        self.nested(|parser| parser.list(true));
        self.end_body(headed);
        self.close(current, list);
    }

    /// A redirection behind a compound command gets what that prints.
    fn close(&self, current: &mut Current<'a>, list: &List) {
        current.command.closes = true;
        current.command.feed = list.element..self.commands.len();
    }

    fn begin_body(&mut self, name: Cow<'a, str>) {
        self.headed = Some(self.functions.len());
        let next = self.commands.len();
        self.functions.push(Function { name, body: self.at..self.at, commands: next..next });
    }

    fn end_body(&mut self, function: Option<usize>) {
        if let Some(function) = function.and_then(|at| self.functions.get_mut(at)) {
            function.body.end = self.at;
            function.commands.end = self.commands.len();
        }
    }

    /// The place after `( )`, where the text has these.
    fn empty_parentheses(&self) -> Option<usize> {
        let rest = &self.text[self.at..self.end];
        let inside = rest.strip_prefix('(')?.trim_start_matches([' ', '\t']);
        inside.starts_with(')').then(|| self.end - inside.len() + 1)
    }

    fn skip_empty_parentheses(&mut self) {
        self.blanks();
        if let Some(end) = self.empty_parentheses() {
            self.at = end;
        }
    }

    fn skip_flags(&mut self) {
        self.blanks();
        while self.peek() == Some(b'-') {
            self.word();
            self.blanks();
        }
    }

    /// The name in `coproc NAME { … }`; before a simple command there is none.
    fn skip_coprocess_name(&mut self) {
        const COMPOUND: &[&str] = &["{", "if", "while", "until", "for", "select", "case", "[["];
        let is_compound = |text: &str| text.starts_with('(') || COMPOUND.contains(&text);
        let mut words = self.text[self.at..self.end].split_ascii_whitespace();
        if let (Some(name), Some(next)) = (words.next(), words.next())
            && !is_compound(name)
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && is_compound(next)
        {
            self.blanks();
            self.word();
        }
    }

    /// The values of `NAME=( … )`.
    fn array(&mut self) {
        self.at += 1;
        self.nested(Self::skip_words);
    }

    pub(super) fn line_ends(&mut self) {
        loop {
            self.blanks();
            match self.peek() {
                Some(b'\n') => self.at += 1,
                Some(b'#') => self.comment(),
                _ => return,
            }
        }
    }

    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'\\') if self.byte(1) == Some(b'\n') => self.at += 2,
                _ => return,
            }
        }
    }

    pub(super) fn comment(&mut self) {
        let rest = &self.text[self.at..self.end];
        self.at += rest.find('\n').unwrap_or(rest.len());
    }
}

//! The output of commands that only print a text of the line: `echo`, `printf` and `cat`.

use std::ops::Range;

use super::super::line::Parser;
use super::super::programs::{CLIENTS, DECODERS};
use super::super::{Command, Word, split};
use super::sql;
use super::state::{Place, Walk, base_name};
use super::written::Files;

/// Through so many programs that pass their input on a text is followed.
const HOPS: usize = 8;

impl Walk<'_> {
    /// The standard input of a place, as far as it is on the line.
    pub(super) fn input(&mut self, place: Place<'_>) -> Option<String> {
        let text = self.read(place.list, place.command, HOPS);
        let text = Some(text).filter(|text| !text.is_empty());
        let text =
            text.or_else(|| self.input_file(place.command)).or_else(|| self.given.clone())?;
        self.spend(text.len()).then_some(text)
    }

    /// The same for a shell; the line is incomplete where the shell gets a text that was decoded, or
    /// reads a descriptor that was opened before.
    pub(super) fn input_script(&mut self, place: Place<'_>) -> Option<String> {
        let place = self.read_here(place);
        let fed = place.list.get(place.command.feed.clone()).unwrap_or_default();
        let decodes = |command: &Command<'_>| {
            let name = command.words.first().map_or("", |word| base_name(&word.text));
            DECODERS.contains(&name)
        };
        let from_descriptor = place.command.redirections.iter().any(|it| it.operator == "<&");
        self.complete &= !from_descriptor && !fed.iter().any(decodes);
        self.foreign_input(place);
        let input = self.input(place);
        if input.is_none() {
            // Nobody knows the text.
            let commands = self.feeders(place);
            self.printed_by(&commands, &[Word::literal("{}")], place);
        }
        input
    }

    /// Arguments in which the input is in the place of `name=@-`, which means it.
    pub(super) fn with_input<'w>(&mut self, words: &[Word<'w>], place: Place<'_>) -> Vec<Word<'w>> {
        let input = self.input(place);
        let filled = |word: &Word<'w>| match (word.text.strip_suffix("@-"), &input) {
            (Some(name), Some(text)) if name.ends_with('=') => {
                Word::literal(format!("{name}{}", text.trim()))
            }
            _ => word.clone(),
        };
        words.iter().map(filled).collect()
    }

    fn input_file(&self, command: &Command<'_>) -> Option<String> {
        let from = command.redirections.iter().rev().find(|it| it.operator == "<")?;
        self.text_of_file(&from.target.text)
    }

    fn read(&mut self, list: &[Command<'_>], command: &Command<'_>, hops: usize) -> String {
        match &command.input {
            Some(word) if self.spend(word.text.len()) => word.text.clone().into_owned(),
            None if hops > 0 => self.print_all(list, command.feed.clone(), hops - 1),
            _ => String::new(),
        }
    }

    /// The output of the commands of a list, without those that feed one of them.
    fn print_all(&mut self, list: &[Command<'_>], range: Range<usize>, hops: usize) -> String {
        let commands = list.get(range.clone()).unwrap_or_default();
        let mut texts = Vec::new();
        let base = commands.iter().map(|command| command.nesting).min().unwrap_or_default();
        let mut fed = 0..0;
        if !self.spend(16 * commands.len()) {
            return String::new();
        }
        for (at, command) in range.zip(commands).rev() {
            let is_read = fed.contains(&at);
            if !command.feed.is_empty() {
                fed = command.feed.clone();
            }
            if command.nesting == base && !is_read {
                texts.push(self.print(list, command, hops));
            }
        }
        texts.reverse();
        texts.concat()
    }

    pub(super) fn print(
        &mut self,
        list: &[Command<'_>],
        command: &Command<'_>,
        hops: usize,
    ) -> String {
        let to_file = |operator: &str| matches!(operator, ">" | ">>" | ">|" | "&>" | "&>>" | ">&");
        if command.redirections.iter().any(|redirection| to_file(redirection.operator)) {
            return String::new();
        }
        let words = self.expanded(&command.words);
        let Some((program, arguments)) = words.split_first() else {
            return self.print_all(list, command.feed.clone(), hops);
        };
        match &*program.text {
            "echo" | "printf" => text_of(&program.text, arguments),
            "cat" | "tee" if arguments.iter().all(|word| word.text.starts_with('-')) => {
                self.read(list, command, hops)
            }
            // Names as they are given.
            "ls" if arguments.first().is_some_and(|word| word.text == "-d") => {
                let names = arguments[1..].iter().filter(|word| !word.expanded);
                names.flat_map(|word| [&*word.text, "\n"]).collect()
            }
            "cat" => arguments.iter().filter_map(|file| self.files.text(&file.text)).collect(),
            "dd" | "tee" | "head" | "tail" | "sort" | "uniq" => self.read(list, command, hops),
            name => {
                let text = match name {
                    "grep" => self.read(list, command, hops),
                    _ if CLIENTS.contains(&name) => sql::held(&self.read(list, command, hops)),
                    _ => String::new(),
                };
                let looks_away = |word: &Word<'_>| name == "grep" && word.text.starts_with("-v");
                let is_made = text.is_empty() && !arguments.iter().any(looks_away);
                if is_made { held_in(arguments) } else { text }
            }
        }
    }

    /// The text of a file that the line has written, or of a process substitution.
    pub(super) fn text_of_file(&self, path: &str) -> Option<String> {
        match path.strip_prefix("<(") {
            Some(inside) => printed(inside.strip_suffix(')').unwrap_or(inside), &self.files),
            None => self.files.text(path).or_else(|| {
                let below = || self.files.text(&format!("{}/{path}", self.folder));
                (!self.folder.is_empty()).then(below).flatten()
            }),
        }
    }
}

/// The statements of a database that a program prints for a client, as far as they are in its words.
fn held_in(words: &[Word<'_>]) -> String {
    // `s/^/DROP TABLE /`
    let put_in = |text: &'_ str| {
        let mark = text.strip_prefix('s').and_then(|rest| rest.chars().next());
        Some(text.split(mark.filter(char::is_ascii_punctuation)?).nth(2)?.to_owned())
    };
    let texts = words.iter().map(|it| it.text.trim_start_matches('^'));
    let texts: Vec<String> = texts.map(|it| put_in(it).unwrap_or_else(|| it.to_owned())).collect();
    sql::held(&texts.join(" \""))
}

/// The output of a substitution that is one `echo` or a here-document, or names a program by `which`.
pub(super) fn printed(script: &str, files: &Files) -> Option<String> {
    let split = split(script);
    let [command] = &split.commands[..] else { return None };
    let Some((program, arguments)) = command.words.split_first() else {
        return files.text(&command.redirections.first()?.target.text);
    };
    let is_plain = command.redirections.is_empty() && command.feed.is_empty();
    let is_known = is_plain && !arguments.iter().any(|word| word.expanded);
    match &*program.text {
        "echo" | "printf" if is_known => Some(text_of(&program.text, arguments)),
        "cat" if is_plain && arguments.is_empty() => {
            let text = command.input.as_ref().filter(|text| !text.expanded)?;
            Some(text.text.clone().into_owned())
        }
        "cat" if is_known => arguments.iter().map(|file| files.text(&file.text)).collect(),
        "which" | "command" | "type" => {
            let mut names = arguments.iter().filter(|word| !word.text.starts_with('-'));
            Some(names.next()?.text.clone().into_owned())
        }
        _ => None,
    }
}

/// The text that `echo` and `printf` make of their arguments.
pub(super) fn text_of(program: &str, arguments: &[Word<'_>]) -> String {
    let mut texts: Vec<&str> = arguments.iter().map(|word| &*word.text).collect();
    if program == "echo" {
        let is_flag = |text: &str| {
            text.strip_prefix('-').is_some_and(|letters| {
                !letters.is_empty() && letters.chars().all(|letter| "neE".contains(letter))
            })
        };
        let flags = texts.iter().take_while(|text| is_flag(text)).count();
        return unescaped(&texts[flags..].join(" ")) + "\n";
    }
    if texts.first() == Some(&"--") {
        texts.remove(0);
    }
    let Some((format, mut values)) = texts.split_first().map(|(format, rest)| (*format, rest))
    else {
        return String::new();
    };
    let format = unescaped(format);
    let mut text = String::new();
    loop {
        let mut parts = format.split('%');
        text.push_str(parts.next().unwrap_or_default());
        let left = values.len();
        for part in parts {
            let value = match values.split_first() {
                Some((first, rest)) => {
                    values = rest;
                    first
                }
                None => "",
            };
            text.push_str(&if part.starts_with('b') { unescaped(value) } else { value.into() });
            text.push_str(
                part.trim_start_matches(|it: char| it.is_ascii_digit()).get(1..).unwrap_or(""),
            );
        }
        if values.is_empty() || values.len() == left {
            return text;
        }
    }
}

/// A text with its escapes decoded, of which `echo` and `printf` have those of `$'…'`.
fn unescaped(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut text = text.replace('\'', "\\'");
    // `\0NNN` is written with one digit less there.
    for digit in '0'..='7' {
        text = text.replace(&format!("\\0{digit}"), &format!("\\{digit}"));
    }
    let quoted = format!("$'{text}'");
    let words = Parser::words_of(&quoted);
    words.into_iter().next().map(|word| word.text.into_owned()).unwrap_or_default()
}

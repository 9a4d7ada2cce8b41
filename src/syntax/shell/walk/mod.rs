//! What a line runs: its simple commands, and what these run in turn.

mod braces;
mod escapes;
mod expansion;
mod files;
mod finding;
mod git;
mod options;
mod output;
mod parallel;
mod program_text;
mod shells;
mod sql;
mod suspects;
mod tokens;
mod variables;
mod wrappers;

use std::borrow::Cow;

use super::assignment::is_assignment;
use super::line::Parser;
use super::{Command, Redirection, Split, Word, split};
use files::Files;
use options::{Argument, Options};
use output::{Output, Printer};
use shells::Script;
use variables::Variables;

pub use suspects::each_suspect;

/// How many scripts may be written inside each other.
const DEPTH: usize = 12;
/// So many values of a loop's variable are tried.
const CHOICES: usize = 8;

/// A program with its arguments, as it is called in the end.
///
/// Where a program does what another one does, it is shown as that: a deletion in a script of
/// Python as `rm` or `unlink`, a statement for a database as `sql` with its words in small
/// letters, an emptied file as `truncate`, and what is written to a device as `dd`.
#[derive(Debug)]
pub struct Invocation<'c> {
    /// The program's name without its folder and without `.exe`; empty for redirections alone.
    pub program: &'c str,
    /// Its arguments.
    pub arguments: &'c [Word<'c>],
    /// The simple command that it is part of, as it was written.
    pub source: &'c str,
    /// Where its input comes from and its output goes to.
    pub redirections: &'c [Redirection<'c>],
    /// What a here-document or here-string feeds to it.
    pub input: Option<&'c str>,
}

/// Shows every program that a command line runs: those of its simple commands, and what wrappers
/// such as `sudo`, `xargs`, `find -exec`, `eval` or `bash -c` run in turn.
///
/// Gives `false` where some of the line could not be read; what could be was shown all the same.
pub fn each_invocation(line: &str, visit: &mut dyn FnMut(&Invocation<'_>)) -> bool {
    let budget = 8 * line.len() + 4096;
    let variables = Variables::default();
    let files = Files::default();
    let (complete, has_else, given) = (true, false, None);
    let mut walk = Walk { visit, budget, complete, variables, files, has_else, given };
    walk.script(line, 0);
    walk.complete
}

struct Walk<'v> {
    visit: &'v mut dyn FnMut(&Invocation<'_>),
    /// How many bytes of scripts may still be split. A substitution in a script is read with the
    /// line around it and again with the script, which nested scripts would double each time.
    budget: usize,
    complete: bool,
    variables: Variables,
    files: Files,
    /// Whether a script so far has commands of which only some run, so that a variable that is set
    /// again may have either value.
    has_else: bool,
    /// What the script that is being read has as its standard input.
    given: Option<String>,
}

/// Where a call is: in which command of which list, and in how many scripts.
#[derive(Clone, Copy)]
struct Place<'p> {
    list: &'p [Command<'p>],
    command: &'p Command<'p>,
    depth: usize,
}

impl Walk<'_> {
    fn script(&mut self, text: &str, depth: usize) {
        let Some(rest) = self.budget.checked_sub(text.len()).filter(|_| depth <= DEPTH) else {
            return self.complete = false;
        };
        self.budget = rest;
        self.has_else |= text.contains("||") || text.contains("else");
        let Split { commands, complete, .. } = split(text);
        self.complete &= complete;
        for command in &commands {
            self.simple(Place { list: &commands, command, depth });
        }
    }

    fn printer(&mut self) -> Printer<'_> {
        Printer { variables: &self.variables, budget: &mut self.budget }
    }

    /// What a place reads from its standard input, as far as that can be told.
    fn input(&mut self, place: Place<'_>) -> Option<String> {
        let Output { text, .. } = self.printer().input(place.list, place.command);
        let text = Some(text).filter(|text| !text.is_empty());
        text.or_else(|| self.files_input(place.command)).or_else(|| self.given.clone())
    }

    /// Reads a script whose commands have the standard input of the call that runs it.
    fn script_with_input(&mut self, text: &str, place: Place<'_>) {
        let input = self.input(place);
        let outer = std::mem::replace(&mut self.given, input);
        self.script(text, place.depth + 1);
        self.given = outer;
    }

    fn expanded<'w>(&mut self, words: &'w [Word<'w>]) -> Cow<'w, [Word<'w>]> {
        if !words.iter().any(|word| word.expanded) {
            return Cow::Borrowed(words);
        }
        let mut fields: Vec<Word<'w>> = Vec::with_capacity(words.len());
        for word in words {
            if word.expanded {
                let made =
                    self.printer().with_scope(|scope| expansion::fields(&word.written, scope));
                fields.extend(made);
            } else {
                fields.push(word.clone());
            }
        }
        Cow::Owned(fields)
    }

    fn simple(&mut self, place: Place<'_>) {
        let command = place.command;
        if let Some(each) = &command.each {
            return self.begin_loop(&each.words);
        }
        if let Some((name, values)) = self.variables.choice(&command.words) {
            let length = self.variables.len();
            for value in values.into_iter().take(CHOICES) {
                self.variables.set(&name, vec![value]);
                self.assigned(place);
                self.variables.forget(length, 1);
            }
            return;
        }
        self.assigned(place);
    }

    /// A command with the assignments in front of it, which it does not see in its own words.
    fn assigned(&mut self, place: Place<'_>) {
        let written = place.command;
        let with_files;
        let command = if written.redirections.iter().any(|it| it.target.expanded) {
            with_files = Command { redirections: self.targets(written), ..written.clone() };
            &with_files
        } else {
            written
        };
        let place = Place { command, ..place };
        let words = self.expanded(&command.words);
        let words = self.files.located(words);
        let length = self.variables.len();
        for word in &command.assignments {
            self.assign(&word.written);
        }
        self.redirected(place, &words);
        self.keep_written(place, &words);
        if let Some((first, arguments)) = words.split_first() {
            self.remember(&first.text, arguments, place);
            self.call(&words, place);
            self.variables.forget(length, command.assignments.len());
        } else if !command.redirections.is_empty() {
            self.show("", &[], place);
        }
    }

    fn begin_loop(&mut self, words: &[Word<'_>]) {
        let words = self.expanded(words);
        if let Some((name, values)) = words.split_first() {
            let values = values.iter().skip(usize::from(values.len() > 1));
            let values: Vec<String> = values.map(|word| word.text.to_string()).collect();
            if !values.is_empty() {
                self.variables.set_one_of(&name.text, values);
            }
        }
    }

    /// Keeps what `NAME=value` or `NAME=(…)` says.
    fn assign(&mut self, written: &str) {
        let Some((name, value)) = written.split_once('=') else { return };
        let (name, adds) = name.strip_suffix('+').map_or((name, false), |name| (name, true));
        let mut values = match value.strip_prefix('(') {
            Some(list) => {
                let list = list.strip_suffix(')').unwrap_or(list);
                let words = Parser::words_of(list);
                let words = self.expanded(&words);
                words.iter().map(|word| word.text.to_string()).collect()
            }
            None => vec![self.printer().with_scope(|scope| expansion::text(value, scope))],
        };
        if adds && let Some(known) = self.variables.get(name) {
            let mut all = known.to_vec();
            if value.starts_with('(') {
                all.append(&mut values);
            } else if let (Some(last), Some(value)) = (all.first_mut(), values.first()) {
                last.push_str(value);
            }
            values = all;
        }
        if self.has_else {
            self.variables.set_or_keep(name, values);
        } else {
            self.variables.set(name, values);
        }
    }

    /// Keeps what builtins say of variables.
    fn remember(&mut self, program: &str, arguments: &[Word<'_>], place: Place<'_>) {
        match program {
            // A `local` variable ends with its function, and where that ends is not known here.
            "export" | "declare" | "typeset" | "readonly" => {
                let refers = arguments.iter().any(|word| word.text == "-n");
                for word in arguments.iter().filter(|word| is_assignment(&word.written)) {
                    match word.text.split_once('=').filter(|_| refers) {
                        Some((name, of)) => {
                            let values = self.variables.get(of).unwrap_or_default().to_vec();
                            self.variables.set(name, values);
                        }
                        None => self.assign(&word.written),
                    }
                }
            }
            "unset" => {
                for word in arguments.iter().filter(|word| !word.text.starts_with('-')) {
                    self.variables.set(&word.text, Vec::new());
                }
            }
            "hash" => self.files.hash(arguments),
            "enable" => self.files.enable(arguments),
            "set" => {
                if let Some(at) = arguments.iter().position(|word| word.text == "--") {
                    let values = arguments[at + 1..].iter().map(|word| word.text.to_string());
                    self.variables.set("@", values.collect());
                }
            }
            "read" | "mapfile" | "readarray" => {
                let name = arguments.iter().rev().find(|word| is_name(&word.text));
                if let Some((name, input)) = name.zip(self.input(place)) {
                    self.variables.set(&name.text, input.lines().map(str::to_owned).collect());
                }
            }
            "printf" => {
                let mut words = arguments.iter().map(|word| &*word.text);
                if words.next() == Some("-v")
                    && let Some(name) = words.next()
                {
                    let values: Vec<&str> = words.collect();
                    self.variables.set(name, vec![escapes::printf(&values)]);
                }
            }
            _ => {}
        }
    }

    fn show(&mut self, program: &str, arguments: &[Word<'_>], place: Place<'_>) {
        (self.visit)(&Invocation {
            program,
            arguments,
            source: &place.command.source,
            redirections: &place.command.redirections,
            input: place.command.input.as_ref().map(|word| &*word.text),
        });
    }

    /// A program with its arguments, and what it runs.
    fn call(&mut self, words: &[Word<'_>], place: Place<'_>) {
        let mut words = words;
        loop {
            let Some((first, arguments)) = words.split_first() else { return };
            let program = base_name(&first.text);
            if program == "find" {
                return self.find(arguments, place);
            }
            self.show(program, arguments, place);
            if first.text.contains('/')
                && let Some(text) = self.files.text(&first.text)
            {
                return self.script(&text, place.depth + 1);
            }
            // A here-document for a descriptor that stays open may be the script of a later shell.
            if program == "exec"
                && place.list.iter().any(shells::reads_a_script)
                && let Some(text) = self.input(place)
            {
                self.script(&text, place.depth + 1);
            }
            let Some(inner) = self.wrapped(program, arguments, place) else {
                return self.inside(program, arguments, place);
            };
            words = inner;
        }
    }

    /// The words that a wrapper runs as they stand; none where it has them read by a shell.
    fn wrapped<'w>(
        &mut self,
        program: &str,
        arguments: &'w [Word<'w>],
        place: Place<'_>,
    ) -> Option<&'w [Word<'w>]> {
        let (wrapper, leads) = wrappers::find(program, arguments)?;
        let mut options = Options::new(&arguments[leads..], wrapper.values);
        let mut operands = wrapper.operands;
        let (mut inert, mut clears, mut needed) = (false, false, wrapper.needs.is_empty());
        let words = loop {
            let rest = options.rest();
            match options.next() {
                Some(Argument::Option { name, value }) => {
                    clears |= matches!(&*name, "-i" | "--ignore-environment");
                    inert |= wrapper.inert.contains(&&*name);
                    needed |= wrapper.needs.contains(&&*name);
                    if let Some(text) = value.filter(|_| wrapper.scripts.contains(&&*name)) {
                        self.split_string(program, &text, options.rest(), place);
                        return Some(&[]);
                    }
                }
                Some(Argument::Operand(word)) if operands == 0 => {
                    if !wrapper.assigns || !is_assignment(&word.text) {
                        break rest;
                    }
                    self.assign(&word.text);
                }
                Some(Argument::Operand(_)) => operands -= 1,
                Some(Argument::End) if operands == 0 => break options.rest(),
                Some(Argument::End) => {}
                None => {
                    let asks = matches!(program, "sudo" | "doas").then_some(["-s", "-i"]);
                    let is_shell = asks.is_none_or(|asks| {
                        arguments.iter().any(|word| asks.contains(&&*word.text))
                    });
                    if wrappers::READ_SCRIPTS.contains(&program)
                        && is_shell
                        && let Some(text) = self.input(place)
                    {
                        self.script(&text, place.depth + 1);
                    }
                    return Some(&[]);
                }
            }
        };
        if inert || !needed {
            return Some(&[]);
        }
        if clears && program == "env" {
            let variables = std::mem::take(&mut self.variables);
            self.call_deeper(words, place);
            self.variables = variables;
            return Some(&[]);
        }
        if wrapper.joins {
            let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
            self.script_with_input(&texts.join(" "), place);
            return Some(&[]);
        }
        Some(words)
    }

    /// What `env -S` makes of a text, and the shell text of `su -c` and the like.
    fn split_string(&mut self, program: &str, text: &str, rest: &[Word<'_>], place: Place<'_>) {
        if program == "env" {
            let mut words = Parser::words_of(text);
            words.extend(rest.iter().cloned());
            let is_setting =
                |word: &&Word<'_>| is_assignment(&word.text) || word.text.starts_with('-');
            let settings = words.iter().take_while(is_setting).count();
            self.call_deeper(&words[settings..], place);
        } else {
            self.script_with_input(text, place);
        }
    }

    fn call_deeper(&mut self, words: &[Word<'_>], place: Place<'_>) {
        if place.depth >= DEPTH {
            return self.complete = false;
        }
        self.call(words, Place { depth: place.depth + 1, ..place });
    }

    /// Scripts and commands in the arguments and the input of a program that is no mere wrapper.
    fn inside(&mut self, program: &str, arguments: &[Word<'_>], place: Place<'_>) {
        let depth = place.depth + 1;
        if shells::is_shell(program) || matches!(program, "source" | ".") {
            return self.shell(program, arguments, place);
        }
        match program {
            "eval" | "iex" | "Invoke-Expression" => {
                let text: Vec<&str> = arguments.iter().map(|word| &*word.text).collect();
                self.script(&text.join(" "), depth);
            }
            "trap" => {
                if let Some(word) = arguments.iter().find(|word| !word.text.starts_with('-')) {
                    self.script(&word.text, depth);
                }
            }
            "at" | "batch" => {
                if let Some(text) = self.input(place) {
                    self.script(&text, depth);
                }
            }
            "crontab" => {
                for line in self.input(place).unwrap_or_default().lines() {
                    self.script(shells::scheduled(line), depth);
                }
            }
            "xargs" => self.xargs(arguments, place),
            "parallel" => self.parallel(arguments, place),
            "fd" | "fdfind" => self.fd(arguments, place),
            "git" => self.git(arguments, place),
            _ => {
                for text in wrappers::embedded(program, arguments) {
                    self.script(&text, depth);
                }
                self.interpreter(program, arguments, place);
                self.database(program, arguments, place);
            }
        }
    }

    fn shell(&mut self, program: &str, arguments: &[Word<'_>], place: Place<'_>) {
        let sourced = matches!(program, "source" | ".");
        let Script { text, file, positional, reads_input } =
            if sourced { shells::sourced(arguments) } else { shells::script(program, arguments) };
        let text = match text {
            Some(text) if text.starts_with("<(") => {
                let inside = text[2..].strip_suffix(')').unwrap_or(&text[2..]);
                let Split { commands, .. } = split(inside);
                Some(self.printer().commands(&commands, 0..commands.len()).text)
            }
            None if reads_input => self.input(place),
            None => self.files.text(&file),
            text => text,
        };
        let Some(text) = text.filter(|text| !text.is_empty()) else { return };
        let length = self.variables.len();
        self.variables.set("@", positional);
        self.script(&text, place.depth + 1);
        self.variables.forget(length, 1);
    }

    fn git(&mut self, arguments: &[Word<'_>], place: Place<'_>) {
        let mut found = git::runs(arguments);
        for text in found.scripts.drain(..) {
            self.script(&text, place.depth + 1);
        }
        for words in &found.commands {
            self.call_deeper(words, place);
        }
    }
}

fn is_name(text: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !text.is_empty()
        && text.chars().all(is_letter)
        && !text.starts_with(|first: char| first.is_ascii_digit())
}

/// The program's name in a path such as `/bin/rm` or `C:\Git\git.exe`.
fn base_name(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    match name.len().checked_sub(4).and_then(|at| name.split_at_checked(at)) {
        Some((stem, extension)) if extension.eq_ignore_ascii_case(".exe") => stem,
        _ => name,
    }
}

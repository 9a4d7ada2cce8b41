//! The commands that a line runs: its simple commands, and those that they run in turn.

mod bound;
mod braces;
mod call;
mod deletions;
mod expansion;
mod files;
mod filters;
mod finding;
mod folder;
mod foreign;
mod functions;
mod git;
mod given;
mod hidden;
mod items;
mod keys;
mod libraries;
mod listings;
mod names;
mod options;
mod output;
mod powershell;
mod program_text;
mod recorded;
mod shells;
mod simulated;
mod sql;
mod state;
mod suspects;
mod taken_back;
mod tokens;
mod variables;
mod wrappers;
mod written;

use std::borrow::Cow;

use super::line::{Parser, WORDS, split_within};
use super::programs;
use super::{Command, Redirection, Split, Word, split};
use crate::syntax::named::listed;
use expansion::Scope;
use hidden::{is_made, is_pattern};
use shells::Script;
use state::{Place, SHOWN, Walk, base_name};
use variables::{Values, Variables};
use written::Files;

pub use braces::alternatives;
pub use finding::hits;
pub use state::Invocation;
pub use suspects::each_suspect;

/// The number of scripts that may be written inside each other.
const DEPTH: usize = 12;
/// A longer line is read up to here: Linux starts no program with a longer argument, other systems with none
/// that is longer in all.
const LONGEST: usize = if cfg!(target_os = "linux") { 128 << 10 } else { 1 << 20 };
/// So much work any line may make, and so much more a long one.
const WORK: usize = 256 << 10;
const MORE: usize = 256 << 10;

static NAMED: &[&str] = listed!("NAMED");

/// Shows every program that a command line runs: those of its simple commands, and what wrappers
/// such as `sudo`, `xargs`, `find -exec`, `eval` or `bash -c` run in turn.
///
/// Gives `false` where some of the line could not be read, hides the program that it runs, takes more
/// work than a line may, or is longer than what [`can_run`] gives; what could be read was shown all the same.
pub fn each_invocation(line: &str, visit: &mut dyn FnMut(&Invocation<'_>)) -> bool {
    let text = can_run(line);
    let complete = if text.len() < recorded::LEAST {
        walked(text, visit)
    } else {
        recorded::each(text, walked, visit)
    };
    complete && text.len() == line.len()
}

/// The beginning of a line that a system can pass on to a shell: all of it, but for a very long one.
pub fn can_run(line: &str) -> &str {
    let end = (0..=line.len().min(LONGEST)).rev().find(|at| line.is_char_boundary(*at));
    &line[..end.unwrap_or_default()]
}

fn walked(line: &str, visit: &mut dyn FnMut(&Invocation<'_>)) -> bool {
    let mut walk = Walk {
        visit,
        work: WORK + line.len() + (8 * line.len()).min(MORE),
        words: WORDS,
        complete: true,
        variables: Variables::default(),
        files: Files::default(),
        traps: Vec::new(),
        folder: String::new(),
        made: Vec::new(),
        container: None,
        has_else: false,
        blocks: 0,
        in_function: false,
        given: None,
    };
    walk.script(line, 0);
    walk.end(0, 1);
    walk.complete
}

impl Walk<'_> {
    /// Takes some of the work that is left; where that is too little, the line is incomplete.
    fn spend(&mut self, work: usize) -> bool {
        let rest = self.work.checked_sub(work);
        self.work = rest.unwrap_or_default();
        self.complete &= rest.is_some();
        rest.is_some()
    }

    fn script(&mut self, text: &str, depth: usize) {
        if depth > DEPTH || !self.spend(text.len()) {
            return self.complete = false;
        }
        self.has_else |= ["||", "&&", "else", "then"].iter().any(|it| text.contains(it));
        if text.contains('&') {
            self.fork_loops(text, depth);
        }
        let Split { commands, complete, functions, .. } = split_within(text, 0, &mut self.words);
        self.complete &= complete;
        let mut functions = functions.into_iter().peekable();
        let folder = self.folder.clone();
        let mut end = 0;
        for (at, command) in commands.iter().enumerate() {
            if self.work == 0 {
                return;
            }
            // A function's commands run where it is called.
            while let Some(function) = functions.next_if(|it| it.commands.start <= at) {
                if function.commands.start >= end {
                    self.define(&function, text, depth);
                    end = function.commands.end;
                }
            }
            if at >= end {
                self.keep_folder(text, &commands, at);
                self.simple(Place { list: &commands, command, depth });
            }
        }
        self.folder = folder;
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
            let may_grow = word.expanded && word.written.contains(['$', '`', '{']);
            if may_grow && self.work > 0 {
                let mut made = Vec::new();
                self.expand(&word.written, &mut made);
                fields.extend(made);
            } else {
                fields.push(word.clone());
            }
        }
        Cow::Owned(fields)
    }

    /// The words that one becomes: for braces, for several values, and for values with blanks. Gives the
    /// ends of those of each value, if a variable in it has several.
    fn expand(&mut self, written: &str, fields: &mut Vec<Word<'static>>) -> Vec<usize> {
        let (mut most, mut ends) = (1, Vec::new());
        if self.work == 0 {
            return ends;
        }
        for written in braces::alternatives(written) {
            let mut number = 0;
            while number < most {
                let files = &self.files;
                let print = |text: &str| output::printed(text, files);
                let scope = Scope { variables: &self.variables, print: &print, room: self.work };
                let text = expansion::substituted(&written, &scope, number, &mut most);
                let text = text.unwrap_or_else(|| {
                    self.work = 0;
                    written.clone()
                });
                if !self.spend(text.len() + 64) {
                    return ends;
                }
                let words = Parser::words_of(&text);
                if !self.spend(SHOWN * words.len()) {
                    return ends;
                }
                fields.extend(words.into_iter().map(Word::into_owned));
                ends.extend((most > 1).then_some(fields.len()));
                number += 1;
            }
        }
        ends
    }

    /// A command with the assignments in front of it, which it does not see in its own words.
    fn simple(&mut self, place: Place<'_>) {
        let written = place.command;
        if let Some(each) = &written.each {
            return self.begin_loop(&each.words);
        }
        let with_files;
        let command = if written.redirections.iter().any(|it| it.target.expanded) {
            with_files = Command { redirections: self.targets(written), ..written.clone() };
            &with_files
        } else {
            written
        };
        let place = Place { command, ..place };
        let words = self.expanded(&command.words);
        // PowerShell needs no `;` before it.
        let is_brace = words.len() > 1 && words.last().is_some_and(|it| it.written == "}");
        let words = &words[..words.len() - usize::from(is_brace)];
        let length = self.variables.len();
        for word in &command.assignments {
            self.assign(&word.written, !words.is_empty());
        }
        for word in command.words.iter().filter(|word| word.expanded) {
            self.assign_missing(&word.written);
        }
        self.redirected(place, words);
        self.keep_written(place, words);
        self.keep_downloads(place, words);
        if let Some((first, arguments)) = words.split_first() {
            let is_foreign = first.expanded && self.foreign_text(&first.written, place);
            if is_pattern(first) {
                self.by_pattern(words, place);
            } else if is_made(first, &self.variables) {
                self.complete = false;
                if !is_foreign {
                    self.show("hidden-program", words, place);
                }
            }
            if first.expanded && first.text.trim_end_matches('"').ends_with([')', '`']) {
                let mut printing = split(&first.written).commands;
                printing.retain(|it| it.source != first.written);
                self.printed_by(&printing, arguments, place);
            }
            self.remember(&first.text, arguments, place);
            let (known, folder) = (self.variables.len(), self.folder.clone());
            let container = self.container.clone();
            self.call(words, place);
            // Of several values each may be the only one.
            for words in self.each_value(&command.words, words.len()) {
                self.folder.clone_from(&folder);
                self.call(&words, place);
            }
            (self.folder, self.container) = (folder, container);
            self.blocks(words, place);
            if !command.assignments.is_empty() || words.iter().any(|it| it.text == "env") {
                // What `read` sets stays.
                self.variables.leave(length.min(known));
            }
        } else if !command.redirections.is_empty() {
            self.show("", &[], place);
        }
    }

    fn targets<'c>(&mut self, command: &Command<'c>) -> Vec<Redirection<'c>> {
        let targets = |redirection: &Redirection<'c>| {
            let mut fields = Vec::new();
            self.expand(&redirection.target.written, &mut fields);
            let mut targets: Vec<Word<'c>> = fields.into_iter().collect();
            if targets.is_empty() {
                targets.push(redirection.target.clone());
            }
            let operator = redirection.operator;
            targets.into_iter().map(move |target| Redirection { operator, target })
        };
        command.redirections.iter().flat_map(targets).collect()
    }

    fn show(&mut self, program: &str, arguments: &[Word<'_>], place: Place<'_>) {
        self.show_call((program, None), arguments, place);
    }

    fn show_call(
        &mut self,
        (program, called): (&str, Option<&Word<'_>>),
        arguments: &[Word<'_>],
        place: Place<'_>,
    ) {
        let given;
        let reads_input = |word: &Word<'_>| word.text.ends_with("=@-");
        let arguments = if arguments.iter().any(reads_input) {
            given = self.with_input(arguments, place);
            &given
        } else {
            arguments
        };
        let length: usize = arguments.iter().map(|word| word.text.len() + SHOWN).sum();
        let redirections = &place.command.redirections;
        if !self.spend(length + SHOWN * (redirections.len() + 4)) {
            return;
        }
        (self.visit)(&Invocation {
            program,
            called,
            arguments,
            source: self.container.as_deref().unwrap_or(&place.command.source),
            redirections,
            folder: &self.folder,
            input: place.command.input.as_ref().map(|word| &*word.text),
        });
    }

    /// A program with its arguments, and what it runs.
    fn call(&mut self, words: &[Word<'_>], place: Place<'_>) {
        let mut words = words;
        loop {
            let Some((first, arguments)) = words.split_first() else { return };
            // `Microsoft.PowerShell.Management\Remove-Item`
            let is_qualified = first.written.starts_with("Microsoft.");
            let whole = Some(first)
                .filter(|it| it.expanded)
                .and_then(|it| expansion::without_unknown(&it.text));
            let whole = whole.as_deref().unwrap_or(&first.text);
            let program = base_name(if is_qualified { &first.written } else { whole });
            if program == "find" {
                return self.find(arguments, place);
            }
            let is_for_tests = self.is_for_tests(program, arguments);
            if !self.is_shadowed(program, place) && !is_for_tests {
                self.show_call((program, Some(first)), arguments, place);
            }
            if self.work == 0 || (is_for_tests && program.starts_with("docker")) {
                return;
            }
            if may_be_nothing(first) {
                let lower = first.text.to_ascii_lowercase();
                if let Some(program) = NAMED.iter().find(|it| lower.contains(**it)) {
                    let named = [&[Word::literal(*program)], arguments].concat();
                    return self.call_deeper(&named, place);
                }
                words = arguments;
                continue;
            }
            self.leave_folder(program, place);
            if self.variables.len() > 0 && self.named(program, arguments, place) {
                return;
            }
            let is_found = first.text.contains('/') || self.variables.get("PATH").is_some();
            if is_found {
                self.foreign_file(&first.text, place);
                if let Some(text) = self.files.text(&first.text) {
                    let head = text.strip_prefix("#!").and_then(|text| text.lines().next());
                    if let Some(head) = head.filter(|head| !head.contains("sh")) {
                        let words = head.split_whitespace().chain([&*first.text]);
                        let words: Vec<Word<'_>> = words.map(Word::literal).collect();
                        return self.call_deeper(&words, place);
                    }
                    return self.script(&text, place.depth + 1);
                }
            }
            self.keep_made(program, arguments);
            let Some(inner) = self.wrapped(program, arguments, place) else {
                return self.inside(program, arguments, place);
            };
            words = inner;
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
        if programs::is_shell(program) || matches!(program, "source" | ".") {
            return self.shell(program, arguments, place);
        }
        match program {
            "iex" | "Invoke-Expression" | "[scriptblock]::Create" if arguments.is_empty() => {
                self.foreign_input(place);
                self.foreign_brackets(place);
                self.piped_text(place);
            }
            "eval" | "iex" | "Invoke-Expression" => {
                let texts = arguments.iter().map(|word| &*word.text);
                let text: Vec<&str> = texts.skip_while(|text| *text == "--").collect();
                self.script(&text.join(" "), depth);
            }
            "Start-Process" | "saps" => self.started(arguments, place),
            "Remove-Item" | "rm" | "ri" | "rd" | "rmdir" | "del" | "erase" => {
                self.deletes_listed(arguments, place);
            }
            "trap" => {
                if let Some(word) = arguments.iter().find(|word| !word.text.starts_with('-')) {
                    self.trap(&word.text, arguments, depth);
                }
            }
            "at" | "batch" => {
                if let Some(text) = self.input_script(place) {
                    self.script(&text, depth);
                }
            }
            "terraform" | "tofu" => self.planned(program, arguments, place),
            "crontab" => self.crontab(arguments, place),
            "go" => self.go_run(arguments, place),
            // `uv run -`
            "-" => self.interpreter("python", &[], place),
            "xargs" => self.xargs(arguments, place),
            "make" | "gmake" | "just" | "task" => self.make(arguments, place),
            "rake" => self.interpreter("ruby", &[Word::literal("Rakefile")], place),
            "npm" | "pnpm" | "yarn" | "bun" => {
                self.package_scripts(arguments, place);
                self.interpreter(program, arguments, place);
            }
            "sed" | "gsed" => self.sed(arguments, place),
            "cp" | "mv" | "install" | "tee" | "ddrescue" => self.copied(program, arguments, place),
            "fd" | "fdfind" => self.fd(arguments, place),
            "patch" | "tar" | "bsdtar" => {
                self.taken_back(program, arguments, place);
                self.embedded(program, arguments, place);
            }
            "git" => {
                self.taken_back(program, arguments, place);
                self.git(arguments, place);
            }
            _ => {
                self.embedded(program, arguments, place);
                self.escaped(program, arguments, place);
                self.connected(program, arguments, place);
                self.interpreter(program, arguments, place);
                self.database(program, arguments, place);
                self.console(program, arguments, place);
            }
        }
    }

    fn shell(&mut self, program: &str, arguments: &[Word<'_>], place: Place<'_>) {
        let sourced = matches!(program, "source" | ".");
        let Script { text, file, name, positional, reads_input, is_decoded } =
            if sourced { shells::sourced(arguments) } else { shells::script(program, arguments) };
        if is_decoded {
            self.foreign("powershell", &place.command.source, place);
        }
        self.complete &= !is_decoded;
        let text = match text {
            Some(text) if text.starts_with("<(") => {
                self.foreign_text(&text, place);
                self.text_of_file(&text)
            }
            None if reads_input => self.input_script(place),
            None => {
                // A descriptor that was opened before.
                self.complete &= !file.starts_with("/dev/fd/");
                self.foreign_file(&file, place);
                self.files.text(&file)
            }
            text => text,
        };
        let Some(text) = text.filter(|text| !text.is_empty()) else { return };
        let (length, traps) = (self.variables.len(), self.traps.len());
        self.variables.push("@", Values::All(positional));
        self.variables.push("0", Values::OneOf(name.into_iter().collect()));
        self.script(&text, place.depth + 1);
        self.end(traps, place.depth + 2);
        if sourced {
            self.variables.leave(length);
        } else {
            self.variables.truncate(length);
        }
    }
}

/// Returns whether a word is a variable without a known value in the place of a program, which may leave it
/// to the next word, as `$SUDO` does.
fn may_be_nothing(word: &Word<'_>) -> bool {
    let Some(name) = word.text.strip_prefix('$') else {
        return word.text.is_empty() && word.quoted;
    };
    let name = name.trim_start_matches('{').trim_end_matches('}');
    let name = name.split(":+").next().unwrap_or(name);
    let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let is_list = matches!(name, "@" | "*") || name.ends_with("[@]") || name.ends_with("[*]");
    let is_output = name.starts_with('(') && name.ends_with(')');
    word.expanded && ((!word.quoted && (is_name || is_output)) || is_list)
}

#[cfg(test)]
mod tests;

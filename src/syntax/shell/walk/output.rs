//! What commands print that only print: `echo`, `printf` and `cat`.

use std::ops::Range;

use super::super::{Command, Word, split};
use super::escapes;
use super::expansion::{self, Scope};
use super::variables::Variables;

/// What commands print, as far as that can be told.
#[derive(Default)]
pub(super) struct Output {
    pub(super) text: String,
    pub(super) known: bool,
}

/// Tells outputs, for as long as its budget of bytes lasts.
pub(super) struct Printer<'p> {
    pub(super) variables: &'p Variables,
    pub(super) budget: &'p mut usize,
}

impl Printer<'_> {
    /// The output of a command substitution, without the line ends at its end.
    pub(super) fn substitution(&mut self, script: &str) -> Option<String> {
        *self.budget = self.budget.checked_sub(script.len() + 16)?;
        let split = split(script);
        if split.commands.iter().all(|command| command.words.is_empty()) {
            return None;
        }
        let Output { mut text, known } = self.commands(&split.commands, 0..split.commands.len());
        text.truncate(text.trim_end_matches('\n').len());
        known.then_some(text)
    }

    /// What commands of a list print together.
    pub(super) fn commands(&mut self, commands: &[Command<'_>], range: Range<usize>) -> Output {
        let inside = &commands[range.start.min(commands.len())..range.end.min(commands.len())];
        let base = inside.iter().map(|command| command.nesting).min().unwrap_or_default();
        let feeds = |at: &usize| inside.iter().any(|command| command.feed.contains(at));
        let mut all = Output { text: String::new(), known: true };
        for at in range.clone() {
            let Some(command) = commands.get(at).filter(|it| it.nesting == base) else { continue };
            if feeds(&at) {
                continue;
            }
            let Some(budget) = self.budget.checked_sub(64) else { return Output::default() };
            *self.budget = budget;
            let Output { text, known } = self.command(commands, command);
            all.text.push_str(&text);
            all.known &= known;
        }
        all
    }

    /// What a command reads: a here-document, or what is piped into it.
    pub(super) fn input(&mut self, commands: &[Command<'_>], command: &Command<'_>) -> Output {
        match &command.input {
            Some(word) if word.expanded => Output { text: self.input_word(word), known: true },
            Some(word) => Output { text: word.text.clone().into_owned(), known: true },
            // A pipe goes from the left to the right, so this comes to an end.
            None if !command.feed.is_empty() => self.commands(commands, command.feed.clone()),
            None => Output::default(),
        }
    }

    fn input_word(&mut self, word: &Word<'_>) -> String {
        let is_here_document = word.written.contains('\n');
        self.with_scope(|scope| {
            if is_here_document {
                expansion::body(&word.written, scope)
            } else {
                expansion::text(&word.written, scope)
            }
        })
    }

    pub(super) fn with_scope<T>(&mut self, read: impl FnOnce(&mut Scope<'_>) -> T) -> T {
        let variables = self.variables;
        let budget = &mut *self.budget;
        let mut substitute = |script: &str| Printer { variables, budget }.substitution(script);
        read(&mut Scope { variables, substitute: &mut substitute })
    }

    fn words(&mut self, words: &[Word<'_>]) -> Vec<String> {
        let mut texts = Vec::new();
        for word in words {
            if word.expanded {
                let fields = self.with_scope(|scope| expansion::fields(&word.written, scope));
                texts.extend(fields.into_iter().map(|field| field.text.into_owned()));
            } else {
                texts.push(word.text.clone().into_owned());
            }
        }
        texts
    }

    /// What one command prints.
    pub(super) fn command(&mut self, commands: &[Command<'_>], command: &Command<'_>) -> Output {
        let silent = Output { text: String::new(), known: true };
        let to_file = |operator: &str| matches!(operator, ">" | ">>" | ">|" | "&>" | "&>>" | ">&");
        if command.redirections.iter().any(|redirection| to_file(redirection.operator)) {
            return silent;
        }
        let words = self.words(&command.words);
        let Some((program, arguments)) = words.split_first() else { return silent };
        let texts: Vec<&str> = arguments.iter().map(String::as_str).collect();
        match &**program {
            "echo" => known(escapes::echo(&texts)),
            "printf" => known(escapes::printf(&texts)),
            "cat" | "tee" if texts.iter().all(|text| text.starts_with('-')) => {
                self.input(commands, command)
            }
            "command" | "which" | "type" => {
                let named = texts.iter().find(|text| !text.starts_with('-'));
                named.map_or(Output::default(), |name| known(format!("{name}\n")))
            }
            "base64" if matches!(texts[..], ["-d" | "-D" | "--decode"]) => {
                let Output { text, known } = self.input(commands, command);
                match escapes::base64(&text) {
                    Some(text) => Output { text, known },
                    None => Output::default(),
                }
            }
            ":" | "true" | "cd" | "export" | "set" | "unset" | "shopt" | "sleep" | "mkdir" => {
                silent
            }
            _ => Output::default(),
        }
    }
}

fn known(text: String) -> Output {
    Output { text, known: true }
}

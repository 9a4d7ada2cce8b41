//! The commands that git runs: aliases that the line itself gives, and commands for each of something.

use super::super::programs::takes_word_first;
use super::super::{Word, split};
use super::state::{Place, Walk};
use super::variables::Values;
use crate::syntax::named::listed;

/// Subcommands, which no alias can take the place of.
static BUILTIN: &[&str] = listed!("GIT_BUILTIN");
/// Settings whose value git has a shell read.
static COMMANDS: &[&str] = listed!("GIT_COMMANDS");
/// Options of `git filter-branch` whose value a shell reads.
static FILTERS: &[&str] = listed!("GIT_FILTERS");

impl Walk<'_> {
    pub(super) fn git(&mut self, arguments: &[Word<'_>], place: Place<'_>) {
        let operand = arguments.iter().position(|word| !word.text.starts_with('-'));
        if let Some(at) = operand
            && let name = format!("git {}", arguments[at].text)
            && let Some(text) = self.named_script(&name, &arguments[at + 1..])
        {
            self.variables.set(&name, Values::All(Vec::new()));
            let script =
                text.strip_prefix('!').map_or_else(|| format!("git {text}"), str::to_owned);
            return self.script(&script, place.depth + 1);
        }
        let mut aliases: Vec<(&str, &str)> = Vec::new();
        let mut words = arguments;
        let subcommand = loop {
            let Some((word, rest)) = words.split_first() else { return };
            words = rest;
            let text = &*word.text;
            if !text.starts_with('-') {
                break text;
            }
            let setting = match text.strip_prefix("-c") {
                Some("") => words.first().map(|word| &*word.text),
                attached => attached,
            };
            if let Some((key, value)) = setting.and_then(|setting| setting.split_once('=')) {
                match key.strip_prefix("alias.") {
                    Some(name) => aliases.push((name, value)),
                    None if COMMANDS.contains(&&*key.to_ascii_lowercase()) => {
                        self.script(value, place.depth + 1);
                    }
                    None => {}
                }
            }
            if takes_word_first("git", text) {
                words = words.get(1..).unwrap_or_default();
            }
        };
        let alias = aliases.iter().rev().find(|(name, _)| *name == subcommand);
        if let Some((_, value)) = alias.filter(|_| !BUILTIN.contains(&subcommand)) {
            self.git_alias(value, words, place);
        }
        match subcommand {
            // It joins its words for a shell.
            "submodule" => {
                let texts = words.iter().map(|word| &*word.text);
                let mut texts = texts.skip_while(|text| text.starts_with('-'));
                if texts.next() == Some("foreach") {
                    let texts: Vec<&str> = texts.skip_while(|it| it.starts_with('-')).collect();
                    self.script(&texts.join(" "), place.depth + 1);
                }
            }
            "rebase" => self.git_values(words, &["-x", "--exec"], place),
            "bisect" if words.first().is_some_and(|word| word.text == "run") => {
                self.call_deeper(&words[1..], place);
            }
            "update-ref" if words.iter().any(|word| word.text == "--stdin") => {
                let fed = self.feeders(place).into_iter().map(|it| it.source.into_owned());
                if fed.chain(self.input(place)).any(|it| it.contains("delete ")) {
                    self.show("git", &["update-ref", "-d"].map(Word::literal), place);
                }
            }
            "filter-branch" => self.git_values(words, FILTERS, place),
            "difftool" | "mergetool" => self.git_values(words, &["-x", "--extcmd"], place),
            _ => {}
        }
    }

    fn git_alias(&mut self, value: &str, rest: &[Word<'_>], place: Place<'_>) {
        if let Some(script) = value.strip_prefix('!') {
            let texts = rest.iter().map(|word| &*word.text);
            let texts: Vec<&str> = [script].into_iter().chain(texts).collect();
            return self.script(&texts.join(" "), place.depth + 1);
        }
        let mut words = vec![Word::literal("git")];
        for command in split(value).commands {
            words.extend(command.words);
        }
        words.extend(rest.iter().cloned());
        self.call_deeper(&words, place);
    }

    /// Reads the values of options that git has a shell read.
    fn git_values(&mut self, words: &[Word<'_>], options: &[&str], place: Place<'_>) {
        for (at, word) in words.iter().enumerate() {
            let text = &*word.text;
            let (name, attached) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None if text.starts_with("-x") && text.len() > 2 => ("-x", Some(&text[2..])),
                None => (text, None),
            };
            let is_short = name.len() > 3 && name.starts_with("--");
            let is_it = |it: &&str| *it == name || is_short && it.starts_with(name);
            if options.iter().any(is_it) {
                let next = || words.get(at + 1).map(|word| &*word.text);
                self.script(attached.or_else(next).unwrap_or_default(), place.depth + 1);
            }
        }
    }
}

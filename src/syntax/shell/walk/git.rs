//! The commands that git runs: aliases that the line itself gives, and commands for each of something.

use super::super::programs::takes_word_first;
use super::super::{Word, split};
use super::state::{Place, Walk};
use super::variables::Values;
use crate::syntax::named::listed;

/// The commands that a call of git runs besides itself.
#[derive(Default)]
struct Runs {
    scripts: Vec<String>,
    /// Calls, their programs first.
    commands: Vec<Vec<Word<'static>>>,
}

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
        let mut found = runs(arguments);
        for text in found.scripts.drain(..) {
            self.script(&text, place.depth + 1);
        }
        for words in &found.commands {
            self.call_deeper(words, place);
        }
    }
}

/// Subcommands, which no alias can take the place of.
static BUILTIN: &[&str] = listed!("GIT_BUILTIN");
/// Settings whose value git has a shell read.
static COMMANDS: &[&str] = listed!("GIT_COMMANDS");
/// Options of `git filter-branch` whose value a shell reads.
static FILTERS: &[&str] = listed!("GIT_FILTERS");

fn runs(arguments: &[Word<'_>]) -> Runs {
    let mut runs = Runs::default();
    let mut aliases: Vec<(&str, &str)> = Vec::new();
    let mut words = arguments;
    let subcommand = loop {
        let Some((word, rest)) = words.split_first() else { return runs };
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
                    runs.scripts.push(value.to_owned());
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
        runs.alias(value, words);
    }
    match subcommand {
        "submodule" => runs.for_each(words),
        "rebase" => runs.values(words, &["-x", "--exec"]),
        "bisect" if words.first().is_some_and(|word| word.text == "run") => {
            runs.commands.push(words[1..].iter().map(owned).collect());
        }
        "filter-branch" => runs.values(words, FILTERS),
        "difftool" | "mergetool" => runs.values(words, &["-x", "--extcmd"]),
        _ => {}
    }
    runs
}

impl Runs {
    fn alias(&mut self, value: &str, rest: &[Word<'_>]) {
        let texts = rest.iter().map(|word| word.text.clone());
        if let Some(script) = value.strip_prefix('!') {
            let words: Vec<_> = std::iter::once(script.into()).chain(texts).collect();
            return self.scripts.push(words.join(" "));
        }
        let mut words = vec![Word::literal("git")];
        for command in split(value).commands {
            words.extend(command.words.iter().map(owned));
        }
        words.extend(rest.iter().map(owned));
        self.commands.push(words);
    }

    /// `git submodule foreach`, which joins its words for a shell.
    fn for_each(&mut self, words: &[Word<'_>]) {
        let mut words =
            words.iter().map(|word| &*word.text).skip_while(|text| text.starts_with('-'));
        if words.next() == Some("foreach") {
            let words: Vec<&str> = words.skip_while(|text| text.starts_with('-')).collect();
            self.scripts.push(words.join(" "));
        }
    }

    fn values(&mut self, words: &[Word<'_>], options: &[&str]) {
        for (at, word) in words.iter().enumerate() {
            let text = &*word.text;
            let (name, attached) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None if text.starts_with("-x") && text.len() > 2 => ("-x", Some(&text[2..])),
                None => (text, None),
            };
            if options.iter().any(|option| *option == name || is_short_for(name, option)) {
                let next = || words.get(at + 1).map(|word| &*word.text);
                self.scripts.extend(attached.or_else(next).map(str::to_owned));
            }
        }
    }
}

fn is_short_for(name: &str, option: &str) -> bool {
    name.len() > 3 && name.starts_with("--") && option.starts_with(name)
}

fn owned(word: &Word<'_>) -> Word<'static> {
    word.clone().into_owned()
}

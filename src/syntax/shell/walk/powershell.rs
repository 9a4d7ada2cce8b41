//! Blocks, assignments and started programs as PowerShell writes them.

use super::super::{Command, Word};
use super::names::value_of;
use super::state::{Place, Walk, base_name};
use super::variables::{Value, Values};

/// Parameters of `Start-Process` that take a word which is not the program's.
const VALUES: &[&str] = &["-verb", "-windowstyle", "-workingdirectory", "-credential"];
/// Commands whose hits `rm` and its like take from the pipe.
const LISTS: &[&str] = &["ls", "dir", "gci", "Get-ChildItem", "gi", "Get-Item"];

impl Walk<'_> {
    /// Walks the value of `$x = PROGRAM …`, and the first call in each block that is an argument or
    /// follows a keyword; the calls after a `;` are commands of their own.
    pub(super) fn blocks(&mut self, words: &[Word<'_>], place: Place<'_>) {
        if let [name, sign, value @ ..] = words
            && name.written.starts_with('$')
            && matches!(&*sign.text, "=" | "+=")
        {
            // A command's output is none.
            let is_text = |it: &Word<'_>| it.quoted || it.written.starts_with('$');
            match value {
                [value] if sign.text == "=" && is_text(value) => {
                    self.assign(&format!("{}={}", &name.written[1..], value.written), false);
                }
                [_, _, ..] if sign.text == "=" && value.iter().all(is_text) => {
                    let values = Values::All(value.iter().map(value_of).collect());
                    self.variables.set(&name.written[1..], values);
                }
                _ => {}
            }
            self.call_deeper(value, place);
        }
        // `foreach ($d in "a","b")`
        if let Some(at) = words.iter().position(|word| word.text == "in").filter(|at| *at > 0)
            && let Some(name) = words[at - 1].written.trim_start_matches('(').strip_prefix('$')
        {
            let is_end = |word: &Word<'_>| word.text.contains([')', '{']);
            let length = words[at + 1..].iter().position(is_end);
            let list = &words[at + 1..length.map_or(words.len(), |length| at + 2 + length)];
            let texts = list.iter().flat_map(|word| {
                let text = word.text.split([')', '{']).next().unwrap_or_default();
                text.split(',').filter(|it| !it.is_empty())
            });
            let values: Vec<Value> =
                texts.map(|it| Value { text: it.to_owned(), expanded: false }).collect();
            if list.first().is_some_and(|it| it.quoted) {
                self.variables.set(name, Values::OneOf(values));
            }
        }
        let opens = |word: &Word<'_>| {
            let text = &*word.written;
            let is_brace = text.starts_with('{') || text.ends_with('{');
            // `{key:` is data.
            !word.quoted && is_brace && !text.contains('}') && !text.ends_with(':')
        };
        for (at, word) in words.iter().enumerate().filter(|(_, word)| opens(word)) {
            let attached = word.text.strip_prefix('{').filter(|rest| !rest.is_empty());
            let mut inside: Vec<Word<'_>> = attached.into_iter().map(Word::literal).collect();
            for word in &words[at + 1..] {
                if opens(word) {
                    break;
                }
                let last = word.text.strip_suffix('}').filter(|rest| !rest.contains('{'));
                match last {
                    Some("") => break,
                    Some(rest) => {
                        inside.push(Word::literal(rest));
                        break;
                    }
                    None => inside.push(word.clone()),
                }
            }
            self.call_deeper(&inside, place);
        }
    }

    /// Walks the text that `iex` gets from the pipe.
    pub(super) fn piped_text(&mut self, place: Place<'_>) {
        if let Some([Command { words, .. }]) = place.list.get(place.command.feed.clone())
            && let [text] = &words[..]
        {
            self.script(&text.text, place.depth + 1);
        }
    }

    /// Walks what `Start-Process` starts.
    pub(super) fn started(&mut self, arguments: &[Word<'_>], place: Place<'_>) {
        let mut text = String::new();
        let mut words = arguments.iter().map(|word| &*word.text);
        while let Some(word) = words.next() {
            if VALUES.contains(&&*word.to_ascii_lowercase()) {
                words.next();
            } else if !word.starts_with('-') || !word[1..].starts_with(|it: char| it.is_uppercase())
            {
                text.extend([&*word.replace(',', " "), " "]);
            }
        }
        self.script(&text, place.depth + 1);
    }

    /// Shows what `Remove-Item` or an alias of it deletes that gets its operands from a pipe.
    pub(super) fn deletes_listed(&mut self, arguments: &[Word<'_>], place: Place<'_>) {
        let fed = place.list.get(place.command.feed.clone()).unwrap_or_default();
        let only_shows = |word: &Word<'_>| word.text.eq_ignore_ascii_case("-WhatIf");
        if fed.is_empty()
            || !arguments.iter().all(|word| word.text.starts_with('-'))
            || arguments.iter().any(only_shows)
        {
            return;
        }
        let lists =
            |word: &Word<'_>| LISTS.iter().any(|it| it.eq_ignore_ascii_case(base_name(&word.text)));
        let mut words = vec![Word::literal("-Recurse")];
        match fed {
            [from] if from.words.first().is_some_and(lists) => {
                words.extend(listed(&from.words[1..]));
            }
            _ => words.push(Word::literal("{}")),
        }
        self.show("Remove-Item", &words, place);
    }
}

/// The hits of `Get-ChildItem`, as paths with `{}` for what is not known.
fn listed(arguments: &[Word<'_>]) -> Vec<Word<'static>> {
    let (mut names, mut folders) = (Vec::new(), Vec::new());
    let mut option = "";
    for word in arguments {
        match &*word.text {
            text if text.starts_with('-') => option = text,
            text if ["-include", "-filter"].iter().any(|it| option.eq_ignore_ascii_case(it)) => {
                names.push(format!("{{}}/{text}"));
            }
            text => folders.push(format!("{text}/{{}}")),
        }
    }
    let hits = if names.is_empty() { folders } else { names };
    let unknown = hits.is_empty().then(|| "{}".to_owned());
    hits.into_iter().chain(unknown).map(Word::literal).collect()
}

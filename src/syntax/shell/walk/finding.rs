//! `find` and `xargs`, which run a command for what they are given.

use super::super::Word;
use super::super::programs::{interpreter, is_shell};
use super::options::{Argument, Options};
use super::state::{Place, Walk, base_name};

const XARGS: &str = "-a -d -E -I -J -L -n -P -R -s --arg-file --delimiter --max-args --max-chars \
                     --max-procs --process-slot-var";
/// So many lines of an input are put in place of `{}`.
const LINES: usize = 8;
/// So many words of an input are given to a command.
const GIVEN: usize = 1024;

impl Walk<'_> {
    /// Shows `find` without the commands that it runs for its hits, and these.
    pub(super) fn find(&mut self, arguments: &[Word<'_>], place: Place<'_>) {
        let mut own: Vec<Word<'_>> = Vec::with_capacity(arguments.len());
        let mut commands = Vec::new();
        let mut rest = arguments;
        while let Some((word, after)) = rest.split_first() {
            rest = after;
            if !matches!(&*word.text, "-exec" | "-execdir" | "-ok" | "-okdir") {
                own.push(word.clone());
                continue;
            }
            let ends = |at: &usize| match &*rest[*at].text {
                ";" => true,
                "+" => *at > 0 && rest[at - 1].text == "{}",
                _ => false,
            };
            let end = (0..rest.len()).find(ends).unwrap_or(rest.len());
            commands.push(&rest[..end]);
            rest = rest.get(end + 1..).unwrap_or_default();
        }
        self.show("find", &own, place);
        let hit = hit(&own);
        for words in commands {
            let words: Vec<Word<'_>> = words.iter().map(|it| replace(it, "{}", &hit)).collect();
            self.call_deeper(&words, place);
        }
    }

    pub(super) fn xargs(&mut self, arguments: &[Word<'_>], place: Place<'_>) {
        let mut options = Options::new(arguments, XARGS);
        let mut replaced = None;
        let words = loop {
            let rest = options.rest();
            match options.next() {
                Some(Argument::Option { name, value }) => match &*name {
                    "-I" | "-J" => replaced = value.map(String::from),
                    "-i" | "--replace" => {
                        let marker = value.filter(|value| !value.is_empty());
                        replaced = Some(marker.map_or_else(|| "{}".to_owned(), String::from));
                    }
                    _ => {}
                },
                Some(Argument::Operand(_)) => break rest,
                Some(Argument::End) => break options.rest(),
                None => return,
            }
        };
        let is_whole =
            |word: &Word<'_>| word.text == "-c" || Some(&*word.text) == replaced.as_deref();
        if words.first().is_some_and(|word| runs_text(base_name(&word.text)))
            && words.last().is_some_and(is_whole)
        {
            self.foreign_input(place);
        }
        let Some(input) = self.input(place) else {
            let unknown = replaced.is_none().then(|| Word::literal("{}"));
            let words: Vec<Word<'_>> = words.iter().cloned().chain(unknown).collect();
            return self.call_deeper(&words, place);
        };
        match replaced {
            Some(marker) => {
                for line in input.lines().take(LINES) {
                    let words: Vec<Word<'_>> =
                        words.iter().map(|word| replace(word, &marker, line.trim())).collect();
                    self.call_deeper(&words, place);
                }
            }
            None => {
                let given = input.split_whitespace().take(GIVEN);
                let given = given.map(|text| Word::literal(text.to_owned()));
                let words: Vec<Word<'_>> = words.iter().cloned().chain(given).collect();
                self.call_deeper(&words, place);
            }
        }
    }
}

impl Walk<'_> {
    /// Shows what `fd -x COMMAND` and `fd -X COMMAND` run for its hits.
    pub(super) fn fd(&mut self, arguments: &[Word<'_>], place: Place<'_>) {
        let runs = |word: &Word<'_>| matches!(&*word.text, "-x" | "-X" | "--exec" | "--exec-batch");
        let Some(at) = arguments.iter().position(runs) else { return };
        let words = arguments[at + 1..].split(|word| word.text == ";").next().unwrap_or_default();
        // Each hit is an operand, whether it is named or not.
        let unknown = (!words.is_empty()).then(|| Word::literal("{}"));
        let words: Vec<Word<'_>> = words.iter().cloned().chain(unknown).collect();
        self.call_deeper(&words, place);
    }
}

/// A word with a text in place of a marker such as `{}`.
fn replace<'w>(word: &Word<'w>, marker: &str, text: &str) -> Word<'w> {
    if marker.is_empty() || !word.text.contains(marker) {
        return word.clone();
    }
    Word::literal(word.text.replace(marker, text))
}

fn runs_text(program: &str) -> bool {
    is_shell(program) || interpreter(program).is_some()
}

/// A hit of `find` as a path: `{}` below where it begins, before the name that it looks for, where
/// these are one.
fn hit(arguments: &[Word<'_>]) -> String {
    let is_option = |word: &Word<'_>| word.text.starts_with(['-', '!', '(']);
    let starts = arguments.split(is_option).next().unwrap_or_default();
    let names: Vec<_> = arguments.windows(2).filter(|pair| pair[0].text == "-name").collect();
    let is_choice = |word: &Word<'_>| matches!(&*word.text, "-o" | "-or" | "!" | "-not");
    match (starts, &names[..]) {
        _ if arguments.iter().any(is_choice) => "{}".to_owned(),
        ([start], []) => format!("{}/{{}}", start.text),
        ([start], [name]) => format!("{}/{{}}/{}", start.text, name[1].text),
        _ => "{}".to_owned(),
    }
}

//! `find` and `xargs`, which run a command for what they are given.

use super::super::programs::{interpreter, is_shell};
use super::super::{Command, Redirection, Word, split};
use super::options::{Argument, Options};
use super::state::{Place, SHOWN, Walk, base_name};
use crate::syntax::named::listed;

const XARGS: &str = "-a -d -E -I -J -L -n -P -R -s --arg-file --delimiter --max-args --max-chars \
                     --max-procs --process-slot-var";
const FD: &str = "-c -d -e -E -j -o -S -t --color --exclude --extension --max-depth --min-depth --owner --size \
                  --threads --type --changed-within --changed-before";
/// Through so many programs that pass their input on a search is followed.
const HOPS: usize = 8;
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
        let hits = hits(&own);
        for words in commands {
            self.call_deeper(&filled(words, "{}", &hits), place);
        }
    }

    pub(super) fn xargs(&mut self, arguments: &[Word<'_>], place: Place<'_>) {
        let mut options = Options::new(arguments, XARGS);
        let (mut replaced, mut by_line) = (None, false);
        let words = loop {
            let rest = options.rest();
            match options.next() {
                Some(Argument::Option { name, value }) => match &*name {
                    "-I" | "-J" => replaced = value.map(String::from),
                    "-i" | "--replace" => {
                        let marker = value.filter(|value| !value.is_empty());
                        replaced = Some(marker.map_or_else(|| "{}".to_owned(), String::from));
                    }
                    _ => by_line |= matches!(&*name, "-0" | "-d" | "--null" | "--delimiter"),
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
        } else if !words.first().is_some_and(|it| matches!(&*it.text, "echo" | "printf")) {
            self.decoded_words(place);
        }
        let Some(input) = self.input(place) else {
            let hits = self.listed(place);
            if let Some(marker) = replaced {
                return self.call_deeper(&filled(words, &marker, &hits), place);
            }
            let unknown = hits.into_iter().map(Word::literal);
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
                let separates =
                    |it: char| if by_line { matches!(it, '\n' | '\0') } else { it.is_whitespace() };
                let given = input.split(separates).filter(|it| !it.is_empty()).take(GIVEN);
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
        let hits = fd_hits(&arguments[..at]);
        let is_marked = words.iter().any(|word| word.text.contains("{}"));
        let mut words = filled(words, "{}", &hits);
        // Each hit is an operand, whether it is named or not.
        if !words.is_empty() && !is_marked {
            words.extend(hits.into_iter().map(Word::literal));
        }
        self.call_deeper(&words, place);
    }

    /// The paths that a place reads from a search or a listing, with `{}` for what is not known.
    pub(super) fn listed(&mut self, place: Place<'_>) -> Vec<String> {
        let unknown = || vec!["{}".to_owned()];
        let is_source = |it: &&Redirection<'_>| it.operator == "<";
        let command = place.command;
        if let Some(inside) = command
            .redirections
            .iter()
            .rev()
            .find(is_source)
            .and_then(|it| it.target.text.strip_prefix("<("))
        {
            let split = split(inside.strip_suffix(')').unwrap_or(inside));
            return split.commands.last().map_or_else(unknown, |it| listed_by(&split.commands, it));
        }
        match place.list.get(command.feed.clone()) {
            Some([from]) if self.spend(SHOWN * from.words.len()) => listed_by(place.list, from),
            _ => unknown(),
        }
    }
}

static FILTERS: &[&str] = listed!("FILTERS");

fn listed_by(list: &[Command<'_>], command: &Command<'_>) -> Vec<String> {
    let mut from = command;
    for _ in 0..HOPS {
        let Some((first, arguments)) = from.words.split_first() else { break };
        match base_name(&first.text) {
            // Others print something else of what they find.
            "find"
                if !arguments
                    .iter()
                    .any(|it| it.text.starts_with("-exec") || it.text == "-printf") =>
            {
                return hits(arguments);
            }
            "fd" | "fdfind" => return fd_hits(arguments),
            "ls" => return patterns(arguments),
            "git" if arguments.first().is_some_and(|word| word.text == "ls-files") => {
                return patterns(&arguments[1..]);
            }
            name if FILTERS.contains(&name) => match list.get(from.feed.clone()) {
                Some([before]) => from = before,
                _ => break,
            },
            _ => break,
        }
    }
    vec!["{}".to_owned()]
}

/// The hits of operands that are all patterns; a folder is listed by the names in it.
fn patterns(arguments: &[Word<'_>]) -> Vec<String> {
    let names: Vec<&str> =
        arguments.iter().map(|word| &*word.text).filter(|it| !it.starts_with('-')).collect();
    if names.is_empty() || !names.iter().all(|name| name.contains(['*', '?'])) {
        return vec!["{}".to_owned()];
    }
    let hit = |name: &&str| match name.rsplit_once('/') {
        Some((folder, name)) => format!("{folder}/{{}}/{name}"),
        None => format!("{{}}/{name}"),
    };
    names.iter().map(hit).collect()
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

/// Words with hits in place of a marker: each by itself where the marker is a word.
fn filled<'w>(words: &[Word<'w>], marker: &str, hits: &[String]) -> Vec<Word<'w>> {
    let fill = |word: &Word<'w>| {
        if word.text == marker {
            return hits.iter().cloned().map(Word::literal).collect();
        }
        vec![replace(word, marker, &hits.join(" "))]
    };
    words.iter().flat_map(fill).collect()
}

/// The hits of `find` as paths: below each place where it begins `{}`, and then what it looks for by name.
pub fn hits(arguments: &[Word<'_>]) -> Vec<String> {
    let is_option = |word: &Word<'_>| word.text.starts_with(['-', '!', '(']);
    let starts = arguments.split(is_option).find(|it| !it.is_empty()).unwrap_or_default();
    let by_name = |word: &str| {
        matches!(word, "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-iwholename")
    };
    let negates = |word: &Word<'_>| matches!(&*word.text, "!" | "-not");
    let is_negated = |at: usize| at > 0 && negates(&arguments[at - 1]);
    let pairs = arguments.windows(2).enumerate();
    let pairs = pairs.filter(|(at, pair)| by_name(&pair[0].text) && !is_negated(*at));
    let names: Vec<&str> = pairs.map(|(_, pair)| &*pair[1].text).collect();
    let count = |list: &[&str]| arguments.iter().filter(|it| list.contains(&&*it.text)).count();
    let choices = count(&["-o", "-or"]);
    // Of what is not looked for by its name nothing is known; where all has to be met, what is not looked for
    // only makes it less.
    let opens = |word: &Word<'_>| matches!(&*word.text, "(" | "\\(");
    let mut depth = 0_usize;
    let takes_less = arguments.iter().enumerate().all(|(at, word)| {
        match &*word.text {
            "(" | "\\(" => depth += 1,
            ")" | "\\)" => depth = depth.saturating_sub(1),
            "-o" | "-or" => return depth > 0,
            "!" | "-not" => return depth == 0 && !arguments.get(at + 1).is_some_and(opens),
            _ => {}
        }
        true
    });
    let is_known = count(&[","]) == 0
        && (count(&["!", "-not"]) == 0 || takes_less)
        && (choices == 0 || names.len() == choices + 1);
    let ends = match (is_known && !names.is_empty(), choices) {
        (false, _) => vec![String::new()],
        (true, 0) => vec![format!("/{}", names.join("/"))],
        (true, _) => names.iter().map(|name| format!("/{name}")).collect(),
    };
    let starts: Vec<&str> = match starts {
        [] => vec!["."],
        starts => starts.iter().map(|word| &*word.text).collect(),
    };
    let below =
        |start: &&str| ends.iter().map(|end| format!("{start}/{{}}{end}")).collect::<Vec<_>>();
    starts.iter().take(LINES).flat_map(below).collect()
}

/// The hits of `fd` where what it looks for can be told: an ending, or a whole name.
fn fd_hits(arguments: &[Word<'_>]) -> Vec<String> {
    let mut hits = Vec::new();
    let (mut is_whole, mut patterns) = (false, Vec::new());
    for argument in Options::new(arguments, FD) {
        match argument {
            Argument::Option { name, value: Some(value) }
                if matches!(&*name, "-e" | "--extension") =>
            {
                hits.push(format!("{{}}/*.{value}"));
            }
            Argument::Option { name, .. } => is_whole |= matches!(&*name, "-g" | "--glob"),
            Argument::Operand(word) => patterns.push(&*word.text),
            Argument::End => {}
        }
    }
    if let (true, [pattern, ..]) = (hits.is_empty(), &patterns[..]) {
        let whole = pattern.strip_prefix('^').and_then(|it| it.strip_suffix('$'));
        // Hardly another name has one such as `__pycache__` in it.
        if is_whole || whole.is_some() || pattern.contains('_') {
            hits.push(format!("{{}}/{}", whole.unwrap_or(pattern).replace("\\.", ".")));
        }
    }
    if hits.is_empty() { vec!["{}".to_owned()] } else { hits }
}

//! Names that a line gives to values and scripts: variables, aliases of the shell and of git.

use super::super::assignment::is_assignment;
use super::super::line::Parser;
use super::super::programs::is_shell;
use super::super::{Command, Word};
use super::options::{Argument, Options};
use super::output::text_of;
use super::state::{Place, SHOWN, Walk, base_name};
use super::variables::{Value, Values};
use crate::syntax::named::listed;

static RUN: &[&str] = listed!("RUN_BY_NAME");
/// So many values of a loop's variable are tried.
const CHOICES: usize = 8;

impl Walk<'_> {
    pub(super) fn begin_loop(&mut self, words: &[Word<'_>]) {
        let words = self.expanded(words);
        let Some((name, values)) = words.split_first() else { return };
        let values = values.iter().skip(usize::from(values.len() > 1)).take(CHOICES);
        let mut values: Vec<Value> = values.map(value_of).collect();
        // `for x; do`
        if let (true, Some(Values::All(given))) = (values.is_empty(), self.variables.get("@")) {
            values.extend(given.iter().take(CHOICES).cloned());
        }
        if !values.is_empty() {
            self.variables.set(&name.text, Values::OneOf(values));
        }
    }

    /// The words of a command with each of the values in turn that a variable in it may have, where that is
    /// not at the end, as in `git -C $d reset`, or is a script; `length` is that of the words with all values.
    pub(super) fn each_value(
        &mut self,
        words: &[Word<'_>],
        length: usize,
    ) -> Vec<Vec<Word<'static>>> {
        let mut rows = vec![Vec::new()];
        let mut matters = false;
        let is_short = self.spend(SHOWN * length) && words.len() < length;
        for (at, word) in words.iter().enumerate().filter(|_| is_short) {
            let mut fields = Vec::new();
            let ends = self.expand(&word.written, &mut fields);
            let is_last = at > 0 && at + 1 == words.len();
            let is_script = words[0].text == "eval" || is_shell(&words[0].text);
            matters |= !ends.is_empty() && (!is_last || is_script);
            rows.resize(ends.len().max(rows.len()), rows[rows.len() - 1].clone());
            for (number, row) in rows.iter_mut().enumerate() {
                let own = number.min(ends.len().saturating_sub(1));
                let start = own.checked_sub(1).map_or(0, |before| ends[before]);
                row.extend_from_slice(
                    &fields[start..ends.get(own).copied().unwrap_or(fields.len())],
                );
            }
        }
        if matters { rows } else { Vec::new() }
    }

    /// Keeps what `NAME=value` or `NAME=(…)` says, for now or for good.
    pub(super) fn assign(&mut self, written: &str, for_now: bool) {
        let Some((name, value)) = written.split_once('=') else { return };
        let (name, adds) = name.strip_suffix('+').map_or((name, false), |name| (name, true));
        self.run_by_variable(name, value);
        let mut words = Vec::new();
        let list = value.strip_prefix('(');
        match list {
            Some(list) if self.spend(list.len()) => {
                let list = Parser::words_of(list.strip_suffix(')').unwrap_or(list));
                // `[key]=value`
                let plain = |word: &Word<'_>| match word.text.strip_prefix('[') {
                    Some(keyed) => Word::literal(keyed.split_once("]=")?.1.to_owned()).into(),
                    None => None,
                };
                let words_of_list = self.expanded(&list);
                let values = words_of_list.iter();
                words = values.map(|it| value_of(plain(it).as_ref().unwrap_or(it))).collect();
            }
            _ if value.contains(['$', '`']) => {
                let mut fields = Vec::new();
                self.expand(value, &mut fields);
                words.push(joined(&fields));
            }
            _ if self.spend(value.len()) => words.push(joined(&Parser::words_of(value))),
            _ => {}
        }
        if adds && self.spend(written.len()) {
            match self.variables.get(name) {
                Some(Values::All(known)) => {
                    words = [known.clone(), words].concat();
                }
                Some(Values::OneOf(known)) => {
                    if let (Some(known), Some(word)) = (known.last(), words.first_mut()) {
                        word.text.insert_str(0, &known.text);
                        word.expanded |= known.expanded;
                    }
                }
                None => {}
            }
            let length = words.iter().map(|word| word.text.len() + SHOWN).sum();
            if !self.spend(length) {
                return;
            }
        }
        match words.pop() {
            None => self.variables.set(name, Values::All(Vec::new())),
            Some(word) if list.is_some() => {
                words.push(word);
                self.variables.set(name, Values::All(words));
            }
            Some(value) if for_now => self.variables.push(name, Values::OneOf(vec![value])),
            Some(value) if self.has_else => self.variables.add(name, value),
            Some(value) => self.variables.set(name, Values::OneOf(vec![value])),
        }
    }

    /// Keeps what `${NAME:=text}` gives to a variable that has no value.
    pub(super) fn assign_missing(&mut self, written: &str) {
        for inside in written.split("${").skip(1).take(CHOICES) {
            let pair = inside.split('}').next().unwrap_or_default().replacen(":=", "=", 1);
            let name = pair.split('=').next().unwrap_or_default();
            if is_assignment(&pair) && self.variables.get(name).is_none() {
                self.assign(&pair, false);
            }
        }
    }

    /// Keeps what builtins say of variables, and what git and the shell are told to run by a name.
    pub(super) fn remember(&mut self, program: &str, arguments: &[Word<'_>], place: Place<'_>) {
        match program {
            "cd" | "pushd" => self.go(arguments, place.command.nesting),
            "popd" => self.folder.clear(),
            "local" | "declare" | "typeset" if arguments.iter().any(|word| word.text == "-n") => {
                // The name of another variable.
                for (name, other) in arguments.iter().filter_map(|it| it.text.split_once('=')) {
                    let values = match self.variables.get(other) {
                        Some(Values::OneOf(values)) => Values::OneOf(values.clone()),
                        Some(Values::All(values)) => Values::All(values.clone()),
                        None => continue,
                    };
                    self.variables.set(name, values);
                }
            }
            "local" if self.in_function => {
                for word in arguments.iter().filter(|word| is_assignment(&word.written)) {
                    self.assign(&word.written, true);
                }
            }
            "export" | "declare" | "typeset" | "readonly" => {
                for word in arguments.iter().filter(|word| is_assignment(&word.written)) {
                    self.assign(&word.written, false);
                }
            }
            "set" => {
                let dashes = arguments.iter().position(|word| word.text == "--");
                let is_plain = |word: &Word<'_>| !word.text.starts_with(['-', '+']);
                let start = dashes.map(|at| at + 1);
                if let Some(at) = start.or(arguments.first().is_some_and(is_plain).then_some(0)) {
                    let values = arguments[at..].iter().map(value_of).collect();
                    self.variables.set("@", Values::All(values));
                }
            }
            "shift" => {
                let Some(Values::All(values)) = self.variables.get("@") else { return };
                let count = arguments.first().and_then(|word| word.text.parse().ok()).unwrap_or(1);
                let rest: Vec<Value> = values.iter().skip(count).cloned().collect();
                if self.spend(rest.iter().map(|value| value.text.len() + SHOWN).sum()) {
                    self.variables.set("@", Values::All(rest));
                }
            }
            "read" | "mapfile" | "readarray" => self.read_names(program, arguments, place),
            "alias" => {
                for (name, text) in arguments.iter().filter_map(|word| word.text.split_once('=')) {
                    self.name_script(&format!("alias {name}"), text);
                }
            }
            "git" => {
                let at = arguments.iter().position(|word| word.text.starts_with("alias."));
                if let Some(at) = at
                    && arguments[..at].iter().any(|word| word.text == "config")
                    && let Some(text) = arguments.get(at + 1)
                {
                    self.name_script(&format!("git {}", &arguments[at].text[6..]), &text.text);
                }
            }
            // A copy of a program, or a link to it, under another name.
            "cp" | "ln" | "mv" | "install" | "docker" | "kubectl" | "scp" => {
                let [.., from, to] = arguments else { return };
                let finds = ["which ", "command -v ", "type -P "];
                let is_found = || finds.iter().any(|it| place.command.source.contains(it));
                let is_program = from.text.starts_with('/') && from.text.contains("bin/");
                let is_here = !matches!(program, "docker" | "kubectl" | "scp");
                if is_here && (is_program || is_found()) && !base_name(&to.text).is_empty() {
                    self.name_script(&format!("alias {}", base_name(&to.text)), &from.text);
                }
                if let Some(text) = self.files.text(&from.text).filter(|it| self.spend(it.len())) {
                    let path = to.text.split_once(':').map_or(&*to.text, |(_, path)| path);
                    self.files.write(path, &text, false);
                }
            }
            "hash" => {
                if let [option, from, name] = arguments
                    && option.text == "-p"
                {
                    self.name_script(&format!("alias {}", name.text), &from.text);
                }
            }
            "cat" => {
                if let [from] = arguments
                    && from.text.contains("bin/")
                    && let Some(to) = place.command.redirections.first()
                {
                    let name = format!("alias {}", base_name(&to.target.text));
                    self.name_script(&name, &from.text);
                }
            }
            "printf" if arguments.first().is_some_and(|word| word.text == "-v") => {
                if let Some(name) = arguments.get(1) {
                    let text = text_of("printf", &arguments[2..]);
                    let value = Value { text, expanded: false };
                    self.variables.set(&name.text, Values::OneOf(vec![value]));
                }
            }
            _ => {}
        }
    }

    /// Keeps what `read` and `mapfile` give to variables: lines of the input, or the hits of what lists them.
    fn read_names(&mut self, program: &str, arguments: &[Word<'_>], place: Place<'_>) {
        let mut names: Vec<&str> = Vec::new();
        let (mut is_list, mut asks) = (program != "read", false);
        let values = if is_list { "-d -n -O -s -u -C -c" } else { "-a -d -i -n -N -p -t -u" };
        for argument in Options::new(arguments, values) {
            match argument {
                Argument::Option { name, value: Some(value) } if name == "-a" => {
                    is_list = true;
                    names.extend(arguments.iter().map(|it| &*it.text).find(|it| **it == *value));
                }
                Argument::Option { name, .. } => asks |= name == "-p",
                Argument::Operand(word) => names.push(&word.text),
                Argument::End => {}
            }
        }
        let place = self.read_here(place);
        let input = self.input(place);
        if input.is_none() && asks {
            return;
        }
        let value = |text: &str| Value { text: text.to_owned(), expanded: false };
        let separators = self.separators(place);
        let lines: Vec<Value> = match &input {
            Some(input) if is_list && program == "read" => {
                input.split(&*separators).filter(|it| !it.is_empty()).map(value).collect()
            }
            Some(input) => input.lines().take(CHOICES).map(value).collect(),
            None => self.listed(place).iter().take(CHOICES).map(|hit| value(hit)).collect(),
        };
        match (&names[..], input.as_deref().and_then(|input| input.lines().next())) {
            ([], _) => {
                self.variables.set(if is_list { "MAPFILE" } else { "REPLY" }, Values::OneOf(lines));
            }
            ([name], _) if is_list => self.variables.set(name, Values::All(lines)),
            ([name], _) => self.variables.set(name, Values::OneOf(lines)),
            (names, Some(line)) => {
                for (at, name) in names.iter().enumerate() {
                    let mut words = line.split(&*separators).filter(|it| !it.is_empty()).skip(at);
                    let text = if at + 1 == names.len() {
                        words.collect::<Vec<_>>().join(" ")
                    } else {
                        words.next().unwrap_or_default().to_owned()
                    };
                    self.variables.set(name, Values::OneOf(vec![value(&text)]));
                }
            }
            (names, None) => {
                for name in names {
                    self.variables.set(name, Values::OneOf(lines.clone()));
                }
            }
        }
    }

    /// The letters between the words of a line that `read` reads.
    fn separators(&self, place: Place<'_>) -> Vec<char> {
        let own = place.command.assignments.iter().find_map(|it| it.text.strip_prefix("IFS="));
        let known = match self.variables.get("IFS") {
            Some(Values::OneOf(values)) => values.first().map(|value| &*value.text),
            _ => None,
        };
        let separators = own.or(known).filter(|it| !it.is_empty()).unwrap_or(" \t");
        separators.chars().chain(['\n']).collect()
    }

    /// Reads what programs and shells run that a variable tells them.
    fn run_by_variable(&mut self, name: &str, value: &str) {
        if matches!(name, "BASH_ENV" | "ENV") {
            if let Some(text) = self.files.text(value) {
                self.script(&text, 1);
            }
        } else if RUN.iter().any(|end| name.ends_with(end)) {
            let words = Parser::words_of(value);
            let text = words.first().map_or("", |word| &*word.text);
            let text = text.trim_start_matches(['|', '!']).to_owned();
            self.script(&text, 1);
        }
    }

    /// The place whose input a place reads: itself, or the end of the loop or group that it is in.
    pub(super) fn read_here<'p>(&mut self, place: Place<'p>) -> Place<'p> {
        let own = !place.command.feed.is_empty()
            || !place.command.redirections.is_empty()
            || place.command.input.is_some();
        if own || !self.spend(place.list.len()) {
            return place;
        }
        let is_here = |it: &&Command<'_>| std::ptr::eq(*it, place.command);
        let reads = |it: &&Command<'_>| {
            let is_given =
                it.input.is_some() || it.redirections.iter().any(|it| it.operator == "<");
            it.closes && is_given
        };
        let end = place.list.iter().skip_while(|it| !is_here(it)).find(reads);
        Place { command: end.unwrap_or(place.command), ..place }
    }

    pub(super) fn name_script(&mut self, name: &str, text: &str) {
        if self.spend(text.len()) {
            let value = Value { text: text.to_owned(), expanded: false };
            if self.has_else {
                self.variables.add(name, value);
            } else {
                self.variables.set(name, Values::OneOf(vec![value]));
            }
            self.complete &= self.variables.get(name).is_some();
        }
    }

    /// The script that a name is for, with the words after the name.
    pub(super) fn named_script(&self, name: &str, rest: &[Word<'_>]) -> Option<String> {
        let Values::OneOf(values) = self.variables.get(name)? else { return None };
        let texts = rest.iter().map(|word| &*word.written);
        let texts: Vec<&str> =
            values.last().map(|value| &*value.text).into_iter().chain(texts).collect();
        Some(texts.join(" "))
    }
}

pub(super) fn value_of(word: &Word<'_>) -> Value {
    // What a pattern hits is not known, so that it stays one.
    let is_pattern = word.expanded && word.text.contains(['*', '?', '[']);
    let text = if is_pattern && !holds_expansion(word) { &word.written } else { &word.text };
    Value {
        text: text.clone().into_owned(),
        expanded: word.expanded && (is_pattern || holds_expansion(word)),
    }
}

fn joined(words: &[Word<'_>]) -> Value {
    let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
    Value {
        text: texts.join(" "),
        expanded: words.iter().any(|it| it.expanded && holds_expansion(it)),
    }
}

fn holds_expansion(word: &Word<'_>) -> bool {
    word.text.contains(['$', '`'])
}

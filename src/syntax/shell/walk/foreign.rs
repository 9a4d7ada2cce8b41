//! Scripts that come from the network or out of a decoder, and functions that only call themselves.

use std::borrow::Cow;

use super::super::programs::{self, DECODERS, NETWORK, WRAPPERS, names};
use super::super::{Command, Word, split};
use super::state::{Invocation, Place, SHOWN, Walk, base_name};
use super::suspects::suspects;
use crate::syntax::named::listed;

/// The heads of loops that do not end by themselves.
const ENDLESS: &[&str] = names!(
    "while true" "while :" "while /bin/true" "while [ true ]" "while [ 1 ]" "while [[ true ]]"
    "while [[ 1 ]]" "while ((1))" "while (( 1 ))" "while (true)" "until false" "until /bin/false"
);
/// Other programs that send away what they read.
const MAILERS: &[&str] = names!("mail" "mailx" "mutt" "sendmail" "ssh" "telnet");
/// Through so many programs that pass their input on its origin is followed.
const HOPS: usize = 8;

static MAKERS: &[&str] = listed!("MAKERS_OF_TEXT");

/// So many letters of a function are looked at for a fork bomb.
const BOMB: usize = 1024;

impl Walk<'_> {
    /// Shows where the script comes from that a place reads from its standard input.
    pub(super) fn foreign_input(&mut self, place: Place<'_>) {
        let command = place.command;
        for from in self.feeders(place) {
            if let Some(name) = origin(&from.words) {
                let source = format!("{} | {}", from.source, command.source);
                self.foreign(name, &source, place);
            }
        }
        let input = command.input.as_ref().filter(|input| input.expanded);
        if let Some(input) = input {
            self.foreign_text(&input.written, place);
        }
        for redirection in &command.redirections {
            let target = &*redirection.target.text;
            if target.starts_with("/dev/tcp/") || target.starts_with("/dev/udp/") {
                self.foreign("tcp", &command.source, place);
            } else if redirection.operator == "<" {
                self.foreign_text(target, place);
                self.foreign_file(target, place);
            }
        }
    }

    /// The commands whose output a place reads, also through others.
    pub(super) fn feeders<'p>(&mut self, place: Place<'p>) -> Vec<Command<'p>> {
        let mut fed = place.command.feed.clone();
        let mut commands = Vec::new();
        for _ in 0..HOPS {
            let before = place.list.get(fed).unwrap_or_default();
            if before.is_empty() || !self.spend(SHOWN * before.len()) {
                break;
            }
            commands.extend(before.iter().map(|it| {
                let words = self.expanded(&it.words).into_owned();
                Command { words, ..it.clone() }
            }));
            fed = before.first().map_or(0..0, |command| command.feed.clone());
        }
        commands
    }

    /// Shows that a program gets its words out of a decoder, to which the line gives a text.
    pub(super) fn decoded_words(&mut self, place: Place<'_>) {
        let fed = self.feeders(place);
        let is_literal = |it: &Command<'_>| {
            let name = it.words.first().map_or("", |word| &*word.text);
            it.input.is_some() || matches!(name, "echo" | "printf")
        };
        let names = ["base32", "base64", "openssl", "rev", "xxd"];
        let origin = fed.iter().filter_map(|it| origin(&it.words)).find(|it| names.contains(it));
        if let Some(name) = origin.filter(|_| fed.iter().any(is_literal)) {
            self.foreign(name, &place.command.source, place);
        }
    }

    /// Shows each word of commands that print a script as a program of it, with the words that come
    /// behind, and that a text of the line was made another.
    pub(super) fn printed_by(
        &mut self,
        commands: &[Command<'_>],
        behind: &[Word<'_>],
        place: Place<'_>,
    ) {
        let program = |it: &Command<'_>| it.words.first().map(|it| base_name(&it.text).to_owned());
        let is = |it: &Command<'_>, names: &[&str]| {
            program(it).is_some_and(|name| names.contains(&&*name))
        };
        if commands.iter().any(|it| origin(&it.words).is_some()) {
            return;
        }
        let is_written = |word: &Word<'_>| self.files.text(&word.text).is_some();
        let is_literal = |it: &Command<'_>| {
            it.input.is_some() || is(it, &["echo", "printf"]) || it.words.iter().any(is_written)
        };
        let computes = |it: &Command<'_>| computes(&it.words, it.input.is_some());
        let is_made = commands.iter().any(is_literal) && commands.iter().any(|it| is(it, MAKERS));
        if is_made || (!behind.is_empty() && commands.iter().any(computes)) {
            self.foreign("decoded", &place.command.source, place);
        }
        for (at, command) in commands.iter().enumerate() {
            // What is substituted in the next command is looked at with that.
            let is_within = |next: &Command<'_>| {
                next.source.contains(['(', '`']) && next.source.contains(&*command.source)
            };
            if commands.get(at + 1).is_some_and(is_within) {
                continue;
            }
            if !self.spend(command.source.len() * SHOWN) {
                return;
            }
            suspects(&command.source, behind, self.visit);
        }
    }

    /// Shows where the script comes from that PowerShell puts in the place of the brackets behind a command.
    pub(super) fn foreign_brackets(&mut self, place: Place<'_>) {
        let mut from_here = place.list.iter().skip_while(|it| !std::ptr::eq(*it, place.command));
        if let Some(name) = from_here.nth(1).and_then(|it| origin(&it.words)) {
            self.foreign(name, &place.command.source, place);
        }
    }

    /// Shows where the text of a script comes from that a substitution prints, and tells whether it is
    /// known.
    pub(super) fn foreign_text(&mut self, text: &str, place: Place<'_>) -> bool {
        let prints = ["$(", "`", "<("].iter().any(|start| text.contains(start));
        if !prints || !self.spend(text.len()) {
            return false;
        }
        let mut is_known = false;
        // What a process substitution prints is read as a script, too.
        for command in split(text).commands.iter().filter(|command| command.nesting > 0) {
            if let Some(name) = origin(&command.words) {
                self.foreign(name, &place.command.source, place);
                is_known = true;
            }
        }
        is_known
    }

    /// Shows that a file is run which the line itself downloaded.
    pub(super) fn foreign_file(&mut self, path: &str, place: Place<'_>) {
        if let Some(name) = self.files.origin(path) {
            self.foreign(name, &place.command.source, place);
        }
    }

    pub(super) fn foreign(&mut self, name: &str, source: &str, place: Place<'_>) {
        if self.spend(source.len() + name.len()) {
            (self.visit)(&Invocation {
                program: "foreign-script",
                called: None,
                arguments: &[Word::literal(name)],
                source,
                redirections: &place.command.redirections,
                folder: "",
                input: None,
            });
        }
    }

    /// Shows a shell that a program connects with the network.
    pub(super) fn given_shell(&mut self, program: &str, script: &str, place: Place<'_>) {
        let is_shell = |word: &str| programs::is_shell(base_name(word));
        if let Some(name) = NETWORK.iter().find(|name| **name == program)
            && script.split([' ', ',']).any(is_shell)
        {
            self.foreign(name, &place.command.source, place);
        }
    }

    /// Shows what a program sends away, the variables of the environment or the files that are printed
    /// for it, or that it connects a shell with the network.
    pub(super) fn connected(&mut self, program: &str, arguments: &[Word<'_>], place: Place<'_>) {
        let mut names = NETWORK.iter().chain(MAILERS);
        let Some(name) = names.find(|name| **name == program) else { return };
        let command = place.command;
        let fed = self.feeders(place);
        let mut printing = String::new();
        for word in arguments.iter().chain(fed.iter().flat_map(|it| &it.words)) {
            if word.expanded && word.written.contains(['(', '`']) {
                printing.extend([&*word.written, " "]);
            }
            let starts = ["-T", "-d", "-F", "--post-file=", "--body-file="];
            let file = starts.iter().find_map(|start| word.text.strip_prefix(start));
            if let Some(file) = file.filter(|it| !it.is_empty()) {
                self.show("file-send", &[Word::literal(file)], place);
            }
        }
        if !self.spend(printing.len()) {
            return;
        }
        let mut inside = split(&printing).commands;
        inside.retain(|it| it.nesting > 0);
        let read = inside.iter().flat_map(|it| &it.redirections);
        for from in read.chain(&command.redirections).filter(|it| it.operator == "<") {
            self.show("file-send", std::slice::from_ref(&from.target), place);
        }
        for from in fed.iter().chain(&inside) {
            let Some((first, rest)) = from.words.split_first() else { continue };
            let is_bare = self.spend(1) && rest.iter().all(|word| word.text.starts_with('-'));
            match base_name(&first.text) {
                "env" | "printenv" | "export" if is_bare => {
                    self.show("secret-send", std::slice::from_ref(first), place);
                }
                from if is_bare && programs::is_shell(from) => {
                    self.foreign(name, &command.source, place);
                }
                _ => self.show("file-send", rest, place),
            }
        }
    }

    pub(super) fn keep_downloads(&mut self, place: Place<'_>, words: &[Word<'_>]) {
        let from = |words: &[Word<'_>]| {
            // Line ends and packed programs are no disguise.
            let is_usual = |name: &&str| {
                matches!(*name, "gunzip" | "gzip" | "zcat" | "history" | "fc")
                    || words.iter().any(|word| word.text == "\\r")
            };
            origin(words)
                .filter(|name| !is_usual(name))
                .or_else(|| computes(words, place.command.input.is_some()).then_some("decoded"))
        };
        let fed = || place.list.get(place.command.feed.clone()).unwrap_or_default();
        let is_tee = words.first().is_some_and(|word| word.text == "tee");
        let name = if is_tee { fed().iter().find_map(|it| from(&it.words)) } else { from(words) };
        if let [program, from, to] = words
            && matches!(&*program.text, "mv" | "cp")
            && let Some(name) = self.files.origin(&from.text)
        {
            self.files.download(&to.text, name);
        }
        let Some(name) = name else { return };
        for redirection in place.command.redirections.iter().filter(|it| it.operator == ">") {
            self.files.download(&redirection.target.text, name);
        }
        if name == "decoded" && !is_tee {
            return;
        }
        let mut before = "";
        for text in words[1..].iter().map(|word| &*word.text) {
            let value = ["--output=", "--output-document=", "-o", "-O"];
            let attached = value.iter().find_map(|start| text.strip_prefix(start));
            let is_short = before.starts_with('-') && !before.starts_with("--");
            let is_target = is_tee
                || (is_short && before.ends_with(['o', 'O']))
                || matches!(before, "--output" | "--output-document");
            let file = match text.split_once("://") {
                Some((_, address)) => address.rsplit('/').next(),
                None if is_target => Some(text),
                None => attached,
            };
            if let Some(file) = file.filter(|file| !file.is_empty()) {
                self.files.download(file, name);
            }
            before = text;
        }
    }

    /// Shows a function that does nothing but call itself, several times or in the background.
    pub(super) fn fork_bomb(&mut self, name: &str, body: &str, place: Place<'_>) {
        let body = body.trim_start();
        if !body.starts_with(['{', '(']) {
            return;
        }
        // A bomb is short, and many functions are not each to be looked for to the end of the text.
        let mut start = body.char_indices().take(BOMB);
        let Some((end, _)) = start.find(|(_, letter)| matches!(letter, '}' | ')')) else { return };
        if !self.spend(end) {
            return;
        }
        let body = &body[1..end];
        let calls = split(body).commands;
        let calls_itself =
            |it: &Command<'_>| it.words.first().is_some_and(|word| word.text == name);
        if !calls.is_empty() && calls.iter().all(calls_itself) && body.contains(['|', '&']) {
            self.show("fork-bomb", &[Word::literal(name)], place);
        }
    }

    /// Shows loops without an end that only start processes in the background.
    pub(super) fn fork_loops(&mut self, text: &str, depth: usize) {
        let mut rest = text;
        while let Some((head, after)) = rest.split_once("do").filter(|_| self.spend(16)) {
            rest = after;
            let head = head.trim_end_matches([' ', '\t', ';', '\n']);
            let line = head.rsplit([';', '\n', '|', '{', '&']).next().unwrap_or_default();
            let line = line.trim_start_matches([' ', '\t', '(']).trim_end();
            let line = line.strip_prefix("then ").or(line.strip_prefix("else ")).unwrap_or(line);
            let is_endless = ENDLESS.contains(&line)
                || (head.ends_with("))")
                    && head.rsplit("for").next().is_some_and(|it| it.contains(";;")));
            if !is_endless {
                continue;
            }
            let end = after.find("done").unwrap_or(after.len());
            if !self.spend(end) || end == after.len() {
                continue;
            }
            let body = &after[..end];
            let parts = body.split([';', '\n']).map(str::trim).filter(|part| !part.is_empty());
            // What is waited for is at the end of a part, behind what only starts.
            let waits =
                |part: &str| !part.ends_with('&') || part.contains(">&") || part.contains("&&");
            if !body.trim().is_empty() && !parts.clone().any(waits) {
                let command = &Command { source: Cow::Borrowed(text.trim()), ..Command::default() };
                let place = Place { list: &[], command, depth };
                self.show("fork-bomb", &[Word::literal(line)], place);
            }
        }
    }
}

/// Returns whether words call a program that is written on the line, whose output nobody reads.
fn computes(words: &[Word<'_>], has_input: bool) -> bool {
    let text = |word: &Word<'_>| {
        matches!(&*word.text, "-c" | "-e" | "-r" | "-E" | "-") || word.text.starts_with("BEGIN")
    };
    words.first().is_some_and(|it| programs::interpreter(base_name(&it.text)).is_some())
        && (has_input || words.iter().any(text))
}

/// The name of the program that makes or fetches what a command prints.
fn origin(words: &[Word<'_>]) -> Option<&'static str> {
    let known = |word: &Word<'_>| {
        let name = base_name(&word.text);
        NETWORK.iter().chain(DECODERS).find(|known| **known == name).copied()
    };
    let (first, rest) = words.split_first()?;
    if first.text == "New-Object" && rest.iter().any(|word| word.text.ends_with("WebClient")) {
        return Some("WebClient");
    }
    // Without one of these letters the others make a code of a text.
    let decodes = |name: &&str| {
        let is_flag = |it: &Word<'_>| it.text.starts_with('-') && it.text.contains(['d', 'D', 'r']);
        let is_plain = !matches!(*name, "base32" | "base64" | "gpg" | "gzip" | "openssl" | "xxd");
        !DECODERS.contains(name) || is_plain || words.iter().any(is_flag)
    };
    let wraps = || first.text != "command" && WRAPPERS.iter().any(|it| it.name == first.text);
    let is_module = || rest.first().is_some_and(|word| word.text == "-m");
    let inner = || rest.iter().find_map(known).filter(|_| wraps() || is_module());
    let name = known(first).or_else(inner);
    name.filter(decodes)
}

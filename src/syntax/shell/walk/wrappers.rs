//! Programs that run the words after their own options, or a text that an option gives them.

use super::super::Word;
use super::super::assignment::is_assignment;
use super::super::line::Parser;
use super::super::programs::{self, EMBEDDED, ESCAPES, IMAGES, OUTWARD, WRAPPERS, Wrapper};
use super::options::{Argument, Options};
use super::state::{Place, Walk, base_name};

/// So many commands of a text are read.
const HITS: usize = 8;

impl Walk<'_> {
    /// The words that a wrapper runs as they are; none where it has them read by a shell.
    pub(super) fn wrapped<'w>(
        &mut self,
        program: &str,
        arguments: &'w [Word<'w>],
        place: Place<'_>,
    ) -> Option<&'w [Word<'w>]> {
        let (wrapper, leads) = find(program, arguments)?;
        if program == "ssh" {
            self.embedded(program, arguments, place);
        }
        let mut options = Options::new(&arguments[leads..], wrapper.values);
        let mut operands = wrapper.operands;
        let (mut inert, mut needed) = (false, wrapper.needs.is_empty());
        let mut entry = None;
        let words = loop {
            let rest = options.rest();
            if entry.is_some() && operands == 0 {
                break rest;
            }
            let is_image = !wrapper.needs.is_empty() && operands == 1;
            match options.next() {
                Some(Argument::Option { name, value }) => {
                    if name == "--entrypoint" {
                        entry = value.as_deref().map(|it| Word::literal(it.to_owned()));
                    }
                    inert |= wrapper.inert.contains(&&*name);
                    needed |= wrapper.needs.contains(&&*name);
                    if let Some(text) = value.filter(|_| wrapper.scripts.contains(&&*name)) {
                        self.split_string(program, &text, options.rest(), place);
                        return Some(&[]);
                    }
                }
                Some(Argument::Operand(word)) if operands == 0 => {
                    // `env -` is `env -i`.
                    if program == "env" && word.text == "-" {
                        continue;
                    }
                    if !wrapper.assigns || !is_assignment(&word.text) {
                        break rest;
                    }
                    self.assign(&word.written, program == "env");
                }
                Some(Argument::Operand(word)) => {
                    operands -= 1;
                    if is_image && entry.is_none() {
                        entry = of_image(&word.text).map(Word::literal);
                    }
                }
                Some(Argument::End) if operands == 0 => break options.rest(),
                Some(Argument::End) => {}
                None => {
                    let asks = matches!(program, "sudo" | "doas").then_some(["-s", "-i"]);
                    let is_shell = asks.is_none_or(|asks| {
                        arguments.iter().any(|word| asks.contains(&&*word.text))
                    });
                    if programs::READ_SCRIPTS.contains(&program)
                        && is_shell
                        && let Some(text) = self.input_script(place)
                    {
                        self.script(&text, place.depth + 1);
                    }
                    return Some(&[]);
                }
            }
        };
        let first = entry.as_ref().or(words.first());
        let is_outward = first.is_some_and(|word| OUTWARD.contains(&base_name(&word.text)));
        needed |= is_outward;
        // What is mounted to be read alone cannot be changed.
        if !wrapper.needs.is_empty() && !is_outward && only_reads(arguments) {
            return Some(&[]);
        }
        let is_known = |word: &Word<'_>| wrapper.only.contains(&base_name(&word.text));
        if inert || !needed || !(wrapper.only.is_empty() || words.first().is_some_and(is_known)) {
            return Some(&[]);
        }
        let is_named = |entry: &Word<'_>| words.first().is_some_and(|it| it.text == entry.text);
        if let Some(entry) = entry.filter(|it| !is_named(it)) {
            let words: Vec<Word<'_>> = [entry].into_iter().chain(words.iter().cloned()).collect();
            self.call_deeper(&words, place);
            return Some(&[]);
        }
        if wrapper.joins {
            let lists = |word: &Word<'_>| word.text == ":::";
            if let Some(at) = words.iter().position(lists).filter(|at| *at > 0) {
                let texts: Vec<&str> = words[..at].iter().map(|word| &*word.text).collect();
                let template = texts.join(" ");
                let template = if template.contains("{}") { template } else { template + " {}" };
                for word in words[at + 1..].iter().take(HITS) {
                    self.script_with_input(&template.replace("{}", &word.text), place);
                }
                return Some(&[]);
            }
            // What `parallel` puts in the place of nothing is a command of its own.
            let is_mark = |word: &Word<'_>| word.text.starts_with(":::");
            let marks = words.first().is_some_and(is_mark);
            let words = &words[usize::from(marks)..];
            let mut texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
            if program == "parallel" && !texts.iter().any(|it| it.contains(['{', ':'])) {
                texts.push("{}");
            }
            self.script_with_input(&texts.join(" "), place);
            if words.len() > 1 && words.iter().any(|word| word.text.contains(' ')) {
                self.call_deeper(words, place);
            }
            return Some(&[]);
        }
        Some(words)
    }

    /// Walks what `env -S` makes of a text, and the shell text of `su -c` and the like.
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

    pub(super) fn embedded(&mut self, program: &str, arguments: &[Word<'_>], place: Place<'_>) {
        for text in embedded(program, arguments) {
            self.given_shell(program, &text, place);
            self.script(&text, place.depth + 1);
        }
    }
}

impl Walk<'_> {
    /// Reads what a program's own commands have a shell run, behind the words that begin these.
    pub(super) fn escaped(&mut self, program: &str, arguments: &[Word<'_>], place: Place<'_>) {
        let Some(escape) = ESCAPES.iter().find(|it| it.name == program) else { return };
        let input = self.input(place);
        let texts = arguments.iter().map(|word| &*word.text).chain(input.as_deref());
        for text in texts {
            for mark in escape.marks {
                for (at, _) in text.match_indices(mark).take(HITS) {
                    let line = text[at + mark.len()..].lines().next().unwrap_or_default();
                    let bare = line.trim_start_matches(['(', ' ', '"', '\'', '`', '{']);
                    let is_quoted = line[..line.len() - bare.len()].ends_with(['"', '\'', '`']);
                    let end = bare.find(['"', '\'', '`']).filter(|_| is_quoted);
                    self.script(&bare[..end.unwrap_or(bare.len())], place.depth + 1);
                }
            }
        }
    }
}

/// The wrapper that a program is with these arguments, and how many of them name it.
fn find(program: &str, arguments: &[Word<'_>]) -> Option<(&'static Wrapper, usize)> {
    let of_program = |name: &&'static str| {
        name.strip_prefix(program).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    WRAPPERS.iter().filter(|wrapper| of_program(&wrapper.name)).find_map(|wrapper| {
        let mut leads = 0;
        for wanted in wrapper.name.split(' ').skip(1) {
            let mut follows_option = false;
            for word in &arguments[leads..] {
                let is_option = word.text.starts_with('-');
                // An option in front may take a word for its value.
                if word.text == wanted || !(is_option || follows_option) {
                    break;
                }
                (leads, follows_option) = (leads + 1, is_option);
            }
            if arguments.get(leads)?.text != wanted {
                return None;
            }
            leads += 1;
        }
        Some((wrapper, leads))
    })
}

/// Returns whether a container only reads what of this machine is mounted in it.
fn only_reads(arguments: &[Word<'_>]) -> bool {
    let mounts = |at: &usize| matches!(&*arguments[*at].text, "-v" | "--volume" | "--mount");
    let is_read = |word: &Word<'_>| word.text.ends_with(":ro") || word.text.contains("readonly");
    let mut values = (0..arguments.len()).filter(mounts).map(|at| arguments.get(at + 1));
    let joined =
        |word: &Word<'_>| word.text.starts_with("--volume") || word.text.starts_with("--mount=");
    values.all(|it| it.is_some_and(is_read)) && !arguments.iter().any(joined)
}

/// The program that an image such as `amazon/aws-cli:2` runs with the words after it.
fn of_image(image: &str) -> Option<&'static str> {
    let name = base_name(image).split(['@', ':']).next();
    IMAGES.iter().find(|it| Some(it.0) == name).map(|it| it.1)
}

/// The texts in a program's arguments that it has a shell read.
fn embedded(program: &str, arguments: &[Word<'_>]) -> Vec<String> {
    let Some(embedded) = EMBEDDED.iter().find(|it| it.name == program) else { return Vec::new() };
    if program == "ansible" && arguments.iter().any(|it| matches!(&*it.text, "--check" | "-C")) {
        return Vec::new();
    }
    let options = embedded.options;
    let mut texts = Vec::new();
    for argument in Options::new(arguments, options) {
        match argument {
            // `commands=["ls"]`
            Argument::Option { name, value: Some(value) }
                if program == "aws" && options.contains(&*name) =>
            {
                let words = value.split('"').skip(1).step_by(2).take(HITS);
                texts.extend(words.map(str::to_owned));
            }
            Argument::Option { name, value: Some(value) } if options.contains(&*name) => {
                let keyed = value
                    .split_once('=')
                    .filter(|(key, _)| key.ends_with("Command") || *key == "exec");
                texts.push(
                    keyed
                        .map_or(&*value, |(_, text)| text)
                        .trim_start_matches([':', '!'])
                        .to_owned(),
                );
            }
            Argument::Operand(word) if program == "socat" => {
                let addresses = word.text.split("!!").filter_map(|address| {
                    let (kind, text) = address.split_once(':').unwrap_or((address, "sh"));
                    let runs =
                        ["EXEC", "SYSTEM", "SHELL"].iter().any(|it| kind.eq_ignore_ascii_case(it));
                    runs.then(|| text.replace('\\', ""))
                });
                texts.extend(addresses);
            }
            Argument::Operand(word) if program == "concurrently" => {
                texts.push(word.text.clone().into_owned());
            }
            _ => {}
        }
    }
    texts
}

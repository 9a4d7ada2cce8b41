//! Redirections to files, and the text of files that a line writes and runs later.

use super::super::programs::{Language, is_of_system, writes_to_device};
use super::super::{Command, Redirection, Word};
use super::shells::scheduled;
use super::state::{Place, Walk, base_name};
use super::tokens::{Token, tokens};
use crate::syntax::named::listed;

/// So many variables of a makefile are kept.
const SET: usize = 16;

static READERS: &[&str] = listed!("READERS");

impl Walk<'_> {
    /// A device or a file of the system that a program writes its input or another file to.
    pub(super) fn copied(&mut self, program: &str, arguments: &[Word<'_>], place: Place<'_>) {
        let target = arguments.iter().rfind(|word| !word.text.starts_with('-'));
        if let Some(target) = target.filter(|word| writes_to_device(&word.text)) {
            self.show("dd", &[Word::literal(format!("of={}", target.text))], place);
        }
        if program == "tee" {
            self.emptied(arguments, place);
            self.replaced(arguments, place);
        } else if let Some(target) = target.filter(|word| is_of_system(&word.text)) {
            self.show("tee", std::slice::from_ref(target), place);
        }
    }

    /// Files that `tee` empties, as nothing is what it reads.
    pub(super) fn emptied(&mut self, files: &[Word<'_>], place: Place<'_>) {
        let is_nothing = |it: &Redirection<'_>| it.operator == "<" && it.target.text == "/dev/null";
        let prints_nothing =
            |it: &Command<'_>| it.words.iter().map(|word| &*word.text).eq(["cat", "/dev/null"]);
        let command = place.command;
        let fed = place.list.get(command.feed.clone()).unwrap_or_default();
        let is_empty = command.redirections.iter().any(is_nothing)
            || (!fed.is_empty() && fed.iter().all(prints_nothing));
        if is_empty && !files.iter().any(|word| word.text == "-a") {
            for file in files.iter().filter(|word| !word.text.starts_with('-')) {
                self.show("truncate", &[Word::literal("-s0"), file.clone()], place);
            }
        }
    }

    /// Files that `tee` writes again: where git prints its own version, and those of the system.
    pub(super) fn replaced(&mut self, files: &[Word<'_>], place: Place<'_>) {
        if files.iter().any(|word| matches!(&*word.text, "-a" | "--append")) {
            return;
        }
        for file in files.iter().filter(|word| !word.text.starts_with('-')) {
            self.written_back(&[], file, place);
        }
    }

    /// Shows that Terraform destroys where it applies a plan of the line's that does.
    pub(super) fn planned(&mut self, program: &str, arguments: &[Word<'_>], place: Place<'_>) {
        let has =
            |wanted: &str| arguments.iter().any(|it| it.text.trim_start_matches('-') == wanted);
        if has("plan") && has("destroy") {
            for at in 0..arguments.len() {
                let file = match arguments[at].text.trim_start_matches('-') {
                    "out" => arguments.get(at + 1).map(|it| &*it.text),
                    text => text.strip_prefix("out="),
                };
                if let Some(file) = file {
                    self.files.write(file, "destroy", false);
                }
            }
        } else if has("apply") {
            let destroys =
                |it: &Word<'_>| self.files.text(&it.text).is_some_and(|it| it == "destroy");
            if arguments.iter().any(destroys) {
                self.show(program, &["destroy"].map(Word::literal), place);
            }
        }
    }

    /// The jobs that `crontab` reads, which take the place of those there are, if these are not among them.
    pub(super) fn crontab(&mut self, arguments: &[Word<'_>], place: Place<'_>) {
        for line in self.input(place).unwrap_or_default().lines() {
            self.script(scheduled(line), place.depth + 1);
        }
        let keeps = |it: &Command<'_>| {
            let texts = || it.words.iter().map(|word| &*word.text);
            texts().any(|text| text == "-l") && texts().any(|text| text == "crontab")
        };
        if arguments.iter().any(|word| word.text == "-")
            && self.spend(place.list.len())
            && !place.list.iter().any(keeps)
        {
            self.show("crontab", &[Word::literal("/dev/null")], place);
        }
    }

    /// Files that a redirection empties, and devices that it writes to.
    pub(super) fn redirected(&mut self, place: Place<'_>, words: &[Word<'_>]) {
        let command = place.command;
        if command.redirections.is_empty() {
            return;
        }
        let texts = || words.iter().map(|word| &*word.text);
        let says_nothing = || texts().skip(1).all(|text| text.is_empty() || text == "-n");
        let is_empty = match words.first().map(|word| &*word.text) {
            None => !command.closes,
            Some("" | "$null" | ":" | "true") => words.len() == 1,
            Some("echo" | "printf") => says_nothing(),
            _ => texts().eq(["cat", "/dev/null"]),
        };
        let reads_it = |target: &str| {
            words.first().is_some_and(|it| READERS.contains(&base_name(&it.text)))
                && texts().skip(1).any(|text| text == target)
        };
        let mut empties = is_empty && command.input.is_none();
        empties &= !command.redirections.iter().any(|it| it.operator.starts_with('<'));
        // Each is shown by itself, and not once more with all others of its command.
        let shown = Command { source: command.source.clone(), ..Command::default() };
        let original = place;
        let place = Place { command: &shown, ..place };
        for Redirection { operator, target } in &command.redirections {
            if !matches!(*operator, ">" | ">|" | ">>" | "&>" | "&>>" | "<>") {
                continue;
            }
            if operator.starts_with('>') && *operator != ">>" {
                self.written_back(words, target, original);
            }
            if writes_to_device(&target.text) {
                let word = Word::literal(format!("of={}", target.text));
                self.show("dd", &[word], place);
            } else if matches!(*operator, ">" | ">|")
                && (empties || reads_it(&target.text))
                && !target.text.starts_with("/dev/")
            {
                self.show("truncate", &[Word::literal("-s0"), target.clone()], place);
            } else if matches!(*operator, ">" | ">|" | "&>") && is_of_system(&target.text) {
                self.show("tee", std::slice::from_ref(target), place);
            }
        }
    }

    /// Keeps what a command writes to files, as far as that can be told.
    pub(super) fn keep_written(&mut self, place: Place<'_>, words: &[Word<'_>]) {
        let command = place.command;
        let to_file = |it: &&Redirection<'_>| matches!(it.operator, ">" | ">|" | ">>" | "&>");
        let target = command.redirections.iter().rev().find(to_file);
        let is_tee = words.first().is_some_and(|it| matches!(&*it.text, "tee" | "dd"));
        if target.is_none() && !is_tee {
            return;
        }
        let silent = Command { redirections: Vec::new(), ..command.clone() };
        let printed = self.print(place.list, &silent, 1);
        if printed.is_empty() || !self.spend(printed.len()) {
            return;
        }
        if let Some(Redirection { operator, target }) = target
            && !target.text.starts_with("/dev/")
        {
            self.files.write(&target.text, &printed, *operator == ">>");
        } else if is_tee {
            let appends = words.iter().any(|word| word.text == "-a");
            for file in words[1..].iter().filter(|word| !word.text.starts_with('-')) {
                if self.spend(printed.len()) {
                    let path = file.text.strip_prefix("of=").unwrap_or(&file.text);
                    self.files.write(path, &printed, appends);
                }
            }
        }
    }

    /// The scripts of a package that the line sets, or has written.
    pub(super) fn package_scripts(&mut self, arguments: &[Word<'_>], place: Place<'_>) {
        let set = |word: &Word<'_>| {
            Some(word.text.strip_prefix("scripts.")?.split_once('=')?.1.to_owned())
        };
        if arguments.first().is_some_and(|it| it.text == "pkg") {
            for script in arguments.iter().filter_map(set) {
                self.files.write("package.json", &format!("{script:?}\n"), true);
            }
            return;
        }
        let package = self.files.text("package.json");
        let Some(package) = package.filter(|it| self.spend(it.len())) else { return };
        let texts = tokens(&package, Language::JavaScript).into_iter();
        let scripts = texts.filter_map(|token| match token {
            Token::Text(text) if text.contains(' ') => Some(text),
            _ => None,
        });
        // All are run already where one of them runs another.
        self.files.write("package.json", "", false);
        for script in scripts.collect::<Vec<_>>() {
            self.script(&script, place.depth + 1);
        }
        self.files.write("package.json", &package, false);
    }

    /// The recipes of a makefile that the line has written or gives to `make`.
    pub(super) fn make(&mut self, arguments: &[Word<'_>], place: Place<'_>) {
        let only_shows = ["-n", "--dry-run", "--just-print", "--recon"];
        if arguments.iter().any(|word| only_shows.contains(&&*word.text)) {
            return;
        }
        let option = arguments.iter().position(|word| word.text.starts_with("-f"));
        let named = option.and_then(|at| match arguments[at].text.get(2..) {
            Some("") | None => arguments.get(at + 1).map(|word| &*word.text),
            attached => attached,
        });
        let text = match named {
            Some("-" | "/dev/stdin") => self.input(place),
            Some(file) => self.text_of_file(file),
            None => {
                let usual = ["GNUmakefile", "makefile", "Makefile", "justfile", "Taskfile.yml"];
                usual.iter().find_map(|it| self.files.text(it))
            }
        };
        let evaluated = arguments.windows(2).filter_map(|pair| {
            let own = pair[0].text.strip_prefix("--eval=");
            own.or((pair[0].text == "--eval").then_some(&*pair[1].text))
        });
        let text: Vec<String> = text.into_iter().chain(evaluated.map(str::to_owned)).collect();
        let (text, mut made) = (text.join("\n"), String::new());
        // `DIR := build`
        for (name, value) in text.lines().filter_map(|line| line.split_once('=')).take(SET) {
            let name = format!("$({})", name.trim_end_matches([' ', ':', '?', '+']));
            let known = if made.is_empty() { &text } else { &made };
            if known.contains(&name) && self.spend(known.len()) {
                made = known.replace(&name, value.trim());
            }
        }
        let text = if made.is_empty() { &text } else { &made };
        let is_goal = |word: &&str| !word.starts_with('-') && !word.contains('=');
        let goals = arguments.iter().map(|word| &*word.text).filter(is_goal);
        let goals = goals.filter(|word| Some(*word) != named).collect();
        for line in wanted(text, goals) {
            if let Some((_, shell)) = line.split_once("$(shell ") {
                self.script(shell.trim_end_matches(')'), place.depth + 1);
            }
            let recipe = line.strip_prefix(['\t', ' ']).or_else(|| Some(line.split_once(';')?.1));
            if let Some(recipe) = recipe {
                let recipe = recipe.trim_start_matches(['@', '-', '+', ' ']).replace("$$", "$");
                self.script(&recipe, place.depth + 1);
            }
        }
    }
}

/// The lines of a makefile that its goals need, as far as these are in it; all of them where none is named.
fn wanted<'t>(text: &'t str, mut goals: Vec<&'t str>) -> Vec<&'t str> {
    // Those of Taskfiles have another form.
    if text.starts_with("tasks:") || text.contains("\ntasks:") {
        return text.lines().collect();
    }
    let rule = |line: &'t str| {
        let (names, needs) =
            line.split_once(':').filter(|_| !line.starts_with(['\t', ' ', '#']))?;
        (!needs.starts_with('=')).then_some((names, needs))
    };
    let is_of = |names: &str, goal: &str| names.split_whitespace().any(|name| name == goal);
    let mut at = 0;
    while let Some(goal) = goals.get(at).copied() {
        let mut rules = text.lines().filter_map(rule).filter(|(names, _)| is_of(names, goal));
        if goals.len() >= SET || goal.contains(['$', '%', '`']) {
            return text.lines().collect();
        }
        let needs = rules.next().map_or("", |it| it.1);
        let needs = needs.split(';').next().unwrap_or_default().split_whitespace();
        let known = |need: &&str| text.lines().filter_map(rule).any(|(it, _)| is_of(it, need));
        let more: Vec<&str> = needs.filter(|need| !goals.contains(need) && known(need)).collect();
        goals.extend(more);
        at += 1;
    }
    let (mut lines, mut is_wanted) = (Vec::new(), true);
    for line in text.lines() {
        if let Some((names, _)) = rule(line) {
            is_wanted = goals.is_empty() || goals.iter().any(|goal| is_of(names, goal));
        }
        if is_wanted {
            lines.push(line);
        }
    }
    lines
}

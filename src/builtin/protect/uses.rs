//! The files that a command reads and writes.

use std::borrow::Cow;

use crate::builtin::arguments::{self, Argument, Arguments};
use crate::syntax::named::listed;
use crate::syntax::shell::{Invocation, Word};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Use {
    Read,
    Change,
    /// A copy is put there, if anywhere.
    Copy,
    /// A file is made in a directory, if the path before its name is one.
    Into,
    /// The file is deleted or moved away, and so is what is in it.
    Remove,
    /// Others may no longer use the file.
    Tighten,
    /// Its owner may no longer use the file, or what is in it.
    Shut,
}

/// The use that a program makes of its operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Read,
    /// Reads the first as its script, and may do anything with the others.
    Script,
    Change,
    Remove,
    /// Reads all but the last and changes that.
    Copy,
    Link,
    /// Removes all but the last and changes that.
    Move,
}

/// A row of `programs.toml`, as `build.rs` writes it.
struct Program {
    name: &'static str,
    role: Role,
    /// The number of operands that come before the files.
    leads: usize,
    /// Flags that take the next word.
    values: &'static str,
    /// Flags that stand for the operands before the files.
    scripts: &'static [&'static str],
    /// Beginnings of flags with which the files are changed.
    in_place: &'static [&'static str],
    /// A flag behind which the operands are left out.
    leaves_out: &'static str,
    /// True if the word `eval` may come before the other operands.
    evaluates: bool,
}

/// A row of the same file: what a program does with the files that options and words of its own name.
struct Naming {
    name: &'static str,
    reads: &'static str,
    changes: &'static str,
    copies: &'static str,
    /// The subcommands that read no secret.
    unless: &'static str,
}

static PROGRAMS: &[Program] = listed!("Program");
static INTERPRETERS: &[&str] = listed!("INTERPRETERS");
static NAMINGS: &[Naming] = listed!("Naming");
static SAYS: &[&str] = listed!("SAYS");

const CHANGES: &[&str] =
    &["write", "'w'", "\"w\"", "'a'", "\"a\"", "remove", "unlink", "rename", "rmSync", "File.open"];

/// The actions of `find` that write their output into a file.
const LISTS: &[&str] = &["-fprint", "-fprint0", "-fprintf", "-fls"];

/// So much in front of a command is looked through for a test of its file.
const GUARD: usize = 4096;
/// So many names that `find` looks for are kept.
const SOUGHT: usize = 16;

/// Returns whether a command may do something to all that is in a directory, told by its text.
pub(super) fn may_take_folders(command: &str) -> bool {
    ["chmod ", "mv ", "rm ", "trash "].iter().any(|program| command.contains(program))
}

/// Returns whether a word is a mode that takes something away from a file's owner.
fn shuts(word: &str) -> bool {
    if let Ok(bits) = u32::from_str_radix(word, 8) {
        return bits & 0o700 != 0o700;
    }
    word.chars().all(|it| "ugoa+-=rwxXst,".contains(it))
        && word.split(',').any(|clause| {
            let (who, what) = clause.split_at(clause.find(['+', '-', '=']).unwrap_or_default());
            let keeps = what.contains("rwx") || what.contains("rwX");
            let takes = what.starts_with('-') || (what.starts_with('=') && !keeps);
            takes && (who.is_empty() || who.contains(['u', 'a']))
        })
}

fn is_private(word: &str) -> bool {
    if let Ok(bits) = u32::from_str_radix(word, 8) {
        return bits.trailing_zeros() >= 6 && bits & 0o400 != 0;
    }
    let is_taken = |clause: &str| {
        let (who, what) = clause.split_at(clause.find(['+', '-', '=']).unwrap_or_default());
        let is_others = !who.is_empty() && who.chars().all(|it| matches!(it, 'g' | 'o'));
        (is_others && (what.starts_with('-') || what == "="))
            || (who == "u" && what.starts_with("=r"))
    };
    word.contains("go") && word.split(',').all(is_taken)
}

/// The files that a call of `find` looks for, as far as its tests tell: those in the directories where it
/// starts, in those one level below, and these directories where a test may let any file through.
pub(super) fn sought(words: &[Word<'_>]) -> Vec<String> {
    let words: Vec<&str> = words.iter().map(|word| &*word.text).collect();
    let is_start = |word: &&&str| !word.starts_with(['-', '(', '!']);
    let starts: Vec<&str> = words.iter().take_while(is_start).take(SOUGHT).copied().collect();
    let mut sought = Vec::new();
    for pair in words.windows(2).filter(|pair| sought_by(pair[0])) {
        let is_regex = pair[0].ends_with("regex");
        if pair[1].contains('/') && !is_regex {
            sought.push(pair[1].to_owned());
        }
        let mut name = pair[1].rsplit('/').next().unwrap_or_default().to_owned();
        if is_regex {
            name = name.replace(".*", "*").replace("\\.", ".");
        }
        let below = |start: &&str| {
            let start = start.trim_end_matches('/').to_owned();
            ["", "*/", ".*/"].map(|between| format!("{start}/{between}{name}"))
        };
        sought.extend(starts.iter().flat_map(below));
        if sought.len() > 4 * SOUGHT {
            break;
        }
    }
    let any = words.iter().any(|word| matches!(*word, "!" | "-not" | "-o" | "-or"));
    if sought.is_empty() || any {
        sought.extend(starts.into_iter().map(str::to_owned));
    }
    sought
}

/// Returns whether a word is a test of `find` by the name of a file.
fn sought_by(word: &str) -> bool {
    let tests = ["-name", "-path", "-wholename", "-regex"];
    let test = word.replacen("-i", "-", 1);
    tests.contains(&&*test)
}

/// Returns whether a line runs a command only if a file is not there, as in `[ -f FILE ] || cp OTHER FILE`.
pub(super) fn is_for_missing(line: &str, source: &str, file: &str) -> bool {
    let start = line.get(..GUARD).unwrap_or(line);
    let before = start.find(source).map_or("", |at| &start[..at]);
    if !before.contains(file) {
        return false;
    }
    let before = before.replace(['"', '\''], "").replace([';', '\n'], " ; ");
    let words: Vec<&str> = before.split_whitespace().collect();
    let tests = |pair: &[&str]| matches!(pair[0], "-f" | "-e") && pair[1] == file;
    let Some(at) = words.windows(2).rposition(tests) else { return false };
    let is_negated = at > 0 && (words[at - 1] == "!" || words[..at].ends_with(&["!", "test"]));
    let rest = words[at + 2..].iter().filter(|word| !matches!(**word, "]" | "]]"));
    let rest: Vec<&str> = rest.copied().collect();
    let has = |words: &[&str], ends: &[&str]| words.iter().any(|word| ends.contains(word));
    match (is_negated, rest.iter().position(|word| *word == "then")) {
        (true, Some(then)) => {
            !has(&rest[..then], &["||"]) && !has(&rest[then..], &["fi", "else", "elif"])
        }
        (true, None) => rest.first() == Some(&"&&") && !has(&rest, &["||", ";", "}"]),
        (false, _) => rest == ["||"] || (rest.starts_with(&["||", "{"]) && !has(&rest, &["}"])),
    }
}

/// Shows each file that a call names, as far as its program is known.
pub(super) fn each(invocation: &Invocation<'_>, visit: &mut dyn FnMut(&str, Use)) {
    for redirection in invocation.redirections {
        match redirection.operator {
            "<" => visit(&redirection.target.text, Use::Read),
            ">" | ">>" | ">|" | "&>" | "&>>" | "<>" => {
                visit(&redirection.target.text, Use::Change);
            }
            // With a number, or a dash, it is about an open file.
            ">&" if redirection
                .target
                .text
                .contains(|it: char| !it.is_ascii_digit() && it != '-') =>
            {
                visit(&redirection.target.text, Use::Change);
            }
            _ => {}
        }
    }
    let (name, words) = match invocation.program {
        program @ ("git" | "gh") => subcommand(program, invocation.arguments),
        name => (Cow::Borrowed(name), invocation.arguments),
    };
    if name == "chmod" && words.iter().any(|word| is_private(&word.text)) {
        for word in words.iter().filter(|it| !it.text.starts_with('-') && !is_private(&it.text)) {
            visit(&word.text, Use::Tighten);
        }
        return;
    }
    let is_it = |one: &str| one.eq_ignore_ascii_case(&name);
    // With it the file stays where it is.
    let keeps = name == "git-rm" && words.iter().any(|word| word.text == "--cached");
    if let Some(program) = PROGRAMS.iter().find(|program| !keeps && is_it(program.name)) {
        program.each(words, visit);
    }
    if INTERPRETERS.iter().any(|one| is_it(one)) {
        for text in invocation.arguments.iter().map(|word| &*word.text).chain(invocation.input) {
            quoted(text, visit);
        }
    }
    other(&name, words, visit);
}

/// A subcommand, under the name of the program that it is, and what follows it.
fn subcommand<'w, 'c>(program: &'w str, words: &'w [Word<'c>]) -> (Cow<'w, str>, &'w [Word<'c>]) {
    match &words[arguments::leading(program, words)..] {
        [first, rest @ ..] => (format!("{program}-{}", first.text).into(), rest),
        [] => (program.into(), &[]),
    }
}

impl Program {
    fn each(&self, words: &[Word<'_>], visit: &mut dyn FnMut(&str, Use)) {
        let mut leads = self.leads;
        let (mut in_place, mut keeps) = (false, false);
        let mut operands: Vec<&str> = Vec::new();
        let mut target = None;
        for argument in Arguments::new(words, self.values) {
            match argument {
                Argument::Operand(word) => operands.push(&word.text),
                Argument::Flag(flag) if flag == self.leaves_out => break,
                Argument::Flag(flag) => {
                    in_place |= self.in_place.iter().any(|start| flag.starts_with(start));
                    let is_short = !flag.starts_with("--") && flag.contains('n');
                    keeps |= matches!(self.name, "cp" | "mv")
                        && (is_short || matches!(flag, "--no-clobber" | "--update=none"));
                    // `-ne` is a cluster whose last letter takes the script.
                    let is_script = |script: &&str| {
                        flag.starts_with(*script)
                            || (script.len() == 2
                                && !flag.starts_with("--")
                                && flag.ends_with(&script[1..]))
                    };
                    if self.scripts.iter().any(is_script) {
                        leads = 0;
                    }
                    if let Some(folder) = flag.strip_prefix("--target-directory=") {
                        target = Some(folder);
                    }
                    let takes_target = matches!(self.role, Role::Copy | Role::Link | Role::Move);
                    if flag == "-t" && takes_target {
                        let next = words.iter().skip_while(|word| word.text != "-t").nth(1);
                        target = next.map(|word| &*word.text);
                    }
                }
            }
        }
        // `yq eval EXPRESSION FILE`
        let evaluates = matches!(operands.first(), Some(&("eval" | "e" | "eval-all" | "ea")));
        leads += usize::from(evaluates && self.evaluates);
        let files = operands.get(leads..).unwrap_or_default();
        let all = |use_: Use, files: &[&str], visit: &mut dyn FnMut(&str, Use)| {
            for file in files {
                visit(file, use_);
            }
        };
        match self.role {
            Role::Read if in_place => all(Use::Change, files, visit),
            Role::Read => all(Use::Read, files, visit),
            Role::Script => all(Use::Read, files.get(..1).unwrap_or_default(), visit),
            // On a file that is there it changes nothing but a time.
            Role::Change if self.name == "touch" => all(Use::Copy, files, visit),
            Role::Change => all(Use::Change, files, visit),
            Role::Remove => all(Use::Remove, files, visit),
            Role::Copy | Role::Move | Role::Link => {
                let from = match self.role {
                    Role::Copy if !in_place => Use::Read,
                    Role::Copy | Role::Link => Use::Change,
                    _ => Use::Remove,
                };
                let (last, others) = match target {
                    Some(_) => (target, files),
                    None => (files.last().copied(), &files[..files.len().saturating_sub(1)]),
                };
                all(from, others, visit);
                let Some(last) = last.filter(|_| !keeps) else { return };
                visit(last, if self.role == Role::Copy { Use::Copy } else { Use::Change });
                // A pattern is one of files here, and says nothing of those in the target.
                for other in others.iter().filter(|other| !other.contains(['*', '?', '['])) {
                    let name = other.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
                    visit(&format!("{last}/{name}"), Use::Into);
                }
            }
        }
    }
}

/// Texts in quotes in a program, which may be names of files.
fn quoted(text: &str, visit: &mut dyn FnMut(&str, Use)) {
    if only_says(text) {
        return;
    }
    let use_ = if CHANGES.iter().any(|word| text.contains(word)) { Use::Change } else { Use::Read };
    for quote in ['\'', '"', '`'] {
        for part in text.split(quote).skip(1).step_by(2) {
            if !part.is_empty() && !part.contains([' ', '\n', '(']) {
                visit(part, use_);
            }
        }
    }
}

/// Returns whether a program has no name, outside of its quotes, of a function that could read a file.
fn only_says(text: &str) -> bool {
    let mut outside = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"', '`']) {
        let (before, part) = rest.split_at(at);
        outside.extend([before, " "]);
        rest = part[1..].split_once(&part[..1]).map_or("", |(_, after)| after);
    }
    outside += rest;
    let mut names = outside.split(|it: char| !it.is_alphanumeric() && it != '_');
    names.all(|name| name.is_empty() || SAYS.contains(&name)) && !text.contains(['`', '<'])
}

fn of_address(word: &str) -> Option<String> {
    let (scheme, rest) = word.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let path = match rest.strip_prefix("//") {
        Some(rest) => &rest[rest.find('/')?..],
        None => rest,
    };
    let mut parts = path.split('%');
    let mut decoded = parts.next()?.as_bytes().to_vec();
    for part in parts {
        match part.get(..2).and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => decoded.extend([&[byte], &part.as_bytes()[2..]].concat()),
            None => decoded.extend([b"%", part.as_bytes()].concat()),
        }
    }
    String::from_utf8(decoded).ok()
}

/// The files that a download makes in the directory of a flag, under the names that addresses end in.
fn downloaded(words: &[&str], flags: &[&str], visit: &mut dyn FnMut(&str, Use)) {
    for pair in words.windows(2).filter(|pair| flags.contains(&pair[0])) {
        for name in
            words.iter().filter(|it| it.contains("://")).filter_map(|it| it.rsplit('/').next())
        {
            visit(&format!("{}/{name}", pair[1]), Use::Change);
        }
    }
}

/// Programs that name files in options and in words of their own.
fn other(program: &str, all: &[Word<'_>], visit: &mut dyn FnMut(&str, Use)) {
    let words: Vec<&str> = all.iter().map(|word| &*word.text).collect();
    for named in NAMINGS.iter().filter(|it| it.name.eq_ignore_ascii_case(program)) {
        let is_it = |list: &str, text: &str| list.split(' ').any(|it| it == text);
        let reads = match words.first() {
            Some(first) if is_it(named.unless, first) => "",
            _ => named.reads,
        };
        for (flags, use_) in
            [(reads, Use::Read), (named.changes, Use::Change), (named.copies, Use::Copy)]
        {
            for (at, word) in words.iter().enumerate() {
                let next = words.get(at + 1).filter(|_| is_it(flags, word)).copied();
                let attached = word.split_once('=').filter(|(name, _)| is_it(flags, name));
                for file in next.into_iter().chain(attached.map(|(_, file)| file)) {
                    visit(file, use_);
                }
            }
        }
    }
    match &*program.to_ascii_lowercase() {
        "find" => {
            for pair in words.windows(2).filter(|pair| LISTS.contains(&pair[0])) {
                visit(pair[1], Use::Change);
            }
            for file in sought(all).iter().filter(|_| words.contains(&"-delete")) {
                visit(file, Use::Remove);
            }
        }
        // `OPEN:FILE,option!!TCP:HOST:PORT`
        "socat" => {
            for address in words.iter().flat_map(|word| word.split("!!")) {
                let Some((kind, file)) = address.split_once(':') else { continue };
                let file = file.split(',').next().unwrap_or_default();
                match &*kind.to_ascii_uppercase() {
                    "OPEN" | "GOPEN" | "FILE" => visit(file, Use::Read),
                    "CREATE" | "CREAT" => visit(file, Use::Change),
                    _ => {}
                }
            }
        }
        "wget" => downloaded(&words, &["-P", "--directory-prefix"], visit),
        "curl" => {
            downloaded(&words, &["--output-dir"], visit);
            let is_upload = |word: &str| word.starts_with('-') && word.ends_with('T');
            for pair in words.windows(2).filter(|pair| is_upload(pair[0])) {
                visit(pair[1], Use::Read);
            }
            let mut before = "";
            for word in &words {
                if let Some(path) = of_address(word) {
                    visit(&path, Use::Read);
                }
                if let Some(file) = word.strip_prefix("-T").filter(|file| !file.is_empty()) {
                    visit(file, Use::Read);
                }
                // `-d @FILE`, `-F name=@FILE`, `-F name=<FILE`, `--data-urlencode name@FILE`.
                let sent = word.split_once('@').filter(|(start, _)| {
                    matches!(*start, "" | "-d")
                        || start.ends_with('=')
                        || before == "--data-urlencode"
                });
                if let Some((_, file)) = sent.or_else(|| word.split_once("=<")) {
                    visit(file.split([';', ',']).next().unwrap_or_default(), Use::Read);
                }
                before = word;
            }
        }
        // What a commit holds, as `HEAD:path`.
        "git-show" | "git-cat-file" => {
            for (_, path) in words.iter().filter_map(|word| word.split_once(':')) {
                visit(path, Use::Read);
            }
        }
        "chmod" if words.iter().any(|it| shuts(it) || it.starts_with("--reference")) => {
            for word in words.iter().filter(|it| !it.starts_with('-')) {
                visit(word, Use::Shut);
            }
        }
        _ => {}
    }
}

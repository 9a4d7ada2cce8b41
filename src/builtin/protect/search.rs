//! Searches through whole directories, which print what is in the files there.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::builtin::arguments::{self, Argument, Arguments};
use crate::builtin::context::Context;
use crate::client::answer::Answer;
use crate::client::permission_rule::{Anchors, path_hits};
use crate::syntax::shell::{self, Invocation};

use super::files::without_classes;

/// So many directories of a search are looked into, at most so many levels deep.
const LOOKED: usize = 128;
const LEVELS: usize = 3;
/// So many files searches are kept from.
const REWRITTEN: usize = 64;

/// A search, by the directories that it goes through and the names of the files that it prints.
pub(super) struct Search<'w> {
    pub(super) folders: Vec<&'w str>,
    only: Vec<&'w str>,
    without: Vec<&'w str>,
    /// True if it names what it takes, by which it may take again what it was told to leave out.
    pub(super) includes: bool,
}

/// Returns whether a command may search through a directory, told by its text.
pub(super) fn may_be_in(command: &str) -> bool {
    let has_flag = || {
        command.split_ascii_whitespace().any(|word| match word.strip_prefix('-') {
            Some(long) if long.starts_with('-') => {
                LONG.split(' ').any(|flag| long.starts_with(&flag[1..]))
            }
            Some(letters) => letters.contains(['r', 'R', 'u', '.']),
            None => false,
        })
    };
    let hands_on = || ["xargs", "-exec", "rgrep"].iter().any(|it| command.contains(it));
    (command.contains("grep") && (command.contains("recurse") || has_flag() || hands_on()))
        || (command.contains("rg ") && has_flag())
}

/// Flags with which a search goes through directories, or through what it would leave out.
const LONG: &str =
    "--recursive --dereference-recursive --no-index --untracked --hidden --unrestricted";
/// Flags with which a search prints no lines.
const SILENT: &str =
    "--files-with-matches --files-without-match --count --quiet --silent --files --help";
const VALUES: &str = "-e -f -A -B -C -m -g -t -d -D --regexp --file --include --exclude --exclude-dir --glob \
                      --max-count --type --color --context --after-context --before-context";

/// The search that a call is, where it prints lines of files in directories.
pub(super) fn of<'w>(invocation: &'w Invocation<'_>) -> Option<Search<'w>> {
    let arguments = match invocation.program {
        "git" => &invocation.arguments[arguments::leading("git", invocation.arguments)..],
        _ => invocation.arguments,
    };
    let (program, words) = match (invocation.program, arguments) {
        ("git", [first, rest @ ..]) if first.text == "grep" => ("git grep", rest),
        ("rgrep", words) => ("rgrep", words),
        (program @ ("grep" | "egrep" | "fgrep" | "zgrep" | "rg"), words) => (program, words),
        _ => return None,
    };
    let mut search =
        Search { folders: Vec::new(), only: Vec::new(), without: Vec::new(), includes: false };
    let (mut goes_deep, mut has_pattern) = (program == "rgrep", false);
    for argument in Arguments::new(words, VALUES) {
        match argument {
            Argument::Operand(word) => search.folders.push(&word.text),
            Argument::Flag(flag) if flag.starts_with("--") => {
                if SILENT.split(' ').any(|it| it == flag) {
                    return None;
                }
                goes_deep |= LONG.split(' ').any(|it| it == flag);
                has_pattern |= flag.starts_with("--regexp") || flag.starts_with("--file");
            }
            Argument::Flag(flag) => {
                let letters =
                    flag.split(['e', 'f', 'A', 'B', 'C', 'm', 'g']).next().unwrap_or(flag);
                if program != "rg" && letters.contains(['l', 'L', 'c', 'q']) {
                    return None;
                }
                has_pattern |= flag.contains(['e', 'f']);
                goes_deep |= match program {
                    "rg" => letters.contains(['u', '.']),
                    "git grep" => false,
                    _ => letters.contains(['r', 'R']),
                };
            }
        }
    }
    for (at, word) in words.iter().enumerate() {
        let (name, value) = match word.text.split_once('=') {
            Some(pair) => pair,
            None => (&*word.text, words.get(at + 1).map_or("", |next| &*next.text)),
        };
        let (name, value) = match name.strip_prefix("-g") {
            Some(glob) if program == "rg" && !glob.is_empty() => ("-g", glob),
            _ => (name, value),
        };
        goes_deep |= program != "rg"
            && (word.text == "-drecurse"
                || (value == "recurse" && (name == "-d" || name.starts_with("--di"))));
        match (name, value.strip_prefix('!')) {
            ("--iglob", None) => search.includes = true,
            (name, _) if program != "rg" && name.starts_with("--inc") => search.only.push(value),
            ("--exclude" | "--exclude-dir", _) => search.without.push(value),
            ("-g" | "--glob", Some(value)) => search.without.push(value),
            ("-g" | "--glob", _) => search.only.push(value),
            _ => {}
        }
    }
    if !has_pattern && !search.folders.is_empty() {
        search.folders.remove(0);
    }
    // What `find` hands on is in a directory, and has a name that it may not tell.
    for folder in &mut search.folders {
        let Some((above, below)) = folder.split_once("{}") else { continue };
        goes_deep = true;
        *folder = if above.is_empty() { "." } else { above.trim_end_matches('/') };
        search.only.extend(below.rsplit('/').next().filter(|name| !name.is_empty()));
    }
    if search.folders.is_empty() {
        search.folders.push(".");
    }
    search.includes |= !search.only.is_empty();
    search.folders.sort_unstable();
    search.folders.dedup();
    goes_deep.then_some(search)
}

/// The globs of the client's own tool, which has blanks between them, or commas outside of braces.
pub(super) fn globs(text: &str) -> Vec<String> {
    let mut open = 0_usize;
    let parts = text.split(|letter: char| {
        match letter {
            '{' => open += 1,
            '}' => open = open.saturating_sub(1),
            _ => {}
        }
        letter.is_whitespace() || (letter == ',' && open == 0)
    });
    parts.filter(|part| !part.is_empty()).flat_map(shell::alternatives).collect()
}

impl<'w> Search<'w> {
    /// The search of the client's own tool in a directory, whose globs hit a name in any directory below it.
    pub(super) fn by_globs(folder: &'w str, globs: &'w [String]) -> Self {
        let last = |glob: &'w str| glob.rsplit('/').next().unwrap_or_default();
        let (without, only): (Vec<&str>, Vec<&str>) =
            globs.iter().map(String::as_str).partition(|glob| glob.starts_with('!'));
        let only: Vec<&str> = only.into_iter().map(last).collect();
        let is_all = only.iter().any(|name| matches!(*name, "*" | "**"));
        Self {
            folders: vec![folder],
            only: if is_all { Vec::new() } else { only },
            without: without.into_iter().map(|glob| &glob[1..]).collect(),
            includes: false,
        }
    }

    /// Returns whether the search takes all names that it does not leave out.
    pub(super) fn takes_all(&self) -> bool {
        self.only.is_empty()
    }

    pub(super) fn takes(&self, name: &str) -> bool {
        let path = format!("/{name}");
        let is_hit = |glob: &&str| {
            path_hits(&format!("//{}", without_classes(glob)), &path, Anchors::default())
        };
        let is_one = |globs: &[&str]| globs.iter().any(is_hit);
        (self.only.is_empty() || is_one(&self.only)) && !is_one(&self.without)
    }

    /// The files in a directory and in those below it, those nearest first, by their names and paths.
    pub(super) fn files(
        &self,
        folder: &str,
        names: impl Fn(&str) -> Vec<String>,
    ) -> Vec<(String, String)> {
        let mut files = Vec::new();
        let mut folders = vec![(folder.to_owned(), 0)];
        let mut at = 0;
        while let Some((folder, level)) = folders.get(at).cloned() {
            at += 1;
            for name in names(&folder) {
                let path = format!("{folder}/{name}");
                let is_folder = !name.contains('.') && self.takes_folder(&name);
                if is_folder && level < LEVELS && folders.len() < LOOKED {
                    folders.push((path.clone(), level + 1));
                }
                if self.takes(&name) {
                    files.push((name, path));
                }
            }
        }
        files
    }

    fn takes_folder(&self, name: &str) -> bool {
        name != "node_modules" && name != "target" && !self.without.contains(&name)
    }
}

/// A search of a line, and a file that it would print.
#[derive(PartialEq, Eq)]
pub(super) struct Found {
    pub(super) source: String,
    pub(super) name: String,
    /// True if the search names files to take, so that it may take again what it has to leave out.
    pub(super) is_wanted: bool,
}

/// The call with its searches kept from the files; `None` where the line says too little to do so.
pub(super) fn rewritten(context: &Context<'_>, command: &str, found: &[Found]) -> Option<Answer> {
    let mut line = Cow::Borrowed(command);
    if found.len() > REWRITTEN {
        return None;
    }
    for group in found.chunk_by(|one, next| one.source == next.source) {
        let source = &group[0].source;
        let (program, rest) = match source.split_once(' ')? {
            ("xargs" | "find", rest) => ("grep", rest.split_once("grep ")?.1),
            call => call,
        };
        let (start, end) = match program {
            "grep" | "egrep" | "fgrep" => ("--exclude=", ""),
            "rg" => ("--glob='!", "'"),
            _ => return None,
        };
        let flags: Vec<String> =
            group.iter().map(|found| format!("{start}{}{end}", found.name)).collect();
        // The line may have more of the same, and the source may be put together.
        if !group.iter().all(is_plain) || line.matches(rest).count() != 1 {
            return None;
        }
        let at = line.find(rest)?;
        if !line[..at].ends_with(&format!("{program} ")) {
            return None;
        }
        let changed = format!("{}{} {}", &line[..at], flags.join(" "), &line[at..]);
        line = Cow::Owned(changed);
    }
    changed(context, "command", line.into_owned(), found)
}

/// The search of the client's own tool, with globs that keep it from the files.
pub(super) fn rewritten_glob(context: &Context<'_>, glob: &str, found: &[Found]) -> Option<Answer> {
    if !found.iter().all(is_plain) {
        return None;
    }
    let without = found.iter().map(|found| format!("!{}", found.name));
    let globs = Some(glob.to_owned()).filter(|glob| !glob.is_empty()).into_iter().chain(without);
    changed(context, "glob", globs.collect::<Vec<String>>().join(" "), found)
}

/// Returns whether a flag can leave a file out, whose name means the same to a shell and in a glob.
fn is_plain(found: &Found) -> bool {
    !found.is_wanted
        && found.name.chars().all(|letter| letter.is_alphanumeric() || "._-".contains(letter))
}

fn changed(context: &Context<'_>, key: &str, text: String, found: &[Found]) -> Option<Answer> {
    let mut input: Map<String, Value> =
        serde_json::from_str(context.payload.tool_input?.get()).ok()?;
    input.insert(key.to_owned(), text.into());
    let names: Vec<&str> = found.iter().map(|found| &*found.name).collect();
    let said = format!("{} left {} out of the search.", context.name, names.join(", "));
    let mut answer = Answer::context(said);
    answer.specific.insert("updatedInput".to_owned(), input.into());
    Some(answer)
}

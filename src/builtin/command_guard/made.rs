//! Files that a line makes itself, which nobody misses when the same line deletes them.

use std::path::{Component, Path, PathBuf};

use super::operands::{has_word, is_temporary};
use crate::builtin::context::Context;
use crate::syntax::shell::{self, Invocation, Word};

/// So many folders are looked into.
const FOLDERS: usize = 16;
/// So many names of what is made are kept, and texts of programs.
const NAMES: usize = 64;
const TEXTS: usize = 8;
/// So long such a text may be.
const LONGEST: usize = 16 << 10;

/// So many moves are kept, so long, and looked for in so many words.
const MOVES: usize = 16;
const LONGEST_MOVE: usize = 512;
const MOVED_WORDS: usize = 1024;

static MAKERS: &[&str] = include!(concat!(env!("OUT_DIR"), "/MAKERS.rs"));
static CREATES: &[&str] = include!(concat!(env!("OUT_DIR"), "/CREATES.rs"));
static MOVERS: &[&str] = include!(concat!(env!("OUT_DIR"), "/MOVERS.rs"));
static WRITERS: &[&str] = include!(concat!(env!("OUT_DIR"), "/WRITERS.rs"));
static OUTPUTS: &[&str] = include!(concat!(env!("OUT_DIR"), "/OUTPUTS.rs"));
static REMAKERS: &[Remaker] = include!(concat!(env!("OUT_DIR"), "/Remaker.rs"));

/// A program that makes something again, whatever was there.
struct Remaker {
    name: &'static str,
    /// One of these is given; `-` is nothing, or an option alone.
    words: &'static str,
    makes: &'static str,
}

/// The files and folders that a line makes.
#[derive(Default)]
pub(super) struct Made {
    /// The number of calls that were read.
    calls: usize,
    /// Each with the number of the call that makes it.
    names: Vec<(usize, String)>,
    /// Ends of the names that a program gives to what it makes, such as `.bak`.
    endings: Vec<String>,
    /// Programs that are written on the line, of which one may write what it names.
    texts: Vec<String>,
    /// The places to which something is moved.
    moved: Vec<String>,
    again: Vec<&'static str>,
    /// The work trees of git that it makes.
    repositories: Vec<String>,
    /// The session's folder and those that the line may go to; none where these are not known.
    folders: Vec<PathBuf>,
}

impl Made {
    /// Reads a line once more; what moves something to where it cannot be told, or deletes something
    /// elsewhere, has nothing of its own.
    pub(super) fn by(line: &str, cwd: &str) -> Self {
        let mut made = Self { folders: vec![PathBuf::from(cwd)], ..Self::default() };
        let moves = |it: (usize, &str)| !line[..it.0].ends_with("re");
        let mut is_known = !line.match_indices("move(").any(moves) && !line.contains("rename");
        let complete = shell::each_invocation(line, &mut |call| is_known &= made.read(call));
        let goes = made.folders.len();
        if !complete
            || !is_known
            || cwd.is_empty()
            || goes > FOLDERS
            || (goes > 1 && !made.moved.is_empty())
        {
            return Self { again: made.again, ..Self::default() };
        }
        made
    }

    /// Reads one call, and tells whether what is made can still be known.
    fn read(&mut self, call: &Invocation<'_>) -> bool {
        self.calls += 1;
        let program = call.program;
        let words = || call.arguments.iter().map(|word| &*word.text);
        let operands = || words().filter(|it| !it.starts_with('-'));
        let deletes = |text: &str| matches!(text, "rm" | "mv") || text.contains("rm ");
        // Nobody can look whether something was there before.
        if shell::programs::REMOTE.contains(&program)
            && (program == "ssh" || operands().take(2).any(|it| it == "exec"))
        {
            // All that is in a container of the line's own may go with it.
            return container(call)
                .is_some_and(|name| self.names.iter().any(|(_, made)| made == name));
        }
        // `docker rm` deletes nothing of the line's.
        let of_docker = matches!(program, "docker" | "podman" | "nerdctl");
        let own = operands().take(1 + usize::from(of_docker)).position(|it| it == "rm");
        let own = own.map_or(0, |at| at + 1);
        let takes_away = program != "rsync" || words().any(|it| it == "--remove-source-files");
        if MOVERS.contains(&program) && takes_away {
            let is_known = |to: &&str| !to.contains(['$', '`', '*', '?']) && plain(to) != ".";
            let Some(to) = operands().next_back().filter(is_known) else { return false };
            self.moved.push(plain(to).to_owned());
        } else if !shell::programs::is_shell(program)
            && program != "trap"
            && operands().skip(own).any(deletes)
        {
            return false;
        }
        let outputs = call.redirections.iter().filter(|it| it.operator.contains('>'));
        let mut names: Vec<&str> = outputs.map(|it| &*it.target.text).collect();
        let again = REMAKERS.iter().filter(|it| it.name == program && it.is_run(operands().next()));
        self.again.extend(again.map(|it| it.makes));
        match program {
            "cd" | "pushd" => return self.goes_to(operands().next(), words().any(|it| it == "-")),
            "git" if operands().take(2).eq(["worktree", "add"]) => {
                names.extend(operands().skip(2));
                let room = NAMES.saturating_sub(self.repositories.len());
                self.repositories
                    .extend(operands().skip(2).take(room).map(|it| plain(it).to_owned()));
            }
            "git" if operands().next() == Some("tag") => names.extend(operands().nth(1)),
            "git" if operands().next().is_some_and(|it| matches!(it, "checkout" | "switch")) => {
                let makes = |it: &&str| matches!(*it, "-b" | "-c" | "--create" | "--orphan");
                names.extend(words().skip_while(|it| !makes(it)).nth(1));
            }
            "git" | "gh" => self.makes_repository(call),
            "npm" | "pnpm" if operands().next() == Some("pack") => {
                self.endings.push(".tgz".to_owned());
            }
            "sed" | "gsed" | "perl" | "ruby" => {
                let ending =
                    words().find_map(|it| it.split_once("i.").filter(|it| it.0.starts_with('-')));
                self.endings.extend(ending.map(|(_, ending)| format!(".{ending}")));
            }
            _ => {}
        }
        let creates = |it: &&str| CREATES.contains(it) || it.starts_with("create-");
        let is_maker = MAKERS.contains(&program);
        if is_maker || operands().take(3).any(|it| creates(&it)) {
            let before = |it: &&str| !is_maker && !creates(it);
            names.extend(operands().skip_while(before).skip(usize::from(!is_maker)));
            names.extend(operands().filter(|it| it.contains('/')).filter_map(of_address));
        }
        if shell::programs::CLIENTS.contains(&program) {
            names.extend(words().filter_map(of_statement));
        }
        // `$x = New-TemporaryFile`
        if program.starts_with('$')
            && words().any(|it| matches!(it, "New-TemporaryFile" | "New-Item"))
        {
            names.push(program);
        }
        let mut value_follows = false;
        for word in words() {
            if value_follows {
                names.push(word);
            }
            let (name, value) =
                word.split_once('=').map_or((word, None), |(name, it)| (name, Some(it)));
            let name = name.trim_start_matches('-');
            let is_output = OUTPUTS.contains(&name)
                || name.starts_with("out")
                || (of_docker && name == "name" && operands().next() == Some("run"))
                || (program == "tmux" && name == "s");
            value_follows = is_output && value.is_none() && word.starts_with('-');
            names.extend(value.filter(|_| is_output));
            names.extend(word.strip_prefix("-o").filter(|rest| !rest.is_empty()));
        }
        if WRITERS.contains(&program) {
            let writes = |text: &&str| {
                // This starts a process.
                let text = text.replace("Popen(", "");
                text.len() <= LONGEST
                    && ["open(", "write", "save", "dump", "mkdir", "put_contents"]
                        .iter()
                        .any(|it| text.contains(it))
            };
            let texts = words().chain(call.input).filter(writes).map(str::to_owned);
            self.texts.extend(texts.take(TEXTS.saturating_sub(self.texts.len())));
        }
        let room = NAMES.saturating_sub(self.names.len());
        let known = names.into_iter().map(plain).filter(|it| !it.is_empty());
        self.names.extend(known.take(room).map(|it| (self.calls, it.to_owned())));
        true
    }

    fn makes_repository(&mut self, call: &Invocation<'_>) {
        let texts: Vec<&str> = call.arguments.iter().map(|word| &*word.text).collect();
        let at = texts.iter().take(4).position(|it| matches!(*it, "clone" | "init"));
        let (Some(at), Some(folder)) = (at, work_tree(call)) else { return };
        let takes_next = |at: usize| texts[at].starts_with('-') && !texts[at].contains('=');
        let given = (at + 1..texts.len()).filter(|at| !texts[*at].starts_with('-'));
        let given: Vec<usize> = given.collect();
        // `git init -b main` makes one here.
        if texts[at] == "init" && given.iter().all(|at| takes_next(at - 1)) {
            self.repositories.push(plain(&folder).to_owned());
        }
        let room = NAMES.saturating_sub(self.repositories.len());
        let names = given.iter().flat_map(|at| [Some(texts[*at]), of_address(texts[*at])]);
        self.repositories.extend(names.flatten().take(room).map(|name| below(&folder, name)));
    }

    /// Returns whether a call of git changes files or branches of a work tree that the line makes itself.
    pub(super) fn is_in_own(&self, call: &Invocation<'_>, context: &Context<'_>) -> bool {
        const LOCAL: &str = "branch checkout clean reset restore rm stash switch";
        let changes = call.arguments.iter().take(6).any(|it| has_word(LOCAL, &it.text));
        changes
            && work_tree(call).is_some_and(|folder| {
                self.repositories.iter().any(|it| it == plain(&folder))
                    && (is_temporary(&folder) || self.has(&folder, context))
            })
    }

    /// Returns whether a call that runs something in a container does so in one that the line makes itself.
    pub(super) fn is_in_container(&self, at: usize, call: &Invocation<'_>) -> bool {
        container(call).is_some_and(|name| self.has_before(at, name))
    }

    /// Keeps the folders that the line may be in from here, and tells whether they are known.
    fn goes_to(&mut self, to: Option<&str>, goes_back: bool) -> bool {
        let Some(to) = to.filter(|to| is_plain(to)) else {
            return goes_back || to.is_some_and(is_temporary);
        };
        if self.folders.len() > FOLDERS {
            return true;
        }
        // It may also stay in the folder from which it would go.
        let known = self.folders.iter().take(FOLDERS);
        let more: Vec<PathBuf> = known.map(|from| joined(from, to)).collect();
        self.folders.truncate(FOLDERS + 1);
        self.folders.extend(more);
        self.folders.sort();
        self.folders.dedup();
        true
    }

    /// Returns whether the line makes something by a call before this one, of which nobody can look
    /// whether it was there before.
    pub(super) fn has_before(&self, call: usize, name: &str) -> bool {
        (is_plain(name) || is_new(name))
            && self.names.iter().any(|(at, made)| *at < call && made == plain(name))
    }

    /// Returns whether a path is made by the line and was not there before, or is made again by it.
    pub(super) fn has(&self, path: &str, context: &Context<'_>) -> bool {
        let path = plain(path);
        let path = path.strip_suffix("/*").unwrap_or(path);
        let name = path.rsplit('/').next().unwrap_or_default();
        if self.again.iter().any(|made| has_word(made, name)) {
            return true;
        }
        if is_new(path) {
            return self.names.iter().any(|(_, made)| made == path);
        }
        let has_ending =
            self.endings.iter().any(|it| name.len() > it.len() && name.ends_with(&**it));
        if name.starts_with('*') {
            return has_ending;
        }
        // What is temporary may be deleted anyhow.
        let is_there = |folder: &PathBuf| {
            let whole = folder.join(path);
            !whole.starts_with("/tmp") && context.host.look(&whole).is_some()
        };
        let is_in = |path: &str, folder: &str| {
            let rest = path.strip_prefix(folder);
            rest.is_some_and(|rest| {
                rest.is_empty() || (rest.starts_with('/') && !rest.contains(".."))
            })
        };
        let is_made = |(_, made): &(usize, String)| {
            is_in(path, made)
                // A folder that was not there has nothing else.
                || is_in(made, path)
                || path
                    .strip_prefix(stem(made))
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let is_moved = |moved: &String| {
            is_in(path, moved) || is_in(moved, path) || moved.rsplit('/').next() == Some(name)
        };
        let is_named = |text: &String| {
            ['"', '\''].iter().any(|quote| text.contains(&format!("{quote}{path}{quote}")))
        };
        if path.starts_with('$') {
            return self.names.iter().any(|(_, made)| made == path);
        }
        is_plain(path)
            && !path.starts_with("/dev/")
            && (has_ending || self.names.iter().any(is_made) || self.texts.iter().any(is_named))
            && (self.folders.len() == 1 || !path.split('/').any(|part| part == ".."))
            && !self.moved.iter().any(is_moved)
            && !self.folders.iter().any(is_there)
    }
}

/// The files that a line has moved so far, each with its new place.
#[derive(Default)]
pub(super) struct Moves(Vec<(String, String)>);

impl Moves {
    pub(super) fn keep(&mut self, words: &[Word<'_>]) {
        let mut texts: Vec<&str> = words.iter().map(|word| plain(&word.text)).collect();
        let option = texts.iter().position(|it| *it == "-t");
        let to = option.and_then(|at| texts.get(at + 1)).or(texts.last());
        let Some(to) = to.copied() else { return };
        texts.retain(|text| *text != to && !text.starts_with('-'));
        for from in texts {
            // What comes back is there no more.
            self.0.retain(|(_, to)| to != from);
            if self.0.len() < MOVES && from.len() + to.len() < LONGEST_MOVE {
                self.0.push((from.to_owned(), to.to_owned()));
            }
        }
    }

    /// The files that were moved to where the words are.
    pub(super) fn below(&self, words: &[Word<'_>]) -> impl Iterator<Item = String> {
        let goes = |(from, to): &&(String, String)| {
            let place = format!("{to}/{}", from.rsplit('/').next().unwrap_or_default());
            words.iter().take(MOVED_WORDS).any(|word| {
                let path = plain(word.text.strip_suffix("/*").unwrap_or(&word.text));
                let rest = to.strip_prefix(path);
                path == place || rest.is_some_and(|it| it.is_empty() || it.starts_with('/'))
            })
        };
        self.0.iter().filter(goes).map(|(from, _)| from.clone())
    }
}

impl Remaker {
    fn is_run(&self, first: Option<&str>) -> bool {
        self.words.is_empty() || has_word(self.words, first.unwrap_or("-"))
    }
}

/// The database or table that a statement makes, unless it may be there.
fn of_statement(text: &str) -> Option<&str> {
    let mut words = text.split_whitespace();
    let is_create = words.next()?.eq_ignore_ascii_case("create");
    let kinds = ["database", "schema", "table"];
    let kind = words.next().filter(|_| is_create)?;
    let name = words.next().filter(|_| kinds.iter().any(|it| kind.eq_ignore_ascii_case(it)))?;
    let name = name.split(['(', ';']).next()?.trim_matches(['"', '`']);
    Some(name).filter(|it| !it.eq_ignore_ascii_case("if"))
}

/// The name that what an address leads to gets in this folder.
fn of_address(address: &str) -> Option<&str> {
    let path = address.split(['?', '#']).next()?.trim_end_matches('/');
    let name = path.rsplit('/').next()?;
    Some(name.strip_suffix(".git").unwrap_or(name))
}

/// The folder in which a call of git works; empty where that is its session's, `None` where it cannot be told.
fn work_tree(call: &Invocation<'_>) -> Option<String> {
    let texts = || call.arguments.iter().map(|word| &*word.text);
    let is_elsewhere = |it: &str| it.starts_with("--git-dir") || it.starts_with("--work-tree");
    let mut behind = texts().skip_while(|it| *it != "-C");
    let folder = match behind.nth(1).filter(|_| call.program == "git") {
        Some(to) => below(call.folder, to),
        None => call.folder.to_owned(),
    };
    (!texts().any(is_elsewhere)).then_some(folder)
}

fn below(folder: &str, path: &str) -> String {
    match plain(path) {
        "." => folder.to_owned(),
        path if folder.is_empty() || path.starts_with(['/', '~', '$']) => path.to_owned(),
        path => format!("{folder}/{path}"),
    }
}

/// A path without the last ending of its name.
fn stem(path: &str) -> &str {
    let start = path.rfind('/').map_or(0, |at| at + 1);
    match path[start..].rfind('.') {
        Some(length) if length > 0 => &path[..start + length],
        _ => path,
    }
}

/// Returns whether a call runs something in a container.
pub(super) fn runs_inside(call: &Invocation<'_>) -> bool {
    container(call).is_some()
}

/// The container in which `docker exec` runs something.
fn container<'c>(call: &'c Invocation<'_>) -> Option<&'c str> {
    const VALUES: &str = "-e -u -w --env --env-file --user --workdir --detach-keys";
    let is_docker = matches!(call.program, "docker" | "podman" | "nerdctl");
    let mut words = call.arguments.iter().map(|word| &*word.text);
    if !is_docker || words.next() != Some("exec") {
        return None;
    }
    while let Some(word) = words.next() {
        if !word.starts_with('-') {
            return Some(word);
        }
        if has_word(VALUES, word) {
            words.next();
        }
    }
    None
}

/// Returns whether nobody else has such a name, as it holds the number of the process, the time or the like.
pub(super) fn is_new(name: &str) -> bool {
    ["$$", "$RANDOM", "$(date", "$(uuidgen", "$(openssl rand"].iter().any(|it| name.contains(it))
}

/// Returns whether a shell takes a path as it is written.
fn is_plain(path: &str) -> bool {
    !path.is_empty()
        && !path.starts_with(['~', '-'])
        && !path.contains(['$', '`', '*', '?', '[', '{'])
}

fn plain(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path).trim_end_matches('/')
}

fn joined(from: &Path, to: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for part in from.join(to).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    path
}

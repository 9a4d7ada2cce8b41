//! Files that a line makes itself, which nobody misses when the same line deletes them.

use std::path::{Component, Path, PathBuf};

use super::naming::{NAMES, is_in, is_new, is_plain, is_unique, of_address, plain};
use super::operands::{has_word, is_temporary, words};
use super::places::{self, container};
use super::repositories::Repositories;
use crate::builtin::context::Context;
use crate::syntax::shell::{self, Invocation, Word};
use crate::syntax::suggestion;

/// So many folders are looked into.
const FOLDERS: usize = 16;
/// So many names of what is made are kept, and texts of programs.
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
static COMPANIONS: &[Companion] = include!(concat!(env!("OUT_DIR"), "/Companion.rs"));

/// A program that makes something again, whatever was there.
struct Remaker {
    name: &'static str,
    /// One of these is given; `-` is nothing, or an option alone.
    words: &'static str,
    makes: &'static str,
}

/// A name that only builds give, and those that they give with it.
struct Companion {
    name: &'static str,
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
    /// The folders to which a build of the line's writes.
    rebuilt: Vec<String>,
    pub(super) git: Repositories,
    /// True if something happens where nobody can look whether it was there before.
    is_far: bool,
    /// The session's folder and those that the line may go to; none where these are not known.
    pub(super) folders: Vec<PathBuf>,
}

impl Made {
    /// Reads a line once more; what moves something to where it cannot be told, or deletes something
    /// elsewhere, has nothing of its own.
    pub(super) fn by(line: &str, cwd: &str) -> Self {
        let mut made = Self { folders: vec![PathBuf::from(cwd)], ..Self::default() };
        let moves = |it: (usize, &str)| !line[..it.0].ends_with("re");
        let mut is_known = !line.match_indices("move(").any(moves) && !line.contains("rename");
        let complete = shell::each_invocation(line, &mut |call| is_known &= made.read(call));
        if made.is_far {
            made.names.retain(|(_, name)| is_new(name));
            made = Self { endings: Vec::new(), texts: Vec::new(), ..made };
        }
        let goes = made.folders.len();
        if !complete
            || !is_known
            || cwd.is_empty()
            || goes > FOLDERS
            || (goes > 1 && !made.moved.is_empty())
        {
            return Self {
                again: made.again,
                rebuilt: made.rebuilt,
                folders: made.folders,
                ..Self::default()
            };
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
        if shell::programs::REMOTE.contains(&program)
            && (program == "ssh" || operands().take(2).any(|it| it == "exec"))
        {
            // All that is in a container of the line's own may go with it.
            self.is_far |= !container(call).is_some_and(|name| {
                places::is_output(name) || self.names.iter().any(|(_, made)| made == name)
            });
            return true;
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
        } else if program != "trap"
            && program != "cmd"
            && !shell::programs::runners().any(|it| it == program)
            && !places::mounts(call).iter().any(|it| is_unique(it.0))
            && operands().skip(own).any(deletes)
        {
            return false;
        }
        let outputs = call.redirections.iter().filter(|it| it.operator.contains('>'));
        let mut names: Vec<&str> = outputs.map(|it| &*it.target.text).collect();
        let again =
            REMAKERS.iter().filter(|it| it.name == program && it.is_run(operands().take(2)));
        let again = again.map(|it| it.makes);
        let parts = words().take(MOVED_WORDS).filter_map(|it| plain(it).rsplit('/').next());
        let known = parts.flat_map(|part| {
            COMPANIONS.iter().filter(move |it| suggestion::hits(it.name, part)).map(|it| it.makes)
        });
        for makes in again.chain(known) {
            if !self.again.contains(&makes) {
                self.again.push(makes);
            }
        }
        match program {
            "cd" | "pushd" => return self.goes_to(operands().next(), words().any(|it| it == "-")),
            "git" | "gh" => names.extend(self.git.reads(call)),
            "helm" if operands().next() == Some("install") => names.extend(operands().nth(1)),
            "kubectl" if operands().next() == Some("run") => names.extend(operands().nth(1)),
            "npm" | "pnpm" if operands().next() == Some("pack") => {
                self.endings.push(".tgz".to_owned());
                names.push("package");
            }
            "sed" | "gsed" | "perl" | "ruby" => {
                let ending =
                    words().find_map(|it| it.split_once("i.").filter(|it| it.0.starts_with('-')));
                self.endings.extend(ending.map(|(_, ending)| format!(".{ending}")));
            }
            _ => {}
        }
        if matches!(program, "cp" | "rsync" | "mkdir") {
            self.git.keep_copies(operands(), program != "mkdir");
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
        names.extend(self.reads_outputs(call));
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
        let known = names.into_iter().map(plain).filter(|it| !it.is_empty()).map(str::to_owned);
        let known = places::made_by(call).into_iter().chain(known).take(room);
        self.names.extend(known.map(|it| (self.calls, it)));
        true
    }

    /// The outputs that the options of a call name; keeps the folders of builds.
    fn reads_outputs<'c>(&mut self, call: &'c Invocation<'_>) -> Vec<&'c str> {
        let (mut names, mut follows) = (Vec::new(), false);
        let first = call.arguments.first().map_or("", |word| &*word.text);
        let of_docker = matches!(call.program, "docker" | "podman" | "nerdctl");
        let is_cluster = places::CLUSTERS.contains(&call.program);
        let mut builds = false;
        for word in call.arguments.iter().map(|word| &*word.text) {
            let (name, value) =
                word.split_once('=').map_or((word, None), |(name, it)| (name, Some(it)));
            let given = if follows { Some(word) } else { None };
            self.rebuilt.extend(given.filter(|_| builds).map(|it| plain(it).to_owned()));
            let name = name.trim_start_matches('-');
            builds =
                matches!(name, "B" | "outDir" | "outdir" | "out-dir" | "output-dir" | "build-dir");
            let is_output = OUTPUTS.contains(&name)
                || name.starts_with("out")
                || builds
                || (of_docker && name == "name" && first == "run")
                || (of_docker && matches!(name, "t" | "tag") && first.starts_with("build"))
                || (call.program == "tmux" && name == "s")
                || (is_cluster && matches!(name, "n" | "name" | "p" | "profile"));
            follows = is_output && value.is_none() && word.starts_with('-');
            let value = value.filter(|_| is_output);
            self.rebuilt.extend(value.filter(|_| builds).map(|it| plain(it).to_owned()));
            names.extend(given);
            names.extend(value);
            names.extend(word.strip_prefix("-o").filter(|rest| !rest.is_empty()));
        }
        self.rebuilt.truncate(NAMES);
        names
    }

    /// Keeps the folders that the line may be in from here, and tells whether they are known.
    fn goes_to(&mut self, to: Option<&str>, goes_back: bool) -> bool {
        let is_own =
            |to: &str| is_unique(to) || self.names.iter().any(|(_, made)| made == plain(to));
        let Some(to) = to.filter(|to| is_plain(to) || is_own(to)) else {
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
        let name = reference(plain(name));
        let mut before = self.names.iter().filter(|(at, _)| *at < call);
        !name.contains(['*', '?', '['])
            && before.any(|(_, made)| reference(made).eq_ignore_ascii_case(name))
    }

    /// Returns whether a path is made by the line and was not there before, or is made again by it.
    pub(super) fn has(&self, path: &str, context: &Context<'_>) -> bool {
        let path = plain(path);
        let path = path.strip_suffix("/*").unwrap_or(path);
        let name = path.rsplit('/').next().unwrap_or_default();
        if self.again.iter().any(|made| words(made).any(|it| suggestion::hits(it, name))) {
            return true;
        }
        let is_file =
            |folder: &PathBuf| context.host.look(&folder.join(path)).is_some_and(|it| it.is_file);
        if self.rebuilt.iter().any(|it| it == path && is_plain(path) && path != ".")
            && !self.folders.iter().any(is_file)
        {
            return true;
        }
        if is_new(path) {
            return self.names.iter().any(|(_, made)| is_in(path, made));
        }
        let has_ending =
            self.endings.iter().any(|it| name.len() > it.len() && name.ends_with(&**it));
        if name.starts_with('*') {
            return has_ending;
        }
        // What is temporary may be deleted anyhow.
        let is_there = |folder: &PathBuf| {
            let whole = joined(folder, path);
            !whole.starts_with("/tmp") && context.host.look(&whole).is_some()
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
    fn is_run<'w>(&self, given: impl Iterator<Item = &'w str>) -> bool {
        let mut given = given.peekable();
        let is_bare = given.peek().is_none() && has_word(self.words, "-");
        let has = |given: &str| words(self.words).any(|it| suggestion::hits(it, given));
        self.words.is_empty() || is_bare || given.any(has)
    }
}

/// The database or table that a statement makes, unless it may be there.
fn of_statement(text: &str) -> Option<&str> {
    let mut words = text.split_whitespace();
    let is_create = words.next()?.eq_ignore_ascii_case("create");
    let kinds = ["database", "schema", "table"];
    let mut words =
        words.skip_while(|it| has_word("temp temporary unlogged", &it.to_ascii_lowercase()));
    let kind = words.next().filter(|_| is_create)?;
    let is_kind = kinds.iter().any(|it| kind.eq_ignore_ascii_case(it));
    let mut name = words.next().filter(|_| is_kind)?;
    if name.eq_ignore_ascii_case("if") {
        name = words.nth(2).filter(|it| is_new(it))?;
    }
    Some(name.split(['(', ';']).next()?.trim_matches(['"', '`']))
}

/// The name of a branch or tag without what may be in front of it where it is pushed.
fn reference(name: &str) -> &str {
    let name = name.trim_start_matches(':');
    name.strip_prefix("refs/heads/").or(name.strip_prefix("refs/tags/")).unwrap_or(name)
}

/// A path without the last ending of its name.
fn stem(path: &str) -> &str {
    let start = path.rfind('/').map_or(0, |at| at + 1);
    match path[start..].rfind('.') {
        Some(length) if length > 0 => &path[..start + length],
        _ => path,
    }
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

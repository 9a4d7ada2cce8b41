//! The definition of a hook in lines that a person reads, and the files that it runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::client::event::Event;
use crate::machine::paths::Paths;
use crate::machine::{files, folders, program, trees};
use crate::manifest::edit::{list, string};
use crate::manifest::{Action, Hook, Observe, OnError, seconds};
use crate::syntax::escaped::quoted;
use crate::syntax::shell::programs::{is_interpreter, is_posix_shell, takes_text};
use crate::syntax::shell::{self, Invocation, Word};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFile {
    /// Its path from the package, the project or the manifest; the whole path where it is in none of them.
    pub name: String,
    pub path: PathBuf,
    /// Its SHA-256, or [`ABSENT`].
    pub hash: String,
    /// Its path from the session's directory, where it is looked for there.
    pub in_session: Option<PathBuf>,
}

/// The hash of a program or script that is not there, and that a pull may bring.
pub const ABSENT: &str = "absent";

/// The directories of the system, whose programs are known by their paths alone.
const SYSTEM: [&str; 10] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/nix", "/System", "/Library", "/dev"];

/// The letters of a name for which a shell puts the names of files, as far as they are known here.
const GLOB: [char; 2] = ['*', '?'];

pub const OFF: &str = "enabled = false\n";

/// The definition of a hook, a key in each line, without its name and its switch.
pub fn text(hook: &Hook) -> String {
    // What a ready-made hook brings along is hookman's own, and another one after an update of it.
    let is_said = |key: &str| {
        let is_in = |said: &String| {
            said.strip_prefix(key).is_some_and(|it| it.is_empty() || it.starts_with('.'))
        };
        !matches!(hook.action, Action::Builtin { .. }) || hook.origins.keys().any(is_in)
    };
    let mut rows = Vec::new();
    let mut add = |key: &str, value: Option<String>| {
        rows.extend(value.map(|value| (key.to_owned(), value)));
    };
    add("event", is_said("event").then(|| list(&Event::names(&hook.events))));
    add("matcher", hook.matcher.as_deref().filter(|_| is_said("matcher")).map(string));
    add("if", hook.manner.condition.as_deref().map(string));
    match &hook.action {
        Action::Builtin { name, .. } => add("builtin", Some(string(name))),
        Action::Command(line) => add("command", Some(string(line))),
        Action::Argv(words) => add("argv", Some(list(words))),
        Action::Passed(passed) => {
            let keys = serde_json::Value::Object(passed.keys.clone());
            add("handler", Some(keys.to_string()));
        }
    }
    for (key, value) in &*hook.options {
        let key = format!("options.{key}");
        add(&key, is_said(&key).then(|| value.to_string()));
    }
    add("timeout", is_said("timeout").then(|| seconds(hook.timeout_ms).to_string()));
    add("on_error", (hook.on_error != OnError::Open).then(|| string(hook.on_error.name())));
    add(
        "mode",
        match &hook.manner.observe {
            Observe::Never => None,
            Observe::Always => Some(string("observe")),
            Observe::Until(day) => Some(string(&format!("observe until {day}"))),
        },
    );
    add("async", hook.manner.background.then(|| "true".to_owned()));
    add("always", hook.manner.always.then(|| "true".to_owned()));
    add("cwd", hook.surroundings.in_project.then(|| string("project")));
    add("path", (!hook.surroundings.path.is_empty()).then(|| list(&hook.surroundings.path)));
    let when = serde_json::to_string(&hook.audience.when).ok().filter(|it| it != "{}");
    add("when", when);
    add("switch", hook.audience.user_only.then(|| string("user")));
    rows.into_iter().fold(String::new(), |text, (key, value)| text + &key + " = " + &value + "\n")
}

/// The files that a hook runs: its program, the scripts behind interpreters, and each other file that its
/// words name and that looks like a script, but for the system's own. `manifest` is what declares it.
pub fn files(paths: &Paths, hook: &Hook, manifest: &Path) -> Vec<RunFile> {
    run(paths, hook, manifest).files
}

/// The words for programs and scripts that a hook runs, of which the shell alone knows the files.
pub fn unknown(paths: &Paths, hook: &Hook, manifest: &Path) -> Vec<String> {
    run(paths, hook, manifest).unknown
}

/// The programs and scripts of a package's hook that are not in the package, nor the system's own.
pub fn outside(hook: &Hook) -> Vec<String> {
    let mut found = Vec::new();
    let mut add = |line: &str| {
        shell::each_invocation(line, &mut |call| {
            let script = script_of(call).map(|it| it.text.to_string());
            found.extend(call.called.iter().map(|it| it.text.to_string()).chain(script));
        });
    };
    match &hook.action {
        Action::Command(line) => add(line),
        Action::Argv(words) => add(&as_line(words)),
        Action::Builtin { .. } | Action::Passed(_) => {}
    }
    let is_outside = |word: &String| {
        // The text of a program is no path.
        if word.contains(|it: char| it.is_whitespace() || it == '(') {
            return false;
        }
        if word.starts_with('/') {
            return !SYSTEM.iter().any(|folder| Path::new(word).starts_with(folder));
        }
        let is_of = |name: &str| word.starts_with(name);
        let (_, inner) = word.split_once("CLAUDE_PLUGIN_ROOT").unwrap_or_default();
        let inner = if inner.is_empty() { word } else { inner.trim_start_matches(['}', '/']) };
        ["~", "$HOME", "${HOME}"].into_iter().any(is_of) || trees::led_to("", inner).is_none()
    };
    found.retain(is_outside);
    found.dedup();
    found
}

fn as_line(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

#[derive(Default)]
pub struct Run {
    pub files: Vec<RunFile>,
    /// The paths with stars for which the shell puts some of the files.
    pub globs: BTreeSet<PathBuf>,
    unknown: Vec<String>,
}

impl Run {
    /// The paths with stars, gone directories' too, each with the pinned `files` that it finds.
    pub fn globs_of(&self, files: &BTreeMap<String, String>) -> Vec<(PathBuf, BTreeSet<PathBuf>)> {
        let mut globs = self.globs.clone();
        let folders = files.keys().filter_map(|it| Path::new(it).parent());
        for folder in folders.filter(|it| !it.is_dir()) {
            let is_above = |it: &&PathBuf| it.parent().is_some_and(|it| folder.starts_with(it));
            let inner = self.globs.iter().filter(is_above);
            globs.extend(inner.filter_map(|it| Some(folder.join(it.file_name()?))));
        }
        let seen = |glob: PathBuf| {
            let mut seen = found(&glob);
            for (path, hash) in files.iter().filter(|(path, _)| is_found(&glob, path.as_ref())) {
                if hash == ABSENT {
                    seen.remove(Path::new(path));
                } else {
                    seen.insert(path.into());
                }
            }
            (glob, seen)
        };
        globs.into_iter().map(seen).collect()
    }
}

pub fn run(paths: &Paths, hook: &Hook, manifest: &Path) -> Run {
    let folder = manifest.parent().unwrap_or(manifest);
    let project = folder.parent().unwrap_or(folder);
    let root = hook.package.as_ref().map(|package| Path::new(&*package.root));
    let bases: Vec<&Path> = root.map_or_else(|| vec![folder, project], |root| vec![root]);
    let words = match &hook.action {
        Action::Command(line) => Words::of(line),
        Action::Argv(argv) => Words::of_argv(argv),
        Action::Builtin { .. } | Action::Passed(_) => Words::default(),
    };
    let known = [
        ("CLAUDE_PLUGIN_ROOT", root),
        ("CLAUDE_PROJECT_DIR", Some(project)),
        ("PWD", root.is_none().then_some(project)),
        ("HOME", paths.home.as_deref()),
    ];
    let top = project.ancestors().find(|it| it.join(".git").exists()).unwrap_or(project);
    let value = |name: &str| known.iter().find(|it| it.0 == name)?.1.map(Path::to_string_lossy);
    let whole = |word: &String| {
        let mut whole = word
            .replace("$(git rev-parse --show-toplevel)", &top.to_string_lossy())
            .replace("$(pwd)", "$PWD")
            .replace("$(pwd -P)", "$PWD");
        for (name, value) in known.iter().filter_map(|(name, _)| Some((name, value(name)?))) {
            whole = whole.replace(&format!("${name}"), &value);
        }
        // The innermost `${NAME}` or `${NAME:-text}` first.
        while let Some((before, (inside, after))) =
            whole.rsplit_once("${").and_then(|(before, it)| Some((before, it.split_once('}')?)))
        {
            let (name, other) = inside.split_once('-').unzip();
            let name = name.map_or(inside, |name| name.trim_end_matches(':'));
            let Some(value) = value(name).or(other.map(Into::into)) else { break };
            whole = format!("{before}{value}{after}");
        }
        match (whole.strip_prefix("~/"), &paths.home) {
            (Some(rest), Some(home)) => home.join(rest).to_string_lossy().into_owned(),
            _ => whole,
        }
    };
    let all: Vec<String> = words.all.iter().map(whole).collect();
    // The first word is next to the manifest where it is a path, and all others are in the session's directory.
    let first = words.all.first().filter(|it| it.contains('/') && !hook.manner.adopted);
    let is_sessions = |word: &String, whole: &String| {
        let is_there =
            !whole.starts_with('/') || word.starts_with("$PWD") || word.starts_with("$(pwd");
        root.is_none() && !hook.surroundings.in_project && is_there && Some(word) != first
    };
    // Without a `.` in the middle, which nobody wants to read.
    let at = |word: &String| {
        bases.iter().map(|base| base.join(word).components().collect()).collect::<Vec<PathBuf>>()
    };
    // A line may go into a directory first.
    let inner: Vec<PathBuf> = all.iter().flat_map(at).filter(|it| it.is_dir()).collect();
    let places = |word: &String| {
        let inner = inner.iter().map(|folder| folder.join(word));
        at(word).into_iter().chain(inner).collect::<Vec<_>>()
    };
    let mut run: Vec<(PathBuf, bool)> = Vec::new();
    let looked = |word: &String, whole: &String| {
        let (is_sessions, mut places) = (is_sessions(word, whole), places(whole));
        if is_sessions && let Some(bases) = places.get_mut(..bases.len()) {
            bases.reverse();
        }
        (is_sessions, places)
    };
    for (word, whole) in words.all.iter().zip(&all) {
        let (is_sessions, places) = looked(word, whole);
        let file = places.into_iter().find(|it| it.is_file()).filter(|it| words.runs(word, it));
        run.extend(file.map(|it| (it, is_sessions)));
    }
    let is_argv = matches!(hook.action, Action::Argv(_));
    let started: Vec<String> = words.started.iter().map(whole).collect();
    for (word, whole) in words.started.iter().zip(&started) {
        if is_open(whole) || !is_path(whole) {
            continue;
        }
        let (is_sessions, places) = looked(word, whole);
        // No shell looks for the program of `argv` elsewhere.
        if is_argv && first == Some(word) || !places.iter().any(|it| it.is_file()) {
            let absent = places.into_iter().take_while(|it| !it.exists());
            run.extend(absent.map(|it| (it, is_sessions)));
        }
    }
    let (mut globs, mut unknown) = (BTreeSet::new(), words.found);
    for word in started.into_iter().filter(|it| is_open(it)) {
        let places = places(&word);
        let of_globs: Vec<PathBuf> = places.iter().flat_map(|it| found(it)).collect();
        // A pull may bring the directory, too.
        let is_watched = |it: &PathBuf| is_path(&word) || it.parent().is_some_and(Path::is_dir);
        // A name may have brackets.
        let is_there = places.iter().any(|it| it.is_file());
        let watched = places.into_iter().filter(|it| is_glob(&word) && is_watched(it));
        let watched: Vec<PathBuf> = watched.filter(|it| !is_systems(it, &bases)).collect();
        if of_globs.is_empty() && watched.is_empty() && !is_there && !unknown.contains(&word) {
            unknown.push(word);
        }
        globs.extend(watched);
        run.extend(of_globs.into_iter().map(|it| (it, false)));
    }
    let mut files: Vec<RunFile> = Vec::new();
    for (path, is_sessions) in run {
        if !files.iter().any(|file| file.path == path) {
            files.extend(run_file(path, &bases, is_sessions.then_some(project)));
        }
    }
    Run { files, globs, unknown }
}

/// Returns whether a shell puts other text in the place of a word, or of a part of it.
fn is_open(word: &str) -> bool {
    word.contains(['$', '`']) || word.contains(GLOB) || has_class(word)
}

/// Returns whether the files that a shell finds by a word can be known.
fn is_glob(word: &str) -> bool {
    let folder = word.rsplit_once('/').unwrap_or_default().0;
    word.contains(GLOB) && !(word.contains(['$', '`']) || has_class(word) || folder.contains(GLOB))
}

/// Returns whether a word has letters in brackets, as in `[ab].sh`.
fn has_class(word: &str) -> bool {
    word.split_once('[').is_some_and(|(_, it)| it.contains(']')) && !word.contains([' ', '('])
}

/// Returns whether a path is the system's own, and not in one of these directories.
fn is_systems(path: &Path, bases: &[&Path]) -> bool {
    let is_in = |folder: &&str| path.starts_with(folder);
    !bases.iter().any(|base| path.starts_with(base)) && SYSTEM.iter().any(is_in)
}

fn is_path(word: &str) -> bool {
    word.contains('/') && !word.contains(char::is_whitespace)
}

/// Returns whether a file looks like a script, and not like data that a hook reads or writes.
fn is_script(path: &Path) -> bool {
    const ENDINGS: &str = " sh bash zsh fish ksh py js mjs cjs ts mts cts rb pl pm php lua awk sed jq \
                           ps1 cmd bat tcl mk go rs ";
    let ending = path.extension().map(|it| format!(" {} ", it.to_string_lossy()));
    ending.is_some_and(|it| ENDINGS.contains(&it))
        || files::is_executable(path)
        || program::first_line(path).is_some()
}

/// Describes a file that a hook runs, or that it would run were it there; `None` for the system's own.
fn run_file(path: PathBuf, bases: &[&Path], session: Option<&Path>) -> Option<RunFile> {
    let name = bases.iter().find_map(|base| path.strip_prefix(base).ok());
    if is_systems(&path, bases) {
        return None;
    }
    let absent = || (!path.exists()).then(|| ABSENT.to_owned());
    let hash = trees::hash_of(&path).or_else(absent)?;
    let name = name.unwrap_or(&path).to_string_lossy().into_owned();
    let in_session = session.and_then(|base| Some(path.strip_prefix(base).ok()?.to_owned()));
    Some(RunFile { name, path, hash, in_session })
}

/// The words of a line, also of the lines that it hands to other shells.
#[derive(Default)]
struct Words {
    all: Vec<String>,
    /// Those that name a program, or the script of an interpreter.
    started: Vec<String>,
    /// Those that name what an interpreter without a script reads as one.
    fed: Vec<String>,
    /// The commands of `find` and `xargs` that start what these find.
    found: Vec<String>,
}

impl Words {
    fn of(line: &str) -> Self {
        let commands = shell::split(line).commands;
        let all = commands.iter().flat_map(|it| &it.words);
        // An interpreter may read its script as its input.
        let inputs =
            commands.iter().flat_map(|it| &it.redirections).filter(|it| it.operator == "<");
        let all = all.chain(inputs.map(|it| &it.target));
        let mut all: Vec<String> = all.map(|word| word.text.to_string()).collect();
        // A shell that is given no script reads what a pipe brings.
        let reads_pipe = |it: &&shell::Command<'_>| match &*it.words {
            [program, options @ ..] => {
                let program = program.text.rsplit('/').next().unwrap_or_default();
                is_interpreter(program)
                    && options.iter().all(|it| it.text.starts_with('-'))
                    && !only_checks(program, options)
            }
            [] => false,
        };
        let readers = || commands.iter().filter(reads_pipe);
        let feeds = readers().flat_map(|it| &commands[it.feed.clone()]);
        let words = feeds.flat_map(|it| &it.words).chain(
            readers()
                .flat_map(|it| &it.redirections)
                .filter(|it| it.operator == "<")
                .map(|it| &it.target),
        );
        let fed: Vec<String> = words.map(|it| it.text.to_string()).collect();
        let mut started: Vec<String> = fed.iter().filter(|it| it.contains(GLOB)).cloned().collect();
        let mut found = Vec::new();
        // So the walk names what `find` or `xargs` finds, also below a directory.
        let is_hit = |it: &str| it == "{}" || it.contains("/{}") && !it.contains([' ', '(']);
        shell::each_invocation(line, &mut |call| {
            let words = call.called.iter().copied().chain(call.arguments);
            all.extend(words.map(|it| it.text.to_string()));
            let script = script_of(call);
            for word in call.called.into_iter().chain(script).map(|it| &*it.text) {
                if is_hit(word) {
                    found.push(call.source.to_owned());
                } else {
                    started.push(word.to_owned());
                }
            }
        });
        Self { all, started, fed, found }
    }

    /// Returns whether the line runs the file that this word names, as far as that can be told.
    fn runs(&self, word: &String, file: &Path) -> bool {
        self.started.contains(word) || self.fed.contains(word) || is_script(file)
    }

    fn of_argv(argv: &[String]) -> Self {
        let lines = argv.iter().map(|word| Self::of(word).all);
        let all = argv.iter().cloned().chain(lines.flatten()).collect();
        let scripts = argv.windows(2).filter(|pair| pair[0] == "-c").map(|pair| pair[1].clone());
        let mut words = Self { all, ..Self::default() };
        for line in scripts.chain([as_line(argv)]).map(|it| Self::of(&it)) {
            words.started.extend(line.started);
            words.fed.extend(line.fed);
            words.found.extend(line.found);
        }
        words
    }
}

fn script_of<'c, 'l>(call: &'c Invocation<'l>) -> Option<&'c Word<'l>> {
    let Invocation { program, arguments, .. } = *call;
    let mut options = arguments.iter().take_while(|it| is_option(it)).map(|it| &*it.text);
    let is_text = if program.ends_with("awk") {
        !options.any(|it| it.starts_with("-f"))
    } else {
        options.any(|it| takes_text(program, it))
    };
    let is_script = is_interpreter(program) && !is_text && !only_checks(program, arguments);
    is_script.then(|| arguments.iter().find(|it| !is_option(it))).flatten()
}

fn is_option(word: &Word<'_>) -> bool {
    word.text.starts_with(['-', '+'])
}

/// Returns whether an interpreter only looks at the syntax of its script. `perl -c` runs some of it.
fn only_checks(program: &str, arguments: &[Word<'_>]) -> bool {
    let flags: &[&str] = match program {
        "node" | "nodejs" => &["--check", "-c"],
        "php" => &["-l"],
        "ruby" => &["-c"],
        _ if is_posix_shell(program) => &["-n"],
        _ => return false,
    };
    arguments.iter().take_while(|it| is_option(it)).any(|it| flags.contains(&&*it.text))
}

/// Returns whether a shell puts this file in the place of a path with stars in its last name.
pub fn is_found(glob: &Path, file: &Path) -> bool {
    let name_of = |path: &Path| Some(path.file_name()?.to_str()?.to_owned());
    let (Some(glob_name), Some(name)) = (name_of(glob), name_of(file)) else { return false };
    let pieces: Vec<&str> = glob_name.split(GLOB).collect();
    let [first, between @ .., last] = &*pieces else { return false };
    let inner = name.strip_prefix(first).and_then(|it| it.strip_suffix(last));
    let after = |rest, piece: &&str| str::split_once(rest, *piece).map(|it| it.1);
    // A star finds no hidden file.
    (first.starts_with('.') || !name.starts_with('.'))
        && glob.parent() == file.parent()
        && inner.and_then(|it| between.iter().try_fold(it, after)).is_some()
}

/// The files that a shell puts in the place of a path with stars in its last name.
pub fn found(glob: &Path) -> BTreeSet<PathBuf> {
    let entries = glob.parent().and_then(|it| folders::entries(it).ok()).unwrap_or_default();
    entries.into_iter().filter(|it| is_found(glob, it) && it.is_file()).collect()
}

/// The SHA-256 of the names of these files.
pub fn names(files: &BTreeSet<PathBuf>) -> String {
    let names = files.iter().map(|it| it.to_string_lossy() + "\n");
    trees::hash(names.collect::<String>().as_bytes())
}

pub fn line(paths: &Paths, hook: &Hook, manifest: &Path) -> String {
    let name = hook.package.as_ref().map_or(&hook.name, |package| &package.name);
    let mut line = format!("{name} events={}", Event::names(&hook.events).join(","));
    if hook.on_error != OnError::Open {
        line.extend([" on_error=", hook.on_error.name()]);
    }
    let off = if hook.enabled { "" } else { OFF };
    line.extend([" definition=", &trees::hash((text(hook) + off).as_bytes())]);
    for file in files(paths, hook, manifest) {
        line.extend([" ", &file.name.replace(' ', "%20"), "=", &file.hash]);
    }
    line
}

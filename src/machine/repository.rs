//! Repositories of others, by the user's own git: what they have, and the files of one commit.
//!
//! A commit is fetched into a bare directory for a while, and its files are read from there as git
//! keeps them. Nothing is checked out, so no hook, filter or submodule of it is heard.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Resource, Rlimit, Signal, getpgid, getrlimit, kill_process_group, setrlimit,
};

use super::signals;
use super::terminal::Terminal;
use super::trees::{self, BadTree, Leaf, MOST_BYTES, MOST_FILES, Tree, Unfinished};

/// The most bytes that a fetch may write, compressed, with the files of a repository around a package.
const MOST_FETCHED: u64 = 4 * MOST_BYTES;

/// The most memory of a git, which keeps all that a server says of its branches and tags.
const MEMORY: u64 = 1024 * 1024 * 1024;

const BEHIND: &str = "100";

/// A git that cannot ask anybody is ended after so long without a byte.
const SILENCE: Duration = Duration::from_secs(120);

/// The most bytes of an answer of git that is read as a whole.
const MOST_SAID: u64 = 16 * 1024 * 1024;

/// The reason why a repository gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    #[error("git cannot be started: {0}")]
    NoGit(io::Error),
    #[error("git could not {0}{colon}{1}", colon = if .1.is_empty() { "" } else { ": " })]
    Git(&'static str, String),
    #[error("it sends more than {} MiB, and was stopped", MOST_FETCHED / 1024 / 1024)]
    TooMuch,
    #[error("its server was silent for {} s, and git was ended", SILENCE.as_secs())]
    Silent,
    #[error(
        "git could not {0}: its list has more than {most} MiB, and was stopped",
        most = MOST_SAID / 1024 / 1024
    )]
    Long(&'static str),
    #[error("it has no directory {0:?}")]
    NoFolder(String),
    #[error(transparent)]
    BadTree(#[from] BadTree),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Its full name, such as `refs/tags/v1`; `HEAD` is one too.
    pub name: String,
    pub commit: String,
}

/// A commit of a repository, with those behind it as far as they were asked for.
pub struct Fetched {
    scratch: Unfinished,
    commit: String,
}

/// A git that asks on a terminal only, and that knows no protocol but these.
fn git(asks: bool) -> Command {
    let mut git = Command::new("git");
    git.args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]);
    git.args(["-c", "fetch.recurseSubmodules=false", "-c", "gc.auto=0"]);
    // As loose objects a few large files would not be seen to grow.
    git.args(["-c", "fetch.unpackLimit=1"]);
    // A connected server that is silent for a minute has hung.
    git.args(["-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=60"]);
    git.env("GIT_ALLOW_PROTOCOL", "https:ssh:file").env("GIT_LFS_SKIP_SMUDGE", "1");
    git.env("LC_ALL", "C");
    if !asks {
        git.env("GIT_TERMINAL_PROMPT", "0").env("GIT_ASKPASS", "true").env("SSH_ASKPASS", "true");
        // So that ssh asks that program, too, and the user's own command for ssh goes on counting.
        git.env("SSH_ASKPASS_REQUIRE", "force").process_group(0);
    }
    // Inside of a hook of git these name the repository that is committed to.
    for name in
        ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"]
    {
        git.env_remove(name);
    }
    git
}

/// The branches and tags of a repository, and the branch that is its `HEAD`.
pub fn references(url: &str, asks: bool) -> Result<(Vec<Reference>, Option<String>), Trouble> {
    let mut command = git(asks);
    // As at a fetch, no repository around this process is asked for its configuration.
    command.args(["--git-dir=/dev/null", "ls-remote", "--symref", "--", url]);
    let text = said("look at the repository", &mut command)?;
    let mut head = None;
    let mut found: Vec<Reference> = Vec::new();
    for line in text.lines() {
        let Some((commit, name)) = line.split_once('\t') else { continue };
        if let Some(branch) = commit.strip_prefix("ref: refs/heads/").filter(|_| name == "HEAD") {
            head = Some(branch.to_owned());
        } else if let Some(tag) = name.strip_suffix("^{}") {
            // What an annotated tag leads to comes behind it.
            found
                .iter_mut()
                .filter(|it| it.name == tag)
                .for_each(|it| commit.clone_into(&mut it.commit));
        } else {
            found.push(Reference { name: name.to_owned(), commit: commit.to_owned() });
        }
    }
    Ok((found, head))
}

impl Fetched {
    /// Fetches a commit into a directory in `store`; with `behind`, some of those before it too.
    pub fn of(
        store: &Path,
        (url, commit): (&str, &str),
        behind: bool,
        asks: bool,
    ) -> Result<Self, Trouble> {
        let scratch = Unfinished::in_store(store).map_err(BadTree::from)?;
        let fetched = Self { scratch, commit: commit.to_owned() };
        let mut init = git(asks);
        init.args(["init", "--quiet", "--bare", "--template="]).arg(fetched.scratch.path("git"));
        said("make a directory", &mut init)?;
        let depth = format!("--depth={}", if behind { BEHIND } else { "1" });
        let fetch = |refs: &str, depth: &str| {
            let mut command = fetched.git(asks);
            command.args([
                "fetch",
                "--quiet",
                "--no-tags",
                "--no-write-fetch-head",
                "--no-auto-gc",
            ]);
            command.args([depth, "--", url, refs]);
            fetched.bounded(&mut command)
        };
        // An old server gives nothing but what a branch or tag leads to.
        fetch(commit, &depth).or_else(|trouble| match trouble {
            Trouble::Git(..) => {
                fetch("+refs/*:refs/all/*", "--depth=2147483647").map_err(|_| trouble)
            }
            trouble => Err(trouble),
        })?;
        Ok(fetched)
    }

    fn git(&self, asks: bool) -> Command {
        let mut git = git(asks);
        git.arg("--git-dir").arg(self.scratch.path("git"));
        git
    }

    /// Runs a fetch, and ends it where it writes too much; one that outlives this process ends itself.
    fn bounded(&self, command: &mut Command) -> Result<(), Trouble> {
        let before = getrlimit(Resource::Fsize);
        let most = before.current.unwrap_or(u64::MAX).min(MOST_FETCHED + MOST_BYTES);
        // Without a limit of the system the one below holds as long as this process runs.
        let _ = setrlimit(Resource::Fsize, Rlimit { current: Some(most), ..before });
        let started = start(command);
        let _ = setrlimit(Resource::Fsize, before);
        let (mut child, words) = started?;
        let objects = self.scratch.path("git/objects/pack");
        let group = own_group(&child);
        let (mut last, mut is_silent) = ((0, Instant::now()), false);
        let status = loop {
            let now = size(&objects);
            if now != last.0 || group.is_none() {
                last = (now, Instant::now());
            }
            match child.try_wait() {
                Ok(Some(status)) => break Ok(status),
                Ok(None) if now > MOST_FETCHED => {
                    let _ = child.kill();
                    let _ = child.wait();
                    end_group(group);
                    return Err(Trouble::TooMuch);
                }
                Ok(None) if last.1.elapsed() > SILENCE => {
                    end_group(group);
                    is_silent = true;
                    break child.wait();
                }
                Ok(None) => thread::sleep(Duration::from_millis(20)),
                Err(error) => break Err(error),
            }
            Terminal::progress(|| format!("{} MiB", size(&objects) / 1024 / 1024));
        };
        Terminal::progress_ends();
        end_group(group);
        let ended = finished("fetch it", status, words);
        if is_silent { Err(Trouble::Silent) } else { ended }
    }

    /// The files of a folder of the commit; of its root where `folder` is empty.
    pub fn tree(&self, folder: &str) -> Result<Tree, Trouble> {
        let mut command = self.git(false);
        let at = format!("{}:{folder}", self.commit);
        command.args(["ls-tree", "-r", "-l", "-z", "--full-tree", "--end-of-options", &at]);
        let listed = said("list the files", &mut command).map_err(|trouble| match trouble {
            Trouble::Git(..) if !folder.is_empty() => Trouble::NoFolder(folder.to_owned()),
            trouble => trouble,
        })?;
        let mut entries = Vec::new();
        let mut size = 0_u64;
        for line in listed.split('\0').filter(|line| !line.is_empty()) {
            let Some(entry) = Listed::of(line) else { continue };
            trees::check_path(&entry.path)?;
            size += entry.size;
            if size > MOST_BYTES {
                return Err(BadTree::TooLarge.into());
            }
            entries.push(entry);
            if entries.len() > MOST_FILES {
                return Err(BadTree::TooManyFiles.into());
            }
        }
        trees::check_case(entries.iter().map(|entry| &*entry.path))?;
        self.contents(entries)
    }

    fn contents(&self, entries: Vec<Listed>) -> Result<Tree, Trouble> {
        let mut command = self.git(false);
        command.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let (mut child, words) = start(&mut command)?;
        let lost = |error: io::Error| Trouble::Git("read the files", error.to_string());
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Trouble::Git("read the files", String::new()));
        };
        let mut output = BufReader::new(output);
        let mut tree = Tree::new();
        let mut links = Vec::new();
        for Listed { path, size, mode, object } in entries {
            writeln!(input, "{object}").and_then(|()| input.flush()).map_err(lost)?;
            let mut head = String::new();
            output.read_line(&mut head).map_err(lost)?;
            let length = usize::try_from(size).unwrap_or(usize::MAX);
            if head.trim_end() != format!("{object} blob {size}") {
                return Err(Trouble::Git("read the files", head.trim_end().to_owned()));
            }
            let mut bytes = vec![0; length + 1];
            output.read_exact(&mut bytes).map_err(lost)?;
            bytes.truncate(length);
            if mode == LINK {
                links.push((path, String::from_utf8_lossy(&bytes).into_owned()));
            } else {
                tree.insert(path, Leaf { bytes, executable: mode == PROGRAM });
            }
        }
        drop(input);
        finished("read the files", child.wait(), words)?;
        followed(tree, links)
    }

    /// The commits behind this one down to another, each in a line; `None` where that is not among them.
    pub fn log(&self, since: &str) -> Option<Vec<String>> {
        let mut command = self.git(false);
        command.args(["log", "--no-color", "--format=%H %h %s", "--end-of-options", &self.commit]);
        let text = said("list the commits", &mut command).ok()?;
        let line = |line: &str| line.split_once(' ').map(|(_, rest)| rest.to_owned());
        let is_new = |line: &&str| !line.starts_with(since);
        let new: Vec<String> = text.lines().take_while(is_new).filter_map(line).collect();
        (new.len() < text.lines().count()).then_some(new)
    }
}

const LINK: &str = "120000";
const PROGRAM: &str = "100755";

struct Listed {
    path: String,
    size: u64,
    mode: String,
    object: String,
}

impl Listed {
    /// Reads a line; `None` for a submodule, which is passed over.
    fn of(line: &str) -> Option<Self> {
        let (facts, path) = line.split_once('\t')?;
        let mut facts = facts.split_ascii_whitespace();
        let (mode, kind, object) = (facts.next()?, facts.next()?, facts.next()?);
        let size = facts.next()?.parse().ok()?;
        (kind == "blob").then(|| Self {
            path: path.to_owned(),
            size,
            mode: mode.to_owned(),
            object: object.to_owned(),
        })
    }
}

/// A tree in which each link is the file that it leads to; links to directories are left out.
fn followed(mut tree: Tree, links: Vec<(String, String)>) -> Result<Tree, Trouble> {
    for (path, target) in links {
        let bad = || BadTree::Link(path.clone(), target.clone());
        let to = trees::led_to(&path, &target).ok_or_else(bad)?;
        if let Some(leaf) = tree.get(&to).cloned() {
            tree.insert(path, leaf);
        } else if !tree.keys().any(|it| it.strip_prefix(&to).is_some_and(|it| it.starts_with('/')))
        {
            return Err(bad().into());
        }
    }
    Ok(tree)
}

fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some(entry.metadata().ok()?.len())).sum()
}

/// The last lines that a git says on standard error, read while it runs.
type Words = thread::JoinHandle<String>;

fn start(command: &mut Command) -> Result<(Child, Words), Trouble> {
    command.stderr(Stdio::piped());
    let before = getrlimit(Resource::Data);
    let most = before.current.unwrap_or(u64::MAX).min(MEMORY);
    let _ = setrlimit(Resource::Data, Rlimit { current: Some(most), ..before });
    let started = command.spawn();
    let _ = setrlimit(Resource::Data, before);
    let mut child = started.map_err(Trouble::NoGit)?;
    let process = child.id().cast_signed();
    // One that asks has to stay in the terminal's own group.
    signals::ends_with_this(if own_group(&child).is_some() { -process } else { process });
    let errors = child.stderr.take();
    let words = thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(errors) = errors {
            // What was read before an error is still worth telling.
            let _ = errors.take(64 * 1024).read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    });
    Ok((child, words))
}

fn finished(
    what: &'static str,
    status: io::Result<ExitStatus>,
    words: Words,
) -> Result<(), Trouble> {
    let words = words.join().unwrap_or_default();
    signals::ends_with_this(0);
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => {
            let is_telling = |line: &&str| line.starts_with("fatal:") || line.starts_with("error:");
            let line = words.lines().find(is_telling).or_else(|| words.lines().next());
            let line = line.unwrap_or_default();
            if line.starts_with("fatal: Out of memory") {
                return Err(Trouble::TooMuch);
            }
            // The reason of ssh comes before git's word that it could not read.
            let ssh = |line: &&str| {
                line.contains("Permission denied") || line.starts_with("Host key verification")
            };
            let reason = words.lines().rfind(ssh).map(|it| format!("{} ", it.trim_end()));
            let line = line.trim_start_matches("fatal: ").trim_start_matches("error: ");
            Err(Trouble::Git(what, reason.unwrap_or_default() + line))
        }
        Err(error) => Err(Trouble::Git(what, error.to_string())),
    }
}

/// Returns the process group that a child leads, as one that asks nobody does.
fn own_group(child: &Child) -> Option<Pid> {
    let process = Pid::from_child(child);
    Some(process).filter(|it| getpgid(Some(*it)).is_ok_and(|group| group == *it))
}

/// Ends what is left of a git's group: an ssh that outlives its git would keep its words open.
fn end_group(group: Option<Pid>) {
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Runs a git to its end; gives its standard output.
fn said(what: &'static str, command: &mut Command) -> Result<String, Trouble> {
    said_within(SILENCE, what, command)
}

fn said_within(
    limit: Duration,
    what: &'static str,
    command: &mut Command,
) -> Result<String, Trouble> {
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let (mut child, words) = start(command)?;
    let (ended, end) = mpsc::channel::<()>();
    let group = own_group(&child);
    // These say nothing before they have all.
    let watch = thread::spawn(move || {
        let is_late = end.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
        group.is_some_and(|it| is_late && kill_process_group(it, Signal::KILL).is_ok())
    });
    let mut bytes = Vec::new();
    if let Some(output) = child.stdout.take() {
        let read = output.take(MOST_SAID).read_to_end(&mut bytes);
        if read.is_err() || bytes.len() as u64 == MOST_SAID {
            let _ = child.kill();
        }
    }
    let status = child.wait();
    drop(ended);
    end_group(group);
    let finished = finished(what, status, words);
    if watch.join().unwrap_or_default() {
        return Err(Trouble::Silent);
    }
    if bytes.len() as u64 == MOST_SAID {
        return Err(Trouble::Long(what));
    }
    finished?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) => {
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let line = text.split('\0').find(|it| it.contains('\u{fffd}')).unwrap_or_default();
            let path = line.rsplit('\t').next().unwrap_or_default();
            Err(BadTree::Path(path.to_owned(), "is no UTF-8").into())
        }
    }
}

pub fn is_address(url: &str) -> bool {
    !url.is_empty()
        && !url.starts_with('-')
        && !url.contains(char::is_control)
        && OsStr::new(url).len() < 4096
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_git_is_ended_where_nobody_can_be_asked() {
        let mut silent = Command::new("sh");
        silent.args(["-c", "sleep 60 & wait"]).process_group(0);
        let began = Instant::now();
        let found = said_within(Duration::from_millis(50), "wait", &mut silent);
        assert!(matches!(found, Err(Trouble::Silent)), "{found:?}");
        assert!(began.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn what_outlives_a_git_is_ended_with_it() {
        let mut git = Command::new("sh");
        git.args(["-c", "sleep 3600 >/dev/null & echo done"]).process_group(0);
        let found = said_within(SILENCE, "wait", &mut git);
        assert!(matches!(&found, Ok(said) if said == "done\n"), "{found:?}");
    }
}

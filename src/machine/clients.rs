//! The sessions of the client that are running.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::environment;

/// Returns whether a client with the configuration directory `config` runs under this user. By `/proc` and
/// the process's own `CLAUDE_CONFIG_DIR` and `HOME`; elsewhere `ps` tells of any client.
pub fn are_running(config: &Path) -> bool {
    running(config).map_or_else(in_ps, |running| !running.is_empty())
}

/// The clients of this user that use the directory `config`; `None` where there is no `/proc`.
pub fn running(config: &Path) -> Option<Vec<u32>> {
    let processes = std::fs::read_dir("/proc").ok().filter(|_| HAS_PROC)?;
    let number = |name: OsString| name.to_str().and_then(|name| name.parse().ok());
    let numbers = processes.flatten().filter_map(|process| number(process.file_name()));
    Some(numbers.filter(|process| is_client(*process, config)).collect())
}

const HAS_PROC: bool = cfg!(target_os = "linux");

pub fn directory(process: u32) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{process}/cwd")).ok()
}

fn in_ps() -> bool {
    std::process::Command::new("ps")
        .args(["-xo", "comm="])
        .output()
        .is_ok_and(|output| output.stdout.split(|byte| *byte == b'\n').any(is_named_claude))
}

/// The process of the client that calls this one, or what else its parent is.
pub fn caller() -> u32 {
    // The client says so since 2.1.214; a shell between it and this process hides it otherwise.
    if let Some(process) = environment::text("CLAUDE_PID").and_then(|text| text.parse().ok()) {
        return process;
    }
    rustix::process::getppid()
        .and_then(|parent| u32::try_from(parent.as_raw_pid()).ok())
        .unwrap_or(0)
}

/// Returns whether the client gave this process a hook's variables, `project` and its own.
pub fn gave_environment(project: &str) -> bool {
    environment::raw(project).is_some() && environment::raw("CLAUDECODE").is_some()
}

/// Returns whether a process is a client with this directory; without `/proc`, any process of the number.
pub fn is_client(process: u32, config: &Path) -> bool {
    if !HAS_PROC {
        let process = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
        return process.is_some_and(|it| rustix::process::test_kill_process(it).is_ok());
    }
    is_any_client(process)
        && uses(&std::fs::read(format!("/proc/{process}/environ")).unwrap_or_default(), config)
}

/// The state directory of the hooks that a process calls, by the environment that it was started with.
pub fn state(process: u32) -> Option<PathBuf> {
    let environment = std::fs::read(format!("/proc/{process}/environ")).ok()?;
    let [mut own, mut systems, mut home] = [None; 3];
    for word in environment.split(|byte| *byte == 0) {
        match word {
            [b'H', b'O', b'M', b'E', b'=', value @ ..] => home = Some(value),
            [b'H', ..] => own = own.or(word.strip_prefix(b"HOOKMAN_STATE_DIR=")),
            [b'X', ..] => systems = systems.or(word.strip_prefix(b"XDG_STATE_HOME=")),
            _ => {}
        }
    }
    let path =
        |value: Option<&[u8]>| value.filter(|it| !it.is_empty()).map(|it| as_path(it).to_owned());
    let of_system = || Some(path(systems).filter(|it| it.is_absolute())?.join("hookman"));
    path(own).or_else(of_system).or_else(|| Some(path(home)?.join(".local/state/hookman")))
}

/// Returns whether a process is a client, whatever directory it uses; no without `/proc`.
pub fn is_any_client(process: u32) -> bool {
    let folder = Path::new("/proc").join(process.to_string());
    let words = beginning(&folder.join("cmdline"));
    // What has no words is a part of the system, as most processes are.
    !words.is_empty()
        && looks_like_client(&beginning(&folder.join("comm")), &words)
        && std::fs::read_link(folder.join("exe"))
            .map_or(true, |program| runs_client(&program, &words))
}

/// Returns whether names and words of processes above this one can be read; a sandbox hides them.
pub fn are_legible(processes: &[u32]) -> bool {
    let is_legible = |process: &u32| {
        let folder = Path::new("/proc").join(process.to_string());
        ["comm", "cmdline"].iter().all(|name| !beginning(&folder.join(name)).is_empty())
    };
    processes.iter().all(is_legible)
}

/// The first bytes of a file in `/proc`, read at once, as those files have no size.
fn beginning(path: &Path) -> Vec<u8> {
    let mut bytes = vec![0; 4096];
    let read = File::open(path).and_then(|mut file| file.read(&mut bytes)).unwrap_or_default();
    bytes.truncate(read);
    bytes
}

/// The words that a process was started with; none where there is no `/proc`.
pub fn words(process: u32) -> Vec<String> {
    let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    line.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// Returns whether a client itself, run by no other, started this process and speaks on its standard input.
/// A hook's input is a socket that the client made, and a tool's is not (2.1.197 and 2.1.329). Without
/// `/proc` the answer is yes.
pub fn is_called_by_client(config: &Path) -> bool {
    if !HAS_PROC {
        return true;
    }
    let above = ancestors();
    let Some((parent, rest)) = above.processes.split_first() else { return false };
    above.are_all
        && is_client(*parent, config)
        && is_input_of(*parent)
        && !rest.iter().any(|process| is_any_client(*process))
}

#[cfg(target_os = "linux")]
fn is_input_of(process: u32) -> bool {
    rustix::net::sockopt::socket_peercred(rustix::stdio::stdin())
        .is_ok_and(|maker| u32::try_from(maker.pid.as_raw_pid()) == Ok(process))
}

#[cfg(not(target_os = "linux"))]
fn is_input_of(_: u32) -> bool {
    true
}

pub struct Ancestors {
    /// Their numbers, nearest first; none where there is no `/proc`.
    pub processes: Vec<u32>,
    /// True if the walk came to the first process: `false` where one on the way could not be read.
    pub are_all: bool,
}

pub fn ancestors() -> Ancestors {
    ancestors_by(std::process::id(), parent_of)
}

fn ancestors_by(mut process: u32, parent_of: impl Fn(u32) -> Option<u32>) -> Ancestors {
    let mut processes = Vec::new();
    loop {
        match parent_of(process) {
            None => return Ancestors { processes, are_all: !HAS_PROC },
            Some(0) => return Ancestors { processes, are_all: true },
            // In a container the client can be the first process, which has none above it.
            Some(1) => {
                processes.push(1);
                return Ancestors { processes, are_all: true };
            }
            // A process number that was reused during this walk would make a circle.
            Some(parent) if processes.contains(&parent) => {
                return Ancestors { processes, are_all: false };
            }
            Some(parent) => {
                processes.push(parent);
                process = parent;
            }
        }
    }
}

fn parent_of(process: u32) -> Option<u32> {
    parent_in(&std::fs::read(format!("/proc/{process}/stat")).ok()?)
}

/// The time at which a process began, in the kernel's count; `None` where there is no `/proc`.
pub fn started(process: u32) -> Option<String> {
    field(&std::fs::read(format!("/proc/{process}/stat")).ok()?, 19).map(str::to_owned)
}

/// The parent in a `/proc/PID/stat`, behind the program's name in brackets, which may hold any bytes.
fn parent_in(stat: &[u8]) -> Option<u32> {
    field(stat, 1)?.parse().ok()
}

/// A field of a `/proc/PID/stat`, counted from behind the program's name.
fn field(stat: &[u8], place: usize) -> Option<&str> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let fields = std::str::from_utf8(&stat[end + 1..]).ok()?;
    fields.split_whitespace().nth(place)
}

/// Returns whether a process is a client: the native program, or a script or bundle under an interpreter.
fn looks_like_client(comm: &[u8], cmdline: &[u8]) -> bool {
    let mut words = cmdline.split(|byte| *byte == 0);
    let (program, script) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    is_named_claude(comm)
        || is_named_claude(program)
        || script.ends_with(b"claude-code/cli.js")
        || (script.contains(&b'/') && is_named_claude(script))
}

/// Returns whether the program of a process can be a client, and no shell under its name.
fn runs_client(program: &Path, words: &[u8]) -> bool {
    let name = program.file_name().unwrap_or_default().as_encoded_bytes();
    // What was replaced by an update still runs.
    let name = name.strip_suffix(b" (deleted)").unwrap_or(name);
    // The native client is `claude`, or a file named after its version in a folder of that name.
    let is_native = |name: &[u8]| name.starts_with(b"claude");
    if is_native(name) || program.iter().any(|part| is_native(part.as_encoded_bytes())) {
        return true;
    }
    let script = words.split(|byte| *byte == 0).nth(1).unwrap_or_default();
    // An npm installation may start the native program from a script that is called the same.
    let script = as_path(script).canonicalize().unwrap_or_else(|_| as_path(script).to_owned());
    let script = script.file_name().unwrap_or_default().to_string_lossy();
    let is_wrapper = script.contains("wrapper");
    matches!(name, b"node" | b"nodejs" | b"bun" | b"deno") && !is_wrapper
}

fn is_named_claude(program: &[u8]) -> bool {
    program.trim_ascii_end().rsplit(|byte| *byte == b'/').next() == Some(b"claude")
}

/// Returns whether a process with this environment keeps its settings in `config`.
fn uses(environ: &[u8], config: &Path) -> bool {
    let variable = |name: &[u8]| {
        let mut found = environ.split(|byte| *byte == 0);
        let value = found.find_map(|entry| entry.strip_prefix(name)?.strip_prefix(b"="));
        value.filter(|value| !value.is_empty()).map(as_path)
    };
    let its_own = match (variable(b"CLAUDE_CONFIG_DIR"), variable(b"HOME")) {
        (Some(config), _) => config.to_owned(),
        (None, Some(home)) => home.join(".claude"),
        (None, None) => return false,
    };
    its_own == config
        || its_own.canonicalize().is_ok_and(|own| config.canonicalize().is_ok_and(|it| it == own))
}

fn as_path(bytes: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt;
    Path::new(OsStr::from_bytes(bytes))
}

/// Returns whether this process is in a user namespace of its own, as in rootless containers, where whoever
/// made it may have hidden callers or put other files in `/proc`.
pub fn is_walled_off() -> bool {
    HAS_PROC && !is_in_first_namespace()
}

#[cfg(target_os = "linux")]
fn is_in_first_namespace() -> bool {
    use std::os::unix::fs::MetadataExt;
    /// `PROC_USER_INIT_INO` in the kernel's `proc_ns.h`.
    const FIRST: u64 = 0xEFFF_FFFD;
    // `PROC_SUPER_MAGIC` in its `magic.h`; the type of the number is not the same on every machine.
    let is_proc = |file: &str| rustix::fs::statfs(file).is_ok_and(|it| it.f_type == 0x9fa0);
    let namespace = std::fs::metadata("/proc/self/ns/user");
    is_proc("/proc/self/ns") && namespace.is_ok_and(|it| it.ino() == FIRST)
}

#[cfg(not(target_os = "linux"))]
fn is_in_first_namespace() -> bool {
    true
}

/// Returns whether a debugger or tracer holds this process, which can answer in the kernel's place.
pub(super) fn is_traced() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"));
    HAS_PROC && tracer.is_none_or(|tracer| tracer.trim() != "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_told_by_its_name() {
        for (comm, cmdline, client) in [
            ("claude\n", "claude\0--resume\0", true),
            ("2.1.329\n", "/home/u/.local/bin/claude\0", true),
            ("node\n", "node\0/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js\0", true),
            ("node\n", "/usr/bin/node\0/usr/local/bin/claude\0", true),
            ("grep\n", "grep\0claude\0", false),
            ("claude-hooks\n", "claude-hooks\0", false),
            ("bash\n", "bash\0-c\0claude\0", false),
            ("", "", false),
        ] {
            assert_eq!(
                looks_like_client(comm.as_bytes(), cmdline.as_bytes()),
                client,
                "{cmdline:?}"
            );
        }
    }

    #[test]
    fn the_walk_up_ends_with_the_first_process() {
        let walk = |parents: [(u32, u32); 2]| {
            let parent = |it| parents.iter().find(|(child, _)| *child == it).map(|(_, it)| *it);
            let Ancestors { processes, are_all } = ancestors_by(9, parent);
            (processes, are_all)
        };
        assert_eq!(walk([(9, 5), (5, 1)]), (vec![5, 1], true), "the client as the first process");
        assert_eq!(walk([(9, 5), (5, 0)]), (vec![5], true), "a namespace's own first process");
        assert_eq!(walk([(9, 5), (5, 5)]), (vec![5], false), "a number that was used again");
        assert_eq!(walk([(9, 5), (8, 1)]), (vec![5], !HAS_PROC), "one that cannot be read");
    }

    #[test]
    fn a_shell_that_calls_itself_a_client_is_none() {
        for (program, script, client) in [
            ("/home/u/.local/bin/claude", "--resume", true),
            ("/home/u/.local/share/claude/versions/2.1.329 (deleted)", "", true),
            ("/usr/bin/node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js", true),
            ("/usr/bin/node", "/lib/claude-code/cli-wrapper.cjs", false),
            ("/usr/bin/node", "/home/u/my-wrapper/claude-code/cli.js", true),
            ("/usr/bin/bash", "-c", false),
            ("/usr/bin/dash", "/home/u/bin/claude", false),
            ("/usr/bin/python3.12", "claude", false),
        ] {
            let words = format!("claude\0{script}\0");
            let found = runs_client(Path::new(program), words.as_bytes());
            assert_eq!(found, client, "{program} {script}");
        }
    }

    #[test]
    fn a_parent_is_found_behind_any_name() {
        for (stat, parent) in [
            (&b"7 (bash) S 6 7 7 0"[..], Some(6)),
            (b"7 (a) S 1 (b) S 6 7 7 0", Some(6)),
            (b"7 (\xff\xfe) R 6 7", Some(6)),
            (b"7 (cut", None),
        ] {
            assert_eq!(parent_in(stat), parent, "{}", String::from_utf8_lossy(stat));
        }
    }

    #[test]
    fn a_client_of_another_directory_is_none_of_ours() {
        let config = Path::new("/h/.claude");
        assert!(uses(b"A=1\0HOME=/h\0", config));
        assert!(uses(b"HOME=/x\0CLAUDE_CONFIG_DIR=/h/.claude\0", config));
        assert!(uses(b"HOME=/h\0CLAUDE_CONFIG_DIR=\0", config));
        assert!(!uses(b"HOME=/h\0CLAUDE_CONFIG_DIR=/y\0", config));
        assert!(!uses(b"HOME=/x\0", config));
        assert!(!uses(b"XHOME=/h\0", config));
    }
}

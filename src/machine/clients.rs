//! Which sessions of the client are running.

use std::ffi::OsStr;
use std::path::Path;

use super::environment;

/// Whether a client that uses the configuration directory `config` is running under this user.
///
/// On Linux `/proc` tells, with the process's own `CLAUDE_CONFIG_DIR` and `HOME`; elsewhere `ps`
/// names the programs, and any client counts. What cannot be found out is a no.
pub fn are_running(config: &Path) -> bool {
    if cfg!(target_os = "linux") { in_proc(config) } else { in_ps() }
}

fn in_proc(config: &Path) -> bool {
    processes().any(|process| is_client(process, config))
}

/// The clients that use the configuration directory `config` and run under this user; `None` where
/// there is no `/proc`.
pub fn running(config: &Path) -> Option<Vec<u32>> {
    cfg!(target_os = "linux")
        .then(|| processes().filter(|process| is_client(*process, config)).collect())
}

fn processes() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
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

/// Whether a process is a client that uses the configuration directory `config`.
///
/// Where there is no `/proc`, any process of that number counts.
pub fn is_client(process: u32, config: &Path) -> bool {
    if !cfg!(target_os = "linux") {
        let process = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
        return process.is_some_and(|it| rustix::process::test_kill_process(it).is_ok());
    }
    let read = |name: &str| std::fs::read(format!("/proc/{process}/{name}")).unwrap_or_default();
    looks_like_client(&read("comm"), &read("cmdline")) && uses(&read("environ"), config)
}

/// The words that a process was started with; none where there is no `/proc`.
pub fn words(process: u32) -> Vec<String> {
    let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    line.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// Whether this process was started by a client itself, and not by a tool that the client runs.
///
/// Where there is no `/proc` that cannot be told, and the answer is yes.
pub fn is_called_by_client(config: &Path) -> bool {
    !cfg!(target_os = "linux")
        || rustix::process::getppid()
            .and_then(|parent| u32::try_from(parent.as_raw_pid()).ok())
            .is_some_and(|parent| is_client(parent, config))
}

/// The processes above this one, nearest first; none where there is no `/proc`.
pub fn ancestors() -> Vec<u32> {
    let mut found = Vec::new();
    let mut process = std::process::id();
    while let Some(parent) = parent_of(process).filter(|parent| *parent > 1 && found.len() < 64) {
        found.push(parent);
        process = parent;
    }
    found
}

fn parent_of(process: u32) -> Option<u32> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name before it may hold blanks and brackets of its own.
    text.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// Whether a process is a client: the native program, or a script or bundle under an interpreter.
fn looks_like_client(comm: &[u8], cmdline: &[u8]) -> bool {
    let mut words = cmdline.split(|byte| *byte == 0);
    let (program, script) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    is_named_claude(comm)
        || is_named_claude(program)
        || script.ends_with(b"claude-code/cli.js")
        || (script.contains(&b'/') && is_named_claude(script))
}

fn is_named_claude(program: &[u8]) -> bool {
    program.trim_ascii_end().rsplit(|byte| *byte == b'/').next() == Some(b"claude")
}

/// Whether a process with this environment keeps its settings in `config`.
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

//! Tables on a terminal, which `script` of util-linux lends: they fit 80 columns.

#![cfg(test)]

use std::{
    fs,
    io::Write as _,
    os::unix::fs::symlink,
    path::Path,
    process::{Command, Stdio},
};

use tempfile::TempDir;

const SESSION: &str = "77850d98-4378-4282-9d8f-d2b7113deb20";

/// The reports that have tables, each of the home that [`home`] makes.
const REPORTS: &[&str] = &[
    "adopt",
    "backups",
    "backups -v",
    "careful --help",
    "doctor --list",
    "events",
    "events PreToolUse",
    "events WorktreeCreate",
    "help",
    "list",
    "list --available",
    "list --recipes",
    "list --resolved",
    "log",
    "log -v",
    "profile",
    "release",
    "sessions",
    "show destructive-guard",
    "show format",
    "show protect",
    "state show",
    "status",
    "status -v",
    "why",
    "why --help",
];

const MANIFEST: &str = r#"
[profiles.quiet]
disable = ["notify-attention", "notify-tool-complete", "format", "protect"]

[[hook]]
builtin = "destructive-guard"

[[hook]]
builtin = "notify-attention"

[[hook]]
builtin = "notify-tool-complete"

[[hook]]
builtin = "protect"

[[hook]]
name     = "format"
event    = "PostToolUse"
matcher  = "Edit|Write|NotebookEdit"
if       = "Edit(src/**/*.py)"
when     = { branch = ["main", "release/*"], agent_not = ["Explore", "Plan"] }
argv     = ["cat"]
on_error = "closed"
"#;

fn hookman(home: &Path) -> Command {
    let mut hookman = Command::new(home.join(".local/bin/hookman"));
    hookman
        .current_dir(home)
        .env_clear()
        .env("CLAUDE_CODE_SESSION_ID", SESSION)
        .env("HOME", home)
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    hookman
}

/// A home in which a client has worked, with hooks of others and with much that is switched off.
fn home() -> TempDir {
    let home = TempDir::with_prefix("tables-").unwrap();
    let bin = home.path().join(".local/bin");
    fs::create_dir_all(&bin).unwrap();
    symlink(env!("CARGO_BIN_EXE_hookman"), bin.join("hookman")).unwrap();
    let write = |name: &str, text: &str| {
        fs::create_dir_all(home.path().join(".claude")).unwrap();
        fs::write(home.path().join(".claude").join(name), text).unwrap();
    };
    write("hookman.toml", MANIFEST);
    let others = ["/usr/local/bin/check-commit-message --strict --format conventional", "/opt/x"];
    let others = others.map(|line| format!(r#"{{"type":"command","command":"{line}"}}"#));
    write(
        "settings.json",
        &format!(
            r#"{{"hooks":{{"PreToolUse":[{{"matcher":"Bash|PowerShell","hooks":[{}]}}]}}}}"#,
            others.join(",")
        ),
    );
    for call in [
        "install --yes",
        "adopt x --yes",
        "state set phase the-second-phase",
        "state set note the=tests=of=the=parser=fail=and=the=lexer=is=to=be=read=again=first",
        "profile quiet --for 2h",
        "disable destructive-guard --agent Explore --for 1d",
    ] {
        let words = call.split(' ').map(|word| word.replace('=', " "));
        let mut command = hookman(home.path());
        if call.starts_with("adopt") {
            command.env_remove("CLAUDE_CODE_SESSION_ID");
        }
        let done = command.args(words).output().unwrap();
        assert!(done.status.success(), "{call}: {}", String::from_utf8_lossy(&done.stderr));
    }
    for (event, tool, input) in [
        ("PreToolUse", "Bash", r#"{"command":"git push --force origin main"}"#),
        ("PostToolUse", "mcp__github__create_issue", r#"{"title":"a"}"#),
        ("PostToolUse", "NotebookEdit", r#"{"file_path":"/src/a.py"}"#),
        ("PreToolUse", "Bash", r#"{"command":"git reset --hard origin/main"}"#),
    ] {
        let payload = format!(
            r#"{{"session_id":"{SESSION}","transcript_path":"/t","cwd":"/","hook_event_name":"{event}","tool_name":"{tool}","tool_input":{input}}}"#
        );
        let mut child =
            hookman(home.path()).args(["run", event]).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success(), "{event}");
    }
    home
}

/// What a command shows on a terminal.
fn shown(home: &Path, report: &str) -> String {
    let script = Command::new("script")
        .args(["-q", "-c", &format!("hookman {report}"), "/dev/null"])
        .current_dir(home)
        .env_clear()
        // On such a terminal nothing is asked that a list would ask.
        .envs([("TERM", "dumb"), ("LANG", "C.UTF-8")])
        .env("CLAUDE_CODE_SESSION_ID", SESSION)
        .env("HOME", home)
        .env("PATH", format!("{}/.local/bin:/usr/bin:/bin", home.display()))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    String::from_utf8(script.stdout).unwrap().replace("\r\n", "\n")
}

#[test]
fn tables_fit_80_columns() {
    let version = Command::new("script").arg("--version").output();
    let can_lend =
        version.is_ok_and(|it| String::from_utf8_lossy(&it.stdout).contains("util-linux"));
    if !can_lend {
        return;
    }
    let home = home();
    let mut wide = String::new();
    for report in REPORTS {
        let text = shown(home.path(), report);
        assert!(!text.trim().is_empty(), "`hookman {report}` shows nothing");
        // A word is never cut, such as a path, and options are shown as JSON.
        let is_wide = |line: &&str| {
            let content = line.trim_start();
            line.chars().count() > 80 && content.contains(' ') && !content.starts_with('"')
        };
        for line in text.lines().filter(is_wide) {
            wide.extend([report, ": ", line, "\n"]);
        }
    }
    assert!(wide.is_empty(), "{wide}");
}

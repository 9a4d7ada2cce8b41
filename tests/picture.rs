//! The picture in the README, `docs/terminal.svg`: a real session on a terminal, drawn with its colours.
//! `scripts/picture` draws it again.

#![cfg(test)]

use std::{
    fmt::Write as _,
    fs,
    io::Write as _,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    process::{Command, Stdio},
};

use regress::Regex;
use similar::TextDiff;
use tempfile::TempDir;

use crate::expected;

const SESSION: &str = "77850d98-4378-4282-9d8f-d2b7113deb20";

/// What is typed.
const TYPED: &[&str] = &[
    "hookman add format --event PostToolUse --matcher 'Edit|Write' --yes -- ruff format {file}",
    "hookman list",
    "hookman disable format --for 30m",
    "hookman status",
    "hookman log -n 3",
];

/// Pixels.
const LINE: usize = 19;
const COLUMN: f64 = 8.43;
const MARGIN: usize = 16;

/// A home in which a client has worked for a while.
fn home() -> TempDir {
    let home = TempDir::new().unwrap();
    let bin = home.path().join(".local/bin");
    fs::create_dir_all(&bin).unwrap();
    symlink(env!("CARGO_BIN_EXE_hookman"), bin.join("hookman")).unwrap();
    fs::write(bin.join("ruff"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(bin.join("ruff"), fs::Permissions::from_mode(0o755)).unwrap();
    let run = |line: &str, input: &str| {
        let mut child = shell(home.path(), line).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success(), "{line}");
    };
    run("hookman install one-strike --yes >/dev/null", "");
    run("hookman add lint -e PostToolUse -m 'Edit|Write' --yes -- ruff check >/dev/null", "");
    for (event, tool, input) in [
        ("PreToolUse", "Bash", r#"{"command":"rm -rf build"}"#),
        ("PreToolUse", "Bash", r#"{"command":"ls"}"#),
        ("PostToolUse", "Edit", r#"{"file_path":"a.py"}"#),
    ] {
        let payload = format!(
            r#"{{"session_id":"{SESSION}","transcript_path":"/t","cwd":"/","hook_event_name":"{event}","tool_name":"{tool}","tool_input":{input}}}"#
        );
        run(&format!("hookman run {event} >/dev/null"), &payload);
    }
    // The times of a debug build on a busy machine would show, and break rows at other words. These are a
    // release's, as `benches/start` measures them.
    let journal = home.path().join(".local/state/hookman/journal.jsonl");
    let written = fs::read_to_string(&journal).unwrap();
    let times = Regex::new(r#""us":\d+"#).unwrap();
    fs::write(journal, times.replace_all(&written, r#""us":300"#)).unwrap();
    home
}

fn shell(home: &Path, line: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", line])
        .current_dir(home)
        .env_clear()
        .envs([("TERM", "xterm-256color"), ("LANG", "C.UTF-8"), ("TZ", "UTC")])
        .env("CLAUDE_CODE_SESSION_ID", SESSION)
        .env("HOME", home)
        .env("PATH", format!("{}/.local/bin:/usr/bin:/bin", home.display()));
    shell
}

/// What a command shows on a terminal; nothing where none can be lent.
fn shown(home: &Path, line: &str) -> Option<String> {
    let version = Command::new("script").arg("--version").output().ok()?;
    if !String::from_utf8_lossy(&version.stdout).contains("util-linux") {
        return None;
    }
    let output = shell(home, "exec script -q -e -c \"$LINE\" /dev/null")
        .env("LINE", line)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Some(String::from_utf8(output.stdout).unwrap().replace('\r', ""))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn class(code: &str) -> &'static str {
    match code {
        "1" => "b",
        "2" => "d",
        "31" => "r",
        "32" => "g",
        "33" => "y",
        "35" => "m",
        "36" => "c",
        _ => "",
    }
}

/// One line with its colours.
fn drawn(line: &str) -> String {
    let mut drawn = String::new();
    let mut parts = line.split("\u{1b}[");
    drawn.push_str(&escaped(parts.next().unwrap_or_default()));
    for part in parts {
        let (code, text) = part.split_once('m').unwrap_or(("0", part));
        match class(code) {
            _ if text.is_empty() => {}
            "" => drawn.push_str(&escaped(text)),
            class => write!(drawn, "<tspan class=\"{class}\">{}</tspan>", escaped(text)).unwrap(),
        }
    }
    drawn
}

fn picture(lines: &[String]) -> String {
    let plain = Regex::new("\u{1b}\\[[0-9]*m").unwrap();
    let columns = lines.iter().map(|line| plain.replace_all(line, "").chars().count()).max();
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a picture has few columns"
    )]
    let width = (columns.unwrap_or_default() as f64 * COLUMN) as usize + 2 * MARGIN;
    let height = lines.len() * LINE + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>hookman on a terminal</title>\n<style>\n\
         text {{ font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #d4d4d4; \
         white-space: pre; }}\n.p {{ fill: #7fb4ff; }} .b {{ font-weight: bold; }} .d {{ fill: #8a8a8a; }} \
         .r {{ fill: #ff7b72; }} .g {{ fill: #7ee787; }} .y {{ fill: #e3b341; }} .m {{ fill: #d2a8ff; }} \
         .c {{ fill: #79c0ff; }}\n</style>\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#1e1e1e\"/>\n"
    );
    for (index, line) in lines.iter().enumerate() {
        let y = MARGIN + LINE * index + 14;
        let text = match line.strip_prefix("$ ") {
            Some(typed) => format!("<tspan class=\"p\">$</tspan> {}", escaped(typed)),
            None => drawn(line),
        };
        if !text.is_empty() {
            writeln!(svg, "<text x=\"{MARGIN}\" y=\"{y}\" xml:space=\"preserve\">{text}</text>")
                .unwrap();
        }
    }
    svg + "</svg>\n"
}

/// A picture without what differs from run to run.
fn timeless(svg: &str) -> String {
    let varying = Regex::new(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d").unwrap();
    varying.replace_all(svg, "…")
}

#[test]
fn the_picture_shows_what_the_program_prints() {
    let home = home();
    let mut lines = Vec::new();
    for typed in TYPED {
        let Some(shown) = shown(home.path(), typed) else {
            eprintln!("SKIPPED: script of util-linux is not installed");
            return;
        };
        lines.push(format!("$ {}", typed.replace(" --yes", "")));
        lines.extend(shown.trim_end().lines().map(str::to_owned));
        lines.push(String::new());
    }
    lines.pop();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/terminal.svg");
    let made = picture(&lines);
    let found = fs::read_to_string(&path).unwrap_or_default();
    if timeless(&found) == timeless(&made) {
        return;
    }
    if expected::updates() {
        fs::write(path, made).unwrap();
        return;
    }
    let (found, made) = (timeless(&found), timeless(&made));
    panic!(
        "scripts/picture draws it again\n{}",
        TextDiff::from_lines(&found, &made).unified_diff()
    );
}

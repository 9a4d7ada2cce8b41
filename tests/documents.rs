//! The documents, held against the program: what they show must parse, exist and be complete.

#![cfg(test)]

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::symlink,
    path::Path,
    process::{Command, Stdio},
};

use clap::{Parser, error::ErrorKind};
use hookman::{
    builtin::catalogue,
    cli::args::Cli,
    doctor,
    manifest::{self, Manifest, Problems, Source},
    runtime::catalogue::Catalogue,
};
use regress::Regex;
use serde_json::json;
use similar::TextDiff;
use tempfile::TempDir;

const SESSION: &str = "77850d98-4378-4282-9d8f-d2b7113deb20";

fn document(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// The fenced blocks of a document, each with the word behind its fence.
fn blocks(text: &str) -> Vec<(&str, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, String)> = None;
    for line in text.lines() {
        match (line.strip_prefix("```"), open.as_mut()) {
            (Some(language), None) => open = Some((language, String::new())),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some((_, block))) => block.extend([line, "\n"]),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a fenced block is not closed");
    blocks
}

fn read(base: &str, overlay: Option<&str>) -> Result<Manifest, Problems> {
    let base = Source { file: "the manifest", text: base };
    let overlay = overlay.map(|text| Source { file: "the overlay", text });
    manifest::read(Some(base), overlay, &Catalogue)
}

#[test]
fn manifests_in_the_readme_can_be_read() {
    let readme = document("README.md");
    let manifests: Vec<String> = blocks(&readme)
        .into_iter()
        .filter(|(language, _)| *language == "toml")
        .map(|(_, block)| block)
        .collect();
    let is_overlay = |text: &&String| text.lines().next().unwrap_or_default().contains(".local.");
    let (overlays, bases): (Vec<&String>, Vec<&String>) = manifests.iter().partition(is_overlay);
    assert!(!bases.is_empty() && !overlays.is_empty());
    for base in &bases {
        read(base, None).unwrap_or_else(|problems| panic!("{base}\n{problems}"));
    }
    for overlay in overlays {
        read(bases[0], Some(overlay)).unwrap_or_else(|problems| panic!("{overlay}\n{problems}"));
    }
}

/// The calls of hookman that a document shows, in code spans and in blocks.
fn calls(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (language, block) in blocks(text) {
        let prompt = if language == "console" { "$ " } else { "" };
        let lines = block.lines().filter_map(|line| line.strip_prefix(prompt));
        found.extend(lines.map(str::to_owned));
    }
    let mut prose = String::new();
    let mut in_block = false;
    for line in text.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            prose.extend([line, "\n"]);
        }
    }
    found.extend(prose.split('`').skip(1).step_by(2).map(str::to_owned));
    let call = |code: &String| {
        let code = code.split(['#', '<', '>', '|']).next().unwrap_or_default();
        let words: Vec<&str> = code.split_whitespace().collect();
        (words.len() > 1 && words[0] == "hookman").then(|| words.join(" "))
    };
    found.iter().filter_map(call).collect()
}

#[test]
fn commands_in_the_documents_exist() {
    let mut verbs = BTreeSet::new();
    for name in ["README.md", "CONTRIBUTING.md"] {
        for call in calls(&document(name)) {
            if let Err(error) = Cli::try_parse_from(call.split(' ')) {
                // A command may be named without the arguments that a call of it needs.
                let named = error.kind() == ErrorKind::MissingRequiredArgument;
                assert!(named, "{name}: `{call}`: {error}");
            }
            verbs.extend(call.split(' ').nth(1).map(str::to_owned));
        }
    }
    assert!(verbs.len() > 10, "only {verbs:?} were found");
    for verb in verbs {
        let help = Command::new(env!("CARGO_BIN_EXE_hookman"))
            .args([&verb, "--help"])
            .env_clear()
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(help.status.success(), "`hookman {verb} --help` failed");
    }
}

/// The README with what its sessions print now, played in order in a home of their own.
fn played(readme: &str) -> String {
    let home = TempDir::new().unwrap();
    let root = home.path().canonicalize().unwrap();
    let write = |path: &str, text: &str| {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    };
    let settings = blocks(readme).into_iter().find(|(language, _)| *language == "json");
    write(".claude/settings.json", &settings.expect("README.md shows no settings").1);
    write(
        "payload.json",
        &json!({
            "session_id": SESSION, "transcript_path": "/transcript", "cwd": &root,
            "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": { "command": "rm -rf build" },
        })
        .to_string(),
    );
    fs::create_dir_all(root.join(".local/bin")).unwrap();
    symlink(env!("CARGO_BIN_EXE_hookman"), root.join(".local/bin/hookman")).unwrap();
    let run = |line: &str| {
        let output = Command::new("/bin/sh")
            .args(["-c", &format!("exec 2>&1; {line}")])
            .current_dir(&root)
            .env_clear()
            .env("HOME", &root)
            .env("PATH", format!("{}/.local/bin:/usr/bin:/bin", root.display()))
            .env("CLAUDE_CODE_SESSION_ID", SESSION)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap().replace(root.to_str().unwrap(), "/home/you")
    };
    let mut text = String::new();
    let mut in_session = false;
    for line in readme.lines() {
        in_session = if in_session { line != "```" } else { line == "```console" };
        if !in_session || line == "```console" {
            text.extend([line, "\n"]);
        } else if let Some(call) = line.strip_prefix("$ ") {
            if call == "hookman status" {
                run("hookman disable one-strike");
            }
            text.extend([line, "\n", run(call).trim_end(), "\n"]);
        }
    }
    text
}

/// A text with its times and hashes made the same.
fn timeless(text: &str) -> String {
    let varying =
        Regex::new(r"\d{8}T\d{6}\.\d+Z|\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z| UTC)|\b[0-9a-f]{16}\b")
            .unwrap();
    varying.replace_all(text, "…")
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the switch is the test's own")]
fn sessions_in_the_readme_are_real() {
    let readme = document("README.md");
    let played = played(&readme);
    let (expected, found) = (timeless(&readme), timeless(&played));
    if expected == found {
        return;
    }
    if std::env::var_os("UPDATE_CASES").is_some() {
        fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md"), played).unwrap();
        return;
    }
    let diff = TextDiff::from_lines(&expected, &found);
    panic!("UPDATE_CASES=1 writes what is printed now\n{}", diff.unified_diff());
}

/// The first column of every table row whose first cell is one code span.
fn rows(text: &str) -> Vec<(&str, &str)> {
    text.lines()
        .filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |")?.split_once("` | "))
        .collect()
}

#[test]
fn the_readme_names_every_check_hook_and_key() {
    let readme = document("README.md");
    let rows = rows(&readme);
    let checks = doctor::FAMILIES.iter().copied().flatten();
    let mut expected: Vec<(String, String)> =
        checks.map(|check| (check.id.to_owned(), check.about.to_owned())).collect();
    let hooks = catalogue::names().iter().filter_map(|name| catalogue::find(name));
    expected.extend(hooks.map(|hook| (hook.name.to_owned(), hook.summary)));
    for (name, about) in &expected {
        assert!(rows.contains(&(name, about)), "README.md lacks the row\n| `{name}` | {about} |");
    }

    let problems = read("[[hook]]\nno-such-key = 1", None).unwrap_err().to_string();
    let keys = problems.split_once("[[hook]] takes ").unwrap().1.lines().next().unwrap();
    for key in keys.split(", ") {
        assert!(rows.iter().any(|(name, _)| *name == key), "README.md lacks the key `{key}`");
    }
}

#[test]
fn the_changelog_is_about_this_version() {
    let changelog = document("CHANGELOG.md");
    let newest = changelog.lines().find_map(|line| line.strip_prefix("## [")?.split_once(']'));
    let newest = newest.expect("CHANGELOG.md has no version").0;
    let known = ["Unreleased", env!("CARGO_PKG_VERSION")];
    assert!(known.contains(&newest), "CHANGELOG.md begins with {newest}");
}

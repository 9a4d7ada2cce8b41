//! The documents, held against the program: what they show must parse, exist and be complete.

#![cfg(test)]

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    process::{Command, Stdio},
};

use clap::{Parser, error::ErrorKind};
use hookman::{
    cli::args::Cli,
    doctor,
    manifest::{self, Manifest, Problems, Source},
    state::catalogue::Catalogue,
    syntax::shell,
};
use regress::Regex;
use similar::TextDiff;
use tempfile::TempDir;

use crate::expected;

mod recipes;

const SESSION: &str = "77850d98-4378-4282-9d8f-d2b7113deb20";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn document(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// The names of the README and of every page below `docs/`.
fn pages() -> Vec<String> {
    let mut pages = vec!["README.md".to_owned()];
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    pages.sort();
    pages
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
    manifest::read(
        Some(base),
        overlay,
        &Catalogue { known: hookman::package::known::Known::nothing(), is_whole: true },
    )
}

#[test]
fn manifests_in_the_documents_can_be_read() {
    let committed = blocks(&document("docs/manifest.md")).into_iter().next().unwrap().1;
    let mut overlays = 0;
    for page in pages() {
        let text = document(&page);
        for (_, block) in blocks(&text).into_iter().filter(|(language, _)| *language == "toml") {
            let is_overlay = block.lines().next().unwrap_or_default().contains(".local.");
            let found =
                if is_overlay { read(&committed, Some(&block)) } else { read(&block, None) };
            found.unwrap_or_else(|problems| panic!("{page}\n{block}\n{problems}"));
            overlays += usize::from(is_overlay);
        }
    }
    assert!(overlays > 0, "no page shows an overlay");
}

/// The calls of hookman that a document shows, in code spans and in blocks.
fn calls(text: &str) -> Vec<Vec<String>> {
    let mut found: Vec<String> = Vec::new();
    for (language, block) in blocks(text).into_iter().filter(|(language, _)| *language != "text") {
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
        let commands = shell::split(code).commands;
        let words = commands.into_iter().next()?.words;
        let words: Vec<String> = words.into_iter().map(|word| word.text.into_owned()).collect();
        (words.len() > 1 && words[0] == "hookman").then_some(words)
    };
    found.iter().filter_map(call).collect()
}

#[test]
fn commands_in_the_documents_exist() {
    let mut verbs = BTreeSet::new();
    for name in pages().into_iter().chain(["CONTRIBUTING.md".to_owned()]) {
        for call in calls(&document(&name)) {
            if let Err(error) = Cli::try_parse_from(&call) {
                // A command may be named without the arguments that a call of it needs.
                let named = error.kind() == ErrorKind::MissingRequiredArgument;
                assert!(named, "{name}: {call:?}: {error}");
            }
            verbs.insert(call[1].clone());
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

/// A page with what its sessions print now, played in order in a home of their own.
///
/// The page's first JSON block is the settings file that they begin with. A page that does not
/// begin with an installation is played in an installed home, and `first` runs before all.
fn played(page: &str, first: &str) -> String {
    let home = TempDir::new().unwrap();
    let root = home.path().canonicalize().unwrap();
    let write = |path: &str, text: &str| {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    };
    if let Some((_, settings)) = blocks(page).into_iter().find(|(language, _)| *language == "json")
    {
        write(".claude/settings.json", &settings);
    }
    // The hook of their own that the page's user has.
    write("bin/format.sh", "#!/bin/sh\n");
    fs::set_permissions(root.join("bin/format.sh"), fs::Permissions::from_mode(0o755)).unwrap();
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
    run(first);
    if !page.contains("\n$ hookman install") {
        run("hookman install --yes");
    }
    let mut text = String::new();
    let mut in_session = false;
    for line in page.lines() {
        in_session = if in_session { line != "```" } else { line == "```console" };
        if !in_session || line == "```console" {
            text.extend([line, "\n"]);
        } else if let Some(call) = line.strip_prefix("$ ") {
            if call == "hookman status" {
                run("hookman disable one-strike");
            }
            text.extend([line, "\n"]);
            text.extend(
                run(call).trim_end().lines().flat_map(|line| [line, "\n"].map(str::to_owned)),
            );
        }
    }
    text
}

/// A text with its times and hashes made the same.
fn timeless(text: &str) -> String {
    let varying =
        Regex::new(r"\d{8}T\d{6}\.\d+Z|\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z| UTC)?|\b[0-9a-f]{16}\b")
            .unwrap();
    varying.replace_all(text, "…")
}

#[test]
fn sessions_in_the_documents_are_real() {
    let mut wrong = String::new();
    for page in pages() {
        let text = document(&page);
        if !text.contains("```console") {
            continue;
        }
        let played = played(&text, "");
        let (expected, found) = (timeless(&text), timeless(&played));
        if expected == found {
            continue;
        }
        if expected::updates() {
            fs::write(root().join(&page), played).unwrap();
            continue;
        }
        let diff = TextDiff::from_lines(&expected, &found);
        let _ = write!(wrong, "{page}\n{}", diff.unified_diff());
    }
    assert!(wrong.is_empty(), "UPDATE_CASES=1 writes what is printed now\n{wrong}");
}

/// `install.sh` comes before the README's session, and somebody may have taken what it offers.
#[test]
fn the_readme_goes_on_from_what_the_installation_offers() {
    let text = document("README.md");
    let played = played(&text, "hookman install protect destructive-guard --yes");
    assert_eq!(played, text);
}

/// The targets of a page's links that are neither web addresses nor places on the page itself.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://") && !target.starts_with('#'))
}

#[test]
fn links_in_the_documents_lead_somewhere() {
    for page in pages() {
        let text = document(&page);
        let folder = root().join(&page).parent().unwrap().to_owned();
        for target in links(&text) {
            let file = target.split('#').next().unwrap();
            assert!(folder.join(file).exists(), "{page}: {target}");
        }
    }
}

/// The first column of every table row whose first cell is one code span.
fn rows(text: &str) -> Vec<(&str, &str)> {
    text.lines()
        .filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |")?.split_once("` | "))
        .collect()
}

fn expect_rows(page: &str, expected: impl Iterator<Item = (String, String)>) {
    let text = document(page);
    let rows = rows(&text);
    for (name, about) in expected {
        assert!(rows.contains(&(&name, &about)), "{page} lacks the row\n| `{name}` | {about} |");
    }
}

#[test]
fn the_documents_name_every_check_and_key() {
    let checks = doctor::checks();
    expect_rows(
        "docs/doctor.md",
        checks.map(|check| (check.id.to_owned(), check.about().to_owned())),
    );

    let manifest = document("docs/manifest.md");
    let rows = rows(&manifest);
    let problems = read("[[hook]]\nno-such-key = 1", None).unwrap_err().to_string();
    let keys = problems.split_once("[[hook]] takes ").unwrap().1.lines().next().unwrap();
    for key in keys.split(", ") {
        let named = rows.iter().any(|(name, _)| *name == key);
        assert!(named, "docs/manifest.md lacks the key `{key}`");
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

#[test]
fn the_readme_is_short() {
    let lines = document("README.md").lines().count();
    assert!(lines <= 150, "README.md has {lines} lines");
}

/// The commands for a shell that no transcript in `tests/cli` has, and what runs them instead.
const ELSEWHERE: &[(&str, &str)] = &[
    ("curl ", "needs a release: tests/installing.rs pipes the script, with a server of its own"),
    ("./install.sh", "tests/installing.rs runs it"),
    ("hookman self-update", "needs a release: tests/updating.rs has a server of its own"),
    ("hookman new", "asks on a terminal: tests/terminal.rs answers"),
    ("hookman log -f", "goes on until it is ended: tests/following.rs ends it"),
    ("mv hookman.tmp", "puts a file where node_exporter reads: scripts/test-exports does it"),
    ("printf 'hookman %s", "tests/installing.rs runs the block"),
    ("ssh-keygen -Y", "tests/installing.rs runs the block"),
    ("sha256sum ", "tests/installing.rs runs the block"),
    ("ssh-keygen -t", "makes the key of a release: tests/release_server.rs makes its own"),
    ("cp release-key.pub", "replaces a file of the repository, once"),
    ("git grep ", "rewrites the repository's texts, once"),
    ("scripts/release ", "builds a release: .ci/run does it"),
];

/// The commands of a page's blocks for a shell, also of those in lists, without their comments.
fn shell_commands(page: &str) -> Vec<String> {
    let text: String = document(page).lines().flat_map(|line| [line.trim_start(), "\n"]).collect();
    let blocks = blocks(&text).into_iter().filter(|(language, _)| *language == "sh");
    let lines = blocks.flat_map(|(_, block)| {
        block
            .lines()
            .map(|line| line.split(" #").next().unwrap().trim().to_owned())
            .collect::<Vec<_>>()
    });
    lines.filter(|line| !line.is_empty()).collect()
}

/// The blocks whose commands belong together, by words in them.
const PROCEDURES: &[&str] = &["mv hookman.tmp", "ssh-keygen -Y verify"];

/// A button that copies a block would have alternatives run one after another.
#[test]
fn a_block_for_a_shell_has_one_command() {
    for page in pages() {
        for (language, block) in blocks(&document(&page)) {
            let is_command = |line: &&str| !line.is_empty() && !line.starts_with([' ', '#']);
            let is_one = language != "sh" || block.lines().filter(is_command).count() < 2;
            assert!(is_one || PROCEDURES.iter().any(|it| block.contains(it)), "{page}\n{block}");
        }
    }
}

/// `tests/cli.rs` runs the transcripts and compares what is printed. Without a terminal a command
/// that asks needs `--yes`, which a page leaves out.
#[test]
fn commands_for_a_shell_are_in_a_transcript() {
    let mut used = BTreeSet::new();
    let mut missing = Vec::new();
    for page in pages() {
        let name = Path::new(&page).file_stem().unwrap().to_str().unwrap().to_lowercase();
        let transcript = root().join(format!("tests/cli/page-{name}.txt"));
        let transcript = fs::read_to_string(transcript).unwrap_or_default();
        let run: Vec<String> = transcript
            .lines()
            .filter_map(|line| line.strip_prefix("$ "))
            .flat_map(|line| [line.to_owned(), line.replacen(" --yes", "", 1)])
            .collect();
        for command in shell_commands(&page) {
            let elsewhere = ELSEWHERE.iter().find(|(start, _)| command.starts_with(start));
            used.extend(elsewhere.map(|(start, _)| *start));
            let is_call =
                |rest: &str| rest.is_empty() || rest.starts_with(" |") || rest.starts_with(" >");
            let is_run =
                run.iter().any(|line| line.strip_prefix(command.as_str()).is_some_and(is_call));
            if elsewhere.is_none() && !is_run {
                missing.push(format!("tests/cli/page-{name}.txt lacks: {command}"));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    let unused = ELSEWHERE.iter().find(|(start, _)| !used.contains(start));
    assert!(unused.is_none(), "no page shows {unused:?}");
}

/// The places that `docs/settings.md` names as tests.
#[test]
fn each_promise_on_settings_has_its_test() {
    let text = document("docs/settings.md");
    let table = text.split_once("\n| promise | test |\n").expect("no table of promises").1;
    let rows: Vec<&str> = table.lines().skip(1).take_while(|line| line.starts_with('|')).collect();
    assert!(rows.len() > 10, "{rows:?}");
    for row in rows {
        let cell = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        let names: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test is named for: {row}");
        for name in names {
            let found = match name.split_once("::") {
                Some((file, name)) => document(file).contains(&format!("fn {name}(")),
                None => root().join(name).exists(),
            };
            assert!(found, "there is no {name} for: {row}");
        }
    }
}

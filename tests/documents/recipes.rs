//! The recipes of the README, and the promises of docs/recipes.md.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

use super::{SESSION, blocks, document};

/// The commands of the blocks for a shell below a heading of a page.
fn recipes(page: &str, heading: &str) -> Vec<String> {
    let text = document(page);
    let section = text.split_once(&format!("\n## {heading}\n")).unwrap().1;
    let section = section.split("\n## ").next().unwrap();
    let blocks = blocks(section).into_iter().filter(|(language, _)| *language == "sh");
    blocks.flat_map(|(_, block)| block.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// A shell in a home, with hookman in it and a formatter.
fn in_home(home: &Path, line: &str, stdin: &str) -> (bool, String) {
    let bin = home.join(".local/bin");
    if !bin.exists() {
        fs::create_dir_all(&bin).unwrap();
        symlink(env!("CARGO_BIN_EXE_hookman"), bin.join("hookman")).unwrap();
        symlink("/bin/true", bin.join("ruff")).unwrap();
    }
    fs::write(home.join("stdin"), stdin).unwrap();
    let output = Command::new("/bin/sh")
        .args(["-c", &format!("exec 2>&1; {line}")])
        .current_dir(home)
        .env_clear()
        .env("HOME", home)
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
        .stdin(fs::File::open(home.join("stdin")).unwrap())
        .output()
        .unwrap();
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn recipes_are_one_command_each_and_do_what_they_say() {
    let all = recipes("README.md", "Five recipes");
    assert_eq!(all.len(), 6, "{all:?}");
    let home = TempDir::new().unwrap();
    let root = home.path().canonicalize().unwrap();
    for recipe in &all {
        let call = recipe.replacen(" -- ", " --yes -- ", 1);
        let call = if call == *recipe { format!("{recipe} --yes") } else { call };
        let (done, told) = in_home(&root, &call, "");
        assert!(done && told.contains("Done."), "{call}\n{told}");
    }
    let (done, told) = in_home(&root, "hookman verify && hookman list", "");
    assert!(done, "{told}");
    for hook in
        ["format-changed", "format", "destructive-guard", "protect", "notify-stop", "test-at-stop"]
    {
        assert!(told.contains(&format!("\n  {hook} ")), "{hook}\n{told}");
    }
    let denied = |event: &str, tool: &str, input: serde_json::Value| {
        let payload = json!({
            "session_id": SESSION, "transcript_path": "/transcript", "cwd": &root,
            "hook_event_name": event, "tool_name": tool, "tool_input": input,
        });
        let (passes, told) = in_home(&root, &format!("hookman run {event}"), &payload.to_string());
        !passes || told.contains("\"deny\"")
    };
    for (file, expected) in [(".env", true), ("web/.env.local", true), ("environment.md", false)] {
        let file = root.join("my app").join(file);
        for tool in ["Read", "Edit", "Write"] {
            assert_eq!(
                denied("PreToolUse", tool, json!({"file_path": file})),
                expected,
                "{file:?}"
            );
        }
    }
    assert!(denied("PreToolUse", "Bash", json!({"command": "git push --force origin main"})));
    assert!(!denied("PreToolUse", "Bash", json!({"command": "git status"})));
    let project = root.join("my app");
    fs::create_dir_all(project.join(".git")).unwrap();
    let edit = || denied("PostToolUse", "Edit", json!({"file_path": project.join("a.c")}));
    fs::write(project.join("Makefile"), "all:\n").unwrap();
    let allow = "cd 'my app' && hookman install --project-tools yes";
    assert!(in_home(&root, allow, "").0);
    assert!(!edit() && !denied("Stop", "", json!({})), "a project without tests is held up");
    fs::write(project.join("Makefile"), "test:\n\t@echo 'one test failed'; exit 1\n").unwrap();
    assert!(!denied("Stop", "", json!({})), "a turn without edits is held up");
    assert!(!edit() && denied("Stop", "", json!({})), "failing tests do not block");
    fs::write(project.join("Makefile"), "test:\n\t@true\n").unwrap();
    assert!(!edit() && !denied("Stop", "", json!({})), "tests that pass block");
}

/// Says whether a case that `tests/recipes.txt` names is there: `BOOK: NAME` or `tools: WORDS`.
fn is_there(case: &str) -> bool {
    let (place, name) = case.split_once(": ").unwrap();
    if place == "tools" {
        return document("scripts/test-tools").contains(name);
    }
    let line = format!("name = \"{name}\"");
    document(&format!("tests/client/cases/{place}.toml")).lines().any(|it| it == line)
}

#[test]
fn each_cell_of_the_page_of_recipes_has_a_case() {
    let page = document("docs/recipes.md");
    let cases = document("tests/recipes.txt");
    for name in hookman::builtin::catalogue::names() {
        let of_hook = page.lines().filter_map(|row| row.strip_prefix(&format!("| `{name}` | ")));
        let [row] = of_hook.collect::<Vec<_>>()[..] else { panic!("docs/recipes.md: {name}") };
        let cells: Vec<&str> = row.trim_end_matches(" |").split(" | ").collect();
        let named = cases.split("\n\n").find_map(|it| it.strip_prefix(&format!("{name}\n")));
        let named = named.unwrap_or_else(|| panic!("tests/recipes.txt: {name}"));
        for (place, cell) in ["does", "does not", "needs", "costs"].iter().zip(&cells) {
            let of_cell = named.lines().filter(|line| line[..10].trim_end() == *place);
            let of_cell: Vec<&str> = of_cell.map(|line| &line[10..]).collect();
            let is_shown = !of_cell.is_empty() || cell.starts_with("nothing") && *place != "does";
            assert!(is_shown, "tests/recipes.txt lacks a case of {name} for: {place} {cell}");
            let missing = of_cell.iter().find(|case| !is_there(case));
            assert!(missing.is_none(), "tests/recipes.txt: {name}: no case {missing:?}");
        }
        assert_eq!(cells.len(), 4, "docs/recipes.md: {name}");
    }
}

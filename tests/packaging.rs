//! What packages and releases are made from: one address, and a reason for each dependency.

#![cfg(test)]

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use regress::Regex;
use tempfile::TempDir;
use toml::{Table, Value};

fn text(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

fn manifest() -> Table {
    text("Cargo.toml").parse().unwrap()
}

#[test]
fn every_dependency_has_a_reason() {
    let manifest = manifest();
    let names = ["dependencies", "dev-dependencies", "build-dependencies"]
        .iter()
        .filter_map(|kind| manifest.get(*kind)?.as_table())
        .flat_map(Table::keys);
    let declared: BTreeSet<String> = names.cloned().collect();
    let contributing = text("CONTRIBUTING.md");
    let (_, table) = contributing.split_once("\n| crate | why |\n").unwrap();
    let rows = table.lines().skip(1).map_while(|line| line.strip_prefix("| `")?.split_once('`'));
    let explained: BTreeSet<String> = rows.map(|(name, _)| name.to_owned()).collect();
    assert_eq!(explained, declared);
}

#[test]
fn the_address_is_the_same_everywhere() {
    let manifest = manifest();
    let address = manifest["package"]["repository"].as_str().unwrap();
    let listed =
        Command::new("git").args(["ls-files"]).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    let listed = String::from_utf8(listed.unwrap().stdout).unwrap();
    let pattern = Regex::new(r"https://github\.com/[\w.-]+/hookman\b").unwrap();
    let mut seen = 0;
    for name in listed.lines() {
        let Ok(text) = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)) else {
            continue;
        };
        for found in pattern.find_iter(&text) {
            assert_eq!(&text[found.range()], address, "in {name}");
            seen += 1;
        }
    }
    assert!(seen > 1, "the address is named in {seen} places");
}

#[test]
fn the_oldest_rust_is_the_one_that_is_documented() {
    let manifest = manifest();
    let Value::String(version) = &manifest["package"]["rust-version"] else { panic!() };
    for name in ["docs/install.md", "CONTRIBUTING.md"] {
        assert!(text(name).contains(&format!("Rust {version}")), "{name} names another");
    }
}

/// What a release refuses, each time with one thing put right.
#[test]
fn a_release_refuses_what_is_missing() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let refusal = || {
        let check = Command::new("bash")
            .args(["scripts/release", "check"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        (check.status.code(), String::from_utf8(check.stderr).unwrap())
    };
    let cargo = |address: &str| format!("version = \"1.2.3\"\nrepository = \"{address}\"\n");
    write("scripts/release", &text("scripts/release"));
    write("Cargo.toml", &cargo("https://github.com/OWNER/hookman"));
    write("packaging/release-key.pub", "# none yet\n");
    write("CHANGELOG.md", "## [Unreleased]\n");
    assert!(Command::new("git").args(["init", "-q"]).current_dir(folder.path()).status().is_ok());
    let (code, said) = refusal();
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("`repository` still names nobody"), "{said}");
    write("Cargo.toml", &cargo("http://forge.example/hookman"));
    assert!(refusal().1.contains("is to be an https address"), "{}", refusal().1);
    write("Cargo.toml", &cargo("https://forge.example/somebody/hookman"));
    assert!(refusal().1.contains("holds no key"), "{}", refusal().1);
    write("packaging/release-key.pub", "ssh-ed25519 AAAA hookman releases\n");
    assert!(refusal().1.contains("has no section for 1.2.3"), "{}", refusal().1);
    write("CHANGELOG.md", "## [1.2.3] - 2026-01-31\n");
    assert!(refusal().1.contains("changes that are not committed"), "{}", refusal().1);
}

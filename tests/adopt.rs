//! Adoption, case by case: each folder in `tests/adopt` holds the settings and the manifest before
//! and after. Releasing gives the files back to the byte, whatever the order.
//!
//! `arguments.txt` says what is adopted (everything, if it is missing); `edited.json` is what
//! somebody makes of the settings in between, and `released.json` what has to come of that.
//! `UPDATE_CASES=1` writes what came instead of comparing; read the difference before keeping it.

#![cfg(test)]

mod keeping;
mod random;

use std::{fs, os::unix::fs::symlink, path::PathBuf, process::Command};

use tempfile::TempDir;

use crate::expected;

/// A home with nothing in it but the files of a case.
struct Home {
    folder: TempDir,
}

impl Home {
    fn new(settings: Option<&str>, manifest: Option<&str>) -> Self {
        let folder = TempDir::with_prefix("adopt-").unwrap();
        let home = Self { folder };
        for folder in [".local/bin", ".claude"] {
            fs::create_dir_all(home.path(folder)).unwrap();
        }
        symlink(env!("CARGO_BIN_EXE_hookman"), home.path(".local/bin/hookman")).unwrap();
        home.write("settings.json", settings);
        home.write("hookman.toml", manifest);
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn fill(&self, text: &str) -> String {
        text.replace("@HOME@", &self.folder.path().display().to_string())
    }

    fn strip(&self, text: &str) -> String {
        text.replace(&self.folder.path().display().to_string(), "@HOME@")
    }

    fn write(&self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            fs::write(self.path(".claude").join(name), self.fill(text)).unwrap();
        }
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(".claude").join(name)).ok().map(|text| self.strip(&text))
    }

    fn hookman(&self, arguments: &str) -> String {
        let output = Command::new(self.path(".local/bin/hookman"))
            .args(arguments.split_whitespace())
            .env_clear()
            .env("HOME", self.folder.path())
            .env("HOOKMAN_STATE_DIR", self.path("state"))
            .env("PATH", "/usr/bin:/bin")
            .current_dir(self.folder.path())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        self.strip(&format!("{}{errors}", String::from_utf8_lossy(&output.stdout)))
    }

    /// The names of the adopted hooks, in the order of the manifest.
    fn adopted(&self) -> Vec<String> {
        let listing = self.hookman("release --json");
        // A file that is left alone is told of in words.
        let listing: serde_json::Value = serde_json::from_str(&listing).unwrap_or_default();
        let names = listing["adopted"].as_array().into_iter().flatten();
        names.map(|hook| hook["name"].as_str().unwrap().to_owned()).collect()
    }
}

struct Case {
    folder: PathBuf,
    failures: Vec<String>,
}

impl Case {
    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.folder.join(name)).ok()
    }

    fn fail(&mut self, what: &str, expected: Option<&str>, found: Option<&str>) {
        let name = self.folder.file_name().unwrap().to_string_lossy().into_owned();
        self.failures.push(format!("{name}: {what}\nexpected {expected:?}\nfound    {found:?}"));
    }

    fn compare(&mut self, name: &str, found: Option<&str>) {
        self.failures.extend(expected::difference(&self.folder.join(name), found));
    }

    fn home(&self) -> Home {
        Home::new(self.read("before.json").as_deref(), self.read("before.toml").as_deref())
    }

    fn adopted(&self) -> Home {
        let home = self.home();
        let arguments = self.read("arguments.txt").unwrap_or_else(|| "--all".to_owned());
        home.hookman(&format!("adopt --yes {arguments}"));
        home
    }

    fn check_back(&mut self, home: &Home, what: &str) {
        for (name, before) in [("settings.json", "before.json"), ("hookman.toml", "before.toml")] {
            let (expected, found) = (self.read(before), home.read(name));
            if expected != found {
                self.fail(&format!("{name} {what}"), expected.as_deref(), found.as_deref());
            }
        }
    }

    fn run(&mut self) {
        let listing = self.home().hookman("adopt");
        self.compare("listing.txt", Some(&listing));
        let home = self.adopted();
        self.compare("after.json", home.read("settings.json").as_deref());
        self.compare("after.toml", home.read("hookman.toml").as_deref());
        let names = home.adopted();
        if names.is_empty() {
            return;
        }
        if let Some(edited) = self.read("edited.json") {
            home.write("settings.json", Some(&edited));
            home.hookman("release --all --yes");
            self.compare("released.json", home.read("settings.json").as_deref());
            return;
        }
        home.hookman("release --all --yes");
        self.check_back(&home, "after the release of all");
        let mut backwards = names.clone();
        backwards.reverse();
        for (order, names) in [("forwards", names), ("backwards", backwards)] {
            let home = self.adopted();
            for name in names {
                home.hookman(&format!("release --yes {name}"));
            }
            self.check_back(&home, &format!("after releases {order}"));
        }
        let home = self.adopted();
        home.hookman("uninstall --yes");
        if !self.read("before.toml").is_some_and(|text| text.contains("[[hook]]")) {
            self.check_back(&home, "after uninstalling");
        }
    }
}

#[test]
fn cases() {
    let folders = expected::entries("tests/adopt", |path| path.join("before.json").exists());
    assert!(folders.len() >= 30, "only {} cases were found", folders.len());
    let mut failures = Vec::new();
    for folder in folders {
        let mut case = Case { folder, failures: Vec::new() };
        case.run();
        failures.append(&mut case.failures);
    }
    expected::none(failures);
}

#[test]
fn the_manifest_alone_is_enough_to_release() {
    let settings = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a b"}]}]}}"#;
    let home = Home::new(Some(settings), None);
    home.hookman("adopt --all --yes");
    fs::remove_dir_all(home.path("state")).unwrap();
    home.hookman("release --all --yes");
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(value(&home.read("settings.json").unwrap()), value(settings));
    assert_eq!(home.read("hookman.toml"), None);
}

#[test]
fn a_handler_that_its_installer_puts_back_is_not_there_twice() {
    let settings = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a b"}]}]}}"#;
    let home = Home::new(Some(settings), None);
    home.hookman("adopt --all --yes");
    let group = r#"{"hooks": [{"type": "command", "command": "a b"}]}, "#;
    let again =
        home.read("settings.json").unwrap().replace("\"Stop\": [", &format!("\"Stop\": [{group}"));
    home.write("settings.json", Some(&again));
    home.hookman("release --all --yes");
    assert_eq!(home.read("settings.json").as_deref(), Some(settings));
}

#[test]
fn a_project_and_what_is_local_in_it_come_back() {
    let group = |command: &str| {
        format!(
            r#"{{"hooks": {{"Stop": [{{"hooks": [{{"type": "command", "command": "{command}"}}]}}]}}}}"#
        )
    };
    let home = Home::new(None, None);
    let folder = home.path("project/.claude");
    fs::create_dir_all(&folder).unwrap();
    let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
    let texts = [("settings.json", group("team")), ("settings.local.json", group("mine"))];
    for (name, text) in &texts {
        fs::write(folder.join(name), text).unwrap();
    }
    let of_project = |verb: &str, local: &str| {
        home.hookman(&format!("{verb} --all --yes --project project{local}"))
    };
    let adopt = || {
        of_project("adopt", "");
        of_project("adopt", " --local");
        assert!(read("hookman.toml").unwrap().contains("\"team\""));
        assert!(read("hookman.local.toml").unwrap().contains("\"mine\""));
        assert!(!texts.iter().any(|(name, text)| read(name).as_ref() == Some(text)));
        assert!(home.hookman("verify --project project").contains("is what the manifest asks for"));
    };
    let came_back = || {
        for (name, text) in &texts {
            assert_eq!(read(name).as_ref(), Some(text), "{name}");
        }
        assert_eq!((read("hookman.toml"), read("hookman.local.toml")), (None, None));
    };
    adopt();
    of_project("release", "");
    of_project("release", " --local");
    came_back();
    adopt();
    home.hookman("uninstall --yes --project project");
    came_back();
}

#[test]
fn nothing_is_written_without_leave() {
    let settings = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a b"}]}]}}"#;
    let home = Home::new(Some(settings), None);
    for arguments in ["adopt", "adopt --all", "adopt --all --dry-run", "adopt --json", "release"] {
        home.hookman(arguments);
        assert_eq!(home.read("settings.json").as_deref(), Some(settings), "{arguments}");
        assert_eq!(home.read("hookman.toml"), None, "{arguments}");
    }
}

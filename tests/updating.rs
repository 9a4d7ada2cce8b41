//! `hookman self-update`. `scripts/test-self-update` runs these with the feature, and with a key of
//! its own built in.

#![cfg(test)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;

/// A home with a copy of the program in it.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        let it = Self(tempfile::tempdir().unwrap());
        it.place(".local/bin");
        it
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn place(&self, folder: &str) -> PathBuf {
        let program = self.path().join(folder).join("hookman");
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        // A process that another test starts meanwhile would inherit a file that is open for writing
        // here, and a program that is open for writing cannot be started.
        let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_hookman")).arg(&program).status();
        assert!(copied.unwrap().success());
        program
    }

    fn program(&self) -> PathBuf {
        self.path().join(".local/bin/hookman")
    }

    fn command(&self, program: &Path, releases: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env("HOME", self.path())
            .env("PATH", "/usr/bin:/bin")
            .env("HOOKMAN_RELEASES", releases)
            .stdin(Stdio::null());
        command
    }

    fn run(&self, releases: &str, arguments: &[&str]) -> Output {
        self.command(&self.program(), releases, arguments).output().unwrap()
    }
}

fn said(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8(text).unwrap()
}

#[cfg(not(feature = "self-update"))]
#[test]
fn a_build_without_it_says_so() {
    let home = Home::new();
    let output = home.run("", &["self-update"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        said(&output),
        "error: ~/.local/bin/hookman was built without self-update; update it the way you got it\n"
    );
    let cargo = home.place(".cargo/bin");
    let output = home.command(&cargo, "", &["self-update", "--check"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        said(&output),
        "error: ~/.cargo/bin/hookman was built without self-update; cargo installed it, so update it \
         with `cargo install hookman --locked`\n"
    );
}

#[test]
fn a_copy_that_npx_keeps_is_not_registered() {
    let home = Home::new();
    let program = home.place(".npm/_npx/1f/node_modules/@hookman/linux-x64/bin");
    let output = home.command(&program, "", &["install", "--yes"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("npx keeps this hookman only for a while"), "{}", said(&output));
    assert!(!home.path().join(".claude/settings.json").exists());
}

#[cfg(feature = "self-update")]
mod with_the_feature {
    use std::io::Write;

    use super::*;
    use crate::release_server::{Releases, key};

    const CURRENT: &str = env!("CARGO_PKG_VERSION");
    const PAYLOAD: &str = r#"{"session_id":"s","transcript_path":"/t","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf build"}}"#;

    #[expect(clippy::disallowed_methods, reason = "the key is the test's own")]
    fn release_key() -> PathBuf {
        let key = std::env::var_os("HOOKMAN_TEST_KEY");
        PathBuf::from(key.expect("run scripts/test-self-update: these tests need the key it makes"))
    }

    fn stand_in(version: &str) -> String {
        format!("#!/bin/sh\n[ \"$1\" = --version ] && echo 'hookman {version}' && exit\necho new\n")
    }

    fn published(version: &str) -> (Releases, String) {
        let releases = Releases::new();
        releases.publish(version, stand_in(version).as_bytes(), &release_key());
        let address = releases.serve();
        (releases, address)
    }

    #[test]
    fn check_tells_by_its_exit_code() {
        let home = Home::new();
        let (releases, address) = published("9.9.9");
        let output = home.run(&address, &["self-update", "--check"]);
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        let expected = format!(
            "hookman 9.9.9 is available, and this is {CURRENT}; update with `hookman self-update`\n"
        );
        assert_eq!(said(&output), expected);
        let output = home.run(&address, &["self-update", "--check", "--json"]);
        let expected =
            format!("{{\"current\":\"{CURRENT}\",\"found\":\"9.9.9\",\"newer\":true}}\n");
        assert_eq!(said(&output), expected);

        releases.publish(CURRENT, b"", &release_key());
        let output = home.run(&address, &["self-update", "--check"]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let output = home.run(&address, &["self-update"]);
        assert_eq!(said(&output), format!("hookman {CURRENT} is the newest release\n"));

        let output = home.run("http://127.0.0.1:1", &["self-update", "--check"]);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    }

    #[test]
    fn the_registered_program_is_replaced_while_a_hook_runs() {
        let home = Home::new();
        let (_releases, address) = published("9.9.9");
        let gate = home.path().join("gate");
        let made = Command::new("mkfifo").arg(&gate).status().unwrap();
        assert!(made.success());
        let manifest = format!(
            "[[hook]]\nname = \"slow\"\nevent = \"PreToolUse\"\ncommand = \"cat '{}'; echo no >&2; exit 2\"\n",
            gate.display()
        );
        fs::create_dir_all(home.path().join(".claude")).unwrap();
        fs::write(home.path().join(".claude/hookman.toml"), manifest).unwrap();
        let output = home.run(&address, &["install", "--yes"]);
        assert!(output.status.success(), "{}", said(&output));
        let settings = fs::read(home.path().join(".claude/settings.json")).unwrap();

        let mut hook = home
            .command(&home.program(), "", &["run", "PreToolUse"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        hook.stdin.take().unwrap().write_all(PAYLOAD.as_bytes()).unwrap();
        // Opening the pipe waits until the hook reads it, so the run is under way from here on.
        let mut open = fs::OpenOptions::new().write(true).open(&gate).unwrap();

        let output = home.run(&address, &["self-update"]);
        assert!(output.status.success(), "{}", said(&output));
        let expected = format!("~/.local/bin/hookman is hookman 9.9.9 now; it was {CURRENT}\n");
        assert_eq!(said(&output), expected);
        assert_eq!(fs::read_to_string(home.program()).unwrap(), stand_in("9.9.9"));
        assert_eq!(fs::read(home.path().join(".claude/settings.json")).unwrap(), settings);
        let beside: Vec<_> = fs::read_dir(home.program().parent().unwrap()).unwrap().collect();
        assert_eq!(beside.len(), 1, "{beside:?}");

        open.write_all(b"go on\n").unwrap();
        drop(open);
        let ended = hook.wait_with_output().unwrap();
        assert!(said(&ended).contains("no"), "{}", said(&ended));
        assert_eq!(said(&home.run("", &["run", "PreToolUse"])), "new\n");
    }

    #[test]
    fn what_was_not_signed_replaces_nothing() {
        let home = Home::new();
        let (releases, address) = published("9.9.9");
        let folder = releases.folder("9.9.9");
        let archive = folder.join(Releases::archive("9.9.9"));
        let before = fs::read(home.program()).unwrap();
        let keys = tempfile::tempdir().unwrap();
        let refused = |words: &str, arguments: &[&str]| {
            let output = home.run(&address, arguments);
            assert_eq!(output.status.code(), Some(2), "{}", said(&output));
            assert!(said(&output).contains(words), "{}", said(&output));
            assert_eq!(fs::read(home.program()).unwrap(), before);
        };

        let good = fs::read(&archive).unwrap();
        fs::write(&archive, [&good[..], b"more"].concat()).unwrap();
        refused("hecksum", &["self-update"]);
        fs::write(&archive, &good).unwrap();

        let cut = folder.join(format!("{}.cut", Releases::archive("9.9.9")));
        fs::write(&cut, "").unwrap();
        refused("disconnected", &["self-update"]);
        fs::remove_file(cut).unwrap();

        releases.seal("9.9.9", &key(keys.path(), "stranger"));
        refused("is not that of the release key", &["self-update"]);
        refused("is not that of the release key", &["self-update", "--check"]);
        fs::write(folder.join("SHA256SUMS.sig"), "no signature").unwrap();
        refused("is not that of the release key", &["self-update"]);
        refused("cannot be downloaded", &["self-update", "--version", "8.8.8"]);

        releases.seal("9.9.9", &release_key());
        fs::rename(&folder, releases.folder("8.8.8")).unwrap();
        refused("lists no archive for", &["self-update", "--version", "8.8.8"]);
    }

    #[test]
    fn a_program_that_does_not_run_replaces_nothing() {
        let home = Home::new();
        let releases = Releases::new();
        releases.publish("9.9.9", stand_in("1.0.0").as_bytes(), &release_key());
        let before = fs::read(home.program()).unwrap();
        let output = home.run(&releases.serve(), &["self-update"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains("does not run here"), "{}", said(&output));
        assert_eq!(fs::read(home.program()).unwrap(), before);
    }

    #[test]
    fn an_older_version_comes_only_when_it_is_named() {
        let home = Home::new();
        let (_releases, address) = published("0.0.1");
        let output = home.run(&address, &["self-update"]);
        assert_eq!(said(&output), format!("hookman {CURRENT} is the newest release\n"));
        let output = home.run(&address, &["self-update", "--version", "v0.0.1", "--dry-run"]);
        assert_eq!(
            said(&output),
            format!("would replace ~/.local/bin/hookman, {CURRENT}, by 0.0.1\n")
        );
        let older = ["self-update", "--version", "0.0.1"];
        let mut by_agent = home.command(&home.program(), &address, &older);
        let output = by_agent.env("CLAUDECODE", "1").output().unwrap();
        let refusal = "only the user can put an older version in place, in another terminal";
        assert_eq!(said(&output), format!("error: {refusal}\n"));
        assert_ne!(fs::metadata(home.program()).unwrap().len(), stand_in("0.0.1").len() as u64);
        let output = home.run(&address, &["self-update", "--version", "0.0.1"]);
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(fs::read_to_string(home.program()).unwrap(), stand_in("0.0.1"));
    }

    #[test]
    fn what_a_package_manager_installed_is_its_own() {
        let home = Home::new();
        let (_releases, address) = published("9.9.9");
        let cargo = home.place(".cargo/bin");
        let output = home.command(&cargo, &address, &["self-update"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(
            said(&output),
            "error: cargo installed ~/.cargo/bin/hookman, so nothing was changed; update it with \
             `cargo install hookman --locked`\n"
        );
        let output = home.command(&cargo, &address, &["self-update", "--check"]).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(said(&output).contains("update with `cargo install"), "{}", said(&output));
    }
}

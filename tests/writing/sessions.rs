//! Sessions that write an old copy of the settings back.

use std::fs;
use std::process::{Child, Command, Stdio};

use super::home::{Home, SETTINGS};

/// A stand-in for the client, by the name that hookman looks for: once the settings change, it
/// writes its old copy, `back.json`, over them, as often as it is told.
const CLIENT: &str = "#!/bin/sh
echo ready
times=$1
while [ \"$times\" -gt 0 ]; do
    until ! cmp -s .claude/settings.json old.json; do sleep 0.01; done
    cp back.json .claude/new.json && mv .claude/new.json .claude/settings.json
    times=$((times - 1))
done
while :; do sleep 0.05; done
";

pub(super) struct Client(Child);

impl Client {
    pub(super) fn start(home: &Home, times: u32) -> Self {
        // Written by another process, because what this one has open for writing cannot be run.
        let claude = home.path("bin/claude");
        assert!(Command::new("cp").arg("/bin/sh").arg(&claude).status().unwrap().success());
        home.program("bin/client.sh", CLIENT);
        for copy in ["old.json", "back.json"] {
            fs::copy(home.path(".claude/settings.json"), home.path(copy)).unwrap();
        }
        let mut client = home.command("claude");
        let mut client = client
            .arg(home.path("bin/client.sh"))
            .arg(times.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = [0; 6];
        std::io::Read::read_exact(client.stdout.as_mut().unwrap(), &mut line).unwrap();
        Self(client)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(super) const WATCHING: &str = "Claude Code is running and may write its old copy back";

#[test]
fn an_old_copy_that_comes_back_is_repaired() {
    let home = Home::new();
    let _client = Client::start(&home, 1);
    let said = home.does("install --yes");
    assert!(said.contains(WATCHING), "{said}");
    assert!(said.contains("An old copy of ~/.claude/settings.json came back"), "{said}");
    assert!(home.settings().unwrap().contains("\"run\""));
    home.does("verify");
    assert!(home.does("backups").contains("before repair"));
}

#[test]
fn a_session_that_never_stops_is_named() {
    let home = Home::new();
    let _client = Client::start(&home, 9);
    let output = home.hookman("install --yes");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("came back twice; end the session"), "{said}");
    assert_eq!(home.settings().as_deref(), Some(SETTINGS));
}

#[test]
fn an_uninstall_and_a_restore_are_looked_after_too() {
    for command in ["uninstall --yes", "restore --yes"] {
        let home = Home::new();
        home.does("install --yes");
        let _client = Client::start(&home, 1);
        let said = home.does(command);
        assert!(said.contains("An old copy of"), "{command}: {said}");
        assert_eq!(home.settings().as_deref(), Some(SETTINGS), "{command}");
    }
}

#[test]
fn an_old_copy_with_a_change_of_the_session_does_not_undo_a_restore() {
    let home = Home::new();
    home.does("install --yes");
    let _client = Client::start(&home, 1);
    let old = home.settings().unwrap();
    home.write("back.json", &old.replacen('{', "{\"theme\": \"dark\", ", 1));
    let said = home.does("restore --yes");
    assert!(said.contains("An old copy of"), "{said}");
    assert!(said.contains("The file had changed since"), "{said}");
    assert_eq!(home.settings().as_deref(), Some(SETTINGS));
}

#[test]
fn nobody_waits_without_need() {
    let home = Home::new();
    assert!(!home.does("install --yes").contains(WATCHING), "without a client");
    let elsewhere = Home::new();
    let _client = Client::start(&elsewhere, 0);
    assert!(!home.does("uninstall --yes").contains(WATCHING), "a client with another home");
    let _client = Client::start(&home, 0);
    assert!(!home.does("install --yes --no-wait").contains(WATCHING), "told not to");
    assert!(!home.does("install --yes").contains(WATCHING), "nothing was written");
    assert!(!home.does("uninstall --dry-run").contains(WATCHING), "nothing was written");
}

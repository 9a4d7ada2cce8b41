//! Many at once.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::{Child, Stdio};

use super::home::{Home, SETTINGS};

const MANY: usize = 64;

fn start(home: &Home, arguments: &[String]) -> Child {
    home.command(home.path("bin/hookman").to_str().unwrap())
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn finish(children: Vec<Child>) {
    for child in children {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        // A switch of a session that nobody knows yet is made, and told with exit code 1.
        assert!(matches!(output.status.code(), Some(0 | 1)), "{said}");
    }
}

#[test]
fn of_many_installs_and_switches_at_once_nothing_is_lost() {
    let home = Home::new();
    let mut manifest = String::new();
    for hook in 0..MANY {
        writeln!(manifest, "[[hook]]\nname = \"h{hook}\"\nevent = \"Stop\"\ncommand = \"true\"")
            .unwrap();
    }
    home.write(".claude/hookman.toml", &manifest);
    let words = |line: String| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let calls = (0..MANY).flat_map(|n| {
        let switch = words(format!("disable h{n} --session s"));
        let command = if n % 2 == 0 { "install one-strike --yes" } else { "apply --yes" };
        [switch, words(command.to_owned())]
    });
    finish(calls.map(|call| start(&home, &call)).collect());

    let switches = std::fs::read_to_string(home.path("state/sessions/s/switches.json")).unwrap();
    let switches: serde_json::Value = serde_json::from_str(&switches).unwrap();
    let off = switches.to_string();
    for hook in 0..MANY {
        assert!(off.contains(&format!("\"h{hook}\"")), "h{hook} is on again: {off}");
    }
    let kept = std::fs::read_to_string(home.path(".claude/hookman.toml")).unwrap();
    assert_eq!(kept, format!("{manifest}\n[[hook]]\nbuiltin = \"one-strike\"\n"));
    home.does("verify");
    assert_eq!(home.litter(), [""; 0].map(std::path::PathBuf::from));
    home.does("uninstall --yes");
    assert_eq!(home.settings().as_deref(), Some(SETTINGS));
}

#[test]
fn projects_and_overlays_written_at_once_keep_all_entries() {
    let home = Home::new();
    std::fs::create_dir_all(home.path("p/.claude")).unwrap();
    let hook = |name: &str, event: &str| {
        format!("[[hook]]\nname = \"{name}\"\nevent = \"{event}\"\ncommand = \"true\"\n")
    };
    home.write("p/.claude/hookman.toml", &hook("a", "Stop"));
    home.write("p/.claude/hookman.local.toml", &hook("b", "PreToolUse"));
    let calls = (0..MANY).map(|n| match n % 4 {
        0 => "install --project p --yes",
        1 => "install --local --project p --yes",
        2 => "apply --project p --yes",
        _ => "install --yes",
    });
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    finish(calls.map(|call| start(&home, &words(call))).collect());
    home.does("verify");
    home.does("verify --project p");
    let read = |path: &str| std::fs::read_to_string(home.path(path)).unwrap();
    let entries = |path: &str| {
        let settings: serde_json::Value = serde_json::from_str(&read(path)).unwrap();
        settings["hooks"].as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>()
    };
    assert_eq!(entries("p/.claude/settings.json"), BTreeSet::from(["Stop".to_owned()]));
    assert_eq!(entries("p/.claude/settings.local.json"), BTreeSet::from(["PreToolUse".to_owned()]));
}

#[test]
fn a_writer_who_keeps_no_lock_loses_nothing() {
    let home = Home::new();
    // As the client does it: read, add a key, write a temporary file, rename.
    home.program(
        "bin/other",
        "#!/bin/sh\nfor n in 1 2 3 4 5 6 7 8 9 10; do\n\
         sed \"s/\\\"model\\\"/\\\"$1-$n\\\": 1, &/\" .claude/settings.json > .claude/other &&\n\
         mv .claude/other .claude/settings.json\ndone\n",
    );
    for round in 0..10 {
        let mut other = home.command("other").arg(round.to_string()).spawn().unwrap();
        while other.try_wait().unwrap().is_none() {
            for command in ["install --yes", "uninstall --yes"] {
                let output = home.hookman(command);
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                // The other one's text was there first; it is kept, and the user is told.
                let refused = output.status.code() == Some(2) && said.contains("was changed while");
                assert!(output.status.success() || refused, "{said}");
            }
        }
    }
    let text = home.settings().unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    for key in (0..10).flat_map(|round| (1..=10).map(move |n| format!("{round}-{n}"))) {
        assert!(value.get(&key).is_some(), "{key} is gone from {text}");
    }
}

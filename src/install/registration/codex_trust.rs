//! The trust that Codex has in hookman entries. Codex is asked itself, because
//! the way in which it reckons the hash of an entry changes between its versions.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::call::run_words;
use crate::client::host::CLAUDE;
use crate::client::host::files::{Files, Trust};
use crate::install::registration::{folder_trust, hosts};
use crate::install::target::Target;
use crate::machine::child::{self, Program, Spec};
use crate::machine::environment;
use crate::machine::program;
use crate::machine::world::World;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trusted {
    /// The events of hookman entries that run.
    pub(crate) running: Vec<String>,
    /// Those of entries that do not, and why.
    pub(crate) idle: Vec<(String, &'static str)>,
    /// The events of the hooks of others that do not run, and why.
    pub(crate) others: Vec<(String, &'static str)>,
    /// The warnings of Codex, such as a file that it drops.
    pub(crate) warnings: Vec<String>,
}

impl Trusted {
    fn dropped(&self, title: &str, target: &Target) -> Option<String> {
        let file = target.settings.to_string_lossy();
        let is_listed = !self.running.is_empty() || !self.idle.is_empty();
        let why = self.warnings.iter().find(|it| !is_listed && it.contains(&*file))?;
        Some(format!("{title} drops the file: {}", why.lines().next().unwrap_or_default()))
    }

    /// Says how many of the entries in a target's file do not run, and why.
    pub(crate) fn skipped(&self, title: &str, target: &Target) -> Option<String> {
        let lists_none = [&self.idle, &self.others].iter().all(|it| it.is_empty())
            && self.running.is_empty()
            && self.warnings.is_empty();
        if lists_none && target.project.is_some() {
            return Some(format!("{title} skips all entries there: the directory is not trusted"));
        }
        let mut reasons: Vec<&str> = self.idle.iter().map(|(_, why)| *why).collect();
        reasons.dedup();
        let (count, why) = (self.idle.len(), reasons.join(", "));
        (count > 0).then(|| format!("{title} skips hookman entries ({count}): {why}"))
    }
}

/// It answers within half a second.
const PATIENCE: Duration = Duration::from_secs(10);

/// Has the server stop with the answer: it ends with its input, before it has answered. Its
/// plugins would leave a half-made clone in `~/.codex/.tmp`.
const LINE: &str = r#"{ cat; exec sleep 20; } | codex app-server -c features.plugins=false 2>/dev/null | while IFS= read -r line; do
case $line in *'"id":2,'*) printf '%s\n' "$line"; kill -TERM 0;; esac; done"#;

/// Asks Codex about a target's entries; `None` where it is not there or does not answer.
pub(crate) fn asked(world: &World, target: &Target) -> Option<Trusted> {
    program::on_path("codex", &environment::raw("PATH")?)?;
    let folder = target.project.clone().or_else(|| world.paths.home.clone())?;
    let messages = [
        json!({"id": 1, "method": "initialize", "params":
            {"clientInfo": {"name": "hookman", "title": "hookman", "version": env!("CARGO_PKG_VERSION")}}}),
        json!({"method": "initialized"}),
        json!({"id": 2, "method": "hooks/list", "params": {"cwds": [folder]}}),
    ];
    let stdin = messages.map(|message| format!("{message}\n")).concat();
    let spec = Spec::new(Program::Shell(LINE), PATIENCE);
    let spec = Spec { stdin: stdin.as_bytes(), directory: Some(&folder), ..spec };
    let finished = child::run(&[spec], None).pop()?.ok()?;
    read(&String::from_utf8_lossy(&finished.stdout), &target.settings)
}

fn read(answer: &str, settings: &Path) -> Option<Trusted> {
    let answer: Value = answer.lines().find_map(|line| serde_json::from_str(line).ok())?;
    let mut found = Trusted::default();
    for folder in answer.pointer("/result/data")?.as_array()? {
        let texts =
            |key: &str| folder.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        let warnings = [texts("warnings"), texts("errors")].concat();
        found.warnings.extend(warnings.iter().map(|it| {
            let text = it.as_str().or_else(|| it.get("message")?.as_str());
            text.map_or_else(|| it.to_string(), str::to_owned)
        }));
        for hook in texts("hooks") {
            let text = |key: &str| hook.get(key).and_then(Value::as_str).unwrap_or_default();
            let line = json!({"type": "command", "command": text("command")});
            if Path::new(text("sourcePath")) != settings {
                continue;
            }
            let event = text("eventName").to_owned();
            let is_off = hook.get("enabled").and_then(Value::as_bool) == Some(false);
            let idle = match text("trustStatus") {
                _ if is_off => Some("switched off in Codex"),
                "trusted" | "managed" => None,
                "modified" => Some("changed since it was trusted"),
                _ => Some("not trusted yet"),
            };
            match (idle, run_words(&line).is_some()) {
                (None, true) => found.running.push(event),
                (None, false) => {}
                (Some(why), true) => found.idle.push((event, why)),
                (Some(why), false) => found.others.push((event, why)),
            }
        }
    }
    Some(found)
}

pub(crate) const HOW: &str = "start `codex` once and choose \"Trust all and continue\", or type /hooks there and look at each";

/// Says which entries of a target programs skip until a person trusts them.
pub(crate) fn skipped(world: &World, target: &Target) -> Vec<String> {
    let told = |host: Target| {
        let of = host.host.filter(|_| !hosts::lines(&host).is_empty())?;
        let shown = world.paths.shown(&host.settings);
        let (says, how) = match of.trust {
            Trust::Entries => {
                let asked = asked(world, &host)?;
                if let Some(says) = asked.dropped(of.title, &host) {
                    return Some(format!("{shown}: {says}"));
                }
                (asked.skipped(of.title, &host)?, HOW.to_owned())
            }
            _ => folder_trust::untrusted(world, &host)?,
        };
        Some(format!("{shown}: {says}; {how}"))
    };
    hosts::targets(world, target).into_iter().filter_map(told).collect()
}

/// Warns of entries that were written and that programs skip until a person trusts them.
pub(crate) fn warn(world: &World, target: &Target) {
    for line in skipped(world, target) {
        world.terminal.warn(format!("warning: {line}"));
    }
}

/// Says what has to be done before a program runs the entries that were written.
pub(crate) fn tell(world: &World, target: &Target, hosts: &[&'static str]) {
    if hosts.is_empty() {
        warn(world, target);
    }
    if hosts.iter().any(|name| *name != CLAUDE.name) {
        world
            .terminal
            .line("\nAgents other than Claude Code read their hooks when a session starts.");
    }
    for of in hosts.iter().filter_map(|name| Files::of(name)) {
        let Some(host) = hosts::target(world, target, of) else { continue };
        match of.trust {
            Trust::Folder if target.project.is_some() => world.terminal.line(format!(
                "{} runs a project's hooks only where the directory is trusted: start `{}` in it once and \
                 say so.",
                of.title, of.host.name
            )),
            Trust::Entries => world.terminal.line(match asked(world, &host) {
                Some(Trusted { idle, running, .. }) if idle.is_empty() && !running.is_empty() => {
                    format!("{} trusts its {} entries.", of.title, running.len())
                }
                Some(Trusted { idle, .. }) if !idle.is_empty() => format!(
                    "{} skips {} entries until a person trusts them: {HOW}.",
                    of.title,
                    idle.len()
                ),
                _ => format!("{} skips new entries until a person trusts them: {HOW}.", of.title),
            }),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_read_for_the_entries_of_one_file() {
        let hook = |status: &str, enabled: bool, command: &str| {
            json!({"eventName": "preToolUse", "command": command, "sourcePath": "/h/.codex/hooks.json",
                "enabled": enabled, "trustStatus": status})
        };
        let ours = "/x/hookman run PreToolUse --host codex";
        let hooks = [
            hook("trusted", true, ours),
            hook("trusted", false, ours),
            hook("untrusted", true, ours),
            hook("modified", true, ours),
            hook("modified", true, "/x/other"),
        ];
        let answer = json!({"id": 2, "result": {"data": [{"hooks": hooks, "warnings": ["odd"]}]}});
        let found = read(&answer.to_string(), Path::new("/h/.codex/hooks.json")).unwrap();
        let idle = ["switched off in Codex", "not trusted yet", "changed since it was trusted"];
        let event = || "preToolUse".to_owned();
        assert_eq!(found.running, [event()]);
        assert_eq!(found.idle, idle.map(|why| (event(), why)));
        assert_eq!(found.others, [(event(), "changed since it was trusted")]);
        assert_eq!(found.warnings, ["odd"]);
        assert_eq!(read("", Path::new("/h")), None);
    }
}

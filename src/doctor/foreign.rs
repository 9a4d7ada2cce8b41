//! A watch over the hooks of others in every agent's files, which names each new one once.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::check::{Findings, Level};
use super::facts::Facts;
use super::host_file::{Found, hooks_in};
use crate::machine::files;
use crate::machine::paths::content_hash;
use crate::settings::{Handler, Passed};
use crate::state::host_files;

/// A hook that is not hookman's.
struct Foreign {
    hash: String,
    noun: &'static str,
    /// The occasion on which it runs, and what that is.
    runs: String,
    file: String,
    /// True if it is in Claude Code's settings, where those of the first look are not named.
    is_claudes: bool,
}

impl Foreign {
    fn of_hook(file: &str, event: &str, line: &str, value: &str) -> Self {
        let short: String = line.chars().take(80).collect();
        Self {
            hash: content_hash(format!("{file} {event} {value}").as_bytes()),
            noun: "a hook",
            runs: format!("on {event}: `{short}`"),
            file: file.to_owned(),
            is_claudes: false,
        }
    }

    fn of_found(file: &str, found: Vec<Found>) -> impl Iterator<Item = Self> {
        let foreign = found.into_iter().filter(|hook| !hook.ours);
        foreign.map(move |it| Self::of_hook(file, &it.event, &it.line, &it.line))
    }
}

/// Names each hook of others that was not there at the last look.
pub(super) fn named(facts: &Facts, findings: &mut Findings) {
    let known = known(facts);
    for Foreign { hash, noun, runs, file, is_claudes } in others(facts) {
        if known.as_ref().map_or(is_claudes, |known| known.contains(&hash)) {
            continue;
        }
        let (level, what) = match known {
            Some(_) => (Level::Warning, "that is new or changed"),
            None => (Level::Info, "that is not hookman's"),
        };
        findings.say("foreign", file, &[&noun, &what, &runs]).level = level;
    }
}

fn others(facts: &Facts) -> Vec<Foreign> {
    let mut found = Vec::new();
    for settings in &facts.settings {
        let written = settings.undo.as_ref().map(|undo| &*undo.record.passed).unwrap_or_default();
        let is_written = |handler: &Handler| {
            let is_it = |it: &Passed| it.event == handler.event && it.handler == handler.value;
            written.iter().any(is_it)
        };
        let is_foreign = |handler: &Handler| !handler.ours && !is_written(handler);
        for handler in settings.handlers().into_iter().filter(is_foreign) {
            let value = handler.value.to_string();
            let line = handler.text("command").unwrap_or(&value);
            let hook = Foreign::of_hook(&settings.shown, &handler.event, line, &value);
            found.push(Foreign { is_claudes: true, ..hook });
        }
    }
    for file in &facts.hosts {
        found.extend(Foreign::of_found(&file.shown, file.hooks()));
        found.extend(file.plugins().into_iter().map(|(named, text)| Foreign {
            hash: content_hash(format!("{} {text}", file.shown).as_bytes()),
            noun: "a plugin",
            runs: format!("in {}{named}", file.of.title),
            file: file.shown.clone(),
            is_claudes: false,
        }));
    }
    for file in of_cursor(facts) {
        let Some(text) = files::read_text(&file).ok().flatten() else { continue };
        let hooks = hooks_in(host_files::value(&file, &text).get("hooks"));
        found.extend(Foreign::of_found(&facts.paths.shown(&file), hooks));
    }
    found
}

/// The files of Cursor, which hookman writes none of.
fn of_cursor(facts: &Facts) -> Vec<PathBuf> {
    let folders = [&facts.paths.home, &facts.project].into_iter().flatten();
    let files: BTreeSet<PathBuf> = folders.map(|it| it.join(".cursor/hooks.json")).collect();
    files.into_iter().filter(|_| facts.is_whole).collect()
}

fn record(facts: &Facts) -> PathBuf {
    facts.paths.state.join("known-hooks")
}

fn known(facts: &Facts) -> Option<BTreeSet<String>> {
    let text = files::read_text(&record(facts)).ok()??;
    Some(text.lines().map(str::to_owned).collect())
}

/// Notes which hooks of others were named; one that cannot be noted is named again.
pub fn remember(facts: &Facts) {
    let before = known(facts);
    let mut now: BTreeSet<String> = others(facts).into_iter().map(|it| it.hash).collect();
    // Those of another project are not looked at here.
    now.extend(before.iter().flatten().cloned());
    // Where there was no file to look at, those of the first one are not new.
    let has_settings = facts.settings.iter().any(|it| matches!(it.text, Ok(Some(_))));
    let is_blind = facts.hosts.is_empty() && !has_settings;
    if before.is_none() && is_blind || before.as_ref() == Some(&now) {
        return;
    }
    let text: String = now.iter().flat_map(|hash| [hash.as_str(), "\n"]).collect();
    let _ = files::replace_private(&record(facts), &text);
}

//! Events and matchers of other programs in hookman's words, and back.

use serde_json::{Map, Value};

use crate::client::host::files::{Files, Form};
use crate::client::{Event, Subject, tools};

/// The keys of a handler that hookman carries, or whose loss changes nothing.
const KEYS: [&str; 5] = ["type", "command", "timeout", "name", "description"];

/// The same of a handler that needs no group; each of the second names is another for the first.
const ALONE: [&str; 4] = ["matcher", "powershell", "bash", "timeoutSec"];

pub(super) fn in_known_keys(
    of: &Files,
    keys: &Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    let alone = if of.form == Form::Own { &ALONE[..] } else { &[] };
    let is_lost = |key: &&String| !KEYS.contains(&&***key) && !alone.contains(&&***key);
    if let Some(key) = keys.keys().find(is_lost) {
        return Err(format!("its key `{key}` would be lost"));
    }
    let mut known = keys.clone();
    for (theirs, ours) in [("bash", "command"), ("timeoutSec", "timeout")] {
        if let Some(value) = known.shift_remove(theirs) {
            known.insert(ours.to_owned(), value);
        }
    }
    Ok(known)
}

/// The program of a line that a program runs in Bash, where `sh` may read another one in it.
pub(super) fn of_bash(line: &str) -> Option<[String; 3]> {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || " ._/-=:@,+%~$\"'".contains(it);
    let is_name = |it: &str| it.starts_with(|it: char| it.is_ascii_alphabetic());
    let first = line.split_whitespace().next();
    let means_one = line.chars().all(is_plain)
        && line.split('$').skip(1).all(is_name)
        && !matches!(first, Some("source" | "echo"));
    (!means_one).then(|| ["bash", "-c", line].map(str::to_owned))
}

pub(super) fn event(of: &Files, name: &str) -> Result<Event, String> {
    let is_own = of.form == Form::Own && name.starts_with(|it: char| it.is_ascii_lowercase());
    if is_own {
        return Err(format!(
            "{title} gives it other fields at its own event `{name}`, and hookman does not read the answers that it \
             has there",
            title = of.title
        ));
    }
    let event = of.host.event(name).filter(|it| of.has(*it) && of.host.event_name(*it) == name);
    let event =
        event.ok_or_else(|| format!("hookman does not know the event {name} of {}", of.title))?;
    if of.in_own_words.contains(&event) {
        return Err(format!(
            "{} gives it other fields at {name}, and hookman does not read the answers that it has there",
            of.title
        ));
    }
    Ok(event)
}

/// A matcher in hookman's words: the names that hit the same calls.
pub fn matcher_here(
    of: &Files,
    event: Event,
    text: Option<&str>,
) -> Result<Option<String>, String> {
    if text == Some("") && of.form == Form::Own {
        return Err("it never runs: its matcher is empty".to_owned());
    }
    let Some(text) = text.filter(|text| !matches!(*text, "" | "*" | ".*")) else { return Ok(None) };
    let pattern = || format!("hookman cannot put its matcher `{text}` into Claude Code's names");
    let whole = text.strip_prefix('^').and_then(|text| text.strip_suffix('$'));
    let inner = whole.unwrap_or(text);
    let group = inner.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    if whole.is_some() && group.is_none() && inner.contains('|') {
        return Err(pattern());
    }
    let mut names: Vec<String> = Vec::new();
    for name in group.unwrap_or(inner).split('|') {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err(pattern());
        }
        let word = of.host.words.iter().find(|(_, theirs, _)| *theirs == name);
        let ours = match event.facts().subject {
            Subject::Tool if of.edits.contains(&name) => {
                vec!["Edit".to_owned(), "Write".to_owned()]
            }
            Subject::Tool => match of.host.tool(name) {
                Some(ours) => vec![ours],
                None if name.starts_with("mcp__") => vec![name.to_owned()],
                None if of.exact && tools::KNOWN.contains(&name) => vec![name.to_owned()],
                None if of.host.tools.iter().any(|(_, ours)| *ours == name) => {
                    return Err(format!("it never runs: {} has no tool `{name}`", of.title));
                }
                None if tools::KNOWN.contains(&name) => vec![name.to_owned()],
                None => return Err(pattern()),
            },
            _ => vec![word.map_or(name, |(_, _, ours)| *ours).to_owned()],
        };
        names.extend(ours.into_iter().filter(|it| !names.contains(it)).collect::<Vec<_>>());
    }
    Ok(Some(names.join("|")))
}

pub fn matcher_there(of: &Files, event: Event, text: &str) -> String {
    let theirs = |name: &str| {
        let tool = of.host.tools.iter().find(|(_, ours)| *ours == name);
        let word = of.host.words.iter().find(|(_, _, ours)| *ours == name);
        match event.facts().subject {
            Subject::Tool => {
                tool.map_or_else(|| name.to_owned(), |(theirs, _)| (*theirs).to_owned())
            }
            _ => word.map_or_else(|| name.to_owned(), |(_, theirs, _)| (*theirs).to_owned()),
        }
    };
    text.split('|').map(theirs).collect::<Vec<_>>().join("|")
}

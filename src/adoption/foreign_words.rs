//! Events and matchers of other programs in hookman's words, and back.

use crate::client::host::files::Files;
use crate::client::{Event, Subject, tools};

/// The keys of a handler that hookman carries, or whose loss changes nothing.
pub(super) const KEYS: [&str; 5] = ["type", "command", "timeout", "name", "description"];

pub(super) fn event(of: &Files, name: &str) -> Result<Event, String> {
    let event = of.host.event(name).filter(|it| of.has(*it) && of.host.event_name(*it) == name);
    event.ok_or_else(|| format!("hookman does not know the event {name} of {}", of.title))
}

/// A matcher in hookman's words: the names that hit the same calls.
pub fn matcher_here(
    of: &Files,
    event: Event,
    text: Option<&str>,
) -> Result<Option<String>, String> {
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

//! The calls that a gate lets through while it stops others; all gates of a session honour each other's.
//!
//! So no two gates lock a session. A gate that only the user may switch off believes only its own kind in
//! its manifest, as any other may be an agent's.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde::Deserialize;

use super::tool_pattern::ToolPattern;
use super::{Context, Failure};
use crate::machine::paths::content_hash;
use crate::syntax::shell;

/// The named text with the allowances of the agent's closed gates, by hook.
fn closed_name(context: &Context<'_>) -> String {
    match &*context.payload.agent_id {
        "" => "gates.closed".to_owned(),
        agent => format!("gates.closed@{agent}"),
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Input<'a> {
    #[serde(borrow)]
    command: Option<Cow<'a, str>>,
    #[serde(borrow)]
    file_path: Option<Cow<'a, str>>,
}

/// Returns whether the whole call is one of these: of a shell line every command, without a redirection to
/// a file, a variable or a path that climbs with `..`.
pub(super) fn covers(patterns: &[ToolPattern], context: &Context<'_>) -> bool {
    let tool = &*context.payload.tool_name;
    let patterns = || patterns.iter().filter(|pattern| pattern.is_about(tool));
    if patterns().next().is_none() {
        return false;
    }
    let Ok(input) = context.tool_input::<Input<'_>>() else { return false };
    let Input { command, file_path } = input.unwrap_or_default();
    if file_path.is_some_and(|path| path.split(['/', '\\']).any(|part| part == "..")) {
        return false;
    }
    let Some(line) = command else { return patterns().any(|pattern| pattern.hits(context)) };
    // Without quotes a word is in the line as it is, and most lines need not be read.
    let is_plain = !line.contains(['\'', '"', '\\']);
    if is_plain && !patterns().any(|pattern| line.contains(pattern.program())) {
        return false;
    }
    let split = shell::split(&line);
    let is_hit = |command: &shell::Command<'_>| {
        let words: Vec<&str> = command.words.iter().map(|word| &*word.text).collect();
        let words = words.join(" ");
        command.assignments.is_empty()
            && !command.redirections.iter().any(writes)
            && patterns().any(|pattern| pattern.hits_command(&words))
    };
    // A line without a command does nothing that a gate could wait for.
    split.complete && !split.commands.is_empty() && split.commands.iter().all(is_hit)
}

/// Returns whether a redirection writes a file, which no pattern tells of.
fn writes(redirection: &shell::Redirection<'_>) -> bool {
    let target = &*redirection.target.text;
    let is_number = target.trim_start_matches('&').bytes().all(|byte| byte.is_ascii_digit());
    redirection.operator.contains('>') && !is_number && target != "/dev/null"
}

/// The start of the names of fenced gates in the table, for each manifest another one.
fn fence(context: &Context<'_>) -> String {
    let hash = |manifest: &Path| content_hash(manifest.as_os_str().as_bytes());
    context.fence.map(|manifest| hash(manifest) + " ").unwrap_or_default()
}

/// Returns whether another closed gate lets the call through; `false` if that cannot be read.
pub(super) fn is_let_through_by_others(context: &Context<'_>) -> bool {
    let Ok(Some(closed)) = context.store.text(&closed_name(context)) else { return false };
    let closed: BTreeMap<String, Vec<ToolPattern>> =
        serde_json::from_str(&closed).unwrap_or_default();
    let fence = fence(context);
    let mut others = closed
        .iter()
        .filter(|(name, _)| name.strip_prefix(&*fence).is_some_and(|name| name != context.name));
    others.any(|(_, patterns)| covers(patterns, context))
}

/// Tells other gates that this one is closed, and what it lets through; on a full disk it is closed anyway.
pub(super) fn close(context: &Context<'_>, patterns: &[ToolPattern]) {
    let _ = set(context, Some(patterns));
}

/// Tells other gates that this one is open again.
pub(super) fn open(context: &Context<'_>) -> Result<(), Failure> {
    set(context, None)
}

fn set(context: &Context<'_>, patterns: Option<&[ToolPattern]>) -> Result<(), Failure> {
    let name = fence(context) + context.name;
    let mut change = |old: Option<&str>| {
        let mut closed: BTreeMap<String, Vec<ToolPattern>> =
            old.and_then(|old| serde_json::from_str(old).ok()).unwrap_or_default();
        match patterns {
            Some(patterns) => closed.insert(name.clone(), patterns.to_vec()),
            None => closed.remove(&name),
        };
        (!closed.is_empty()).then(|| serde_json::to_string(&closed).unwrap_or_default())
    };
    context.store.change(&closed_name(context), &mut change).map(|_| ()).map_err(Failure::Store)
}

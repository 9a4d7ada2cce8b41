//! The hooks in files of other agents that hookman takes nothing out of.

use std::collections::HashSet;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::word::hint;
use crate::adoption::{Candidate, candidates};
use crate::client::host::files::Form;
use crate::install::adoption::parts::{barrier, editable};
use crate::install::adoption::state::AdoptionState;
use crate::install::target::{Layers, Target};
use crate::machine::{World, files, harmless};
use crate::state::host_files;
use crate::syntax::json::Document;

pub(super) struct ByHand {
    file: String,
    hook: Candidate,
    /// The reason why hookman does not take it out, where that is its own.
    reason: Option<String>,
}

/// Lists the hooks of others in an agent's files besides `from`, but for those of its extensions.
pub(super) fn by_hand(world: &World, from: &Target) -> Vec<ByHand> {
    let Some(of) = from.host else { return Vec::new() };
    let is_apart = |it: &PathBuf| {
        *it != from.settings
            && (of.extensions.is_empty() || !it.iter().any(|part| part == of.extensions))
    };
    let all = host_files::more(&world.paths, from.project.as_deref(), &from.settings, of);
    let parts = editable(world, from);
    let mut found = Vec::new();
    for file in all.into_iter().filter(is_apart) {
        let part = parts.iter().find(|it| it.settings == file);
        let part = part.and_then(|it| AdoptionState::of(world, it).ok());
        let is_barred = part.is_none() && of.form == Form::Own;
        let barrier = is_barred.then(|| Target { settings: file.clone(), ..from.clone() });
        let barrier = barrier.and_then(|it| barrier_of(&it));
        let adopted = part.iter().flat_map(|it| &it.adoption.hooks);
        let adopted: HashSet<String> = adopted.map(|hook| hook.pointer.clone()).collect();
        let can_edit = part.is_some();
        let text = part.map(|it| it.adoption.original);
        let Some(text) = text.or_else(|| files::read_text(&file).ok().flatten()) else { continue };
        let value = host_files::value(&file, &text);
        let is_bare = host_files::form(of, &file).bare;
        let value = if is_bare { json!({ "hooks": value }) } else { value };
        let value = value.to_string();
        let Ok(document) = Document::parse(&value) else { continue };
        let mut hooks = candidates(&document, Some(of));
        hooks.retain(|it| !(adopted.contains(&it.pointer) || can_edit && it.wrapped.is_ok()));
        found.extend(hooks.into_iter().map(|hook| ByHand {
            file: world.paths.shown(&file),
            reason:
                barrier.clone().or_else(|| hook.wrapped.as_ref().err().map(ToString::to_string)),
            hook,
        }));
    }
    found
}

/// Explains why hookman leaves a file alone.
fn barrier_of(part: &Target) -> Option<String> {
    barrier(part).map(|why| format!("hookman leaves this file alone: {why}"))
}

pub(super) fn show(world: &World, from: &Target, found: &[ByHand]) {
    let Some(of) = from.host.filter(|_| !found.is_empty()) else { return };
    let title = of.title;
    let why = if of.form == Form::Own {
        format!("hookman leaves these hooks of {title} where they are.")
    } else {
        format!(
            "hookman takes hooks only out of the file that its own entries are in, where it can give them back to the \
             byte, and none out of these files of {title}."
        )
    };
    world.terminal.line(format!(
        "{why} To have it run one, add it (`hookman add`) and take it out there; a script then reads Claude Code's \
         words and answers in them:"
    ));
    for ByHand { file, hook, reason } in found {
        let start = harmless(&format!("  {file}  {}  ", hook.fires()));
        world.terminal.print_row(&start, &harmless(&hook.summary), 6);
        if let Some(reason) = reason {
            world.terminal.print_row("    ", &harmless(reason), 4);
        }
    }
    let is_for = Layers::of(world, from, None).ok().flatten();
    if !is_for.is_some_and(|it| it.committed.is_for(of.host.name)) {
        let (flag, host) = (from.flag(), of.host.name);
        hint(
            world,
            format!(
                "Before that, have {title} call hookman: `hookman install{flag} --host {host}`"
            ),
        );
    }
}

pub(super) fn as_json(found: &[ByHand]) -> Value {
    let row = |ByHand { file, hook, reason }: &ByHand| {
        json!({
            "file": file,
            "event": hook.event,
            "matcher": hook.matcher,
            "summary": hook.summary,
            "reason": reason,
        })
    };
    found.iter().map(row).collect()
}

//! The hooks in files of other agents that hookman takes nothing out of, and how a person adds each.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use super::word::hint;
use crate::adoption::{Names, Program, candidates, matcher_here, suggest};
use crate::client::call::run_words;
use crate::client::host::files::{Files, Form};
use crate::install::adoption::parts::{barrier, editable};
use crate::install::adoption::state::AdoptionState;
use crate::install::target::{Layers, Target};
use crate::machine::{World, files, harmless};
use crate::state::host_files;
use crate::syntax::escaped::quoted;
use crate::syntax::json::{Document, child};
use crate::syntax::named::words;

/// A hook in such a file.
pub(super) struct ByHand {
    file: String,
    event: String,
    matcher: Option<String>,
    line: String,
    /// The reason why hookman does not take it out, where that is its own.
    reason: Option<String>,
    /// The command that adds it to the manifest, or the reason why there is none.
    way: Result<String, String>,
}

/// Lists the hooks of others in an agent's files besides `from`, but for those of its extensions.
pub(super) fn by_hand(world: &World, from: &Target) -> Vec<ByHand> {
    let Some(of) = from.host else { return Vec::new() };
    let layers = Layers::of(world, from, None).ok().flatten();
    let taken = layers.map(|it| it.all.hooks).unwrap_or_default();
    let mut names = Names::without(taken.into_iter().map(|hook| hook.name));
    let mut found = Vec::new();
    let is_apart = |it: &PathBuf| {
        *it != from.settings
            && (of.extensions.is_empty() || !it.iter().any(|part| part == of.extensions))
    };
    let all = host_files::more(&world.paths, from.project.as_deref(), &from.settings, of);
    let parts = editable(world, from);
    for file in all.into_iter().filter(is_apart) {
        let part = parts.iter().find(|it| it.settings == file);
        let part = part.and_then(|it| AdoptionState::of(world, it).ok());
        let gone = part.as_ref().map(out_of).unwrap_or_default();
        let stay = part.as_ref().map(staying).unwrap_or_default();
        let barrier = if part.is_none() && of.form == Form::Own {
            barrier(&Target { settings: file.clone(), ..from.clone() })
        } else {
            None
        };
        let text = part.map(|it| it.adoption.original);
        let Some(text) = text.or_else(|| files::read_text(&file).ok().flatten()) else { continue };
        let value = host_files::value(&file, &text);
        let is_bare = host_files::form(of, &file).bare;
        let events = if is_bare { Some(&value) } else { value.get("hooks") };
        for (event, groups) in events.and_then(Value::as_object).into_iter().flatten() {
            for (at, group) in groups.as_array().into_iter().flatten().enumerate() {
                let handlers = group.get("hooks").and_then(Value::as_array);
                let of_group = group.get("matcher").and_then(Value::as_str);
                let handlers = handlers.map_or(std::slice::from_ref(group), Vec::as_slice);
                for (place, handler) in handlers.iter().enumerate() {
                    let pointer = format!("{}/{at}/hooks/{place}", child("/hooks", event));
                    if gone.contains(&pointer) {
                        continue;
                    }
                    let matcher = of_group.or_else(|| handler.get("matcher")?.as_str());
                    let line = ["bash", "command"].iter().find_map(|it| handler.get(*it)?.as_str());
                    let call = json!({"type": "command", "command": line});
                    if run_words(&call).is_some() {
                        continue;
                    }
                    found.push(ByHand {
                        file: world.paths.shown(&file),
                        event: event.clone(),
                        matcher: matcher.map(str::to_owned),
                        line: line.map_or_else(|| handler.to_string(), str::to_owned),
                        reason: stay.get(&pointer).cloned(),
                        way: match &barrier {
                            Some(why) => Err(format!("hookman leaves this file alone: {why}")),
                            None => way(of, from, event, matcher, line, handler, &mut names),
                        },
                    });
                }
            }
        }
    }
    found
}

/// The handlers of a file that hookman took out or can take out.
fn out_of(state: &AdoptionState) -> HashSet<String> {
    let mut taken: HashSet<String> =
        state.adoption.hooks.iter().map(|hook| hook.pointer.clone()).collect();
    if let Ok(document) = Document::parse(&state.adoption.original) {
        let open = candidates(&document, state.target.host).into_iter();
        taken.extend(open.filter(|it| it.wrapped.is_ok()).map(|it| it.pointer));
    }
    taken
}

/// The reasons why the other handlers of a file stay there.
fn staying(state: &AdoptionState) -> HashMap<String, String> {
    let Ok(document) = Document::parse(&state.adoption.original) else { return HashMap::new() };
    let all = candidates(&document, state.target.host).into_iter();
    all.filter_map(|it| Some((it.pointer, it.wrapped.err()?.to_string()))).collect()
}

fn way(
    of: &'static Files,
    from: &Target,
    event: &str,
    matcher: Option<&str>,
    line: Option<&str>,
    handler: &Value,
    names: &mut Names,
) -> Result<String, String> {
    const KEYS: [&str; 9] =
        words("type bash powershell command timeout timeoutSec matcher name description");
    let line = line.ok_or("it is no line for a POSIX shell")?;
    // Copilot has a second spelling of each event, which begins with a small letter.
    let name = match event {
        "userPromptSubmitted" => "UserPromptSubmit".to_owned(),
        "agentStop" => "Stop".to_owned(),
        _ => {
            let capital = event.get(..1).unwrap_or_default().to_ascii_uppercase();
            capital + event.get(1..).unwrap_or_default()
        }
    };
    let known = of.host.event(&name).filter(|it| of.has(*it));
    let event =
        known.ok_or_else(|| format!("hookman does not know the event {event} of {}", of.title))?;
    let matcher = matcher_here(of, event, matcher)?;
    let mut keys = handler.as_object().into_iter().flat_map(|keys| keys.keys());
    if let Some(key) = keys.find(|key| !KEYS.contains(&key.as_str())) {
        return Err(format!("its key `{key}` would be lost"));
    }
    let limit = ["timeout", "timeoutSec"].iter().find_map(|key| handler.get(*key)?.as_f64());
    let seconds = match limit {
        Some(limit) => of.milliseconds(limit) / 1000.0,
        None => Duration::from_millis(of.unset_ms).as_secs_f64(),
    };
    if !(0.001..=600.0).contains(&seconds) {
        return Err(format!("its time limit of {seconds} s is not from 0.001 to 600 s"));
    }
    let name = names.give(&suggest(&Program::Command(line.to_owned())), event);
    let matcher = matcher.map(|it| format!(" --matcher {}", quoted(&it))).unwrap_or_default();
    let host = of.host.name;
    Ok(format!(
        "hookman add {}{} --event {event}{matcher} --timeout {seconds} --command {} --set 'hosts=[\"{host}\"]'",
        quoted(&name),
        from.flag(),
        quoted(line),
    ))
}

/// Says which hooks a person can add by hand, and how.
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
        "{why} To have it run one, add it and take it out there; a script then reads Claude Code's words and \
         answers in them:"
    ));
    for ByHand { file, event, matcher, line, reason, way } in found {
        let matcher = matcher.as_ref().map(|it| format!("({it})")).unwrap_or_default();
        let line = line.lines().next().unwrap_or_default();
        let start = harmless(&format!("  {file}  {event}{matcher}  "));
        world.terminal.print_row(&start, &harmless(line), 6);
        let way = way.as_ref().unwrap_or_else(|reason| reason);
        if let Some(reason) = reason.as_ref().filter(|it| *it != way) {
            world.terminal.print_row("    ", &harmless(&format!("It stays: {reason}")), 4);
        }
        world.terminal.line(format!("    {}", harmless(way)));
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
    let row = |it: &ByHand| {
        json!({
            "file": it.file,
            "event": it.event,
            "matcher": it.matcher,
            "summary": it.line,
            "add": it.way.as_ref().ok(),
            "reason": it.way.as_ref().err().or(it.reason.as_ref()),
        })
    };
    found.iter().map(row).collect()
}

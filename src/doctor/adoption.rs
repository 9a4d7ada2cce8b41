//! Does what is adopted run once?

use serde_json::Value;

use super::facts::{ChainFacts, SettingsFile};
use super::{Check, Facts, Findings, Level};
use crate::client::json::is_blank;
use crate::manifest::{Action, Hook};
use crate::settings::adoption::{Adopted, Adoption, Declared, Program};

pub(super) const CHECKS: &[Check] = &[Check {
    id: "adopted-twice",
    about: "no handler that is adopted stands in the settings again",
    run: once,
}];

fn once(facts: &Facts, findings: &mut Findings) {
    for file in &facts.settings {
        let chain = if file.scope == "local" { "project" } else { file.scope };
        let Some(chain) = facts.chains.iter().find(|it| it.chain.scope == chain) else { continue };
        let Ok(Some(text)) = &file.text else { continue };
        let flag = match file.scope {
            "project" => " --project",
            "local" => " --local",
            _ => "",
        };
        for (hook, handler) in standing(file, chain, text) {
            let handlers = file.handlers();
            let found = handlers.iter().find(|it| !it.ours && Some(&it.value) == handler.as_ref());
            findings.add(
                Level::Warning,
                match found {
                    Some(found) => format!("{}:{}", file.shown, found.position.line),
                    None => file.shown.clone(),
                },
                format!("`{hook}` is adopted, but stands here for the client to run as well"),
                format!(
                    "run `hookman apply{flag}`, which takes it out here, or \
                     `hookman release{flag} {hook}`, which leaves it to the client"
                ),
            );
        }
    }
}

/// The hooks whose handlers stand in a file again; what cannot be read is another check's.
fn standing(file: &SettingsFile, chain: &ChainFacts, text: &str) -> Vec<(String, Option<Value>)> {
    let Ok(all) = &chain.manifest else { return Vec::new() };
    let all = all.as_ref().map(|all| all.hooks.as_slice()).unwrap_or_default();
    let hooks = declared(own_hooks(file.scope == "local", &chain.committed.hooks, all));
    if is_blank(text) || (file.adoptions.is_none() && !hooks.iter().any(|hook| hook.adopted)) {
        return Vec::new();
    }
    let adoption = match &file.adoptions {
        Some(kept) => kept.in_line_with(text, None),
        None => Adoption::of(None, text, None),
    };
    let adoption = adoption.and_then(|adoption| adoption.declared_by(&hooks, text, None));
    let Ok(adoption) = adoption else { return Vec::new() };
    let standing = adoption.standing(text).unwrap_or_default();
    let handler = |hook: &Adopted| (hook.hook.clone(), adoption.handler(&hook.pointer));
    standing.into_iter().map(handler).collect()
}

/// The hooks that the manifest beside a settings file declares itself: the committed ones, or those
/// of `all` that only the overlay has.
pub fn own_hooks<'h>(
    local: bool,
    committed: &'h [Hook],
    all: &'h [Hook],
) -> impl Iterator<Item = &'h Hook> {
    let own = move |hook: &&Hook| !local || !committed.iter().any(|it| it.name == hook.name);
    if local { all } else { committed }.iter().filter(own)
}

/// Hooks as far as it matters to which handlers they run in whose stead.
pub fn declared<'h>(hooks: impl IntoIterator<Item = &'h Hook>) -> Vec<Declared<'h>> {
    let declared = |hook: &'h Hook| Declared {
        hook: &hook.name,
        adopted: hook.manner.adopted,
        program: match &hook.action {
            Action::Builtin { .. } | Action::Passed(_) => None,
            Action::Command(line) => Some(Program::Command(line.clone())),
            Action::Argv(words) => Some(Program::Argv(words.clone())),
        },
        events: &hook.events,
        matcher: hook.matcher.as_deref(),
        condition: hook.manner.condition.as_deref(),
    };
    hooks.into_iter().map(declared).collect()
}

//! The handlers of others that a settings file offers for adoption.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use anyhow::{Result, bail};

use super::state::AdoptionState;
use super::step::{AdoptionStep, Wanted, manifest_text};
use crate::adoption::{Adopted, Candidate, Names, Program, Wrapped, candidates, suggest};
use crate::client::Event;
use crate::client::host::CLAUDE;
use crate::client::host::files::Files;
use crate::client::settings_schema::{self, Defect, Effect};
use crate::install::registration::{self, hosts};
use crate::install::target::{Layers, Target};
use crate::machine::{World, environment, files};
use crate::manifest::edit::{self, NewHook};
use crate::manifest::{Action, Manner, OnError};
use crate::settings::{Handler, Passed, Record, Registration, handlers};
use crate::state::configured;
use crate::syntax::json::{Document, Kind, is_blank, without_comments};

/// A handler that hookman did not write, with the name that its hook would have.
pub(crate) struct Offer {
    pub(crate) candidate: Candidate,
    /// The name; empty where hookman cannot run it.
    pub(crate) name: String,
    /// Another settings file that has an equal handler, for people.
    pub(crate) twin: Option<String>,
}

impl Offer {
    pub(crate) fn wrapped(&self) -> Option<&Wrapped> {
        self.candidate.wrapped.as_ref().ok()
    }
}

/// The handlers that are not adopted, in the order of the file; none has a name that was `given`.
pub(crate) fn offers(world: &World, state: &AdoptionState, given: &[String]) -> Result<Vec<Offer>> {
    let original = &state.adoption.original;
    if is_blank(original) {
        return Ok(Vec::new());
    }
    let plain = without_comments(original);
    let document = Document::parse(&plain)?;
    let mut presumed = presumed(state, world);
    let elsewhere = handlers_elsewhere(world, &state.target);
    let here = handlers(&document);
    let here: HashMap<&str, &Handler> = here.iter().map(|it| (&*it.pointer, it)).collect();
    let adopted: HashSet<&str> = state.adoption.hooks.iter().map(|hook| &*hook.pointer).collect();
    let taken = state.layers.all.hooks.iter().map(|hook| &hook.name).chain(given);
    let mut names = Names::without(taken.cloned());
    let mut offers: Vec<Offer> = Vec::new();
    for candidate in candidates(&document, state.target.host) {
        if adopted.contains(&*candidate.pointer) {
            continue;
        }
        let Some(own) = here.get(&*candidate.pointer) else { continue };
        if let Some(at) = presumed.iter().position(|ours| is_same(ours, own)) {
            presumed.swap_remove(at);
            continue;
        }
        let is_twin = |it: &Handler| (&own.event, &own.identity) == (&it.event, &it.identity);
        let twin = elsewhere.iter().find(|(_, handler)| is_twin(handler));
        let twin = twin.map(|(shown, _)| shown.clone());
        let name = match &candidate.wrapped {
            Ok(wrapped) => names.give(&suggest(&wrapped.program), wrapped.event),
            Err(_) => String::new(),
        };
        offers.push(Offer { candidate, name, twin });
    }
    Ok(offers)
}

/// The entries run without hookman that no record tells from those of others, as in a clone.
fn presumed(state: &AdoptionState, world: &World) -> Vec<Passed> {
    if state.target.host.is_some() {
        return Vec::new();
    }
    let count = |text: &str, ours: &Passed| {
        let Ok(document) = Document::parse(text) else { return 0 };
        handlers(&document).iter().filter(|it| is_same(ours, it)).count()
    };
    // Where hookman is not found, it has no entries.
    let wanted = registration::entries(world, &state.target, &state.layers, None);
    let mut presumed = Record::presumed_for(state.text(), &wanted.unwrap_or_default()).passed;
    // What a record tells of is not in the original any more.
    presumed.retain(|ours| count(state.text(), ours) == count(&state.adoption.original, ours));
    presumed
}

fn is_same(ours: &Passed, handler: &Handler) -> bool {
    let key = (&ours.event, &ours.matcher, &ours.handler);
    key == (&handler.event, &handler.matcher, &handler.value)
}

/// Refuses a file that may have handlers which neither hookman nor the client can read.
pub(crate) fn refuse_malformed(world: &World, state: &AdoptionState) -> Result<()> {
    if is_blank(state.text()) || state.target.host.is_some() {
        return Ok(());
    }
    let document = Document::parse(state.text())?;
    let events = Event::names(Event::ALL);
    let of_hooks = |defect: &Defect| {
        let is_there = defect.pointer.is_empty() || defect.pointer.starts_with("/hooks");
        is_there && matches!(defect.effects.worst(), Effect::FileDropped | Effect::KeyDropped)
    };
    // An event that the client does not know is read, and its handlers are offered or not.
    let is_read = |defect: &Defect| {
        let event = defect.pointer.strip_prefix("/hooks/");
        let node = document.lookup(&defect.pointer);
        event.is_some_and(|event| !event.contains('/') && !events.contains(&event))
            && node.is_some_and(|node| matches!(node.kind, Kind::Array(_)))
    };
    let defects = settings_schema::check(&document, &events);
    let Some(defect) = defects.into_iter().find(|it| of_hooks(it) && !is_read(it)) else {
        return Ok(());
    };
    bail!(
        "`{}` is left alone: line {}, column {}: {}; {}. To do: {}",
        world.paths.shown(&state.target.settings),
        defect.line,
        defect.column,
        defect.message,
        defect.effects,
        defect.hint
    )
}

/// The offers of these names with their twins: of equal handlers the client runs one.
pub(crate) fn picked<'o>(offers: &'o [Offer], names: &[&str]) -> Vec<&'o Offer> {
    let names: HashSet<&str> = names.iter().copied().collect();
    let chosen = offers.iter().filter(|it| names.contains(&*it.name));
    let equals: HashSet<usize> = chosen.map(|it| it.candidate.equals).collect();
    let is_picked = |offer: &&Offer| equals.contains(&offer.candidate.equals);
    offers.iter().filter(|offer| offer.wrapped().is_some()).filter(is_picked).collect()
}

/// The change that adopts what was chosen, registered by the `entries` for the hooks then.
pub(crate) fn adopt(
    world: &World,
    state: &AdoptionState,
    chosen: &[&Offer],
    entries: impl FnOnce(&Layers) -> Result<Vec<Registration>>,
) -> Result<AdoptionStep> {
    let mut manifest = manifest_text(state);
    if !chosen.is_empty() {
        state.target.check_open(world, &manifest)?;
    }
    let of = state.target.host;
    let program = [of.map_or(CLAUDE.name, |of| of.host.name)];
    let is_new = state.manifest.is_none();
    let is_shared = !state.target.local && state.target.managed().is_none();
    let listed = hosts::listed(&state.layers.committed, is_new, &program).filter(|_| is_shared);
    // The others did not run it.
    let own: &[&str] = if listed.is_some() { &program } else { &[] };
    let mut adopted = Vec::new();
    for offer in chosen {
        let Some(wrapped) = offer.wrapped() else { continue };
        let block = write(&mut manifest, &offer.name, wrapped, own, of);
        adopted.push(Adopted::new(&*offer.name, &*offer.candidate.pointer, block));
    }
    let (now, mut next) = (state.adoption.clone(), state.with(adopted));
    if let Some(listed) = listed.filter(|it| state.layers.committed.hosts.as_ref() != Some(it))
        && !chosen.is_empty()
    {
        manifest = edit::set_hosts(&manifest, Some(&listed));
        next.made_host = of.is_some();
        next.others = state.layers.all.hooks.iter().map(|hook| hook.name.clone()).collect();
    }
    AdoptionStep::new(world, state, Wanted { manifest, now, next }, entries)
}

/// Adds a hook to the manifest that runs what a handler runs; gives the text that was added.
fn write(
    manifest: &mut String,
    name: &str,
    wrapped: &Wrapped,
    hosts: &[&str],
    of: Option<&Files>,
) -> String {
    let action = match &wrapped.program {
        Program::Command(line) => Action::Command(line.clone()),
        Program::Argv(words) => Action::Argv(words.clone()),
    };
    let manner = Manner {
        parallel: of.is_none_or(|of| !of.in_turn),
        condition: wrapped.condition.clone(),
        background: wrapped.background,
        status_message: wrapped.status_message.clone(),
        adopted: true,
        ..Manner::default()
    };
    let hook = NewHook {
        name,
        events: &[wrapped.event],
        matcher: wrapped.matcher.as_deref(),
        action: &action,
        timeout_ms: Some(wrapped.timeout_ms),
        on_error: Some(if wrapped.closed { OnError::Closed } else { OnError::Open }),
        manner: &manner,
        in_project: false,
        paths: &[],
        user_only: false,
        hosts,
    };
    edit::add(manifest, &hook)
}

/// The handlers of others in other settings files that can be read, each with its file for people.
pub(crate) fn handlers_elsewhere(world: &World, target: &Target) -> Vec<(String, Handler)> {
    if target.host.is_some() {
        return Vec::new();
    }
    let here = || environment::current_directory().ok();
    let project = target.project.clone().or_else(configured::project).or_else(here);
    let of_project = project.into_iter().flat_map(|project| {
        ["settings.json", "settings.local.json"].map(|name| project.join(".claude").join(name))
    });
    let real = |path: &PathBuf| files::resolve(path).unwrap_or_else(|_| path.clone());
    let mut seen = vec![real(&target.settings)];
    let mut found = Vec::new();
    for path in std::iter::once(world.paths.user_settings()).chain(of_project) {
        if seen.contains(&real(&path)) {
            continue;
        }
        seen.push(real(&path));
        let Ok(Some(text)) = files::read_text(&path) else { continue };
        let Ok(document) = Document::parse(&text) else { continue };
        let others = handlers(&document).into_iter().filter(|handler| !handler.ours);
        found.extend(others.map(|handler| (world.paths.shown(&path), handler)));
    }
    found
}

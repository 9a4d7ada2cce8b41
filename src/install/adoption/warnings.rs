//! The effects of an adoption, a release or an old copy that its diff does not show.

use super::offers::Offer;
use super::state::AdoptionState;
use crate::client::host::files::{Files, Trust};
use crate::client::{Event, Subject};
use crate::install::registration::hosts;
use crate::install::target::{Layers, Target};
use crate::machine::World;
use crate::manifest::{self, Hook, Source};
use crate::package::known::Known;
use crate::state::Catalogue;

/// Says of handlers about to be adopted where they stop to run, and which have an equal elsewhere.
pub(crate) fn of_adoption(world: &World, state: &AdoptionState, offers: &[&Offer]) {
    let names = |offers: &mut dyn Iterator<Item = &&Offer>| {
        offers.map(|offer| &*offer.name).collect::<Vec<_>>().join(", ")
    };
    let is_gated =
        |offer: &&&Offer| offer.wrapped().is_some_and(|it| it.event == Event::PreToolUse);
    let ends_the_chain = |hook: &&Hook| {
        hook.events.contains(&Event::PreToolUse) && !hook.manner.adopted && !hook.manner.background
    };
    let before = state.layers.all.hooks.iter().find(|it| ends_the_chain(it) && it.enabled);
    let gated = names(&mut offers.iter().filter(is_gated));
    if let Some(before) = before.filter(|_| !gated.is_empty()) {
        world.terminal.line(format!(
            "An adopted hook does not see what a hook before it denies, such as {}; `always = true` in its \
             block changes that: {gated}",
            before.name,
        ));
    }
    if let Some(of) = state.target.host.filter(|_| !offers.is_empty()) {
        of_words(world, of, offers);
        if of.trust == Trust::Entries {
            let title = of.title;
            world.terminal.line(format!(
                "{title} may ask you again to trust the hooks after an adopted one in its file"
            ));
        }
    }
    if state.target.project.is_some() && !state.target.local && !offers.is_empty() {
        world.terminal.line(format!(
            "Others in this project need hookman; without it, nothing runs what is adopted: {}",
            names(&mut offers.iter())
        ));
    }
    for offer in offers {
        if let Some(file) = &offer.twin {
            world.terminal.warn(format!(
                "warning: {file} has a handler equal to {}; the client runs the two once, but not when \
                 hookman runs one of them: delete it in one of the files",
                offer.name
            ));
        }
    }
}

/// Names the other hooks that a program runs from now on, because the manifest names it.
pub(crate) fn of_new_host(world: &World, state: &AdoptionState, next: &Layers, of: &'static Files) {
    if state.layers.committed.is_for(of.host.name) || !next.committed.is_for(of.host.name) {
        return;
    }
    let others: Vec<&str> =
        hosts::hooks(&state.layers.all.hooks, of).map(|hook| &*hook.name).collect();
    if !others.is_empty() {
        let (title, names) = (of.title, others.join(", "));
        world.terminal.line(format!(
            "{title} runs the other hooks of the manifest as well, unless `hosts` in their blocks leaves it \
             out: {names}"
        ));
    }
}

/// Names the other hooks that a program does not run any more, because the manifest names it no longer.
pub(crate) fn of_left_host(
    world: &World,
    state: &AdoptionState,
    next: &Layers,
    of: &'static Files,
) {
    if !state.layers.committed.is_for(of.host.name) || next.committed.is_for(of.host.name) {
        return;
    }
    let others: Vec<&str> = hosts::hooks(&next.all.hooks, of).map(|hook| &*hook.name).collect();
    if !others.is_empty() {
        let (title, names) = (of.title, others.join(", "));
        world.terminal.line(format!(
            "{title} does not run the other hooks of the manifest any more, as it did not before the adoption: \
             {names}; `hookman install --host {}` has it run them",
            of.host.name
        ));
    }
}

/// Says which words of another program's an adopted script does not read any more.
fn of_words(world: &World, of: &Files, offers: &[&Offer]) {
    let mut words: Vec<String> = Vec::new();
    let mut say = |ours: &str, theirs: &str| {
        let line = format!("`{ours}` for `{theirs}`");
        if ours != theirs && !words.contains(&line) {
            words.push(line);
        }
    };
    let events: Vec<Event> = offers.iter().filter_map(|it| Some(it.wrapped()?.event)).collect();
    for event in &events {
        say(event.name(), of.host.event_name(*event));
    }
    if events.iter().any(|event| event.facts().subject == Subject::Tool) {
        let matchers: Vec<&str> = offers
            .iter()
            .filter_map(|it| it.wrapped())
            .map(|it| it.matcher.as_deref().unwrap_or_default())
            .collect();
        let is_hit = |ours: &str| {
            matchers.iter().any(|it| it.is_empty() || it.split('|').any(|name| name == ours))
        };
        let tools = of.host.tools.iter().filter(|it| of.edits.is_empty() && is_hit(it.1));
        tools.chain(of.host.inputs).for_each(|(theirs, ours)| say(ours, theirs));
        if let Some(patch) = of.edits.first().filter(|_| is_hit("Edit")) {
            words.push(format!("`Edit` or `Write`, once for each file, for `{patch}`"));
        }
    }
    if !words.is_empty() {
        world.terminal.line(format!(
            "An adopted hook reads Claude Code's words in its payload, not {}'s: {}; a script that looks for \
             the others has to be changed",
            of.title,
            words.join(", ")
        ));
    }
}

/// Warns which hooks a release does not bring back, or brings back without later changes.
pub(crate) fn of_release(world: &World, state: &AdoptionState, hooks: &[&Hook]) {
    for hook in hooks {
        let name = &hook.name;
        match state.adoption.hooks.iter().find(|kept| kept.hook == *name) {
            None => world.terminal.line(format!(
                "{name} is written from the manifest, at the end of its event: its old text is not kept here"
            )),
            Some(kept) if is_changed(hook, &kept.block) => world.terminal.line(format!(
                "{name} goes back as it was adopted{}: changes of its block are lost",
                if hook.enabled { "" } else { ", and runs again" }
            )),
            Some(_) => {}
        }
    }
}

/// Warns where an adopted handler runs twice or nowhere with a copy, which lacks the handlers `gone`.
pub(crate) fn of_copy(world: &World, state: &AdoptionState, gone: &[String]) {
    of_lost(world, state);
    let flag = state.target.flag();
    if !gone.is_empty() {
        let host = state.target.host_flag();
        world.terminal.warn(format!(
            "warning: this copy does not have these handlers, so nothing runs them: {}; `hookman restore{host}` \
             afterwards puts back what is there now",
            gone.join(", ")
        ));
    }
    let names = state.twice();
    if !names.is_empty() {
        world.terminal.warn(format!(
            "warning: the client and hookman would both run: {}; `hookman apply{flag}` takes it out of the \
             settings, `hookman release NAME…{flag}` leaves it to the client alone",
            names.join(", ")
        ));
    }
}

/// Warns of adopted handlers that nothing runs, and says how they come back.
pub(crate) fn of_lost(world: &World, state: &AdoptionState) {
    let (names, flag) = (state.lost(), state.target.flag());
    if !names.is_empty() {
        world.terminal.warn(format!(
            "warning: these adopted hooks are in neither file, so nothing runs them: {}; \
             `hookman release NAME…{flag}` puts it back into {}, \
             `hookman release --forget NAME…{flag}` drops it for good",
            names.join(", "),
            world.paths.shown(&state.target.settings)
        ));
    }
}

/// As [`of_lost`], of each settings file of a target and of its overlay.
pub(crate) fn of_losses(world: &World, target: &Target) {
    for state in losses(world, target) {
        of_lost(world, &state);
    }
}

/// The settings files of a target and of its overlay from which adopted handlers run nowhere.
pub(crate) fn losses(world: &World, target: &Target) -> Vec<AdoptionState> {
    let targets = std::iter::once(target.clone()).chain(target.overlay());
    // Whatever needs one says what keeps it from being read.
    let states = targets.filter_map(|it| AdoptionState::of_adopting(world, &it));
    states.filter(|state| !state.lost().is_empty()).collect()
}

fn is_changed(hook: &Hook, block: &str) -> bool {
    let source = Source { file: "", text: block };
    let read =
        manifest::read(Some(source), None, &Catalogue { known: Known::nothing(), is_whole: true });
    let Some(was) = read.ok().and_then(|read| read.hooks.into_iter().next()) else { return false };
    let asked = |hook: &Hook| (hook.enabled, hook.events.clone(), hook.matcher.clone());
    let run =
        |hook: &Hook| (hook.action.clone(), hook.timeout_ms, hook.on_error, hook.manner.clone());
    asked(hook) != asked(&was) || run(hook) != run(&was) || hook.audience != was.audience
}

//! The effects of an adoption, a release or an old copy that its diff does not show.

use super::offers::Offer;
use super::state::AdoptionState;
use crate::client::Event;
use crate::install::target::Target;
use crate::machine::World;
use crate::manifest::{self, Hook, Source};
use crate::package::known::Known;
use crate::state::Catalogue;

/// Says of handlers that are about to be adopted where they will not run any more, and of which the
/// client finds an equal one in another file.
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

/// Says of hooks that are about to be released what does not come back, or comes back as it was.
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

/// Warns where, with a copy as the settings, an adopted handler runs twice, or runs nowhere;
/// `gone` are the handlers of others that the copy does not have.
pub(crate) fn of_copy(world: &World, state: &AdoptionState, gone: &[String]) {
    of_lost(world, state);
    let flag = state.target.flag();
    if !gone.is_empty() {
        world.terminal.warn(format!(
            "warning: this copy does not have these handlers, so nothing runs them: {}; `hookman restore{flag}` \
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

/// Returns whether a hook is another than the block that was added for it.
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

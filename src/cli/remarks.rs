//! What an adoption and a release change beside what their diffs show.

use super::World;
use super::adopting::Place;
use crate::client::event::Event;
use crate::manifest::{self, Hook, Source};
use crate::runtime::catalogue::Catalogue;
use crate::settings::adoption::Wrapped;

/// Says of handlers that are about to be adopted when they will not run any more.
pub(super) fn of_adoption(world: &World, place: &Place, adopted: &[(&str, &Wrapped)]) {
    let names = |adopted: &[&(&str, &Wrapped)]| {
        adopted.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    };
    let gated: Vec<_> = adopted.iter().filter(|it| it.1.event == Event::PreToolUse).collect();
    let ends_the_chain = |hook: &&Hook| {
        hook.events.contains(&Event::PreToolUse) && !hook.manner.adopted && !hook.manner.background
    };
    let before = place.layers.all.hooks.iter().find(|it| ends_the_chain(it) && it.enabled);
    if let Some(before) = before.filter(|_| !gated.is_empty()) {
        world.terminal.line(format!(
            "What a hook before it denies, such as {}, an adopted hook does not see; `always = true` in its \
             block changes that: {}",
            before.name,
            names(&gated)
        ));
    }
    if place.target.project.is_some() && !place.target.local && !adopted.is_empty() {
        world.terminal.line(format!(
            "Where hookman is missing, for others in this project, nothing runs what is adopted: {}",
            names(&adopted.iter().collect::<Vec<_>>())
        ));
    }
}

/// Warns of a handler that is about to be adopted while an equal one stands in another file.
pub(super) fn of_twin(world: &World, name: &str, file: Option<&str>) {
    if let Some(file) = file {
        world.terminal.warn(format!(
            "warning: an equal handler of {name} stands in {file}; the client runs the two once, and not \
             any more when hookman runs one of them: delete it in one of the files"
        ));
    }
}

/// Says of hooks that are about to be released what does not come back, or comes back as it was.
pub(super) fn of_release(world: &World, place: &Place, hooks: &[&Hook]) {
    for hook in hooks {
        let name = &hook.name;
        match place.adoption.hooks.iter().find(|kept| kept.hook == *name) {
            None => world.terminal.line(format!(
                "{name} is written anew, at the end of its event: nothing is kept here of the text it had"
            )),
            Some(kept) if is_changed(hook, &kept.block) => world.terminal.line(format!(
                "{name} goes back as it was adopted{}: what was changed in its block ends with it",
                if hook.enabled { "" } else { ", and runs again" }
            )),
            Some(_) => {}
        }
    }
}

/// Whether a hook is another than the block that was added for it.
fn is_changed(hook: &Hook, block: &str) -> bool {
    let source = Source { file: "", text: block };
    let read = manifest::read(Some(source), None, &Catalogue);
    let Some(was) = read.ok().and_then(|read| read.hooks.into_iter().next()) else { return false };
    let asked = |hook: &Hook| (hook.enabled, hook.events.clone(), hook.matcher.clone());
    let run =
        |hook: &Hook| (hook.action.clone(), hook.timeout_ms, hook.on_error, hook.manner.clone());
    asked(hook) != asked(&was) || run(hook) != run(&was)
}

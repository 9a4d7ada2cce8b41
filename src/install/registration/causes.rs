//! The parts of hooks that the programs of a manifest do not honour, one cause of all hooks and programs told once.

use super::entries::demands;
use super::hosts::{self, Unhonoured, unhonoured, unserved};
use crate::client::Event;
use crate::client::host::CLAUDE;
use crate::client::host::files::FILES;
use crate::install::target::Target;
use crate::install::target::layers::Layers;
use crate::machine::world::World;
use crate::manifest::{Hook, Manifest};
use crate::settings::wanted::{limit, longest};

/// A cause for which programs do not honour a part of hooks, and what is done instead.
pub(crate) struct Cause<'m> {
    pub(crate) hooks: Vec<&'m Hook>,
    titles: Vec<&'static str>,
    /// The fact and its consequence in the first of the programs.
    what: String,
    /// The same without its title.
    key: String,
    /// True if the hook is a gate, which is open there.
    pub(crate) is_open: bool,
    /// The line that leaves out of each of the hooks the programs that cannot honour it.
    pub(crate) line: Option<String>,
}

impl Cause<'_> {
    /// The fact and its consequence, in words.
    pub(crate) fn what(&self) -> String {
        match &self.titles[1..] {
            [] => self.what.clone(),
            others => format!("{}; the same holds for {}", self.what, others.join(", ")),
        }
    }

    /// The same behind the names of the hooks.
    pub(crate) fn named(&self) -> String {
        let names: Vec<&str> = self.hooks.iter().map(|hook| &*hook.name).collect();
        format!("{}: {}", names.join(", "), self.what())
    }
}

/// Lists what the programs that `committed` names do not honour of the hooks of a manifest.
pub(crate) fn causes<'m>(manifest: &'m Manifest, committed: &Manifest) -> Vec<Cause<'m>> {
    let mut of_hooks: Vec<Cause<'m>> = Vec::new();
    for of in FILES.iter().filter(|of| committed.is_for(of.host.name)) {
        for Unhonoured { hook, what, is_open } in unhonoured(manifest, of) {
            let key = what.replace(of.title, "");
            let is_it = |it: &&mut Cause<'_>| it.hooks == [hook] && it.key == key;
            if let Some(cause) = of_hooks.iter_mut().find(is_it) {
                cause.titles.push(of.title);
                continue;
            }
            let cannot = |of| unhonoured(manifest, of).iter().any(|it| it.hook == hook);
            let line = hosts::line_without(manifest, hook, &cannot);
            let (hooks, titles) = (vec![hook], vec![of.title]);
            of_hooks.push(Cause { hooks, titles, what, key, is_open, line });
        }
    }
    let mut joined: Vec<Cause<'m>> = Vec::new();
    for cause in of_hooks {
        let is_it = |it: &&mut Cause<'_>| {
            it.key == cause.key && it.titles == cause.titles && it.line == cause.line
        };
        match joined.iter_mut().find(is_it) {
            Some(same) => same.hooks.extend(cause.hooks),
            None => joined.push(cause),
        }
    }
    joined
}

/// Lists the events whose hooks may take longer than an agent that the manifest names waits, in words.
pub(crate) fn too_long(manifest: &Manifest) -> Vec<(Event, String)> {
    let mut found = Vec::new();
    let others = FILES.iter().map(|of| (of.host, of.title, Some(of)));
    let all = std::iter::once((&CLAUDE, "the client", None)).chain(others);
    for (host, title, of) in all.filter(|(host, ..)| manifest.is_for(host.name)) {
        let demands = demands(&manifest.hooks, host);
        for event in Event::ALL {
            let limit = match of {
                None => limit(*event),
                // The end of a session has too little there for any hook's limit, and holds nothing.
                Some(of) if of.has(*event) && *event != Event::SessionEnd => of.seconds(*event),
                Some(_) => continue,
            };
            let together = longest(&demands, *event);
            // What begins at once has all of the time.
            let mut of_event = demands.iter().filter(|it| it.event == *event);
            let is_alone = of.is_some() && of_event.clone().count() < 2;
            let is_at_once = of.is_some() && of_event.all(|it| it.parallel);
            if together > limit && !is_alone && !is_at_once {
                let says = format!(
                    "the hooks for {event} may take {together} s together, and {title} ends hookman \
                     after {limit} s, so the last of them may not run"
                );
                found.push((*event, says));
            }
        }
    }
    found
}

/// Says what the programs that the manifest names do not honour of its hooks.
pub(crate) fn warn(world: &World, target: &Target, layers: &Layers) {
    if target.local || target.managed().is_some() {
        return;
    }
    for what in unserved(&layers.committed) {
        world.terminal.warn(format!("warning: {what}"));
    }
    for cause in causes(&layers.all, &layers.committed) {
        world.terminal.warn(format!("warning: {}", cause.named()));
    }
    let too_long = too_long(&layers.all);
    if let Some(((_, first), more)) = too_long.split_first() {
        let more = match more.len() {
            0 => String::new(),
            more => format!("; `hookman doctor chain-time` names {more} more"),
        };
        world.terminal.warn(format!("warning: {first}{more}"));
    }
}

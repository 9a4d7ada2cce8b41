//! `hookman adopt --plugins`: hooks of the client's plugins, each plugin as a package.

use anyhow::{Result, bail};
use serde_json::json;

use super::args::Adopt;
use super::exit::ExitStatus;
use super::word::hint;
use super::{package, packaging};
use crate::client::Event;
use crate::doctor::plugin::{self, Plugin};
use crate::install::addition;
use crate::install::packages::Renewed;
use crate::install::target::Target;
use crate::machine::{World, files, harmless};
use crate::manifest::package::{PLUGIN, Package, Provenance};
use crate::manifest::{Hook, edit, package_edit, packages_of};
use crate::state::configured;

/// A plugin, the hooks of it that no package has yet, and what hookman does not run.
struct Offer {
    plugin: Plugin,
    from: Provenance,
    hooks: Vec<Hook>,
    left: Vec<String>,
}

impl Offer {
    /// Its name without the marketplace's.
    fn name(&self) -> &str {
        self.plugin.name.split('@').next().unwrap_or_default()
    }

    fn is_named(&self, hook: &Hook, word: &str) -> bool {
        word == hook.name
            || word == self.name()
            || word == self.plugin.name
            || word.split_once('/') == Some((self.name(), &hook.name))
    }

    fn row(&self, hook: &Hook) -> String {
        let matcher = hook.matcher.as_deref().map(|it| format!("({it})")).unwrap_or_default();
        let events = Event::names(&hook.events).join(", ");
        harmless(&format!("{}/{}  {events}{matcher}  {}", self.name(), hook.name, hook.summary))
    }
}

pub(super) fn adopt(args: &Adopt, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.options.scope, world)?;
    let before = files::read_text(&target.manifest)?;
    let text = before.clone().unwrap_or_else(|| addition::bare(&target));
    let there = packages_of(&text);
    let offers = offers(world, &there);
    if args.json {
        world.terminal.line(as_json(&offers).to_string());
        return Ok(ExitStatus::Done);
    }
    let Some(chosen) = chosen(args, &offers, &target, world)? else { return Ok(ExitStatus::Done) };
    target.check_open(world, &text)?;
    let mut after = text.clone();
    for (offer, hooks) in &chosen {
        let mut names: Vec<String> = hooks.iter().map(|hook| hook.name.clone()).collect();
        let there = packages_of(&after);
        if let Some(known) = there.iter().find(|it| it.from == offer.from) {
            names.splice(..0, known.hooks.iter().flatten().cloned());
            after = package_edit::set_hooks(&after, &known.name, &names).unwrap_or(after);
            continue;
        }
        let package = Package {
            name: packaging::free_name(offer.name(), &there),
            from: offer.from.clone(),
            folder: String::new(),
            rev: None,
            hooks: Some(names),
            line: 0,
        };
        after = edit::add_block(&after, &package_edit::block(&package));
    }
    let texts = (before, after);
    packaging::write(world, target, &args.options, "adopt", texts, Renewed::None)
}

fn offers(world: &World, there: &[Package]) -> Vec<Offer> {
    let plugins = plugin::known(&world.paths, configured::project().as_deref());
    let offer = |plugin: Plugin| {
        let mut left = Vec::new();
        let mut hooks = package::hooks(world, &plugin.root, &mut left);
        let from = Provenance::Git(format!("{PLUGIN}{}", plugin.name));
        if !plugin.name.contains('@') && !hooks.is_empty() {
            // The client runs whatever lies there, so it cannot be off and be read from there.
            let shown = world.paths.shown(&plugin.root);
            left = vec![format!(
                "to take them, move {shown} elsewhere and `hookman install` it by its path"
            )];
            hooks.clear();
        }
        if let Some(known) = there.iter().find(|it| it.from == from) {
            hooks.retain(|hook| known.hooks.as_ref().is_some_and(|it| !it.contains(&hook.name)));
        }
        Offer { plugin, from, hooks, left }
    };
    let has_hooks = |it: &Plugin| it.files.iter().any(|file| !file.handlers().is_empty());
    let offers = plugins.into_iter().filter(|it| it.root.is_dir() && has_hooks(it)).map(offer);
    offers.filter(|it| !it.hooks.is_empty() || !it.left.is_empty()).collect()
}

type Chosen<'o> = Vec<(&'o Offer, Vec<&'o Hook>)>;

/// Chooses the hooks to take; `None` where all was said already.
fn chosen<'o>(
    args: &Adopt,
    offers: &'o [Offer],
    target: &Target,
    world: &World,
) -> Result<Option<Chosen<'o>>> {
    let all: Vec<(usize, &Hook)> = offers
        .iter()
        .enumerate()
        .flat_map(|(at, offer)| offer.hooks.iter().map(move |hook| (at, hook)))
        .collect();
    let asks = !args.all && args.names.is_empty();
    if asks && (!world.terminal.can_choose() || all.is_empty()) {
        list(offers, target, world);
        return Ok(None);
    }
    let taken: Vec<(usize, &Hook)> = if args.all {
        all
    } else if asks {
        let rows: Vec<String> = all.iter().map(|(at, hook)| offers[*at].row(hook)).collect();
        let indices = world.terminal.choose("Which hooks should hookman run?", &rows, 0)?;
        indices.unwrap_or_default().into_iter().map(|index| all[index]).collect()
    } else {
        for name in &args.names {
            let named = all.iter().filter(|(at, hook)| offers[*at].is_named(hook, name));
            let mut of: Vec<&str> = named.map(|(at, _)| offers[*at].name()).collect();
            of.dedup();
            match of.len() {
                0 => bail!(
                    "no plugin here has a hook `{name}` that is not taken yet; `hookman adopt --plugins` \
                     lists them"
                ),
                1 => {}
                _ => bail!("`{name}` is a hook of {}; write PLUGIN/{name}", of.join(" and ")),
            }
        }
        let is_named = |(at, hook): &(usize, &Hook)| {
            args.names.iter().any(|name| offers[*at].is_named(hook, name))
        };
        all.into_iter().filter(is_named).collect()
    };
    if taken.is_empty() {
        world.terminal.line("Nothing to adopt.");
        return Ok(None);
    }
    let of = |at: usize| taken.iter().filter(move |it| it.0 == at).map(|it| it.1).collect();
    let chosen = offers.iter().enumerate().map(|(at, offer)| (offer, of(at)));
    Ok(Some(chosen.filter(|(_, hooks): &(_, Vec<_>)| !hooks.is_empty()).collect()))
}

fn list(offers: &[Offer], target: &Target, world: &World) {
    for offer in offers {
        let Plugin { name, origin, is_on, .. } = &offer.plugin;
        let is_on = if *is_on { "on" } else { "off" };
        world.terminal.line(harmless(&format!("the plugin {name} ({is_on}: {origin})")));
        for hook in &offer.hooks {
            world.terminal.print_row("  ", &offer.row(hook), 6);
        }
        for why in &offer.left {
            world.terminal.line(harmless(&format!("  {why}")));
        }
    }
    if offers.iter().all(|offer| offer.hooks.is_empty()) {
        world.terminal.line("No plugin here has hooks that hookman could take.");
        return;
    }
    let flag = target.flag();
    let how = format!(
        "To take them: `hookman adopt --plugins NAME…{flag}`, by hook or by plugin; `claude plugin disable \
         PLUGIN` then switches off the plugin's own"
    );
    hint(world, how);
}

fn as_json(offers: &[Offer]) -> serde_json::Value {
    let hook = |hook: &Hook| {
        json!({
            "name": hook.name,
            "events": Event::names(&hook.events),
            "matcher": hook.matcher,
            "summary": hook.summary,
        })
    };
    let offer = |offer: &Offer| {
        json!({
            "plugin": offer.plugin.name,
            "on": offer.plugin.is_on,
            "origin": offer.plugin.origin,
            "hooks": offer.hooks.iter().map(hook).collect::<Vec<_>>(),
            "left": offer.left,
        })
    };
    json!({"plugins": offers.iter().map(offer).collect::<Vec<_>>()})
}

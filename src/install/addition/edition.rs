//! A manifest that a command edits as text, and the hooks of its chain afterwards.

use anyhow::{Result, anyhow, bail};

use super::placement::Placement;
use super::{bare, starter, without_comments};
use crate::client::host::CLAUDE;
use crate::install::change::ManifestChange;
use crate::install::packages::{Packages, Renewed};
use crate::install::target::{Layers, Target, protection};
use crate::machine::agents::{is_agent, is_person};
use crate::machine::{World, files};
use crate::manifest::edit::{self, NewHook};
use crate::manifest::{Hook, Manifest, OnChange, on_change};
use crate::state::sessions;
use crate::syntax::suggestion::meant;

pub(crate) struct Edition {
    pub(crate) manifest: Packages,
    pub(crate) layers: Layers,
    on_change: Option<OnChange>,
}

pub(crate) struct Draft {
    /// The file's text; `None` where there is no file.
    pub(crate) before: Option<String>,
    pub(crate) text: String,
}

impl Draft {
    pub(crate) fn of(target: &Target) -> Result<Self> {
        let before = files::read_text(&target.manifest)?;
        let text = before.clone().unwrap_or_else(|| starter(target));
        Ok(Self { before, text })
    }
}

impl Edition {
    /// Another text, in which a user wrote what they wanted.
    pub(crate) fn written(
        world: &World,
        target: &Target,
        before: Option<String>,
        text: String,
    ) -> Result<Self> {
        let packages = Packages::of(world, target, Some(&text), Renewed::None)?;
        let layers = Layers::locked(world, target, Some(&text), &packages.lock())?;
        let layers = layers.unwrap_or_default();
        let on_change = on_change(&text);
        let manifest = ManifestChange::to(&target.manifest, before, Some(text));
        let manifest = packages.completed(world, Some(manifest), &layers);
        Ok(Self { manifest, layers, on_change })
    }

    /// With a hook, at its end or at a place.
    pub(crate) fn with(
        world: &World,
        target: &Target,
        hook: &NewHook<'_>,
        placement: &Placement,
    ) -> Result<Self> {
        let before = files::read_text(&target.manifest)?;
        let text = before.clone().unwrap_or_else(|| bare(target));
        let found = read(world, target, &text)?;
        if let Some(known) = found.all.hooks.iter().find(|known| known.name == hook.name) {
            let place = known.origin().map(|origin| format!(" at {origin}")).unwrap_or_default();
            let flag = target.flag();
            bail!(
                "there is a hook `{0}`{place}; give the new one another name, change that one with \
                 `hookman edit{flag}`, or take it out with `hookman remove {0}{flag}`",
                hook.name
            );
        }
        target.check_open(world, &text)?;
        let block = format!("{}{}", edit::block(hook), placement.settings);
        let after = placement.add(&text, &block)?;
        // The manifest could be read without the hook, so what is wrong is wrong with it.
        Self::written(world, target, before, after).map_err(|error| {
            let error = error.to_string();
            let problems = error.split_once('\n').map_or(error.as_str(), |(_, problems)| problems);
            anyhow!("`{}` cannot be added, so nothing was written\n{problems}", hook.name)
        })
    }

    /// Without hooks, each of which the manifest has to declare itself.
    pub(crate) fn without(world: &World, target: &Target, names: &[String]) -> Result<Self> {
        let before = files::read_text(&target.manifest)?;
        let shown = world.paths.shown(&target.manifest);
        let Some(text) = before.clone() else {
            let elsewhere = target.elsewhere(world).map(|it| format!("; {it}")).unwrap_or_default();
            bail!("there is no manifest at `{shown}`{elsewhere}")
        };
        let found = read(world, target, &text)?;
        let own: Vec<&Hook> = found.all.hooks.iter().filter(|it| is_in(it, &shown)).collect();
        let mut after = text;
        for name in names {
            let Some(hook) = own.iter().find(|hook| hook.name == *name) else {
                bail!("{}", unknown(name, &shown, &own, target));
            };
            let flag = target.flag();
            if hook.manner.adopted {
                bail!(
                    "`{name}` was adopted: `hookman release {name}{flag}` gives it back to the \
                     file that it came from"
                );
            }
            protection::check(name, hook.enabled && hook.audience.user_only)?;
            // Of a name that was given twice, the first has taken the hook out.
            after = without_comments(after, name);
            after = edit::remove(&after, &[(name, None)]).unwrap_or(after);
        }
        let edition = Self::written(world, target, before, after);
        let stays = |hook: &&Hook| !names.contains(&hook.name);
        let left = found.all.hooks.iter().filter(stays);
        let edition = edition.ok().filter(|edition| is_same(left, &edition.layers.all));
        let Some(edition) = edition else {
            bail!(
                "hookman cannot safely remove {} from `{shown}`; remove it by hand with `hookman \
                 edit{}`",
                names.join(", "),
                target.flag()
            )
        };
        Ok(edition)
    }

    /// Refuses an agent's tool that takes away or weakens a hook that only the user may switch off.
    pub(crate) fn check_fence(&self, world: &World, target: &Target) -> Result<()> {
        let Ok(Some(found)) = Layers::of(world, target, None) else {
            return protection::check_all(world, target);
        };
        let fenced = found.all.hooks.iter().filter(|it| it.enabled && it.audience.user_only);
        let is_new = |hook: &&Hook| {
            let mut known = found.all.hooks.iter().filter(|known| known.audience.user_only);
            hook.audience.user_only && !known.any(|known| known.name == hook.name)
        };
        if let Some(hook) = self.layers.all.hooks.iter().find(is_new)
            && is_agent()
        {
            bail!(
                "only the user can give `{}` `switch = \"user\"`, in another terminal",
                hook.name
            );
        }
        // An agent that the whole manifest is for no more calls none of its hooks.
        let claude = vec![CLAUDE.name];
        let mut hosts = found.all.hosts.as_ref().unwrap_or(&claude).iter();
        let is_lost = hosts.any(|host| !self.layers.all.is_for(host));
        if let Some(hook) = fenced.clone().next() {
            protection::check(&hook.name, is_lost)?;
        }
        let before = files::read_text(&target.manifest)?.as_deref().and_then(on_change);
        if !matches!(self.on_change, now if now == before || now == Some(OnChange::Hold))
            && !is_person()
        {
            bail!("`on_change` can be loosened only by the user, in another terminal");
        }
        if sessions::kept_by(&self.layers.all) < sessions::kept_by(&found.all) && !is_person() {
            bail!("`keep_days` can be lowered only by the user, in another terminal");
        }
        for hook in fenced {
            let now = self.layers.all.hooks.iter().find(|it| it.name == hook.name);
            let is_kept = now.is_some_and(|now| unplaced(now) == unplaced(hook));
            protection::check(&hook.name, !is_kept)?;
        }
        Ok(())
    }
}

fn read(world: &World, target: &Target, text: &str) -> Result<Layers> {
    Layers::of(world, target, Some(text)).map(Option::unwrap_or_default)
}

fn is_in(hook: &Hook, file: &str) -> bool {
    hook.origin().is_some_and(|origin| origin.file == file)
}

fn is_same<'h>(expected: impl Iterator<Item = &'h Hook>, found: &Manifest) -> bool {
    expected.map(unplaced).eq(found.hooks.iter().map(unplaced))
}

/// A hook without the places of its keys.
fn unplaced(hook: &Hook) -> Hook {
    Hook { origins: std::collections::BTreeMap::new(), ..hook.clone() }
}

fn unknown(name: &str, shown: &str, own: &[&Hook], target: &Target) -> String {
    let names: Vec<&str> = own.iter().map(|hook| hook.name.as_str()).collect();
    let hint = meant(name, &names).unwrap_or_else(|| {
        let other = match (&target.project, target.local) {
            (None, _) => "; --project takes one out of a project's manifest",
            (Some(_), false) => "; leave --project out for your own manifest",
            (Some(_), true) => "; --project instead of --local is for the committed manifest",
        };
        format!("{other}, and `hookman list` names all")
    });
    format!("`{shown}` declares no hook `{name}`{hint}")
}

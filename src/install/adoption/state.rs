//! A settings file and its manifest as they are, and what is adopted from one into the other.

use anyhow::{Context, Result, bail};
use serde_json::Map;

use crate::adoption::{Adopted, Adoption, Declared, Kept, Rebuilt, gone};
use crate::client::Event;
use crate::install::change::records;
use crate::install::registration::entries::{declared, own_hooks};
use crate::install::target::{Layers, Target};
use crate::machine::{World, files};
use crate::manifest::{Action, Hook, OnError, seconds};
use crate::settings::Undo;

/// A settings file and a manifest as they are, with what is kept of adoptions.
pub(crate) struct AdoptionState {
    pub(crate) target: Target,
    pub(crate) settings: Option<String>,
    /// The way to take hookman's entries out of it.
    pub(crate) undo: Option<Undo>,
    pub(crate) adoption: Adoption,
    pub(crate) manifest: Option<String>,
    pub(crate) layers: Layers,
}

impl AdoptionState {
    pub(crate) fn of(world: &World, target: &Target) -> Result<Self> {
        let settings = records::read(world, &target.settings)?;
        Self::over(world, target, settings)
    }

    /// As [`AdoptionState::of`], as if the settings file held another text.
    pub(crate) fn over(world: &World, target: &Target, settings: Option<String>) -> Result<Self> {
        let kept = records::adoptions(world, &target.settings)?;
        let undo = records::undo(world, &target.settings, settings.as_deref())?;
        let manifest = files::read_text(&target.manifest)?;
        let layers = Layers::of(world, target, None)?.unwrap_or_default();
        let text = settings.as_deref().unwrap_or_default();
        let own = own_hooks(target.local, &layers.committed.hooks, &layers.all.hooks);
        let adoption = match &kept {
            Some(kept) => kept.in_line_with(text, undo.as_ref()),
            None => Adoption::of(None, text, undo.as_ref()),
        };
        let adoption = adoption
            .and_then(|adoption| adoption.declared_by(&declared(own), text, undo.as_ref()))
            .with_context(|| records::left_alone(world, &target.settings))?;
        Ok(Self { target: target.clone(), settings, undo, adoption, manifest, layers })
    }

    /// As [`AdoptionState::of`], where anything was adopted. Where that cannot be told, as with a
    /// manifest that does not parse, there is none.
    pub(crate) fn of_adopting(world: &World, target: &Target) -> Option<Self> {
        let is_adopting =
            target.host.is_none() && Self::is_adopting(world, target).unwrap_or(false);
        is_adopting.then(|| Self::of(world, target).ok()).flatten()
    }

    /// Returns whether anything was adopted into a target's manifest, as far as can be told without reading
    /// the manifest.
    pub(crate) fn is_adopting(world: &World, target: &Target) -> Result<bool> {
        let manifest = files::read_text(&target.manifest)?.unwrap_or_default();
        Ok(manifest.contains("adopted") || records::adoptions(world, &target.settings)?.is_some())
    }

    pub(crate) fn text(&self) -> &str {
        self.settings.as_deref().unwrap_or_default()
    }

    fn own_hooks(&self) -> impl Iterator<Item = &Hook> {
        own_hooks(self.target.local, &self.layers.committed.hooks, &self.layers.all.hooks)
    }

    fn declared(&self) -> Vec<Declared<'_>> {
        declared(self.own_hooks())
    }

    pub(crate) fn adopted(&self) -> Vec<&Hook> {
        let kept = self.adoption.names();
        let is_kept = |hook: &&Hook| hook.manner.adopted || kept.contains(&*hook.name);
        self.own_hooks().filter(is_kept).collect()
    }

    /// The names of those whose handlers are in the settings all the same, so that they run twice.
    pub(crate) fn twice(&self) -> Vec<&str> {
        // The text was read before.
        names(self.adoption.standing(self.text()).unwrap_or_default())
    }

    /// The names of the adopted handlers that the manifest does not know any more, and that are not
    /// in the settings either.
    pub(crate) fn undeclared(&self) -> Vec<&str> {
        names(self.adoption.undeclared(&self.declared()))
    }

    /// The names of those of them that run nowhere though hookman is at work here.
    pub(crate) fn lost(&self) -> Vec<&str> {
        names(self.adoption.lost(&self.declared(), self.text()))
    }

    /// The handlers that run nowhere once the settings hold `text`.
    pub(crate) fn gone_with(&self, text: &str) -> Vec<String> {
        gone(self.text(), text, &self.declared())
    }

    /// Gives the record without some handlers that are in neither file; `None` where it would be empty.
    pub(crate) fn forgetting(&self, hooks: &[&str]) -> Result<Option<Kept>> {
        let fewer = self.adoption.without(hooks);
        let now = Adoption::of(Some(&fewer), self.text(), self.undo.as_ref())?;
        Ok((!now.hooks.is_empty()).then_some(Kept { now, next: None }))
    }

    /// The adoptions with those of these hooks of which only the manifest is left.
    pub(crate) fn presuming(&self, hooks: &[&Hook]) -> Result<Adoption> {
        let mut adoption = self.adoption.clone();
        let kept = self.adoption.names();
        for hook in hooks {
            if !kept.contains(&*hook.name) {
                adoption = adoption.presuming(&hook.name, &as_handlers(hook)?)?;
            }
        }
        Ok(adoption)
    }

    pub(crate) fn with(&self, adopted: Vec<Adopted>) -> Adoption {
        if adopted.is_empty() {
            return self.adoption.clone();
        }
        let mut with = self.adoption.with(adopted, self.text(), self.undo.as_ref());
        if self.adoption.hooks.is_empty() {
            with.made_manifest = Some(self.manifest.is_none());
        }
        with
    }
}

fn names(adopted: Vec<&Adopted>) -> Vec<&str> {
    adopted.into_iter().map(|hook| &*hook.hook).collect()
}

/// A hook as the handlers it would be without hookman, one for each of its events.
pub(crate) fn as_handlers(hook: &Hook) -> Result<Vec<Rebuilt>> {
    let mut handler = Map::new();
    handler.insert("type".to_owned(), "command".into());
    match &hook.action {
        Action::Builtin { name, .. } => bail!("`{name}` is hookman's own and cannot be released"),
        Action::Passed(_) => bail!(
            "`{}` is run by the client already; take it out of the manifest and run `hookman apply`",
            hook.name
        ),
        Action::Command(line) => {
            handler.insert("command".to_owned(), line.clone().into());
        }
        Action::Argv(words) => {
            let (program, arguments) = words.split_first().unzip();
            handler.insert("command".to_owned(), program.cloned().unwrap_or_default().into());
            handler.insert("args".to_owned(), arguments.unwrap_or_default().to_vec().into());
        }
    }
    let rebuilt = |event: &Event| {
        let mut handler = handler.clone();
        if hook.timeout_ms != event.facts().timeout_ms {
            handler.insert("timeout".to_owned(), seconds(hook.timeout_ms));
        }
        if hook.on_error == OnError::Closed {
            handler.insert("onFailure".to_owned(), "block".into());
        }
        handler.extend(hook.manner.handler_keys());
        let (event, matcher) = (event.name().to_owned(), hook.matcher.clone());
        Rebuilt { event, matcher, handler: handler.into() }
    };
    Ok(hook.events.iter().map(rebuilt).collect())
}

//! A settings file and its manifest as they are, and what is adopted from one into the other.

use std::collections::HashSet;

use anyhow::{Result, bail};
use serde_json::Map;

use crate::adoption::{Adopted, Adoption, Declared, Kept, Rebuilt, gone, matcher_there};
use crate::client::Event;
use crate::client::host::files::Files;
use crate::install::adoption::parts::{besides, editable, recorded};
use crate::install::change::records;
use crate::install::registration::entries::{declared, is_from, own_hooks};
use crate::install::registration::hosts;
use crate::install::target::{Layers, Target};
use crate::machine::{World, files};
use crate::manifest::{Action, Hook, OnError, seconds};
use crate::settings::Undo;
use crate::syntax::escaped::quoted;

/// A settings file and a manifest as they are, with what is kept of adoptions.
pub(crate) struct AdoptionState {
    pub(crate) target: Target,
    pub(crate) settings: Option<String>,
    /// Its text, with the events below `hooks`.
    text: String,
    /// The way to take hookman's entries out of the file.
    pub(crate) undo: Option<Undo>,
    inner: Option<Undo>,
    pub(crate) adoption: Adoption,
    pub(crate) manifest: Option<String>,
    pub(crate) layers: Layers,
    /// The hooks that were adopted from other files of the same program.
    elsewhere: HashSet<String>,
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
        let undo = undo.or_else(|| presumed(target, text));
        let text = target.form().inner(text).into_owned();
        let inner = undo.clone().map(Undo::inner);
        let elsewhere = elsewhere(world, target)?;
        let own = own_hooks(target.local, &layers.committed.hooks, &layers.all.hooks);
        let declared = declared(own.filter(|hook| !elsewhere.contains(&hook.name)), target.host);
        let adoption = match &kept {
            Some(kept) => kept.in_line_with(&text, inner.as_ref()),
            None => Adoption::of(None, &text, inner.as_ref()),
        };
        let adoption = adoption
            .and_then(|it| it.declared_by(&declared, &text, inner.as_ref(), target.host))
            .map_err(records::refused(world, target))?;
        let target = target.clone();
        Ok(Self { target, settings, text, undo, inner, adoption, manifest, layers, elsewhere })
    }

    /// As [`AdoptionState::of`], but `None` if nothing was adopted or that is unknown.
    pub(crate) fn of_adopting(world: &World, target: &Target) -> Option<Self> {
        let is_adopting = Self::is_adopting(world, target).unwrap_or(false);
        is_adopting.then(|| Self::of(world, target).ok()).flatten()
    }

    /// Those of the files next to a program's own one out of which hooks were adopted.
    pub(crate) fn of_parts(world: &World, host: &Target) -> Vec<Self> {
        let parts = editable(world, host);
        parts.iter().filter_map(|part| Self::of_adopting(world, part)).collect()
    }

    /// Returns whether anything was adopted into a target's manifest, without reading that.
    pub(crate) fn is_adopting(world: &World, target: &Target) -> Result<bool> {
        if target.is_own_file() {
            return Ok(false);
        }
        let manifest = files::read_text(&target.manifest)?.unwrap_or_default();
        Ok(manifest.contains("adopted") || records::adoptions(world, &target.settings)?.is_some())
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    fn own_hooks(&self) -> impl Iterator<Item = &Hook> {
        own_hooks(self.target.local, &self.layers.committed.hooks, &self.layers.all.hooks)
            .filter(|hook| !self.elsewhere.contains(&hook.name))
    }

    fn declared(&self) -> Vec<Declared<'_>> {
        declared(self.own_hooks(), self.target.host)
    }

    pub(crate) fn adopted(&self) -> Vec<&Hook> {
        let kept = self.adoption.names();
        let (of, is_part) = (self.target.host, self.target.is_part());
        let is_marked = |hook: &Hook| !is_part && hook.manner.adopted && is_from(hook, of);
        let is_kept = |hook: &&Hook| is_marked(hook) || kept.contains(&*hook.name);
        self.own_hooks().filter(is_kept).collect()
    }

    /// The names of those whose handlers are in the settings all the same, so that they run twice.
    pub(crate) fn twice(&self) -> Vec<&str> {
        // The text was read before.
        names(self.adoption.standing(self.text()).unwrap_or_default())
    }

    /// The adopted handlers that neither the manifest nor the settings have any more.
    pub(crate) fn undeclared(&self) -> Vec<&str> {
        names(self.adoption.undeclared(&self.declared()))
    }

    /// The names of those of them that run nowhere though hookman is at work here.
    pub(crate) fn lost(&self) -> Vec<&str> {
        names(self.adoption.lost(&self.declared(), self.text()))
    }

    /// The handlers that run nowhere once the settings hold `text`.
    pub(crate) fn gone_with(&self, text: &str) -> Vec<String> {
        let text = self.target.form().inner(text).into_owned();
        gone(self.text(), &text, &self.declared(), self.target.host)
    }

    /// Gives the record without some handlers that are in neither file; `None` where it would be empty.
    pub(crate) fn forgetting(&self, hooks: &[&str]) -> Result<Option<Kept>> {
        let fewer = self.adoption.without(hooks);
        let now = Adoption::of(Some(&fewer), self.text(), self.inner.as_ref())?;
        Ok((!now.hooks.is_empty()).then_some(Kept { now, next: None }))
    }

    /// The adoptions with those of these hooks of which only the manifest is left.
    pub(crate) fn presuming(&self, hooks: &[&Hook]) -> Result<Adoption> {
        let mut adoption = self.adoption.clone();
        let kept = self.adoption.names();
        for hook in hooks {
            if !kept.contains(&*hook.name) {
                adoption = adoption.presuming(&hook.name, &as_handlers(hook, self.target.host)?)?;
            }
        }
        Ok(adoption)
    }

    pub(crate) fn with(&self, adopted: Vec<Adopted>) -> Adoption {
        if adopted.is_empty() {
            return self.adoption.clone();
        }
        let mut with = self.adoption.with(adopted, self.text(), self.inner.as_ref());
        if self.adoption.hooks.is_empty() {
            with.made_manifest = Some(self.manifest.is_none());
        }
        with
    }
}

/// The hooks that were adopted from the other files next to a program's own one.
fn elsewhere(world: &World, target: &Target) -> Result<HashSet<String>> {
    let mut found = HashSet::new();
    let main = target.host.filter(|_| target.is_part());
    let main = main.and_then(|of| hosts::target(world, target, of));
    for part in main.iter().flat_map(|main| besides(world, main)) {
        if part.settings != target.settings {
            found.extend(recorded(world, &part)?);
        }
    }
    Ok(found)
}

fn names(adopted: Vec<&Adopted>) -> Vec<&str> {
    adopted.into_iter().map(|hook| &*hook.hook).collect()
}

/// The way to take hookman's entries out of another program's file where none is kept.
fn presumed(target: &Target, text: &str) -> Option<Undo> {
    target.host?;
    let record = target.form().presumed_of(text);
    Some(Undo { original: None, after: String::new(), record })
}

/// A hook as the handlers it would be in its program's own file, one for each event.
pub(crate) fn as_handlers(hook: &Hook, of: Option<&'static Files>) -> Result<Vec<Rebuilt>> {
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
        Action::Argv(words) if of.is_some() => {
            let line: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            handler.insert("command".to_owned(), line.join(" ").into());
        }
        Action::Argv(words) => {
            let (program, arguments) = words.split_first().unzip();
            handler.insert("command".to_owned(), program.cloned().unwrap_or_default().into());
            handler.insert("args".to_owned(), arguments.unwrap_or_default().to_vec().into());
        }
    }
    let rebuilt = |event: &Event| {
        let mut handler = handler.clone();
        if let Some(of) = of {
            let per_second = if of.milliseconds_from == Some(0) { 1 } else { 1000 };
            let limit = hook.timeout_ms.div_ceil(per_second);
            handler.insert("timeout".to_owned(), limit.into());
            let matcher = hook.matcher.as_deref().map(|it| matcher_there(of, *event, it));
            let event = of.host.event_name(*event).to_owned();
            return Rebuilt { event, matcher, handler: handler.into() };
        }
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

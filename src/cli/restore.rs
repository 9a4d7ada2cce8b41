//! `hookman restore`: put a copy of settings.json back.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use serde_json::{Map, Value};

use super::adopting::Place;
use super::args::Restore;
use super::registering::{self, Target};
use super::settling::{self, Written};
use super::writes::Writes;
use super::{ExitStatus, World, adopting, consent, fence, moving};
use crate::client::event::Event;
use crate::client::json::{Document, is_blank};
use crate::client::settings_schema::{self, Effect};
use crate::machine::backups::{self, Backup};
use crate::machine::files;
use crate::machine::lock::Lock;
use crate::settings::adoption::Copied;
use crate::settings::{Undo, unified_diff};

pub(super) fn restore(args: &Restore, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let early = target.lock_early(world, &args.writing)?;
    let backup = chosen(&args.which, world, &target)?;
    let Some(text) = files::read_text(&backup.path)? else {
        bail!("the backup `{}` is gone", world.paths.shown(&backup.path));
    };
    let then = backups::beside(&backup.path)?;
    // What cannot be understood is no help, and the manifest and what is kept tell of most.
    let then: Option<Copied> = then.and_then(|then| serde_json::from_str(&then).ok());
    let then = then.unwrap_or_default();
    let before = files::read_text(&target.settings)?;
    let shown = world.paths.shown(&target.settings);
    if before.as_deref() == Some(&text) {
        world.terminal.line(format!("{shown} is what that backup holds already"));
        return Ok(ExitStatus::Done);
    }
    let colour = registering::colour(world);
    world.terminal.print(&unified_diff(&shown, before.as_deref(), Some(&text), colour));
    warn_of_invalid(world, &text);
    // Where the adoptions cannot be kept, the copy is put back as any other text.
    let place = Place::of_copy(world, target.clone(), &text, &then).ok();
    if let Some(place) = &place {
        adopting::warn_of_copy(world, place);
    }
    if !args.writing.dry_run {
        fence::check_texts(world, &target, before.as_deref(), &text)?;
    }
    if !consent::given(world, &args.writing, "Restore this?")? {
        return Ok(ExitStatus::Done);
    }
    let wait = settling::is_needed(world, &args.writing);
    let lock = target.lock(world, early)?;
    let restored = Restored {
        target: target.clone(),
        before,
        undo: then.undo(&text).ok().flatten(),
        text,
        place,
    };
    restored.write_over(restored.before.as_deref(), "restore", world)?;
    drop(lock);
    world.terminal.line(format!("restored {shown} as of {}", backup.time()));
    settling::settle(world, &target, wait, &[&restored])?;
    Ok(ExitStatus::Done)
}

/// Warns where the client could not load a text that is to be the settings.
fn warn_of_invalid(world: &World, text: &str) {
    if is_blank(text) {
        return;
    }
    let why = match Document::parse(text) {
        Err(error) => error.to_string(),
        Ok(document) => {
            let events: Vec<&str> = Event::ALL.iter().map(|event| event.name()).collect();
            let mut defects = settings_schema::check(&document, &events).into_iter();
            let Some(defect) = defects.find(|it| it.effect == Effect::FileDropped) else { return };
            format!(
                "line {}, column {}: {}; {}",
                defect.line, defect.column, defect.message, defect.effect
            )
        }
    };
    world
        .terminal
        .warn(format!("warning: no hook and no permission of that copy would count: {why}"));
}

fn chosen(which: &str, world: &World, target: &Target) -> Result<Backup> {
    let mut all = backups::list(&registering::backup_directory(world, &target.settings))?;
    if all.is_empty() {
        bail!("there are no backups of `{}` yet", world.paths.shown(&target.settings));
    }
    let number = if which == "latest" { Some(1) } else { which.parse().ok() };
    match number.filter(|number| (1..=all.len()).contains(number)) {
        Some(number) => Ok(all.swap_remove(number - 1)),
        None => bail!(
            "there is no backup `{which}`; it is `latest` or a number from 1 to {}, \
             which `hookman backups{}` lists",
            all.len(),
            target.flag()
        ),
    }
}

struct Restored {
    target: Target,
    before: Option<String>,
    text: String,
    place: Option<Place>,
    undo: Option<Undo>,
}

impl Restored {
    fn write_over(
        &self,
        current: Option<&str>,
        verb: &str,
        world: &World,
    ) -> Result<Option<PathBuf>> {
        let settings = &self.target.settings;
        files::check_replaceable(settings)?;
        let copied = self.copied(world, current)?;
        let backup = registering::back_up(world, settings, current, &copied, verb)?;
        let kept = self.place.as_ref().and_then(Place::kept);
        Writes::all(world, |writes| {
            if let Some((meanwhile, _)) = &kept {
                moving::keep(world, settings, Some(meanwhile), writes)?;
            }
            if let Some(undo) = &self.undo {
                registering::keep_undo(world, settings, (undo, current), writes)?;
            }
            writes.exchange(world, settings, current, Some(&self.text))?;
            match &kept {
                Some((_, then)) => {
                    let then = Some(then).filter(|then| !then.is_empty());
                    moving::keep(world, settings, then, writes)
                }
                None => Ok(()),
            }
        })?;
        Ok(backup)
    }

    /// What is kept of the text that stands there.
    fn copied(&self, world: &World, current: Option<&str>) -> Result<Copied> {
        if let Some(place) = Place::worth_a_look(world, &self.target)? {
            return Ok(place.copied());
        }
        let undo = registering::undo(world, &self.target.settings, current)?;
        Ok(Copied::new(None, undo.as_ref()))
    }
}

impl Written for Restored {
    fn settings(&self) -> &Path {
        &self.target.settings
    }

    fn trace(&self, world: &World) -> Option<String> {
        registering::trace(world, &self.target.settings)
    }

    fn stands(&self, _: &World) -> Result<bool> {
        let current = files::read_text(&self.target.settings)?;
        Ok(current.as_ref() == Some(&self.text)
            || !is_undone(self.before.as_deref(), &self.text, current.as_deref())?)
    }

    fn write_again(&self, world: &World, _: &Lock) -> Result<()> {
        let current = files::read_text(&self.target.settings)?;
        let kept = self.write_over(current.as_deref(), "repair", world)?;
        if current != self.before
            && let Some(kept) = kept
        {
            let kept = world.paths.shown(&kept);
            world.terminal.line(format!("It held more than the old copy; {kept} has all of it"));
        }
        Ok(())
    }
}

// A session may go on from what was restored, or from its old copy; it changes a key or two of what
// it goes on from. The hooks are none of its own, so they tell which of both it is.
fn is_undone(before: Option<&str>, text: &str, current: Option<&str>) -> Result<bool> {
    let Some(before) = before.and_then(|text| keys(text).ok()) else { return Ok(false) };
    let current = current.map_or_else(|| Ok(Map::new()), keys)?;
    let text = keys(text).unwrap_or_default();
    let names = before.keys().chain(text.keys());
    let mut differing: Vec<&String> =
        names.filter(|name| before.get(*name) != text.get(*name)).collect();
    if differing.iter().any(|name| *name == "hooks") {
        differing.retain(|name| *name == "hooks");
    }
    let holds = |keys: &Map<String, Value>| {
        differing.iter().any(|name| current.get(*name) == keys.get(*name))
    };
    Ok(holds(&before) && !holds(&text))
}

/// The keys of a settings file and what they hold.
fn keys(text: &str) -> Result<Map<String, Value>> {
    let document = Document::parse(text)?;
    match document.value(document.root()) {
        Value::Object(keys) => Ok(keys),
        _ => bail!("it is no object"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_undoes_a_restore_only_by_going_on_from_its_old_copy() {
        let old = r#"{"model": "opus", "hooks": {"Stop": []}}"#;
        for (before, text, current, undone) in [
            (old, r#"{"model": "opus"}"#, old, true),
            (old, r#"{"model": "opus"}"#, r#"{"hooks":{"Stop":[]},"theme":"dark"}"#, true),
            (old, r#"{"model": "opus"}"#, r#"{"model": "opus", "theme": "dark"}"#, false),
            (old, r#"{"model": "son"}"#, r#"{"model":"opus"}"#, false),
            (old, r#"{"model": "son"}"#, r#"{"model":"son","hooks":{"Stop":[]}}"#, true),
            (old, r#"{"a": 1,}"#, r#"{"theme": "dark"}"#, false),
            (r#"{"a": 1}"#, r#"{"a": 2}"#, r#"{"a": 1, "theme": "dark"}"#, true),
            (r#"{"a": 1}"#, r#"{"a": 2}"#, r#"{"a": 3}"#, false),
            (r#"{"a": 1, "b": 1}"#, r#"{"a": 2, "b": 2}"#, r#"{"a": 2, "b": 1}"#, false),
            (r#"{"a": 1,}"#, r#"{"a": 1}"#, r#"{"theme": "dark"}"#, false),
        ] {
            let found = is_undone(Some(before), text, Some(current)).unwrap();
            assert_eq!(found, undone, "{text} {current}");
        }
    }
}

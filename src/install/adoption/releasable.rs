//! The handlers that can be released, and those that are in neither file now and can be forgotten.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::state::{AdoptionState, as_handlers};
use crate::adoption::{Rebuilt, candidates};
use crate::client::host::files::Files;
use crate::install::change::writes::{Writes, changed};
use crate::install::change::{Change, records};
use crate::machine::{World, files};
use crate::manifest::Hook;
use crate::syntax::json::{Document, without_comments};

pub(crate) struct Releasable<'s> {
    pub(crate) name: String,
    pub(crate) fires: String,
    pub(crate) summary: String,
    /// The program whose file it goes back to; Claude Code without one.
    pub(crate) of: Option<&'static Files>,
    pub(crate) file: PathBuf,
    /// The hook; none where its block is gone from the manifest.
    pub(crate) hook: Option<&'s Hook>,
}

/// The adopted hooks, then handlers whose hooks the manifest lost; `fires` says when a hook does.
pub(crate) fn releasable(
    state: &AdoptionState,
    fires: impl Fn(&Hook) -> String,
) -> Result<Vec<Releasable<'_>>> {
    let declared = state.adopted().into_iter().map(|hook| Releasable {
        name: hook.name.clone(),
        fires: fires(hook),
        summary: hook.summary.clone(),
        of: state.target.host,
        file: state.target.settings.clone(),
        hook: Some(hook),
    });
    let mut all: Vec<Releasable<'_>> = declared.collect();
    let names = state.undeclared();
    if names.is_empty() {
        return Ok(all);
    }
    let plain = without_comments(&state.adoption.original);
    let document = Document::parse(&plain)?;
    let candidates = candidates(&document, state.target.host);
    for kept in state.adoption.hooks.iter().filter(|kept| names.contains(&&*kept.hook)) {
        let candidate = candidates.iter().find(|candidate| candidate.pointer == kept.pointer);
        let Some(candidate) = candidate else { continue };
        let (name, fires, summary) = (kept.hook.clone(), candidate.fires(), &candidate.summary);
        let of = state.target.host;
        let file = state.target.settings.clone();
        all.push(Releasable { name, fires, summary: summary.clone(), of, file, hook: None });
    }
    Ok(all)
}

/// Those that were chosen and their twins, which are named, as the client runs one of equal ones.
pub(crate) fn with_twins<'a, 's>(
    chosen: &[&'a Releasable<'s>],
    all: &'a [Releasable<'s>],
    state: &AdoptionState,
    world: &World,
) -> Vec<&'a Releasable<'s>> {
    if chosen.len() == all.len() || state.target.host.is_some_and(|of| !of.once) {
        return chosen.to_vec();
    }
    let all_kept = state.adoption.handlers();
    let handlers = |it: &Releasable<'_>| {
        let of_hook = all_kept.iter().filter(|(adopted, _)| adopted.hook == it.name);
        let kept: Vec<Rebuilt> = of_hook.map(|(_, kept)| kept.clone()).collect();
        let rebuilt = || {
            it.hook.and_then(|hook| as_handlers(hook, state.target.host).ok()).unwrap_or_default()
        };
        if kept.is_empty() { rebuilt() } else { kept }
    };
    let taken: Vec<Rebuilt> = chosen.iter().flat_map(|it| handlers(it)).collect();
    let is_twin = |it: &Releasable<'_>| {
        handlers(it).iter().any(|handler| taken.iter().any(|it| it.is_twin_of(handler)))
    };
    let is_chosen = |it: &Releasable<'_>| chosen.iter().any(|chosen| chosen.name == it.name);
    let with = all.iter().filter(|it| {
        let goes_along = !is_chosen(it) && is_twin(it);
        if goes_along {
            let name = &it.name;
            world.terminal.line(format!("{name} goes back as well: it is the same handler"));
        }
        goes_along || is_chosen(it)
    });
    with.collect()
}

/// A change of what is kept of adoptions; the settings and the manifest stay as they are.
pub(crate) struct Forgetting {
    settings: PathBuf,
    text: Option<String>,
    file: PathBuf,
    kept: Option<String>,
    rows: Vec<String>,
}

impl Forgetting {
    /// Forgets the handlers of these names, which `rows` describe.
    pub(crate) fn of(
        world: &World,
        state: &AdoptionState,
        names: &[&str],
        rows: Vec<String>,
    ) -> Result<Self> {
        let settings = state.target.settings.clone();
        let kept =
            state.forgetting(names).with_context(|| records::left_alone(world, &settings))?;
        let kept = kept.as_ref().map(serde_json::to_string).transpose()?;
        let file = records::adoptions_file(world, &settings);
        Ok(Self { settings, text: state.settings.clone(), file, kept, rows })
    }
}

impl Change for Forgetting {
    fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn show(&self, world: &World) {
        for row in &self.rows {
            world.terminal.line(format!("forgets {row}"));
        }
    }

    fn check(&self, world: &World) -> Result<()> {
        if records::read(world, &self.settings)? != self.text {
            return Err(changed(world, &self.settings));
        }
        Ok(files::check_replaceable(&self.file)?)
    }

    fn write(&self, writes: &mut Writes<'_>) -> Result<()> {
        writes.keep(&self.file, self.kept.as_deref())
    }
}

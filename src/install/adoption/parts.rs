//! The files of hooks next to the one in which an agent's entries of hookman are alone.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::Result;

use crate::client::host::files::Form;
use crate::install::change::records;
use crate::install::change::writes::Writes;
use crate::install::target::Target;
use crate::machine::{World, files, paths};
use crate::state::host_files;

/// The other files of hooks of a program whose file holds hookman's entries alone.
pub(crate) fn besides(world: &World, host: &Target) -> Vec<Target> {
    let Some(of) = host.host.filter(|of| of.form == Form::Own) else { return Vec::new() };
    let mut found = noted(world, host);
    found.extend(host_files::more(&world.paths, host.project.as_deref(), &host.settings, of));
    // Copilot runs those of its directory before those of its settings.
    let folder = host.settings.parent();
    found.sort_by_key(|it| (it.parent() != folder, it.clone()));
    let mut seen = vec![paths::real(&host.settings)];
    found.retain(|file| {
        let is_new = !seen.contains(&paths::real(file));
        seen.push(paths::real(file));
        is_new
    });
    found.into_iter().map(|settings| Target { settings, ..host.clone() }).collect()
}

pub(crate) fn editable(world: &World, host: &Target) -> Vec<Target> {
    let mut found = besides(world, host);
    found.retain(|part| barrier(part).is_none());
    found
}

/// Explains why hookman takes no hook out of a file and puts none back.
pub(crate) fn barrier(part: &Target) -> Option<String> {
    if part.settings.ends_with("settings.local.json") && part.project.is_some() {
        return Some("it is one person's, and the project's manifest is everyone's".to_owned());
    }
    let text = match files::read_text(&part.settings) {
        Ok(text) => text.unwrap_or_default(),
        Err(error) => return Some(error.to_string()),
    };
    let has_ours = || part.form().finds_ours(&text).then(|| "it calls hookman".to_owned());
    let title = part.host.map_or("", |of| of.title);
    let unloaded = host_files::unloaded(&text);
    unloaded.map(|why| format!("{title} runs nothing of it: {why}")).or_else(has_ours)
}

/// The names of the hooks that were adopted out of a file.
pub(crate) fn recorded(world: &World, part: &Target) -> Result<HashSet<String>> {
    let kept = records::adoptions(world, &part.settings)?;
    let all = kept.into_iter().flat_map(|kept| [Some(kept.now), kept.next]).flatten();
    Ok(all.flat_map(|it| it.hooks).map(|hook| hook.hook).collect())
}

/// The list of those out of which hooks were adopted, which may be gone.
fn list(world: &World, host: &Target) -> PathBuf {
    world.paths.kept("parts", &host.settings)
}

fn noted(world: &World, host: &Target) -> Vec<PathBuf> {
    let text = files::read_text(&list(world, host)).ok().flatten();
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Notes in the list whether hooks are adopted out of a file, if it is one of these.
pub(crate) fn note(writes: &mut Writes<'_>, part: &Target, is_adopting: bool) -> Result<()> {
    let file = |of| host_files::file(&writes.world.paths, part.project.as_deref(), of);
    let main = part.host.filter(|_| part.is_part()).and_then(file);
    let Some(settings) = main else { return Ok(()) };
    let host = Target { settings, ..part.clone() };
    let mut all = noted(writes.world, &host);
    all.retain(|it| *it != part.settings);
    all.extend(is_adopting.then(|| part.settings.clone()));
    let text = (!all.is_empty()).then(|| serde_json::to_string(&all)).transpose()?;
    writes.keep(&list(writes.world, &host), text.as_deref())
}

//! The handlers of the settings files that apply together with the one that a command works on.

use std::path::PathBuf;

use crate::install::target::Target;
use crate::machine::world::World;
use crate::machine::{environment, files};
use crate::settings::{Handler, handlers};
use crate::state::configured;
use crate::syntax::json::Document;

/// The handlers of others in other settings files, each with its file for people. A file
/// that cannot be read has none.
pub(crate) fn handlers_elsewhere(world: &World, target: &Target) -> Vec<(String, Handler)> {
    let here = || environment::current_directory().ok();
    let project = target.project.clone().or_else(configured::project).or_else(here);
    let of_project = project.into_iter().flat_map(|project| {
        ["settings.json", "settings.local.json"].map(|name| project.join(".claude").join(name))
    });
    let real = |path: &PathBuf| files::resolve(path).unwrap_or_else(|_| path.clone());
    let mut seen = vec![real(&target.settings)];
    let mut found = Vec::new();
    for path in std::iter::once(world.paths.user_settings()).chain(of_project) {
        if seen.contains(&real(&path)) {
            continue;
        }
        seen.push(real(&path));
        let Ok(Some(text)) = files::read_text(&path) else { continue };
        let Ok(document) = Document::parse(&text) else { continue };
        let others = handlers(&document).into_iter().filter(|handler| !handler.ours);
        found.extend(others.map(|handler| (world.paths.shown(&path), handler)));
    }
    found
}

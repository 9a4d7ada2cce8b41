//! The trust that Copilot and Gemini CLI have in a project's directory, as their own files have it.

use std::path::Path;

use serde_json::Value;

use super::hosts;
use crate::client::host::files::{Files, Trust};
use crate::install::target::Target;
use crate::machine::world::World;
use crate::machine::{environment, files, paths};
use crate::state::host_files;

/// Says that a program passes over a project's entries until a person trusts the directory, and how.
pub(crate) fn untrusted(world: &World, target: &Target) -> Option<(String, String)> {
    let of = target.host.filter(|of| of.trust == Trust::Folder && hosts::is_there(world, of))?;
    let project = paths::real(target.project.as_ref()?);
    if is_trusted(world, of, &project)? {
        return None;
    }
    let message = format!("{} skips all entries there: the directory is not trusted", of.title);
    let how = match by_variable(of) {
        Some((variable, _)) => format!("leave `{variable}` out of the environment"),
        None => format!("start `{}` in it once and say that it is", of.host.name),
    };
    Some((message, how))
}

/// The variable by which Gemini CLI trusts every directory, or none, and whether it does.
fn by_variable(of: &Files) -> Option<(&'static str, bool)> {
    let restricted = ("GEMINI_RESTRICTED_MODE", "true", false);
    let trusting = |value, trusts| ("GEMINI_CLI_TRUST_WORKSPACE", value, trusts);
    let all = [restricted, trusting("false", false), trusting("true", true)];
    let is_set = |(name, value, _): &(&str, &str, bool)| {
        of.host.name == "gemini" && environment::text(name).is_some_and(|it| it == *value)
    };
    all.into_iter().find(is_set).map(|(name, _, trusts)| (name, trusts))
}

fn is_trusted(world: &World, of: &Files, project: &Path) -> Option<bool> {
    if let Some((_, trusts)) = by_variable(of) {
        return Some(trusts);
    }
    let folder = host_files::folder(&world.paths, of)?;
    let value = |name: &str| {
        let file = folder.join(name);
        let text = files::read_text(&file).ok().flatten().unwrap_or_default();
        host_files::value(&file, &text)
    };
    let is_around = |folder: &Path| project.starts_with(paths::real(folder));
    if of.host.name != "gemini" {
        let config = value("config.json");
        let lists = ["trusted_folders", "trustedFolders"].map(|key| config.get(key)?.as_array());
        let mut named = lists.into_iter().flatten().flatten().filter_map(Value::as_str);
        return Some(named.any(|it| is_around(Path::new(it))));
    }
    if value("settings.json").pointer("/security/folderTrust/enabled") == Some(&false.into()) {
        return Some(true);
    }
    let rules = value("trustedFolders.json");
    let meant = |(path, level): &(&String, &Value)| match Path::new(path).parent() {
        Some(parent) if *level == "TRUST_PARENT" => is_around(parent),
        _ => is_around(Path::new(path)),
    };
    let rules = rules.as_object().into_iter().flatten().filter(meant);
    let nearest = rules.max_by_key(|(path, _)| path.len());
    Some(nearest.is_some_and(|(_, level)| *level != "DO_NOT_TRUST"))
}

//! The programs of a project that run only where the user allows it, for commands that ask.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::options::Options;
use super::{CONFIGURATION, is_meant, is_root, own_program};
use crate::builtin::options;
use crate::machine::{files, foreign};

pub const KIND: &str = "run-after-edit";

/// The programs of a directory that a hook with these options would run and may not without an answer;
/// none where the options themselves say whether.
pub fn programs(written: &Map<String, Value>, folder: &Path) -> Vec<String> {
    let Ok(options) = options::read::<Options>(written) else { return Vec::new() };
    if options.project_tools.is_some() {
        return Vec::new();
    }
    let look = |path: &Path| files::facts(path).is_some_and(|it| is_meant(path, &it));
    let read = |path: &Path| foreign::read_start(path, CONFIGURATION).ok().flatten();
    let mut found: Vec<String> = Vec::new();
    for tool in options.all().filter(|tool| is_root(tool, folder, look, read)) {
        let own = own_program(tool, folder, look).filter(|own| own.starts_with(folder));
        let own = own.map(|own: PathBuf| own.strip_prefix(folder).unwrap_or(&own).to_owned());
        let call = || {
            let words = tool.argv.iter().map(|word| word.strip_prefix("{root}/").unwrap_or(word));
            words.filter(|word| !word.contains('{')).take(2).collect::<Vec<_>>().join(" ")
        };
        let name = match own {
            Some(own) => Some(own.display().to_string()),
            None => tool.runs_project.then(call),
        };
        found.extend(name.filter(|name| !found.contains(name)));
    }
    found
}

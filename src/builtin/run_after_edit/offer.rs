//! The programs of a project that run only where the user allows it, for commands that ask.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::options::{Options, Tool};
use super::{CONFIGURATION, is_meant, is_root, own_program};
use crate::builtin::options;
use crate::machine::{environment, files, foreign, program};

pub const KIND: &str = "run-after-edit";

/// The tools that a directory configures, without those that never run because another does their job.
fn configured<'o>(options: &'o Options, folder: &Path) -> impl Iterator<Item = &'o Tool> {
    let read = |path: &Path| foreign::read_start(path, CONFIGURATION).ok().flatten();
    let mut first: Vec<&Tool> = Vec::new();
    for tool in options.all().filter(|tool| is_root(tool, folder, look, read)) {
        let is_done = |it: &&Tool| it.job == tool.job && it.files == tool.files;
        if tool.job.is_empty() || !first.iter().any(is_done) {
            first.push(tool);
        }
    }
    first.into_iter()
}

fn look(path: &Path) -> bool {
    files::facts(path).is_some_and(|it| is_meant(path, &it))
}

/// The programs that a directory configures for a hook and that are not installed, and if those are all.
pub fn missing(written: &Map<String, Value>, folder: &Path) -> (Vec<String>, bool) {
    let Ok(options) = options::read::<Options>(written) else { return (Vec::new(), false) };
    let path = options.env.get("PATH").cloned().map(Into::into);
    let path = path.or_else(|| environment::raw("PATH")).unwrap_or_default();
    let lacks = |tool: &Tool| {
        let program = &tool.argv[0];
        !program.contains('/')
            && own_program(tool, folder, look).is_none()
            && program::on_path(program, &path).is_none()
    };
    let (lacking, others): (Vec<&Tool>, Vec<&Tool>) =
        configured(&options, folder).partition(|tool| lacks(tool));
    let mut names: Vec<String> = lacking.iter().map(|tool| tool.argv[0].clone()).collect();
    names.dedup();
    (names, others.is_empty())
}

/// The programs of a directory that a hook would run and may not without an answer.
pub fn programs(written: &Map<String, Value>, folder: &Path) -> Vec<String> {
    let Ok(options) = options::read::<Options>(written) else { return Vec::new() };
    if options.project_tools.is_some() {
        return Vec::new();
    }
    let mut found: Vec<String> = Vec::new();
    for tool in configured(&options, folder) {
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

//! The events that mods listen to, told by the client.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::installed;
use super::plugin::Plugin;
use crate::machine::Scratch;
use crate::machine::scratch::Run;

const TIME: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct Module {
    pub plugin: String,
    /// The way to have the client run none of it.
    pub off: String,
    pub file: PathBuf,
    /// The events that it listens to, where a client told them.
    pub events: Option<Vec<String>>,
    /// True if it can answer in another's place, where the client said so.
    pub is_gate: Option<bool>,
}

/// The modules of plugins, by `claude plugin validate DIR --json` (2.1.329), which runs none of them.
pub(super) fn modules(plugins: &[Plugin], program: Option<&Path>) -> Vec<Module> {
    let mut found = Vec::new();
    for plugin in plugins.iter().filter(|plugin| !plugin.modules.is_empty()) {
        let told = program.and_then(|program| ask(program, &plugin.root)).unwrap_or_default();
        for file in &plugin.modules {
            let told = told.iter().find(|it| names(it, file));
            let events = told.and_then(|told| told["uses"]["events"].as_array());
            let text = |it: &Value| Some(it.as_str()?.to_owned());
            let hooks = told.and_then(|told| told["hooks"].as_array());
            found.push(Module {
                plugin: plugin.name.clone(),
                off: plugin.off(),
                file: file.clone(),
                events: told.map(|_| events.into_iter().flatten().filter_map(text).collect()),
                is_gate: told.map(|_| hooks.into_iter().flatten().any(|it| it["isGate"] == true)),
            });
        }
    }
    found
}

fn names(told: &Value, file: &Path) -> bool {
    let name = told["module"].as_str().map(|it| it.trim_start_matches("./"));
    name.is_some_and(|name| file.ends_with(name))
}

fn ask(program: &Path, root: &Path) -> Option<Vec<Value>> {
    let scratch = Scratch::new().ok()?;
    ["home", "tmp"].iter().try_for_each(|folder| scratch.make(folder)).ok()?;
    let arguments = &["plugin", "validate", root.to_str()?, "--json"];
    let (directory, variables) = ("home", &installed::variables(&scratch));
    let run = Run { program, arguments, directory, variables, timeout: TIME };
    let ended = scratch.run(&run).ok()?;
    let report: Value = serde_json::from_str(&ended.stdout).ok()?;
    let contents = report["contents"].as_array()?;
    let lists = contents.iter().filter_map(|it| it["modules"].as_array());
    Some(lists.flatten().cloned().collect())
}

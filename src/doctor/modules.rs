//! The events that mods listen to, told by the client where there is one, else read off their text.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::plugin::Plugin;
use crate::machine::scratch::Run;
use crate::machine::{Scratch, foreign};

const TIME: Duration = Duration::from_secs(10);

const MOST: u64 = 512 * 1024;

#[derive(Debug)]
pub(super) struct Module {
    pub plugin: String,
    pub origin: String,
    pub file: PathBuf,
    pub events: Vec<String>,
    /// True if it can answer in another's place, where the client said so.
    pub is_gate: Option<bool>,
    /// The reason why it cannot be told what it listens to, if so.
    pub unread: Option<String>,
}

/// The modules of plugins. The client `program` looks at them without running them (2.1.329:
/// `claude plugin validate DIR --json`), in a home of its own.
pub(super) fn modules(plugins: &[Plugin], program: Option<&Path>) -> Vec<Module> {
    let mut found = Vec::new();
    for plugin in plugins.iter().filter(|plugin| !plugin.modules.is_empty()) {
        let told = program.and_then(|program| ask(program, &plugin.root)).unwrap_or_default();
        for file in &plugin.modules {
            let told = told.iter().find(|it| names(it, file));
            let mut module = Module {
                plugin: plugin.name.clone(),
                origin: plugin.origin.clone(),
                file: file.clone(),
                events: Vec::new(),
                is_gate: None,
                unread: None,
            };
            match told {
                Some(told) => {
                    let events = told["uses"]["events"].as_array().into_iter().flatten();
                    module.events = events.filter_map(|it| Some(it.as_str()?.to_owned())).collect();
                    let hooks = told["hooks"].as_array().into_iter().flatten();
                    module.is_gate = Some(hooks.into_iter().any(|it| it["isGate"] == true));
                }
                None => read(&mut module),
            }
            found.push(module);
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
    scratch.make("home").ok()?;
    let root = root.to_str()?;
    let mut variables = vec![
        ("HOME", scratch.path("home").into_os_string()),
        ("PATH", OsString::from("/usr/local/bin:/usr/bin:/bin")),
    ];
    let off = ["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER"];
    variables.extend(off.map(|name| (name, "1".into())));
    let arguments = ["plugin", "validate", root, "--json"];
    let run = Run {
        program,
        arguments: &arguments,
        directory: "home",
        variables: &variables,
        timeout: TIME,
    };
    let ended = scratch.run(&run).ok()?;
    let report: Value = serde_json::from_str(&ended.stdout).ok()?;
    let contents = report["contents"].as_array()?;
    let lists = contents.iter().filter_map(|it| it["modules"].as_array());
    Some(lists.flatten().cloned().collect())
}

/// Reads the events off the calls of `on` in a module's text.
fn read(module: &mut Module) {
    let text = match foreign::read_at_most(&module.file, MOST) {
        Ok(Some(text)) => text,
        Ok(None) => return module.unread = Some("it is not there".to_owned()),
        Err(error) => return module.unread = Some(error.to_string()),
    };
    let (events, is_whole) = events(&text);
    module.events = events;
    if !is_whole {
        module.unread = Some("it does not name its events in quotes".to_owned());
    }
}

/// The events that calls of `on` name, and whether each names one in quotes.
fn events(text: &str) -> (Vec<String>, bool) {
    let (mut events, mut is_whole): (Vec<String>, bool) = (Vec::new(), true);
    for (at, _) in text.match_indices("on(") {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|it| it.is_alphanumeric() || "_$.".contains(it)) {
            continue;
        }
        let inside = text[at + 3..].trim_start();
        let quote = inside.chars().next().filter(|it| "\"'`".contains(*it));
        // `register(on)` and `function on(…)` name none.
        let is_call = || !inside.starts_with([')', ',']) && !text[..at].ends_with("function ");
        match quote.and_then(|quote| inside[1..].split_once(quote)) {
            // What is put together is known to the mod alone.
            Some((event, rest)) if event.contains("${") || !rest.trim_start().starts_with(',') => {
                is_whole = false;
            }
            Some((event, _)) if !events.iter().any(|known| known == event) => {
                events.push(event.to_owned());
            }
            Some(_) => {}
            None => is_whole &= !is_call(),
        }
    }
    // A module without a plain call gets at events in another way.
    (events.clone(), is_whole && !events.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_events_of_a_module_are_read_off_its_text() {
        let rows: [(&str, &[&str], bool); 7] = [
            ("export function register(on) { on(\"tool.call\", f) }", &["tool.call"], true),
            (
                "on('*', f); on(`classic.PreToolUse`, f); on('*', g)",
                &["*", "classic.PreToolUse"],
                true,
            ),
            ("const n = 'tool' + '.call'; on(n, f)", &[], false),
            ("export function register(o) { o('tool.call', f) }", &[], false),
            ("on('tool.' + 'call', f); on('turn.end', f)", &["turn.end"], false),
            ("on(`tool.${it}`, f); on('turn.end', f)", &["turn.end"], false),
            ("emitter.on('x', f); on('turn.end', f)", &["turn.end"], true),
        ];
        for (text, expected, whole) in rows {
            let (found, is_whole) = events(text);
            assert_eq!(found, expected, "{text}");
            assert_eq!(is_whole, whole, "{text}");
        }
    }
}

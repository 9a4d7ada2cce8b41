//! By which entries the client calls the hooks of a chain: what a plan goes by, so that a hook whose
//! own entry is not in the settings yet runs with its chain.

use serde_json::Value;

use crate::client::call::run_words;
use crate::client::event::Event;
use crate::manifest::Hook;
use crate::syntax::json::{Document, strip_bom};

/// The entries of a chain in the client's settings.
#[derive(Debug, Default)]
pub struct Entries(Vec<Entry>);

#[derive(Debug)]
struct Entry {
    event: String,
    /// The hook whose own entry it is; none for the chain's.
    hook: Option<String>,
    /// The client's `if`, which keeps calls from the hook.
    condition: Option<Value>,
    /// Whether the client goes on without waiting.
    background: bool,
}

impl Entries {
    /// Adds those that the text of a settings file holds for the user's chain or a project's; a text
    /// that cannot be read holds none.
    pub fn add(&mut self, text: &str, of_project: bool) {
        let Ok(document) = Document::parse(strip_bom(text)) else { return };
        let settings = document.value(document.root());
        let Some(events) = settings.get("hooks").and_then(Value::as_object) else { return };
        for (event, groups) in events {
            let groups = groups.as_array().into_iter().flatten();
            let handlers = groups.filter_map(|group| group.get("hooks")?.as_array()).flatten();
            self.0.extend(handlers.filter_map(|handler| Entry::of(event, handler, of_project)));
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a hook has an entry of its own there.
    pub fn any_apart(&self) -> bool {
        self.0.iter().any(|entry| entry.hook.is_some())
    }

    /// Whether the client calls a hook by an entry of its own on an event, whenever it should.
    pub fn call(&self, hook: &Hook, event: Event) -> bool {
        let condition = hook.manner.condition.as_deref();
        self.apart(event).any(|(name, entry)| {
            let is_as_wide = entry.condition.as_ref().is_none_or(|it| it.as_str() == condition);
            name == hook.name && is_as_wide && (hook.manner.background || !entry.background)
        })
    }

    /// The entry of a hook that takes the place of that of the chain, which has none for the event: one
    /// of no hook in `hooks`, such as one that was given another name.
    pub fn stand_in(&self, event: Event, hooks: &[Hook]) -> Option<&str> {
        let of_event = |entry: &&Entry| entry.event == event.name();
        if self.0.iter().filter(of_event).any(|entry| entry.hook.is_none()) {
            return None;
        }
        let is_known = |name: &str| hooks.iter().any(|hook| hook.name == name);
        let astray = || self.apart(event).filter(|(name, _)| !is_known(name));
        let waits = |(_, entry): &(&str, &Entry)| !entry.background && entry.condition.is_none();
        astray().find(waits).or_else(|| astray().next()).map(|(name, _)| name)
    }

    /// Whether a hook of this name has an entry of its own for an event, whatever that says.
    pub fn name(&self, event: Event, hook: &str) -> bool {
        self.apart(event).any(|(name, _)| name == hook)
    }

    fn apart(&self, event: Event) -> impl Iterator<Item = (&str, &Entry)> {
        let of_event = self.0.iter().filter(move |entry| entry.event == event.name());
        of_event.filter_map(|entry| Some((entry.hook.as_deref()?, entry)))
    }
}

/// Whether a command is a project's launcher, and no program that lies in a folder with a similar name.
fn is_launcher(command: &str, of_project: bool) -> bool {
    let program = command.split_once(" run").map_or(command, |(program, _)| program);
    program.replace('"', "").ends_with("/.claude/hookman")
        && (of_project || program.contains("CLAUDE_PROJECT_DIR"))
}

impl Entry {
    fn of(event: &str, handler: &Value, of_project: bool) -> Option<Self> {
        let words = run_words(handler)?;
        let command = handler.get("command")?.as_str()?;
        let names_project =
            is_launcher(command, of_project) || words.iter().any(|word| word == "--project");
        if names_project != of_project || words.first()? != event {
            return None;
        }
        let hook = words.iter().position(|word| word == "--hook");
        Some(Self {
            event: event.to_owned(),
            hook: hook.and_then(|at| words.get(at + 1)).cloned(),
            condition: handler.get("if").cloned(),
            background: handler.get("async").and_then(Value::as_bool).unwrap_or_default(),
        })
    }
}

//! By which entries the client calls the hooks of a chain: what a plan goes by, so that a hook whose
//! own entry is not in the settings yet runs with its chain.

use serde_json::Value;

use crate::client::call::run_words;
use crate::client::{Event, matcher};
use crate::manifest::Hook;
use crate::syntax::json::{Document, strip_bom};

#[derive(Debug, Default)]
pub struct Entries {
    ours: Vec<Entry>,
    /// Handlers of types that the client runs without hookman.
    passed: Vec<Passed>,
}

#[derive(Debug)]
struct Passed {
    event: String,
    matcher: Option<String>,
    handler: Value,
}

#[derive(Debug)]
struct Entry {
    event: String,
    matcher: Option<String>,
    /// The hook whose own entry it is; none for the chain's.
    hook: Option<String>,
    /// The client's `if`, which keeps calls from the hook.
    condition: Option<Value>,
    /// True if the client goes on without waiting.
    background: bool,
    /// The seconds after which the client ends it.
    limit: Option<u64>,
}

impl Entries {
    /// Adds those in the text of a settings file for the user's chain or a project's.
    pub fn add(&mut self, text: &str, of_project: bool) {
        let Ok(document) = Document::parse(strip_bom(text)) else { return };
        let settings = document.value(document.root());
        let Some(events) = settings.get("hooks").and_then(Value::as_object) else { return };
        for (event, groups) in events {
            for group in groups.as_array().into_iter().flatten() {
                let matcher = group.get("matcher").and_then(Value::as_str);
                let handlers = group.get("hooks").and_then(Value::as_array);
                for handler in handlers.into_iter().flatten() {
                    self.add_handler(event, matcher, handler, of_project);
                }
            }
        }
    }

    fn add_handler(
        &mut self,
        event: &str,
        matcher: Option<&str>,
        handler: &Value,
        of_project: bool,
    ) {
        if handler.get("type").and_then(Value::as_str).is_some_and(|kind| kind != "command") {
            self.passed.push(Passed {
                event: event.to_owned(),
                matcher: matcher.map(str::to_owned),
                handler: handler.clone(),
            });
        }
        self.ours.extend(Entry::of(event, matcher, handler, of_project));
    }

    /// The enabled hooks for which an event has no entry, or one with a narrower matcher.
    pub fn uncalled<'h>(&self, hooks: &'h [Hook]) -> Vec<&'h Hook> {
        let is_called = |hook: &Hook| hook.events.iter().all(|event| self.reaches(hook, *event));
        hooks.iter().filter(|hook| hook.enabled && !is_called(hook)).collect()
    }

    /// Returns whether the client calls a hook for some of its calls, as far as matchers tell.
    pub fn call_in_part(&self, hook: &Hook) -> bool {
        let own = hook.matcher.as_deref();
        let is_met = |entry: &Entry, event: Event| {
            let entry = entry.matcher.as_deref();
            let mut tools = matcher::names(own.unwrap_or_default());
            matcher::covers(own, entry, event)
                || tools.any(|tool| matcher::matches(entry, event, Some(tool)))
        };
        hook.events.iter().any(|event| {
            let mut shared = self.ours.iter().filter(|it| it.hook.is_none() && !it.background);
            self.reaches(hook, *event)
                || hook.passed().is_none()
                    && shared.any(|it| it.event == event.name() && is_met(it, *event))
        })
    }

    fn reaches(&self, hook: &Hook, event: Event) -> bool {
        let is_as_wide = |wide: &Option<String>| {
            matcher::covers(wide.as_deref(), hook.matcher.as_deref(), event)
        };
        if let Some(passed) = hook.passed() {
            let is_it = |it: &Passed| {
                passed.keys.iter().all(|(key, value)| it.handler.get(key) == Some(value))
            };
            let mut of_event = self.passed.iter().filter(|it| it.event == event.name());
            return of_event.any(|it| is_it(it) && is_as_wide(&it.matcher));
        }
        if hook.manner.own_entry().is_some() && self.call(hook, event) {
            return true;
        }
        let mut of_event = self.ours.iter().filter(|it| it.event == event.name());
        of_event.any(|it| it.hook.is_none() && it.holds(hook) && is_as_wide(&it.matcher))
    }

    pub fn is_empty(&self) -> bool {
        self.ours.is_empty()
    }

    pub fn any_apart(&self) -> bool {
        self.ours.iter().any(|entry| entry.hook.is_some())
    }

    /// Returns whether the client calls a hook by an entry of its own on an event, whenever it should.
    pub fn call(&self, hook: &Hook, event: Event) -> bool {
        let condition = hook.manner.condition.as_deref();
        self.apart(event).any(|(name, entry)| {
            let is_as_wide = entry.condition.as_ref().is_none_or(|it| it.as_str() == condition);
            name == hook.name && is_as_wide && (hook.manner.background || !entry.background)
        })
    }

    /// The entry that takes the place of the chain's on an event, of a hook that `hooks` do not have.
    pub fn stand_in(&self, event: Event, hooks: &[Hook]) -> Option<&str> {
        let of_event = |entry: &&Entry| entry.event == event.name();
        if self.ours.iter().filter(of_event).any(|entry| entry.hook.is_none()) {
            return None;
        }
        let is_known = |name: &str| hooks.iter().any(|hook| hook.name == name);
        let astray = || self.apart(event).filter(|(name, _)| !is_known(name));
        let waits = |(_, entry): &(&str, &Entry)| !entry.background && entry.condition.is_none();
        astray().find(waits).or_else(|| astray().next()).map(|(name, _)| name)
    }

    /// Returns whether a hook of this name has an entry of its own for an event, whatever that says.
    pub fn name(&self, event: Event, hook: &str) -> bool {
        self.apart(event).any(|(name, _)| name == hook)
    }

    fn apart(&self, event: Event) -> impl Iterator<Item = (&str, &Entry)> {
        let of_event = self.ours.iter().filter(move |entry| entry.event == event.name());
        of_event.filter_map(|entry| Some((entry.hook.as_deref()?, entry)))
    }
}

/// Returns whether a command is a project's launcher, and not a program with a similar folder.
fn is_launcher(command: &str, of_project: bool) -> bool {
    let program = command.split_once(" run").map_or(command, |(program, _)| program);
    program.replace('"', "").ends_with("/.claude/hookman")
        && (of_project || program.contains("CLAUDE_PROJECT_DIR"))
}

impl Entry {
    fn of(event: &str, matcher: Option<&str>, handler: &Value, of_project: bool) -> Option<Self> {
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
            matcher: matcher.map(str::to_owned),
            hook: hook.and_then(|at| words.get(at + 1)).cloned(),
            condition: handler.get("if").cloned(),
            background: handler.get("async").and_then(Value::as_bool).unwrap_or_default(),
            limit: handler.get("timeout").and_then(Value::as_u64),
        })
    }

    /// Returns whether the client asks a chain by it at each call, and leaves a hook its time.
    fn holds(&self, hook: &Hook) -> bool {
        let is_long = |seconds| seconds * 1000 >= hook.timeout_ms || self.event == "SessionEnd";
        !self.background && self.condition.is_none() && self.limit.is_none_or(is_long)
    }
}

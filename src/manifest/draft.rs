//! From what a file says of a hook to a hook that is complete.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Map;

use super::keys::{ACTIONS, DefaultKeys, HookKeys};
use super::model::{
    Absent, Action, Audience, Hook, Manner, Observe, OnError, Options, Origin, Preset, Presets,
    Problem, Surroundings, When,
};
use super::package::{Membership, Package};
use super::passing::{self, Rest};
use crate::client::Event;

const DEFAULT_TIMEOUT_MS: u64 = 10_000;

/// The `[defaults]` of a file, with the places of its keys.
#[derive(Clone, Default)]
pub(super) struct Defaults {
    pub(super) keys: DefaultKeys,
    pub(super) origins: BTreeMap<String, Origin>,
}

/// A hook as one file gives it; `None` is a key that the file leaves out.
pub(super) struct Draft {
    pub(super) name: String,
    pub(super) membership: Option<Membership>,
    pub(super) action: Option<Action>,
    /// A line on its purpose, where its file has one.
    pub(super) summary: Option<String>,
    pub(super) keys: HookKeys,
    pub(super) option_origins: Vec<(Vec<String>, Origin)>,
    pub(super) origins: BTreeMap<String, Origin>,
    pub(super) origin: Origin,
    pub(super) overlay: Option<Origin>,
    pub(super) defaults: Defaults,
}

/// The milliseconds for a hook without a `timeout`: the ready-made hook's own, or those of all if longer.
fn default_timeout(defaults: &DefaultKeys, preset: Option<&Preset>) -> u64 {
    let of_all = defaults.timeout_ms.unwrap_or(DEFAULT_TIMEOUT_MS);
    preset.and_then(|preset| preset.timeout_ms).map_or(of_all, |ms| ms.max(of_all))
}

impl Draft {
    /// A hook of a package that is not on this machine.
    pub(super) fn absent(package: &Package, hook: Absent, why: &Arc<str>, origin: Origin) -> Self {
        let Absent { name, events, on_error } = hook;
        let nowhere: Arc<str> = "".into();
        Self {
            membership: Some(Membership {
                package: package.name.clone(),
                rev: package.rev.clone().unwrap_or_default(),
                name: name.clone(),
                root: Arc::clone(&nowhere),
                data: nowhere,
                foreign: false,
                absent: Some(Arc::clone(why)),
            }),
            name,
            action: Some(Action::Argv(Vec::new())),
            summary: None,
            keys: HookKeys {
                events: Some(events),
                on_error: Some(on_error),
                ..HookKeys::default()
            },
            option_origins: Vec::new(),
            origins: [("hook".to_owned(), origin.clone())].into(),
            origin,
            overlay: None,
            defaults: Defaults::default(),
        }
    }

    /// Lays over it what another layer says of the same hook, which may set these keys alone.
    pub(super) fn lay(&mut self, over: Self) {
        let (keys, over_keys) = (&mut self.keys, over.keys);
        macro_rules! lay {
            ($($key:ident),*) => { $(keys.$key = over_keys.$key.or(keys.$key.take());)* };
        }
        lay!(enabled, timeout_ms, on_error, observes, observe_until, events, matcher, parallel);
        lay!(always, after, when, user_only, context_priority);
        if let Some(options) = over_keys.options {
            keys.options.get_or_insert_default().extend(options);
        }
        // Its places come first, so that a problem is shown where it was caused.
        self.option_origins.splice(..0, over.option_origins);
        let is_own = |key: &str| matches!(key, "name" | "hook");
        self.origins.extend(over.origins.into_iter().filter(|(key, _)| !is_own(key)));
    }

    fn problem(&self, key: &str, message: String) -> Problem {
        Problem { origin: self.origins.get(key).unwrap_or(&self.origin).clone(), message }
    }

    /// Refuses what has no effect on a hook that does this.
    fn check(&self, action: &Action) -> Result<(), Problem> {
        passing::misplaced(action, &self.origins)?;
        let is_given = |key: &&&str| self.origins.contains_key(**key);
        let (none, why): (&[&str], _) = match action {
            Action::Builtin { .. } => {
                (&["cwd", "path"], "is for commands; a built-in hook starts no process")
            }
            Action::Passed(_) => return Ok(()),
            _ => (&["options"], "is for built-in hooks; a command takes arguments"),
        };
        if let Some(key) = none.iter().find(is_given) {
            return Err(self.problem(key, format!("`{key}` {why}")));
        }
        let on_error = self.keys.on_error.filter(|it| *it != OnError::Open);
        let (Some(on_error), Some(true)) = (on_error, self.keys.background) else {
            return Ok(());
        };
        let message = format!(
            "`on_error = \"{}\"` has no effect with `async = true`: the client does not wait \
             for the hook, so it can never block; leave one of the two out",
            on_error.name()
        );
        Err(self.problem("on_error", message))
    }

    fn options(
        &self,
        builtin: &str,
        events: &[Event],
        presets: &dyn Presets,
    ) -> Result<Options, Problem> {
        let none = Map::new();
        let overrides = self.keys.options.as_ref().unwrap_or(&none);
        presets.options(builtin, overrides, events).map_err(|(path, message)| {
            // Of several layers the last that wrote the value, or the nearest table around it.
            let written = |path: &[String]| {
                let mut origins = self.option_origins.iter().rev();
                origins.find(|(known, _)| known == path).map(|(_, origin)| origin.clone())
            };
            let origin = (1..=path.len()).rev().find_map(|length| written(&path[..length]));
            Problem { origin: origin.unwrap_or_else(|| self.origin.clone()), message }
        })
    }

    fn observe(&self) -> Result<Observe, Problem> {
        let (keys, defaults) = (&self.keys, &self.defaults.keys);
        if keys.observes.or(defaults.observes).unwrap_or_default() {
            let until = keys.observe_until.clone().or_else(|| defaults.observe_until.clone());
            return Ok(until.map_or(Observe::Always, Observe::Until));
        }
        if keys.observe_until.is_some() {
            let message = "`observe_until` needs `mode = \"observe\"`: without it the hook decides \
                           from the first day on";
            return Err(self.problem("observe_until", message.to_owned()));
        }
        Ok(Observe::Never)
    }

    fn manner(&self, is_passed: bool) -> Result<Manner, Problem> {
        let keys = &self.keys;
        Ok(Manner {
            parallel: keys.parallel.unwrap_or_default(),
            always: keys.always.unwrap_or_default(),
            condition: keys.condition.clone(),
            background: keys.background.unwrap_or_default(),
            status_message: keys.status_message.clone(),
            adopted: keys.adopted.unwrap_or_default(),
            budget: self.defaults.keys.budget.filter(|_| !is_passed),
            context_priority: keys.context_priority.unwrap_or_default(),
            after: keys.after.clone().unwrap_or_default(),
            unexplained: false,
            observe: if is_passed { Observe::Never } else { self.observe()? },
        })
    }

    pub(super) fn complete(mut self, presets: &dyn Presets) -> Result<Hook, Problem> {
        let Some(mut action) = self.action.take() else {
            let ways = ACTIONS.join(", ");
            let message = format!("the hook `{}` does nothing: it needs one of {ways}", self.name);
            return Err(self.problem("hook", message));
        };
        self.check(&action)?;
        let preset = match &action {
            Action::Builtin { name, .. } => presets.find(name),
            _ => None,
        };
        let events = self.keys.events.take();
        let Some(events) = events
            .or_else(|| preset.as_ref().map(|it| it.events.clone()).filter(|it| !it.is_empty()))
        else {
            let message = format!(
                "the hook `{}` has no event; say when it runs: event = \"PreToolUse\"",
                self.name
            );
            return Err(self.problem("hook", message));
        };
        let options = match &action {
            Action::Builtin { name, .. } => self.options(name, &events, presets)?,
            _ => Map::new().into(),
        };
        let is_passed = matches!(action, Action::Passed(_));
        let manner = self.manner(is_passed)?;
        let mut default_timeout = default_timeout(&self.defaults.keys, preset.as_ref());
        if let Action::Passed(passed) = action {
            self.defaults = Defaults::default();
            default_timeout = events.first().map_or(0, |event| passed.handler.timeout_ms(*event));
            let rest = Rest {
                manner: &manner,
                timeout_ms: self.keys.timeout_ms,
                events: &events,
                origins: &self.origins,
                origin: &self.origin,
            };
            action = Action::Passed(passing::complete(passed, &rest)?);
        }
        let Self { keys, mut origins, defaults, .. } = self;
        for (path, origin) in self.option_origins {
            if let [option] = path.as_slice() {
                origins.entry(format!("options.{option}")).or_insert(origin);
            }
        }
        for (key, origin) in defaults.origins {
            let has_effect = match key.as_str() {
                "path" => !matches!(action, Action::Builtin { .. }),
                // It would have none on a hook in the background.
                "on_error" => !manner.background,
                _ => true,
            };
            if has_effect {
                origins.entry(key).or_insert(origin);
            }
        }
        let (preset_summary, preset_matcher) =
            preset.map(|preset| (preset.summary, preset.matcher)).unzip();
        let when = keys.when.unwrap_or_default();
        let on_error = defaults.keys.on_error.filter(|_| !manner.background);
        Ok(Hook {
            name: self.name,
            package: self.membership,
            summary: self.summary.or(preset_summary).unwrap_or_else(|| described(&action)),
            events,
            matcher: keys.matcher.or(preset_matcher.flatten()),
            enabled: keys.enabled.unwrap_or(true),
            timeout_ms: keys.timeout_ms.unwrap_or(default_timeout),
            on_error: keys.on_error.or(on_error).unwrap_or_default(),
            surroundings: Surroundings {
                in_project: keys.in_project.unwrap_or_default(),
                path: keys.path.or(defaults.keys.path).unwrap_or_default(),
            },
            audience: Audience {
                when: When {
                    agent: when.agent.unwrap_or_default(),
                    agent_not: when.agent_not.unwrap_or_default(),
                    branch: when.branch.unwrap_or_default(),
                    ci: when.ci,
                    headless: when.headless,
                    host: when.host.unwrap_or_default(),
                    host_not: when.host_not.unwrap_or_default(),
                    os: when.os.unwrap_or_default(),
                    paths: when.paths.unwrap_or_default(),
                    permission_mode: when.permission_mode.unwrap_or_default(),
                    project: when.project.unwrap_or_default(),
                    project_not: when.project_not.unwrap_or_default(),
                },
                user_only: keys.user_only.unwrap_or_default(),
                hosts: keys.hosts.unwrap_or_default(),
            },
            action,
            manner,
            options,
            origins,
        })
    }
}

/// Gives the purpose of a hook in a line, where nothing else says it.
fn described(action: &Action) -> String {
    match action {
        Action::Builtin { name, .. } => name.clone(),
        Action::Command(line) => line.lines().next().unwrap_or_default().to_owned(),
        Action::Argv(words) => words.join(" "),
        Action::Passed(passed) => passed.summary(),
    }
}

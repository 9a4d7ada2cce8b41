//! A file in which another agent looks for hooks, as the checks see it.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::call::run_words;
use crate::client::host::files::{FILES, Files, Form};
use crate::install::change::{Change, SettingsChange};
use crate::install::registration::hosts;
use crate::install::target::{Layers, Target};
use crate::machine::{Paths, Terminal, World, files};
use crate::manifest::Manifest;
use crate::state::{Chain, host_files};
use crate::syntax::json::{BOM, Document, Kind, Node, strip_bom, without_comments};

pub(crate) struct HostFile {
    pub(super) of: &'static Files,
    /// `user` or `project`.
    pub(super) scope: &'static str,
    pub(super) shown: String,
    /// True for the one file of the agent and scope that hookman writes.
    pub(super) is_main: bool,
    /// True if the manifest has the agent call its hooks.
    pub(super) is_asked: bool,
    /// The change that `hookman apply` would make.
    pub(super) drift: Option<String>,
    pub(super) target: Target,
    path: PathBuf,
    text: String,
}

pub(crate) struct Found {
    pub(super) event: String,
    pub(super) line: String,
    pub(super) timeout: Option<u64>,
    pub(super) ours: bool,
}

/// Lists the files of other agents that are there, for the chains of the user and the project.
pub(super) fn host_files(paths: &Paths, chains: &[(&Chain, &Manifest)]) -> Vec<HostFile> {
    let world = World { paths: paths.clone(), terminal: Terminal::keeping() };
    let mut found = Vec::new();
    for (chain, committed) in chains.iter().filter(|(chain, _)| !chain.is_managed()) {
        let target = Target::of_chain(chain, &world);
        let layers = Layers::of(&world, &target, None).ok().flatten();
        let changes = layers.and_then(|it| SettingsChange::of(&world, &target, &it, None).ok());
        let changes = changes.unwrap_or_default();
        for of in FILES {
            let Some(host) = hosts::target(&world, &target, of) else { continue };
            let mut add = |path: &Path| {
                let drifted = changes.iter().find(|it| it.path() == path && !it.is_empty());
                let drift = drifted.map(|it| it.plan.summary());
                let text = files::read_text(path).ok().flatten();
                if text.is_none() && drift.is_none() {
                    return;
                }
                found.push(HostFile {
                    of,
                    scope: chain.scope,
                    shown: paths.shown(path),
                    is_main: path == host.settings,
                    is_asked: committed.is_for(of.host.name),
                    drift,
                    target: host.clone(),
                    path: path.to_owned(),
                    text: text.unwrap_or_default(),
                });
            };
            add(&host.settings);
            host_files::more(paths, host.project.as_deref(), &host.settings, of)
                .iter()
                .filter(|it| **it != host.settings)
                .for_each(|it| add(it));
        }
    }
    found
}

/// Says of which of the files that are to call a chain's hooks the agents drop hooks.
pub fn dropped(paths: &Paths, chain: &Chain, committed: &Manifest) -> Vec<String> {
    if !FILES.iter().any(|of| committed.is_for(of.host.name)) {
        return Vec::new();
    }
    let files = host_files(paths, &[(chain, committed)]).into_iter();
    let told = |file: HostFile| {
        let (place, why, _) = file.dropped().filter(|_| file.is_main && file.is_asked)?;
        Some(format!("{place}: {} drops hooks for it: {why}", file.of.title))
    };
    files.filter_map(told).collect()
}

impl HostFile {
    fn is_bare(&self) -> bool {
        host_files::form(self.of, &self.path).bare
    }

    pub(super) fn hooks(&self) -> Vec<Found> {
        let whole = host_files::value(&self.path, &self.text);
        let mut found = hooks_in(if self.is_bare() { Some(&whole) } else { whole.get("hooks") });
        // Codex starts this one program at the end of each turn.
        let notify = whole.get("notify").filter(|it| it.is_array() && self.of.host.name == "codex");
        found.extend(notify.map(|it| Found::of("notify", it)));
        found
    }

    /// The plugins that are not hookman's: the file itself, with its text, or those that it names.
    pub(super) fn plugins(&self) -> Vec<(String, String)> {
        if self.of.form != Form::Plugin || self.is_main {
            return Vec::new();
        }
        if self.path.extension().is_some_and(|it| it == "js" || it == "ts") {
            return vec![(String::new(), self.text.clone())];
        }
        let value = host_files::value(&self.path, &self.text);
        let named = value.get("plugin").and_then(Value::as_array).into_iter().flatten();
        let text = |it: &Value| it.as_str().map_or_else(|| it.to_string(), str::to_owned);
        named.map(|it| (format!(": `{}`", text(it)), text(it))).collect()
    }

    /// The setting in it by which its agent runs no hooks.
    pub(super) fn switched_off(&self) -> Option<String> {
        let value = host_files::value(&self.path, &self.text);
        self.of.switched_off(&value, &self.path, self.is_main)
    }

    /// The reason why its agent drops hooks in it, with the place and the way out.
    pub(super) fn dropped(&self) -> Option<(String, String, &'static str)> {
        if self.path.extension().is_none_or(|it| it != "json") || self.text.is_empty() {
            return None;
        }
        // A file of settings in which there are no hooks has none to drop.
        if !self.is_main && !self.is_bare() && !self.text.contains("\"hooks\"") {
            return None;
        }
        if self.text.starts_with(BOM) && !self.of.takes_bom {
            let why = "it begins with a byte order mark".to_owned();
            return Some((self.shown.clone(), why, "take it out"));
        }
        let bare = strip_bom(&self.text);
        let body = if self.of.comments { without_comments(bare) } else { bare.into() };
        let (at, why, fix) = match Document::parse(&body) {
            Ok(document) => {
                let (node, why) = self.fault(&document)?;
                (document.position(node.span.start), why, "take it out")
            }
            Err(error) => {
                let why = format!("it is no valid JSON: {}", error.message);
                (error.position, why, "mend that place, or remove the file")
            }
        };
        Some((format!("{}:{}:{}", self.shown, at.line, at.column), why, fix))
    }

    fn fault<'d>(&self, document: &'d Document<'_>) -> Option<(&'d Node, String)> {
        let root = document.root();
        for member in root.members().unwrap_or_default() {
            let key = document.key(member);
            if self.is_main && !self.of.roots.is_empty() && !self.of.roots.contains(&&*key) {
                return Some((&member.value, format!("`{key}` is no key that it knows there")));
            }
        }
        if self.of.form == Form::Own
            && let Some(version) = document.get(root, "version")
            && document.value(version) != 1
        {
            return Some((version, "`version` is not 1".to_owned()));
        }
        if self.of.form == (Form::Groups { named: true }) {
            return odd_matcher(document);
        }
        if self.of.types.is_empty() {
            return None;
        }
        let hooks = if self.is_bare() { root } else { document.get(root, "hooks")? };
        let Some(events) = hooks.members() else {
            return Some((hooks, "the events are in no object".to_owned()));
        };
        let mut seen = Vec::new();
        events.iter().find_map(|event| {
            let key = document.key(event);
            let Some(groups) = event.value.elements() else {
                return Some((&event.value, format!("{key} is no list")));
            };
            if seen.contains(&key) {
                return Some((&event.value, format!("{key} is there twice")));
            }
            seen.push(key);
            groups.iter().find_map(|group| group_fault(document, group, self.of.types))
        })
    }
}

/// A matcher for which its agent drops the groups of all files.
fn odd_matcher<'d>(document: &'d Document<'_>) -> Option<(&'d Node, String)> {
    let events = document.get(document.root(), "hooks").and_then(Node::members)?;
    let groups = events.iter().filter_map(|event| event.value.elements()).flatten();
    let mut matchers = groups.filter_map(|group| document.get(group, "matcher"));
    let odd = matchers.find(|it| !matches!(it.kind, Kind::String))?;
    Some((odd, "a `matcher` is no text".to_owned()))
}

/// The hooks in an object of events, in groups or alone.
pub(super) fn hooks_in(events: Option<&Value>) -> Vec<Found> {
    let mut found = Vec::new();
    for (event, groups) in events.and_then(Value::as_object).into_iter().flatten() {
        for group in groups.as_array().into_iter().flatten() {
            let handlers = group.get("hooks").and_then(Value::as_array);
            let alone = std::slice::from_ref(group);
            for handler in handlers.map_or(alone, Vec::as_slice) {
                found.push(Found::of(event, handler));
            }
        }
    }
    found
}

fn group_fault<'d>(
    document: &'d Document<'_>,
    group: &'d Node,
    types: &[&str],
) -> Option<(&'d Node, String)> {
    if group.members().is_none() {
        return Some((group, "a group is no object".to_owned()));
    }
    let matcher = document.get(group, "matcher").filter(|it| !matches!(it.kind, Kind::String));
    if let Some(matcher) = matcher {
        return Some((matcher, "a `matcher` is no text".to_owned()));
    }
    let Some(handlers) = document.get(group, "hooks").and_then(Node::elements) else {
        return Some((group, "a group has no list `hooks`".to_owned()));
    };
    handlers.iter().find_map(|handler| {
        let value = document.value(handler);
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let why = match text("type") {
            None => "a handler has no `type`".to_owned(),
            Some("command") if text("command").is_none() => "a handler has no `command`".to_owned(),
            Some(other) if !types.contains(&other) => {
                format!("it knows no handler of the type `{other}`")
            }
            _ if value.get("timeout").is_some_and(|it| !it.is_u64()) => {
                "a `timeout` is no whole number".to_owned()
            }
            _ => return None,
        };
        Some((handler, why))
    })
}

impl Found {
    fn of(event: &str, handler: &Value) -> Self {
        let line = ["bash", "command"].iter().find_map(|key| handler.get(*key)?.as_str());
        let line = line.map_or_else(|| handler.to_string(), str::to_owned);
        let ours = run_words(&json!({"type": "command", "command": line})).is_some();
        let timeout = handler.get("timeout").and_then(Value::as_u64);
        Self { event: event.to_owned(), line, timeout, ours }
    }
}

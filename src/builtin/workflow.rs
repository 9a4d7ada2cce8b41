//! The state of a workflow that gates and facts read: the session's named texts, or a JSON file's.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::{Map, Value};

use super::host::Host;
use super::options::unfilled;
use super::{Context, Failure};
use crate::client::host::CLAUDE;
use crate::client::{Event, Payload};
use crate::session::Store;
use crate::session::store::before_name;
use crate::syntax::json::with_member;

/// The most bytes that are read of a state file.
const MOST: u64 = 1024 * 1024;

/// The state that `state`, `$name` and the like mean.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Source {
    /// A known layout, which gives `file`, `keys` and `absent` where they are not set.
    layout: Option<Layout>,
    /// A JSON file with the state, instead of the session's own: `{cwd}`, `{project}`, `{home}` and
    /// `{session}` are filled in, `~/` is the home directory, and one folder may be `*`, which takes the
    /// newest.
    #[serde(deserialize_with = "template")]
    file: Option<String>,
    /// The keys in the file for names used here; a name that is not listed is its own key.
    keys: BTreeMap<String, String>,
    /// The values of names whose keys are missing in the file.
    absent: BTreeMap<String, String>,
    /// Of several files, the one whose key has the value of a variable of the client's environment, as in
    /// `{ pid = "CLAUDE_SUPERVISOR_PID" }`; without that variable it is the newest.
    owner: BTreeMap<String, String>,
}

const FIELDS: [&str; 4] = ["cwd", "project", "home", "session"];

fn template<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let path = String::deserialize(deserializer)?;
    if let Some(problem) = unfilled(&path, FIELDS) {
        return Err(de::Error::custom(problem));
    }
    let stars = path.matches('*').count();
    if stars > 1 || stars != path.matches("/*/").count() {
        return Err(de::Error::custom(format!(
            "one whole folder of `{path}` may be `*`, and no more"
        )));
    }
    Ok(Some(path))
}

/// The state of a workflow engine, as it keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Layout {
    /// `sessions/NAME/.state.json` below the project, else below the session's directory, with `lifecycle`, `skill`,
    /// `currentPhase`, `contextUsage` and `toolUseWithoutLogsBlockAfter`; absent is `active`.
    StateJson,
}

/// The keys of [`Layout::StateJson`] by the names used here.
const STATE_JSON: &[(&str, &str)] = &[
    ("context", "contextUsage"),
    ("phase", "currentPhase"),
    ("limit", "toolUseWithoutLogsBlockAfter"),
    ("task", "taskSummary"),
    ("handover", "dehydratedContext"),
];

/// The places of [`Layout::StateJson`].
const LAYOUT: &[&str] = &["{project}/sessions/*/.state.json", "{cwd}/sessions/*/.state.json"];

impl Source {
    pub(super) fn is_file(&self) -> bool {
        self.file.is_some() || self.layout.is_some()
    }

    /// Gives the places of the file, the first that has one first.
    fn places(&self) -> Vec<&str> {
        self.file.as_deref().map_or_else(|| LAYOUT.to_vec(), |file| vec![file])
    }

    pub(super) fn template(&self) -> &str {
        self.file.as_deref().unwrap_or(LAYOUT[0])
    }

    fn key<'s>(&'s self, name: &'s str) -> &'s str {
        let of_layout = self.layout.and_then(|Layout::StateJson| {
            STATE_JSON.iter().find(|(known, _)| *known == name).map(|(_, key)| *key)
        });
        self.keys.get(name).map(String::as_str).or(of_layout).unwrap_or(name)
    }

    fn absent(&self, name: &str) -> &str {
        let of_layout = (self.layout.is_some() && name == "lifecycle").then_some("active");
        self.absent.get(name).map(String::as_str).or(of_layout).unwrap_or_default()
    }

    fn owner(&self) -> Option<(&str, &str)> {
        let of_layout = self.layout.map(|Layout::StateJson| ("pid", "CLAUDE_SUPERVISOR_PID"));
        let own = self.owner.iter().next();
        own.map(|(key, variable)| (key.as_str(), variable.as_str())).or(of_layout)
    }
}

/// The state, read when it is first asked for.
pub(super) struct Workflow<'a> {
    context: &'a Context<'a>,
    source: &'a Source,
    file: OnceCell<Option<State>>,
}

struct State {
    value: Value,
    path: PathBuf,
    folder: String,
}

impl<'a> Workflow<'a> {
    /// The state that `source` names, for the session of `context`.
    pub(super) fn new(context: &'a Context<'a>, source: &'a Source) -> Self {
        Self { context, source, file: OnceCell::new() }
    }

    /// Returns whether the workflow's own file is there and holds a state.
    pub(super) fn is_there(&self) -> Result<bool, Failure> {
        Ok(self.file()?.is_some())
    }

    /// The value of a name as text, may be empty, lists with commas; `counter NAME` is a session's counter,
    /// or with a dot a hook's.
    pub(super) fn get(&self, name: &str) -> Result<String, Failure> {
        if let Some(counter) = name.strip_prefix("counter ").map(str::trim) {
            let of_shell = format!("shell {counter}");
            let counter = if counter.contains('.') { counter } else { &of_shell };
            let count = self.context.store.count(counter, 0)?;
            return Ok(count.to_string());
        }
        if !self.source.is_file() {
            let text = self.context.store.text(name)?;
            return Ok(text.unwrap_or_default());
        }
        let Some(state) = self.file()? else { return Ok(String::new()) };
        Ok(match state.value.get(self.source.key(name)) {
            Some(value) => as_text(value),
            // A session is called by its folder.
            None if name == "session" => state.folder.clone(),
            None => self.source.absent(name).to_owned(),
        })
    }

    /// The workflow's own file, where it is there and holds a state.
    pub(super) fn path(&self) -> Result<Option<&Path>, Failure> {
        Ok(self.file()?.map(|state| state.path.as_path()))
    }

    /// Gives a name a value in the workflow's own file, or takes it out, and keeps all else in it; `false`
    /// where there is none. What was read of the file before stays as it was.
    pub(super) fn set(&self, name: &str, value: Option<&str>) -> Result<bool, Failure> {
        let Some(state) = self.file()? else { return Ok(false) };
        let key = self.source.key(name);
        let mut is_state = true;
        let mut change = |text: &str| {
            let whole: Value = serde_json::from_str(text).unwrap_or_default();
            is_state = whole.is_object();
            let old = whole.get(key);
            let is_number = old.map_or(matches!(name, "context" | "limit"), Value::is_number);
            let is_plain = is_number || old.is_some_and(Value::is_boolean);
            let new = |value: &str| {
                let read = serde_json::from_str(value).ok().filter(|it: &Value| !it.is_object());
                read.filter(|_| is_plain).unwrap_or_else(|| value.into())
            };
            let new = value.map(new);
            if old == new.as_ref() { None } else { with_member(text, key, new.as_ref()) }
        };
        let doing = Failure::of(format!("write `{}`", state.path.display()));
        self.context.host.rewrite(&state.path, &mut change).map_err(doing)?;
        Ok(is_state)
    }

    /// Returns whether the value of a name is one of a list; `*` in the list is any value but none.
    pub(super) fn is_one_of(&self, name: &str, list: &[String]) -> Result<bool, Failure> {
        let value = self.get(name)?;
        Ok(list.iter().any(|it| if it == "*" { !value.is_empty() } else { *it == value }))
    }

    fn file(&self) -> Result<Option<&State>, Failure> {
        if self.file.get().is_none() {
            let state = self.read()?;
            return Ok(self.file.get_or_init(|| state).as_ref());
        }
        Ok(self.file.get().and_then(Option::as_ref))
    }

    fn read(&self) -> Result<Option<State>, Failure> {
        let owner = self
            .source
            .owner()
            .and_then(|(key, variable)| Some((key, self.context.host.variable(variable)?)));
        let of = |template: &&str| {
            let mut paths = newest_first(self.context, template);
            if owner.is_none() {
                paths.truncate(1);
            }
            paths
        };
        for path in self.source.places().iter().flat_map(of) {
            let doing = Failure::of(format!("read `{}`", path.display()));
            let text = self.context.host.read(&path, MOST).map_err(doing)?;
            // A file that is being written or that is broken is no state: the workflow's own tools say
            // so.
            let text = text.unwrap_or_default();
            let value = serde_json::from_str::<Value>(&text).ok();
            let Some(value) = value.filter(Value::is_object) else {
                continue;
            };
            let is_own = |(key, owner): &(&str, String)| {
                value.get(key).is_some_and(|value| as_text(value) == *owner)
            };
            if owner.as_ref().is_none_or(is_own) {
                let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
                let folder = folder.to_string_lossy().into_owned();
                return Ok(Some(State { value, path, folder }));
            }
        }
        Ok(None)
    }
}

fn as_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(as_text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// The paths that a template means, the file that was changed last first.
fn newest_first(context: &Context<'_>, template: &str) -> Vec<PathBuf> {
    let path = place(context, template);
    let Some((folder, rest)) = path.to_str().and_then(|path| path.split_once("/*/")) else {
        return vec![path];
    };
    let names = context.host.names(Path::new(folder)).unwrap_or_default();
    let files = names.into_iter().map(|name| Path::new(folder).join(name).join(rest));
    let dated = files.filter_map(|file| Some((context.host.look(&file)?.modified, file)));
    let mut found: Vec<(i64, PathBuf)> = dated.collect();
    found.sort_by_key(|(modified, _)| std::cmp::Reverse(*modified));
    found.into_iter().map(|(_, file)| file).collect()
}

/// The path with `{cwd}`, `{project}`, `{home}` and `{session}` filled in, from the session's directory.
/// Further in the path a directory gives its name alone.
pub(super) fn place(context: &Context<'_>, template: &str) -> PathBuf {
    let cwd = &*context.payload.cwd;
    let home = context.host.variable("HOME").unwrap_or_default();
    let template = match template.strip_prefix("~/") {
        Some(rest) if !home.is_empty() => format!("{home}/{rest}"),
        _ => template.to_owned(),
    };
    let template = directory(&template, "{cwd}", cwd);
    let template = if template.contains("{project}") {
        directory(&template, "{project}", &project(context).to_string_lossy())
    } else {
        template
    };
    let filled = template
        .replace("{home}", &home)
        .replace("{session}", &context.payload.session_id.replace(['/', '\\', '.'], "_"));
    Path::new(cwd).join(filled)
}

/// The project that the client names, else the repository around the session's directory, else that directory.
pub(super) fn project(context: &Context<'_>) -> PathBuf {
    if let Some(project) = context.host.variable("CLAUDE_PROJECT_DIR") {
        return project.into();
    }
    let cwd = Path::new(&*context.payload.cwd);
    let is_repository = |it: &&Path| context.host.look(&it.join(".git")).is_some();
    cwd.ancestors().find(is_repository).unwrap_or(cwd).to_owned()
}

/// The template with a directory filled in: whole where it begins with it, elsewhere by its name.
fn directory(template: &str, field: &str, path: &str) -> String {
    let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
    match template.strip_prefix(field) {
        Some(rest) => format!("{path}{}", rest.replace(field, &name)),
        None => template.replace(field, &name),
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Put {
    Written(PathBuf),
    /// There is no such file; it would be at this place.
    Missing(PathBuf),
    /// This file holds no state of the session.
    Odd(PathBuf),
}

/// The session that a command is about, and the project in which it was started.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub session: &'a str,
    pub project: &'a Path,
    pub host: &'a (dyn Host + Sync),
    pub store: &'a (dyn Store + Sync),
}

/// Asks the workflow whose file a hook's options name; `None` where they name none.
fn ask<T>(
    options: &Map<String, Value>,
    place: Place<'_>,
    run: impl FnOnce(&Workflow<'_>) -> Result<T, Failure>,
) -> io::Result<Option<T>> {
    let source = options.get("state").cloned().unwrap_or_default();
    let source: Source = serde_json::from_value(source).unwrap_or_default();
    if !source.is_file() {
        return Ok(None);
    }
    let payload = Payload {
        session_id: place.session.into(),
        cwd: place.project.to_string_lossy().into(),
        ..Payload::default()
    };
    let context = Context {
        name: "",
        fence: None,
        event: Event::SessionStart,
        payload: &payload,
        caller: &CLAUDE,
        text: "{}",
        options: "{}",
        late: &super::context::no_late_options,
        watches: false,
        store: place.store,
        host: place.host,
    };
    let done = run(&Workflow::new(&context, &source));
    done.map(Some).map_err(|failure| io::Error::other(failure.to_string()))
}

/// Gives a name a value, or none, in the file of a hook's options; `None` where nothing is to be done.
pub fn put(
    options: &Map<String, Value>,
    (name, value): (&str, Option<&str>),
    at: Place<'_>,
) -> io::Result<Option<Put>> {
    let done = ask(options, at, |workflow| {
        let before = workflow.get(name)?;
        if value.is_none() && before.is_empty() {
            return Ok(None);
        }
        if !workflow.set(name, value)? {
            let (context, source) = (workflow.context, workflow.source);
            let places = source.places();
            let mut files = places.iter().flat_map(|it| newest_first(context, it));
            let odd = files.find(|file| context.host.look(file).is_some());
            let missing = || Put::Missing(place(context, source.template()));
            return Ok(Some(odd.map_or_else(missing, Put::Odd)));
        }
        // Hooks put a lifecycle back when a session starts again.
        if name == "lifecycle" && value.is_some_and(|value| value != before) && !before.is_empty() {
            at.store.change(&before_name(name), &mut |_| Some(before.clone()))?;
        }
        Ok(Some(Put::Written(workflow.path()?.map(Path::to_owned).unwrap_or_default())))
    });
    done.map(Option::flatten)
}

/// The file of a hook's options, if it is there, and the values of the names that it has.
pub fn values(
    options: &Map<String, Value>,
    names: &[&str],
    place: Place<'_>,
) -> io::Result<Option<(PathBuf, BTreeMap<String, String>)>> {
    let found = ask(options, place, |workflow| {
        let Some(path) = workflow.path()? else { return Ok(None) };
        let value = |name: &&str| Ok(((*name).to_owned(), workflow.get(name)?));
        let all: Result<BTreeMap<String, String>, Failure> = names.iter().map(value).collect();
        let all = all?.into_iter().filter(|(_, value)| !value.is_empty()).collect();
        Ok(Some((path.to_owned(), all)))
    });
    found.map(Option::flatten)
}

//! The content of a manifest, without the readers of its keys.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::package::{Membership, NotHere, Package, PackageText};
use crate::client::Event;
use crate::client::event::Handler;
use crate::client::host::CLAUDE;
use crate::syntax::named::named;
use crate::syntax::object::Object;

/// A place in a manifest; lines and columns count from 1, columns in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    pub file: String,
    pub position: Position,
}

impl Origin {
    /// The file with line and column, as editors and terminals know to open it.
    pub fn place(&self) -> String {
        let Position { line, column } = self.position;
        format!("{}:{line}:{column}", self.file)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file, self.position.line)
    }
}

named! {
/// The meaning of a hook that failed or made no sense; the stricter is the greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum OnError {
    /// Nothing is decided
    #[default]
    Open = "open",
    /// The user is asked
    Ask = "ask",
    /// It blocks
    Closed = "closed",
}
}

named! {
/// The meaning of a change of a hook that was seen before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnChange {
    Run = "run",
    /// It does not run until a person agrees to it, by whatever command shows it.
    Ask = "ask",
    /// It does not run until a person says so with `hookman trust`.
    Hold = "hold",
}
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Builtin {
        name: String,
        kind: String,
    },
    Command(String),
    /// A program and its arguments, without a shell.
    Argv(Vec<String>),
    Passed(Passed),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The type of handler; never a command.
    pub handler: Handler,
    /// The handler as it is in `settings.json`, `type` first.
    pub keys: Map<String, Value>,
}

impl Passed {
    /// Gives the purpose of the hook in a line: the prompt, the URL, or the server and the tool.
    pub fn summary(&self) -> String {
        let text = |key: &str| self.keys.get(key).and_then(Value::as_str).unwrap_or_default();
        let line = |text: &str| text.lines().next().unwrap_or_default().to_owned();
        match self.handler {
            Handler::Http => line(text("url")),
            Handler::McpTool => format!("{} of the server {}", text("tool"), text("server")),
            _ => line(text("prompt")),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextBudget {
    /// In one call of the client; `None` for no limit.
    pub call: Option<u64>,
    /// In a session; `None` for no limit.
    pub session: Option<u64>,
}

/// The days on which a hook only watches: it runs, and nothing of its answer reaches the client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Observe {
    #[default]
    Never,
    Always,
    /// Those up to this one, such as `2026-12-31`.
    Until(String),
}

impl Observe {
    /// The words for a person; nothing for a hook that decides `today`, which is asked for where a day
    /// is given: to find it takes longer than the rest of `hookman list`.
    pub fn words<T: AsRef<str>>(&self, today: impl FnOnce() -> T) -> Option<String> {
        match self {
            Self::Always => Some("only watches".to_owned()),
            Self::Until(day) if **day >= *today().as_ref() => {
                Some(format!("only watches, up to {day}"))
            }
            Self::Never | Self::Until(_) => None,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manner {
    /// True if it may run at the same time as its neighbours that are marked so too.
    pub parallel: bool,
    /// True if it runs also when a hook before it has ended the chain.
    pub always: bool,
    /// A rule of the client's permission language that a call must fall under.
    pub condition: Option<String>,
    /// True if the client goes on without waiting for it.
    pub background: bool,
    pub status_message: Option<String>,
    /// True if it was in `settings.json` as somebody else's and can go back there.
    pub adopted: bool,
    /// The context that the hooks of its file may add, as `[defaults]` says for all.
    pub budget: Option<ContextBudget>,
    /// The lower it is, the sooner the hook gets room in that.
    pub context_priority: i64,
    /// The hooks that it is to come after, which only the doctor looks at.
    pub after: Vec<String>,
    /// True if the journal keeps no reasons of its denials, as `[journal]` says for all.
    pub unexplained: bool,
    pub observe: Observe,
}

impl Manner {
    /// The further keys of the handler for a hook with an entry of its own; none for one of the chain.
    pub fn own_entry(&self) -> Option<Map<String, Value>> {
        (self.background || self.status_message.is_some()).then(|| self.handler_keys())
    }

    /// Gives the keys of a handler for this hook besides its command and time limit.
    pub fn handler_keys(&self) -> Map<String, Value> {
        let mut keys = Map::new();
        if let Some(condition) = &self.condition {
            keys.insert("if".to_owned(), condition.clone().into());
        }
        if self.background {
            keys.insert("async".to_owned(), true.into());
        }
        if let Some(message) = &self.status_message {
            keys.insert("statusMessage".to_owned(), message.clone().into());
        }
        keys
    }
}

/// A time limit in milliseconds, of seconds from 0.001 to 600; `None` for any other.
pub fn milliseconds(seconds: f64) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range is checked"
    )]
    (0.001..=600.0).contains(&seconds).then(|| (seconds * 1000.0).round() as u64)
}

/// A time limit as the client and a manifest write it: in seconds, whole ones without a point.
pub fn seconds(milliseconds: u64) -> Value {
    #[expect(clippy::cast_precision_loss, reason = "time limits are far below 2^52 milliseconds")]
    match milliseconds % 1000 {
        0 => (milliseconds / 1000).into(),
        _ => (milliseconds as f64 / 1000.0).into(),
    }
}

/// The directory of a command and the directories of its programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// True if it runs in the project's directory and not in the session's current one.
    pub in_project: bool,
    /// Directories behind the client's `PATH`; a relative one without `~/` is from the manifest's.
    pub path: Vec<String>,
}

/// The conditions; all that are there must be met, and of a list one entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct When {
    /// Types of agents that it runs for; the main agent has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agent: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agent_not: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub branch: Vec<String>,
    /// True if it runs in continuous integration, or only outside of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci: Option<bool>,
    /// True if it runs only in sessions without a user, false if only in those with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headless: Option<bool>,
    /// Names of machines, with stars.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub host: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub host_not: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub os: Vec<String>,
    /// Globs for the file that the event is about, as in a permission rule.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub permission_mode: Vec<String>,
    /// Directories of projects, with stars; what is below one is meant too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub project: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub project_not: Vec<String>,
}

/// For whom a hook runs, and who may switch it off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audience {
    pub when: When,
    /// True if only a person may switch it off, and no agent's tool.
    pub user_only: bool,
    /// The programs that it runs in; every one without any.
    pub hosts: Vec<&'static str>,
}

impl Audience {
    pub fn includes(&self, host: &str) -> bool {
        self.hosts.is_empty() || self.hosts.contains(&host)
    }
}

/// One `[[hook]]`, complete: what the manifest leaves open is filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Hook {
    pub name: String,
    pub package: Option<Membership>,
    pub action: Action,
    pub summary: String,
    pub events: Vec<Event>,
    /// The client's matcher; `None` matches all.
    pub matcher: Option<String>,
    pub enabled: bool,
    pub timeout_ms: u64,
    pub on_error: OnError,
    pub manner: Manner,
    pub surroundings: Surroundings,
    pub audience: Audience,
    /// A built-in's options, checked and complete.
    pub options: Options,
    /// The place of each key that is there, an option's as in `options.level`, the table's as `hook`.
    pub origins: BTreeMap<String, Origin>,
}

impl Hook {
    /// The entry that the client runs instead of hookman, if it is such a hook.
    pub fn passed(&self) -> Option<&Passed> {
        match &self.action {
            Action::Passed(passed) => Some(passed),
            _ => None,
        }
    }

    /// The name with its package, such as `team/format`, by which it is found too.
    pub fn in_package(&self) -> Option<String> {
        self.package.as_ref().map(|it| format!("{}/{}", it.package, it.name))
    }

    pub fn origin(&self) -> Option<&Origin> {
        self.origins.get("hook")
    }

    /// The place of what a key holds, `hook` for the hook itself; empty where it has none.
    pub fn place_of(&self, key: &str) -> String {
        self.origins.get(key).map(Origin::place).unwrap_or_default()
    }
}

/// For how many days the state of a session is kept after its last use, and where that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeepDays {
    /// The days, 1 to 3650.
    pub days: u64,
    pub origin: Origin,
}

/// A manifest with its overlay: the hooks of one chain, in the order they run in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    pub hooks: Vec<Hook>,
    /// The hooks that each profile switches off, by the profile's name.
    pub profiles: BTreeMap<String, Vec<String>>,
    /// The time that the state of sessions is kept, where it says so.
    pub keep: Option<KeepDays>,
    /// True if the journal is to keep no reasons of denials: `[journal] reasons = false`.
    pub unexplained: bool,
    /// The programs that call the hooks; Claude Code where it names none.
    pub hosts: Option<Vec<&'static str>>,
    pub packages: Vec<Package>,
    pub on_change: Option<Origin>,
}

impl Manifest {
    pub fn is_for(&self, host: &str) -> bool {
        self.hosts.as_ref().map_or(host == CLAUDE.name, |hosts| hosts.contains(&host))
    }

    /// The same, as a project's: what is the user's alone may not be in it.
    pub fn of_project(self) -> Result<Self, Problems> {
        let (origin, message) = match (&self.keep, &self.on_change) {
            (Some(KeepDays { origin, .. }), _) => (
                origin.clone(),
                "the state of sessions is each user's own, so `[sessions]` belongs in the user's \
                 manifest",
            ),
            (None, Some(origin)) => (
                origin.clone(),
                "who runs a hook says what its change means, so `on_change` belongs in the user's \
                 manifest",
            ),
            (None, None) => return Ok(self),
        };
        Err(Problems(vec![Problem { origin, message: message.to_owned() }]))
    }
}

/// The beginning of the name of a kind of built-in hooks as if it were a ready-made one, without options.
pub const KIND: &str = "kind:";

/// The values that a ready-made hook brings along, so that a manifest need not write them.
#[derive(Clone, Debug)]
pub struct Preset {
    pub kind: String,
    pub summary: String,
    pub events: Vec<Event>,
    pub matcher: Option<String>,
    /// Its time limit in milliseconds; that of all hooks if absent.
    pub timeout_ms: Option<u64>,
}

/// A built-in's options. Hooks that override none share those of the catalogue, which can be long.
pub type Options = Object;

/// A hook of a package that is not on this machine, as its lock has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    pub name: String,
    pub events: Vec<Event>,
    pub on_error: OnError,
}

/// The ready-made hooks, for the reader of a manifest.
pub trait Presets {
    fn names(&self) -> Vec<&str>;

    fn find(&self, name: &str) -> Option<Preset>;

    /// The options that result when the manifest's are laid over the preset's own.
    fn options(
        &self,
        name: &str,
        overrides: &Map<String, Value>,
        events: &[Event],
    ) -> Result<Options, (Vec<String>, String)>;

    fn package(&self, package: &Package) -> Result<PackageText, NotHere>;

    /// The known hooks of a package that is not on this machine; `None` if its absence is an error.
    fn absent(&self, package: &Package) -> Option<Vec<Absent>>;
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    #[error(
        "`{0}` cannot be the name of a hook: use 1 to 64 letters, digits, `-`, `_`, `.` or `:`"
    )]
    OfHook(String),
    #[error(
        "`{0}` cannot be the name of a package: use 1 to 64 letters, digits, `-`, `_`, `.` or `:`, a letter \
         or digit first"
    )]
    OfPackage(String),
}

pub fn check_name(name: &str) -> Result<(), BadName> {
    let fits = |character: char| character.is_alphanumeric() || "-_.:".contains(character);
    if name.is_empty() || name.chars().count() > 64 || !name.chars().all(fits) {
        return Err(BadName::OfHook(name.to_owned()));
    }
    Ok(())
}

pub fn check_package_name(name: &str) -> Result<(), BadName> {
    if check_name(name).is_err() || !name.starts_with(char::is_alphanumeric) {
        return Err(BadName::OfPackage(name.to_owned()));
    }
    Ok(())
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", origin.place())]
pub struct Problem {
    pub origin: Origin,
    /// The mistake and, where it can be guessed, the meant word.
    pub message: String,
}

/// All that is wrong in the manifests of a chain, in the order of the files; never empty.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Problems(pub Vec<Problem>);

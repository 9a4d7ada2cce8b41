//! The files in which each program looks for hooks, and the form of the entries there; no run reads this.

use std::path::Path;

use serde_json::Value;

use super::{Event, Host, table};
use crate::syntax::named::listed;

/// The files of a program, and the form of hookman entries in them.
#[derive(Debug)]
pub struct Files {
    pub host: &'static Host,
    pub title: &'static str,
    pub variable: &'static str,
    /// That directory without the variable, below the home directory.
    pub folder: &'static str,
    /// The user's file, below that directory.
    pub user: &'static str,
    pub project: &'static str,
    pub form: Form,
    /// True if the program reads comments in it.
    pub comments: bool,
    /// True if it reads a file that begins with a byte order mark.
    pub takes_bom: bool,
    /// The only keys that it takes at the root of the file; any without any here.
    pub roots: &'static [&'static str],
    /// The settings that keep all hooks from running: each place, and its value or one in its list.
    pub off: &'static [(&'static str, &'static str)],
    /// The types of handlers that it knows, where one bad entry has it drop all of the file.
    pub types: &'static [&'static str],
    /// Its other files with hooks, below the directory of the user's.
    pub more: &'static [&'static str],
    /// The same, below a project.
    pub more_of_project: &'static [&'static str],
    /// The files of the commands for switches below the user's directory, `@` for a name; may be empty.
    pub commands: &'static str,
    /// The time limit of an entry, in the program's unit.
    pub limit: u64,
    pub end_limit: u64,
    /// The time limits from which on the program takes a number for milliseconds; none for never.
    pub milliseconds_from: Option<u64>,
    /// The milliseconds that a handler without a time limit has.
    pub unset_ms: u64,
    /// True if a list of names hits these alone, Claude Code's too; else it is a pattern over its own.
    pub exact: bool,
    /// True if it runs equal handlers of an event once.
    pub once: bool,
    /// True if it runs the hooks of an event one after another.
    pub in_turn: bool,
    /// The events on which a hook that fails denies.
    pub fails_closed: &'static [Event],
    /// The events whose payloads have the program's own words even where the entry is in Claude Code's.
    pub in_own_words: &'static [Event],
    /// The names by which a matcher hits a tool that edits and writes.
    pub edits: &'static [&'static str],
    same_tools: &'static [&'static str],
    /// The directory of its extensions, which have hooks of their own; empty where there are none.
    pub extensions: &'static str,
    /// The events with an entry whichever hooks there are, so that edits change no file.
    events: &'static [Event],
    more_events: &'static [Event],
    /// The events that have an entry only where a hook asks for them.
    pub rare: &'static [Event],
    /// The measure that makes the program run new entries, where it does not at once.
    pub trust: Trust,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As Claude Code's settings: groups of handlers below `hooks`. `named` handlers have a name.
    Groups {
        named: bool,
    },
    /// As `Groups`, with the events at the root where the file has a name of its own.
    Bare,
    /// A file that holds hookman entries alone, with handlers and no groups.
    Own,
    Plugin,
}

/// The measure that makes a program run new entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    None,
    Entries,
    Folder,
}

impl Files {
    pub fn of(name: &str) -> Option<&'static Self> {
        FILES.iter().find(|files| files.host.name == name)
    }

    pub fn own_name(&self) -> &'static str {
        self.user.rsplit('/').next().unwrap_or_default()
    }

    pub fn has(&self, event: Event) -> bool {
        self.enters(event) || self.rare.contains(&event)
    }

    pub fn enters(&self, event: Event) -> bool {
        self.events.contains(&event) || self.more_events.contains(&event)
    }

    /// Its tools in hookman's words, as far as these are known.
    pub fn tools(&self) -> impl Iterator<Item = &'static str> {
        let renamed = self.host.tools.iter().map(|(_, ours)| *ours);
        renamed.chain(self.same_tools.iter().copied())
    }

    /// The setting by which the file at `path`, or `main` for hookman's, keeps hookman from being called.
    pub fn switched_off(&self, file: &Value, path: &Path, main: bool) -> Option<String> {
        let is_off = |value: &Value, off: &Value| match value {
            Value::Array(names) => names.contains(off),
            value => value == off,
        };
        // Of Copilot's files, each is about itself alone but for a project's settings.
        let of_project = || self.more_of_project.iter().any(|it| path.ends_with(it));
        let counts = main || self.form != Form::Own || of_project();
        let found = self.off.iter().filter(|_| counts).find(|(at, off)| {
            let off = serde_json::from_str(off).unwrap_or_default();
            file.pointer(at).is_some_and(|value| is_off(value, &off))
        });
        found.map(|(at, _)| at[1..].replace('/', "."))
    }

    pub fn milliseconds(&self, limit: f64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a limit is small")]
        let is_long = self.milliseconds_from.is_some_and(|from| limit >= from as f64);
        if is_long { limit } else { limit * 1000.0 }
    }

    /// The time limit of an entry for an event, in seconds.
    pub fn seconds(&self, event: Event) -> u64 {
        let limit = self.limit(event);
        if self.milliseconds_from.is_some_and(|from| limit >= from) { limit / 1000 } else { limit }
    }

    /// The time limit of an entry for an event, in the program's unit.
    pub fn limit(&self, event: Event) -> u64 {
        if event == Event::SessionEnd { self.end_limit } else { self.limit }
    }
}

/// The files of each program that `hookman install --host` knows.
#[expect(clippy::unreadable_literal, reason = "build.rs writes them without underscores")]
pub static FILES: &[Files] = listed!("Files");

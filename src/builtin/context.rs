//! The view that a built-in hook has of a call, and its failure.

use std::path::Path;
use std::{fmt, io};

use serde::Deserialize;

use super::host::Host;
use crate::client::host::Host as Caller;
use crate::client::permission_rule::Anchors;
use crate::client::{Event, Payload, payload};
use crate::session::Store;
use crate::syntax::glance::Glance;

#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The hook's name in the manifest: two hooks of one kind keep their state apart by it.
    pub name: &'a str,
    /// The manifest of a hook that only the user may switch off.
    pub fence: Option<&'a Path>,
    pub event: Event,
    pub payload: &'a Payload<'a>,
    pub caller: &'static Caller,
    /// The payload as the client wrote it, for fields that [`Payload`] does not have.
    pub text: &'a str,
    /// The hook's options as JSON, catalogue and manifest already merged and checked.
    pub options: &'a str,
    /// Reads those of the options that a plan has apart, as JSON.
    pub late: &'a (dyn Fn() -> io::Result<String> + Sync),
    pub watches: bool,
    pub store: &'a (dyn Store + Sync),
    /// The machine: time, environment, files, processes.
    pub host: &'a (dyn Host + Sync),
}

impl<'a> Context<'a> {
    /// The hook's options; an error where another version with options of another shape compiled the plan.
    pub fn options<T: Deserialize<'a>>(&self) -> Result<T, Failure> {
        serde_json::from_str(self.options).map_err(|error| Failure::Options(error.to_string()))
    }

    /// The text that is the first of the hook's options, and the rest unread; `None` for another key.
    pub fn first_option(&self, key: &str) -> Option<(&'a str, &'a str)> {
        let rest = self.options.strip_prefix("{\"")?.strip_prefix(key)?.strip_prefix("\":")?;
        let mut reader = serde_json::Deserializer::from_str(rest).into_iter();
        let text = reader.next()?.ok()?;
        Some((text, &rest[reader.byte_offset()..]))
    }

    /// The tool's input; `None` where the event has none.
    pub fn tool_input<T: Deserialize<'a>>(&self) -> Result<Option<T>, Failure> {
        let Some(input) = self.payload.tool_input.filter(|input| input.get() != "null") else {
            return Ok(None);
        };
        let read = serde_json::from_str(input.get());
        read.map(Some).map_err(|error| {
            Failure::Payload(format!("the tool's input: {}", payload::wrong(&error)))
        })
    }

    /// The command of a shell tool's call, may be empty; `None` without an input, an error for no text.
    pub fn command(&self) -> Result<Option<&'a Glance>, Failure> {
        let read = self.payload.command().map(Result::as_ref).transpose();
        read.map_err(|wrong| Failure::Payload(format!("the command: {wrong}")))
    }

    /// A name in the session's store that is this hook's alone.
    pub fn key(&self, what: &str) -> String {
        format!("{}.{what}", self.name)
    }

    /// As [`Context::key`], and apart for each subagent.
    pub fn agent_key(&self, what: &str) -> String {
        match &*self.payload.agent_id {
            "" => self.key(what),
            agent => format!("{}.{what}@{agent}", self.name),
        }
    }

    /// The flag of a strike, apart for calls that an agent made up and for hooks that only watch.
    pub fn strike(&self, flag: String) -> io::Result<String> {
        if self.watches {
            return Ok(flag + " watched");
        }
        let is_plain = self.store.is_up(&flag)? || self.host.is_called_by_client();
        Ok(if is_plain { flag } else { flag + " by hand" })
    }

    /// Calls `see` with the directories in which relative paths and globs begin.
    pub fn anchored<T>(&self, see: impl FnOnce(Anchors<'_>) -> T) -> T {
        let project = self.host.variable("CLAUDE_PROJECT_DIR");
        let home = self.host.variable("HOME").unwrap_or_default();
        let cwd = &*self.payload.cwd;
        see(Anchors { cwd, project: project.as_deref().unwrap_or(cwd), home: &home })
    }
}

/// The late options of a hook that has none.
pub fn no_late_options() -> io::Result<String> {
    Err(io::Error::other("a part of them is missing"))
}

/// The reason why a built-in hook could not decide; the hook's `on_error` says what follows.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The payload lacks what the hook needs, or has it in another shape.
    #[error("the payload: {0}")]
    Payload(String),
    /// The options do not have the kind's shape.
    #[error("its options: {0}")]
    Options(String),
    #[error("the session's state: {0}")]
    Store(#[from] io::Error),
    /// A file could not be read or written, or a program not be run; the text names it.
    #[error("{0}")]
    Machine(String),
    #[error("its time was up")]
    Late,
}

impl Failure {
    /// For `map_err` on what [`Host`] gives: names the deed and the thing, and tells lateness apart.
    pub fn of(doing: impl fmt::Display) -> impl FnOnce(io::Error) -> Self {
        move |error| match error.kind() {
            io::ErrorKind::TimedOut => Self::Late,
            _ => Self::Machine(format!("failed to {doing}: {error}")),
        }
    }
}

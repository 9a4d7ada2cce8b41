//! The input of a run: the caller, the event, the payload.

use std::borrow::Cow;

use super::arguments::Arguments;
use crate::client::host::{CLAUDE, Decoded, Host};
use crate::client::{Event, Payload, Subject, payload};
use crate::machine::input::Input;
use crate::machine::{Paths, agents};
use crate::state::journal::Entry;

/// The input of a run, in hookman's words.
pub(super) struct Received<'a> {
    pub host: &'static Host,
    /// The event; `None` where neither the arguments nor the payload name one.
    pub event: Option<Event>,
    /// The calls that hooks are asked about, each with its text: one for each file of a patch.
    pub calls: Vec<(Payload<'a>, &'a str)>,
    /// True if the calls are the files of one patch.
    pub is_patch: bool,
    /// The reason why there is no call.
    pub lacks: &'static str,
    /// The reason why no hook has to hear of it.
    pub unheard: Option<&'static str>,
    odd: Vec<String>,
}

impl<'a> Received<'a> {
    pub(super) fn of(arguments: &Arguments, input: &'a Input) -> Self {
        let (bytes, is_whole) = match input {
            Input::Value(bytes) => (bytes, true),
            Input::Incomplete(bytes) => (bytes, false),
        };
        let mut odd = Vec::new();
        let text: &'a str = match String::from_utf8_lossy(bytes) {
            Cow::Borrowed(text) => text,
            Cow::Owned(text) => {
                odd.push("the payload was not UTF-8; the invalid bytes were replaced".to_owned());
                kept(text)
            }
        };
        let mut calls = Vec::with_capacity(1);
        let mut mistake = None;
        match Payload::strict(text) {
            _ if !is_whole => {}
            Ok(payload) => calls.push((payload, text)),
            Err(error) => {
                let text = match payload::repaired(text) {
                    Cow::Borrowed(text) => text,
                    Cow::Owned(text) => kept(text),
                };
                calls.extend(Payload::parse(text).ok().map(|payload| (payload, text)));
                mistake = Some(error);
            }
        }
        let host = caller(arguments.host.as_deref(), calls.first().map(|(payload, _)| payload));
        // What other programs write is not always what Claude Code would.
        if let Some(error) = mistake.filter(|_| host.is_claude() && !calls.is_empty()) {
            let wrong = payload::wrong(&error);
            odd.push(format!("the payload was not as the client writes it: {wrong}"));
        }
        let named = |(payload, _): &(Payload<'_>, &str)| match &*payload.hook_event_name {
            "" => host.event(&payload.hook_event),
            name => host.event(name),
        };
        let event = arguments.event.or(calls.first().and_then(named));
        let mut unheard = None;
        let mut is_patch = false;
        if let Some((payload, text)) = calls.first() {
            match host.decoded(payload, text, event) {
                Decoded::Same => {}
                Decoded::Nothing(why) => unheard = Some(why),
                Decoded::Call(text) => calls = parsed(vec![text]),
                Decoded::Patch(texts) => {
                    is_patch = true;
                    calls = parsed(texts);
                }
            }
        }
        let mut lacks = match calls.as_slice() {
            [] if !is_whole => "standard input was not a complete JSON object",
            [] => "standard input was not a JSON object",
            _ => "",
        };
        // A tool's event without a tool is as odd as no payload: no matcher can be tested on it.
        let is_of_tool = event.is_some_and(|event| event.facts().subject == Subject::Tool);
        if is_of_tool && calls.iter().any(|(payload, _)| payload.tool_name.is_empty()) {
            lacks = "it names no tool";
        }
        Self { host, event, calls, is_patch, lacks, unheard, odd }
    }

    /// The payload, or the first of several; `None` where hooks cannot be asked with it.
    pub(super) fn payload(&self) -> Option<&Payload<'a>> {
        self.calls.first().map(|(payload, _)| payload).filter(|_| self.lacks.is_empty())
    }

    /// Adds what is known of it to a line of the journal.
    pub(super) fn describe(&self, paths: &Paths, entry: &mut Entry<'a>) {
        self.describe_payload(entry);
        if !self.host.is_claude()
            && !self.calls.is_empty()
            && let Some(process) = agents::note(paths)
        {
            (entry.client, entry.by_hand) = (process, false);
        }
    }

    /// As [`Received::describe`], without a note of the process that called.
    pub(super) fn describe_payload(&self, entry: &mut Entry<'a>) {
        entry.host = self.host.noted().into();
        self.odd.iter().for_each(|note| entry.note(note.clone()));
        if let Some((payload, _)) = self.calls.first() {
            entry.describe(payload);
        }
    }
}

fn parsed<'a>(texts: Vec<String>) -> Vec<(Payload<'a>, &'a str)> {
    let texts = texts.into_iter().map(kept);
    texts.filter_map(|text| Some((Payload::parse(text).ok()?, text))).collect()
}

/// A text for as long as the process runs, which is one call.
fn kept<'a>(text: String) -> &'a str {
    text.leak()
}

/// The program that calls, of the name that the entry gives or as its payload tells.
fn caller(name: Option<&str>, payload: Option<&Payload<'_>>) -> &'static Host {
    match (name, payload) {
        (Some(name), payload) => {
            Host::named(name, payload.is_some_and(|it| !it.own_session.is_empty()))
        }
        (None, Some(payload)) => Host::of(payload),
        (None, None) => &CLAUDE,
    }
}

//! `hookman run`: one process that runs a chain and answers the client.
//!
//! Nothing here may end with exit code 2 but a verdict, because the client takes a 2 for a block.

mod answering;
pub mod arguments;
mod budget;
mod builtins;
mod call;
pub mod children;
mod conditions;
pub mod debug;
pub mod effects;
mod gates;
mod launch;
mod load;
mod once;
pub mod overrides;
mod placeholders;
mod prompt_command;
pub mod rehearse;
mod scene;
pub mod seen;
mod selection;
pub mod steps;
mod stop_limit;

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, Write};
use std::panic;
use std::time::{Duration, Instant};

use crate::chain::merge::Verdict;
use crate::client::answer::Decision;
use crate::client::event::Subject;
use crate::client::host::{self, Host};
use crate::client::payload::{self, Payload};
use crate::machine::input::{self, Input};
use crate::machine::{files, signals, terminal};
use crate::manifest::OnError;

use crate::state::journal::Entry;
use crate::state::maintenance;
use arguments::Arguments;
use call::Call;
use overrides::Overrides;
use seen::Seen;

/// How long the payload may take to arrive.
pub const INPUT_DEADLINE: Duration = Duration::from_secs(5);

/// Runs a chain and gives the exit code: `arguments` are those after `run`; the payload is on
/// standard input.
pub fn main(arguments: &[OsString]) -> u8 {
    signals::ignore_failed_writes();
    panic::set_hook(Box::new(|panic| {
        let _ = writeln!(io::stderr(), "hookman: internal error, please report it: {panic}");
        // An abort would be read as a hook that failed, and let the call through.
        std::process::exit(say(&gates::after_panic()).into());
    }));
    let started = Instant::now();
    let arguments = Arguments::parse(arguments);
    let paths = match arguments.paths() {
        Ok(paths) => paths,
        Err(problem) => return silent(&problem.to_string()),
    };
    let input = input::read_value(INPUT_DEADLINE);
    let (bytes, complete) = match &input {
        Input::Value(bytes) => (bytes, true),
        Input::Incomplete(bytes) => (bytes, false),
    };
    let text = String::from_utf8_lossy(bytes);
    let is_utf8 = matches!(text, Cow::Borrowed(_));
    let repaired;
    let (payload, text, odd) = match Payload::strict(&text) {
        _ if !complete => (None, &*text, None),
        Ok(payload) => (Some(payload), &*text, None),
        Err(odd) => {
            repaired = payload::repaired(&text);
            (Payload::parse(&repaired).ok(), &*repaired, Some(odd))
        }
    };
    let host = caller(arguments.host.as_deref(), payload.as_ref());
    let translated = host.translated(text, arguments.event);
    let (payload, text) = match &translated {
        Some(text) => (Payload::parse(text).ok(), &**text),
        None => (payload, text),
    };
    let named = payload.as_ref().and_then(|payload| host.event(&payload.hook_event_name));
    let Some(event) = arguments.event.or(named) else {
        let unknown = "neither the arguments nor the payload name an event of the client; `hookman \
                       --help` lists the commands";
        return silent(arguments.wrong.as_deref().unwrap_or(unknown));
    };
    let chain = arguments.chain(&paths);
    let overrides = Overrides::of_process(&chain);
    let call = Call { paths: &paths, chain, event, hook: arguments.hook, overrides };
    let mut entry = Entry::new(event, &call.chain);
    entry.host = host.name().into();
    entry.only = call.hook.as_deref().unwrap_or_default().to_owned().into();
    if !is_utf8 {
        entry.note("the payload was not UTF-8; what was not is replaced".to_owned());
    }
    if let Some(payload) = &payload {
        entry.describe(payload);
    }
    // A tool's event without a tool is as odd as no payload: no matcher can be tested on it.
    let lacks_tool = |payload: &Payload<'_>| {
        event.facts().subject == Subject::Tool && payload.tool_name.is_empty()
    };
    let what = match (&payload, odd) {
        (Some(payload), _) if lacks_tool(payload) => "it names no tool",
        (Some(_), Some(odd)) => {
            let wrong = payload::wrong(&odd);
            entry.note(format!("the payload was not as the client writes it: {wrong}"));
            ""
        }
        (Some(_), None) => "",
        (None, _) if !complete => "standard input held no whole JSON object",
        (None, _) => "standard input held what is no JSON object",
    };
    let payload = payload.filter(|_| what.is_empty());
    let verdict = match payload {
        _ if call.overrides.off => {
            // Whoever sets it means gates too.
            gates::chosen(OnError::Open);
            entry.off = Cow::Borrowed("HOOKMAN=0");
            Verdict::default()
        }
        payload if let Host::Other(name) = host => {
            answering::unserved(&call, name, payload.as_ref(), &mut entry)
        }
        payload if let Some(wrong) = &arguments.wrong => {
            let verdict = answering::misused(&call, wrong, payload.as_ref(), &mut entry);
            if verdict.decision.is_none() {
                silent(wrong);
            }
            verdict
        }
        Some(payload) => {
            let seen = Seen { event, payload: &payload, text };
            answering::answer(&call, seen, &mut entry)
        }
        None => answering::without_payload(&call, what, &mut entry),
    };
    let verdict = obeyed(host, verdict);
    let code = say(&verdict);
    gates::answered(code);
    entry.finish(&verdict, started.elapsed());
    if call.overrides.debug {
        debug::tell(&call, code, &mut entry);
    }
    // The answer is given; a journal that cannot be written must not change it, and doctor
    // reports one that is not.
    let _ = files::append_line(&paths.journal(), &entry.line());
    maintenance::after(&paths, &call.chain, event);
    code
}

/// The program that calls, of the name that the entry gives or as its payload tells.
fn caller(name: Option<&str>, payload: Option<&Payload<'_>>) -> Host {
    match (name, payload) {
        (Some(name), payload) => {
            Host::named(name, payload.is_some_and(|it| !it.own_session.is_empty()))
        }
        (None, Some(payload)) => Host::of(payload),
        (None, None) => Host::default(),
    }
}

fn obeyed(host: Host, verdict: Verdict) -> Verdict {
    if host == Host::Claude {
        return verdict;
    }
    Verdict { said: host::obeyed(host, verdict.decision, verdict.said), ..verdict }
}

fn silent(problem: &str) -> u8 {
    let _ = writeln!(io::stderr(), "hookman: {}", terminal::harmless(problem));
    0
}

fn say(verdict: &Verdict) -> u8 {
    let said = &verdict.said;
    let written = terminal::answer(&said.stdout);
    let _ = io::stderr().write_all(said.stderr.as_bytes());
    if written.is_err() && verdict.decision.is_some_and(|it| it != Decision::Allow) {
        // What holds back and does not arrive by standard output still has another way, if only that
        // of a block.
        let _ = io::stderr().write_all(said.stdout.as_bytes());
        return 2;
    }
    said.code
}

/// The event that a bare call with a payload on its standard input is for; clients older than the
/// exec form (2.1.139) drop the arguments.
pub fn is_bare_call(arguments: &[OsString]) -> bool {
    arguments.is_empty() && !io::IsTerminal::is_terminal(&io::stdin())
}

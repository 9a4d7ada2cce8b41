//! The handlers that hookman can run itself, and the reasons against the others.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::foreign_words;
use crate::client::host::files::{Files, Form};
use crate::client::settings_schema::is_one_rule;
use crate::client::{Event, ExitTwo, Subject, matcher};
use crate::settings::inventory::{Handler, handlers};
use crate::syntax::json::{Document, Position};
use crate::syntax::named::words;
use crate::syntax::shell;

/// The longest time limit that a manifest takes, in milliseconds.
const LONGEST_MS: u64 = 600_000;

/// A handler that hookman did not write.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub pointer: String,
    pub position: Position,
    pub event: String,
    pub matcher: Option<String>,
    pub summary: String,
    /// The command that hookman would run instead, or the reason why it cannot.
    pub wrapped: Result<Wrapped, Refusal>,
    /// Handlers that are equal for the client, which runs one of them, have the same number.
    pub equals: usize,
}

impl Candidate {
    pub fn fires(&self) -> String {
        match self.matcher.as_deref().filter(|matcher| !matcher.is_empty()) {
            Some(matcher) => format!("{}({matcher})", self.event),
            None => self.event.clone(),
        }
    }
}

/// The reason why hookman cannot run a handler itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(String);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    Command(String),
    Argv(Vec<String>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrapped {
    pub event: Event,
    pub matcher: Option<String>,
    pub program: Program,
    pub timeout_ms: u64,
    pub closed: bool,
    /// The permission rule under which the client calls it.
    pub condition: Option<String>,
    pub background: bool,
    pub status_message: Option<String>,
}

/// The handlers of a text, Claude Code's or another program's, that are not hookman's, in its order.
pub fn candidates(document: &Document<'_>, of: Option<&'static Files>) -> Vec<Candidate> {
    let mut all = handlers(document);
    all.retain(|handler| !handler.ours);
    let mut numbers: HashMap<(&str, &str), usize> = HashMap::new();
    let mut equal: Vec<Vec<Result<Wrapped, Refusal>>> = Vec::new();
    let mut places = Vec::new();
    let is_once = of.is_none_or(|of| of.once);
    for handler in &all {
        if !is_once {
            numbers.clear();
        }
        let number = *numbers.entry((&handler.event, &handler.identity)).or_insert(equal.len());
        equal.resize_with(equal.len().max(number + 1), Vec::new);
        places.push((number, equal[number].len()));
        equal[number].push(wrapped(document, handler, of));
    }
    let equal: Vec<_> = equal.into_iter().map(together).collect();
    let candidate = |(handler, (number, at)): (&Handler, (usize, usize))| Candidate {
        pointer: handler.pointer.clone(),
        position: handler.position,
        event: handler.event.clone(),
        matcher: handler.matcher.clone().or_else(|| {
            let alone = handler.text("matcher").filter(|_| of.is_some());
            alone.map(str::to_owned)
        }),
        summary: summary(&handler.value),
        wrapped: equal[number][at].clone(),
        equals: number,
    };
    all.iter().zip(places).map(candidate).collect()
}

/// Refuses equal handlers that cannot all be adopted, as the client runs one of them.
fn together(mut equal: Vec<Result<Wrapped, Refusal>>) -> Vec<Result<Wrapped, Refusal>> {
    let is_apart = |it: &Wrapped| it.background || it.status_message.is_some();
    let reason = if equal.len() < 2 {
        return equal;
    } else if equal.iter().any(Result::is_err) {
        "an equal handler has to stay, and the client runs the two once"
    } else if equal.iter().flatten().any(is_apart) {
        "the same handler is there twice, and the client runs it once"
    } else {
        return equal;
    };
    for it in equal.iter_mut().filter(|it| it.is_ok()) {
        *it = Err(Refusal(reason.to_owned()));
    }
    equal
}

fn summary(handler: &Value) -> String {
    let text = |key: &str| handler.get(key).and_then(Value::as_str);
    let keys = ["bash", "command", "url", "tool", "prompt"];
    let what = keys.into_iter().find_map(text).unwrap_or_default();
    let mut line = what.lines().next().unwrap_or_default().to_owned();
    for argument in handler.get("args").and_then(Value::as_array).into_iter().flatten() {
        line.push(' ');
        line.push_str(argument.as_str().unwrap_or_default());
    }
    line
}

fn wrapped(
    document: &Document<'_>,
    handler: &Handler,
    of: Option<&'static Files>,
) -> Result<Wrapped, Refusal> {
    let empty = Map::new();
    let keys = handler.value.as_object().unwrap_or(&empty);
    let text = |key: &str| keys.get(key).and_then(Value::as_str);
    match text("type") {
        Some("command") => {}
        Some(other) => {
            return Err(Refusal(format!("a handler of type `{other}` is run by the client")));
        }
        None if of.is_some_and(|of| of.form == Form::Own) && !keys.contains_key("type") => {}
        None => return Err(Refusal("it has no type".to_owned())),
    }
    if let Some(of) = of {
        return in_own_words(document, handler, keys, of);
    }
    let event = Event::from_name(&handler.event)
        .ok_or_else(|| Refusal(format!("hookman does not know the event {}", handler.event)))?;
    refuse(event, handler, keys)?;
    let background = keys.get("async") == Some(&Value::Bool(true));
    // The client does not wait for a handler in the background, so its failure blocks nothing.
    let blocks = !background && event.facts().heeds_on_failure;
    Ok(Wrapped {
        event,
        matcher: handler.matcher.clone(),
        program: program(keys)?,
        timeout_ms: timeout(keys, event.facts().timeout_ms, |number| number * 1000.0)?,
        closed: blocks && text("onFailure") == Some("block"),
        condition: text("if").map(str::to_owned),
        background,
        status_message: text("statusMessage").map(str::to_owned),
    })
}

/// A handler of another program in hookman's words.
fn in_own_words(
    document: &Document<'_>,
    handler: &Handler,
    keys: &Map<String, Value>,
    of: &'static Files,
) -> Result<Wrapped, Refusal> {
    let event = foreign_words::event(of, &handler.event).map_err(Refusal)?;
    let keys = &foreign_words::in_known_keys(of, keys).map_err(Refusal)?;
    let group = handler.pointer.rsplit_once("/hooks/").map(|(group, _)| group).unwrap_or_default();
    let in_turn = document.lookup(&format!("{group}/sequential"));
    if in_turn.is_some_and(|node| document.value(node) == Value::Bool(true)) {
        return Err(Refusal(
            "its group runs in turn (`sequential`), which would be lost".to_owned(),
        ));
    }
    if calls_hookman(keys) {
        return Err(Refusal(ITSELF.to_owned()));
    }
    let alone = keys.get("matcher").map(|it| it.as_str().unwrap_or_default());
    let matcher = match (handler.matcher.as_deref(), alone) {
        (Some(_), Some(_)) => {
            return Err(Refusal("it has a matcher, and its group another".to_owned()));
        }
        (of_group, alone) => of_group.or(alone),
    };
    let in_bash = |program: Program| match &program {
        Program::Command(line) if of.form == Form::Own => {
            foreign_words::of_bash(line).map_or(program, |words| Program::Argv(words.to_vec()))
        }
        _ => program,
    };
    Ok(Wrapped {
        event,
        matcher: foreign_words::matcher_here(of, event, matcher).map_err(Refusal)?,
        program: in_bash(program(keys)?),
        timeout_ms: timeout(keys, of.unset_ms, |number| of.milliseconds(number))?,
        closed: of.fails_closed.contains(&event),
        condition: None,
        background: false,
        status_message: None,
    })
}

const ITSELF: &str = "it calls hookman, which would call itself";

fn refuse(event: Event, handler: &Handler, keys: &Map<String, Value>) -> Result<(), Refusal> {
    const KNOWN: &[&str] = &words::<10>(
        "type command args timeout if async asyncRewake statusMessage shell onFailure",
    );
    if event.facts().exit_two == ExitTwo::Fails {
        return Err(Refusal(format!(
            "its exit code steers {event}, and hookman never fails by one"
        )));
    }
    if keys.get("asyncRewake") == Some(&Value::Bool(true)) {
        return Err(Refusal(
            "`asyncRewake` needs its exit code, which hookman does not pass on".to_owned(),
        ));
    }
    if keys.get("shell").is_some_and(|shell| shell == "powershell") && !keys.contains_key("args") {
        return Err(Refusal("it needs PowerShell".to_owned()));
    }
    if let Some(key) = keys.keys().find(|key| !KNOWN.contains(&key.as_str())) {
        return Err(Refusal(format!("its key `{key}` would be lost")));
    }
    if keys.contains_key("if") && event.facts().subject != Subject::Tool {
        return Err(Refusal(format!("it never runs: `if` has no meaning on {event}")));
    }
    let rule = keys.get("if").and_then(Value::as_str).filter(|rule| !rule.is_empty());
    if let Some(rule) = rule.filter(|rule| !is_one_rule(rule)) {
        return Err(Refusal(format!(
            "it never runs: its `if`, `{rule}`, is not one permission rule"
        )));
    }
    if calls_hookman(keys) {
        return Err(Refusal(ITSELF.to_owned()));
    }
    let pattern = matcher::kind(handler.matcher.as_deref(), event) == matcher::Kind::Pattern;
    match handler.matcher.as_deref() {
        Some(text) if pattern && matcher::compile(text).is_err() => {
            Err(Refusal(format!("it never runs: `{text}` is no JavaScript regular expression")))
        }
        _ => Ok(()),
    }
}

/// Returns whether it has hookman run hooks, as through a variable or a wrapper.
fn calls_hookman(keys: &Map<String, Value>) -> bool {
    let command = keys.get("command").and_then(Value::as_str).unwrap_or_default();
    let is_it = |program: &str, first: Option<&str>| {
        program.rsplit('/').next() == Some("hookman") && first.is_none_or(|first| first == "run")
    };
    if let Some(args) = keys.get("args") {
        let words: Vec<&str> = std::iter::once(command)
            .chain(args.as_array().into_iter().flatten().filter_map(Value::as_str))
            .collect();
        // Further on it is a program only where `run` follows, and else a word like another.
        return words.iter().enumerate().any(|(at, word)| {
            let next = words.get(at + 1).copied();
            is_it(word, next) && (at == 0 || next.is_some())
        });
    }
    let mut found = false;
    shell::each_invocation(command, &mut |call| {
        found |= is_it(call.program, call.arguments.first().map(|first| &*first.text));
    });
    found
}

fn program(keys: &Map<String, Value>) -> Result<Program, Refusal> {
    let has_nul = |text: &str| text.contains('\0');
    let command = keys.get("command").and_then(Value::as_str).unwrap_or_default();
    if command.trim().is_empty() {
        return Err(Refusal("it never runs: `command` is empty".to_owned()));
    }
    let args = keys.get("args").and_then(Value::as_array).into_iter().flatten();
    if has_nul(command) || args.filter_map(Value::as_str).any(has_nul) {
        return Err(Refusal("it never runs: its command has a NUL character".to_owned()));
    }
    let Some(args) = keys.get("args") else { return Ok(Program::Command(command.to_owned())) };
    let texts = args.as_array().map(|args| args.iter().map(|arg| arg.as_str().map(str::to_owned)));
    let texts: Option<Vec<String>> = texts.and_then(Iterator::collect);
    let Some(texts) = texts else {
        return Err(Refusal("its `args` are no list of strings".to_owned()));
    };
    Ok(Program::Argv(std::iter::once(command.to_owned()).chain(texts).collect()))
}

/// The time limit: the handler's own, else that of one without any.
fn timeout(
    keys: &Map<String, Value>,
    unset: u64,
    milliseconds: impl Fn(f64) -> f64,
) -> Result<u64, Refusal> {
    let Some(value) = keys.get("timeout") else { return Ok(unset) };
    let number = milliseconds(value.as_f64().unwrap_or_default());
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number out of range becomes the nearest, which is refused below"
    )]
    let limit = number.round() as u64;
    match limit {
        0 => Err(Refusal("its `timeout` is no number of seconds".to_owned())),
        1..=LONGEST_MS => Ok(limit),
        _ => {
            let seconds = number / 1000.0;
            Err(Refusal(format!("its time limit of {seconds} s is above hookman's of 600 s")))
        }
    }
}

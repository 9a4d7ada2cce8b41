//! The compiled form of a chain's manifests: what `hookman run` reads instead of TOML.
//!
//! The first line is a header that says what the plan was made from. Each further line is one step:
//! the event, the matcher and the step as JSON, between tabs, so that steps of other events and
//! steps that do not match are passed over without being parsed. The event of a hook that the client
//! calls by an entry of its own is followed by a colon and the hook's name.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::client::event::Event;
use crate::client::matcher;
use crate::manifest::{Action, Hook, OnError};

/// A file that a plan was made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source<'a> {
    /// Its path.
    #[serde(borrow)]
    pub path: Cow<'a, str>,
    /// Size in bytes, modification time in nanoseconds since 1970, inode; absent if the file was.
    pub stamp: Option<(u64, i64, u64)>,
}

#[derive(Serialize, Deserialize)]
struct Header<'a> {
    #[serde(borrow)]
    build: Cow<'a, str>,
    #[serde(borrow)]
    sources: Vec<Source<'a>>,
}

/// One hook, ready to run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Step<'a> {
    /// The hook's name.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// What it does.
    #[serde(borrow)]
    pub run: Run<'a>,
    /// Milliseconds it may take.
    pub timeout_ms: u64,
    /// What a failure means.
    pub on_error: OnError,
    /// Whether it may run beside its neighbours that are marked so too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub parallel: bool,
}

/// What a step does.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Run<'a> {
    /// A built-in hook of a kind, with its options.
    Builtin {
        /// The kind's name.
        #[serde(borrow)]
        kind: Cow<'a, str>,
        /// The options, complete.
        #[serde(borrow)]
        options: &'a RawValue,
    },
    /// A line for the shell.
    Command(Cow<'a, str>),
    /// A program and its arguments.
    Argv(Vec<String>),
}

/// Writes the plan of a chain: the enabled hooks, in order, once for each of their events.
///
/// # Errors
///
/// When a value cannot be written as JSON.
pub fn render(build: &str, sources: &[Source<'_>], hooks: &[Hook]) -> serde_json::Result<String> {
    let header = Header { build: build.into(), sources: sources.to_vec() };
    let mut text = serde_json::to_string(&header)?;
    text.push('\n');
    for hook in hooks.iter().filter(|hook| hook.enabled) {
        let options = serde_json::value::to_raw_value(&hook.options)?;
        let run = match &hook.action {
            Action::Builtin { kind, .. } => {
                Run::Builtin { kind: kind.as_str().into(), options: &options }
            }
            Action::Command(line) => Run::Command(line.as_str().into()),
            Action::Argv(words) => Run::Argv(words.clone()),
        };
        let step = Step {
            name: hook.name.as_str().into(),
            run,
            timeout_ms: hook.timeout_ms,
            on_error: hook.on_error,
            parallel: hook.manner.parallel,
        };
        let step = serde_json::to_string(&step)?;
        let matcher = match hook.matcher.as_deref() {
            None => String::new(),
            Some(matcher) if matcher.starts_with('"') || matcher.contains(['\t', '\n', '\r']) => {
                serde_json::to_string(matcher)?
            }
            Some(matcher) => matcher.to_owned(),
        };
        let apart = hook.manner.own_entry().map(|_| format!(":{}", hook.name)).unwrap_or_default();
        for event in &hook.events {
            text.extend([event.name(), &apart, "\t", &matcher, "\t", &step, "\n"]);
        }
    }
    Ok(text)
}

/// A plan as it was read.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The build of hookman that made it.
    pub build: Cow<'a, str>,
    /// The files it was made from.
    pub sources: Vec<Source<'a>>,
    steps: &'a str,
}

impl<'a> Plan<'a> {
    /// Reads a plan; `None` if the text is none, which is as good as no plan.
    pub fn parse(text: &'a str) -> Option<Self> {
        let (header, steps) = text.split_once('\n')?;
        let header: Header<'a> = serde_json::from_str(header).ok()?;
        Some(Self { build: header.build, sources: header.sources, steps })
    }

    /// The steps that apply to `subject` under `event`, in order; with `None` all of the event's.
    ///
    /// Without `hook` those of the chain; with it those of the hook that has an entry of its own.
    ///
    /// # Errors
    ///
    /// Of each step, when its line is damaged; the plan should be made anew then.
    pub fn steps(
        &self,
        event: Event,
        hook: Option<&str>,
        subject: Option<&str>,
    ) -> impl Iterator<Item = serde_json::Result<Step<'a>>> {
        self.steps.lines().filter_map(move |line| {
            let mut rest = line.strip_prefix(event.name())?;
            if let Some(hook) = hook {
                rest = rest.strip_prefix(':')?.strip_prefix(hook)?;
            }
            let (matcher, step) = rest.strip_prefix('\t')?.split_once('\t')?;
            let matcher: Cow<'_, str> = if matcher.starts_with('"') {
                serde_json::from_str::<String>(matcher).ok()?.into()
            } else {
                matcher.into()
            };
            matcher::matches(Some(&*matcher), event, subject).then(|| serde_json::from_str(step))
        })
    }
}

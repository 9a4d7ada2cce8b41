//! One hookman entry in a settings file.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::client::call::run_words;

/// An entry that hookman wants in a settings file: one handler in a group of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Registration {
    pub event: String,
    /// The matcher of the group; none matches everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    /// The program (exec form) or the shell line; empty for an entry that runs without hookman.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// The arguments; their presence is what makes it exec form (the client's documentation).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<String>>,
    /// Seconds until the client kills the handler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// Further keys in the order to write them; all of them for an entry that runs without hookman.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Registration {
    /// Returns whether the client runs it without hookman, so that only a record can tell it from others.
    pub fn is_passed(&self) -> bool {
        self.command.is_empty() && self.extra.contains_key("type")
    }

    /// Gives the words that it runs, to find it again among the entries of its event.
    pub(crate) fn words(&self) -> Option<Vec<String>> {
        let handler = self.handler();
        if self.is_passed() { Some(passed_words(&handler)) } else { run_words(&handler) }
    }

    pub fn handler(&self) -> Value {
        if self.is_passed() {
            let mut handler = self.extra.clone();
            handler.extend(self.timeout.map(|timeout| ("timeout".to_owned(), timeout.into())));
            return Value::Object(handler);
        }
        let mut handler = Map::new();
        handler.insert("type".to_owned(), "command".into());
        handler.insert("command".to_owned(), self.command.clone().into());
        if let Some(args) = &self.args {
            handler.insert("args".to_owned(), args.clone().into());
        }
        if let Some(timeout) = self.timeout {
            handler.insert("timeout".to_owned(), timeout.into());
        }
        handler.extend(self.extra.clone());
        Value::Object(handler)
    }

    pub fn group(&self) -> Value {
        let mut group = Map::new();
        if let Some(matcher) = &self.matcher {
            group.insert("matcher".to_owned(), matcher.clone().into());
        }
        group.insert("hooks".to_owned(), vec![self.handler()].into());
        Value::Object(group)
    }
}

/// An entry that hookman wrote and the client runs without it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passed {
    pub event: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    pub handler: Value,
}

impl Passed {
    pub(crate) fn of(registration: &Registration) -> Option<Self> {
        registration.is_passed().then(|| Self {
            event: registration.event.clone(),
            matcher: registration.matcher.clone(),
            handler: registration.handler(),
        })
    }
}

/// In place of the words of an entry that does not run hookman.
pub(crate) fn passed_words(handler: &Value) -> Vec<String> {
    vec![String::new(), handler.to_string()]
}

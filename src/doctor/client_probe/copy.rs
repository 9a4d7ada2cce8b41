//! A copy of a settings file in which nothing can do harm, and each handler leaves a mark.
//!
//! Keys, types, matchers, conditions and the order stay, as the client judges them; whatever runs
//! something, or is not known to be harmless, gets another value of its type.

use serde_json::{Map, Value, json};

use crate::client::off_switch::VARIABLES;
use crate::settings::Handler;
use crate::syntax::json::child;
use crate::syntax::named::words;

/// Top-level keys whose values run and send nothing, by the client's settings reference.
const HARMLESS: &[&str] = &words::<36>(
    "$schema advisorModel allowManagedHooksOnly alwaysThinkingEnabled askUserQuestionTimeout \
     attribution autoUpdatesChannel availableModels cleanupPeriodDays companyAnnouncements \
     defaultShell diffTool disableAllHooks editorMode effortLevel fallbackModel forceLoginMethod \
     includeCoAuthoredBy language minimumVersion model outputStyle parentSettingsBehavior \
     permissions preferredLanguage preferredNotifChannel requiredMaximumVersion \
     requiredMinimumVersion spinnerTipsOverride spinnerVerbs strictPluginOnlyCustomization \
     teammateMode theme tui viewMode workflowSizeGuideline",
);

/// Top-level objects that name things to be fetched, started or set, which are emptied.
const EMPTIED: &[&str] = &["enabledPlugins", "extraKnownMarketplaces", "mcpServers"];

/// The value that others have: a program that does nothing, where it is run.
const NOTHING: &str = "true";

const KEPT: &[&str] = &["if", "matcher", "model", "onFailure", "shell", "statusMessage", "type"];

/// The handlers of a file, each with a mark of its own, equal ones that run once too.
pub(super) struct Marks<'a> {
    /// The file that handlers with commands write to, without quotes in its path.
    pub file: &'a str,
    /// The server that the others ask, and whose answers leave marks.
    pub url: &'a str,
    /// The number of the file.
    pub of: usize,
    pub handlers: &'a [Handler],
}

pub(super) const PROMPT: &str = "hookman-asks-for-";

/// The copy of a file's value. A handler without a mark does nothing.
pub(super) fn harmless(value: &Value, marks: &Marks<'_>, sentinel: Option<(&str, &str)>) -> Value {
    let Value::Object(members) = value else { return value.clone() };
    let member = |(key, value): (&String, &Value)| {
        let made = match (key.as_str(), value) {
            ("hooks", _) => marks.hooks(value, "/hooks"),
            ("env", Value::Object(variables)) => switches(variables).into(),
            (name, Value::Object(_)) if EMPTIED.contains(&name) => json!({}),
            (name, _) if HARMLESS.contains(&name) => value.clone(),
            _ => blank(value, key),
        };
        (key.clone(), made)
    };
    let mut made: Map<String, Value> = members.iter().map(member).collect();
    if let Some((event, mark)) = sentinel
        && let Some(Value::Object(hooks)) = made.get_mut("hooks")
    {
        // A group that leaves a mark whenever the file is read.
        let handler = json!({"type": "command", "command": marks.line(mark)});
        hooks.insert(event.to_owned(), json!([{ "hooks": [handler] }]));
    }
    made.into()
}

fn switches(variables: &Map<String, Value>) -> Map<String, Value> {
    let is_switch = |key: &str| VARIABLES.iter().any(|(name, _)| *name == key);
    let kept = variables.iter().filter(|(key, _)| is_switch(key));
    kept.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Takes the meaning from all strings in a value, but for what a `type` is.
fn blank(value: &Value, key: &str) -> Value {
    match value {
        Value::String(_) if key != "type" => NOTHING.into(),
        Value::Array(elements) => elements.iter().map(|it| blank(it, "")).collect(),
        Value::Object(members) => {
            members.iter().map(|(key, value)| (key.clone(), blank(value, key))).collect()
        }
        _ => value.clone(),
    }
}

impl Marks<'_> {
    fn line(&self, mark: &str) -> String {
        format!("echo {mark} >> '{}'", self.file)
    }

    pub(super) fn mark(&self, pointer: &str) -> Option<String> {
        let at = self.handlers.iter().position(|handler| handler.pointer == pointer)?;
        Some(format!("{}.{at}", self.of))
    }

    fn hooks(&self, value: &Value, pointer: &str) -> Value {
        match value {
            Value::Array(elements) => {
                let element = |(index, it): (usize, &Value)| {
                    self.hooks(it, &child(pointer, &index.to_string()))
                };
                elements.iter().enumerate().map(element).collect()
            }
            Value::Object(members) => {
                let mark = self.mark(pointer);
                let args = members.get("args").and_then(Value::as_array);
                let is_exec = args.is_some_and(|args| args.iter().all(Value::is_string));
                let member = |(key, it): (&String, &Value)| {
                    (key.clone(), self.member(key, it, (pointer, mark.as_deref(), is_exec)))
                };
                members.iter().map(member).collect()
            }
            _ => value.clone(),
        }
    }

    fn member(
        &self,
        key: &str,
        value: &Value,
        (pointer, mark, is_exec): (&str, Option<&str>, bool),
    ) -> Value {
        let line = mark.map_or_else(|| ":".to_owned(), |mark| self.line(mark));
        let mark = mark.unwrap_or_default();
        match (key, value.as_str()) {
            (key, Some(_)) if KEPT.contains(&key) => value.clone(),
            // An empty command never runs.
            ("command", Some(command)) if command.trim().is_empty() => value.clone(),
            ("command", Some(_)) if is_exec => "/bin/sh".into(),
            ("command", Some(_)) => line.into(),
            ("args", _) if is_exec => json!(["-c", line]),
            ("url", Some(url)) if is_plain(url) => format!("{}/hook/{mark}", self.url).into(),
            // What is no URL is judged as it is, and nothing can be asked by it.
            ("url", Some(_)) => value.clone(),
            ("prompt", Some(_)) => format!("{PROMPT}{mark} $ARGUMENTS").into(),
            (_, Some(_)) => "x".into(),
            ("headers" | "input" | "args", None) => blank(value, ""),
            (key, None) => self.hooks(value, &child(pointer, key)),
        }
    }
}

/// Returns whether a text is a URL that the client asks, without a doubt.
fn is_plain(url: &str) -> bool {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    rest.is_some_and(|rest| {
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let (name, port) = host.split_once(':').unwrap_or((host, "80"));
        let is_name = |c: char| c.is_ascii_alphanumeric() || ".-".contains(c);
        !name.is_empty() && name.chars().all(is_name) && port.parse::<u16>().is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::handlers;
    use crate::syntax::json::Document;

    #[test]
    fn a_copy_runs_nothing_of_the_users_and_keeps_what_the_client_judges() {
        let text = r#"{
  "apiKeyHelper": "/bin/key", "cleanupPeriodDays": 3, "env": {"A": "b", "CLAUDE_CODE_SIMPLE": "1"},
  "statusLine": {"type": "command", "command": "rm -rf /", "padding": 0},
  "_hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "rm"}]}]},
  "permissions": {"deny": ["Bash(rm *)"]},
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [
        {"type": "command", "command": "danger", "timeout": 5, "if": "Bash(a *)"},
        {"type": "command", "command": "/bin/danger", "args": ["--x"], "note": "y"},
        {"type": "http", "url": "https://example.com/a", "headers": {"X": "$KEY"}},
        {"type": "http", "url": "http://localhost:$PORT/hook"},
        {"type": "command", "command": " "},
        {"command": "danger", "args": [1, "two"]}
      ]}
    ],
    "Stop": {"command": "danger"}
  }
}
"#;
        let document = Document::parse(text).unwrap();
        let handlers = handlers(&document);
        let marks = Marks { file: "/f", url: "http://127.0.0.1:1", of: 0, handlers: &handlers };
        let value = document.value(document.root());
        let copy = harmless(&value, &marks, Some(("SessionStart", "s")));
        let expected = r#"{
  "apiKeyHelper": "true", "cleanupPeriodDays": 3, "env": {"CLAUDE_CODE_SIMPLE":"1"},
  "statusLine": {"type": "command", "command": "true", "padding": 0},
  "_hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]},
  "permissions": {"deny": ["Bash(rm *)"]},
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [
        {"type": "command", "command": "echo 0.0 >> '/f'", "timeout": 5, "if": "Bash(a *)"},
        {"type": "command", "command": "/bin/sh", "args": ["-c","echo 0.1 >> '/f'"], "note": "x"},
        {"type": "http", "url": "http://127.0.0.1:1/hook/0.2", "headers": {"X": "true"}},
        {"type": "http", "url": "http://localhost:$PORT/hook"},
        {"type": "command", "command": " "},
        {"command": "echo 0.5 >> '/f'", "args": [1, "true"]}
      ]}
    ],
    "Stop": {"command": ":"}
  , "SessionStart": [{"hooks":[{"type":"command","command":"echo s >> '/f'"}]}]}
}
"#;
        assert_eq!(copy, serde_json::from_str::<Value>(expected).unwrap());
    }
}

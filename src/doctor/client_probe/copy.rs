//! A copy of a settings file in which nothing can do harm, and each handler leaves a mark.
//!
//! What the client judges stays as it is: keys, types, matchers, conditions, the order and the rest of
//! the text. What runs something, or says where requests go, or is not known to be harmless, has
//! another value of the same JSON type.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::client::off_switch::VARIABLES;
use crate::settings::Handler;
use crate::syntax::json::{Document, Kind, Node, Span, child};
use crate::syntax::named::words;

/// Top-level keys whose values run nothing and send nothing anywhere; the client's settings
/// reference.
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

/// Keys of a group or handler that are kept as they are.
const KEPT: &[&str] = &["if", "matcher", "model", "onFailure", "shell", "statusMessage", "type"];

pub(super) struct Marks<'a> {
    /// The file that handlers with commands write to, without quotes in its path.
    pub file: &'a str,
    /// The server that the others ask, and whose answers leave marks.
    pub url: &'a str,
}

impl Marks<'_> {
    fn line(&self, mark: &str) -> String {
        format!("echo {mark} >> '{}'", self.file)
    }
}

/// The words before the mark in a prompt for the model.
pub(super) const PROMPT: &str = "hookman-asks-for-";

/// The copy of a document. `marks` has the mark of each handler by its pointer; a handler without one
/// does nothing.
pub(super) fn harmless(
    document: &Document<'_>,
    handlers: &BTreeMap<String, String>,
    marks: &Marks<'_>,
    sentinel: Option<(&str, &str)>,
) -> String {
    let mut copy = Copy { document, handlers, marks, edits: Vec::new() };
    for member in document.root().members().unwrap_or_default() {
        let key = document.key(member);
        if key == "hooks" {
            copy.hooks(&member.value, "/hooks", None);
        } else if key == "env" && member.value.members().is_some() {
            copy.env(&member.value);
        } else if EMPTIED.contains(&&*key) && member.value.members().is_some() {
            copy.put(member.value.span, json!({}));
        } else if !HARMLESS.contains(&&*key) {
            copy.blank(&member.value, &key);
        }
    }
    if let Some((event, mark)) = sentinel {
        copy.add(event, mark);
    }
    copy.written()
}

struct Copy<'d> {
    document: &'d Document<'d>,
    handlers: &'d BTreeMap<String, String>,
    marks: &'d Marks<'d>,
    edits: Vec<(Span, String)>,
}

impl Copy<'_> {
    fn put(&mut self, span: Span, value: impl Into<Value>) {
        self.edits.push((span, value.into().to_string()));
    }

    /// Leaves of the variables those that switch hooks off.
    fn env(&mut self, node: &Node) {
        let is_switch = |key: &str| VARIABLES.iter().any(|(name, _)| *name == key);
        let members = node.members().unwrap_or_default().iter();
        let kept = members.filter(|member| is_switch(&self.document.key(member)));
        let kept = kept.map(|member| {
            (self.document.key(member).into_owned(), self.document.value(&member.value))
        });
        let kept: serde_json::Map<String, Value> = kept.collect();
        self.put(node.span, kept);
    }

    /// Takes the meaning from all strings below a node, but for what a `type` is.
    fn blank(&mut self, node: &Node, key: &str) {
        match &node.kind {
            Kind::String if key != "type" => self.put(node.span, NOTHING),
            Kind::Array(elements) => elements.iter().for_each(|node| self.blank(node, "")),
            Kind::Object(members) => {
                for member in members {
                    self.blank(&member.value, &self.document.key(member));
                }
            }
            _ => {}
        }
    }

    fn hooks(&mut self, node: &Node, pointer: &str, handler: Option<&str>) {
        match &node.kind {
            Kind::Array(elements) => {
                for (index, node) in elements.iter().enumerate() {
                    self.hooks(node, &child(pointer, &index.to_string()), None);
                }
            }
            Kind::Object(members) => {
                let handler = handler.or_else(|| self.handlers.get(pointer).map(String::as_str));
                let has_args = |node: &Node| {
                    let args = self.document.get(node, "args").and_then(Node::elements);
                    args.is_some_and(|args| args.iter().all(|it| matches!(it.kind, Kind::String)))
                };
                let is_exec = has_args(node);
                for member in members {
                    let key = self.document.key(member).into_owned();
                    self.member(&key, &member.value, (pointer, handler, is_exec));
                }
            }
            _ => {}
        }
    }

    fn member(
        &mut self,
        key: &str,
        node: &Node,
        (pointer, handler, is_exec): (&str, Option<&str>, bool),
    ) {
        let text = self.document.string(node);
        let line = handler.map_or_else(|| ":".to_owned(), |mark| self.marks.line(mark));
        match (key, text) {
            (key, Some(_)) if KEPT.contains(&key) => {}
            // An empty command never runs.
            ("command", Some(command)) if command.trim().is_empty() => {}
            ("command", Some(_)) if is_exec => self.put(node.span, "/bin/sh"),
            ("command", Some(_)) => self.put(node.span, line),
            ("args", _) if is_exec => self.put(node.span, json!(["-c", line])),
            ("url", Some(url)) if is_plain(&url) => {
                let mark = handler.unwrap_or_default();
                self.put(node.span, format!("{}/hook/{mark}", self.marks.url));
            }
            // What is no URL is judged as it is, and nothing can be asked by it.
            ("url", Some(_)) => {}
            ("prompt", Some(_)) => {
                self.put(node.span, format!("{PROMPT}{} $ARGUMENTS", handler.unwrap_or_default()));
            }
            (_, Some(_)) => self.put(node.span, "x"),
            ("headers" | "input" | "args", None) => self.blank(node, ""),
            (key, None) => self.hooks(node, &child(pointer, key), None),
        }
    }

    /// Adds a group that leaves a mark whenever the file is read.
    fn add(&mut self, event: &str, mark: &str) {
        let handler = json!({"type": "command", "command": self.marks.line(mark)});
        let group = json!([{ "hooks": [handler] }]);
        let hooks = self.document.get(self.document.root(), "hooks");
        let Some((hooks, members)) = hooks.and_then(|node| Some((node, node.members()?))) else {
            return;
        };
        let comma = if members.is_empty() { "" } else { ", " };
        let end = hooks.span.end - 1;
        let text = format!("{comma}{}: {group}", json!(event));
        self.edits.push((Span { start: end, end }, text));
    }

    fn written(mut self) -> String {
        self.edits.sort_by_key(|(span, _)| span.start);
        let text = self.document.text();
        let (mut copy, mut done) = (String::with_capacity(text.len()), 0);
        for (Span { start, end }, new) in self.edits {
            copy.push_str(&text[done..start]);
            copy.push_str(&new);
            done = end;
        }
        copy.push_str(&text[done..]);
        copy
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

/// The mark of each handler of a file, by its pointer. Handlers that the client would run once, as
/// they are equal, have marks of their own too, so that each is seen by itself.
pub(super) fn marks(file: usize, handlers: &[Handler]) -> BTreeMap<String, String> {
    let pointers = handlers.iter().map(|handler| handler.pointer.clone());
    pointers.enumerate().map(|(at, pointer)| (pointer, format!("{file}.{at}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::handlers;

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
        let marks_of = marks(0, &handlers(&document));
        let marks = Marks { file: "/f", url: "http://127.0.0.1:1" };
        let copy = harmless(&document, &marks_of, &marks, Some(("SessionStart", "s")));
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
        assert_eq!(copy, expected);
    }
}

//! The table `selection.txt`: which rules and matchers a tool call falls under.

use hookman::chain::condition::{Branch, Condition, Scene};
use hookman::client::{event::Event, matcher::Target, payload::Payload};
use serde_json::{Value, json};

/// What a hook is chosen by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Chooser {
    /// The `matcher` of its group.
    Matcher(String),
    /// Its `if`.
    If(String),
}

/// A tool call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    /// The tool.
    pub(crate) tool: String,
    /// Its input.
    pub(crate) input: Value,
}

/// One row.
#[derive(Debug)]
pub(crate) struct Row {
    /// The line's number, from 1.
    pub(crate) line: usize,
    /// What chooses.
    pub(crate) chooser: Chooser,
    /// What is chosen for.
    pub(crate) call: Call,
    /// Whether the newest client runs the hook, and whether the oldest does.
    pub(crate) runs: [bool; 2],
    /// Whether hookman does otherwise than the newest, for a reason given in the file.
    pub(crate) differs: bool,
}

pub(crate) const TEXT: &str = include_str!("selection.txt");

/// Reads the table; a line that cannot be read is an error that names it.
pub(crate) fn rows() -> Vec<Row> {
    let mut chooser = None;
    let mut rows = Vec::new();
    for (index, line) in TEXT.lines().enumerate() {
        let line_number = index + 1;
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(text) = line.strip_prefix("matcher ") {
            chooser = Some(Chooser::Matcher(text.to_owned()));
        } else if let Some(text) = line.strip_prefix("if ") {
            chooser = Some(Chooser::If(text.to_owned()));
        } else {
            let read = chooser.clone().and_then(|chooser| row(line_number, chooser, line));
            rows.push(read.unwrap_or_else(|| panic!("line {line_number} is no row: {line}")));
        }
    }
    rows
}

fn row(line: usize, chooser: Chooser, text: &str) -> Option<Row> {
    let (marks, call) = text.trim_start().split_once("  ")?;
    let (marks, differs) = match marks.strip_suffix('!') {
        Some(marks) => (marks, true),
        None => (marks, false),
    };
    let (newest, oldest) = marks.split_once('/').unwrap_or((marks, marks));
    let mark = |mark: &str| match mark {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    };
    let (tool, input) = call.trim_start().split_once(' ')?;
    let call = if tool == "$" {
        Call { tool: "Bash".to_owned(), input: json!({ "command": input, "description": "d" }) }
    } else {
        Call { tool: tool.to_owned(), input: serde_json::from_str(input).ok()? }
    };
    Some(Row { line, chooser, call, runs: [mark(newest)?, mark(oldest)?], differs })
}

/// Whether hookman runs a hook for a call, in a session that began in `project`.
pub(crate) fn hookman_runs(chooser: &Chooser, call: &Call, project: &str, home: &str) -> bool {
    let fill = |text: &str| text.replace("@PROJECT@", project).replace("@HOME@", home);
    let input: Value = serde_json::from_str(&fill(&call.input.to_string())).expect("it was JSON");
    let payload = json!({
        "hook_event_name": "PreToolUse", "tool_name": call.tool, "tool_input": input, "cwd": project,
    });
    let text = payload.to_string();
    let payload = Payload::strict(&text).expect("it was a payload");
    match chooser {
        Chooser::Matcher(text) => Target::of(Event::PreToolUse, &payload).is_hit_by(text),
        Chooser::If(text) => {
            let condition =
                Condition { rule: Some(fill(text).into()), when: None, hosts: Vec::new() };
            condition.unmet(&payload, &Places { project, home }).is_none()
        }
    }
}

/// Where a session runs.
struct Places<'a> {
    project: &'a str,
    home: &'a str,
}

impl Scene for Places<'_> {
    fn host(&self) -> &'static str {
        "claude"
    }

    fn variable(&self, name: &str) -> Option<String> {
        match name {
            "CLAUDE_PROJECT_DIR" => Some(self.project.to_owned()),
            "HOME" => Some(self.home.to_owned()),
            _ => None,
        }
    }

    fn machine(&self) -> String {
        String::new()
    }

    fn system(&self) -> &'static str {
        "linux"
    }

    fn branch(&self, _: &str) -> Branch {
        Branch::Absent
    }
}

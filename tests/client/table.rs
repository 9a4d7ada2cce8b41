//! The table `selection.txt`: which rules and matchers a tool call falls under.

use hookman::client::{
    event::Event,
    matcher,
    permission_rule::{Anchors, Rule},
};
use serde_json::{Value, json, value::RawValue};

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
    let input = fill(&call.input.to_string());
    let input: &RawValue = serde_json::from_str(&input).expect("the input was JSON");
    let anchors = Anchors { cwd: project, project, home };
    match chooser {
        Chooser::Matcher(text) => matcher::matches(Some(text), Event::PreToolUse, Some(&call.tool)),
        Chooser::If(text) => {
            let text = fill(text);
            Rule::parse(&text).is_some_and(|rule| rule.matches(&call.tool, Some(input), anchors))
        }
    }
}

//! The settings engine, case by case: each text in `tests/settings` holds a file before, the wanted
//! registrations and what has to come of them.
//!
//! A line `=== NAME` begins a part. What follows it is the part to the byte, but for `, empty` and
//! `, without a last newline` behind the name.

#![cfg(test)]

pub(crate) mod random;

use std::{fmt::Write as _, fs};

use hookman::settings::{Plan, Record, Registration, plan};
use serde_json::Value;

use crate::expected;

/// A case: its parts by name, and what goes wrong in it.
struct Case {
    parts: Vec<(String, String)>,
    failures: Vec<&'static str>,
}

impl Case {
    fn parse(text: &str) -> Self {
        let mut parts: Vec<(String, String)> = Vec::new();
        for line in text.split_inclusive('\n') {
            match line.strip_prefix("=== ") {
                Some(title) => parts.push((title.trim_end().to_owned(), String::new())),
                None => parts.last_mut().expect("a case begins with a part").1.push_str(line),
            }
        }
        for (title, body) in &mut parts {
            let name = title.split_once(", ");
            let Some((name, form)) = name.map(|(name, form)| (name.to_owned(), form)) else {
                continue;
            };
            assert!(matches!(form, "empty" | "without a last newline"), "{form}");
            body.pop();
            *title = name;
        }
        Self { parts, failures: Vec::new() }
    }

    fn part(&self, name: &str) -> Option<&str> {
        self.parts.iter().find(|(title, _)| title == name).map(|(_, body)| &**body)
    }

    /// The case with what comes of it.
    fn played(mut self) -> String {
        let before = self.part("before").map(str::to_owned);
        let lines = self.part("wanted").unwrap_or_default().lines();
        let wanted: Vec<Registration> =
            lines.map(|line| serde_json::from_str(line).unwrap()).collect();
        let record = self
            .part("record")
            .map_or_else(Record::default, |text| serde_json::from_str(text).unwrap());
        let mut text = String::new();
        for name in ["before", "wanted", "record"] {
            write_part(&mut text, name, self.part(name));
        }
        match plan(before.as_deref(), &wanted, &record) {
            Err(refusal) => write_part(&mut text, "refusal", Some(&format!("{refusal}\n"))),
            Ok(plan) => {
                self.check(&plan, &wanted);
                write_part(&mut text, "plan", Some(&shown(&plan)));
                write_part(&mut text, "after", plan.after.as_deref());
                self.write_removal(&mut text, &plan);
            }
        }
        for failure in self.failures {
            writeln!(text, "=== wrong: {failure}").unwrap();
        }
        text
    }

    /// The patch leads to the text, what is changed is there, and planning again finds nothing to do.
    fn check(&mut self, first: &Plan, wanted: &[Registration]) {
        if let (Some(before), Some(after)) =
            (value(self.part("before")), value(first.after.as_deref()))
        {
            let mut patched = before.clone();
            json_patch::patch(&mut patched, &first.patch()).unwrap();
            if patched != after {
                self.failures.push("the patch does not lead to the text");
            }
            let mut old = first.changes.iter().map(|it| (&it.pointer, &it.before));
            if !old.all(|(at, old)| old.is_none() || before.pointer(at) == old.as_ref()) {
                self.failures.push("a change names another value before");
            }
        }
        let second = plan(first.after.as_deref(), wanted, &first.record).unwrap();
        let idle = second.is_empty() && second.changes.is_empty() && second.record == first.record;
        if !idle || second.summary() != "nothing to do" {
            self.failures.push("a second plan changes something");
        }
    }

    /// Removal gives the original bytes, or those that the case names, with the reason.
    fn write_removal(&mut self, text: &mut String, first: &Plan) {
        let removal = plan(first.after.as_deref(), &[], &first.record).unwrap();
        if removal.record != Record::default() {
            self.failures.push("a record is left after the removal");
        }
        if let Some(reason) = self.part("not back") {
            write_part(text, "not back", Some(reason));
            write_part(text, "removed", removal.after.as_deref());
        } else if removal.after.as_deref() != self.part("before") {
            write_part(text, "removed", removal.after.as_deref());
            self.failures.push("the removal does not give the text before");
        }
    }
}

/// A text as serde reads it; none where it has a number that is too large for that.
fn value(text: Option<&str>) -> Option<Value> {
    let text = text.unwrap_or_default().trim_start_matches('\u{feff}').trim();
    serde_json::from_str(if text.is_empty() { "{}" } else { text }).ok()
}

fn write_part(text: &mut String, name: &str, body: Option<&str>) {
    let Some(body) = body else { return };
    let (form, end) = match body {
        "" if name == "wanted" => ("", ""),
        "" => (", empty", ""),
        _ if body.ends_with('\n') => ("", ""),
        _ => (", without a last newline", "\n"),
    };
    write!(text, "=== {name}{form}\n{body}{end}").unwrap();
}

/// The plan without what the text after says.
fn shown(plan: &Plan) -> String {
    let mut text = plan.summary() + "\n";
    for change in &plan.changes {
        let action = serde_json::to_value(change.action).unwrap();
        writeln!(text, "{} {}", action.as_str().unwrap(), change.pointer).unwrap();
    }
    writeln!(text, "record {}", serde_json::to_string(&plan.record).unwrap()).unwrap();
    text
}

#[test]
fn cases() {
    let paths =
        expected::entries("tests/settings", |it| it.extension().is_some_and(|it| it == "txt"));
    assert!(paths.len() >= 130, "only {} cases were found", paths.len());
    let difference = |path: &std::path::PathBuf| {
        let played = Case::parse(&fs::read_to_string(path).unwrap()).played();
        expected::difference(path, Some(&played))
    };
    expected::none(paths.iter().filter_map(difference).collect());
}

//! Mistakes that are known by how they are written; `mistakes.toml` has them.

use regress::{Match, Regex};
use serde::Deserialize;

use super::command::{Around, Command, Fault, Kind, Line, Weight, blocks};
use crate::client::event::{Event, PlainText};

/// So many bytes of a script are looked at.
const MOST: usize = 16 << 10;

#[derive(Deserialize)]
struct Table {
    mistake: Vec<Row>,
}

/// A mistake, in the form of `mistakes.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    kind: String,
    #[serde(default)]
    weight: String,
    #[serde(default)]
    on: String,
    #[serde(default)]
    line: bool,
    #[serde(default)]
    dash: bool,
    has: String,
    #[serde(default)]
    lacks: String,
    says: String,
    fix: String,
}

/// The table of mistakes, read once.
pub(super) struct Mistakes(Vec<(Row, Regex, Option<Regex>)>);

impl Mistakes {
    pub(super) fn new() -> Self {
        let table = toml::from_str(include_str!("mistakes.toml"));
        let rows = table.map_or_else(|_| Vec::new(), |table: Table| table.mistake);
        let regex = |text: &str| Regex::with_flags(text, "m").ok();
        let read = |row: Row| {
            let has = regex(&row.has)?;
            Some((has, if row.lacks.is_empty() { None } else { Some(regex(&row.lacks)?) }, row))
        };
        Self(rows.into_iter().filter_map(read).map(|(has, lacks, row)| (row, has, lacks)).collect())
    }

    /// The faults of a script of a command, or of its line.
    pub(super) fn of(&self, command: &Command<'_>, around: &Around, text: &str) -> Vec<Fault> {
        if text.len() > MOST {
            return Vec::new();
        }
        let is_line = matches!(command.line, Line::Shell(line) if line == text);
        let first = text.lines().next().filter(|line| line.starts_with("#!"));
        let code = first.into_iter().chain(super::denials::code(text));
        let code = code.collect::<Vec<&str>>().join("\n");
        let found = self.0.iter().filter_map(|(row, has, lacks)| {
            let may_be = (is_line || !row.line)
                && (around.sh_is_dash || !row.dash)
                && !(command.is_closed && row.on == "gates")
                && command.events.iter().all(|event| is_on(*event, &row.on));
            let found = may_be.then(|| has.find(&code)).flatten()?;
            let is_there = lacks.as_ref().is_none_or(|it| it.find(&code).is_none());
            is_there.then(|| row.fault(&found, &code))
        });
        let mut found: Vec<Fault> = found.collect();
        // Of rows that say the same the first counts.
        found.dedup_by(|one, other| one.message == other.message);
        found
    }
}

fn is_on(event: Event, on: &str) -> bool {
    match on {
        "" => true,
        "gates" => blocks(event),
        "unread" => event.facts().plain_text == PlainText::Ignored,
        "prompts" => matches!(event, Event::UserPromptSubmit | Event::SessionStart),
        name => event.name() == name,
    }
}

impl Row {
    fn fault(&self, found: &Match, code: &str) -> Fault {
        let group = found.groups().skip(1).flatten().next().map(|range| &code[range]);
        let filled = |text: &str| text.replace("$1", group.unwrap_or_default());
        let kind = if self.kind == "input" { Kind::Input } else { Kind::Answer };
        let weight = if self.weight == "hint" { Weight::Hints } else { Weight::Risks };
        Fault::new(kind, weight, filled(&self.says), filled(&self.fix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_can_be_read() {
        let rows = include_str!("mistakes.toml").matches("[[mistake]]").count();
        assert_eq!(Mistakes::new().0.len(), rows);
    }
}

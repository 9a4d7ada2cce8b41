//! Mistakes that are known by how they are written; `mistakes.toml` has them.

use std::sync::LazyLock;

use regress::{Match, Regex};
use serde::Deserialize;

use super::command::{Around, Command, Fault, Kind, Weight, blocks};
use crate::client::event::Event;
use crate::client::unheard::refuses;

/// So many bytes of a script are looked at.
const MOST: usize = 16 << 10;

#[derive(Default, Deserialize)]
struct Table {
    excuses: String,
    mistake: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    kind: Kind,
    weight: Option<Weight>,
    #[serde(default)]
    on: String,
    #[serde(default)]
    system: String,
    #[serde(default)]
    line: bool,
    #[serde(default)]
    dash: bool,
    #[serde(default)]
    says_no: bool,
    has: String,
    lacks: Option<String>,
    says: String,
    fix: String,
    notice: Option<String>,
}

static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(include_str!("mistakes.toml")).unwrap_or_default());

pub(super) struct Mistakes {
    excuses: Option<Regex>,
    rows: Vec<(&'static Row, Regex, Option<Regex>)>,
}

impl Mistakes {
    pub(super) fn new() -> Self {
        let regex = |text: &str| Regex::with_flags(text, "m").ok();
        let read = |row: &'static Row| {
            let has = regex(&row.has)?;
            let lacks = match &row.lacks {
                Some(lacks) => Some(regex(lacks)?),
                None => None,
            };
            Some((row, has, lacks))
        };
        Self {
            excuses: regex(&TABLE.excuses),
            rows: TABLE.mistake.iter().filter_map(read).collect(),
        }
    }

    /// The faults of a script of a command, or of its line.
    pub(super) fn of(&self, command: &Command, around: &Around, text: &str) -> Vec<Fault> {
        if text.len() > MOST {
            return Vec::new();
        }
        let is_line = command.text() == Some(text);
        let first = text.lines().next().filter(|line| line.starts_with("#!"));
        let code = first.into_iter().chain(super::denials::code(text));
        let code = code.collect::<Vec<&str>>().join("\n");
        let excuses = |text: &str| self.excuses.as_ref().is_some_and(|it| it.find(text).is_some());
        let found = self.rows.iter().filter_map(|(row, has, lacks)| {
            // What a line prints is known from what it runs.
            let may_be = (is_line || !row.line)
                && (around.sh_is_dash || !row.dash)
                && ["", std::env::consts::OS].contains(&&*row.system)
                && !(command.is_closed && row.on == "gates")
                && (row.on.is_empty() || !command.is_async)
                && command.events.iter().all(|event| is_on(*event, &row.on));
            let weight = row.weight.unwrap_or(Weight::Risks);
            let weighed = |found: Match| {
                let text = &code[found.range()];
                match row.says_no {
                    true if refuses(text) && !is_line => Some((Weight::Risks, found)),
                    true if !refuses(text) && excuses(text) => None,
                    _ => Some((weight, found)),
                }
            };
            let found = may_be.then(|| has.find_iter(&code).filter_map(weighed))?;
            // The first of the heaviest.
            let (weight, found) = found.reduce(|one, it| if it.0 > one.0 { it } else { one })?;
            let is_there = lacks.as_ref().is_none_or(|it| it.find(&code).is_none());
            is_there.then(|| row.fault(weight, &found, &code))
        });
        found.collect()
    }
}

fn is_on(event: Event, on: &str) -> bool {
    match on {
        "" => true,
        "gates" => blocks(event),
        "prompts" => matches!(event, Event::UserPromptSubmit | Event::SessionStart),
        name => event.name() == name,
    }
}

impl Row {
    fn fault(&'static self, weight: Weight, found: &Match, code: &str) -> Fault {
        let group = found.groups().skip(1).flatten().next().map(|range| &code[range]);
        let filled = |text: &str| text.replace("$1", group.unwrap_or_default());
        let notice = self.notice.as_deref();
        let fault = Fault::new(self.kind, weight, filled(&self.says), filled(&self.fix));
        Fault { notice, ..fault }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_can_be_read() {
        let rows = include_str!("mistakes.toml").matches("[[mistake]]").count();
        let mistakes = Mistakes::new();
        assert!(mistakes.excuses.is_some());
        assert_eq!(mistakes.rows.len(), rows);
    }
}

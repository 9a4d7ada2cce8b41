//! The options of `rules`.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::builtin::options::{check_rules, suggestion};
use crate::builtin::tool_pattern::ToolPattern;
use crate::builtin::values::TimeSpan;
use crate::builtin::workflow::Source;
use crate::builtin::{Level, OptionProblem, kind};
use crate::client::event::Facts;
use crate::client::{Block, Event, PlainText, Subject};

/// Rules that say when a call is stopped or the model gets advice.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Options {
    /// The state that rules and messages read.
    pub state: Source,
    /// Calls that no rule of this hook stops, on top of each rule's own.
    pub allow: Vec<ToolPattern>,
    /// The calls that `count_is` and `count_from` count.
    pub count: Count,
    /// The size of the model's context in tokens, for `context_from`. Without it 1,000,000 for a model
    /// whose name ends in `[1m]` and in a session that has used more than 200,000, and 200,000 for
    /// every other.
    pub window: Option<u64>,
    /// Calls that set names of the session's state, as `hookman state set` does, in the workflow's file where
    /// `state` names one.
    pub sets: Vec<Sets>,
    /// When a session starts, is resumed or was compacted, names of the state that have one of these values
    /// get back their previous values; in a file, `lifecycle` becomes `active` where none is known.
    pub resets: BTreeMap<String, Vec<String>>,
    /// Other numbers for rules, by their `id`, instead of `context_from`, `count_from` or
    /// `count_is`, as in `{ full = 0.9 }`.
    pub from: BTreeMap<String, f64>,
    /// The rules. A manifest that sets them replaces all of them.
    pub rules: Vec<Rule>,
    /// Rules to add to those there are.
    pub extra_rules: Vec<Rule>,
}

/// The calls that are counted.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Count {
    /// The calls that count; none means that nothing is counted.
    pub calls: Vec<ToolPattern>,
    /// A call of one of these sets the count back to 0, and passes.
    pub reset: Vec<ToolPattern>,
    /// Calls that pass and are not counted.
    pub free: Vec<ToolPattern>,
    /// The hook counts nothing while a name of the state has one of these values, or while the
    /// state file that `state` names is missing.
    pub pause: BTreeMap<String, Vec<String>>,
    /// Edits of one file in a row count once.
    pub same_file_once: bool,
}

/// A value that calls set.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Sets {
    /// The calls.
    pub calls: Vec<ToolPattern>,
    /// The names and their values.
    pub state: BTreeMap<String, String>,
}

/// One rule: a condition, and what follows when it is met.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    /// The name that the log and other rules' messages use.
    pub id: String,
    /// When the rule applies; all that is given must be met.
    #[serde(default)]
    pub when: When,
    /// The reaction: `advise` tells the model, `ask` asks the user, `block` denies.
    #[serde(default = "advise")]
    pub level: Level,
    /// The calls that pass although the rule applies.
    #[serde(default)]
    pub allow: Vec<ToolPattern>,
    /// The message; `$name` is a field of the payload or a name of the state, `$tool_input.file_path` a
    /// field inside one, `$file.stem` the name of the call's file without its ending, `$file.folder` that of
    /// its folder, and `$set.lifecycle.active` says how that name gets that value.
    pub message: String,
    /// Files whose text goes with the advice, each once in a session.
    #[serde(default)]
    pub preload: Vec<String>,
    /// The message is given once in a session, and an advice again after a compaction where the hook
    /// runs for `SessionStart`; a block then lets the retry through.
    #[serde(default)]
    pub once: bool,
    /// With `once`, the message is given once for each file that calls name.
    #[serde(default)]
    pub once_per_file: bool,
    /// Rules with a lower number come first.
    #[serde(default)]
    pub priority: i64,
}

fn advise() -> Level {
    Level::Advise
}

/// For which agents a rule is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Agents {
    /// The main agent and subagents.
    #[default]
    All,
    /// The main agent alone.
    Main,
    /// Subagents alone.
    Sub,
}

/// The condition of a rule.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct When {
    /// The call is one of these.
    pub tools: Vec<ToolPattern>,
    /// The tool's input, as JSON text, contains one of these texts.
    pub input_has: Vec<String>,
    /// The prompt contains one of these texts; case makes no difference.
    pub prompt_has: Vec<String>,
    /// A name of the state has one of these values; `*` is any text except an empty one.
    pub state: BTreeMap<String, Vec<String>>,
    /// A name of the state has none of these values.
    pub state_not: BTreeMap<String, Vec<String>>,
    /// A name of the state contains one of these texts.
    pub state_has: BTreeMap<String, Vec<String>>,
    /// A name of the state is at least this number, as in `"10"`, or at least the number in another
    /// name of the state. `counter NAME` is a counter of `hookman state counter`.
    pub state_from: BTreeMap<String, String>,
    /// At least this share of the context window is used, from 0 to 1.
    pub context_from: Option<f64>,
    /// The count is at least this.
    pub count_from: Option<u64>,
    /// A name of the state with a number to use instead of `count_from`.
    pub count_from_state: Option<String>,
    /// The count is exactly this.
    pub count_is: Option<u64>,
    /// The time of day is in this span, which may go past midnight.
    pub time: Option<TimeSpan>,
    /// For which agents the rule is.
    pub agents: Agents,
}

impl Options {
    pub(super) fn all(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().chain(&self.extra_rules)
    }
}

impl When {
    /// The key that is never met where the hook runs for these events alone, and why.
    fn never_met(&self, events: &[Event]) -> Option<(&'static str, &'static str)> {
        let has = |is_meant: fn(Event) -> bool| events.iter().any(|event| is_meant(*event));
        let has_prompts =
            has(|event| matches!(event, Event::UserPromptSubmit | Event::UserPromptExpansion));
        if !self.prompt_has.is_empty() && !has_prompts {
            let why = "never matches: the hook runs at no prompt; give it \
                       `event = \"UserPromptSubmit\"`";
            return Some(("prompt_has", why));
        }
        let of_calls = [("tools", self.tools.is_empty()), ("input_has", self.input_has.is_empty())];
        if let Some((key, _)) = of_calls.iter().find(|(_, none)| !*none)
            && !has(|event| event.facts().subject == Subject::Tool)
        {
            return Some((key, "never matches: the hook runs at no tool call"));
        }
        let is_counted = has(|event| event == Event::PreToolUse);
        let key = self.counted().filter(|_| !is_counted)?;
        Some((
            key,
            "never matches: calls are counted at `PreToolUse`, for which the hook does not run",
        ))
    }

    /// A key that needs a count, if one is there.
    fn counted(&self) -> Option<&'static str> {
        let keys = [
            ("count_is", self.count_is.is_some()),
            ("count_from", self.count_from.is_some()),
            ("count_from_state", self.count_from_state.is_some()),
        ];
        keys.into_iter().find(|(_, is_given)| *is_given).map(|(key, _)| key)
    }
}

/// Explains why a level does nothing where the hook runs for these events alone.
fn no_effect(level: Level, events: &[Event]) -> Option<&'static str> {
    let can = |is_able: fn(&Facts) -> bool| events.iter().any(|event| is_able(event.facts()));
    let tells = |facts: &Facts| {
        matches!(facts.plain_text, PlainText::Context | PlainText::Steers)
            || facts.specific.contains(&"additionalContext")
    };
    let (has_effect, why) = match level {
        Level::Off => return None,
        Level::Advise => (can(tells), "the model reads nothing at the events of the hook"),
        Level::Ask => (
            can(|facts| facts.block == Block::Permission),
            "the user can be asked only about calls; give the hook `event = \"PreToolUse\"`",
        ),
        Level::OneStrike | Level::Block => (
            can(|facts| facts.block != Block::Never),
            "nothing can be stopped at the events of the hook",
        ),
    };
    (!has_effect).then_some(why)
}

/// The key of a condition that `from` sets.
const NUMBERS: [&str; 3] = ["context_from", "count_from", "count_is"];

impl kind::Options for Options {
    fn compile(&self, mut written: Map<String, Value>) -> Map<String, Value> {
        written.shift_remove("from");
        for list in ["rules", "extra_rules"] {
            let rules = written.get_mut(list).and_then(Value::as_array_mut);
            for rule in rules.into_iter().flatten() {
                let number = rule["id"].as_str().and_then(|id| self.from.get(id));
                let when = rule.get_mut("when").and_then(Value::as_object_mut);
                let (Some(number), Some(when)) = (number, when) else { continue };
                if let Some(key) = NUMBERS.iter().find(|key| when.contains_key(**key)) {
                    // A count is a whole number, as was checked.
                    #[expect(clippy::cast_possible_truncation, reason = "it is a whole number")]
                    let count = *number as i64;
                    let value =
                        if *key == "context_from" { (*number).into() } else { count.into() };
                    when.insert((*key).to_owned(), value);
                }
            }
        }
        written
    }

    fn check(&self) -> Result<(), OptionProblem> {
        for (id, number) in &self.from {
            let rule = self.all().find(|rule| rule.id == *id);
            let Some(when) = rule.map(|rule| &rule.when) else {
                let known = self.all().map(|rule| rule.id.as_str());
                let hint = suggestion(id, known);
                return refused(&["from", id], &format!("no rule has this `id`{hint}"));
            };
            let is_share = when.context_from.is_some();
            if !is_share && when.count_from.is_none() && when.count_is.is_none() {
                return refused(&["from", id], "the rule has no number to replace");
            }
            let fits = if is_share {
                (0.0..=1.0).contains(number)
            } else {
                *number >= 1.0 && number.fract() == 0.0
            };
            if !fits {
                let what =
                    if is_share { "a share from 0 to 1" } else { "a whole number from 1 on" };
                return refused(&["from", id], &format!("expected {what}, found {number}"));
            }
        }
        if self.window == Some(0) {
            return Err(OptionProblem::at(&["window"], "expected a number of tokens above 0"));
        }
        let mut ids = BTreeSet::new();
        check_rules(&self.rules, &self.extra_rules, |rule| {
            if rule.id.is_empty() || !ids.insert(rule.id.clone()) {
                return refused(&["id"], "expected a name that no other rule of the hook has");
            }
            if rule.message.is_empty() {
                return refused(&["message"], "expected what is to be said");
            }
            if rule.level != Level::Advise && !rule.preload.is_empty() {
                return refused(&["preload"], "only advice can include files");
            }
            if let Some(key) = rule.when.counted().filter(|_| self.count.calls.is_empty()) {
                return refused(&["when", key], "nothing is counted; set `count.calls`");
            }
            if let Some(share) = rule.when.context_from.filter(|it| !(0.0..=1.0).contains(it)) {
                let message = format!("expected a share from 0 to 1, found {share}");
                return refused(&["when", "context_from"], &message);
            }
            Ok(())
        })
    }

    fn suits(&self, events: &[Event]) -> Result<(), OptionProblem> {
        check_rules(&self.rules, &self.extra_rules, |rule| {
            if let Some((key, message)) = rule.when.never_met(events) {
                return refused(&["when", key], message);
            }
            no_effect(rule.level, events).map_or(Ok(()), |message| refused(&["level"], message))
        })
    }

    fn check_written(written: &Map<String, Value>) -> Result<(), OptionProblem> {
        for (list, index, rule) in written_rules(written) {
            let Some(when) = rule.get("when").and_then(Value::as_object) else { continue };
            let index = index.to_string();
            if when.is_empty() {
                return refused(
                    &[list, &index, "when"],
                    "names nothing; leave it out for a rule that always applies",
                );
            }
            if let Some((key, _)) = when.iter().find(|(_, value)| is_empty(value)) {
                return refused(&[list, &index, "when", key], "names nothing; leave it out");
            }
        }
        Ok(())
    }
}

fn refused<T>(path: &[&str], message: &str) -> Result<T, OptionProblem> {
    Err(OptionProblem::at(path, message))
}

fn written_rules(written: &Map<String, Value>) -> impl Iterator<Item = (&str, usize, &Value)> {
    ["rules", "extra_rules"].into_iter().flat_map(|list| {
        let rules = written.get(list).and_then(Value::as_array).into_iter().flatten();
        rules.enumerate().map(move |(index, rule)| (list, index, rule))
    })
}

/// Returns whether a list or table has nothing in it, or a list in it has nothing.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty() || fields.values().any(is_empty),
        _ => false,
    }
}

//! The options as catalogue and manifest write them, and their way into the runtime's form.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::prefilter;
use crate::builtin::kind;
use crate::builtin::legacy;
use crate::builtin::options::{OptionProblem, check_rules, suggestion};
use crate::builtin::values::{self, Level, Period};

/// The commands that a guard stops, and the way that it does.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Options {
    /// The reaction to a command that a rule without a level of its own finds.
    level: Level,
    /// The level rule by rule, by id.
    levels: BTreeMap<String, Level>,
    /// The least level of a category's rules: `off` switches all of them off, any other level also
    /// switches those on that are off by default.
    categories: BTreeMap<String, Level>,
    /// True if every rule that is not off blocks, whatever its level.
    careful: bool,
    /// Names of files and directories that may always be deleted, in place of `@allowed` in a rule.
    allow: Vec<String>,
    /// The time that a warning of the level `one-strike` counts.
    forget_after: Period,
    /// True if every subagent is warned again.
    per_agent: bool,
    /// A file that a script makes when it warned: with
    /// `/tmp/claude-hook-warned-{CLAUDE_SUPERVISOR_PID}-pattern-{pattern}` that counts as a warning here, for
    /// as long as `forget_after`, and whoever can make that file can spare the warning. `{pattern}` is the
    /// number of the rule's id in `legacy_ids`, from 0. `{cwd}`, `{project}`, `{home}`, `{session}`,
    /// `{transcript}` without its ending and variables of the environment are filled in.
    legacy_file: String,
    /// The ids that `{pattern}` counts; those of all rules where it is empty.
    legacy_ids: Vec<String>,
    /// Rules to leave out, by id.
    skip: Vec<String>,
    /// The rules. A manifest that sets them replaces all of them.
    rules: Vec<Rule>,
    /// Rules to add to those there are.
    extra_rules: Vec<Rule>,
    /// For each program the options before a subcommand that take the next word as their value.
    globals: BTreeMap<String, Vec<String>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            level: Level::OneStrike,
            levels: BTreeMap::new(),
            categories: BTreeMap::new(),
            careful: false,
            allow: Vec::new(),
            forget_after: Period::seconds(24 * 60 * 60),
            per_agent: false,
            legacy_file: String::new(),
            legacy_ids: Vec::new(),
            skip: Vec::new(),
            rules: Vec::new(),
            extra_rules: Vec::new(),
            globals: BTreeMap::new(),
        }
    }
}

/// The commands that a rule finds. Rules that share an id are one rule in several forms.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of a rule")]
pub(super) struct Rule {
    /// The name that `skip`, `levels` and messages use.
    pub(super) id: String,
    /// The set of rules that `categories` switches on, off or up.
    #[serde(default)]
    pub(super) category: String,
    /// The program, or several with `|` between them; `*` at the end is any rest.
    pub(super) program: String,
    /// The words after the program and its own options; `a|b` is either of them.
    #[serde(default)]
    pub(super) subcommand: String,
    /// One of these words must be given before the subcommand.
    #[serde(default)]
    pub(super) before: Vec<String>,
    /// One of these flags must be given.
    #[serde(default)]
    pub(super) flags: Vec<String>,
    /// Each of these flags must be given; spellings of one have `|` between them.
    #[serde(default)]
    pub(super) all_flags: Vec<String>,
    /// One of these operands must be given; `*` is anything. `@here` is all of this directory or
    /// what is above it, `@system` the system's directories, `@home` a whole home; there are also
    /// `@git`, `@secret`, `@sent`, `@database`, `@device`, `@pattern`, `@temporary`, `@mutation` and `@any`.
    #[serde(default)]
    pub(super) operands: Vec<String>,
    /// None of these words may be given.
    #[serde(default)]
    pub(super) without: Vec<String>,
    /// The number of operands that must at least be given.
    #[serde(default)]
    pub(super) least: usize,
    /// True if `--` with operands after it must be given.
    #[serde(default)]
    pub(super) separator: bool,
    /// True if the call must be about git's default branch.
    #[serde(default)]
    pub(super) default_branch: bool,
    /// True if an operand, or what follows its `of=`, must be a file that is there.
    #[serde(default)]
    pub(super) existing: bool,
    /// True if the only operand must be a file or directory that is there, and no branch or tag.
    #[serde(default)]
    pub(super) file: bool,
    /// Flags that take the next word as their value; `--*` is each long one.
    #[serde(default)]
    pub(super) values: Vec<String>,
    /// Each of these flags spares the command.
    #[serde(default)]
    pub(super) except_flags: Vec<String>,
    /// Each of these as the first operand spares the command.
    #[serde(default)]
    pub(super) except_subcommands: Vec<String>,
    /// Names or sets such as `@temporary` that spare the command when every operand ends in one. A kind, as
    /// `=ns`, spares it with another operand behind it alone.
    #[serde(default)]
    pub(super) except_operands: Vec<String>,
    /// This rule's own level.
    #[serde(default)]
    pub(super) level: Option<Level>,
    /// The effect of the command, after `it`, and why it cannot be undone.
    pub(super) what: String,
    /// The alternative, after `Safer:`.
    #[serde(default)]
    pub(super) instead: String,
    /// A command that it finds, for lists of the rules.
    #[serde(default)]
    pub(super) example: String,
}

impl Options {
    pub(super) fn all(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().chain(&self.extra_rules)
    }

    fn unknown(&self, id: &str) -> Option<String> {
        let known = self.all().map(|rule| rule.id.as_str());
        let is_known = self.all().any(|rule| rule.id == *id);
        (!is_known).then(|| format!("no rule has the id `{id}`{}", suggestion(id, known)))
    }
}

impl Options {
    /// A rule's level where it is not that of all: its own by id, else at least its category's.
    fn level_of(&self, rule: &Rule) -> Option<Level> {
        if let Some(level) = self.levels.get(&rule.id) {
            return Some(*level);
        }
        match self.categories.get(&rule.category) {
            Some(Level::Off) => Some(Level::Off),
            Some(least) => Some(rule.level.unwrap_or(self.level).max(*least)),
            None => rule.level,
        }
    }

    pub(super) fn level_in_force(&self, rule: &Rule) -> Level {
        let is_skipped = self.skip.contains(&rule.id);
        let level = self.level_of(rule).unwrap_or(self.level);
        match level {
            Level::Off => Level::Off,
            _ if is_skipped => Level::Off,
            _ if self.careful => Level::Block,
            level => level,
        }
    }

    fn number_of(&self, rule: &Rule) -> Option<usize> {
        if !self.legacy_ids.is_empty() {
            return self.legacy_ids.iter().position(|id| rule.id == *id);
        }
        let before = self.all().map(|rule| rule.id.as_str()).take_while(|id| *id != rule.id);
        Some(before.collect::<BTreeSet<_>>().len())
    }
}

impl kind::Options for Options {
    fn check(&self) -> Result<(), OptionProblem> {
        legacy::check(&self.legacy_file, &["pattern"])?;
        check_rules(&self.rules, &self.extra_rules, Rule::check)?;
        for id in self.levels.keys() {
            if let Some(message) = self.unknown(id) {
                return Err(OptionProblem::at(&["levels", id], message));
            }
        }
        for category in self.categories.keys() {
            let known =
                || self.all().map(|rule| rule.category.as_str()).filter(|it| !it.is_empty());
            if !known().any(|name| name == category) {
                let message = format!(
                    "no rule has the category `{category}`{}",
                    suggestion(category, known())
                );
                return Err(OptionProblem::at(&["categories", category], message));
            }
        }
        for (index, id) in self.skip.iter().enumerate() {
            if let Some(message) = self.unknown(id) {
                return Err(OptionProblem::at(&["skip", &index.to_string()], message));
            }
        }
        Ok(())
    }

    fn compile(&self, _: Map<String, Value>) -> Map<String, Value> {
        let runs = |rule: &&Rule| self.level_in_force(rule) != Level::Off;
        let rules: Vec<&Rule> = self.all().filter(runs).collect();
        let programs = programs(&rules);
        // What the line makes itself may be deleted as well.
        let allow = self.allow.join(" ") + " @made";
        let compact = |rule: &&Rule| {
            let mut compact = rule.compact(self.level_of(rule), &allow);
            let number = self.number_of(rule).filter(|_| !self.legacy_file.is_empty());
            if let Some(number) = number {
                let file = self.legacy_file.replace("{pattern}", &number.to_string());
                compact.insert("legacy".to_owned(), file.into());
            }
            Value::Object(compact)
        };
        let compacts: Vec<Value> = rules.iter().map(compact).collect();
        let is_called = |name: &str| {
            rules.iter().any(|rule| rule.program.split('|').any(|it| it.eq_ignore_ascii_case(name)))
        };
        let globals = self.globals.iter().filter(|(program, _)| is_called(program));
        let globals = globals.map(|(program, options)| {
            let words: Vec<&str> =
                [program].into_iter().chain(options).map(String::as_str).collect();
            Value::String(words.join(" "))
        });
        let mut head = Map::new();
        head.insert("level".into(), name(self.level));
        head.insert("forget_after".into(), self.forget_after.as_seconds().into());
        if self.per_agent {
            head.insert("per_agent".into(), true.into());
        }
        if self.careful {
            head.insert("careful".into(), true.into());
        }
        head.insert("globals".into(), globals.collect());
        head.insert("index".into(), index(&rules, &compacts).into());
        // In the order of the runtime, which asks for no more when a command calls none of the
        // programs, and then only for the rules about those that it calls.
        let mut late = Map::new();
        late.insert("head".into(), head.into());
        late.insert("rules".into(), compacts.into());
        let mut compiled = Map::new();
        compiled.insert("programs".into(), programs.into());
        compiled.insert("late".into(), late.into());
        compiled
    }
}

impl Rule {
    /// The first thing that is wrong, and its key.
    fn check(&self) -> Result<(), OptionProblem> {
        values::check_id(&self.id)?;
        let is_word = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
        for (key, value) in self.written() {
            let texts: Vec<&str> = match &value {
                Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
                Value::String(text) if key == "program" => vec![text],
                _ => continue,
            };
            if let Some(text) = texts.into_iter().find(|text| !is_word(text)) {
                let message = format!("expected a text without blanks, found `{text}`");
                return Err(OptionProblem::at(&[&key], message));
            }
        }
        Ok(())
    }

    fn written(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(keys)) => keys,
            _ => Map::new(),
        }
    }

    /// The rule with its lists as texts, and without what is empty or only for people.
    fn compact(&self, level: Option<Level>, allow: &str) -> Map<String, Value> {
        let mut compact = Map::new();
        for (key, value) in self.written() {
            let value = match value {
                _ if matches!(&*key, "category" | "program" | "example" | "level") => continue,
                Value::Array(items) => {
                    let texts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                    texts.join(" ").replace("@allowed", allow.trim_start()).into()
                }
                value => value,
            };
            if value != "" && value != false && value != 0 {
                compact.insert(key, value);
            }
        }
        compact.extend(level.map(|level| ("level".to_owned(), name(level))));
        compact
    }
}

fn name(level: Level) -> Value {
    serde_json::to_value(level).unwrap_or_default()
}

/// The rules by program, in the form that the runtime reads; each begins one byte behind the one before.
fn index(rules: &[&Rule], compacts: &[Value]) -> Vec<String> {
    let mut letters: BTreeMap<char, BTreeMap<String, String>> = BTreeMap::new();
    let mut start = 0;
    for (rule, compact) in rules.iter().zip(compacts) {
        let words = rule.subcommand.split_whitespace().next().unwrap_or_default();
        let names: BTreeSet<String> =
            rule.program.split('|').map(str::to_ascii_lowercase).collect();
        for name in names {
            let letter = name.chars().next().unwrap_or(',');
            let known = letters.entry(letter).or_default().entry(name).or_default();
            known.extend([" ", words, &format!(":{start}")]);
        }
        start += compact.to_string().len() + 1;
    }
    let of_letter = |names: BTreeMap<String, String>| {
        let texts: Vec<String> = names.into_iter().map(|(name, rules)| name + &rules).collect();
        texts.join(",")
    };
    letters.into_values().map(of_letter).collect()
}

/// The names of which a line must have one for one of the rules, each once.
fn programs(rules: &[&Rule]) -> String {
    let mut programs: Vec<String> = Vec::new();
    for rule in rules {
        let subcommand = rule.subcommand.split_whitespace().next().unwrap_or_default();
        for program in rule.program.split('|') {
            for name in prefilter::names(program, subcommand) {
                if !programs.contains(&name) {
                    programs.push(name);
                }
            }
        }
    }
    prefilter::grouped(&programs)
}

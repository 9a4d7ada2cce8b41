//! The options as catalogue and manifest write them, and their way into the runtime's form.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::files;
use crate::builtin::finding::{self, Listed};
use crate::builtin::kind;
use crate::builtin::options::{self, OptionProblem, check_rules, suggestion};
use crate::builtin::values::{self, Level, Period};
use crate::syntax::lent::Lent;

/// The files that are protected, and the protection.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Options {
    /// The reaction to a call that reads or changes a protected file.
    level: Level,
    /// The level rule by rule, by id.
    levels: BTreeMap<String, Level>,
    /// True if every rule that is not off blocks, whatever its level.
    careful: bool,
    /// Files that are spared whatever the rules say, written as in `rules[].files`.
    allow: Vec<String>,
    /// The time that a warning of the level `one-strike` counts.
    forget_after: Period,
    /// True if every subagent is warned again.
    per_agent: bool,
    /// The rules. A manifest that sets them replaces all of them.
    rules: Vec<Rule>,
    /// Rules to add to those there are.
    extra_rules: Vec<Rule>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            level: Level::Block,
            levels: BTreeMap::new(),
            careful: false,
            allow: Vec::new(),
            forget_after: Period::seconds(24 * 60 * 60),
            per_agent: false,
            rules: Vec::new(),
            extra_rules: Vec::new(),
        }
    }
}

/// A set of files.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Rule {
    /// The name that `levels` and messages use.
    id: String,
    /// Globs for the files: a name or a relative path means it in any directory, `/x` is below
    /// the project, `~/x` below the home, `//x` below the root, `@config/x` below the client's own
    /// directory, and `@state` is hookman's state directory. What hits a directory hits what is in it.
    files: Vec<String>,
    /// Exceptions among these files.
    #[serde(default)]
    except: Vec<String>,
    /// True if the files may not be read either.
    #[serde(default = "is_on")]
    reads: bool,
    /// True if the files may not be removed either.
    #[serde(default = "is_on")]
    removes: bool,
    /// Only changes whose new text has one of these words count.
    #[serde(default)]
    contains: Vec<String>,
    /// This rule's own level.
    #[serde(default)]
    level: Option<Level>,
    /// The reason for the protection, after `a file that`.
    what: String,
    /// The alternative, after `Safer:`.
    #[serde(default)]
    instead: String,
}

fn is_on() -> bool {
    true
}

impl Options {
    fn level(&self, rule: &Rule) -> Level {
        self.levels.get(&rule.id).copied().or(rule.level).unwrap_or(self.level)
    }
}

/// The rules of a hook whose options are written so, in their order; none for what are no such options.
pub(in crate::builtin) fn rules(written: &Map<String, Value>) -> Vec<Listed> {
    let Ok(options) = options::read::<Options>(written) else { return Vec::new() };
    let deed = |rule: &Rule| if rule.reads { "reads or changes" } else { "changes" };
    let listed = |rule: &Rule| Listed {
        id: rule.id.clone(),
        category: String::new(),
        level: options.level(rule),
        what: format!("{} a file that {}", deed(rule), rule.what),
        instead: rule.instead.clone(),
        example: finding::shown(&rule.files.join(", ")),
    };
    options.rules.iter().chain(&options.extra_rules).map(listed).collect()
}

impl kind::Options for Options {
    fn check(&self) -> Result<(), OptionProblem> {
        let all = || self.rules.iter().chain(&self.extra_rules);
        check_rules(&self.rules, &self.extra_rules, Rule::check)?;
        for id in self.levels.keys() {
            if !all().any(|rule| rule.id == *id) {
                let known = all().map(|rule| rule.id.as_str());
                let message = format!("no rule has the id `{id}`{}", suggestion(id, known));
                return Err(OptionProblem::at(&["levels", id], message));
            }
        }
        check_list("allow", &self.allow)
    }

    fn compile(&self, _: Map<String, Value>) -> Map<String, Value> {
        let level = |rule: &Rule| self.level(rule);
        let rules = self.rules.iter().chain(&self.extra_rules);
        let rules: Vec<&Rule> = rules.filter(|rule| level(rule) != Level::Off).collect();
        let mut hints: Vec<String> = Vec::new();
        for glob in rules.iter().flat_map(|rule| &rule.files) {
            for hint in files::hints(glob) {
                if !hints.iter().any(|known| *known == hint) {
                    hints.push(hint.into_owned());
                }
            }
        }
        let mut compiled = Map::new();
        // First, because the runtime reads no further where a call can name none of the files.
        compiled.insert("hints".into(), hints.join("|").into());
        compiled.insert("forget_after".into(), self.forget_after.as_seconds().into());
        compiled.insert("per_agent".into(), self.per_agent.into());
        compiled.insert("careful".into(), self.careful.into());
        compiled.insert("allow".into(), joined(&self.allow).into());
        let rules = rules.into_iter().map(|rule| {
            serde_json::json!({
                "id": rule.id,
                "files": joined(&rule.files),
                "except": joined(&rule.except),
                "reads": rule.reads,
                "removes": rule.removes,
                "contains": rule.contains.join("|"),
                "level": level(rule),
                "what": rule.what,
                "instead": rule.instead,
            })
        });
        compiled.insert("rules".into(), rules.collect());
        compiled
    }
}

impl Rule {
    /// The first thing that is wrong, and its key.
    fn check(&self) -> Result<(), OptionProblem> {
        values::check_id(&self.id)?;
        if self.files.is_empty() {
            return Err(OptionProblem::at(&["files"], "expected at least one file"));
        }
        for (key, list) in
            [("files", &self.files), ("except", &self.except), ("contains", &self.contains)]
        {
            check_list(key, list)?;
        }
        Ok(())
    }
}

fn check_list(key: &str, texts: &[String]) -> Result<(), OptionProblem> {
    match texts.iter().find(|text| text.is_empty() || text.contains(['|', '\n'])) {
        Some(text) => {
            let message = format!("expected texts without `|`, found `{text}`");
            Err(OptionProblem::at(&[key], message))
        }
        None => Ok(()),
    }
}

/// The globs in one text, each with the place at which it begins.
fn joined(globs: &[String]) -> String {
    let globs: Vec<Cow<'_, str>> = globs.iter().map(|glob| files::anchored(glob)).collect();
    globs.join("|")
}

/// The options as [`Options`] compiles them; a list is one text with `|` between its items.
#[derive(Deserialize)]
#[serde(bound = "'de: 'a")]
pub(super) struct Compiled<'a> {
    pub(super) forget_after: u64,
    pub(super) per_agent: bool,
    pub(super) careful: bool,
    pub(super) allow: Lent<'a>,
    pub(super) rules: Vec<Protected<'a>>,
}

#[derive(Deserialize)]
#[serde(bound = "'de: 'a")]
pub(super) struct Protected<'a> {
    pub(super) id: Lent<'a>,
    pub(super) files: Lent<'a>,
    pub(super) except: Lent<'a>,
    pub(super) reads: bool,
    pub(super) removes: bool,
    pub(super) contains: Lent<'a>,
    pub(super) level: Level,
    pub(super) what: Lent<'a>,
    pub(super) instead: Lent<'a>,
}

//! A guard's rules as people read them.

use serde_json::{Map, Value};

use super::options::{Options, Rule};
use crate::builtin::finding::Listed;
use crate::builtin::values::Level;
use crate::builtin::{options, protect};

/// The rules of a command guard or of `protect` whose options are written so, in their order; none for
/// what are no such options.
pub fn rules(written: &Map<String, Value>) -> Vec<Listed> {
    let Ok(options) = options::read::<Options>(written) else { return protect::rules(written) };
    let mut listed: Vec<Listed> = Vec::new();
    for rule in options.all() {
        let level = options.level_in_force(rule);
        match listed.iter_mut().find(|known| known.id == rule.id) {
            // The strictest form speaks for a rule.
            Some(known) if known.level >= level => {}
            Some(known) => *known = of(rule, level),
            None => listed.push(of(rule, level)),
        }
    }
    listed
}

fn of(rule: &Rule, level: Level) -> Listed {
    Listed {
        id: rule.id.clone(),
        category: rule.category.clone(),
        level,
        what: rule.what.clone(),
        instead: rule.instead.clone(),
        example: if rule.example.is_empty() { example(rule) } else { rule.example.clone() },
    }
}

/// A command that has all that a rule wants.
fn example(rule: &Rule) -> String {
    let first = |alternatives: &str| alternatives.split('|').next().unwrap_or_default().to_owned();
    let mut words = vec![first(&rule.program).trim_end_matches(['*', '.']).to_owned()];
    if let Some(before) = rule.before.first() {
        words.extend(["-c".to_owned(), before.clone()]);
    }
    words.extend(rule.subcommand.split_whitespace().map(first));
    words.extend(rule.flags.first().map(|flag| flag.trim_start_matches('=').to_owned()));
    words.extend(rule.all_flags.iter().map(|flag| first(flag)));
    let mut operands = 0;
    if let Some(operand) = rule.operands.first() {
        let is_dd = words[0] == "dd";
        words.push(match operand.as_str() {
            "@here" => ".".to_owned(),
            "@system" => "/etc".to_owned(),
            "@home" => "~".to_owned(),
            "@git" => ".git".to_owned(),
            "@mutation" => "query='mutation { a }'".to_owned(),
            "@secret" => ".env".to_owned(),
            "@database" => "data.sqlite".to_owned(),
            "@device" if is_dd => "of=/dev/sda".to_owned(),
            "@device" => "/dev/sda".to_owned(),
            "@pattern" => "*.txt".to_owned(),
            name => name.replace('*', "name"),
        });
        operands = 1;
    }
    words.extend(rule.default_branch.then(|| "origin main".to_owned()));
    words.extend(rule.separator.then(|| "--".to_owned()));
    let least = rule.least.max(usize::from(rule.separator || !rule.except_operands.is_empty()));
    words
        .extend(["a", "b", "c"].iter().take(least.saturating_sub(operands)).map(|it| (*it).into()));
    words.join(" ")
}

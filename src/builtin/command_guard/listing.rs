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
    let categories: Vec<String> = listed.iter().map(|rule| rule.category.clone()).collect();
    listed.sort_by_key(|rule| categories.iter().position(|name| *name == rule.category));
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

/// The words of a command that a rule without an example may be about.
fn example(rule: &Rule) -> String {
    let alternatives =
        [&rule.program].into_iter().map(|it| &**it).chain(rule.subcommand.split(' '));
    let flags = rule.flags.first().into_iter().chain(&rule.all_flags).map(|flag| &**flag);
    let words = alternatives.chain(flags).filter_map(|words| words.split('|').next());
    let words: Vec<&str> =
        words.map(|it| it.trim_start_matches('=')).filter(|it| !it.is_empty()).collect();
    words.join(" ")
}

//! The cost of hooks, by the journal.

use std::collections::BTreeMap;

use super::check::{Check, Findings};
use super::facts::Facts;
use crate::client::{Event, Subject};

pub(super) const CHECKS: &[Check] = &[
    Check { id: "hook-time", run: hooks },
    Check { id: "event-time", run: chains },
    Check { id: "output-cap", run: output },
];

/// Fewer runs than this say nothing.
const FEW: usize = 5;

/// The microseconds for 95 of 100 runs of a hook that calls or prompts wait for, and of any other.
const BUDGET: [u64; 2] = [500_000, 10_000_000];

fn budget(event: &str) -> u64 {
    BUDGET[usize::from(!Event::from_name(event).is_some_and(is_often))]
}

pub(super) fn is_often(event: Event) -> bool {
    event.facts().subject == Subject::Tool
        || matches!(event, Event::UserPromptSubmit | Event::MessageDisplay)
}

/// The time that 95 of 100 are not above.
fn p95(times: &mut [u64]) -> u64 {
    times.sort_unstable();
    let at = (times.len() * 95).div_ceil(100);
    times.get(at.saturating_sub(1)).copied().unwrap_or_default()
}

fn shown(us: u64) -> String {
    if us >= 1_000_000 {
        format!("{}.{} s", us / 1_000_000, us % 1_000_000 / 100_000)
    } else {
        format!("{} ms", us / 1000)
    }
}

/// The events and names for which 95 of 100 times are above the budget, each with what it takes.
fn slow<'n>(
    times: BTreeMap<(&'n str, &'n str), Vec<u64>>,
) -> impl Iterator<Item = (&'n str, &'n str, String)> {
    times.into_iter().filter_map(|((event, name), mut times)| {
        let (runs, took, budget) = (times.len(), p95(&mut times), budget(event));
        let says = || {
            format!(
                "takes up to {} at {event} in 95 % of its last {runs} runs; the budget is {}",
                shown(took),
                shown(budget)
            )
        };
        (runs >= FEW && took > budget).then(|| (event, name, says()))
    })
}

fn hooks(facts: &Facts, findings: &mut Findings) {
    let mut times: BTreeMap<(&str, &str), Vec<u64>> = BTreeMap::new();
    for entry in facts.client_runs() {
        for step in entry.steps.iter().filter(|step| step.us > 0) {
            times.entry((&entry.event, &step.hook)).or_default().push(step.us);
        }
    }
    for (_, hook, takes) in slow(times) {
        findings.say("hook-slow", facts.journal_place(), &[&hook, &takes]);
    }
}

fn chains(facts: &Facts, findings: &mut Findings) {
    let mut times: BTreeMap<(&str, &str), Vec<u64>> = BTreeMap::new();
    let mut alone: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for entry in facts.client_runs().filter(|entry| entry.only.is_empty()) {
        times.entry((&entry.event, &entry.scope)).or_default().push(entry.us);
        let most = entry.steps.iter().map(|step| step.us).max().unwrap_or_default();
        let known = alone.entry((&entry.event, &entry.scope)).or_default();
        *known = most.max(*known);
    }
    // Where one hook is what takes the time, it was named already.
    times.retain(|of, _| alone.get(of).is_none_or(|most| *most <= budget(of.0)));
    for (_, scope, takes) in slow(times) {
        findings.say("chain-slow", facts.journal_place(), &[&scope, &takes]);
    }
}

/// The bytes from which on a text for the model is nearly more than the client takes over.
const NEAR: usize = 9_000;

fn output(facts: &Facts, findings: &mut Findings) {
    let mut most: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for entry in facts.client_runs() {
        for step in &entry.steps {
            let known = most.entry((&entry.event, &step.hook)).or_default();
            *known = step.size.unwrap_or_default().max(*known);
        }
    }
    for ((event, hook), size) in most.into_iter().filter(|(_, size)| *size > NEAR) {
        findings.say("output-long", facts.journal_place(), &[&hook, &size, &event]);
    }
}

#[cfg(test)]
mod tests {
    use super::p95;

    #[test]
    fn one_of_twenty_may_be_above() {
        assert_eq!(p95(&mut []), 0);
        assert_eq!(p95(&mut [7]), 7);
        let mut times: Vec<u64> = (1..=20).rev().collect();
        assert_eq!(p95(&mut times), 19);
        let mut times: Vec<u64> = (1..=100).collect();
        assert_eq!(p95(&mut times), 95);
    }
}

//! Counts of what hooks did, from the lines of the journal.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use crate::builtin::silence::Silence;
use crate::client::Event;
use crate::state::journal::{Entry, StepEntry, WOULD};

const FAILURES: [&str; 6] =
    ["not-started", "timed-out", "signal", "exit-code", "output", "builtin"];

/// The outcomes that hold a call up.
const STOPS: [&str; 4] = ["deny", "ask", "defer", "stop"];

#[derive(Debug, Default, Serialize)]
pub struct Tally {
    pub chain: String,
    pub hook: String,
    pub runs: usize,
    /// Calls that it denied, had the user asked about, or ended the turn at.
    pub stopped: usize,
    /// Calls that it would have stopped, did it not only watch.
    pub watched: usize,
    /// Calls that it told the model something about.
    pub advised: usize,
    pub failed: usize,
    /// Tokens that it added to the model's context, about: a fourth of the bytes.
    pub tokens: usize,
    /// Its outcomes, by their words in the journal.
    pub outcomes: BTreeMap<String, usize>,
    /// The reasons of its denials and its advice, with the rule where it has one.
    pub reasons: BTreeMap<String, usize>,
    pub p50: u64,
    /// The time in microseconds that 95 of 100 runs kept.
    pub p95: u64,
    pub max: u64,
    #[serde(skip)]
    times: Vec<u64>,
}

impl Tally {
    /// Adds a step of a run; `heard` says whether the model reads context on that event.
    fn add(&mut self, step: &StepEntry, heard: bool) {
        self.runs += 1;
        *self.outcomes.entry(step.outcome.to_string()).or_default() += 1;
        let has_stopped = has_stopped(step);
        self.stopped += usize::from(has_stopped);
        self.watched += usize::from(would_stop(step));
        let advises = heard && step.came_to("context") && step.quiet != Silence::UsedUp.word();
        self.advised += usize::from(advises);
        self.failed += usize::from(FAILURES.contains(&&*step.outcome));
        let has_told = has_stopped || would_stop(step) || advises;
        if let Some(reason) = step.reason.as_ref().filter(|_| has_told) {
            *self.reasons.entry(reason.clone()).or_default() += 1;
        }
        self.tokens += step.size.filter(|_| heard).unwrap_or_default().div_ceil(4);
        self.times.push(step.us);
    }

    fn finish(&mut self) {
        self.times.sort_unstable();
        let at = |share: usize| {
            // The nearest rank, so that the longest of few counts.
            let rank = (self.times.len() * share).div_ceil(100);
            self.times.get(rank.saturating_sub(1)).copied().unwrap_or_default()
        };
        (self.p50, self.p95, self.max) = (at(50), at(95), at(100));
    }

    pub fn sum(&self) -> u64 {
        self.times.iter().sum()
    }
}

/// Returns whether a step denied the call or had the user asked.
pub fn has_stopped(step: &StepEntry) -> bool {
    STOPS.contains(&&*step.outcome) || STOPS.contains(&&*step.decided)
}

/// Returns whether a step of a hook that only watches would have stopped the call.
pub fn would_stop(step: &StepEntry) -> bool {
    [&step.outcome, &step.decided]
        .iter()
        .any(|word| word.strip_prefix(WOULD).is_some_and(|word| STOPS.contains(&word)))
}

/// Counts what each hook did in these runs; those that cost most time come first.
pub fn tallies<'e>(entries: impl Iterator<Item = &'e Entry<'e>>) -> Vec<Tally> {
    let mut found: BTreeMap<(String, String), Tally> = BTreeMap::new();
    for entry in entries {
        let heard = Event::from_name(&entry.event).is_none_or(|it| it.facts().context);
        for step in entry.steps.iter().filter(|step| step.why.is_none() && !step.again) {
            let (chain, hook) = (entry.scope.to_string(), step.hook.clone());
            let new = Tally { chain: chain.clone(), hook: hook.clone(), ..Tally::default() };
            found.entry((chain, hook)).or_insert(new).add(step, heard);
        }
    }
    let mut tallies: Vec<Tally> = found.into_values().collect();
    tallies.iter_mut().for_each(Tally::finish);
    tallies.sort_by_key(|it| std::cmp::Reverse(it.sum()));
    tallies
}

/// Writes the counts in the `OpenMetrics` text format 1.0, without commands, paths and reasons.
pub fn openmetrics(tallies: &[Tally]) -> String {
    let label = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let seconds = |us: u64| format!("{}.{:06}", us / 1_000_000, us % 1_000_000);
    let [mut runs, mut tokens, mut times] = [const { String::new() }; 3];
    for it in tallies {
        let of = format!("chain=\"{}\",hook=\"{}\"", label(&it.chain), label(&it.hook));
        for (outcome, count) in &it.outcomes {
            let outcome = label(outcome);
            let _ = writeln!(runs, "hookman_runs_total{{{of},outcome=\"{outcome}\"}} {count}");
        }
        let _ = writeln!(tokens, "hookman_context_tokens_total{{{of}}} {}", it.tokens);
        for (share, us) in [("0.5", it.p50), ("0.95", it.p95), ("1", it.max)] {
            let time = seconds(us);
            let _ = writeln!(times, "hookman_run_seconds{{{of},quantile=\"{share}\"}} {time}");
        }
        let _ = writeln!(times, "hookman_run_seconds_count{{{of}}} {}", it.runs);
        let _ = writeln!(times, "hookman_run_seconds_sum{{{of}}} {}", seconds(it.sum()));
    }
    format!(
        "# TYPE hookman_runs counter\n# HELP hookman_runs Runs of a hook by outcome.\n{runs}\
         # TYPE hookman_context_tokens counter\n\
         # HELP hookman_context_tokens Tokens added to the context of the model, about.\n{tokens}\
         # TYPE hookman_run_seconds summary\n# UNIT hookman_run_seconds seconds\n\
         # HELP hookman_run_seconds Time of a hook's runs.\n{times}# EOF\n"
    )
}

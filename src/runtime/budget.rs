//! The context budget: what a call's hooks add is counted, and what has no room is kept in a file.

use super::children::Session;
use crate::builtin::silence::Silence;
use crate::chain::budget::{self, Fate, Told};
use crate::chain::merge::Ran;
use crate::chain::{Budget, Outcome, Step};
use crate::client::{Answer, Decision, Event, PlainText};
use crate::machine::paths::content_hash;
use crate::session::Store;
use crate::state::journal::Entry;
use crate::state::spill;

/// The session's counter of the tokens that hooks have added; each subagent has its own, as its context.
const USED: &str = "context.tokens";

/// The session's text with the sums of the long texts that it was told, a line for each.
const SAID: &str = "context.said";

/// Among the sums: the model has got the one note that the budget of the session is used up.
const USED_UP: &str = "used up";
const ALL_USED: &str = "[hookman: the session's context budget is used up; until the context is compacted, \
                        what hooks say is only in files there]";

/// So many sums are remembered.
const MOST: usize = 200;

const SHOWN: usize = 80;

/// Forgets what a session was told, because its context was compacted.
pub(super) fn forget(store: &dyn Store) {
    // Where nothing was counted nothing is written, and what cannot be set back is counted further.
    if store.count(USED, 0).is_ok_and(|used| used > 0) {
        let _ = store.count(USED, i64::MIN);
        let _ = store.change(SAID, &mut |_| None);
    }
}

struct Text {
    ran: usize,
    at: usize,
    priority: i64,
    words: String,
}

/// Moves texts that exceed the agent's `context_budget` to files, and says where they are.
pub(super) fn keep(
    steps: &[&Step<'_>],
    event: Event,
    ran: &mut Vec<Ran>,
    agent: &str,
    session: Session<'_>,
    entry: &mut Entry<'_>,
) {
    let [counter, sums] = [USED, SAID].map(|name| match agent {
        "" => name.to_owned(),
        agent => format!("{name}@{agent}"),
    });
    let is_read = event.facts().plain_text == PlainText::Context
        || event.facts().specific.contains(&"additionalContext");
    let budgets: Vec<(&str, Budget)> =
        steps.iter().filter_map(|step| Some((step.name, step.budget?))).collect();
    if budgets.is_empty() || !is_read {
        return;
    }
    let texts = texts(ran, &budgets);
    let smallest =
        |of: fn(&Budget) -> Option<u64>| budgets.iter().filter_map(|(_, budget)| of(budget)).min();
    let (call, whole) = (smallest(|it| it.call), smallest(|it| it.session));
    let mut problems = Vec::new();
    let used = session.store.count(&counter, 0).unwrap_or_else(|error| {
        problems.push(format!("what hooks told the model is not counted: {error}"));
        0
    });
    let of_session = whole.map(|whole| whole.saturating_sub(used));
    let room = [call, of_session].into_iter().flatten().min().unwrap_or(u64::MAX);
    let before = session.store.text(&sums).ok().flatten().unwrap_or_default();
    let is_known = |text: &str| before.lines().any(|line| line == content_hash(text.as_bytes()));
    let told: Vec<Told<'_>> =
        texts.iter().map(|it| Told { priority: it.priority, text: &it.words }).collect();
    let fates = budget::fates(&told, room, &is_known);
    let is_used_up = of_session == Some(0);
    let note = note(ran, &texts, &fates, session, entry)
        .map(|note| if is_used_up { format!("{note}\n{ALL_USED}") } else { note });
    let note = note.filter(|_| !is_used_up || before.lines().all(|line| line != USED_UP));
    let taken_out: Vec<(usize, usize)> = texts
        .iter()
        .zip(&fates)
        .filter(|(_, fate)| **fate != Fate::Said)
        .map(|(text, _)| (text.ran, text.at))
        .collect();
    let is_of_session = of_session.is_some_and(|left| call.is_none_or(|call| left < call));
    for (text, fate) in texts.iter().zip(&fates) {
        let why = match fate {
            Fate::Said => continue,
            _ if is_used_up && note.is_none() => Silence::UsedUp,
            Fate::Spilled if is_of_session => Silence::NoRoomLeft,
            Fate::Spilled => Silence::NoRoom,
            Fate::Repeated | Fate::Doubled => Silence::Told,
        };
        entry.kept_back(&ran[text.ran].name, why.word());
    }
    take_out(ran, &taken_out);
    let tells_of_end = is_used_up && note.is_some();
    if let Some(note) = note {
        ran.push(Ran {
            name: "hookman".to_owned(),
            on_error: crate::manifest::OnError::Open,
            outcome: Outcome::Answer(Answer::context(note), None),
            exit: None,
        });
    }
    let added: u64 = ran.iter().map(|ran| tokens(&ran.answer(event))).sum();
    let by = i64::try_from(added).unwrap_or(i64::MAX);
    let mut long: Vec<String> = texts
        .iter()
        .zip(&fates)
        .filter(|(text, fate)| **fate == Fate::Said && budget::is_long(&text.words))
        .map(|(text, _)| content_hash(text.words.as_bytes()))
        .collect();
    if tells_of_end {
        long.push(USED_UP.to_owned());
    }
    if by > 0
        && let Err(error) = session.store.count(&counter, by)
    {
        problems.push(format!("what hooks told the model is not counted: {error}"));
    }
    if !long.is_empty() {
        // The model gets one again that is not remembered.
        let _ = session.store.change(&sums, &mut |old| Some(remembered(old.unwrap_or(""), &long)));
    }
    for problem in problems {
        entry.note(problem);
    }
}

fn texts(ran: &[Ran], budgets: &[(&str, Budget)]) -> Vec<Text> {
    let mut texts = Vec::new();
    for (place, step) in ran.iter().enumerate() {
        let Outcome::Answer(answer, _) = &step.outcome else { continue };
        let budget = budgets.iter().find(|(name, _)| *name == step.name);
        let priority = budget.map_or(0, |(_, budget)| budget.priority);
        for (at, text) in answer.context.iter().enumerate().filter(|(_, text)| !text.is_empty()) {
            texts.push(Text { ran: place, at, priority, words: text.clone() });
        }
    }
    texts
}

/// Says which texts were left out, and where they are.
fn note(
    ran: &[Ran],
    texts: &[Text],
    fates: &[Fate],
    session: Session<'_>,
    entry: &mut Entry<'_>,
) -> Option<String> {
    let of = |fate: Fate| {
        texts.iter().zip(fates).filter(move |(_, it)| **it == fate).map(|(text, _)| text)
    };
    let mut lines = Vec::new();
    let spilled: Vec<&Text> = of(Fate::Spilled).collect();
    if !spilled.is_empty() {
        let mut names: Vec<String> =
            spilled.iter().map(|text| format!("`{}`", ran[text.ran].name)).collect();
        names.dedup();
        let whole: Vec<String> = spilled
            .iter()
            .map(|text| format!("{} says:\n{}", ran[text.ran].name, text.words))
            .collect();
        let place = match spill::keep(session.folder, &whole.join("\n\n")) {
            Some(path) => format!("it is in {path}"),
            None => "and it could not be kept".to_owned(),
        };
        let names = names.join(", ");
        entry.note(format!("no room in the context budget for what {names} says; {place}"));
        lines.push(format!(
            "[hookman: no room in the context budget for what {names} says; {place}]"
        ));
    }
    for text in of(Fate::Repeated) {
        let first: String =
            text.words.lines().next().unwrap_or_default().chars().take(SHOWN).collect();
        let place = spill::keep(session.folder, &text.words)
            .map(|path| format!("; the whole text is in {path}"))
            .unwrap_or_default();
        let name = &ran[text.ran].name;
        lines.push(format!("[hookman: `{name}` says again what begins with \"{first}\"{place}]"));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn take_out(ran: &mut [Ran], places: &[(usize, usize)]) {
    for (place, step) in ran.iter_mut().enumerate() {
        let Outcome::Answer(answer, said) = &mut step.outcome else { continue };
        let mut at = 0;
        let before = answer.context.len();
        answer.context.retain(|_| {
            at += 1;
            !places.contains(&(place, at - 1))
        });
        if answer.context.len() < before {
            *said = None;
        }
    }
}

fn tokens(answer: &Answer) -> u64 {
    let is_denial = answer.decision == Some(Decision::Deny);
    let reason = answer.reason.as_deref().filter(|_| is_denial);
    answer.context.iter().map(String::as_str).chain(reason).map(budget::tokens).sum()
}

/// The sums that are remembered from now on, the newest last.
fn remembered(old: &str, new: &[String]) -> String {
    let mut sums: Vec<&str> = old.lines().chain(new.iter().map(String::as_str)).collect();
    let from = sums.len().saturating_sub(MOST);
    sums.drain(..from);
    sums.join("\n")
}

//! A guard's finding against a call, its words and its effect.
//!
//! The interactive client shows a person the first three lines of a denial and cuts the rest, so
//! rule, deed and the way on are said first and in short; what is longer follows.

use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use serde::Serialize;

use super::silence::Silence;
use super::{Context, Failure, Level, careful, legacy};
use crate::client::Answer;

const SHOWN: usize = 60;
/// The time that the first sentence may be about what a call does.
const CLAUSE: usize = 100;

/// One rule that has something against a call.
pub(super) struct Finding<'f> {
    pub(super) id: &'f str,
    pub(super) level: Level,
    /// The command or the call, as it is shown.
    pub(super) subject: String,
    /// The effect of the call, after `it`.
    pub(super) what: String,
    /// The safer way, after `Safer:`; may be empty.
    pub(super) instead: &'f str,
    /// The file in which a script notes that it warned of this; empty for none.
    pub(super) legacy: &'f str,
}

/// One rule of a guard, with all of its forms.
#[derive(Debug, Serialize)]
pub struct Listed {
    pub id: String,
    /// The set of rules that it is in; empty for none.
    pub category: String,
    pub level: Level,
    /// The effect of a command that it finds, after `it`.
    pub what: String,
    /// The safer way; may be empty.
    pub instead: String,
    pub example: String,
}

impl Listed {
    /// Returns whether a word is in its id, its category, what it finds or its example.
    pub fn has(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        [&self.id, &self.category, &self.what, &self.example]
            .iter()
            .any(|text| text.to_lowercase().contains(&word))
    }
}

/// The settings that all findings of a hook share.
pub(super) struct Manner<'m> {
    /// True if the hook blocks whatever it finds.
    pub(super) careful: bool,
    /// The time that a warning of the level `one-strike` counts.
    pub(super) forget_after: Duration,
    /// True if every subagent is warned again.
    pub(super) per_agent: bool,
    /// Whose warnings count: hooks that give the same name ask once for all of them.
    pub(super) asker: &'m str,
}

/// A command in one line, cut where it is long.
pub(super) fn shown(command: &str) -> String {
    let mut shown = String::new();
    for word in command.split_whitespace() {
        if shown.len() > 4 * SHOWN {
            break;
        }
        if !shown.is_empty() {
            shown.push(' ');
        }
        shown.push_str(word);
    }
    if let Some((cut, _)) = shown.char_indices().nth(SHOWN) {
        shown.truncate(cut);
        shown.push('…');
    }
    shown
}

/// Builds the answer of a guard; every finding blocks in careful mode, of the hook or of the session.
pub(super) fn answer(
    context: &Context<'_>,
    manner: &Manner<'_>,
    mut findings: Vec<Finding<'_>>,
) -> Result<Answer, Failure> {
    let is_careful = be_careful(context, manner, &mut findings)?;
    let blocked = findings.iter().any(|finding| finding.level == Level::Block);
    drop_below_blocks(&mut findings);
    let unwarned = match unwarned(context, manner, &findings) {
        // What is always stopped needs no memory of earlier warnings.
        Err(_) if blocked => Vec::new(),
        unwarned => unwarned?,
    };
    let of =
        |level| findings.iter().filter(move |finding| finding.level == level).collect::<Vec<_>>();
    let (blocks, asks, warns) = (of(Level::Block), of(Level::Ask), of(Level::Advise));
    if !blocks.is_empty() || !unwarned.is_empty() {
        let rule = format!("rule {}", ids(&[blocks.as_slice(), &unwarned].concat()));
        return Ok(Answer {
            rule: Some(rule),
            once: blocks.is_empty(),
            ..Answer::deny(denial(context.name, [&blocks, &unwarned], is_careful))
        });
    }
    let is_struck = findings.iter().any(|finding| finding.level == Level::OneStrike);
    let mut answer = if is_struck { Silence::Strike.answer() } else { Answer::default() };
    if !asks.is_empty() {
        let rule = Some(format!("rule {}", ids(&asks)));
        answer = Answer { rule, ..Answer::ask(sentences(&asks)) };
    }
    if !warns.is_empty() {
        answer.rule.get_or_insert_with(|| format!("rule {}", ids(&warns)));
        answer.context.push(format!("{} warns: {}", context.name, sentences(&warns)));
    }
    Ok(answer)
}

/// Drops the other rules' findings about a command that is always stopped, because none of them
/// lets it pass.
fn drop_below_blocks(findings: &mut Vec<Finding<'_>>) {
    let is_block = |finding: &Finding<'_>| finding.level == Level::Block;
    let blocked: Vec<String> =
        findings.iter().filter(|it| is_block(it)).map(|it| it.subject.clone()).collect();
    findings.retain(|finding| is_block(finding) || !blocked.contains(&finding.subject));
}

/// Raises every level to `block` where careful mode is on, and tells whether it did.
fn be_careful(
    context: &Context<'_>,
    manner: &Manner<'_>,
    findings: &mut [Finding<'_>],
) -> Result<bool, Failure> {
    // What is stopped anyway needs no look at the store, which may fail.
    if findings.iter().all(|finding| finding.level == Level::Block) {
        return Ok(false);
    }
    let is_blocked = findings.iter().any(|finding| finding.level == Level::Block);
    let is_careful = match careful::is_on(context) {
        Err(_) if is_blocked || manner.careful => manner.careful,
        is_up => manner.careful || is_up?,
    };
    if is_careful {
        for finding in findings {
            finding.level = Level::Block;
        }
    }
    Ok(is_careful)
}

/// The findings that nobody was told about in this session, their flags raised.
///
/// A flag that another process raises between the look and the raise still counts as unwarned: of
/// two calls at once neither has been read by the model, so both are stopped.
fn unwarned<'h, 'f>(
    context: &Context<'_>,
    manner: &Manner<'_>,
    findings: &'h [Finding<'f>],
) -> io::Result<Vec<&'h Finding<'f>>> {
    let agent = if manner.per_agent { &*context.payload.agent_id } else { "" };
    let mut unwarned = Vec::new();
    for finding in findings.iter().filter(|finding| finding.level == Level::OneStrike) {
        let flag = context.strike(flag(manner.asker, finding.id, agent))?;
        if !context.store.is_up(&flag)?
            && !legacy::is_recent(finding.legacy, manner.forget_after, context)
        {
            unwarned.push((finding, flag));
        }
    }
    for (_, flag) in &unwarned {
        context.store.raise(flag, manner.forget_after)?;
    }
    Ok(unwarned.into_iter().map(|(finding, _)| finding).collect())
}

fn flag(asker: &str, rule: &str, agent: &str) -> String {
    if agent.is_empty() { format!("{asker}.{rule}") } else { format!("{asker}.{rule}@{agent}") }
}

fn denial(hook: &str, [blocks, unwarned]: [&[&Finding<'_>]; 2], is_careful: bool) -> String {
    let all = [blocks, unwarned].concat();
    let Some((first, others)) = all.split_first() else { return String::new() };
    let clause = clause(&first.what);
    let mut text = format!("`{}` (rule {}): it {clause}.\n", first.subject, first.id);
    let safer = match first.instead {
        "" => String::new(),
        instead => format!("Safer: {instead}."),
    };
    let parts = match (ids(blocks).as_str(), ids(unwarned).as_str()) {
        ("", once) => [Answer::promise(once), safer],
        (always, once) => {
            let again = match once {
                "" if is_careful => "Trying again will not help while careful mode is on:".into(),
                "" => "Trying again will not help:".to_owned(),
                once => format!("Run again, {once} passes;"),
            };
            let only = format!("only the user can allow what {always} stops");
            [safer, format!("{again} {only}, by typing `/hook:disable {hook}`.")]
        }
    };
    text.push_str(parts.join(" ").trim());
    text.push_str("\nNothing of this call has run.");
    if clause.len() < first.what.len() {
        let _ = write!(text, " In full: it {}.", first.what);
    }
    for other in others {
        text.push_str("\nAlso ");
        text.push_str(&sentence(other));
    }
    text
}

/// The beginning of what a call does, up to where reasons begin.
fn clause(what: &str) -> &str {
    let ends = [": ", ", ", "; "].iter().filter_map(|end| what.find(end));
    match ends.min() {
        Some(end) if what.len() > CLAUSE || what[end..].starts_with(": ") => &what[..end],
        _ => what,
    }
}

fn sentences(findings: &[&Finding<'_>]) -> String {
    findings.iter().map(|finding| sentence(finding)).collect::<Vec<_>>().join(" ")
}

fn sentence(finding: &Finding<'_>) -> String {
    let Finding { id, what, instead, subject, .. } = finding;
    let found = format!("`{subject}` (rule {id}): it {what}.");
    if instead.is_empty() { found } else { format!("{found} Safer: {instead}.") }
}

fn ids(findings: &[&Finding<'_>]) -> String {
    findings.iter().map(|finding| finding.id).collect::<Vec<_>>().join(", ")
}

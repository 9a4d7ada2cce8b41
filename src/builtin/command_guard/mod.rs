//! The kind `command-guard`: rules about shell commands that warn, ask, stop once or stop always.
//!
//! After the one-strike hook of the workflow engine document (`003_1d4b0f85db5e2822`), with a real
//! reading of the command line in place of patterns, so that quoted text and here-documents are
//! data, wrappers and substitutions are looked into, and every command of a line is judged.

mod options;
mod rule;

use std::borrow::Cow;
use std::io;
use std::time::Duration;

use serde::Deserialize;

use crate::client::answer::Answer;
use crate::client::{payload, shell};

use super::catalogue::Kind;
use super::{Context, Failure};

use rule::{Level, Options, Rule};

/// The kind as the catalogue knows it.
pub(super) static KIND: Kind =
    Kind { name: "command-guard", run, check: options::check, resolve: options::resolve };

/// The start of the options as [`options::resolve`] writes them.
const PROGRAMS: &str = r#"{"programs":"#;
/// A command is quoted in a reason up to this many characters.
const SHOWN: usize = 120;

#[derive(Deserialize)]
struct Input<'a> {
    #[serde(borrow, default)]
    command: Cow<'a, str>,
}

struct Hit<'r, 'o> {
    rule: &'r Rule<'o>,
    level: Level,
    command: String,
}

/// Judges the command of a shell tool's call; a call without one is none of its business.
///
/// # Errors
///
/// When the call's command is no text, when the options are not in the form that resolving gives,
/// or the store fails while nothing but a warning of this session decides.
fn run(context: &Context<'_>) -> Result<Answer, Failure> {
    let Some(input) = context.payload.tool_input.filter(|input| input.get() != "null") else {
        return Ok(Answer::default());
    };
    let command = match serde_json::from_str(input.get()) {
        Ok(Input { command }) => command,
        Err(_) => match payload::odd_text(input, "command") {
            Ok(command) => command.unwrap_or_default().into(),
            Err(error) => return Err(Failure::Payload(format!("the command: {error}"))),
        },
    };
    let text = context.options;
    if let Some(programs) = leading_programs(text)
        && !rule::may_call(&command, programs)
    {
        return Ok(Answer::default());
    }
    let options: Options<'_> =
        serde_json::from_str(text).map_err(|error| Failure::Options(error.to_string()))?;
    let hits = judge(&command, &options);
    answer(context, &options, &hits)
}

/// The value of the first key, read without a look at the rest.
fn leading_programs(options: &str) -> Option<&str> {
    let mut values =
        serde_json::Deserializer::from_str(options.strip_prefix(PROGRAMS)?).into_iter();
    values.next()?.ok()
}

/// The first command that each rule found, in the order in which they stand.
fn judge<'r, 'o>(command: &str, options: &'r Options<'o>) -> Vec<Hit<'r, 'o>> {
    let mut hits: Vec<Hit<'r, 'o>> = Vec::new();
    shell::each_invocation(command, &mut |invocation| {
        for rule in &options.rules {
            let known = hits.iter().any(|hit| hit.rule.id == rule.id);
            if !known && rule.matches(invocation, &options.globals) {
                let level = rule.level.unwrap_or(options.level);
                hits.push(Hit { rule, level, command: shown(invocation.source) });
            }
        }
    });
    hits
}

fn shown(command: &str) -> String {
    let mut shown = String::new();
    for word in command.split_whitespace() {
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

fn answer(
    context: &Context<'_>,
    options: &Options<'_>,
    hits: &[Hit<'_, '_>],
) -> Result<Answer, Failure> {
    let blocked = hits.iter().any(|hit| hit.level == Level::Block);
    let unwarned = match unwarned(context, options, hits) {
        // What is always stopped needs no memory of earlier warnings.
        Err(_) if blocked => Vec::new(),
        unwarned => unwarned.map_err(Failure::Store)?,
    };
    let of = |level| hits.iter().filter(move |hit| hit.level == level).collect::<Vec<_>>();
    let (blocks, asks, warns) = (of(Level::Block), of(Level::Ask), of(Level::Warn));
    if !blocks.is_empty() || !unwarned.is_empty() {
        return Ok(Answer::deny(denial(&blocks, &unwarned)));
    }
    let mut answer = Answer::default();
    if !asks.is_empty() {
        answer = Answer::ask(sentences(&asks));
    }
    if !warns.is_empty() {
        answer.context.push(format!("{} warns: {}", context.name, sentences(&warns)));
    }
    Ok(answer)
}

/// The hits that nobody was told about in this session, their flags raised.
///
/// A flag that another process raises between the look and the raise still counts as unwarned: of
/// two calls at once neither has been read by the model, so both are stopped.
fn unwarned<'h, 'r, 'o>(
    context: &Context<'_>,
    options: &Options<'_>,
    hits: &'h [Hit<'r, 'o>],
) -> io::Result<Vec<&'h Hit<'r, 'o>>> {
    let agent = if options.per_agent { &*context.payload.agent_id } else { "" };
    let mut unwarned = Vec::new();
    for hit in hits.iter().filter(|hit| hit.level == Level::OneStrike) {
        let flag = flag(context.name, &hit.rule.id, agent);
        if !context.store.is_up(&flag)? {
            unwarned.push((hit, flag));
        }
    }
    for (_, flag) in &unwarned {
        context.store.raise(flag, Duration::from_secs(options.forget_after))?;
    }
    Ok(unwarned.into_iter().map(|(hit, _)| hit).collect())
}

fn flag(hook: &str, rule: &str, agent: &str) -> String {
    if agent.is_empty() { format!("{hook}.{rule}") } else { format!("{hook}.{rule}@{agent}") }
}

fn denial(blocks: &[&Hit<'_, '_>], unwarned: &[&Hit<'_, '_>]) -> String {
    let all: Vec<&Hit<'_, '_>> = blocks.iter().chain(unwarned).copied().collect();
    let always = match ids(blocks) {
        ids if ids.is_empty() => String::new(),
        ids => format!(" Always stopped here: {ids}."),
    };
    let once = match ids(unwarned) {
        ids if ids.is_empty() => String::new(),
        ids => format!(
            " This is said once: if it is really what is wanted, run it again, and {ids} will \
             pass in this session."
        ),
    };
    format!("stopped before anything ran. {}{always}{once}", sentences(&all))
}

/// One or two sentences for each hit.
fn sentences(hits: &[&Hit<'_, '_>]) -> String {
    let sentence = |hit: &&Hit<'_, '_>| {
        let Rule { id, what, instead, .. } = hit.rule;
        let found = format!("`{}` (rule {id}): it {what}.", hit.command);
        if instead.is_empty() { found } else { format!("{found} Safer: {instead}.") }
    };
    hits.iter().map(sentence).collect::<Vec<_>>().join(" ")
}

fn ids(hits: &[&Hit<'_, '_>]) -> String {
    hits.iter().map(|hit| hit.rule.id.as_ref()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;

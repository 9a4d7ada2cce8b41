//! The kind `rules`: rules in the manifest that stop calls or tell the model something.
//!
//! The session gate, the context guard, the heartbeat and the idle gate are catalogue entries of this
//! kind. Where several rules stop a call, the union of what they let through decides.

mod condition;
mod options;

use std::io::ErrorKind;
use std::mem::ManuallyDrop;
use std::path::Path;

use super::directives::finding;
use super::kind::Kind;
use super::silence::Silence;
use super::tool_pattern::ToolPattern;
use super::workflow::place;
use super::{Can, Context, Failure, Level, allowance};
use crate::client::{Answer, Event, Subject};
use condition::{Named, ONCE, Scene};
use options::{Options, Rule};

pub(super) static KIND: Kind =
    Kind::of::<Options>("rules", &[Can::Decide, Can::Advise, Can::Remember, Can::ReadFiles], run);

/// The most characters of one file that the model gets.
const PRELOADED: u64 = 6_000;

fn run(context: &Context<'_>) -> Result<Answer, Failure> {
    // Where the process ends with the call, freeing each of many small texts would only cost time.
    let options: ManuallyDrop<Options> = ManuallyDrop::new(context.options()?);
    let answer = decided(context, &options);
    if context.host.goes_on() {
        drop(ManuallyDrop::into_inner(options));
    }
    answer
}

fn decided(context: &Context<'_>, options: &Options) -> Result<Answer, Failure> {
    let is_call = context.event.facts().subject == Subject::Tool;
    let scene = Scene::new(context, options);
    if context.event == Event::SessionStart
        && options.all().any(|it| it.when.context_from.is_some())
    {
        scene.note_model()?;
    }
    if context.event == Event::SessionStart {
        scene.reset_state()?;
    }
    if context.event == Event::SessionStart && context.payload.source == "compact" {
        forget(context, options)?;
    }
    if is_call && allowance::covers(&options.count.reset, context) {
        // The gates that come after it still let the call through; it is open at the next one.
        scene.reset()?;
        return Ok(Silence::Allowed.answer());
    }
    if is_call && allowance::covers(&options.count.free, context) {
        return Ok(Silence::Allowed.answer());
    }
    if context.event == Event::PreToolUse {
        scene.set()?;
        scene.count()?;
    }
    let mut met = Vec::new();
    for rule in options.all().filter(|rule| rule.level != Level::Off) {
        if scene.meets(rule)? {
            met.push(rule);
        } else if rule.once && scene.is_below(&rule.when)? {
            context.store.take(&context.agent_key(&rule.id))?;
        }
    }
    met.sort_by_key(|rule| rule.priority);
    answer(context, options, &scene, &met)
}

fn answer(
    context: &Context<'_>,
    options: &Options,
    scene: &Scene<'_>,
    met: &[&Rule],
) -> Result<Answer, Failure> {
    let mut quiet = match met {
        _ if scene.is_blind.get() => Silence::Unread,
        _ if scene.is_opened.get() => Silence::Opened,
        [] => Silence::NoRule,
        _ => Silence::Once,
    };
    let mut stopping: Vec<&Rule> =
        met.iter().copied().filter(|rule| rule.level >= Level::Ask).collect();
    if stopping.is_empty() {
        // What it let through while it was closed is no longer let through by others.
        if context.event == Event::PreToolUse && options.all().any(|rule| rule.level >= Level::Ask)
        {
            allowance::open(context)?;
        }
    } else if passes(context, options, scene, &stopping)? {
        stopping.clear();
        quiet = Silence::Allowed;
    }
    let mut told = Vec::new();
    for rule in stopping {
        if !(rule.once || rule.level == Level::OneStrike) || is_news(context, rule)? {
            told.push(rule);
        }
    }
    let denies = told.iter().any(|rule| rule.level > Level::Ask);
    if !told.is_empty() {
        let mut messages = Vec::new();
        for rule in told.iter().filter(|rule| !denies || rule.level > Level::Ask) {
            messages.push(scene.filled(&rule.message)?);
        }
        let reason = messages.join("\n");
        let rules: Vec<&str> = told.iter().map(|rule| &*rule.id).collect();
        let answer = if denies { Answer::deny(reason) } else { Answer::ask(reason) };
        return Ok(Answer { rule: Some(named(&rules)), ..answer });
    }
    let mut answer = Answer::default();
    let mut rules: Vec<&str> = Vec::new();
    for rule in met.iter().filter(|rule| rule.level == Level::Advise) {
        if rule.once && !is_news(context, rule)? {
            continue;
        }
        rules.push(&rule.id);
        answer.context.push(scene.filled(&rule.message)?);
        for file in &rule.preload {
            answer.context.extend(preloaded(context, &scene.filled(file)?)?);
        }
    }
    if answer.context.is_empty() {
        answer.quiet = Some(quiet.word());
    } else {
        answer.rule = Some(named(&rules));
    }
    Ok(answer)
}

fn named(rules: &[&str]) -> String {
    let mut named = String::from("rule ");
    for (index, rule) in rules.iter().enumerate() {
        named.push_str(if index == 0 { "" } else { ", " });
        named.push_str(rule);
    }
    named
}

/// Returns whether what the stopping rules and all closed gates let through covers the call.
fn passes(
    context: &Context<'_>,
    options: &Options,
    scene: &Scene<'_>,
    stopping: &[&Rule],
) -> Result<bool, Failure> {
    if context.event.facts().subject != Subject::Tool {
        return Ok(false);
    }
    let mut allowed: Vec<ToolPattern> = options.allow.clone();
    allowed.extend(options.count.reset.iter().cloned());
    allowed.extend(stopping.iter().flat_map(|rule| rule.allow.iter().cloned()));
    if stopping.iter().any(|rule| rule.message.contains("$set.")) {
        allowed.extend(way_out(context, scene.state_file()?));
    }
    if !allowed.is_empty() {
        allowance::close(context, &allowed);
    }
    Ok(allowance::covers(&allowed, context) || allowance::is_let_through_by_others(context))
}

/// The calls by which a gate is opened whose message advises to set a name of the state.
fn way_out(context: &Context<'_>, file: Option<&Path>) -> Vec<ToolPattern> {
    let plain = |letter: char| if "*?[]{}()!\\".contains(letter) { '?' } else { letter };
    let mut calls = vec!["Bash(hookman state set *)".to_owned()];
    if let Some(file) = file {
        let path: String = file.to_string_lossy().chars().map(plain).collect();
        let tools = ["Read", "Edit", "MultiEdit", "Write"];
        calls.extend(tools.map(|tool| format!("{tool}(/{path})")));
        calls.push(format!("Bash(jq * {path})"));
        let project = &*context.payload.cwd;
        let inside = path.strip_prefix(project).and_then(|it| it.strip_prefix('/'));
        calls.extend(inside.map(|path| format!("Bash(jq * {path})")));
    }
    calls.iter().filter_map(|call| ToolPattern::parse(call).ok()).collect()
}

/// Forgets the texts that are not in the model's context any more.
fn forget(context: &Context<'_>, options: &Options) -> Result<(), Failure> {
    for rule in options.all().filter(|rule| rule.once && rule.level == Level::Advise) {
        context.store.take(&context.agent_key(&rule.id))?;
    }
    Ok(())
}

fn is_news(context: &Context<'_>, rule: &Rule) -> Result<bool, Failure> {
    let mut flag = context.agent_key(&rule.id);
    if rule.once_per_file {
        let file = context.tool_input::<Named>()?.unwrap_or_default().file_path;
        flag.extend([" ", &file]);
    }
    if rule.level == Level::OneStrike {
        flag = context.strike(flag)?;
    }
    context.store.raise(&flag, ONCE).map_err(Failure::Store)
}

/// A file's text, the first time that an agent needs it in a session; nothing where it is not there.
fn preloaded(context: &Context<'_>, file: &str) -> Result<Option<String>, Failure> {
    let path = place(context, file);
    // A clone may have a link there.
    let is_inner = !file.starts_with(['/', '~']) && !file.contains("..");
    if is_inner && !finding::is_of_project(context, &path) {
        return Ok(Some(format!("({file} leads out of the project.)")));
    }
    let text = match context.host.read(&path, PRELOADED) {
        Ok(Some(text)) => text,
        Ok(None) => return Ok(None),
        Err(error) if error.kind() == ErrorKind::TimedOut => return Err(Failure::Late),
        Err(error) => return Ok(Some(format!("({file} cannot be read: {error}.)"))),
    };
    let flag = context.agent_key(&format!("file {}", path.display()));
    let is_new = context.store.raise(&flag, ONCE)?;
    Ok(is_new.then(|| format!("{file}:\n{text}")))
}

//! `hookman list`: the hooks in the order they run in.

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::args::List;
use super::exit::ExitStatus;
use super::switching::all_off;
use super::word::hint;
use crate::builtin::catalogue::{self, Entry};
use crate::builtin::outline::{self, in_toml};
use crate::client::host::CLAUDE;
use crate::client::{Event, Subject};
use crate::install::addition::recipe::{RECIPES, Recipe};
use crate::machine::terminal::{self, Paint};
use crate::machine::{World, clock, harmless};
use crate::manifest::{Action, ContextBudget, Hook, Observe, OnError, seconds};
use crate::runtime::overrides::Overrides;
use crate::state::{Configured, configured};

pub(super) fn list(args: &List, world: &World) -> Result<ExitStatus> {
    let wanted = args.word.as_deref();
    if args.available {
        available(wanted, args.json, world);
        return Ok(ExitStatus::Done);
    }
    if args.recipes {
        recipes(args.json, world);
        return Ok(ExitStatus::Done);
    }
    let mut hooks = configured::hooks(world)?;
    let is_empty = hooks.is_empty();
    if let Some(wanted) = wanted {
        hooks.retain(|row| has(wanted, &[&row.hook.name, &row.hook.summary, &fires(&row.hook)]));
    }
    if args.json {
        let rows: Vec<_> = hooks.iter().map(as_json).collect();
        world.terminal.line(json!({"hooks": rows}).to_string());
        return Ok(ExitStatus::Done);
    }
    match wanted.filter(|_| hooks.is_empty()) {
        Some(wanted) if !is_empty => hint(world, nothing_has(wanted)),
        _ if is_empty => hint(world, configured::none(world)),
        _ => {}
    }
    let width = hooks.iter().map(|row| row.hook.name.chars().count()).max().unwrap_or_default();
    let is_claudes = hooks.iter().all(|row| row.hosts == [CLAUDE.name]);
    let mut scope = "";
    for row in &hooks {
        let Configured { hook, scope: of, hosts, .. } = row;
        if *of != scope {
            world.terminal.line(format!("{of} chain"));
            scope = of;
        }
        let mut parts = vec![fires(hook)];
        parts.extend(hook.passed().map(|it| format!("({}, run by the client)", it.handler.name())));
        parts.extend(terms(hook));
        parts.extend(match &hosts[..] {
            [] => Some("(in no agent that its manifest is for)".to_owned()),
            _ if is_claudes => None,
            hosts => Some(format!("in {}", hosts.join(", "))),
        });
        parts.extend(hook.package.as_ref().map(|it| format!("(of {})", it.version())));
        let mark = mark(row);
        let watches = hook.manner.observe.words(clock::today).filter(|_| hook.enabled);
        let watches = watches.map(|words| format!("({words})"));
        let marks = mark.map(str::to_owned).into_iter().chain(watches);
        parts.extend(marks.map(|mark| world.terminal.painted(&mark, Paint::Yellow)));
        let name = format!("{:width$}", hook.name);
        let name =
            world.terminal.painted(&name, if hook.enabled { Paint::Bold } else { Paint::Dim });
        world.terminal.print_row(&format!("  {name}  "), &parts.join("  "), width + 4);
        if args.resolved {
            for line in resolved(hook, outline::SHOWN) {
                let start = format!("  {:width$}    ", "");
                world.terminal.print_row(&start, &line, width + 8);
            }
        }
    }
    // An administrator's hooks run all the same.
    if hooks.is_empty() || hooks.iter().any(|row| row.scope != "managed") {
        for line in all_off(world, configured::project().as_deref()) {
            world.terminal.line(line);
        }
        say_environment(if wanted.is_none() { &hooks } else { &[] }, world);
    }
    for row in &hooks {
        if let Some(why) = &row.held {
            hint(world, format!("⚠ {} {}", row.hook.name, configured::told_of(why)));
        }
    }
    let mut lacking: Vec<(&str, &str)> = hooks
        .iter()
        .filter(|row| row.held.is_none())
        .filter_map(|row| Some((row.scope, row.uncalled?.flag)))
        .collect();
    lacking.dedup();
    for (scope, flag) in lacking {
        let chain = configured::chains(world).into_iter().find(|it| it.scope == scope);
        let illegible = chain.and_then(|it| configured::illegible(&world.paths, &it));
        if let Some(why) = illegible {
            hint(world, format!("⚠ Hooks of the {scope} chain do not run: {why}"));
            continue;
        }
        hint(
            world,
            format!(
                "⚠ Hooks of the {scope} chain do not run where they are not registered; `hookman apply{flag}` \
                 registers them"
            ),
        );
    }
    Ok(ExitStatus::Done)
}

/// The mark of a hook that does not run as its manifest has it.
fn mark(row: &Configured) -> Option<&'static str> {
    let Configured { hook, held, uncalled, hosts, .. } = row;
    let is_earlier = held.as_ref().is_some_and(|why| why.starts_with(configured::EARLIER));
    match (hook.enabled, held.is_some(), uncalled) {
        (false, ..) => Some("(off)"),
        (true, true, _) if hosts.is_empty() => None,
        (true, true, _) if is_earlier => Some("(in an earlier version)"),
        (true, true, _) => Some("(does not run)"),
        (true, false, Some(it)) if it.is_ignored => Some("(not in force)"),
        (true, false, Some(it)) if it.in_part => Some("(registered for some of its calls only)"),
        (true, false, Some(_)) => Some("(not registered)"),
        (true, false, None) => None,
    }
}

/// Says of hooks which variables keep them from running.
fn say_environment(hooks: &[Configured], world: &World) {
    if hooks.is_empty() {
        return;
    }
    let names: Vec<&str> = hooks.iter().map(|row| row.hook.name.as_str()).collect();
    for line in Overrides::of_environment().lines(&names) {
        world.terminal.print_row("In this environment ", &harmless(&line), 2);
    }
}

/// Returns whether one of the texts has a word in it, in whatever case.
fn has(word: &str, texts: &[&str]) -> bool {
    /// Shorter words are in too many others, as `rm` in `format`, so they have to begin one.
    const LONG: usize = 4;
    let word = word.to_lowercase();
    let begins = |text: &str, at: usize| !text[..at].ends_with(char::is_alphanumeric);
    texts.iter().map(|text| text.to_lowercase()).any(|text| {
        let mut hits = text.match_indices(&word);
        hits.any(|(at, _)| word.len() >= LONG || begins(&text, at))
    })
}

fn nothing_has(word: &str) -> String {
    format!("no hook has `{word}` in its name, description or events")
}

fn available(wanted: Option<&str>, json: bool, world: &World) {
    let mut entries = catalogue::entries();
    if let Some(wanted) = wanted {
        let fires = |entry: &Entry| on(&entry.events, entry.matcher.as_deref());
        entries.retain(|entry| {
            let words = entry.keywords.join(" ");
            has(wanted, &[entry.name, &entry.summary, &entry.description, &fires(entry), &words])
        });
    }
    if json {
        let rows: Vec<_> = entries
            .iter()
            .map(|entry| {
                json!({
                    "name": entry.name,
                    "group": entry.group,
                    "summary": entry.summary,
                    "kind": entry.kind.name,
                    "events": Event::names(&entry.events),
                    "matcher": entry.matcher,
                    "default": entry.default,
                })
            })
            .collect();
        world.terminal.line(json!({"available": rows}).to_string());
        return;
    }
    if let Some(wanted) = wanted.filter(|_| entries.is_empty()) {
        hint(world, nothing_has(wanted));
        return;
    }
    let width = entries.iter().map(|entry| entry.name.len()).max().unwrap_or_default();
    for (index, group) in entries.chunk_by(|one, next| one.group == next.group).enumerate() {
        if index > 0 {
            world.terminal.line("");
        }
        world.terminal.line(&group[0].group);
        for entry in group {
            let default = if entry.default { "  (default)" } else { "" };
            let fires = format!("on {}{default}", on(&entry.events, entry.matcher.as_deref()));
            for (name, cell) in [(entry.name, &entry.summary), ("", &fires)] {
                let start = format!("  {name:width$}  ");
                world.terminal.line(terminal::row(&start, cell, width + 4));
            }
        }
    }
    hint(world, "\n`hookman show NAME` explains a hook, `hookman install NAME` adds it");
}

fn recipes(json: bool, world: &World) {
    if json {
        let row = |recipe: &Recipe| {
            json!({
                "name": recipe.name,
                "summary": recipe.summary(),
                "hooks": recipe.hooks(),
            })
        };
        let rows: Vec<_> = RECIPES.iter().map(row).collect();
        world.terminal.line(json!({"recipes": rows}).to_string());
        return;
    }
    let width = RECIPES.iter().map(|recipe| recipe.name.len()).max().unwrap_or_default();
    for recipe in RECIPES {
        let hooks = recipe.hooks().join(", ");
        for (name, cell) in [(recipe.name, recipe.summary()), ("", &*hooks)] {
            world.terminal.line(terminal::row(&format!("{name:width$}  "), cell, width + 2));
        }
    }
    hint(world, "\n`hookman install --recipe NAME` shows what it adds, and adds it");
}

/// When a hook runs, as in `PreToolUse(Bash)`.
pub(super) fn fires(hook: &Hook) -> String {
    on(&hook.events, hook.matcher.as_deref())
}

/// Events with a matcher, as in `PreToolUse(Bash)`.
pub(super) fn on(events: &[Event], matcher: Option<&str>) -> String {
    // Of several events, those that have nothing to match run always.
    let is_matched = |event: &Event| events.len() == 1 || event.facts().subject != Subject::None;
    let one = |event: &Event| match matcher.filter(|_| is_matched(event)) {
        None | Some("") => event.to_string(),
        Some(matcher) => format!("{event}({matcher})"),
    };
    events.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Lists the conditions of a hook, and the meaning of its failure where it is not the usual one.
fn terms(hook: &Hook) -> Vec<String> {
    let of_client = || hook.passed()?.keys.get("if")?.as_str();
    let rule = hook.manner.condition.as_deref().or_else(of_client);
    let mut terms: Vec<String> = rule.map(|rule| format!("if {rule}")).into_iter().collect();
    if let Some(when) = when(hook) {
        let keys = when.iter().map(|(key, value)| format!("{key} = {}", plain(value)));
        terms.push(format!("when {}", keys.collect::<Vec<_>>().join(", ")));
    }
    terms.extend(hook.manner.parallel.then(|| "parallel".to_owned()));
    if hook.passed().is_none() && hook.on_error != OnError::Open {
        terms.push(format!("on_error {}", hook.on_error.name()));
    }
    terms
}

fn when(hook: &Hook) -> Option<Map<String, Value>> {
    match serde_json::to_value(&hook.audience.when) {
        Ok(Value::Object(keys)) if !keys.is_empty() => Some(keys),
        _ => None,
    }
}

/// A value without the marks of JSON, for people.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join("|"),
        value => value.to_string(),
    }
}

/// A hook's settings as a manifest writes them, each with the file and line that it comes from. The value of
/// an option is left out where it takes more than `longest` characters.
pub(super) fn resolved(hook: &Hook, longest: usize) -> Vec<String> {
    let text = |text: &str| in_toml(&text.into());
    let texts = |texts: &[String]| in_toml(&texts.into());
    let yes = || "true".to_owned();
    let events = Event::names(&hook.events);
    let events = if let [event] = *events { text(event) } else { in_toml(&events.into()) };
    let mut rows = vec![
        ("event", events),
        ("matcher", text(hook.matcher.as_deref().unwrap_or("*"))),
        ("enabled", hook.enabled.to_string()),
        ("timeout", seconds(hook.timeout_ms).to_string()),
    ];
    let is_passed = hook.passed().is_some();
    let decides = !is_passed && !hook.manner.background;
    rows.extend(decides.then(|| ("on_error", text(hook.on_error.name()))));
    let manner = &hook.manner;
    let until = match &manner.observe {
        Observe::Until(day) => Some(("observe_until", text(day))),
        _ => None,
    };
    let mode = (manner.observe != Observe::Never).then(|| ("mode", text("observe")));
    rows.extend(mode.into_iter().chain(until));
    rows.extend(manner.parallel.then(|| ("parallel", yes())));
    rows.extend(manner.always.then(|| ("always", yes())));
    rows.extend(manner.condition.as_deref().map(|condition| ("if", text(condition))));
    rows.extend(when(hook).map(|when| ("when", in_toml(&when.into()))));
    rows.extend(hook.audience.user_only.then(|| ("switch", text("user"))));
    rows.extend(manner.background.then(|| ("async", yes())));
    rows.extend((!manner.after.is_empty()).then(|| ("after", texts(&manner.after))));
    rows.extend(manner.status_message.as_deref().map(|message| ("status_message", text(message))));
    rows.extend(manner.budget.map(|budget| ("context_budget", limits(budget))));
    let priority = manner.context_priority;
    rows.extend((priority != 0).then(|| ("context_priority", priority.to_string())));
    let is_builtin = matches!(hook.action, Action::Builtin { .. });
    if !is_builtin {
        let surroundings = &hook.surroundings;
        rows.extend(surroundings.in_project.then(|| ("cwd", text("project"))));
        rows.extend((!surroundings.path.is_empty()).then(|| ("path", texts(&surroundings.path))));
    }
    let mut lines: Vec<String> = rows
        .into_iter()
        .map(|(key, value)| match (hook.origins.get(key), key) {
            // It is a key of `[defaults]` alone.
            (Some(origin), "context_budget") => format!("# {key} = {value}    # {origin}"),
            (Some(origin), _) => format!("{key} = {value}    # {origin}"),
            (None, "event" | "matcher") if is_builtin => format!("{key} = {value}    # built-in"),
            (None, "timeout") if is_passed => format!("{key} = {value}    # the client's"),
            (None, _) => format!("{key} = {value}    # default"),
        })
        .collect();
    for (key, origin) in &hook.origins {
        let value = key.strip_prefix("options.").and_then(|option| hook.options.get(option));
        let Some(value) = value.map(in_toml) else { continue };
        lines.push(match value.chars().count() {
            length if length <= longest => format!("{key} = {value}    # {origin}"),
            _ => format!("{key}    # {origin}"),
        });
    }
    lines
}

fn limits(budget: ContextBudget) -> String {
    let limits = [("call", budget.call), ("session", budget.session)];
    let limits = limits.iter().filter_map(|(key, limit)| Some(format!("{key} = {}", (*limit)?)));
    format!("{{ {} }}", limits.collect::<Vec<_>>().join(", "))
}

pub(super) fn as_json(configured: &Configured) -> serde_json::Value {
    let Configured { hook, scope, uncalled, held, hosts } = configured;
    let origins: serde_json::Map<_, _> =
        hook.origins.iter().map(|(key, origin)| (key.clone(), origin.to_string().into())).collect();
    json!({
        "name": hook.name,
        "scope": scope,
        "package": hook.package.as_ref().map(|it| &it.package),
        "rev": hook.package.as_ref().map(|it| &it.rev),
        "summary": hook.summary,
        "events": Event::names(&hook.events),
        "matcher": hook.matcher,
        "enabled": hook.enabled,
        "registered": hook.enabled && uncalled.is_none(),
        "held": held,
        "hosts": hosts,
        "timeout_ms": hook.timeout_ms,
        "on_error": hook.on_error.name(),
        "builtin": if let Action::Builtin { name, .. } = &hook.action { Some(name) } else { None },
        "command": if let Action::Command(line) = &hook.action { Some(line) } else { None },
        "argv": if let Action::Argv(words) = &hook.action { Some(words) } else { None },
        "handler": hook.passed().map(|passed| &passed.keys),
        "mode": if hook.manner.observe == Observe::Never { "enforce" } else { "observe" },
        "observe_until": if let Observe::Until(day) = &hook.manner.observe { Some(day) } else { None },
        "parallel": hook.manner.parallel,
        "always": hook.manner.always,
        "after": hook.manner.after,
        "cwd": if hook.surroundings.in_project { "project" } else { "session" },
        "path": hook.surroundings.path,
        "if": hook.manner.condition,
        "when": when(hook),
        "async": hook.manner.background,
        "status_message": hook.manner.status_message,
        "options": *hook.options,
        "origins": origins,
    })
}

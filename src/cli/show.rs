//! `hookman show`: one hook, with its options and where each value comes from.

use anyhow::{Result, bail};
use serde_json::{Map, Value, json};

use super::args::Show;
use super::exit::ExitStatus;
use super::list::{self, as_json, fires, resolved};
use super::word::hint;
use crate::builtin::catalogue::{self, Entry};
use crate::builtin::command_guard::{self, Listed};
use crate::builtin::outline;
use crate::client::Event;
use crate::machine::{World, terminal};
use crate::manifest::package::Membership;
use crate::manifest::{Action, Hook};
use crate::session::names::{self, Found};
use crate::state::{Configured, configured};

pub(super) fn show(args: &Show, world: &World) -> Result<ExitStatus> {
    let hooks = configured::hooks(world)?;
    let mut names: Vec<&str> = hooks.iter().map(|row| row.hook.name.as_str()).collect();
    // A hook that is in both chains is shown twice, and named once.
    names.sort_unstable();
    names.dedup();
    let is_of = |row: &&Configured| row.hook.in_package().as_ref() == Some(&args.hook);
    let typed = hooks.iter().find(is_of).map_or(&args.hook, |row| &row.hook.name);
    let is_of_package =
        |row: &&Configured| row.hook.package.as_ref().is_some_and(|it| it.package == args.hook);
    let of_package: Vec<&Configured> = hooks.iter().filter(is_of_package).collect();
    if !of_package.is_empty() && !names.contains(&typed.as_str()) && args.rules.is_none() {
        package(&of_package, args.json, world);
        return Ok(ExitStatus::Done);
    }
    match names::resolve(typed, &names) {
        Found::One(name) => {
            for configured in hooks.iter().filter(|row| row.hook.name == name) {
                if let Some(part) = &args.rules {
                    let hook = &configured.hook;
                    rules(&hook.name, &hook.options, part, args.json, world)?;
                } else if args.json {
                    world.terminal.line(as_json(configured).to_string());
                } else {
                    configured_hook(configured, args.all, world)?;
                }
            }
            Ok(ExitStatus::Done)
        }
        Found::Several(several) => {
            bail!("several hooks match `{}`: {}", args.hook, several.join(", "))
        }
        Found::None(nearest) => match (names::resolve(&args.hook, catalogue::names()), nearest) {
            (Found::One(name), _) => {
                match (catalogue::find(name), &args.rules) {
                    (Some(entry), Some(part)) => {
                        rules(entry.name, &entry.options, part, args.json, world)?;
                    }
                    (Some(entry), None) => ready_made(entry, args, world),
                    (None, _) => {}
                }
                Ok(ExitStatus::Done)
            }
            (_, Some(nearest)) => {
                bail!("no hook matches `{}`; did you mean `{nearest}`?", args.hook)
            }
            _ => bail!("no hook matches `{}`; `hookman list` names the hooks", args.hook),
        },
    }
}

fn rules(
    name: &str,
    options: &Map<String, Value>,
    part: &str,
    json: bool,
    world: &World,
) -> Result<()> {
    let known = command_guard::rules(options);
    if known.is_empty() {
        bail!("`{name}` is no guard, whose rules could be listed");
    }
    let found: Vec<&Listed> = known.iter().filter(|rule| rule.has(part)).collect();
    if json {
        world.terminal.line(json!({"hook": name, "rules": found}).to_string());
        return Ok(());
    }
    if found.is_empty() {
        bail!("no rule of `{name}` has the word `{part}`; `hookman show {name} --rules` lists all");
    }
    let id = found.iter().map(|rule| rule.id.len()).max().unwrap_or_default();
    for category in found.chunk_by(|one, next| one.category == next.category) {
        if !category[0].category.is_empty() {
            world.terminal.line(format!("\n{}", category[0].category));
        }
        for rule in category {
            let start = format!("  {:id$}  {:10}  ", rule.id, rule.level.name());
            world.terminal.print_row(&start, &rule.what, start.len());
            world.terminal.line(format!("{:1$}{2}", "", start.len(), rule.example));
        }
    }
    let set = format!("`hookman install {name} --set levels.ID=LEVEL`");
    hint(
        world,
        format!("{set} sets a level with the hook, `hookman edit` that of a hook you have"),
    );
    Ok(())
}

fn described(package: &Membership, world: &World) -> String {
    let from = match &package.absent {
        Some(why) => why.to_string(),
        None => format!("its files are in {}", world.paths.shown(package.root.as_ref().as_ref())),
    };
    format!("the package {}: {from}", package.version())
}

fn package(hooks: &[&Configured], json: bool, world: &World) {
    let mut shown = String::new();
    for configured in hooks {
        let hook = &configured.hook;
        if json {
            world.terminal.line(as_json(configured).to_string());
            continue;
        }
        let head = hook.package.as_ref().map(|it| described(it, world)).unwrap_or_default();
        if head != shown {
            world.terminal.print_row("", &head, 2);
            shown = head;
        }
        world.terminal.line(format!("  {}  {}", hook.name, fires(hook)));
    }
}

fn configured_hook(configured: &Configured, all: bool, world: &World) -> Result<()> {
    let hook = &configured.hook;
    world.terminal.print_row(&format!("{} - ", hook.name), &hook.summary, 2);
    let origin = hook.origin().map(ToString::to_string).unwrap_or_default();
    world.terminal.print_row("", &format!("declared at {origin}, runs on {}", fires(hook)), 2);
    if let Some(package) = &hook.package {
        world.terminal.print_row("", &format!("of {}", described(package, world)), 2);
    }
    let (key, value) = match &hook.action {
        Action::Builtin { name, .. } => {
            if let Some(entry) = catalogue::find(name) {
                explanation(&hook.name, entry, "", all, world);
            }
            ("builtin", name.as_str().into())
        }
        Action::Command(line) => ("command", line.as_str().into()),
        Action::Argv(words) => ("argv", words.as_slice().into()),
        Action::Passed(passed) => {
            let entry = serde_json::to_string_pretty(&passed.keys)?;
            world.terminal.line(format!("run by the client itself, by this entry: {entry}"));
            settings(hook, world);
            return Ok(());
        }
    };
    // Not broken into rows, so that it can be pasted into a manifest.
    world
        .terminal
        .line(format!("\n[[hook]]\nname = {}", outline::in_toml(&hook.name.as_str().into())));
    world.terminal.line(format!("{key} = {}", outline::in_toml(&value)));
    settings(hook, world);
    Ok(())
}

/// Prints each setting with a comment that says where it is from, above it where both do not fit.
fn settings(hook: &Hook, world: &World) {
    const LONGEST: usize = 80;
    for line in resolved(hook, usize::MAX) {
        match line.rsplit_once("    # ") {
            Some((setting, source)) if line.chars().count() > LONGEST => {
                world.terminal.line(format!("# {source}\n{setting}"));
            }
            _ => world.terminal.line(line),
        }
    }
}

fn ready_made(entry: &Entry, args: &Show, world: &World) {
    if args.json {
        world.terminal.line(entry_as_json(entry).to_string());
        return;
    }
    world.terminal.print_row(&format!("{} - ", entry.name), &entry.summary, 2);
    hint(world, format!("not configured here; add it with `hookman install {}`", entry.name));
    let on = format!("runs on {}; ", list::on(&entry.events, entry.matcher.as_deref()));
    explanation(entry.name, entry, &on, args.all, world);
    world.terminal.line(format!("\nFor a manifest:\n\n{}", outline::manifest(entry).trim_end()));
}

fn entry_as_json(entry: &Entry) -> Value {
    let can: Vec<&str> = entry.kind.can.iter().map(|can| can.name()).collect();
    json!({
        "name": entry.name,
        "group": entry.group,
        "summary": entry.summary,
        "description": entry.description,
        "kind": entry.kind.name,
        "can": can,
        "events": Event::names(&entry.events),
        "matcher": entry.matcher,
        "default": entry.default,
        "options": *entry.options,
        "schema": (entry.kind.schema)(),
    })
}

/// Explains a ready-made hook, the events it runs `on` and its options; with `all` also keys of tables.
fn explanation(name: &str, entry: &Entry, on: &str, all: bool, world: &World) {
    let can: Vec<&str> = entry.kind.can.iter().map(|can| can.name()).collect();
    if !entry.description.is_empty() {
        world.terminal.line(format!("\n{}", terminal::paragraphs(&entry.description)));
    }
    world.terminal.line("");
    world.terminal.print_row("", &format!("{on}of the kind {}", entry.kind.name), 2);
    if !can.is_empty() {
        world.terminal.print_row("it can ", &can.join(", "), 2);
    }
    let rows = outline::options(entry.kind);
    let (shown, inner): (Vec<_>, Vec<_>) = rows.iter().partition(|row| all || row.is_whole());
    if !rows.is_empty() {
        world.terminal.line("\nOptions:");
    }
    for row in shown {
        let default = outline::value(entry, row).map(|value| outline::in_toml(&value));
        let default = match default {
            Some(value) if value.chars().count() <= outline::SHOWN => {
                format!(" (default: {value})")
            }
            _ => String::new(),
        };
        let start = format!("  {} - ", row.path);
        world.terminal.print_row(&start, &format!("{}{default}", row.shape), 6);
        world.terminal.line(terminal::row("      ", &row.help, 6));
        for (value, help) in &row.values {
            world.terminal.line(terminal::row("        ", &format!("{value}: {help}"), 10));
        }
    }
    if !inner.is_empty() {
        hint(world, format!("\n`hookman show {name} --all` explains the keys of tables, too"));
    }
}

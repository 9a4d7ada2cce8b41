//! `hookman show`: one hook, with its options and where each value comes from.

use anyhow::{Result, bail};

use super::args::Show;
use super::configured::{self, Configured};
use super::list::{as_json, fires, resolved};
use super::{ExitStatus, World};
use crate::builtin::catalogue::{self, Entry};
use crate::manifest::Action;
use crate::session::names::{self, Found};

pub(super) fn show(args: &Show, world: &World) -> Result<ExitStatus> {
    let hooks = configured::hooks(world)?;
    let names: Vec<&str> = hooks.iter().map(|row| row.hook.name.as_str()).collect();
    match names::resolve(&args.hook, &names) {
        Found::One(name) => {
            for configured in hooks.iter().filter(|row| row.hook.name == name) {
                if args.json {
                    world.terminal.line(as_json(configured).to_string());
                } else {
                    configured_hook(configured, world)?;
                }
            }
            Ok(ExitStatus::Done)
        }
        Found::Several(several) => {
            bail!("several hooks match `{}`: {}", args.hook, several.join(", "))
        }
        Found::None(nearest) => match (names::resolve(&args.hook, catalogue::names()), nearest) {
            (Found::One(name), _) => {
                if let Some(entry) = catalogue::find(name) {
                    ready_made(&entry, args.json, world)?;
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

fn configured_hook(configured: &Configured, world: &World) -> Result<()> {
    let hook = &configured.hook;
    world.terminal.line(format!("{} - {}", hook.name, hook.summary));
    let origin = hook.origin().map(ToString::to_string).unwrap_or_default();
    world.terminal.line(format!("declared at {origin}, runs on {}", fires(hook)));
    match &hook.action {
        Action::Builtin { name, kind } => {
            world.terminal.line(format!("built-in {name}, of the kind {kind}"));
            if let Some(entry) = catalogue::find(name) {
                world.terminal.line(format!("\n{}\n", entry.description.trim()));
            }
        }
        Action::Command(line) => world.terminal.line(format!("command: {line}")),
        Action::Argv(words) => world.terminal.line(format!("argv: {words:?}")),
        Action::Passed(passed) => {
            let entry = serde_json::to_string_pretty(&passed.keys)?;
            world.terminal.line(format!("run by the client itself, by this entry: {entry}"));
        }
    }
    for line in resolved(hook) {
        world.terminal.line(line);
    }
    if !hook.options.is_empty() {
        let options = serde_json::to_string_pretty(&hook.options)?;
        world.terminal.line(format!("options as they run: {options}"));
    }
    Ok(())
}

fn ready_made(entry: &Entry, json: bool, world: &World) -> Result<()> {
    if json {
        let events: Vec<&str> = entry.events.iter().map(|event| event.name()).collect();
        let report = serde_json::json!({
            "name": entry.name,
            "summary": entry.summary,
            "description": entry.description,
            "kind": entry.kind.name,
            "events": events,
            "matcher": entry.matcher,
            "options": entry.options,
        });
        world.terminal.line(report.to_string());
        return Ok(());
    }
    world.terminal.line(format!("{} - {}", entry.name, entry.summary));
    world.hint(format!("not configured here; add it with `hookman install {}`", entry.name));
    world.terminal.line(format!("\n{}\n", entry.description.trim()));
    let options = serde_json::to_string_pretty(&entry.options)?;
    world.terminal.line(format!("options: {options}"));
    Ok(())
}

//! `hookman release`: give adopted hooks back to settings.json as they were.

use anyhow::{Result, bail};
use serde_json::{Map, Value, json};

use super::adopting::{Place, Step};
use super::args::Release;
use super::beside::Beside;
use super::layers::Layers;
use super::list::fires;
use super::registering::{self, Target};
use super::{ExitStatus, World};
use crate::client::event::Event;
use crate::manifest::{Action, Hook, OnError, edit};
use crate::session::names::{self, Found};
use crate::settings::Registration;
use crate::settings::adoption::Rebuilt;

pub(super) fn release(args: &Release, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let early = target.lock_early(world, &args.writing)?;
    let place = Place::of(world, target)?;
    let target = &place.target;
    let asks = !args.all && args.names.is_empty();
    let adopted = place.adopted();
    if args.json || asks && (!world.terminal.can_choose() || adopted.is_empty()) {
        list(&adopted, target.flag(), args.json, world);
        return Ok(ExitStatus::Done);
    }
    let hooks = chosen(args, &adopted, world)?;
    if hooks.is_empty() {
        world.terminal.line("Nothing to release.");
        return Ok(ExitStatus::Done);
    }
    let step = plan(world, &place, &hooks, |layers| {
        if layers.all.hooks.is_empty() {
            return Ok(Vec::new());
        }
        registering::entries(world, target, layers, None)
    })?;
    let others = registering::propose_overlay(world, target, &step.layers, None)?;
    if step.carry_out(world, ("release", &args.writing), early, &others, Beside::default())? {
        world.terminal.line("Done.");
    }
    Ok(ExitStatus::Done)
}

/// The change that gives hooks back.
///
/// # Errors
///
/// When one stands in the overlay, or as [`Place::step`].
pub(super) fn plan<'p>(
    world: &World,
    place: &'p Place,
    hooks: &[&Hook],
    entries: impl FnOnce(&Layers) -> Result<Vec<Registration>>,
) -> Result<Step<'p>> {
    let mut text = place.manifest_text();
    let mut rebuilt = Vec::new();
    let mut names = Vec::new();
    // What was added last goes first, so that the text of each block is found as it was added.
    for hook in hooks.iter().rev() {
        let kept = place.adoption.hooks.iter().find(|kept| kept.hook == hook.name);
        let Some(without) = edit::remove(&text, &hook.name, kept.map(|kept| &*kept.block)) else {
            bail!("`{}` is not declared in the manifest itself", hook.name);
        };
        text = without;
        names.push(hook.name.as_str());
        if kept.is_none() {
            rebuilt.splice(0..0, as_handlers(hook)?);
        }
    }
    // A block that is gone from the manifest was released by hand.
    let gone = |name: &&str| !place.own_hooks().any(|hook| hook.name == *name);
    let kept = place.adoption.hooks.iter().map(|kept| &*kept.hook);
    names.extend(kept.filter(gone));
    let next = place.adoption.without(&names).rebuilt(&rebuilt)?;
    place.step(world, text, next, entries)
}

/// A hook as the handlers it would be without hookman, one for each of its events.
fn as_handlers(hook: &Hook) -> Result<Vec<Rebuilt>> {
    let mut handler = Map::new();
    handler.insert("type".to_owned(), "command".into());
    match &hook.action {
        Action::Builtin { name, .. } => bail!("`{name}` is hookman's own and cannot be released"),
        Action::Passed(_) => bail!(
            "`{}` is run by the client already; take it out of the manifest and run `hookman apply`",
            hook.name
        ),
        Action::Command(line) => {
            handler.insert("command".to_owned(), line.clone().into());
        }
        Action::Argv(words) => {
            let (program, arguments) = words.split_first().unzip();
            handler.insert("command".to_owned(), program.cloned().unwrap_or_default().into());
            handler.insert("args".to_owned(), arguments.unwrap_or_default().to_vec().into());
        }
    }
    let rebuilt = |event: &Event| {
        let mut handler = handler.clone();
        if hook.timeout_ms != event.facts().timeout_ms {
            handler.insert("timeout".to_owned(), seconds(hook.timeout_ms));
        }
        if hook.on_error == OnError::Closed {
            handler.insert("onFailure".to_owned(), "block".into());
        }
        handler.extend(hook.manner.handler_keys());
        let (event, matcher) = (event.name().to_owned(), hook.matcher.clone());
        Rebuilt { event, matcher, handler: handler.into() }
    };
    Ok(hook.events.iter().map(rebuilt).collect())
}

fn seconds(milliseconds: u64) -> Value {
    if milliseconds.is_multiple_of(1000) {
        return (milliseconds / 1000).into();
    }
    #[expect(clippy::cast_precision_loss, reason = "time limits are far below 2^52 milliseconds")]
    let seconds = milliseconds as f64 / 1000.0;
    seconds.into()
}

fn chosen<'p>(args: &Release, adopted: &[&'p Hook], world: &World) -> Result<Vec<&'p Hook>> {
    if args.all {
        return Ok(adopted.to_vec());
    }
    if args.names.is_empty() {
        let rows: Vec<String> = adopted.iter().map(|hook| row(hook)).collect();
        let picked = world.terminal.choose("Which hooks should go back?", &rows)?;
        return Ok(picked.unwrap_or_default().into_iter().map(|index| adopted[index]).collect());
    }
    let known: Vec<&str> = adopted.iter().map(|hook| hook.name.as_str()).collect();
    let mut chosen: Vec<&str> = Vec::new();
    for typed in &args.names {
        let name = match names::resolve(typed, &known) {
            Found::One(name) => name,
            Found::Several(several) => bail!("several match `{typed}`: {}", several.join(", ")),
            Found::None(Some(nearest)) => {
                bail!("no adopted hook matches `{typed}`; did you mean `{nearest}`?")
            }
            Found::None(None) => {
                bail!("no adopted hook matches `{typed}`; `hookman release` lists them")
            }
        };
        chosen.push(name);
    }
    Ok(adopted.iter().copied().filter(|hook| chosen.contains(&hook.name.as_str())).collect())
}

fn row(hook: &Hook) -> String {
    format!("{}  {}  {}", hook.name, fires(hook), hook.summary)
}

fn list(adopted: &[&Hook], flag: &str, as_json: bool, world: &World) {
    if as_json {
        let rows: Vec<_> = adopted
            .iter()
            .map(|hook| json!({"name": hook.name, "fires": fires(hook), "summary": hook.summary}))
            .collect();
        world.terminal.line(json!({"adopted": rows}).to_string());
        return;
    }
    if adopted.is_empty() {
        world.terminal.line("No hook is adopted here.");
        return;
    }
    for hook in adopted {
        world.terminal.line(row(hook));
    }
    world.hint(format!(
        "To give them back: `hookman release{flag} NAME…` or `hookman release{flag} --all`"
    ));
}

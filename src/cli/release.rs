//! `hookman release`: give adopted hooks back to settings.json as they were.

use anyhow::{Result, bail};
use serde_json::{Map, Value, json};

use super::adopting::Place;
use super::args::Release;
use super::beside::Beside;
use super::layers::Layers;
use super::list::fires;
use super::registering::{self, Target};
use super::step::Step;
use super::writes::Writes;
use super::{ExitStatus, World, consent, fence, remarks};
use crate::client::event::Event;
use crate::client::json::Document;
use crate::machine::lock::Lock;
use crate::machine::terminal::harmless;
use crate::manifest::{Action, Hook, OnError, edit};
use crate::session::names::{self, Found};
use crate::settings::Registration;
use crate::settings::adoption::{Rebuilt, candidates};

pub(super) fn release(args: &Release, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let early = target.lock_early(world, &args.writing)?;
    let place = Place::of(world, target)?;
    let target = &place.target;
    let asks = !args.all && args.names.is_empty();
    let mut adopted = adopted(&place)?;
    if args.forget && args.names.is_empty() {
        adopted.retain(|adopted| adopted.hook.is_none());
    }
    if args.json || asks && (!world.terminal.can_choose() || adopted.is_empty()) {
        list(&adopted, &place, args, world);
        return Ok(ExitStatus::Done);
    }
    let chosen = chosen(args, &adopted, world)?;
    if args.forget {
        return forget(args, &chosen, &place, early, world);
    }
    let chosen = with_twins(&chosen, &adopted, &place, world);
    if chosen.is_empty() {
        world.terminal.line("Nothing to release.");
        return Ok(ExitStatus::Done);
    }
    let hooks: Vec<&Hook> = chosen.iter().filter_map(|adopted| adopted.hook).collect();
    for hook in hooks.iter().filter(|hook| hook.enabled && !args.writing.dry_run) {
        fence::check(&hook.name, hook.audience.user_only)?;
    }
    let undeclared = chosen.iter().filter(|adopted| adopted.hook.is_none());
    let undeclared: Vec<&str> = undeclared.map(|adopted| &*adopted.name).collect();
    let step = plan(world, &place, (&hooks, &undeclared), |layers| {
        if layers.all.hooks.is_empty() {
            return Ok(Vec::new());
        }
        registering::entries(world, target, layers, None)
    })?;
    let others = registering::propose_overlay(world, target, &step.layers, None)?;
    remarks::of_release(world, &place, &hooks);
    let beside = if step.is_end() { Beside::done_with(world, target)? } else { Beside::default() };
    if step.carry_out(world, ("release", &args.writing), early, &others, beside)? {
        world.terminal.line("Done.");
    }
    Ok(ExitStatus::Done)
}

/// Forgets handlers that stand in neither file; the settings and the manifest stay as they are.
fn forget(
    args: &Release,
    chosen: &[&Released<'_>],
    place: &Place,
    early: Option<Lock>,
    world: &World,
) -> Result<ExitStatus> {
    let flag = place.target.flag();
    if let Some(declared) = chosen.iter().find(|released| released.hook.is_some()) {
        bail!(
            "`{}` stands in the manifest, so there is nothing to forget; `hookman release {}{flag}` puts \
             it back into the settings",
            declared.name,
            declared.name
        );
    }
    if chosen.is_empty() {
        world.terminal.line("Nothing to forget.");
        return Ok(ExitStatus::Done);
    }
    for released in chosen {
        world.terminal.line(format!("forgets {}", row(released)));
    }
    if !consent::given(world, &args.writing, "Forget this for good?")? {
        return Ok(ExitStatus::Done);
    }
    let _lock = place.target.lock(world, early)?;
    let names: Vec<&str> = chosen.iter().map(|released| released.name.as_str()).collect();
    Writes::all(world, |writes| place.forget(world, &names, writes))?;
    let forgotten = names.join(", ");
    world.hint(format!(
        "Forgot {forgotten}. `hookman backups{flag}` lists copies that may have it."
    ));
    Ok(ExitStatus::Done)
}

/// The change that gives hooks back, and the handlers whose hooks are gone from the manifest.
///
/// # Errors
///
/// When one stands in the overlay, or as [`Place::step`].
pub(super) fn plan<'p>(
    world: &World,
    place: &'p Place,
    (hooks, undeclared): (&[&Hook], &[&str]),
    entries: impl FnOnce(&Layers) -> Result<Vec<Registration>>,
) -> Result<Step<'p>> {
    let mut text = place.manifest_text();
    let mut names = Vec::new();
    // What was added last goes first, so that the text of each block is found as it was added.
    for hook in hooks.iter().rev() {
        let kept = place.adoption.hooks.iter().find(|kept| kept.hook == hook.name);
        let Some(without) = edit::remove(&text, &hook.name, kept.map(|kept| &*kept.block)) else {
            bail!("`{}` is not declared in the manifest itself", hook.name);
        };
        text = without;
        names.push(hook.name.as_str());
    }
    names.extend(undeclared);
    let now = place.presuming(hooks)?;
    let next = now.without(&names);
    place.step(world, text, (now, next), entries)
}

/// A hook as the handlers it would be without hookman, one for each of its events.
///
/// # Errors
///
/// When it is not run by a command.
pub(super) fn as_handlers(hook: &Hook) -> Result<Vec<Rebuilt>> {
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

/// What can go back to the settings.
struct Released<'p> {
    name: String,
    fires: String,
    summary: String,
    /// The hook; none where its block is gone from the manifest.
    hook: Option<&'p Hook>,
}

fn adopted(place: &Place) -> Result<Vec<Released<'_>>> {
    let declared = place.adopted().into_iter().map(|hook| Released {
        name: hook.name.clone(),
        fires: fires(hook),
        summary: hook.summary.clone(),
        hook: Some(hook),
    });
    let mut all: Vec<Released<'_>> = declared.collect();
    let names = place.undeclared();
    if names.is_empty() {
        return Ok(all);
    }
    let document = Document::parse(&place.adoption.original)?;
    let candidates = candidates(&document);
    for kept in place.adoption.hooks.iter().filter(|kept| names.contains(&&*kept.hook)) {
        let candidate = candidates.iter().find(|candidate| candidate.pointer == kept.pointer);
        let Some(candidate) = candidate else { continue };
        let (name, fires, summary) = (kept.hook.clone(), candidate.fires(), &candidate.summary);
        all.push(Released { name, fires, summary: summary.clone(), hook: None });
    }
    Ok(all)
}

fn chosen<'a, 'p>(
    args: &Release,
    adopted: &'a [Released<'p>],
    world: &World,
) -> Result<Vec<&'a Released<'p>>> {
    if args.all {
        return Ok(adopted.iter().collect());
    }
    if args.names.is_empty() {
        let rows: Vec<String> = adopted.iter().map(row).collect();
        let question =
            if args.forget { "Which are to be forgotten?" } else { "Which hooks should go back?" };
        let picked = world.terminal.choose(question, &rows)?;
        return Ok(picked.unwrap_or_default().into_iter().map(|index| &adopted[index]).collect());
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
    Ok(adopted.iter().filter(|hook| chosen.contains(&hook.name.as_str())).collect())
}

/// Those that were chosen and their twins, in the order they are listed in: of equal handlers the
/// client runs one, and it would not take what hookman runs for equal.
fn with_twins<'a, 'p>(
    chosen: &[&'a Released<'p>],
    adopted: &'a [Released<'p>],
    place: &Place,
    world: &World,
) -> Vec<&'a Released<'p>> {
    let handlers = |released: &Released<'_>| {
        let kept = place.adoption.handlers_of(&released.name);
        let rebuilt = || released.hook.and_then(|hook| as_handlers(hook).ok()).unwrap_or_default();
        if kept.is_empty() { rebuilt() } else { kept }
    };
    let taken: Vec<Rebuilt> = chosen.iter().flat_map(|released| handlers(released)).collect();
    let is_twin = |released: &Released<'_>| {
        handlers(released).iter().any(|handler| taken.iter().any(|it| it.is_twin_of(handler)))
    };
    let is_chosen = |released: &Released<'_>| chosen.iter().any(|it| it.name == released.name);
    let with = adopted.iter().filter(|released| {
        let goes_along = !is_chosen(released) && is_twin(released);
        if goes_along {
            let name = &released.name;
            world.terminal.line(format!("{name} goes back as well: it is the same handler"));
        }
        goes_along || is_chosen(released)
    });
    with.collect()
}

fn row(hook: &Released<'_>) -> String {
    let Released { name, fires, summary, .. } = hook;
    let gone = if hook.hook.is_none() { "  (gone from the manifest)" } else { "" };
    harmless(&format!("{name}  {fires}  {summary}{gone}"))
}

fn list(adopted: &[Released<'_>], place: &Place, args: &Release, world: &World) {
    let flag = place.target.flag();
    if args.json {
        let row = |it: &Released<'_>| {
            let Released { name, fires, summary, hook } = it;
            json!({"name": name, "fires": fires, "summary": summary, "declared": hook.is_some()})
        };
        let rows: Vec<_> = adopted.iter().map(row).collect();
        world.terminal.line(json!({"adopted": rows}).to_string());
        return;
    }
    if adopted.is_empty() {
        let none = if args.forget { "Nothing to forget." } else { "No hook is adopted here." };
        world.terminal.line(none);
        return;
    }
    for hook in adopted {
        world.terminal.line(row(hook));
    }
    let (to, option, back) =
        if args.forget { ("forget", " --forget", "") } else { ("give", "", " back") };
    let call = format!("hookman release{option}");
    world.hint(format!("To {to} them{back}: `{call} NAME…{flag}` or `{call} --all{flag}`"));
}

//! `hookman adopt`: run hooks that others installed, in their stead.

use anyhow::{Result, bail};
use serde_json::{Value, json};

use super::adopting::Place;
use super::args::Adopt;
use super::beside::Beside;
use super::elsewhere::handlers_elsewhere;
use super::layers::Layers;
use super::registering::{self, Target};
use super::step::Step;
use super::{ExitStatus, World, fence, remarks};
use crate::client::event::Event;
use crate::client::json::{Document, Kind, is_blank};
use crate::client::settings_schema::{self, Defect, Effect};
use crate::machine::terminal::harmless;
use crate::manifest::edit::{self, NewHook};
use crate::manifest::{Action, Manner, OnError};
use crate::session::names::{self, Found};
use crate::settings::adoption::{
    Adopted, Candidate, Program, Wrapped, candidates, suggest, unique,
};
use crate::settings::{Handler, Passed, Record, Registration, handlers};

pub(super) fn adopt(args: &Adopt, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let early = target.lock_early(world, &args.writing)?;
    fence::check_program(world, &target, args.binary.as_deref())?;
    let place = Place::of(world, target)?;
    let target = &place.target;
    let offers = offers(&place, world)?;
    let standing = place.standing();
    if offers.is_empty() && standing.is_empty() {
        refuse_malformed(&place, world)?;
    }
    let asks = !args.all && args.names.is_empty();
    if args.json || asks && (!world.terminal.can_choose() || offers.iter().all(Offer::is_refused)) {
        list(&offers, &place, args.json, world);
        return Ok(ExitStatus::Done);
    }
    let known = place.adopted().into_iter().map(|hook| hook.name.as_str());
    let known: Vec<&str> = known.filter(|name| !standing.contains(name)).collect();
    let (done, names): (Vec<&str>, Vec<&str>) =
        args.names.iter().map(String::as_str).partition(|name| known.contains(name));
    for name in &done {
        world.terminal.line(format!("{name} is adopted already"));
    }
    if !done.is_empty() && names.is_empty() {
        return Ok(ExitStatus::Done);
    }
    let chosen = chosen((args.all, &names), &offers, &standing, world)?;
    // What is adopted and stands there again is taken out like the first time.
    if chosen.is_empty() && (asks || standing.is_empty()) {
        world.terminal.line(if asks { "Nothing was chosen." } else { "Nothing to adopt." });
        return Ok(ExitStatus::Done);
    }
    let binary = args.binary.as_deref();
    let binary = binary.map(|binary| registering::binary_path(world, Some(binary))).transpose()?;
    let step = plan(
        &place,
        &chosen,
        |layers| registering::entries(world, target, layers, binary.as_deref()),
        world,
    )?;
    let others = registering::propose_overlay(world, target, &step.layers, binary.as_deref())?;
    let wrapped: Vec<_> = chosen.iter().map(|(name, _, wrapped)| (*name, *wrapped)).collect();
    remarks::of_adoption(world, &place, &wrapped);
    let is_chosen = |offer: &&Offer| wrapped.iter().any(|(name, _)| *name == offer.name);
    for offer in offers.iter().filter(is_chosen) {
        remarks::of_twin(world, &offer.name, offer.twin.as_deref());
    }
    let beside = Beside::of(world, target, binary.as_deref())?;
    if step.carry_out(world, ("adopt", &args.writing), early, &others, beside)? {
        let flag = target.flag();
        world.hint(format!("Done. `hookman release{flag}` gives an adopted hook back."));
    }
    Ok(ExitStatus::Done)
}

fn plan<'p>(
    place: &'p Place,
    chosen: &[Chosen<'_>],
    entries: impl FnOnce(&Layers) -> Result<Vec<Registration>>,
    world: &World,
) -> Result<Step<'p>> {
    let mut text = place.manifest_text();
    if !chosen.is_empty() {
        place.target.check_open(world, &text)?;
    }
    let mut adopted = Vec::new();
    for (name, pointer, wrapped) in chosen {
        let (with, block) = write(&text, name, wrapped);
        text = with;
        adopted.push(Adopted::new(*name, *pointer, block));
    }
    place.step(world, text, (place.adoption.clone(), place.with(adopted)), entries)
}

/// A handler of somebody else's with the name that its hook would have.
struct Offer {
    candidate: Candidate,
    name: String,
    /// Another settings file in which an equal handler stands.
    twin: Option<String>,
}

impl Offer {
    fn is_refused(&self) -> bool {
        self.candidate.wrapped.is_err()
    }
}

fn offers(place: &Place, world: &World) -> Result<Vec<Offer>> {
    let original = &place.adoption.original;
    if is_blank(original) {
        return Ok(Vec::new());
    }
    let document = Document::parse(original)?;
    let mut presumed = presumed(place, world);
    let elsewhere = handlers_elsewhere(world, &place.target);
    let standing = handlers(&document);
    let mut offers: Vec<Offer> = Vec::new();
    for candidate in candidates(&document) {
        if place.adoption.hooks.iter().any(|hook| hook.pointer == candidate.pointer) {
            continue;
        }
        let handler = document.lookup(&candidate.pointer).map(|node| document.value(node));
        let handler = handler.unwrap_or_default();
        let is_it =
            |ours: &Passed| is_same(ours, &candidate.event, candidate.matcher.as_deref(), &handler);
        if let Some(at) = presumed.iter().position(is_it) {
            presumed.swap_remove(at);
            continue;
        }
        let own = standing.iter().find(|it| it.pointer == candidate.pointer);
        let is_equal = |it: &Handler| {
            own.is_some_and(|own| (&own.event, &own.identity) == (&it.event, &it.identity))
        };
        let twin = elsewhere.iter().find(|(_, handler)| is_equal(handler));
        let twin = twin.map(|(shown, _)| shown.clone());
        let name = match &candidate.wrapped {
            Ok(wrapped) => unique(&suggest(&wrapped.program), wrapped.event, |name| {
                place.layers.all.hooks.iter().any(|hook| hook.name == name)
                    || offers.iter().any(|offer| offer.name == name)
            }),
            Err(_) => String::new(),
        };
        offers.push(Offer { candidate, name, twin });
    }
    Ok(offers)
}

/// The entries that the manifest has the client run without hookman and that are not remembered to be
/// hookman's, as in a fresh clone.
fn presumed(place: &Place, world: &World) -> Vec<Passed> {
    let count = |text: &str, ours: &Passed| {
        let Ok(document) = Document::parse(text) else { return 0 };
        handlers(&document)
            .iter()
            .filter(|it| is_same(ours, &it.event, it.matcher.as_deref(), &it.value))
            .count()
    };
    // Without a program there is no entry of ours that another could stand beside.
    let wanted = registering::entries(world, &place.target, &place.layers, None);
    let mut presumed = Record::presumed_for(place.text(), &wanted.unwrap_or_default()).passed;
    // What is remembered is not in the original any more.
    presumed.retain(|ours| count(place.text(), ours) == count(&place.adoption.original, ours));
    presumed
}

fn is_same(ours: &Passed, event: &str, matcher: Option<&str>, handler: &Value) -> bool {
    (&*ours.event, ours.matcher.as_deref(), &ours.handler) == (event, matcher, handler)
}

/// Refuses a file in which handlers may stand that neither hookman nor the client can read.
fn refuse_malformed(place: &Place, world: &World) -> Result<()> {
    if is_blank(place.text()) {
        return Ok(());
    }
    let document = Document::parse(place.text())?;
    let events: Vec<&str> = Event::ALL.iter().map(|event| event.name()).collect();
    let of_hooks = |defect: &Defect| {
        let is_there = defect.pointer.is_empty() || defect.pointer.starts_with("/hooks");
        is_there && matches!(defect.effect, Effect::FileDropped | Effect::KeyDropped)
    };
    // An event that the client does not know is read, and what stands under it is offered or not.
    let is_read = |defect: &Defect| {
        let event = defect.pointer.strip_prefix("/hooks/");
        let node = document.lookup(&defect.pointer);
        event.is_some_and(|event| !event.contains('/') && !events.contains(&event))
            && node.is_some_and(|node| matches!(node.kind, Kind::Array(_)))
    };
    let defects = settings_schema::check(&document, &events);
    let Some(defect) = defects.into_iter().find(|it| of_hooks(it) && !is_read(it)) else {
        return Ok(());
    };
    bail!(
        "`{}` is left alone: line {}, column {}: {}; {}. To do: {}",
        world.paths.shown(&place.target.settings),
        defect.line,
        defect.column,
        defect.message,
        defect.effect,
        defect.hint
    )
}

type Chosen<'o> = (&'o str, &'o str, &'o Wrapped);

fn chosen<'o>(
    (all, typed): (bool, &[&str]),
    offers: &'o [Offer],
    standing: &[&str],
    world: &World,
) -> Result<Vec<Chosen<'o>>> {
    let open: Vec<Chosen<'o>> = offers
        .iter()
        .filter_map(|offer| {
            let Offer { candidate, name, .. } = offer;
            Some((name.as_str(), candidate.pointer.as_str(), candidate.wrapped.as_ref().ok()?))
        })
        .collect();
    if all {
        return Ok(open);
    }
    if typed.is_empty() {
        let rows: Vec<String> =
            offers.iter().filter(|offer| !offer.is_refused()).map(row).collect();
        let indices = world.terminal.choose("Which hooks should hookman run?", &rows)?;
        let names = indices.unwrap_or_default().into_iter().map(|index| open[index].0);
        let names: Vec<&str> = names.collect();
        return Ok(picked(open, offers, |name| names.contains(&name)));
    }
    let known = open.iter().map(|(name, ..)| *name).chain(standing.iter().copied());
    let known: Vec<&str> = known.collect();
    let mut names: Vec<&str> = Vec::new();
    for typed in typed {
        match names::resolve(typed, &known) {
            Found::One(name) => names.push(name),
            Found::Several(several) => bail!("several match `{typed}`: {}", several.join(", ")),
            Found::None(Some(nearest)) => {
                bail!("no hook to adopt matches `{typed}`; did you mean `{nearest}`?")
            }
            Found::None(None) => {
                bail!("no hook to adopt matches `{typed}`; `hookman adopt` lists them")
            }
        }
    }
    Ok(picked(open, offers, |name| names.contains(&name)))
}

/// Those that were picked and their twins, in the order of the file.
fn picked<'o>(
    open: Vec<Chosen<'o>>,
    offers: &[Offer],
    is_picked: impl Fn(&str) -> bool,
) -> Vec<Chosen<'o>> {
    let picked: Vec<&Candidate> =
        offers.iter().filter(|it| is_picked(&it.name)).map(|offer| &offer.candidate).collect();
    let is_twin =
        |pointer: &str| picked.iter().any(|it| it.twins.iter().any(|twin| twin == pointer));
    let chosen = |(name, pointer, _): &Chosen<'o>| is_picked(name) || is_twin(pointer);
    open.into_iter().filter(chosen).collect()
}

fn row(offer: &Offer) -> String {
    let Offer { candidate, name, .. } = offer;
    harmless(&format!("{name}  {}  {}", candidate.fires(), candidate.summary))
}

fn write(text: &str, name: &str, wrapped: &Wrapped) -> (String, String) {
    let action = match &wrapped.program {
        Program::Command(line) => Action::Command(line.clone()),
        Program::Argv(words) => Action::Argv(words.clone()),
    };
    let manner = Manner {
        parallel: true,
        always: false,
        condition: wrapped.condition.clone(),
        background: wrapped.background,
        status_message: wrapped.status_message.clone(),
        adopted: true,
    };
    let hook = NewHook {
        name,
        event: wrapped.event,
        matcher: wrapped.matcher.as_deref(),
        action: &action,
        timeout_ms: wrapped.timeout_ms,
        on_error: if wrapped.closed { OnError::Closed } else { OnError::Open },
        manner: &manner,
    };
    edit::add(text, &hook)
}

fn list(offers: &[Offer], place: &Place, as_json: bool, world: &World) {
    let shown = world.paths.shown(&place.target.settings);
    if as_json {
        let rows: Vec<_> = offers
            .iter()
            .map(|offer| {
                let Offer { candidate, name, .. } = offer;
                json!({
                    "name": (!offer.is_refused()).then_some(name),
                    "event": candidate.event,
                    "matcher": candidate.matcher,
                    "summary": candidate.summary,
                    "pointer": candidate.pointer,
                    "reason": candidate.wrapped.as_ref().err(),
                })
            })
            .collect();
        let report = json!({
            "settings": place.target.settings,
            "handlers": rows,
            "standing": place.standing(),
        });
        world.terminal.line(report.to_string());
        return;
    }
    let (refused, open): (Vec<&Offer>, Vec<&Offer>) =
        offers.iter().partition(|offer| offer.is_refused());
    let (standing, flag) = (place.standing(), place.target.flag());
    if !standing.is_empty() {
        let names = standing.join(", ");
        world.terminal.line(format!("{shown} has handlers again that are adopted: {names}"));
        world.hint(format!("To take them out: `hookman apply{flag}`"));
    }
    if offers.is_empty() && standing.is_empty() {
        world.terminal.line(format!("{shown} has no hooks of others"));
        return;
    }
    if !open.is_empty() {
        world.terminal.line(format!("{shown} has hooks that hookman can run:"));
    }
    for offer in &open {
        world.terminal.line(format!("  {}", row(offer)));
    }
    if !refused.is_empty() {
        world.terminal.line("These stay where they are:");
    }
    for offer in refused {
        let reason = offer.candidate.wrapped.as_ref().err().map_or("", String::as_str);
        let summary = &offer.candidate.summary;
        let row = format!("  {}  {summary}\n    {reason}", offer.candidate.fires());
        world.terminal.line(harmless(&row));
    }
    if !open.is_empty() {
        world.hint(format!(
            "To adopt them: `hookman adopt NAME…{flag}` or `hookman adopt --all{flag}`"
        ));
    }
}

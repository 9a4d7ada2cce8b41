//! `hookman adopt`: run hooks that others installed, in their stead.

use anyhow::{Result, bail};
use serde_json::json;

use super::adopting::{Place, Step};
use super::args::Adopt;
use super::companion::Companions;
use super::ignoring::Ignoring;
use super::layers::Layers;
use super::registering::{self, Target};
use super::{ExitStatus, World, consent, settling};
use crate::client::json::{Document, is_blank};
use crate::manifest::edit::{self, NewHook};
use crate::manifest::{Action, Manner, OnError};
use crate::runtime::chains;
use crate::session::names::{self, Found};
use crate::settings::Registration;
use crate::settings::adoption::{
    Adopted, Candidate, Program, Wrapped, candidates, suggest, unique,
};

pub(super) fn adopt(args: &Adopt, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let early = target.lock_early(world, &args.writing)?;
    let place = Place::of(world, target)?;
    let target = &place.target;
    let offers = offers(&place)?;
    let asks = !args.all && args.names.is_empty();
    if args.json || asks && (!world.terminal.can_choose() || offers.iter().all(Offer::is_refused)) {
        list(&offers, &place, args.json, world);
        return Ok(ExitStatus::Done);
    }
    let chosen = chosen(args, &offers, world)?;
    if chosen.is_empty() {
        world.terminal.line("Nothing to adopt.");
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
    let beside = Beside::of(world, target)?;
    beside.show(world);
    step.show(world);
    registering::show_changing(world, &others);
    if !consent::given(world, &args.writing, "Write this?")? {
        return Ok(ExitStatus::Done);
    }
    let wait = settling::is_needed(world, &args.writing);
    let lock = target.lock(world, early)?;
    beside.write(world)?;
    step.write(world, "adopt", &lock)?;
    for other in &others {
        other.write(world, "adopt", &lock)?;
    }
    let _ = chains::compile(&world.paths, &target.chain);
    drop(lock);
    let mut written = registering::written(&others);
    written.push(&step);
    settling::settle(world, target, wait, &written)?;
    world.hint("Done. `hookman release` gives an adopted hook back.");
    Ok(ExitStatus::Done)
}

fn plan<'p>(
    place: &'p Place,
    chosen: &[Chosen<'_>],
    entries: impl FnOnce(&Layers) -> Result<Vec<Registration>>,
    world: &World,
) -> Result<Step<'p>> {
    let mut text = place.manifest_text();
    let mut adopted = Vec::new();
    for (name, pointer, wrapped) in chosen {
        let (with, block) = write(&text, name, wrapped);
        text = with;
        adopted.push(Adopted { hook: (*name).to_owned(), pointer: (*pointer).to_owned(), block });
    }
    place.step(world, text, place.with(adopted), entries)
}

/// What a project's entries need beside them: the launcher, and for what is one person's alone that
/// git does not see it.
struct Beside {
    companions: Option<Companions>,
    ignoring: Option<Ignoring>,
}

impl Beside {
    fn of(world: &World, target: &Target) -> Result<Self> {
        let Some(project) = &target.project else {
            return Ok(Self { companions: None, ignoring: None });
        };
        let companions = Some(Companions::of(world, target, None)?);
        let ignoring = if target.local { Ignoring::of(world, project)? } else { None };
        Ok(Self { companions, ignoring })
    }

    fn show(&self, world: &World) {
        if let Some(companions) = &self.companions {
            companions.show(world);
        }
        if let Some(ignoring) = &self.ignoring {
            ignoring.show(world);
        }
    }

    fn write(self, world: &World) -> Result<()> {
        if let Some(ignoring) = self.ignoring {
            ignoring.write(world)?;
        }
        match self.companions {
            Some(mut companions) => companions.write(),
            None => Ok(()),
        }
    }
}

/// A handler of somebody else's with the name that its hook would have.
struct Offer {
    candidate: Candidate,
    name: String,
}

impl Offer {
    fn is_refused(&self) -> bool {
        self.candidate.wrapped.is_err()
    }

    fn fires(&self) -> String {
        match self.candidate.matcher.as_deref().filter(|matcher| !matcher.is_empty()) {
            Some(matcher) => format!("{}({matcher})", self.candidate.event),
            None => self.candidate.event.clone(),
        }
    }
}

fn offers(place: &Place) -> Result<Vec<Offer>> {
    let original = &place.adoption.original;
    if is_blank(original) {
        return Ok(Vec::new());
    }
    let document = Document::parse(original)?;
    let mut offers: Vec<Offer> = Vec::new();
    for candidate in candidates(&document) {
        if place.adoption.hooks.iter().any(|hook| hook.pointer == candidate.pointer) {
            continue;
        }
        let name = match &candidate.wrapped {
            Ok(wrapped) => unique(&suggest(&wrapped.program), wrapped.event, |name| {
                place.layers.all.hooks.iter().any(|hook| hook.name == name)
                    || offers.iter().any(|offer| offer.name == name)
            }),
            Err(_) => String::new(),
        };
        offers.push(Offer { candidate, name });
    }
    Ok(offers)
}

type Chosen<'o> = (&'o str, &'o str, &'o Wrapped);

fn chosen<'o>(args: &Adopt, offers: &'o [Offer], world: &World) -> Result<Vec<Chosen<'o>>> {
    let open: Vec<Chosen<'o>> = offers
        .iter()
        .filter_map(|offer| {
            let Offer { candidate, name } = offer;
            Some((name.as_str(), candidate.pointer.as_str(), candidate.wrapped.as_ref().ok()?))
        })
        .collect();
    if args.all {
        return Ok(open);
    }
    if args.names.is_empty() {
        let rows: Vec<String> =
            offers.iter().filter(|offer| !offer.is_refused()).map(row).collect();
        let picked = world.terminal.choose("Which hooks should hookman run?", &rows)?;
        return Ok(picked.unwrap_or_default().into_iter().map(|index| open[index]).collect());
    }
    let known: Vec<&str> = open.iter().map(|(name, ..)| *name).collect();
    let mut names: Vec<&str> = Vec::new();
    for typed in &args.names {
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
    // The order of the file is kept, whatever the order of the names.
    Ok(open.into_iter().filter(|(name, ..)| names.contains(name)).collect())
}

fn row(offer: &Offer) -> String {
    format!("{}  {}  {}", offer.name, offer.fires(), offer.candidate.summary)
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
                let Offer { candidate, name } = offer;
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
        let report = json!({"settings": place.target.settings, "handlers": rows});
        world.terminal.line(report.to_string());
        return;
    }
    let (refused, open): (Vec<&Offer>, Vec<&Offer>) =
        offers.iter().partition(|offer| offer.is_refused());
    if offers.is_empty() {
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
        world.terminal.line(format!("  {}  {summary}\n    {reason}", offer.fires()));
    }
    if !open.is_empty() {
        let flag = place.target.flag();
        world.hint(format!(
            "To adopt them: `hookman adopt{flag} NAME…` or `hookman adopt{flag} --all`"
        ));
    }
}

//! `hookman status`: which hooks are on and off in a session, and which layer decided.

use anyhow::Result;
use serde_json::json;

use super::args::Status;
use super::configured::{self, Configured};
use super::switching::{self, Session};
use super::{ExitStatus, World};
use crate::machine::clock;
use crate::session::switches::Switches;

/// Why a hook is on or off: the layers are asked in this order and the first that speaks decides.
enum Layer<'a> {
    /// `enabled = false` in a manifest.
    Permanent(String),
    /// A switch of the session.
    Session(&'a str),
    /// Nothing switches it off.
    On,
}

pub(super) fn status(args: &Status, world: &World) -> Result<ExitStatus> {
    let hooks = configured::hooks(world)?;
    // Without a session there still is an answer: what the manifests say.
    let session = if args.session.session.is_some() {
        Some(switching::session(&args.session, world)?)
    } else {
        switching::session(&args.session, world).ok()
    };
    let (switches, damaged) = match &session {
        Some(session) => switching::switches(world, session)?,
        None => (Switches::default(), false),
    };
    let now = clock::unix_seconds();
    let rows: Vec<(&Configured, Layer<'_>)> =
        hooks.iter().map(|configured| (configured, layer(configured, &switches, now))).collect();
    if args.json {
        world.terminal.line(as_json(&rows, session.as_ref(), damaged).to_string());
        return Ok(ExitStatus::Done);
    }
    match &session {
        // The user of a slash command named no session, and need not be told who did.
        Some(session) if args.slash => world.terminal.line(format!("Session {}", session.id)),
        Some(session) => {
            world.terminal.line(format!("Session {} ({})", session.id, session.found_by));
        }
        None => world.terminal.line("Not inside a session: only the permanent switches are shown"),
    }
    if damaged {
        let file = session.as_ref().map(|session| switching::switches_file(world, session));
        let file = file.map(|file| world.paths.shown(&file)).unwrap_or_default();
        world.terminal.line(format!("The switches in {file} are damaged, so nothing is switched"));
    }
    if rows.is_empty() {
        world.terminal.line(configured::none(world));
    }
    let width = rows.iter().map(|(row, _)| row.hook.name.chars().count()).max().unwrap_or_default();
    for (Configured { hook, .. }, layer) in &rows {
        let (state, why) = described(layer);
        world.terminal.line(format!("  {:width$}  {state:3}  {why}", hook.name).trim_end());
    }
    Ok(ExitStatus::Done)
}

fn layer<'a>(configured: &Configured, switches: &'a Switches, now: i64) -> Layer<'a> {
    let hook = &configured.hook;
    if !hook.enabled {
        let origin = hook.origins.get("enabled").map(ToString::to_string);
        return Layer::Permanent(origin.unwrap_or_default());
    }
    switches.off(&hook.name, now).map_or(Layer::On, |off| Layer::Session(&off.since))
}

fn described(layer: &Layer<'_>) -> (&'static str, String) {
    match layer {
        Layer::Permanent(origin) => ("off", format!("for good, {origin}")),
        Layer::Session(since) => ("off", format!("for this session, since {since}")),
        Layer::On => ("on", String::new()),
    }
}

fn as_json(
    rows: &[(&Configured, Layer<'_>)],
    session: Option<&Session>,
    damaged: bool,
) -> serde_json::Value {
    let hooks: Vec<_> = rows
        .iter()
        .map(|(configured, layer)| {
            let decided_by = match layer {
                Layer::Permanent(_) => "permanent",
                Layer::Session(_) => "session",
                Layer::On => "on",
            };
            json!({
                "hook": configured.hook.name,
                "scope": configured.scope,
                "on": matches!(layer, Layer::On),
                "decided_by": decided_by,
                "why": described(layer).1,
            })
        })
        .collect();
    json!({
        "session": session.map(|session| &session.id),
        "found_by": session.map(|session| session.found_by),
        "switches_damaged": damaged,
        "hooks": hooks,
    })
}

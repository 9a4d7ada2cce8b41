//! Switching hooks for good: in the manifest, as text.

use anyhow::Result;
use serde_json::json;

use super::{ExitStatus, args, switching};
use crate::install::change::Change;
use crate::install::consent::Question;
use crate::install::options::Writing;
use crate::install::permanent_switch::{Asked, PermanentSwitch};
use crate::install::target::Target;
use crate::install::transaction::Transaction;
use crate::machine::world::World;
use crate::session::request::Verb;
use crate::settings::Colour;
use crate::state::configured;
use crate::state::reply::Reply;
use crate::state::switchable::Switchable;

/// Sets or removes `enabled = false` where the hooks are declared, and shows the change; a project's
/// hooks only with `--project`, because their manifest is everybody's. All of them are switched or
/// none; of `several` that no name was typed for, those of the other manifest stay.
pub(super) fn switch(
    verb: Verb,
    hooks: &[Switchable],
    several: bool,
    which: &args::Which,
    world: &World,
) -> Result<ExitStatus> {
    let asked = Asked { verb, several, project: which.project, dry_run: which.dry_run };
    let chains = configured::chains(world);
    let chain = chains.into_iter().find(|chain| chain.scope == asked.scope());
    // Of many that switch at once each sees what the ones before it wrote.
    let writing = Writing { dry_run: which.dry_run, yes: true, no_wait: true };
    let target = chain.as_ref().map(|chain| Target::of_chain(chain, world));
    let transaction =
        target.map(|target| Transaction::begin(world, &target, &writing)).transpose()?;
    let switch = PermanentSwitch::of(world, chain, hooks, asked)?;
    let changes = !switch.is_empty();
    if !which.json {
        switch.show(world);
    }
    if let Some(transaction) = transaction.filter(|_| changes && !which.dry_run) {
        transaction.commit(verb.name(), &Question::new("Write this?"), &[&switch])?;
    }
    let diff = switch.diff(world, Colour::Never);
    let mut lines = switch.lines;
    if which.dry_run {
        lines.push("Nothing was written (--dry-run).".to_owned());
    } else if changes {
        let flag = if which.project { " --project" } else { "" };
        lines.push(format!("`hookman apply{flag}` brings settings.json in line"));
    }
    let text = lines.join("\n");
    let reply = Reply { text, changed: changes && !which.dry_run, ..Reply::default() };
    if !which.json {
        return Ok(switching::told(which, world, &reply));
    }
    let mut report = switching::as_json(&reply, None);
    report["would_change"] = json!(changes);
    report["diff"] = json!(diff);
    world.terminal.line(report.to_string());
    Ok(ExitStatus::Done)
}

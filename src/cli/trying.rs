//! Running the commands of hooks that came in, where the user wants to see that they work.

use anyhow::Result;

use super::exit::ExitStatus;
use crate::doctor::Facts;
use crate::doctor::trial::{self, Tried};
use crate::install::target::{Target, Writing};
use crate::machine::terminal::harmless;
use crate::machine::world::World;
use crate::manifest::{Action, Hook};

/// Asks whether to run the commands of hooks once, and runs them; gives `Found` where one failed.
pub(super) fn offer(
    world: &World,
    target: &Target,
    writing: &Writing,
    hooks: &[Hook],
) -> Result<ExitStatus> {
    let is_command =
        |hook: &&Hook| hook.enabled && matches!(hook.action, Action::Command(_) | Action::Argv(_));
    let names: Vec<&str> = hooks.iter().filter(is_command).map(|hook| hook.name.as_str()).collect();
    if names.is_empty() || writing.yes || !world.terminal.can_ask() {
        return Ok(ExitStatus::Done);
    }
    let question = format!(
        "\nRun {} once with made-up calls, to see that it works? It runs for real.",
        names.join(", ")
    );
    if !world.terminal.confirm(&harmless(&question))? {
        return Ok(ExitStatus::Done);
    }
    let facts = Facts::gather(&world.paths, target.project.as_deref(), None);
    let is_meant = |hook: Option<&str>| hook.is_some_and(|hook| names.contains(&hook));
    let tried = trial::run(&facts, &|_, hook| is_meant(hook))?;
    let tried: Vec<Tried> = tried.into_iter().filter(|it| is_meant(it.hook.as_deref())).collect();
    for it in &tried {
        world.terminal.line(harmless(&line(it)));
    }
    let has_failed = tried.iter().any(|it| it.problem.is_some());
    Ok(if has_failed { ExitStatus::Found } else { ExitStatus::Done })
}

pub(super) fn line(tried: &Tried) -> String {
    let Tried { place, hook, event, problem, note, us, .. } = tried;
    let hook = hook.as_ref().map(|hook| format!(" `{hook}`")).unwrap_or_default();
    let note = note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
    match (problem, us) {
        (Some(problem), _) => format!("failed (run)  {place} {event}{hook}: {problem}"),
        (None, None) => format!("not run       {place} {event}{hook}{note}"),
        (None, Some(us)) => {
            let (ms, tenth) = (us / 1000, us % 1000 / 100);
            format!("ran           {place} {event}{hook} in {ms}.{tenth} ms{note}")
        }
    }
}

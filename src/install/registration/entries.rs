//! The demands of a manifest's hooks on the client.

use crate::adoption::{Declared, Program};
use crate::client::event::Event;
use crate::client::host::files::{FILES, Files};
use crate::client::host::{CLAUDE, Host};
use crate::manifest::{Action, Hook, Manifest};
use crate::settings::wanted::{Demand, Own};
use crate::state::host_files;

/// Lists the demands of a chain's hooks on a program: one for each event of each enabled hook for it.
pub(crate) fn demands<'h>(hooks: &'h [Hook], host: &Host) -> Vec<Demand<'h>> {
    hooks
        .iter()
        .filter(|hook| hook.enabled && hook.audience.includes(host.name))
        .flat_map(|hook| {
            hook.events.iter().map(|event| Demand {
                event: *event,
                matcher: hook.matcher.as_deref(),
                timeout_ms: hook.timeout_ms,
                parallel: hook.manner.parallel,
                own: own(hook),
            })
        })
        .collect()
}

/// Lists the demands of a chain's hooks on Claude Code's settings, with those of the programs that run
/// their entries too. Such a program has other names than the matchers, so there its hooks have none.
pub(crate) fn demands_on_settings<'h>(
    hooks: &'h [Hook],
    manifest: &Manifest,
    in_project: bool,
) -> Vec<Demand<'h>> {
    let mut all = demands(hooks, &CLAUDE);
    for of in FILES.iter().filter(|of| host_files::runs_claudes(manifest, in_project, of)) {
        let its = hooks.iter().filter(|hook| {
            let has_entry = hook.audience.includes(CLAUDE.name) && own(hook).is_some();
            hook.enabled && host_files::calls(of, hook) && !has_entry
        });
        all.extend(its.flat_map(|hook| {
            let events = hook.events.iter().filter(|event| of.has(**event));
            let demand = |event: &Event| Demand {
                event: *event,
                matcher: None,
                timeout_ms: hook.timeout_ms,
                parallel: hook.manner.parallel,
                own: None,
            };
            events.map(demand)
        }));
    }
    all
}

fn own(hook: &Hook) -> Option<Own<'_>> {
    let (passed, keys) = match hook.passed() {
        Some(passed) => (true, passed.keys.clone()),
        None => (false, hook.manner.own_entry()?),
    };
    Some(Own { hook: &hook.name, passed, keys })
}

/// The hooks that a settings file's manifest declares: the committed ones, or those of the overlay.
pub(crate) fn own_hooks<'h>(
    local: bool,
    committed: &'h [Hook],
    all: &'h [Hook],
) -> impl Iterator<Item = &'h Hook> {
    let own = move |hook: &&Hook| !local || !committed.iter().any(|it| it.name == hook.name);
    if local { all } else { committed }.iter().filter(own)
}

/// Returns whether a hook that is adopted came from a program's file, or else from Claude Code's settings.
pub(crate) fn is_from(hook: &Hook, of: Option<&Files>) -> bool {
    match (hook.audience.hosts.as_slice(), of) {
        ([one], Some(of)) => *one == of.host.name,
        ([one], None) => *one == CLAUDE.name,
        (_, of) => of.is_none(),
    }
}

/// The hooks of a manifest as adoption from a file sees them.
pub(crate) fn declared<'h>(
    hooks: impl IntoIterator<Item = &'h Hook>,
    of: Option<&Files>,
) -> Vec<Declared<'h>> {
    let declared = |hook: &'h Hook| Declared {
        hook: &hook.name,
        adopted: hook.manner.adopted && is_from(hook, of),
        program: match &hook.action {
            Action::Builtin { .. } | Action::Passed(_) => None,
            Action::Command(line) => Some(Program::Command(line.clone())),
            Action::Argv(words) => Some(Program::Argv(words.clone())),
        },
        events: &hook.events,
        matcher: hook.matcher.as_deref(),
        condition: hook.manner.condition.as_deref(),
    };
    hooks.into_iter().map(declared).collect()
}

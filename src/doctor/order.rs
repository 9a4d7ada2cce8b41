//! Whether the gates come before what they guard.

use super::{Check, Facts, Findings, Level};
use crate::client::event::{Block, Event};
use crate::manifest::{Action, Hook, OnError, Origin};

pub(super) const CHECKS: &[Check] = &[Check {
    id: "gate-order",
    about: "hooks that must hold run before hooks with side effects",
    notice: "a command has acted on a call that the gate then blocks",
    run: gates_first,
}];

fn gates_first(facts: &Facts, findings: &mut Findings) {
    for (_, manifest) in facts.manifests() {
        let hooks: Vec<&Hook> = manifest.hooks.iter().filter(|hook| hook.enabled).collect();
        for (index, gate) in hooks.iter().enumerate().filter(|(_, hook)| is_gate(hook)) {
            let earlier = hooks[..index].iter().find(|hook| acts(hook) && meet(hook, gate));
            if let Some(earlier) = earlier {
                findings.add(
                    Level::Warning,
                    gate.origin().map(Origin::place).unwrap_or_default(),
                    format!(
                        "`{}` must hold but runs after `{}`, which has acted by then on calls that are blocked",
                        gate.name, earlier.name
                    ),
                    format!("move `{}` above `{}` in the manifest", gate.name, earlier.name),
                );
            }
        }
    }
}

fn is_gate(hook: &Hook) -> bool {
    hook.on_error == OnError::Closed
}

// A built-in hook is silent or decides; only a command may have done something else.
fn acts(hook: &Hook) -> bool {
    !is_gate(hook) && matches!(hook.action, Action::Command(_) | Action::Argv(_))
}

fn meet(one: &Hook, other: &Hook) -> bool {
    let gated = |event: &&Event| event.facts().block != Block::Never;
    one.events.iter().filter(gated).any(|event| other.events.contains(event))
}

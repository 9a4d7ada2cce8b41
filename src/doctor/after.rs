//! Do hooks come behind what they need?

use super::check::Check;
use super::facts::Facts;
use super::finding::{Findings, Level};
use crate::client::event::Event;
use crate::manifest::{Action, Hook, Origin};
use crate::syntax::suggestion::nearest;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "after-order",
        about: "hooks come behind those that their `after` names",
        notice: "the hook does not see what those before it were to do",
        run: after,
    },
    Check {
        id: "mark-hook",
        about: "hooks that let through what is marked have a hook that marks",
        notice: "the hook refuses or advises each time, as nothing is ever marked",
        run: marks,
    },
];

fn after(facts: &Facts, findings: &mut Findings) {
    for (chain, manifest) in facts.manifests() {
        for (index, hook) in manifest.hooks.iter().enumerate().filter(|(_, hook)| hook.enabled) {
            let place = hook.origins.get("after").map(Origin::place).unwrap_or_default();
            for name in &hook.manner.after {
                let found = manifest.hooks.iter().position(|other| other.name == *name);
                let (message, fix) = match found.map(|at| (at, &manifest.hooks[at])) {
                    None => (
                        format!(
                            "`{}` is to come after `{name}`, and {} has no such hook",
                            hook.name, chain.shown
                        ),
                        match nearest(name, manifest.hooks.iter().map(|it| it.name.as_str())) {
                            Some(near) => format!("write `{near}`"),
                            None => "correct the name, or leave it out".to_owned(),
                        },
                    ),
                    Some((_, other)) if !other.enabled => (
                        format!("`{}` is to come after `{name}`, which is switched off", hook.name),
                        format!("run `hookman enable {name} --permanent`"),
                    ),
                    Some((at, _)) if at >= index => (
                        format!("`{}` is to come after `{name}`, and runs before it", hook.name),
                        format!("move `{name}` above `{}` in the manifest", hook.name),
                    ),
                    Some((_, other)) if !hook.events.iter().any(|it| other.events.contains(it)) => {
                        continue;
                    }
                    Some((_, other)) if other.manner.background => (
                        format!(
                            "`{}` is to come after `{name}`, which nobody waits for",
                            hook.name
                        ),
                        format!("leave `async` out of `{name}`"),
                    ),
                    Some((_, other)) if other.manner.parallel && hook.manner.parallel => (
                        format!(
                            "`{}` is to come after `{name}`, and both run side by side",
                            hook.name
                        ),
                        format!("leave `parallel` out of `{}`", hook.name),
                    ),
                    Some(_) => continue,
                };
                findings.add(Level::Warning, place.clone(), message, fix);
            }
        }
    }
}

/// Ready-made hooks that share a mark: one half asks for it, and the other sets it.
fn marks(facts: &Facts, findings: &mut Findings) {
    const HALVES: [(&str, &str); 2] =
        [("content-guard", "graph-easy-mark"), ("prefer-tool", "codegraph-turn-mark")];
    let hooks = || facts.hooks().filter(|hook| hook.enabled);
    for hook in hooks() {
        let Action::Builtin { kind, .. } = &hook.action else { continue };
        let Some((_, half)) = HALVES.iter().find(|(guard, _)| guard == kind) else { continue };
        let shared = hook.options.get("shared").and_then(|it| it.as_str()).unwrap_or_default();
        let asks = hook.events.contains(&Event::PreToolUse);
        let is_marked = |other: &Hook| {
            let same = other.options.get("shared").and_then(|it| it.as_str()) == Some(shared);
            same && other.events.contains(&Event::PostToolUse)
        };
        if asks && !shared.is_empty() && !hooks().any(is_marked) {
            findings.add(
                Level::Warning,
                hook.origin().map(Origin::place).unwrap_or_default(),
                format!("nothing sets the mark that `{}` lets calls through by", hook.name),
                format!("run `hookman install {half}`, or leave `event` out of the hook"),
            );
        }
    }
}

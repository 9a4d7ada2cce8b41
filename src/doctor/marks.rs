//! Does a hook set the mark that another one asks for?

use super::check::Findings;
use super::facts::Facts;
use crate::client::Event;
use crate::manifest::{Action, Hook};

/// Ready-made hooks that share a mark: one half asks for it, and the other sets it.
pub(super) fn marks(facts: &Facts, findings: &mut Findings) {
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
            findings.say("mark-unset", hook.place_of("hook"), &[&hook.name, &half]);
        }
    }
}

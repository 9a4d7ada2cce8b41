//! Hooks in places where the client reads none.
//!
//! Client 2.1.329 applies nothing of a file in which something could be a guard that does not hold:
//! `PreToolUse` or `PermissionRequest` as a key, or a group of handlers under a key that is no event.
//! It looks four levels deep and passes over keys that hold other people's names. 2.1.197 does not
//! mind. Measured on both versions.

use super::check::{Check, Pointer, last_of_each};
use super::defect::{Effect, Effects};
use crate::syntax::json::{Kind, Node};
use crate::syntax::named::words;

pub(super) const GUARDS: [&str; 2] = ["PreToolUse", "PermissionRequest"];

/// Keys below which nothing is taken for hooks.
const PASSED_OVER: [&str; 9] = words(
    "enabledPlugins env extraKnownMarketplaces lspServers managedMcpServers mcpServers \
     modelSettings pluginConfigs skillOverrides",
);

/// The number of keys and indices that may lead to a finding.
const DEPTH: usize = 5;

const DROPS: Effects = Effects { newest: Effect::FileDropped, oldest: Effect::Harmless };

#[derive(Clone, Copy)]
pub(super) struct Search {
    depth: usize,
    /// True if this belongs to an event that guards nothing, so that groups are its own.
    in_event: bool,
}

impl Search {
    pub(super) const START: Self = Self { depth: 0, in_event: false };

    /// One level below `hooks`, in an event or not.
    pub(super) fn event(in_event: bool) -> Self {
        Self { depth: 1, in_event }
    }

    fn below(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}

impl Check<'_, '_> {
    pub(super) fn parked(&mut self, pointer: &Pointer<'_>, node: &Node, search: Search) {
        let below = search.below();
        if below.depth > DEPTH {
            return;
        }
        match &node.kind {
            Kind::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    self.parked(&pointer.at(index), element, below);
                }
            }
            Kind::Object(members) => {
                for member in last_of_each(self.document, members) {
                    let key = self.document.key(member);
                    let is_top = search.depth == 0 && key == "hooks" && pointer.is_root();
                    if !is_top && !PASSED_OVER.contains(&key.as_ref()) {
                        self.parked_key(&pointer.key(&key), &key, &member.value, below);
                    }
                }
            }
            _ => {}
        }
    }

    pub(super) fn parked_key(
        &mut self,
        pointer: &Pointer<'_>,
        key: &str,
        node: &Node,
        search: Search,
    ) {
        let is_empty = match &node.kind {
            Kind::Null => true,
            Kind::Array(elements) => elements.is_empty(),
            _ => false,
        };
        if GUARDS.contains(&key) {
            if !is_empty {
                let message = format!("`{key}` outside of `hooks` holds something");
                let hint = "move it into `hooks` at the top of the file if it is to run, or delete it; \
                            `hookman disable` switches a hook off";
                self.report(DROPS, pointer, node, message, hint);
            }
            return;
        }
        if key == "hooks" && !search.in_event && !is_empty && matches!(node.kind, Kind::Array(_)) {
            let message = "a group of handlers outside of its event in `hooks`";
            let hint = "put it under its event in `hooks`, or keep it in another file; `hookman \
                        disable` switches a hook off";
            self.report(DROPS, pointer, node, message, hint);
            return;
        }
        let is_event = self.known_events.contains(key);
        self.parked(pointer, node, Search { in_event: search.in_event || is_event, ..search });
    }
}

//! The containers of a draft: what is spliced in and out of them, and what is left of the file.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::syntax::json::{Span, child};

use super::{Draft, Outcome};
use crate::settings::{
    edit::{Reshape, apply},
    layout::{Item, Part},
};

impl Draft<'_, '_, '_> {
    /// Makes the splices of the containers, and `text`, the document's with comments, with all of them.
    pub(crate) fn finish(mut self, text: &str) -> Outcome {
        self.reshape_events();
        let left = self.reshape_hooks_and_root();
        let made_root = self.record.has_made("");
        let none_wanted = self.pairings.iter().all(|pairing| pairing.missing.is_empty());
        let entries = self.survey.events.iter().flat_map(|event| &event.groups);
        let foreign = entries.map(|group| group.handlers.len() - group.ours.len()).sum();
        let after = if left || !none_wanted || !(self.record.file_made || made_root) {
            let plain = self.document.text();
            Some(apply(text, plain, &self.editor.splices()))
        } else {
            (!self.record.file_made).then(|| without_root(text, self.document.root().span))
        };
        let Self { record, changes, operations, .. } = self;
        Outcome { after, record, changes, operations, foreign }
    }

    fn reshape_events(&mut self) {
        let survey = self.survey;
        for (index, event) in survey.events.iter().enumerate() {
            if self.gone_events.contains(&index) {
                continue;
            }
            let groups: Vec<Value> =
                self.pairings[index].missing.iter().map(|missing| missing.group()).collect();
            let pointer = child("/hooks", &event.name);
            let removed = std::mem::take(&mut self.gone_groups[index]);
            self.reshape(
                &pointer,
                &Reshape {
                    container: event.array,
                    parent: survey.hooks.map(|hooks| &hooks.value),
                    part: Part::Event,
                    removed,
                    added: groups.iter().map(|value| Item { key: None, value }).collect(),
                    hollow: None,
                },
            );
        }
    }

    fn reshape_hooks_and_root(&mut self) -> bool {
        let root = self.document.root();
        let members = root.members().unwrap_or_default();
        let mut events = Map::new();
        for (event, registrations) in &self.new_events {
            let groups: Vec<Value> = registrations.iter().map(|new| new.group()).collect();
            events.insert((*event).to_owned(), groups.into());
        }
        let new_hooks = Value::Object(events.clone());
        let mut removed = BTreeSet::new();
        let mut added: Vec<Item<'_>> = Vec::new();
        match self.survey.hooks {
            Some(hooks) if self.hooks_gone => {
                removed.extend(members.iter().position(|member| member.key == hooks.key));
            }
            Some(hooks) => {
                let events_of = &self.survey.events;
                let gone = self.gone_events.iter().map(|index| events_of[*index].index).collect();
                self.reshape(
                    "/hooks",
                    &Reshape {
                        container: &hooks.value,
                        parent: Some(root),
                        part: Part::Hooks,
                        removed: gone,
                        added: events
                            .iter()
                            .map(|(event, value)| Item { key: Some(event), value })
                            .collect(),
                        hollow: None,
                    },
                );
            }
            None if events.is_empty() => {}
            None => added.push(Item { key: Some("hooks"), value: &new_hooks }),
        }
        let left = removed.len() < members.len() || !added.is_empty();
        let (parent, part, hollow) = (None, Part::Root, None);
        self.reshape("", &Reshape { container: root, parent, part, removed, added, hollow });
        left
    }

    /// Reshapes a container, with the blanks of empty ones taken from and put on record.
    fn reshape(&mut self, pointer: &str, reshape: &Reshape<'_, '_>) {
        if reshape.removed.is_empty() && reshape.added.is_empty() {
            return;
        }
        let hollow = self.record.hollow.remove(pointer);
        let items = reshape
            .container
            .members()
            .map_or_else(|| reshape.container.elements().map_or(0, <[_]>::len), <[_]>::len);
        let emptied = reshape.removed.len() == items && reshape.added.is_empty();
        let found = self.editor.reshape(&Reshape {
            hollow: hollow.as_deref(),
            removed: reshape.removed.clone(),
            added: reshape.added.clone(),
            ..*reshape
        });
        if let Some(blanks) = found.or(hollow.filter(|_| !emptied)) {
            self.record.hollow.insert(pointer.to_owned(), blanks);
        }
    }
}

/// The text of a file that was blank, without the value that filled it and the newline behind it.
pub(crate) fn without_root(text: &str, span: Span) -> String {
    let rest = &text[span.end..];
    let rest = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')).unwrap_or(rest);
    format!("{}{rest}", &text[..span.start])
}

//! The adoptions of a copy of a settings file that is put back.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{Adopted, Adoption, filled, lines, rejoin};
use crate::settings::{plan, record::Record, refusal::Refusal, undo::Undo};

/// What is kept with a copy of a settings file, which can be put back.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Copied {
    /// What was adopted, in line with the text; none where nothing ever was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adopted: Option<Adoption>,
    /// The record of the entries of ours in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<Record>,
}

impl Copied {
    /// What is kept with a text.
    pub fn new(adopted: Option<&Adoption>, undo: Option<&Undo>) -> Self {
        let adopted = adopted.map(|adopted| Adoption { snapshots: Vec::new(), ..adopted.clone() });
        Self { adopted, record: undo.map(|undo| undo.record.clone()) }
    }

    /// Whether there is nothing to keep.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What to keep of the entries of ours once the text is back.
    ///
    /// # Errors
    ///
    /// The [`Refusal`] of the plan for their removal.
    pub fn undo(&self, text: &str) -> Result<Option<Undo>, Refusal> {
        let Some(record) = &self.record else { return Ok(None) };
        let original = plan(Some(text), &[], record)?.after;
        Ok(Some(Undo { original, after: text.to_owned(), record: record.clone() }))
    }
}

impl Adoption {
    /// The adopted handlers, each as one line; an empty one where the original has it not.
    pub(super) fn lines(&self) -> Vec<String> {
        let all = lines(&self.original, false).unwrap_or_default();
        let mut all: HashMap<String, String> = all.into_iter().collect();
        self.hooks.iter().map(|hook| all.remove(&hook.pointer).unwrap_or_default()).collect()
    }

    /// What `then` had adopted and what these have, over the original of `then`. A handler of both
    /// has the name that it has in these; one that only `then` has is renamed where its name is
    /// another's.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] where a text is no JSON or a value is in the way.
    pub(super) fn over(
        &self,
        then: &Self,
        is_another: impl Fn(&str) -> bool,
    ) -> Result<Self, Refusal> {
        let mut left: Vec<(&Adopted, String)> = self.hooks.iter().zip(self.lines()).collect();
        let mut hooks: Vec<Adopted> = Vec::new();
        let mut renamed = Vec::new();
        for (hook, line) in then.hooks.iter().zip(then.lines()) {
            let same = |(known, _): &(&Adopted, String)| known.hook == hook.hook;
            let named = left.iter().position(|it| it.1 == line && same(it));
            let known = named.or_else(|| left.iter().position(|(_, known)| *known == line));
            if let Some(known) = known.map(|known| left.remove(known).0) {
                let (pointer, missed) = (hook.pointer.clone(), hook.missed);
                hooks.push(Adopted { pointer, missed, ..known.clone() });
            } else {
                renamed.push(hooks.len());
                hooks.push(hook.clone());
            }
        }
        for index in renamed {
            let is_free = |name: &String| {
                !left.iter().any(|(hook, _)| hook.hook == *name) && !is_another(name)
            };
            let name = hooks[index].hook.clone();
            if !is_free(&name) {
                let free = (2..1000).map(|number| format!("{name}-{number}")).find(is_free);
                hooks[index].hook = free.unwrap_or(name);
            }
        }
        let made_manifest = self.made_manifest.or(then.made_manifest);
        let mut all = Self { hooks, made_manifest, ..then.clone() };
        all.snapshots.extend(self.snapshots.iter().cloned());
        let pointers: Vec<&str> = left.iter().map(|(hook, _)| &*hook.pointer).collect();
        if pointers.is_empty() {
            return Ok(all);
        }
        let (original, places) = rejoin::rejoin(filled(&then.original), &self.original, &pointers)?;
        let wanted = all.lines();
        let mut free = lines(&original, false)?;
        free.retain(|(pointer, _)| !places.contains(pointer));
        for (hook, line) in all.hooks.iter_mut().zip(wanted) {
            if let Some(found) = free.iter().position(|(_, free)| *free == line) {
                hook.pointer = free.remove(found).0;
            }
        }
        let more = left.iter().zip(places);
        all.hooks.extend(more.map(|((hook, _), pointer)| Adopted { pointer, ..(*hook).clone() }));
        all.original = original;
        Ok(all)
    }
}

//! Readings of a settings text, its handlers and the rest, and taking handlers out of it.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value};

use crate::settings::Registration;
use crate::settings::edit::{Editor, apply};
use crate::settings::inventory::{Event, Survey, handlers};
use crate::settings::layout::Part;
use crate::settings::plan::Plan;
use crate::settings::record::Record;
use crate::settings::refusal::{Refusal, filled};
use crate::syntax::json::{Document, without_comments};

/// The text without hookman's entries.
pub(super) fn bare(text: &str, record: &Record) -> Result<String, Refusal> {
    let removal = crate::settings::plan(Some(text), &[], record)?;
    Ok(removal.after.unwrap_or_else(|| "{}\n".to_owned()))
}

pub(super) fn value(text: &str) -> Result<Value, Refusal> {
    let text = plain(text);
    let document = Document::parse(&text)?;
    Ok(document.value(document.root()))
}

/// The text with blanks for comments, where the program passes over those.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    without_comments(filled(text))
}

pub(super) fn count_foreign(text: &str) -> Result<usize, Refusal> {
    let text = plain(text);
    let document = Document::parse(&text)?;
    Ok(handlers(&document).iter().filter(|handler| !handler.ours).count())
}

/// The foreign handlers of a text, each with its event and matcher.
pub(super) fn foreign(text: &str) -> Result<Multiset, Refusal> {
    Ok(lines(text, false)?.into_iter().map(|(_, line)| line).collect())
}

/// The handlers of a text that are ours or not, each with its pointer and itself in one line.
pub(super) fn lines(text: &str, ours: bool) -> Result<Vec<(String, String)>, Refusal> {
    let text = plain(text);
    let document = Document::parse(&text)?;
    let line = |handler: crate::settings::Handler| {
        let crate::settings::Handler { event, matcher, value, pointer, .. } = handler;
        (pointer, serde_json::json!([event, matcher, value]).to_string())
    };
    let wanted = |handler: &crate::settings::Handler| handler.ours == ours;
    Ok(handlers(&document).into_iter().filter(wanted).map(line).collect())
}

pub(super) fn rest(text: &str) -> Result<Map<String, Value>, Refusal> {
    let mut rest = value(text)?.as_object().cloned().unwrap_or_default();
    rest.remove("hooks");
    Ok(rest)
}

/// Lines in no order, each with how often it is there.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Multiset(HashMap<String, usize>);

impl Multiset {
    /// Takes a line out once; whether it was there.
    pub(super) fn take(&mut self, line: &str) -> bool {
        self.take_times(line, 1)
    }

    /// Takes all the lines of another out; whether all of them were there.
    pub(super) fn take_all(&mut self, other: &Self) -> bool {
        other.0.iter().all(|(line, times)| self.take_times(line, *times))
    }

    fn take_times(&mut self, line: &str, times: usize) -> bool {
        let Some(count) = self.0.get_mut(line).filter(|count| **count >= times) else {
            return false;
        };
        *count -= times;
        if *count == 0 {
            self.0.remove(line);
        }
        true
    }

    pub(super) fn contains(&self, line: &str) -> bool {
        self.0.contains_key(line)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Extend<String> for Multiset {
    fn extend<T: IntoIterator<Item = String>>(&mut self, lines: T) {
        for line in lines {
            *self.0.entry(line).or_default() += 1;
        }
    }
}

impl FromIterator<String> for Multiset {
    fn from_iter<T: IntoIterator<Item = String>>(lines: T) -> Self {
        let mut set = Self::default();
        set.extend(lines);
        set
    }
}

/// The text without the handlers at these pointers, and without the groups that held nothing else.
pub(super) fn strip(text: &str, pointers: &[&str]) -> Result<String, Refusal> {
    if pointers.is_empty() {
        return Ok(text.to_owned());
    }
    let plain = plain(text);
    let document = Document::parse(&plain)?;
    let survey = Survey::of(&document);
    let mut editor = Editor::new(&document);
    for event in &survey.events {
        let taken = taken(event, pointers);
        let mut whole = BTreeSet::new();
        for (group, handlers) in event.groups.iter().zip(taken) {
            if handlers.is_empty() {
                continue;
            }
            if handlers.len() == group.handlers.len() {
                whole.insert(group.index);
                continue;
            }
            editor.take(group.list, Some(group.node), Part::Handlers, handlers);
        }
        if !whole.is_empty() {
            let hooks = survey.hooks.map(|hooks| &hooks.value);
            editor.take(event.array, hooks, Part::Event, whole);
        }
    }
    Ok(apply(filled(text), &plain, &editor.splices()))
}

pub(super) fn taken(event: &Event<'_>, pointers: &[&str]) -> Vec<BTreeSet<usize>> {
    let mut places: HashMap<&str, BTreeSet<usize>> = HashMap::new();
    for pointer in pointers {
        if let Some((group, place)) = pointer.rsplit_once("/hooks/")
            && let Ok(place) = place.parse()
        {
            places.entry(group).or_default().insert(place);
        }
    }
    event.groups.iter().map(|it| places.get(&*it.pointer).cloned().unwrap_or_default()).collect()
}

/// The plan over the current text without the handlers that `bare` lacks, so that our entries stay as
/// written; `None` where a handler comes back.
pub(super) fn plan(
    current: &str,
    record: &Record,
    without: &str,
    wanted: &[Registration],
) -> Option<Plan> {
    let gone = gone(current, without)?;
    let pointers: Vec<&str> = gone.iter().map(String::as_str).collect();
    let left = strip(current, &pointers).ok()?;
    let plan = crate::settings::plan(Some(&left), wanted, record).ok()?;
    let reached = bare(plan.after.as_deref()?, &plan.record).ok()?;
    (reached == without).then_some(plan)
}

/// JSON Pointers of the handlers of others in a text that another has not, which has no others.
fn gone(text: &str, other: &str) -> Option<Vec<String>> {
    let mut left = lines(other, false).ok()?.into_iter().map(|(_, line)| line).peekable();
    let mut gone = Vec::new();
    for (pointer, line) in lines(text, false).ok()? {
        if left.next_if_eq(&line).is_none() {
            gone.push(pointer);
        }
    }
    left.next().is_none().then_some(gone)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(lines: &[&str]) -> Multiset {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn equal_lines_count() {
        let mut left = set(&["a", "b", "a"]);
        assert!(left == set(&["a", "a", "b"]) && left != set(&["a", "b"]));
        assert!(left.take("a") && left.contains("a"));
        assert!(!left.take_all(&set(&["a", "a"])), "one is left");
        assert!(left.take_all(&set(&["b", "a"])) && left.is_empty());
        assert!(!left.take("a"));
    }
}

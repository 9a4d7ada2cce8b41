//! The first seat among the client's mods: which one the user's settings put before all others.

use std::collections::BTreeSet;

use json_patch::{AddOperation, PatchOperation, RemoveOperation, ReplaceOperation};
use serde_json::{Value, json};

use super::change::Extra;
use super::draft::containers::without_root;
use super::edit::{Editor, Reshape, apply, path};
use super::layout::{Item, Part};
use super::obstacle::only_once;
use super::plan::Plan;
use super::record::Record;
use super::refusal::Refusal;
use crate::syntax::json::{Document, Node, is_blank};

/// The mods that the client asks before all others, in the user's own settings alone (2.1.329).
const KEY: &str = "prependPlugins";

const LIST: &str = "/prependPlugins";

/// hookman's guard mod, as the client names a plugin of `~/.claude/skills`.
const GUARD: &str = "hookman-guard@skills-dir";

/// Returns whether a settings file puts the guard mod before all others.
pub fn is_seated(document: &Document<'_>) -> bool {
    let first = document.lookup("/prependPlugins/0");
    first.is_some_and(|first| is_guard(document, first))
}

/// Returns whether a settings file puts another mod before all others.
pub fn is_taken(document: &Document<'_>) -> bool {
    let first = document.lookup("/prependPlugins/0");
    first.is_some_and(|first| !is_guard(document, first))
}

fn is_guard(document: &Document<'_>, node: &Node) -> bool {
    document.string(node).is_some_and(|name| name == GUARD)
}

impl Plan {
    /// The plan after which the guard mod is first in the list, or out of it; `record` is the one before.
    /// It fails where the list is none or occurs twice, and where [`Plan::verify`] does.
    pub fn seating(self, is_wanted: bool, record: &Record) -> Result<Self, Refusal> {
        // A file that was blank before is blank again once the entries are out of it.
        let Some(text) = self.after.clone().filter(|text| !is_blank(text)) else { return Ok(self) };
        let document = Document::parse(&text)?;
        let Some(change) = change(&document, is_wanted, record)? else {
            return Ok(self);
        };
        let mut plan = self;
        plan.after = change.text;
        plan.operations.push(change.operation);
        plan.extras.push(if is_wanted { Extra::GuardPut } else { Extra::GuardTaken });
        if change.makes {
            plan.record.note(LIST);
        }
        plan.verify()?;
        Ok(plan)
    }
}

struct SeatChange {
    /// The text; none where the file goes.
    text: Option<String>,
    operation: PatchOperation,
    makes: bool,
}

fn change(
    document: &Document<'_>,
    is_wanted: bool,
    record: &Record,
) -> Result<Option<SeatChange>, Refusal> {
    let root = document.root();
    let of_root = Root { document, record };
    let members = root.members().unwrap_or_default();
    let Some(index) = members.iter().rposition(|member| document.key(member) == KEY) else {
        if !is_wanted {
            return Ok(None);
        }
        let value = json!([GUARD]);
        let text = Some(added(&of_root, KEY, &value));
        let operation = PatchOperation::Add(AddOperation { path: path(LIST), value });
        return Ok(Some(SeatChange { text, operation, makes: true }));
    };
    let list = &members[index].value;
    let Some(elements) = list.elements() else {
        if !is_wanted {
            return Ok(None);
        }
        return Err(Refusal::wrong_type(document, Some(KEY), list, "an array"));
    };
    let is_ours = |index: &usize| is_guard(document, &elements[*index]);
    let mut ours: BTreeSet<usize> = (0..elements.len()).filter(is_ours).collect();
    let is_first = is_wanted && ours.remove(&0);
    if ours.is_empty() && is_first == is_wanted {
        return Ok(None);
    }
    only_once(document, root, |key| key == KEY)?;
    let guard = Value::from(GUARD);
    let item = Item { key: None, value: &guard };
    let others = (0..elements.len()).filter(|index| !is_ours(index));
    let left: Vec<Value> = is_wanted
        .then(|| guard.clone())
        .into_iter()
        .chain(others.map(|index| document.value(&elements[index])))
        .collect();
    let path = path(LIST);
    if left.is_empty() && record.has_made(LIST) {
        let text = removed(&of_root, BTreeSet::from([index]));
        let operation = PatchOperation::Remove(RemoveOperation { path });
        return Ok(Some(SeatChange { text, operation, makes: false }));
    }
    let mut editor = Editor::new(document);
    let (part, parent) = (Part::Other, Some(root));
    let is_behind = is_wanted && !is_first && elements.len() != ours.len();
    let added = if is_wanted && !is_first && !is_behind { vec![item] } else { Vec::new() };
    let reshape = Reshape { container: list, parent, part, removed: ours, added, hollow: None };
    editor.reshape(&reshape);
    if is_behind {
        editor.prepend(list, part, Item { key: None, value: &guard });
    }
    let operation = PatchOperation::Replace(ReplaceOperation { path, value: left.into() });
    let text = Some(apply(document.text(), document.text(), &editor.splices()));
    Ok(Some(SeatChange { text, operation, makes: false }))
}

pub(super) struct Root<'r, 't> {
    pub(super) document: &'r Document<'t>,
    pub(super) record: &'r Record,
}

impl Root<'_, '_> {
    fn reshaped(&self, removed: BTreeSet<usize>, added: Vec<Item<'_>>) -> String {
        let (document, part) = (self.document, Part::Root);
        let hollow = self.record.hollow.get("").map(String::as_str);
        let mut editor = Editor::new(document);
        let container = document.root();
        editor.reshape(&Reshape { container, parent: None, part, removed, added, hollow });
        apply(document.text(), document.text(), &editor.splices())
    }
}

/// Gives the text with a new member behind all others.
pub(super) fn added(root: &Root<'_, '_>, key: &str, value: &Value) -> String {
    root.reshaped(BTreeSet::new(), vec![Item { key: Some(key), value }])
}

/// Gives the text without some members; none where only those were left of a file that hookman made.
pub(super) fn removed(root: &Root<'_, '_>, members: BTreeSet<usize>) -> Option<String> {
    let Root { document, record } = root;
    let is_last = document.root().members().unwrap_or_default().len() == members.len();
    if is_last && record.file_made {
        None
    } else if is_last && record.has_made("") {
        Some(without_root(document.text(), document.root().span))
    } else {
        Some(root.reshaped(members, Vec::new()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seated(text: &str, is_wanted: bool, record: &Record) -> Result<Plan, Refusal> {
        crate::settings::plan(Some(text), &[], &Record::default())?.seating(is_wanted, record)
    }

    #[test]
    fn the_guard_mod_comes_first_and_goes_again() {
        for (before, after, left) in [
            (r#"{"a": 1}"#, r#"{"a": 1, "prependPlugins": ["hookman-guard@skills-dir"]}"#, None),
            (
                r#"{"prependPlugins": ["x@m"]}"#,
                r#"{"prependPlugins": ["hookman-guard@skills-dir", "x@m"]}"#,
                None,
            ),
            (
                "{\n  \"prependPlugins\": [\n    \"x@m\"\n  ]\n}\n",
                "{\n  \"prependPlugins\": [\n    \"hookman-guard@skills-dir\",\n    \"x@m\"\n  ]\n}\n",
                None,
            ),
            (
                r#"{"prependPlugins": []}"#,
                r#"{"prependPlugins": ["hookman-guard@skills-dir"]}"#,
                None,
            ),
            (
                r#"{"prependPlugins": ["x@m", "hookman-guard@skills-dir", "y@m"]}"#,
                r#"{"prependPlugins": ["hookman-guard@skills-dir", "x@m", "y@m"]}"#,
                Some(r#"{"prependPlugins": ["x@m", "y@m"]}"#),
            ),
            (
                r#"{"prependPlugins": ["hookman-guard@skills-dir", "hookman-guard@skills-dir"]}"#,
                r#"{"prependPlugins": ["hookman-guard@skills-dir"]}"#,
                Some(r#"{"prependPlugins": []}"#),
            ),
        ] {
            let put = seated(before, true, &Record::default()).unwrap();
            assert_eq!(put.after.as_deref(), Some(after));
            assert_eq!(put.extras, [Extra::GuardPut]);
            assert!(is_seated(&Document::parse(after).unwrap()));
            let again = seated(after, true, &put.record).unwrap();
            assert_eq!((again.after.as_deref(), again.extras.len()), (Some(after), 0));
            let taken = seated(after, false, &put.record).unwrap();
            assert_eq!(taken.after.as_deref(), Some(left.unwrap_or(before)));
            assert_eq!(taken.extras, [Extra::GuardTaken]);
        }
    }

    #[test]
    fn what_would_have_to_be_guessed_is_refused() {
        for (text, reason) in [
            (r#"{"prependPlugins": "x@m"}"#, "`prependPlugins` is a string instead of an array"),
            (
                r#"{"prependPlugins": ["x@m"], "prependPlugins": []}"#,
                "`prependPlugins` occurs here for the second time",
            ),
        ] {
            let refusal = seated(text, true, &Record::default()).unwrap_err().to_string();
            assert!(refusal.contains(reason), "{refusal}");
            assert!(seated(text, false, &Record::default()).unwrap().is_empty());
        }
    }
}

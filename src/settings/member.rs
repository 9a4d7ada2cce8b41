//! A member of a settings file's root that comes and goes as a whole.

use std::collections::BTreeSet;

use serde_json::Value;

use super::draft::containers::without_root;
use super::edit::{Editor, Reshape, apply};
use super::layout::{Item, Part};
use super::record::Record;
use crate::syntax::json::Document;

/// The root of a text, and what is known of the file.
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

//! The types of keys, by the tables.

use super::shape::{Shape, TABLES};
use super::{Check, Effects, Kind, Member, Node, Pointer, last_of_each};

impl Check<'_, '_> {
    /// Checks the keys of the file that are not about hooks.
    pub(super) fn settings(&mut self, top: &Pointer<'_>, members: &[Member]) {
        for member in last_of_each(self.document, members) {
            let key = self.document.key(member);
            if key != "hooks" {
                self.value(&key, &top.key(&key), &member.value, Effects::DROP);
            }
        }
    }

    /// Reports a value, or values in it, of which the tables say that they are not taken; `loss` is
    /// what then happens. Gives whether it is taken by all clients.
    pub(super) fn value(
        &mut self,
        path: &str,
        pointer: &Pointer<'_>,
        node: &Node,
        loss: Effects,
    ) -> bool {
        let shapes = TABLES.each_ref().map(|table| table.shape(path));
        let is_wrong =
            |shape: Option<&Shape>| shape.is_some_and(|it| !it.fits(self.document, node));
        let wrong = shapes.map(is_wrong);
        if let Some(shape) =
            shapes.into_iter().zip(wrong).find_map(|(it, wrong)| it.filter(|_| wrong))
        {
            let (name, wanted) = (shown(path), shape.words());
            let found = self.described(node, shape);
            let message = format!("`{name}` is {found} instead of {wanted}");
            let is_needed = path.rsplit_once('.').is_some_and(|(parent, key)| {
                TABLES.iter().any(|table| table.required(parent).contains(&key))
            });
            let or_else = if is_needed { "" } else { ", or delete the key" };
            let hint = format!("make it {wanted}{or_else}");
            self.report(loss.only(wrong), pointer, node, message, hint);
            return false;
        }
        self.form(path, pointer, node, loss);
        self.inside(path, pointer, node, loss);
        true
    }

    fn inside(&mut self, path: &str, pointer: &Pointer<'_>, node: &Node, loss: Effects) {
        let is_known = |path: &str| TABLES.iter().any(|table| table.shape(path).is_some());
        match &node.kind {
            Kind::Array(elements) => {
                let path = format!("{path}[]");
                if is_known(&path) {
                    for (index, element) in elements.iter().enumerate() {
                        self.value(&path, &pointer.at(index), element, loss);
                    }
                }
            }
            Kind::Object(members) => {
                self.required(path, pointer, node, loss);
                let any = format!("{path}{{}}");
                let is_map = is_known(&any);
                for member in last_of_each(self.document, members) {
                    let key = self.document.key(member);
                    let path = if is_map { any.clone() } else { format!("{path}.{key}") };
                    if is_known(&path) {
                        self.value(&path, &pointer.key(&key), &member.value, loss);
                    }
                }
            }
            _ => {}
        }
    }

    fn required(&mut self, path: &str, pointer: &Pointer<'_>, node: &Node, loss: Effects) {
        let [newest, oldest] = TABLES.each_ref().map(|table| table.required(path));
        let only_oldest = oldest.iter().filter(|key| !newest.contains(key));
        for key in newest.iter().chain(only_oldest) {
            if self.document.get(node, key).is_some() {
                continue;
            }
            let message = match path.strip_prefix("handler.") {
                Some(kind) => format!("a handler of type `{kind}` without `{key}`"),
                None if path == "group" => format!("a group without `{key}`"),
                None => format!("`{}` without `{key}`", shown(path)),
            };
            let is_missed = [newest, oldest].map(|keys| keys.contains(key));
            let pointer = pointer.key(key);
            self.report(loss.only(is_missed), &pointer, node, message, format!("add `{key}`"));
        }
    }

    fn described(&self, node: &Node, shape: &Shape) -> String {
        match &node.kind {
            Kind::Number if shape.has_numbers() => {
                format!("the number {}", self.document.slice(node.span))
            }
            Kind::String => match self.document.string(node) {
                Some(text) if text.is_empty() => "empty".to_owned(),
                Some(text) if shape.has_words() => format!("`{text}`"),
                _ => node.describe().to_owned(),
            },
            _ => node.describe().to_owned(),
        }
    }
}

/// A path for people: of a handler's key the key alone.
fn shown(path: &str) -> &str {
    let of_hooks = path.strip_prefix("group.").or_else(|| {
        path.strip_prefix("handler.").map(|rest| rest.split_once('.').map_or(rest, |(_, key)| key))
    });
    of_hooks.unwrap_or(path)
}

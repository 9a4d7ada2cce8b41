//! The types of keys, by the tables.

use url::Url;

use super::shape::Shape;
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

    /// Reports values that the tables do not take, with `loss`; gives whether all clients take it.
    pub(super) fn value(
        &mut self,
        path: &str,
        pointer: &Pointer<'_>,
        node: &Node,
        loss: Effects,
    ) -> bool {
        let shapes = self.tables().map(|table| table.shape(path));
        let is_wrong =
            |shape: &Option<Shape>| shape.as_ref().is_some_and(|it| !it.fits(self.document, node));
        let wrong = shapes.each_ref().map(is_wrong);
        if let Some(shape) = shapes.iter().flatten().find(|shape| !shape.fits(self.document, node))
        {
            let (name, wanted) = (shown(path), shape.words());
            let found = self.described(node, shape);
            let message = format!("`{name}` is {found} instead of {wanted}");
            let is_needed = path.rsplit_once('.').is_some_and(|(parent, key)| {
                self.tables().iter().any(|it| it.required(parent).contains(&key))
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
        let tables = self.tables();
        let is_known = |path: &str| tables.iter().any(|table| table.has(path));
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
        let [newest, oldest] = self.tables().map(|table| table.required(path));
        let only_oldest = oldest.iter().filter(|key| !newest.contains(*key));
        for key in newest.iter().chain(only_oldest) {
            if self.document.get(node, key).is_some() {
                continue;
            }
            let message = match path.strip_prefix("handler.") {
                Some(kind) => format!("a handler of type `{kind}` without `{key}`"),
                None if path == "group" => format!("a group without `{key}`"),
                None => format!("`{}` without `{key}`", shown(path)),
            };
            let is_missed = [&newest, &oldest].map(|keys| keys.contains(key));
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

/// The places of a marketplace and their keys, as 2.1.329 and 2.1.197 were asked for each.
const SOURCES: &[(&str, &str)] = &[
    ("directory", "path"),
    ("file", "path"),
    ("git", "url"),
    ("github", "repo"),
    ("hostPattern", "hostPattern"),
    ("npm", "package"),
    ("pathPattern", "pathPattern"),
    ("settings", "name"),
    ("skills-dir", ""),
    ("url", "url"),
];

impl Check<'_, '_> {
    /// Reports a value at `path` whose type is right and whose form is not.
    pub(super) fn form(&mut self, path: &str, pointer: &Pointer<'_>, node: &Node, loss: Effects) {
        match path {
            "quietHours.start" | "quietHours.end" => {
                let Some(text) = self.document.string(node).filter(|it| !is_time(it)) else {
                    return;
                };
                let message = format!("`{path}` is `{text}` instead of a time of day");
                self.report(loss, pointer, node, message, "write it as `22:00`");
            }
            "blockedMarketplaces" | "strictKnownMarketplaces" => {
                for (index, element) in node.elements().unwrap_or_default().iter().enumerate() {
                    if let Some(missing) = self.missing_in_marketplace(element) {
                        let message = format!("`{path}` has an element without {missing}");
                        let hint = "write it as `{\"source\": \"github\", \"repo\": \"a/b\"}`";
                        self.report(loss, &pointer.at(index), element, message, hint);
                    }
                }
            }
            _ => {}
        }
    }

    fn missing_in_marketplace(&self, element: &Node) -> Option<String> {
        let text = |key: &str| self.document.string(self.document.get(element, key)?);
        let Some(source) = text("source") else { return Some("a `source`".to_owned()) };
        let Some((_, key)) = SOURCES.iter().find(|(name, _)| *name == source) else {
            return Some("a `source` that the client knows".to_owned());
        };
        let value = text(key);
        let is_there = match source.as_ref() {
            "skills-dir" => true,
            "npm" => value.is_some_and(|it| !it.is_empty()),
            "url" => value.is_some_and(|it| Url::parse(&it).is_ok()),
            _ => value.is_some(),
        };
        if !is_there {
            return Some(format!("a `{key}`, which `{source}` needs"));
        }
        let is_text = |key: &&str| {
            self.document.get(element, key).is_none_or(|it| matches!(it.kind, Kind::String))
        };
        let other = ["ref", "path"].iter().find(|key| !is_text(key))?;
        Some(format!("a text for `{other}`"))
    }
}

/// Returns whether a text is an hour and a minute, as in `7:05`.
fn is_time(text: &str) -> bool {
    let number = |text: &str, below: u8| {
        text.bytes().all(|byte| byte.is_ascii_digit())
            && text.parse::<u8>().is_ok_and(|number| number < below)
    };
    text.split_once(':').is_some_and(|(hour, minute)| {
        hour.len() <= 2 && minute.len() == 2 && number(hour, 24) && number(minute, 60)
    })
}

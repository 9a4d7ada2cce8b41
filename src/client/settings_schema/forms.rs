//! The rules for values that types cannot express.

use url::Url;

use super::{Check, Effects, Kind, Node, Pointer};

/// The places of a marketplace, and the key that names each.
///
/// Source: the clients 2.1.329 and 2.1.197, each asked with each of these.
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

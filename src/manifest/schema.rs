//! The manifest as a JSON schema, for editors, and as the table of its keys, for people.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::forms::HOSTS;
use super::keys::{
    DefaultKeys, HeadKeys, HookKeys, JournalKeys, PackageKeys, ProfileKeys, SessionKeys,
};
pub use super::table::Key;
use super::table::Table;

/// The keys of `[[hook]]`, in the order in which documentation gives them.
pub const KEYS: &[Key] = HookKeys::KEYS;

#[derive(Clone, Debug)]
pub struct ReadyMade {
    pub name: String,
    /// Its kind, which decides what options it takes.
    pub kind: String,
    pub options: Value,
}

/// The schema of a manifest, draft 7, as editors know it, with the options of the ready-made `hooks`.
pub fn schema(hooks: &[ReadyMade]) -> Value {
    let names: Vec<&str> = hooks.iter().map(|hook| hook.name.as_str()).collect();
    let mut hook = HookKeys::schema();
    hook["properties"]["builtin"]["enum"] = json!(names);
    let mut kinds: BTreeMap<&str, Vec<&ReadyMade>> = BTreeMap::new();
    for hook in hooks {
        kinds.entry(&hook.kind).or_default().push(hook);
    }
    let options = kinds.iter().map(|(kind, hooks)| {
        let names: Vec<&str> = hooks.iter().map(|hook| hook.name.as_str()).collect();
        json!({
            "if": {"properties": {"builtin": {"enum": names}}, "required": ["builtin"]},
            "then": {"properties": {"options": {"$ref": format!("#/definitions/{kind}")}}},
        })
    });
    let definitions = kinds.iter().map(|(kind, hooks)| {
        let mut options = hooks[0].options.clone();
        if let Some(options) = options.as_object_mut() {
            options.remove("$schema");
        }
        ((*kind).to_owned(), options)
    });
    hook["allOf"] = options.collect();
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "The hooks of hookman, in the order they run in",
        "type": "object",
        "additionalProperties": false,
        "definitions": definitions.collect::<Map<_, _>>(),
        "properties": {
            "defaults": described::<DefaultKeys>("What holds for every hook that does not say otherwise"),
            "hook": {
                "description": "The hooks; they run in this order",
                "type": "array",
                "items": hook,
            },
            "hosts": (HOSTS.schema)(),
            "journal": described::<JournalKeys>("What the journal keeps"),
            "package": {
                "description": "Packages, whose hooks run in this place; in a package's own manifest what it is",
                "anyOf": [
                    {"type": "array", "items": PackageKeys::schema()},
                    HeadKeys::schema(),
                ],
            },
            "profiles": {
                "type": "object",
                "description": "Hooks that are switched off together, by the name of the profile",
                "additionalProperties": described::<ProfileKeys>("A profile"),
            },
            "sessions": described::<SessionKeys>("What is kept of sessions; only in your own manifest"),
        },
    })
}

fn described<T: Table>(about: &str) -> Value {
    let mut table = T::schema();
    table["description"] = about.into();
    table
}

//! The catalogue of built-in hooks as manifests ask for it.

use serde_json::{Map, Value};

use crate::builtin::catalogue;
use crate::manifest::{Preset, Presets};

/// The hooks that are compiled in.
#[derive(Clone, Copy, Debug)]
pub struct Catalogue;

impl Presets for Catalogue {
    fn names(&self) -> Vec<&str> {
        catalogue::names().to_vec()
    }

    fn find(&self, name: &str) -> Option<Preset> {
        let entry = catalogue::find(name)?;
        Some(Preset {
            kind: entry.kind.name.to_owned(),
            summary: entry.summary,
            events: entry.events,
            matcher: entry.matcher,
        })
    }

    fn options(
        &self,
        name: &str,
        overrides: &Map<String, Value>,
    ) -> Result<Map<String, Value>, (Vec<String>, String)> {
        let entry = catalogue::find(name)
            .ok_or_else(|| (Vec::new(), format!("no built-in hook is called `{name}`")))?;
        entry.resolve(overrides).map_err(|problem| (problem.path, problem.message))
    }
}

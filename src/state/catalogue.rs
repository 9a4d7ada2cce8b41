//! The catalogue of built-in hooks as manifests ask for it.

use serde_json::{Map, Value};

use crate::builtin::catalogue::{self, Entry};
use crate::client::Event;
use crate::manifest::package::{NotHere, Package, PackageText};
use crate::manifest::schema::ReadyMade;
use crate::manifest::{Absent, Action, Hook, Options, Preset, Presets};
use crate::package::known::Known;

/// The hooks that are compiled in, and the packages of one manifest.
#[derive(Clone, Debug)]
pub struct Catalogue {
    pub known: Known,
    /// True if a package that is not on this machine is a mistake.
    pub is_whole: bool,
}

impl Presets for Catalogue {
    fn names(&self) -> Vec<&str> {
        catalogue::names().to_vec()
    }

    fn find(&self, name: &str) -> Option<Preset> {
        let entry = catalogue::find(name)?;
        Some(Preset {
            kind: entry.kind.name.to_owned(),
            summary: entry.summary.clone(),
            events: entry.events.clone(),
            matcher: entry.matcher.clone(),
            timeout_ms: entry.timeout.map(|seconds| seconds * 1000),
        })
    }

    fn options(
        &self,
        name: &str,
        overrides: &Map<String, Value>,
        events: &[Event],
    ) -> Result<Options, (Vec<String>, String)> {
        let entry = catalogue::find(name)
            .ok_or_else(|| (Vec::new(), format!("no built-in hook is called `{name}`")))?;
        let options = entry.resolve(overrides);
        let checked = options.and_then(|it| entry.suits(overrides, events).map(|()| it));
        checked.map_err(|problem| (problem.path, problem.message))
    }

    fn package(&self, package: &Package) -> Result<PackageText, NotHere> {
        self.known.text(package)
    }

    fn absent(&self, package: &Package) -> Option<Vec<Absent>> {
        let locked = self.known.lock().ok().filter(|_| !self.is_whole)?.of(package)?;
        Some(locked.absent())
    }
}

/// Puts what a built-in hook's kind reads in the place of the options as they are written.
pub fn compile(hook: &mut Hook) {
    let Action::Builtin { name, .. } = &hook.action else { return };
    // Reading the manifest has checked them; what was not checked would fail when the hook runs.
    if let Some(Ok(options)) = catalogue::find(name).map(|entry| entry.compile(&hook.options)) {
        hook.options = options;
    }
}

/// The ready-made hooks as the schema of a manifest has them.
pub fn ready_made() -> Vec<ReadyMade> {
    let entry = |entry: &&Entry| ReadyMade {
        name: entry.name.to_owned(),
        kind: entry.kind.name.to_owned(),
        options: (entry.kind.schema)(),
    };
    catalogue::entries().iter().map(entry).collect()
}

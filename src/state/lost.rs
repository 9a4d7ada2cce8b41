//! Entries that call hookman where there is no manifest any more.

use super::Chain;
use super::chains::{self, Loaded};
use crate::chain::entries::Entries;
use crate::machine::{Paths, files};
use crate::manifest::OnError;

/// The fate of calls to a chain without a manifest.
#[derive(Clone, Debug)]
pub struct Lost {
    /// The settings files that still call hookman, for people.
    pub callers: Vec<String>,
    pub manifest: String,
    pub fate: &'static str,
    pub way_out: String,
}

impl Lost {
    /// Finds them; `None` if there is a manifest, or no entry calls it.
    pub fn of(paths: &Paths, chain: &Chain) -> Option<Self> {
        let on_error = match chains::load(paths, chain) {
            Loaded::Absent => OnError::Open,
            Loaded::Broken { on_error, .. } if !chain.files().any(files::is_there) => on_error,
            _ => return None,
        };
        let mut callers = Vec::new();
        for path in chain.settings() {
            let mut entries = Entries::default();
            if let Ok(Some(text)) = files::read_text(&path) {
                entries.add(&text, chain.overlay.is_some());
            }
            callers.extend((!entries.is_empty()).then(|| paths.shown(&path)));
        }
        if callers.is_empty() {
            return None;
        }
        let flag = chain.flag();
        Some(Self {
            callers,
            manifest: paths.shown(&chain.manifest),
            fate: match on_error {
                OnError::Closed => "calls are denied",
                OnError::Ask => "calls are asked about",
                OnError::Open => "no hook runs, and calls are let through",
            },
            way_out: format!(
                "put it back, or let `hookman install{flag}` make one; `hookman uninstall{flag}` \
                 takes the entries out"
            ),
        })
    }

    pub fn text(&self) -> String {
        let Self { manifest, fate, way_out, .. } = self;
        let (callers, calls) = (self.callers.join(" and "), self.calls());
        format!("{callers} still {calls} hookman, and {manifest} is gone, so {fate}; {way_out}")
    }

    pub fn calls(&self) -> &'static str {
        if self.callers.len() == 1 { "calls" } else { "call" }
    }
}

//! Handlers of which only the manifest is left.

use serde_json::Value;

use crate::settings::identity::identity;

/// A handler to put back of which nothing is kept but what the manifest says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebuilt {
    pub event: String,
    pub matcher: Option<String>,
    pub handler: Value,
}

impl Rebuilt {
    /// Returns whether the client would take the two for one, which it runs once.
    pub fn is_twin_of(&self, other: &Self) -> bool {
        self.event == other.event && identity(&self.handler) == identity(&other.handler)
    }
}

//! JSON objects that are read late.

use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value};

type Reading = Box<dyn FnOnce() -> Map<String, Value> + Send>;

/// A JSON object that its owners share. One that is made of a text is read when somebody first looks at it.
#[derive(Clone, Debug)]
pub struct Object(Arc<LazyLock<Map<String, Value>, Reading>>);

impl Object {
    /// The object of a text that is known to be one; empty for any other.
    pub fn of_text(text: &'static str) -> Self {
        let read = move || serde_json::from_str(text).unwrap_or_default();
        Self(Arc::new(LazyLock::new(Box::new(read))))
    }
}

impl From<Map<String, Value>> for Object {
    fn from(object: Map<String, Value>) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(move || object))))
    }
}

impl Deref for Object {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || **self == **other
    }
}

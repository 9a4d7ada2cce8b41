//! Writing a name of the state into the file of a workflow, for commands.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::context::Context;
use super::host::Host;
use super::place::place;
use super::workflow::{Source, Workflow};
use crate::client::event::Event;
use crate::client::payload::Payload;
use crate::session::store::Store;

/// The result of writing a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Put {
    /// These options name no file that hookman knows how to write.
    None,
    /// The file has the value now.
    Written(PathBuf),
    /// There is no such file; it would be at this place.
    Missing(PathBuf),
}

/// Gives a name a value in the file that a hook's options name, for a session that was started in
/// `project`.
pub fn put(
    options: &Map<String, Value>,
    (name, value): (&str, &str),
    (session, project): (&str, &Path),
    host: &(dyn Host + Sync),
    store: &(dyn Store + Sync),
) -> io::Result<Put> {
    let Some(source) = options.get("state") else { return Ok(Put::None) };
    let source: Source = serde_json::from_value(source.clone()).unwrap_or_default();
    if !source.is_known() {
        return Ok(Put::None);
    }
    let payload = Payload {
        session_id: session.into(),
        cwd: project.to_string_lossy(),
        ..Payload::default()
    };
    let context = Context {
        name: "",
        event: Event::SessionStart,
        payload: &payload,
        text: "{}",
        options: "{}",
        watches: false,
        store,
        host,
    };
    let workflow = Workflow::new(&context, &source);
    let failed = |failure: super::context::Failure| io::Error::other(failure.to_string());
    if workflow.set(name, value).map_err(failed)? {
        let path = workflow.path().map_err(failed)?.map(Path::to_owned);
        return Ok(Put::Written(path.unwrap_or_default()));
    }
    Ok(Put::Missing(place(&context, source.template())))
}

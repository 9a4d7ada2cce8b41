//! `hookman schema`: the manifest as a JSON schema, for editors.

use anyhow::Result;

use super::args::Schema;
use super::exit::ExitStatus;
use crate::machine::World;
use crate::manifest::schema;
use crate::state::catalogue::ready_made;

pub(super) fn schema(_: &Schema, world: &World) -> Result<ExitStatus> {
    let schema = schema::schema(&ready_made());
    world.terminal.line(serde_json::to_string_pretty(&schema)?);
    Ok(ExitStatus::Done)
}

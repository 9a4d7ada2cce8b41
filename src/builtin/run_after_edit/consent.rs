//! True if a project's own programs may run: what the user answered for that project.

use std::path::Path;

use crate::builtin::context::Context;
use crate::builtin::silence::Silence;
use crate::machine::paths;

use super::options::Options;

/// The most bytes that are read of an answer.
const MOST: u64 = 16;

/// Returns whether programs of the project around `folder` may run, or why not.
///
/// The answer lies in the user's own state. It holds for one repository: a clone within it has its own.
pub(super) fn given(
    context: &Context<'_>,
    options: &Options,
    folder: &Path,
) -> Result<(), Silence> {
    match options.project_tools {
        Some(true) => return Ok(()),
        Some(false) => return Err(Silence::Refused),
        None => {}
    }
    let host = context.host;
    let state = host.session_folder().ancestors().nth(2).unwrap_or(Path::new(""));
    for folder in host.real(folder).ancestors() {
        let answer = host.read(&paths::project_tools(state, folder), MOST);
        if let Ok(Some(answer)) = answer {
            return if answer.starts_with("yes") { Ok(()) } else { Err(Silence::Refused) };
        }
        if host.look(&folder.join(".git")).is_some() {
            break;
        }
    }
    Err(Silence::Unasked)
}

//! Careful mode, in which guards block whatever they find.

use std::io;
use std::path::Path;

use super::{Context, Failure, Level};
use crate::client::Answer;
use crate::machine::paths;
use crate::session::store::CAREFUL;

/// Returns whether careful mode is on for the call's session or project.
pub(super) fn is_on(context: &Context<'_>) -> io::Result<bool> {
    let host = context.host;
    let state = host.session_folder().ancestors().nth(2).unwrap_or(Path::new(""));
    let project = host.variable("CLAUDE_PROJECT_DIR");
    let folders = [project.as_deref().unwrap_or_default(), &*context.payload.cwd];
    let is_careful = |folder: &&str| {
        // A link in the place of a project that was moved keeps the mode on.
        let (named, real) = (Path::new(folder), host.real(Path::new(folder)));
        let mut folders = real.ancestors().chain(named.ancestors());
        folders.any(|folder| host.look(&paths::careful(state, folder)).is_some())
    };
    if folders.iter().filter(|folder| folder.starts_with('/')).any(is_careful) {
        return Ok(true);
    }
    context.store.is_up(CAREFUL)
}

/// The answer to a call that a rule finds; careful mode blocks at every level but `off`, and says why.
pub(super) fn answer(
    context: &Context<'_>,
    level: Level,
    message: String,
) -> Result<Answer, Failure> {
    let is_raised = match level {
        Level::Off | Level::Block => false,
        Level::Advise | Level::Ask | Level::OneStrike => is_on(context)?,
    };
    if !is_raised {
        return Ok(level.answer(message));
    }
    Ok(Answer::deny(format!(
        "{message}\nTrying again will not help while careful mode is on: only the user can allow this, by \
         typing `/hook:disable {}`.",
        context.name
    )))
}

//! True if the programs of a project itself may run: the user's answer, kept in the user's own state.

use std::path::Path;

use crate::machine::files;
use crate::machine::paths::{self, Paths};

/// The answer for the repository around a folder; `None` where nobody gave one.
pub fn answer(paths: &Paths, folder: &Path) -> Option<bool> {
    for folder in paths::real(folder).ancestors() {
        let file = paths::project_tools(&paths.state, folder);
        if let Ok(Some(text)) = files::read_text(&file) {
            return Some(text.starts_with("yes"));
        }
        if files::is_there(&folder.join(".git")) {
            break;
        }
    }
    None
}

pub fn keep(paths: &Paths, project: &Path, answer: bool) -> Result<(), crate::machine::Error> {
    let project = paths::real(project);
    let word = if answer { "yes" } else { "no" };
    let text = format!("{word} {}\n", project.display());
    files::replace_private(&paths::project_tools(&paths.state, &project), &text)
}

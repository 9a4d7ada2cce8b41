//! The answers to conditions: of the machine, and of the user about a project's own programs.

use std::path::Path;

use crate::chain::condition::{Branch, Scene};
use crate::machine::{Paths, environment, files, git, paths};

/// The answer for the repository around a folder; `None` where nobody gave one.
pub fn answer(paths: &Paths, folder: &Path) -> Option<bool> {
    for folder in paths::real(folder).ancestors() {
        let file = paths::project_tools(&paths.state, folder);
        let text = files::read_text(&file).ok().flatten();
        let answer = text.and_then(|text| paths::answer_for(&text, folder, files::facts));
        if answer.is_some() {
            return answer;
        }
        if files::is_there(&folder.join(".git")) {
            break;
        }
    }
    None
}

pub fn keep(paths: &Paths, project: &Path, answer: bool) -> Result<(), crate::machine::Error> {
    let project = paths::real(project);
    let text = paths::project_answer(answer, &project, files::facts);
    files::replace_private(&paths::project_tools(&paths.state, &project), &text)
}

/// The program that calls, the process's environment and the work tree around a directory.
pub struct Surroundings<'a> {
    pub host: &'a str,
}

impl Scene for Surroundings<'_> {
    fn host(&self) -> &str {
        self.host
    }

    fn variable(&self, name: &str) -> Option<String> {
        environment::text(name)
    }

    fn directory(&self) -> Option<String> {
        environment::current_directory().ok()?.into_os_string().into_string().ok()
    }

    fn machine(&self) -> String {
        environment::machine()
    }

    fn system(&self) -> &'static str {
        std::env::consts::OS
    }

    fn branch(&self, directory: &str) -> Branch {
        match git::branch(Path::new(directory)) {
            Ok(Some(name)) => Branch::Named(name),
            Ok(None) => Branch::Absent,
            Err(_) => Branch::Unclear,
        }
    }
}

//! Keeping what is one person's out of a project's history.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::World;
use super::registering;
use super::writes::Writes;
use crate::machine::{files, git};
use crate::settings::unified_diff;

const LINES: [&str; 2] = [".claude/hookman.local.toml", ".claude/settings.local.json"];

/// Lines to be added to a project's `.gitignore`.
pub(super) struct Ignoring {
    file: PathBuf,
    before: Option<String>,
    after: String,
}

impl Ignoring {
    /// The lines that are needed for git to ignore a project's local files; `None` where it does,
    /// or where there is no git.
    ///
    /// # Errors
    ///
    /// When the `.gitignore` cannot be read.
    pub(super) fn of(project: &Path) -> Result<Option<Self>> {
        let missing: Vec<&str> = LINES
            .into_iter()
            .filter(|line| git::ignores(project, &project.join(line)) == Some(false))
            .collect();
        if missing.is_empty() {
            return Ok(None);
        }
        let file = project.join(".gitignore");
        let before = files::read_text(&file)?;
        let after = with_lines(before.as_deref().unwrap_or_default(), &missing);
        Ok(Some(Self { file, before, after }))
    }

    /// Prints the lines as a diff.
    pub(super) fn show(&self, world: &World) {
        let shown = world.paths.shown(&self.file);
        let colour = registering::colour(world);
        let diff = unified_diff(&shown, self.before.as_deref(), Some(&self.after), colour);
        world.terminal.print(&diff);
    }

    /// Whether the lines can be written.
    ///
    /// # Errors
    ///
    /// What would keep them from it.
    pub(super) fn check(&self) -> Result<()> {
        Ok(files::check_replaceable(&self.file)?)
    }

    /// Writes the lines.
    ///
    /// # Errors
    ///
    /// When the file was changed meanwhile or cannot be written.
    pub(super) fn write(&self, world: &World, writes: &mut Writes) -> Result<()> {
        let shown = world.paths.shown(&self.file);
        if !writes.swap(&self.file, self.before.as_deref(), Some(&self.after))? {
            bail!("`{shown}` was changed while this ran and is left as it is; run it again");
        }
        world.terminal.line(format!("wrote {shown}"));
        Ok(())
    }
}

fn with_lines(text: &str, lines: &[&str]) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut text = text.to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str(newline);
    }
    for line in lines {
        text.extend([line, newline]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_to_the_end_in_the_style_of_the_file() {
        for (before, after) in [
            ("", "a\nb\n"),
            ("x\n", "x\na\nb\n"),
            ("x", "x\na\nb\n"),
            ("x\r\n", "x\r\na\r\nb\r\n"),
            ("x\r\ny", "x\r\ny\r\na\r\nb\r\n"),
        ] {
            assert_eq!(with_lines(before, &["a", "b"]), after, "{before:?}");
        }
    }
}

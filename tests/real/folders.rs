//! The folders of one case with a real program: a home, a project and a state directory, and nothing of
//! the machine's.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use anyhow::{Context, Result};
use tempfile::TempDir;

/// The folders, removed when this is dropped.
pub(crate) struct Folders {
    _temporary: TempDir,
    pub(crate) root: PathBuf,
}

impl Folders {
    /// Makes the folders and `more` of them, with hookman, `built`, on the `PATH` as an installed copy.
    pub(crate) fn new(prefix: &str, built: &Path, more: &[&str]) -> Result<Self> {
        let temporary = TempDir::with_prefix(prefix).context("failed to make a sandbox")?;
        let root = temporary.path().canonicalize().context("failed to resolve the sandbox")?;
        let made = Self { _temporary: temporary, root };
        for folder in ["home/.local/bin", "project", "state", "tmp"].iter().chain(more) {
            fs::create_dir_all(made.root.join(folder))
                .with_context(|| format!("failed to make `{folder}`"))?;
        }
        // As hookman would make it.
        fs::set_permissions(made.root.join("state"), fs::Permissions::from_mode(0o700))
            .context("failed to make `state` private")?;
        // A hard link and not a symlink, so that the path hookman finds for itself is the installed
        // one; and not a copy, because a file that is being written while another thread forks
        // cannot be run for a moment.
        let program = made.root.join("home/.local/bin/hookman");
        if fs::hard_link(built, &program).is_err() {
            fs::copy(built, &program).context("failed to install hookman")?;
        }
        Ok(made)
    }

    /// Writes a file; one that starts with `#!` is made executable.
    pub(crate) fn write(&self, path: &str, text: &str) -> Result<()> {
        let target = self.root.join(path);
        let written = || -> Result<()> {
            fs::create_dir_all(target.parent().unwrap_or(&self.root))?;
            fs::write(&target, text)?;
            if text.starts_with("#!") {
                fs::set_permissions(&target, fs::Permissions::from_mode(0o755))?;
            }
            Ok(())
        };
        written().with_context(|| format!("failed to write `{path}`"))
    }

    /// Gives a command the project to work in and the folders for its whole environment, with `bin`
    /// behind hookman on the `PATH`.
    pub(crate) fn surround(&self, command: &mut Command, bin: &str) {
        let home = self.root.join("home");
        let path =
            format!("{}{bin}:/usr/local/bin:/usr/bin:/bin", home.join(".local/bin").display());
        command
            .current_dir(self.root.join("project"))
            .env_clear()
            .env("HOME", home)
            // The client takes the first shell that it finds otherwise.
            .env("SHELL", "/bin/bash")
            .env("HOOKMAN_STATE_DIR", self.root.join("state"))
            .env("LANG", "C.UTF-8")
            .env("PATH", path)
            .env("TMPDIR", self.root.join("tmp"));
    }

    /// The names that cases use for the folders.
    pub(crate) fn names(&self) -> Vec<(&'static str, String)> {
        let folder = |name: &str| self.root.join(name).display().to_string();
        vec![
            ("@HOME@", folder("home")),
            ("@PROJECT@", folder("project")),
            ("@STATE@", folder("state")),
            ("@TMP@", folder("tmp")),
        ]
    }
}

/// Replaces names by the paths that they mean.
pub(crate) fn fill(names: Vec<(&'static str, String)>, text: &str) -> String {
    names.into_iter().fold(text.to_owned(), |text, (name, folder)| text.replace(name, &folder))
}

/// Replaces paths by their names.
pub(crate) fn strip(names: Vec<(&'static str, String)>, text: &str) -> String {
    names.into_iter().fold(text.to_owned(), |text, (name, folder)| text.replace(&folder, name))
}

/// The lines that a finished command gave.
pub(crate) fn lines(output: &Output) -> Vec<String> {
    let mut lines = Vec::new();
    for (mark, bytes) in [("  ", &output.stdout), ("! ", &output.stderr)] {
        let text = String::from_utf8_lossy(bytes);
        lines.extend(text.lines().map(|line| format!("{mark}{line}").trim_end().to_owned()));
    }
    if !output.status.success() {
        lines.push(format!("exit {}", output.status.code().unwrap_or(-1)));
    }
    lines
}

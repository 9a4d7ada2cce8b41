//! A home, a project and a state directory that exist for one case, and nothing of the machine's.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::session::client;

/// The folders of one case, removed when this is dropped.
pub(crate) struct Sandbox {
    _root: TempDir,
    root: PathBuf,
    env: BTreeMap<String, String>,
    /// Host and port of the server that the main session talks to, once it is known.
    api: Option<String>,
}

impl Sandbox {
    /// Makes the folders, with hookman, `built`, on the `PATH` as an installed copy.
    pub(crate) fn new(built: &Path, env: &BTreeMap<String, String>) -> Result<Self> {
        let temporary = TempDir::with_prefix("client-").context("failed to make a sandbox")?;
        let root = temporary.path().canonicalize().context("failed to resolve the sandbox")?;
        let mut sandbox = Self { _root: temporary, root, env: BTreeMap::new(), api: None };
        for folder in ["home/.local/bin", "home/.claude", "project", "state", "tmp"] {
            fs::create_dir_all(sandbox.root.join(folder))
                .with_context(|| format!("failed to make `{folder}`"))?;
        }
        // As hookman would make it.
        fs::set_permissions(sandbox.root.join("state"), fs::Permissions::from_mode(0o700))
            .context("failed to make `state` private")?;
        // A hard link and not a symlink, so that the path hookman finds for itself is the installed
        // one; and not a copy, because a file that is being written while another thread forks
        // cannot be run for a moment.
        let program = sandbox.root.join("home/.local/bin/hookman");
        if fs::hard_link(built, &program).is_err() {
            fs::copy(built, &program).context("failed to install hookman")?;
        }
        let env = env.iter().map(|(name, value)| (name.clone(), sandbox.fill(value))).collect();
        sandbox.env = env;
        Ok(sandbox)
    }

    /// Says what `@API@` stands for.
    pub(crate) fn set_api(&mut self, address: String) {
        self.api = Some(address);
    }

    /// Writes a file; one that starts with `#!` is made executable.
    pub(crate) fn write(&self, path: &str, text: &str) -> Result<()> {
        let target = self.root.join(path);
        let written = || -> Result<()> {
            if path.starts_with("etc/") {
                self.make_etc()?;
            }
            fs::create_dir_all(target.parent().unwrap_or(&self.root))?;
            fs::write(&target, self.fill(text))?;
            if text.starts_with("#!") {
                fs::set_permissions(&target, fs::Permissions::from_mode(0o755))?;
            }
            Ok(())
        };
        written().with_context(|| format!("failed to write `{path}`"))
    }

    /// Makes what stands in the place of `/etc` for every command of the sandbox, in a mount namespace.
    fn make_etc(&self) -> Result<()> {
        let etc = self.root.join("etc");
        fs::create_dir_all(&etc)?;
        for name in ["group", "hosts", "ld.so.cache", "nsswitch.conf", "passwd"] {
            let from = Path::new("/etc").join(name);
            if from.exists() {
                fs::copy(from, etc.join(name))?;
            }
        }
        Ok(())
    }

    /// Runs a shell line in the project, as a user would in another terminal.
    pub(crate) fn run(&self, line: &str) -> Result<Output> {
        self.command(Path::new("/bin/sh"))
            .args(["-c", &self.fill(line)])
            .output()
            .with_context(|| format!("failed to run `{line}`"))
    }

    /// A command in the project with the sandbox for its whole environment.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let home = self.root.join("home");
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", home.join(".local/bin").display());
        let etc = self.root.join("etc");
        let mut command = if etc.is_dir() {
            let mut command = Command::new("/usr/bin/unshare");
            command.args(["-rm", "/bin/sh", "-c", "mount --bind \"$0\" /etc && exec \"$@\""]);
            command.arg(etc).arg(program);
            command
        } else {
            Command::new(program)
        };
        command
            .current_dir(self.root.join("project"))
            .env_clear()
            .env("HOME", home)
            // The client takes the first shell that it finds otherwise.
            .env("SHELL", "/bin/bash")
            .env("HOOKMAN_STATE_DIR", self.root.join("state"))
            .env("LANG", "C.UTF-8")
            .env("PATH", path)
            .env("TMPDIR", self.root.join("tmp"))
            .envs(&self.env);
        command
    }

    /// Puts this sandbox's folders in the place of their names.
    pub(crate) fn fill(&self, text: &str) -> String {
        self.names()
            .into_iter()
            .fold(text.to_owned(), |text, (name, folder)| text.replace(name, &folder))
    }

    /// Puts the names of this sandbox's folders in their place.
    pub(crate) fn strip(&self, text: &str) -> String {
        self.names()
            .into_iter()
            .fold(text.to_owned(), |text, (name, folder)| text.replace(&folder, name))
    }

    fn names(&self) -> Vec<(&'static str, String)> {
        let folder = |name: &str| self.root.join(name).display().to_string();
        let slug = |folder: &str| folder.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let mut names = vec![
            ("@HOME@", folder("home")),
            ("@PROJECT@", folder("project")),
            ("@STATE@", folder("state")),
            ("@TMP@", folder("tmp")),
            ("@SLUG@", slug(&folder("project"))),
        ];
        names.extend(client().ok().map(|client| ("@CLIENT@", client.display().to_string())));
        names.extend(self.api.clone().map(|address| ("@API@", address)));
        names
    }
}

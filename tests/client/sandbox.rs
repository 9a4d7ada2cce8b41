//! A home, a project and a state directory that exist for one case, and nothing of the machine's.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Output},
};

use anyhow::{Context, Result};

use crate::folders::{self, Folders};
use crate::session::client;

/// The folders of one case, removed when this is dropped.
pub(crate) struct Sandbox {
    folders: Folders,
    env: BTreeMap<String, String>,
    /// Host and port of the server that the main session talks to, once it is known.
    api: Option<String>,
}

impl Sandbox {
    /// Makes the folders, with hookman, `built`, on the `PATH` as an installed copy.
    pub(crate) fn new(built: &Path, env: &BTreeMap<String, String>) -> Result<Self> {
        let folders = Folders::new("client-", built, &["home/.claude"])?;
        let mut sandbox = Self { folders, env: BTreeMap::new(), api: None };
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
        if path.starts_with("etc/") {
            self.make_etc()?;
        }
        self.folders.write(path, &self.fill(text))
    }

    /// Makes what stands in the place of `/etc` for every command of the sandbox, in a mount namespace.
    fn make_etc(&self) -> Result<()> {
        let etc = self.folders.root.join("etc");
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
        let etc = self.folders.root.join("etc");
        let mut command = if etc.is_dir() {
            let mut command = Command::new("/usr/bin/unshare");
            command.args(["-rm", "/bin/sh", "-c", "mount --bind \"$0\" /etc && exec \"$@\""]);
            command.arg(etc).arg(program);
            command
        } else {
            Command::new(program)
        };
        self.folders.surround(&mut command, "");
        command.envs(&self.env);
        command
    }

    /// Puts this sandbox's folders in the place of their names.
    pub(crate) fn fill(&self, text: &str) -> String {
        folders::fill(self.names(), text)
    }

    /// Puts the names of this sandbox's folders in their place.
    pub(crate) fn strip(&self, text: &str) -> String {
        folders::strip(self.names(), text)
    }

    fn names(&self) -> Vec<(&'static str, String)> {
        let project = self.folders.root.join("project").display().to_string();
        let mut names = self.folders.names();
        names.push(("@SLUG@", project.replace(|c: char| !c.is_ascii_alphanumeric(), "-")));
        names.extend(client().ok().map(|client| ("@CLIENT@", client.display().to_string())));
        names.extend(self.api.clone().map(|address| ("@API@", address)));
        names
    }
}

//! A home, a project and a state directory that exist for one case, and nothing of the machine's.

use std::{
    io::Read,
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, Command, Output, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::{
    agent::Agent,
    api::Api,
    folders::{self, Folders},
    variable,
};

/// How long an agent may take for a prompt; a bound for a hang, not a measurement.
const PATIENCE: Duration = Duration::from_secs(120);

/// The folders of one case, removed when this is dropped.
pub(crate) struct Sandbox {
    folders: Folders,
    agent: &'static Agent,
    address: String,
}

impl Sandbox {
    /// Makes the folders, with hookman on the `PATH` as an installed copy and the agent's own settings.
    pub(crate) fn new(agent: &'static Agent, api: &Api) -> Result<Self> {
        let folders = Folders::new("agent-", Path::new(env!("CARGO_BIN_EXE_hookman")), &[])?;
        let sandbox = Self { folders, agent, address: api.address() };
        for (path, text) in &agent.files {
            sandbox.write(path, text)?;
        }
        Ok(sandbox)
    }

    /// Writes a file; one that starts with `#!` is made executable.
    pub(crate) fn write(&self, path: &str, text: &str) -> Result<()> {
        self.folders.write(path, &self.fill(text))
    }

    /// Runs a shell line in the project, as a user would in another terminal.
    pub(crate) fn run(&self, line: &str) -> Result<Output> {
        self.finished(self.command(Path::new("/bin/sh")).args(["-c", &self.fill(line)]))
    }

    /// Has the agent work on a prompt to its end.
    pub(crate) fn prompt(&self, prompt: &str, resumes: bool) -> Result<Output> {
        let words = if resumes { &self.agent.resume } else { &self.agent.begin };
        let mut command = self.command(&self.agent.installed()?);
        for (name, value) in self.agent.env() {
            command.env(name, self.fill(value));
        }
        self.finished(command.args(words).arg(prompt))
    }

    /// Runs a command of a process group of its own to its end, which closes both outputs.
    fn finished(&self, command: &mut Command) -> Result<Output> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .with_context(|| format!("failed to start {}", self.agent.name))?;
        let (sender, ended) = mpsc::channel();
        let outputs = [
            child.stdout.take().map(|it| Box::new(it) as Box<dyn Read + Send>),
            child.stderr.take().map(|it| Box::new(it) as Box<dyn Read + Send>),
        ];
        let threads = outputs.map(|output| {
            let sender = sender.clone();
            thread::spawn(move || {
                let mut bytes = Vec::new();
                drop(output.map(|mut it| it.read_to_end(&mut bytes)));
                let _ = sender.send(());
                bytes
            })
        });
        let group = Group(child);
        for _ in 0..2 {
            if ended.recv_timeout(PATIENCE).is_err() {
                bail!("{} did not end", self.agent.name);
            }
        }
        let status = group.ended()?;
        let [stdout, stderr] = threads.map(|thread| thread.join().unwrap_or_default());
        Ok(Output { status, stdout, stderr })
    }

    /// A command in the project with the sandbox for its whole environment.
    fn command(&self, program: &Path) -> Command {
        let bin = self.agent.folder().join("node_modules/.bin");
        let mut command = Command::new(program);
        self.folders.surround(&mut command, &format!(":{}{}", bin.display(), node()));
        command
    }

    /// Puts this sandbox's folders in the place of their names.
    pub(crate) fn fill(&self, text: &str) -> String {
        let mut names = self.names();
        names.push(("@HOST@", self.agent.name.clone()));
        folders::fill(names, text)
    }

    /// Puts the names of this sandbox's folders in their place.
    pub(crate) fn strip(&self, text: &str) -> String {
        folders::strip(self.names(), text)
    }

    fn names(&self) -> Vec<(&'static str, String)> {
        let mut names = self.folders.names();
        names.push(("@API@", self.address.clone()));
        names
    }
}

/// The folder of Node.js, where the machine has it in another place than usual.
fn node() -> String {
    let path = variable("PATH").unwrap_or_default();
    let found = path.split(':').find(|folder| Path::new(folder).join("node").is_file());
    found.map(|folder| format!(":{folder}")).unwrap_or_default()
}

/// A process group that does not outlive its case.
struct Group(Child);

impl Group {
    fn ended(mut self) -> Result<std::process::ExitStatus> {
        self.0.wait().context("failed to wait")
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // An error means that the group is gone already, which is what is wanted.
        let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        let _ = self.0.wait();
    }
}

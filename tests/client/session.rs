//! A running client, fed with prompts and read event by event.

use std::{
    io::{BufRead, BufReader, Read, Write},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread::{self, JoinHandle},
    time::Duration,
};

use anyhow::{Context, Result, bail};
use hookman::client::payload::repaired;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

use crate::{api::Api, sandbox::Sandbox};

/// How long the client may be silent; a bound for a hang, not a measurement.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long the client may take to begin a turn by itself, at a minute's notice at the least.
const LONG_PATIENCE: Duration = Duration::from_secs(200);

/// One conversation, which a process after the other may carry on.
pub(crate) struct Session {
    /// What the client takes for its provider.
    pub(crate) api: Api,
    /// The directory in which the client is started; the project without one.
    pub(crate) folder: Option<PathBuf>,
    id: Option<String>,
    process: Option<Process>,
}

/// What a process left behind when it ended.
pub(crate) struct End {
    /// Events after the last answer.
    pub(crate) events: Vec<Value>,
    /// The exit code, or none for a signal.
    pub(crate) code: Option<i32>,
    /// All of its standard error.
    pub(crate) stderr: String,
}

struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    events: Receiver<Value>,
    stderr: Option<JoinHandle<String>>,
}

impl Session {
    /// A conversation that nobody has begun.
    pub(crate) fn new() -> Result<Self> {
        Ok(Self { api: Api::start()?, folder: None, id: None, process: None })
    }

    /// Sends a prompt, to a new process where none is running.
    pub(crate) fn say(&mut self, prompt: &str, args: &[String], sandbox: &Sandbox) -> Result<()> {
        if self.process.is_none() {
            self.process = Some(self.start(args, sandbox)?);
        }
        let stdin = self.process.as_mut().and_then(|process| process.stdin.as_mut());
        let message = json!({ "role": "user", "content": prompt });
        let line = json!({ "type": "user", "message": message });
        writeln!(stdin.context("the client has no input")?, "{line}")
            .context("failed to send the prompt")
    }

    /// The events up to the end of the answer.
    pub(crate) fn hear(&mut self) -> Result<Vec<Value>> {
        self.hear_within(PATIENCE)
    }

    /// The events of a turn that the client begins by itself.
    #[allow(dead_code, reason = "the benchmark types every prompt")]
    pub(crate) fn await_turn(&mut self) -> Result<Vec<Value>> {
        self.hear_within(LONG_PATIENCE)
    }

    fn hear_within(&mut self, patience: Duration) -> Result<Vec<Value>> {
        let process = self.process.as_mut().context("the session is not running")?;
        let mut events = Vec::new();
        loop {
            match process.events.recv_timeout(patience) {
                Ok(event) => {
                    if let Some(id) = event["session_id"].as_str() {
                        self.id = Some(id.to_owned());
                    }
                    let last = event["type"] == "result";
                    process.consent(&event)?;
                    events.push(event);
                    if last {
                        return Ok(events);
                    }
                }
                Err(RecvTimeoutError::Timeout) => bail!("the client did not answer: {events:#?}"),
                Err(RecvTimeoutError::Disconnected) => {
                    let end = process.end()?;
                    bail!("the client ended with {:?} before it answered: {}", end.code, end.stderr)
                }
            }
        }
    }

    /// Ends the process, if one is running; the next prompt resumes the conversation.
    pub(crate) fn end(&mut self) -> Result<Option<End>> {
        self.process.take().map(|mut process| process.end()).transpose()
    }

    fn start(&self, args: &[String], sandbox: &Sandbox) -> Result<Process> {
        let url = self.api.url();
        let mut command = quiet(sandbox, &url)?;
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
            .args(["-p", "--input-format", "stream-json", "--output-format", "stream-json"])
            .args(["--verbose", "--include-hook-events"])
            .args(self.id.iter().flat_map(|id| ["--resume", id.as_str()]))
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let mut child = command.spawn().context("failed to start the client")?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().context("the client has no output")?;
        let mut errors = child.stderr.take().context("the client has no error output")?;
        let (sender, events) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                // JavaScript writes halves of characters, which nobody else reads.
                let event = serde_json::from_str(&repaired(&line))
                    .unwrap_or_else(|_| json!({ "type": "unreadable", "line": line }));
                if sender.send(event).is_err() {
                    break;
                }
            }
        });
        let stderr = thread::spawn(move || {
            let mut text = Vec::new();
            drop(errors.read_to_end(&mut text));
            String::from_utf8_lossy(&text).into_owned()
        });
        Ok(Process { child, stdin, events, stderr: Some(stderr) })
    }
}

impl Process {
    /// Says yes to the question of an MCP server.
    fn consent(&mut self, event: &Value) -> Result<()> {
        if event["request"]["subtype"] != "elicitation" {
            return Ok(());
        }
        let answer = json!({ "action": "accept", "content": {} });
        let response = json!({
            "subtype": "success",
            "request_id": event["request_id"],
            "response": answer,
        });
        let line = json!({ "type": "control_response", "response": response });
        let stdin = self.stdin.as_mut().context("the client has no input")?;
        writeln!(stdin, "{line}").context("failed to answer a question")
    }

    fn end(&mut self) -> Result<End> {
        self.stdin = None;
        let mut events = Vec::new();
        loop {
            match self.events.recv_timeout(PATIENCE) {
                Ok(event) => events.push(event),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => bail!("the client did not end: {events:#?}"),
            }
        }
        let status = self.child.wait().context("failed to wait for the client")?;
        let stderr = self.stderr.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        Ok(End { events, code: status.code(), stderr })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // An error means that the group is gone already, which is what is wanted.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
    }
}

/// The client in a sandbox, without a way to anything but its provider at `url`.
pub(crate) fn quiet(sandbox: &Sandbox, url: &str) -> Result<Command> {
    let mut command = sandbox.command(&client()?);
    command
        .env("ANTHROPIC_API_KEY", "made-up")
        .env("ANTHROPIC_BASE_URL", url)
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .env("DISABLE_AUTOUPDATER", "1")
        .env("DISABLE_ERROR_REPORTING", "1")
        .env("DISABLE_TELEMETRY", "1")
        .env("HTTPS_PROXY", url)
        .env("HTTP_PROXY", url)
        .env("NO_PROXY", "127.0.0.1");
    Ok(command)
}

/// The version of the client that is run.
pub(crate) fn version() -> String {
    variable("HOOKMAN_CLIENT_VERSION").unwrap_or_else(|| DEFAULT_VERSION.to_owned())
}

/// The version the cases expect where they name no other.
pub(crate) const DEFAULT_VERSION: &str = include_str!("version").trim_ascii_end();

/// A variable of the test run itself.
#[expect(clippy::disallowed_methods, reason = "it steers the test run and not the product")]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// How much of the cases is run, by `HOOKMAN_CLIENT_CASES`.
#[allow(dead_code, reason = "the benchmark runs all that it has")]
#[derive(PartialEq, Eq)]
pub(crate) enum Extent {
    /// One case of each book, and what tells versions of the client apart.
    Few,
    /// The books whole, and a quarter of the tables of the client's own answers.
    Most,
    /// Everything.
    All,
}

/// What this run is to cover.
#[allow(dead_code, reason = "the benchmark runs all that it has")]
pub(crate) fn extent() -> Extent {
    match variable("HOOKMAN_CLIENT_CASES").as_deref() {
        Some("few") => Extent::Few,
        Some("most") => Extent::Most,
        _ => Extent::All,
    }
}

/// The client's program.
pub(crate) fn client() -> Result<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(".client").join(version()).join("claude");
    if !path.is_file() {
        bail!("there is no client at `{}`; run `tests/client/install`", path.display());
    }
    Ok(path)
}

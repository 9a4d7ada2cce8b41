//! A case: files, steps and the lines they are expected to give.

use std::{
    collections::{BTreeMap, BTreeSet},
    iter,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use regress::Regex;
use serde::Deserialize;
use serde_json::Value;

use crate::{
    folders, outcome,
    sandbox::Sandbox,
    script,
    session::{End, Session},
};

/// A file of cases.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Book {
    /// The program that the cases need besides the client.
    #[serde(default)]
    pub(crate) needs: String,
    /// Files every case of the book begins with.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    /// The cases, in order.
    pub(crate) case: Vec<Case>,
}

/// One case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    /// What the case shows, as a sentence.
    pub(crate) name: String,
    /// Files by their path in the sandbox; one that starts with `#!` is executable.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Variables added to the environment of every step.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// The versions of the client that lack what the case shows.
    #[serde(default)]
    not_on: Vec<String>,
    /// What is done, in order.
    steps: Vec<Step>,
    /// What happens then.
    #[serde(default)]
    expect: String,
    /// What happens instead on another version of the client.
    #[serde(default)]
    on: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Step {
    Run(Run),
    Say(Say),
    AtOnce(AtOnce),
    Await(Await),
    End(Ended),
}

/// A shell line, run in the project.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    run: String,
    /// What the model answers to a client that the line drives.
    #[serde(default)]
    script: String,
}

/// A prompt, sent to a session that is started or resumed where it is not running.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Say {
    prompt: String,
    #[serde(default)]
    script: String,
    #[serde(default = "main_session")]
    session: String,
    /// The directory in which it is, where this prompt starts the client.
    #[serde(default = "usual_folder")]
    folder: String,
    /// Arguments of the client, where this prompt starts it.
    #[serde(default)]
    args: Vec<String>,
    /// Tools that run without a question, where this prompt starts the client.
    #[serde(default = "usual_tools")]
    tools: Vec<String>,
}

/// Prompts to several sessions that work at the same time.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AtOnce {
    at_once: Vec<Say>,
}

/// A turn that a session begins by itself, for a prompt that the model scheduled.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Await {
    #[serde(rename = "await")]
    session: String,
}

/// The end of a session's process.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ended {
    end: String,
}

fn main_session() -> String {
    "main".to_owned()
}

fn usual_folder() -> String {
    "@PROJECT@".to_owned()
}

fn usual_tools() -> Vec<String> {
    ["Bash", "Read", "Write", "Edit"].map(str::to_owned).to_vec()
}

impl Case {
    /// What is expected on this version of the client.
    pub(crate) fn expected(&self, version: &str) -> &str {
        self.on.get(version).unwrap_or(&self.expect)
    }

    /// Whether this version of the client has what the case shows.
    pub(crate) fn is_for(&self, version: &str) -> bool {
        !self.not_on.iter().any(|other| other == version)
    }

    /// Belongs to the few that a further version of the client is tested with: the first case of a
    /// book, and those in which other hooks run, or with another result.
    pub(crate) fn is_among_few(&self, index: usize, version: &str) -> bool {
        fn hooks(text: &str) -> impl Iterator<Item = &str> {
            text.lines().filter(|line| line.starts_with("hook "))
        }
        index == 0 || self.on.get(version).is_some_and(|on| hooks(on).ne(hooks(&self.expect)))
    }

    /// Does the steps and gives the normalised outcome.
    pub(crate) fn outcome(&self, shared: &BTreeMap<String, String>) -> Result<String> {
        let main = Session::new()?;
        let mut sandbox = Sandbox::new(Path::new(env!("CARGO_BIN_EXE_hookman")), &self.env)?;
        sandbox.set_api(main.api.address());
        for (path, text) in shared.iter().chain(&self.files) {
            sandbox.write(path, text)?;
        }
        let sessions = BTreeMap::from([(main_session(), main)]);
        let mut play = Play { sandbox, sessions, ids: Vec::new(), lines: Vec::new() };
        for step in &self.steps {
            play.step(step)?;
        }
        let names: Vec<_> = play.sessions.keys().cloned().collect();
        for name in names {
            play.end(&name)?;
        }
        play.text()
    }
}

struct Play {
    /// Before the sandbox, so that no client is left running in a folder that is gone.
    sessions: BTreeMap<String, Session>,
    sandbox: Sandbox,
    ids: Vec<String>,
    lines: Vec<String>,
}

impl Play {
    fn step(&mut self, step: &Step) -> Result<()> {
        match step {
            Step::Run(Run { run, script }) => {
                let turns = script::parse(&self.fill(script))?;
                let api = &self.sessions.get("main").context("there is no main session")?.api;
                api.queue(turns);
                let output = self.sandbox.run(&self.fill(run))?;
                self.lines.extend(run.lines().map(|line| format!("$ {line}")));
                self.lines.extend(folders::lines(&output));
                Ok(())
            }
            Step::Say(say) => self.say(std::slice::from_ref(say)),
            Step::AtOnce(AtOnce { at_once }) => self.say(at_once),
            Step::Await(Await { session: name }) => {
                self.lines.push(format!("{}by itself", mark(name)));
                let session = self.sessions.get_mut(name).context("no such session")?;
                let events = session.await_turn()?;
                self.lines.extend(outcome::lines(&events, session.api.requests(), "")?);
                let problems = session.api.problems();
                self.lines
                    .extend(problems.into_iter().map(|problem| format!("problem: {problem}")));
                Ok(())
            }
            Step::End(Ended { end }) => {
                self.lines.push(format!("{}end", mark(end)));
                self.end(end)
            }
        }
    }

    fn say(&mut self, says: &[Say]) -> Result<()> {
        let names: BTreeSet<_> = says.iter().map(|say| &say.session).collect();
        if names.len() < says.len() {
            bail!("a session takes one prompt at a time");
        }
        for say in says {
            let prompt = self.fill(&say.prompt);
            let turns = script::parse(&self.fill(&say.script))?;
            let folder = self.fill(&say.folder);
            if !self.sessions.contains_key(&say.session) {
                self.sessions.insert(say.session.clone(), Session::new()?);
            }
            let session = self.sessions.get_mut(&say.session).context("no such session")?;
            session.folder.get_or_insert(PathBuf::from(folder));
            session.api.queue(turns);
            let tools = iter::once("--allowedTools".to_owned()).chain(say.tools.iter().cloned());
            let args: Vec<_> = say.args.iter().cloned().chain(tools).collect();
            session.say(&prompt, &args, &self.sandbox)?;
        }
        for say in says {
            let session = self.sessions.get_mut(&say.session).context("no such session")?;
            let events = session.hear()?;
            let requests = session.api.requests();
            let problems = session.api.problems();
            let posts = session.api.posts();
            self.meet(&events);
            let prompt = self.fill(&say.prompt);
            self.lines.push(format!("{}{}", mark(&say.session), say.prompt));
            self.lines.extend(outcome::lines(&events, requests, &prompt)?);
            self.lines.extend(posts);
            self.lines.extend(problems.into_iter().map(|problem| format!("problem: {problem}")));
        }
        Ok(())
    }

    fn end(&mut self, name: &str) -> Result<()> {
        let session = self.sessions.get_mut(name).context("no such session")?;
        let Some(End { events, code, stderr }) = session.end()? else { return Ok(()) };
        let requests = session.api.requests();
        let problems = session.api.problems();
        self.lines.extend(outcome::lines(&events, requests, "")?);
        self.lines.extend(stderr.lines().map(|line| format!("stderr: {line}")));
        self.lines.extend(problems.into_iter().map(|problem| format!("problem: {problem}")));
        if code != Some(0) {
            self.lines.push(format!("{}exit {code:?}", mark(name)));
        }
        Ok(())
    }

    /// Remembers the ids of sessions in the order in which they appear.
    fn meet(&mut self, events: &[Value]) {
        for id in events.iter().filter_map(|event| event["session_id"].as_str()) {
            if !self.ids.iter().any(|known| known == id) {
                self.ids.push(id.to_owned());
            }
        }
    }

    fn fill(&self, text: &str) -> String {
        let text = self.sandbox.fill(text);
        self.ids
            .iter()
            .enumerate()
            .fold(text, |text, (n, id)| text.replace(&format!("@SESSION{}@", n + 1), id))
    }

    fn text(&self) -> Result<String> {
        let mut text = self.sandbox.strip(&self.lines.join("\n")) + "\n";
        for (n, id) in self.ids.iter().enumerate() {
            text = text.replace(id, &format!("@SESSION{}@", n + 1));
        }
        for (pattern, name) in [
            (r"a{200,}", "@LONG@"),
            (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "@UUID@"),
            (r"\ba[0-9a-f]{16}\b", "@AGENT@"),
            (r"one-shot task [0-9a-f]{8}\b", "one-shot task @TASK@"),
            (r"Next run: \w+ \d+ \d+:\d\d[ap]m", "Next run: @TIME@"),
            (r"scheduled for \d\d:\d\d:\d\d \(in \d+s\)", "scheduled for @TIME@"),
            (r"\(task b[0-9a-z]{8}\b", "(task @TASK@"),
            // The client's own words around the instructions for a compaction.
            (
                r#"told "CRITICAL: Respond with TEXT ONLY[^\n]*?(?=Additional Instructions:|REMINDER: Do NOT)"#,
                "told \"@COMPACT@ ",
            ),
            (r"\\n\\nExpected schema:[^\n]*", " @SCHEMA@\""),
            (r"REMINDER: Do NOT call any tools[^\n]*", "@REMINDER@\""),
            (r"duration_ms: \d+", "duration_ms: @N@"),
            (r"\b\d+ checks: ", "@N@ checks: "),
            (r"127\.0\.0\.1:\d+", "@API@"),
            (r"\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?(?: UTC)?", "@TIME@"),
            (r"\d{4}-\d\d-\d\dT\d\d[:-]?\d\d[:-]?\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?", "@TIME@"),
        ] {
            let pattern = Regex::new(pattern).context("failed to compile a pattern")?;
            text = pattern.replace_all(&text, name);
        }
        Ok(text)
    }
}

fn mark(session: &str) -> String {
    if session == "main" { "> ".to_owned() } else { format!("{session}> ") }
}

//! A case: files, steps and the lines they are expected to give.

use std::{collections::BTreeMap, process::Output};

use anyhow::{Context, Result, bail};
use regress::Regex;
use serde::Deserialize;

use crate::{
    agent::Agent,
    api::{Api, RESULT, Turn},
    folders,
    sandbox::Sandbox,
};

/// The cases, which all agents share.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cases {
    /// In order.
    pub(crate) case: Vec<Case>,
}

/// One case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    /// What the case shows, as a sentence; `docs/hosts.md` says it.
    pub(crate) name: String,
    /// Files by their path in the sandbox; one that starts with `#!` is executable.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// What is done, in order.
    steps: Vec<Step>,
    /// What happens then.
    #[serde(default)]
    pub(crate) expect: String,
    /// What happens instead in an agent.
    #[serde(default)]
    pub(crate) on: BTreeMap<String, String>,
    /// What is different there, for the page.
    #[serde(default)]
    pub(crate) but: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Step {
    Run(Run),
    Say(Say),
}

/// A shell line, run in the project.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    run: String,
}

/// A prompt, worked on by a process of its own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Say {
    prompt: String,
    /// What the model answers.
    #[serde(default)]
    script: String,
    /// Goes on with the session before.
    #[serde(default)]
    resume: bool,
}

impl Case {
    /// What is expected of an agent.
    pub(crate) fn expected(&self, agent: &Agent) -> &str {
        self.on.get(&agent.name).unwrap_or(&self.expect)
    }

    /// What happens.
    pub(crate) fn outcome(&self, agent: &'static Agent) -> Result<String> {
        let api = Api::start(agent)?;
        let sandbox = Sandbox::new(agent, &api)?;
        for (path, text) in &self.files {
            sandbox.write(path, text)?;
        }
        let mut play = Play { api, sandbox, agent, lines: Vec::new(), is_trusted: false };
        for step in &self.steps {
            match step {
                Step::Run(Run { run }) => play.run(run)?,
                Step::Say(say) => play.say(say)?,
            }
        }
        play.text()
    }
}

/// One run of a case.
struct Play {
    sandbox: Sandbox,
    api: Api,
    agent: &'static Agent,
    lines: Vec<String>,
    is_trusted: bool,
}

impl Play {
    fn run(&mut self, line: &str) -> Result<()> {
        let output = self.sandbox.run(line)?;
        self.lines.extend(line.lines().map(|line| format!("$ {line}")));
        self.lines.extend(folders::lines(&output));
        Ok(())
    }

    fn say(&mut self, say: &Say) -> Result<()> {
        if !self.is_trusted {
            self.trust()?;
            self.is_trusted = true;
        }
        self.api.queue(turns(&self.sandbox.fill(&say.script))?);
        let prompt = self.sandbox.fill(&say.prompt);
        let output = self.sandbox.prompt(&prompt, say.resume)?;
        let (told, problems) = self.api.heard();
        self.lines.push(format!("> {}", say.prompt));
        if crate::variable("RAW").is_some() {
            self.raw(&output, &told);
        }
        for texts in told {
            let hints = Regex::new(r"Mind: [^.]*\.").context("the pattern of hints")?;
            for text in texts {
                let heard = hints.find_iter(&text).map(|it| format!("told {}", &text[it.range()]));
                self.lines.extend(heard);
                if let Some(result) = text.strip_prefix(RESULT) {
                    self.lines.push(self.result(&hints.replace_all(result, ""))?);
                }
            }
        }
        self.lines.extend(problems.into_iter().map(|problem| format!("problem: {problem}")));
        if !output.status.success() {
            self.lines.push(format!("exit {}", output.status.code().unwrap_or(-1)));
        }
        Ok(())
    }

    /// A tool's result without the agent's own words around it.
    fn result(&self, text: &str) -> Result<String> {
        for (word, patterns) in [("held", &self.agent.held), ("ran", &self.agent.ran)] {
            for pattern in patterns {
                let pattern = Regex::new(pattern).with_context(|| format!("`{pattern}`"))?;
                if let Some(found) = pattern.find(text.trim()) {
                    let said = found.group(1).map_or("", |range| &text.trim()[range]).trim();
                    return Ok(format!("{word}: {}", said.replace('\n', "\\n")).trim().to_owned());
                }
            }
        }
        Ok(format!("result: {}", text.trim().replace('\n', "\\n")))
    }

    /// Does what a person does once, so that the agent runs its hooks.
    fn trust(&self) -> Result<()> {
        let output = self.sandbox.run(&self.agent.trust)?;
        if !output.status.success() {
            bail!("nothing is trusted: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(())
    }

    fn raw(&mut self, output: &Output, told: &[Vec<String>]) {
        for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            self.lines.push(format!("{name}: {}", String::from_utf8_lossy(bytes)));
        }
        for (n, texts) in told.iter().enumerate() {
            let shown = texts
                .iter()
                .map(|it| format!("{n}| {}", it.chars().take(3000).collect::<String>()));
            self.lines.extend(shown);
        }
    }

    fn text(&self) -> Result<String> {
        let mut text = self.sandbox.strip(&self.lines.join("\n")) + "\n";
        let name = &self.agent.name;
        text = text.replace(&format!("called by {name}\n"), "called by @HOST@\n");
        text = text.replace(&format!("\n  {name}\n"), "\n  @HOST@\n");
        for (pattern, name) in [
            (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "@SESSION@"),
            (
                r"(?<=Session: @SESSION@ )\((?:\w+_SESSION_ID|its client runs this shell)\)",
                "(@HOW@)",
            ),
            (r"\brun [0-9a-f]{4,}\b", "run @RUN@"),
            (r"\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?(?: UTC)?", "@TIME@"),
            (r"\d+(?:\.\d+)? (?:µs|ms|s)\b", "@TOOK@"),
        ] {
            let pattern = Regex::new(pattern).context("failed to compile a pattern")?;
            text = pattern.replace_all(&text, name);
        }
        Ok(text)
    }
}

/// Reads a script: a paragraph is a turn, a line `call Tool {…}` a call.
fn turns(script: &str) -> Result<Vec<Turn>> {
    let paragraphs = script.split("\n\n").map(str::trim).filter(|it| !it.is_empty());
    paragraphs
        .map(|paragraph| {
            if !paragraph.starts_with("call ") {
                return Ok(Turn::Text(paragraph.to_owned()));
            }
            let call = |line: &str| {
                let words = line.strip_prefix("call ").and_then(|it| it.split_once(' '));
                let (tool, input) = words.with_context(|| format!("no call in `{line}`"))?;
                let input = serde_json::from_str(input).with_context(|| format!("`{line}`"))?;
                Ok((tool.to_owned(), input))
            };
            Ok(Turn::Calls(paragraph.lines().map(call).collect::<Result<_>>()?))
        })
        .collect()
}

//! Cases of `hookman.test.toml`: a call, and the answer that a manifest is to give.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use similar::TextDiff;

use super::call::{Call, Place, SESSION};
use super::stage::{Answer, Stage};
use crate::client::event::Event;
use crate::machine::paths::Paths;
use crate::runtime::effects::Effects;
use crate::state::chains::Chain;
use crate::syntax::suggestion;

/// The file of cases next to a manifest.
pub const FILE: &str = "hookman.test.toml";

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Book {
    #[serde(default)]
    pub case: Vec<Case>,
}

/// The keys of a case, which serde cannot hold it to as those of the call are a struct of their own.
const KEYS: [&str; 14] = [
    "name",
    "files",
    "before",
    "event",
    "command",
    "tool",
    "file",
    "input",
    "prompt",
    "payload",
    "decision",
    "reason",
    "context",
    "rewritten",
];

impl Book {
    /// Reads a file of cases.
    ///
    /// # Errors
    ///
    /// A sentence that names the mistake, and its place where TOML knows one.
    pub fn read(text: &str) -> Result<Self, String> {
        let table: toml::Table = toml::from_str(text).map_err(|it| it.to_string())?;
        for case in table.get("case").and_then(|it| it.as_array()).into_iter().flatten() {
            let mut keys = case.as_table().into_iter().flat_map(|it| it.keys());
            if let Some(key) = keys.find(|key| !KEYS.contains(&key.as_str())) {
                let meant = suggestion::meant(key, &KEYS).unwrap_or_default();
                return Err(format!("`{key}`: a case has no such key{meant}"));
            }
        }
        toml::from_str(text).map_err(|it| it.to_string())
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Case {
    /// A sentence that says what the case shows.
    pub name: String,
    /// Files of the folder that the call is made in, by path.
    pub files: BTreeMap<String, String>,
    /// Calls of the same session before, in order.
    pub before: Vec<Deed>,
    #[serde(flatten)]
    pub deed: Deed,
    /// The expected decision: `deny`, `ask`, `defer`, `allow` or `none`.
    pub decision: Option<String>,
    pub reason: Option<String>,
    /// Words that the text for the model holds.
    pub context: Option<String>,
    /// The tool's input as it is rewritten.
    pub rewritten: Option<Value>,
}

/// A call in a case: one of `command`, `tool`, `prompt`, or an `event` with `payload`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Deed {
    /// The event; `PreToolUse` for tools.
    pub event: Option<String>,
    /// A shell line of the tool Bash.
    pub command: Option<String>,
    pub tool: Option<String>,
    pub file: Option<String>,
    pub input: Option<Value>,
    pub prompt: Option<String>,
    pub payload: Option<Value>,
}

#[derive(Debug, Serialize)]
pub struct Tested {
    pub name: String,
    /// The difference to the expected answer, a line each; none where the case passes.
    pub problems: Vec<String>,
}

impl Deed {
    /// The call that it names.
    ///
    /// # Errors
    ///
    /// A sentence that says why it names none.
    pub fn call(&self) -> Result<Call, String> {
        let event = match &self.event {
            Some(name) => Some(Event::meant(name).map_err(|it| it.to_string())?),
            None => None,
        };
        let of_tool = event.unwrap_or(Event::PreToolUse);
        let mut call = match (&self.command, &self.tool, &self.prompt) {
            (Some(line), None, None) => Call::of_line(of_tool, line),
            (None, Some(tool), None) => match (&self.file, &self.input) {
                (Some(file), None) => Call::of_file(of_tool, tool, file),
                (None, input) => {
                    Call::of_tool(of_tool, tool, input.as_ref().unwrap_or(&Value::Null))
                }
                (Some(_), Some(_)) => return Err("it has both `file` and `input`".to_owned()),
            },
            (None, None, Some(text)) => Call::of_prompt(text),
            (None, None, None) if event.is_some() => Call::sample(of_tool),
            _ => {
                return Err(
                    "it needs exactly one of `command`, `tool`, `prompt`, or an `event`".to_owned()
                );
            }
        };
        if let Some(Value::Object(more)) = &self.payload {
            call.fields.extend(more.clone());
        }
        Ok(call)
    }
}

impl Case {
    /// Runs the case against a chain: with state and a folder of its own, and without the programs of
    /// hooks unless `effects` allows them.
    pub fn run(
        &self,
        paths: &Paths,
        chain: &Chain,
        effects: Effects,
        host: Option<&str>,
    ) -> Tested {
        let problems = match self.answer(paths, chain, effects, host) {
            Ok(answer) => self.problems(&answer),
            Err(problem) => vec![problem],
        };
        Tested { name: self.name.clone(), problems }
    }

    fn answer(
        &self,
        paths: &Paths,
        chain: &Chain,
        effects: Effects,
        host: Option<&str>,
    ) -> Result<Answer, String> {
        let mut stage = Stage::empty(paths, effects).map_err(|it| it.to_string())?;
        stage.host = host.map(str::to_owned);
        for (name, text) in &self.files {
            stage.write(name, text).map_err(|it| it.to_string())?;
        }
        let project = stage.project();
        let place = Place { session: SESSION, transcript: "", cwd: &project };
        let mut answer = Answer::default();
        for deed in self.before.iter().chain([&self.deed]) {
            let call = deed.call()?;
            let answered = stage.ask(chain, call.event, &call.payload(place));
            if let Some(before) = answered.before {
                return Err(before);
            }
            answer = answered.answer;
        }
        Ok(answer)
    }

    fn problems(&self, answer: &Answer) -> Vec<String> {
        let mut problems = Vec::new();
        let mut differs = |key: &str, expected: &str, found: &str| {
            let diff = TextDiff::from_lines(expected, found);
            let lines =
                diff.iter_all_changes().map(|it| format!("{}{}", it.tag(), it.value().trim_end()));
            problems.push(format!("{key}: {}", lines.collect::<Vec<_>>().join(" ")));
        };
        if let Some(decision) = self.decision.as_deref().filter(|it| *it != answer.decision) {
            differs("decision", decision, answer.decision);
        }
        if let Some(words) = self.reason.as_deref().filter(|it| !answer.reason.contains(*it)) {
            differs("reason", words, &answer.reason);
        }
        if let Some(words) = self.context.as_deref().filter(|it| !answer.context.contains(*it)) {
            differs("context", words, &answer.context);
        }
        if let Some(input) = self.rewritten.as_ref().filter(|it| answer.input.as_ref() != Some(it))
        {
            let found = answer.input.as_ref().map(Value::to_string).unwrap_or_default();
            differs("rewritten", &input.to_string(), &found);
        }
        problems
    }
}

/// Writes a first set of cases: what the chain answers today to some calls that its hooks are for.
pub fn first(paths: &Paths, chain: &Chain) -> String {
    const LINES: [&str; 5] =
        ["rm -rf src", "git push --force", "git reset --hard", "cat .env", "git status"];
    let mut text = String::from(
        "# Cases for `hookman test`: a call, and the answer that the hooks are to give.\n\
         # These are today's answers. Correct those that are not what you want, and add your own.\n",
    );
    for line in LINES {
        let case = Case {
            deed: Deed { command: Some(line.to_owned()), ..Deed::default() },
            ..Case::default()
        };
        let Ok(answer) = case.answer(paths, chain, Effects::Held, None) else { continue };
        let quoted = Value::from(line).to_string();
        let _ = write!(
            text,
            "\n[[case]]\nname     = {}\ncommand  = {quoted}\ndecision = \"{}\"\n",
            Value::from(format!("{line}: {}", answer.decision)),
            answer.decision
        );
    }
    text
}

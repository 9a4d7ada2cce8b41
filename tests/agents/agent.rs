//! The agents as data: how each is started offline, what its tools are called, and in what words it
//! passes on a denial.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Value, json};

/// One agent, a row of `agents.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Agent {
    /// Its name for `--host`.
    pub name: String,
    /// Its package with the version that the cases are about.
    package: String,
    /// The packages that it needs besides.
    #[serde(default)]
    #[expect(dead_code, reason = "tests/agents/install reads it")]
    besides: String,
    /// Variables.
    pub env: BTreeMap<String, String>,
    /// Words before a prompt that begins a session.
    pub begin: Vec<String>,
    /// Words before a prompt that goes on with the last one.
    pub resume: Vec<String>,
    /// A shell line after which it runs its hooks, where a person has to do something first.
    #[serde(default)]
    pub trust: String,
    /// Its tools, by hookman's words.
    #[serde(default)]
    tools: BTreeMap<String, String>,
    /// Fields of inputs, by hookman's words.
    #[serde(default)]
    fields: BTreeMap<String, String>,
    /// Fields that its tools ask for besides, by the tool.
    #[serde(default)]
    more: BTreeMap<String, String>,
    /// The starts of what it asks the model by itself, besides the conversation.
    #[serde(default)]
    pub aside: Vec<String>,
    /// Patterns of a tool's result that was denied; the reason is the first group.
    pub held: Vec<String>,
    /// Patterns of the result of a tool that ran; what it said is the first group.
    pub ran: Vec<String>,
    /// The files that a case begins with.
    pub files: BTreeMap<String, String>,
}

/// `agents.toml`.
#[derive(Deserialize)]
struct Agents {
    agent: Vec<Agent>,
}

const QUIET: &[(&str, &str)] = &[
    ("HTTPS_PROXY", "http://@API@"),
    ("HTTP_PROXY", "http://@API@"),
    ("NO_PROXY", "127.0.0.1"),
    ("NO_COLOR", "1"),
];

impl Agent {
    /// The agent of that name, which the tests keep to their end.
    pub(crate) fn named(name: &str) -> Result<&'static Self> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/agents.toml");
        let text = fs::read_to_string(path).context("failed to read the agents")?;
        let agents: Agents = toml::from_str(&text).context("failed to parse the agents")?;
        let found = agents.agent.into_iter().find(|agent| agent.name == name);
        Ok(Box::leak(Box::new(found.context("no such agent")?)))
    }

    /// The version that the cases are about.
    pub(crate) fn version(&self) -> &str {
        self.package.rsplit('@').next().unwrap_or_default()
    }

    /// The folder into which `tests/agents/install` put it.
    pub(crate) fn folder(&self) -> PathBuf {
        let name = format!("{}-{}", self.name, self.version());
        Path::new(env!("CARGO_MANIFEST_DIR")).join(".client/hosts").join(name)
    }

    /// Its program, where it is installed.
    pub(crate) fn installed(&self) -> Result<PathBuf> {
        let path = self.folder().join("node_modules/.bin").join(&self.name);
        if !path.is_file() {
            bail!("there is no {} at `{}`; run `tests/agents/install`", self.name, path.display());
        }
        Ok(path)
    }

    /// Each of its variables.
    pub(crate) fn env(&self) -> impl Iterator<Item = (&str, &str)> {
        QUIET.iter().copied().chain(self.env.iter().map(|(name, value)| (&**name, &**value)))
    }

    /// A call in its own words.
    pub(crate) fn call(&self, tool: &str, input: &Value) -> (String, Value) {
        let named = |names: &BTreeMap<String, String>, ours: &str| {
            names.get(ours).cloned().unwrap_or_else(|| ours.to_owned())
        };
        let name = named(&self.tools, tool);
        let mut fields: serde_json::Map<String, Value> = input
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, value)| (named(&self.fields, key), value.clone()))
            .collect();
        if let Some(more) = self.more.get(&name) {
            fields.insert(more.clone(), "a test".into());
        }
        (name, Value::Object(fields))
    }

    /// A call as the script that Codex's models write.
    pub(crate) fn script(&self, tool: &str, input: &Value) -> String {
        let text = |key: &str| input[key].as_str().unwrap_or_default();
        let lines = |mark: &str, text: &str| -> String {
            text.lines().flat_map(|line| [mark, line, "\n"]).collect()
        };
        let file = text("file_path");
        let body = match tool {
            "Write" => Some(format!("*** Add File: {file}\n{}", lines("+", text("content")))),
            "Edit" => {
                let changes = [lines("-", text("old_string")), lines("+", text("new_string"))];
                Some(format!("*** Update File: {file}\n@@\n{}", changes.concat()))
            }
            "Patch" => Some(text("patch").to_owned()),
            _ => None,
        };
        let call = match body {
            Some(body) => {
                let whole = format!("*** Begin Patch\n{body}*** End Patch\n");
                format!("tools.apply_patch({})", json!(whole))
            }
            None => format!("tools.exec_command({})", json!({"cmd": text("command")})),
        };
        format!(
            "try {{ const it = await {call}; text('ran: ' + (it.output ?? '')); }} \
             catch (error) {{ text('held: ' + error); }}"
        )
    }
}

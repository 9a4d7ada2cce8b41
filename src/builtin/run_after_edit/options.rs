//! The options of `run-after-edit`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::builtin::values::PathGlob;
use crate::builtin::{Level, OptionProblem, Period, kind};

/// When the tools run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum At {
    /// After each edit, on the file that was edited.
    #[default]
    Edit,
    /// At the end of a turn in which files were edited, on the whole project.
    Stop,
}

/// The tools that run after edits, and the reaction when one fails.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Options {
    /// When the tools run.
    pub at: At,
    /// The reaction when a tool fails: `block` hands its output to the model as something to mend,
    /// `advise` as a note.
    pub level: Level,
    /// True if programs of the project itself may run: those in `node_modules/.bin` and
    /// `.venv/bin`, and tools that run the project's code, such as its tests. Without it, your
    /// answer for the project counts: `hookman install` asks, and `hookman install --project-tools
    /// yes` answers later.
    pub project_tools: Option<bool>,
    /// The tools. Of those that fit a file, the first of each `job` runs.
    pub tools: Vec<Tool>,
    /// Tools to try before those there are.
    pub extra_tools: Vec<Tool>,
    /// Files that no tool is run for.
    pub skip: Vec<PathGlob>,
    /// The time that one tool may take.
    pub limit: Period,
    /// The most lines of a tool's output that the model gets.
    pub lines: usize,
    /// The most refusals in a row of the end of a turn.
    pub most: u64,
    /// Further variables for the tools.
    pub env: BTreeMap<String, String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            at: At::Edit,
            level: Level::Block,
            project_tools: None,
            tools: Vec::new(),
            extra_tools: Vec::new(),
            skip: Vec::new(),
            limit: Period::seconds(60),
            lines: 40,
            most: 3,
            env: BTreeMap::new(),
        }
    }
}

/// One tool.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Tool {
    /// The program and its arguments; `{file}` is the edited file, and `{root}` the directory in which
    /// a file of `root` was found.
    pub argv: Vec<String>,
    /// The files it is for.
    pub files: Vec<PathGlob>,
    /// It runs only if one of these files is in the edited file's directory or above it. A text
    /// after a blank must be in the file, as in `pyproject.toml [tool.ruff`, with `^` at the start
    /// of a line that sets no variable, as in `Makefile ^test:`, and with `/` as a member of its
    /// JSON, as in `package.json /scripts/test`.
    #[serde(default)]
    pub root: Vec<String>,
    /// It runs only if one of these files, such as a lock file, is next to that file or above it; a
    /// name that ends with `/` is a directory.
    #[serde(default)]
    pub needs: Vec<String>,
    /// It does not run where that file has one of these texts.
    #[serde(default)]
    pub unless: Vec<String>,
    /// Exit codes that mean that there was nothing to do.
    #[serde(default)]
    pub nothing: Vec<i32>,
    /// Of tools with one job only the first that fits runs.
    #[serde(default)]
    pub job: String,
    /// True if it runs the project's own code, and so only with `project_tools`.
    #[serde(default)]
    pub runs_project: bool,
}

impl Options {
    pub(super) fn all(&self) -> impl Iterator<Item = &Tool> {
        self.extra_tools.iter().chain(&self.tools)
    }
}

impl kind::Options for Options {
    fn check(&self) -> Result<(), OptionProblem> {
        for (name, tools) in [("tools", &self.tools), ("extra_tools", &self.extra_tools)] {
            if let Some(index) = tools.iter().position(|tool| tool.argv.is_empty()) {
                let path = [name, &index.to_string(), "argv"];
                return Err(OptionProblem::at(&path, "a program is needed"));
            }
        }
        Ok(())
    }
}

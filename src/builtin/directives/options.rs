//! The options of `directives`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::builtin::tool_pattern::ToolPattern;
use crate::builtin::workflow::Source;
use crate::builtin::{OptionProblem, kind};

/// The reaction to the first touch of a folder with directive files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Mode {
    /// The model learns that they are there.
    Mention,
    /// The model gets their text.
    Inject,
    /// The model has to read them before it goes on.
    Require,
}

/// The files that are directives, and the reaction to them.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Options {
    /// The reaction to directive files.
    pub mode: Mode,
    /// The names of directive files, looked for in the folder that is touched and in those above it, up
    /// to the project's. A `CLAUDE.md` that the client loads itself, at its start or with a file that is read, is left
    /// out.
    pub files: Vec<String>,
    /// Names of further files, which count only while `directives` in the state names them.
    pub optional: Vec<String>,
    /// Files that the hook does not mention, but that the model must read before a turn may end;
    /// needs the event `Stop`.
    pub before_stop: Vec<String>,
    /// In each folder this one is looked into first; empty for none.
    pub subfolder: String,
    /// Folders, by name, in and below which the hook looks for nothing. Only names below the
    /// project's directory count.
    pub exclude: Vec<String>,
    /// `inject`: the most characters of one file.
    pub longest_file: u64,
    /// `inject`: the most characters at once; the model gets only the path of a file without room.
    pub longest: usize,
    /// `require`: from this many calls after they were asked for, calls are denied until the files are
    /// read; 0 never denies.
    pub block_after: u64,
    /// `require`: calls that pass and are not counted while files are to be read.
    pub free: Vec<ToolPattern>,
    /// `require`: the hook counts and denies nothing while a name of the state has one of these
    /// values.
    pub pause: BTreeMap<String, Vec<String>>,
    /// The state that `pause` and `optional` read.
    pub state: Source,
}

impl Default for Options {
    fn default() -> Self {
        let list = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Self {
            mode: Mode::Mention,
            files: list(&[
                "README.md",
                "AGENTS.md",
                "CLAUDE.md",
                "INVARIANTS.md",
                "TESTING.md",
                "PITFALLS.md",
                "CONTRIBUTING.md",
                "ARCHITECTURE.md",
                "CHECKLIST.md",
            ]),
            optional: Vec::new(),
            before_stop: Vec::new(),
            subfolder: ".directives".to_owned(),
            exclude: list(&["node_modules", ".git", "dist", "build", "target"]),
            longest_file: 4_000,
            longest: 9_000,
            block_after: 3,
            free: Vec::new(),
            pause: BTreeMap::new(),
            state: Source::default(),
        }
    }
}

impl kind::Options for Options {
    fn check(&self) -> Result<(), OptionProblem> {
        let lists = [
            ("files", &self.files),
            ("optional", &self.optional),
            ("before_stop", &self.before_stop),
        ];
        for (key, names) in lists {
            for (index, name) in names.iter().enumerate() {
                if name.is_empty() || name.contains(['/', '\\']) {
                    let why =
                        format!("expected the name of a file without a folder, found `{name}`");
                    return Err(OptionProblem::at(&[key, &index.to_string()], why));
                }
            }
        }
        if self.subfolder.split(['/', '\\']).any(|part| part == "..") {
            return Err(OptionProblem::at(
                &["subfolder"],
                "expected a folder below the one touched",
            ));
        }
        Ok(())
    }
}

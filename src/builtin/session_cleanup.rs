//! The kind `session-cleanup`: removes old state files that other hooks left, but not hookman's own.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{self, Kind};
use super::silence::Silence;
use super::{Can, Context, Failure, OptionProblem, Period};
use crate::client::Answer;

pub(super) static KIND: Kind =
    Kind::of::<Options>("session-cleanup", &[Can::ReadFiles, Can::WriteFiles], run);

/// The files that are removed.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Options {
    /// The directory; `~/` is the home.
    folder: String,
    /// The ends of the names of files that are removed; at least one.
    endings: Vec<String>,
    /// The time that a file is kept after its last change.
    older_than: Period,
}

impl Default for Options {
    fn default() -> Self {
        Self { folder: String::new(), endings: Vec::new(), older_than: Period::seconds(3600) }
    }
}

impl kind::Options for Options {
    fn check(&self) -> Result<(), OptionProblem> {
        if self.folder.is_empty() {
            return Err(OptionProblem::at(&["folder"], "a directory is needed"));
        }
        if self.endings.is_empty() || self.endings.iter().any(|ending| ending.len() < 3) {
            let message = "endings of at least three characters are needed, such as `.used`";
            return Err(OptionProblem::at(&["endings"], message));
        }
        Ok(())
    }
}

fn run(context: &Context<'_>) -> Result<Answer, Failure> {
    let options: Options = context.options()?;
    let home = context.host.variable("HOME").unwrap_or_default();
    let folder = match options.folder.strip_prefix("~/") {
        Some(rest) => Path::new(&home).join(rest),
        None => Path::new(&*context.payload.cwd).join(&options.folder),
    };
    let names = context.host.names(&folder);
    let names = names.map_err(Failure::of(format!("read `{}`", folder.display())))?;
    let oldest = context.host.now() - options.older_than.as_seconds().cast_signed();
    let mut is_any = false;
    for name in names.iter().filter(|name| options.endings.iter().any(|it| name.ends_with(it))) {
        let path = folder.join(name);
        let is_old = context.host.look(&path).is_some_and(|it| it.is_file && it.modified < oldest);
        if is_old {
            let doing = Failure::of(format!("remove `{}`", path.display()));
            is_any |= context.host.remove(&path).map_err(doing)?;
        }
    }
    Ok(if is_any { Silence::Removed.answer() } else { Answer::default() })
}

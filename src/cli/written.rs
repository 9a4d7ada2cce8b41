//! The report of a command that writes, for programs: `--json`.

use std::path::Path;

use anyhow::{Result, bail};
use serde_json::{Value, json};

use super::exit::ExitStatus;
use crate::install::change::{Change, Outcome, is_empty};
use crate::install::target::{Target, Writing};
use crate::machine::{World, files};
use crate::manifest::Hook;
use crate::settings;

pub(super) struct Written {
    pub(super) status: ExitStatus,
    report: Value,
}

impl Written {
    pub(super) fn of(
        ended: (Outcome, ExitStatus),
        target: &Target,
        changes: &[&dyn Change],
        settings: &[settings::Change],
        hooks: &[Hook],
    ) -> Self {
        let (outcome, status) = ended;
        let on = hooks.iter().filter(|hook| hook.enabled).map(|hook| &hook.name);
        let report = json!({
            "outcome": match outcome {
                Outcome::Nothing => "nothing",
                Outcome::Shown => "shown",
                Outcome::Written => "written",
            },
            "would_change": !is_empty(changes),
            "in_force": outcome != Outcome::Shown && status == ExitStatus::Done,
            "manifest": target.manifest,
            "settings": target.settings,
            "changes": settings,
            "hooks": on.collect::<Vec<_>>(),
        });
        Self { status, report }
    }

    /// The same, where the manifest asks for something else.
    pub(super) fn out_of_step(mut self, is_shown: bool) -> Self {
        self.report["in_force"] = false.into();
        if !is_shown {
            self.status = self.status.max(ExitStatus::Found);
        }
        self
    }
}

/// Runs a command that writes; with JSON it reports instead of printing, and asks nothing.
pub(super) fn told(
    world: &World,
    is_json: bool,
    writing: &Writing,
    command: impl FnOnce(&World) -> Result<Written>,
) -> Result<ExitStatus> {
    if !is_json {
        return Ok(command(world)?.status);
    }
    if !writing.yes && !writing.dry_run {
        bail!("--json asks nothing: --yes writes, and --dry-run shows what would be written");
    }
    let quiet = world.quiet();
    let Written { status, mut report, .. } = command(&quiet)?;
    report["message"] = json!(quiet.terminal.kept());
    world.terminal.line(report.to_string());
    Ok(status)
}

/// Writes a report to a file that is not there or is an earlier report; any other stays, with an error.
pub(super) fn report(path: &Path, text: &str) -> Result<()> {
    /// Two reports have so many lines in common at their beginning.
    const HEAD: usize = 2;
    let there = files::read_text(path)?.unwrap_or_default();
    let is_same = there.lines().take(HEAD).eq(text.lines().take(HEAD));
    if !there.is_empty() && !is_same {
        bail!("`{}` is no earlier report and is left as it is; name another file", path.display());
    }
    Ok(files::replace(path, text)?)
}

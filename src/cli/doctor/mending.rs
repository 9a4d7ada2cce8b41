//! `hookman doctor --fix`: what of the findings hookman can put right.

use anyhow::Result;

use super::super::apply;
use super::super::args::{Apply, Doctor};
use crate::doctor::{Examined, Mend};
use crate::install::change::Change;
use crate::install::change::consent::Question;
use crate::install::change::mode::ModeChange;
use crate::install::change::transaction::{Outcome, Transaction};
use crate::install::target::Target;
use crate::install::target::options::{RegisterOptions, Scope, Writing};
use crate::machine::world::World;

/// Puts right what can be, by the plan, the question, the backup and the write of the commands that do
/// it alone; gives whether anything may have changed.
pub(super) fn mend(args: &Doctor, examined: &[Examined], world: &World) -> Result<bool> {
    let findings = examined.iter().flat_map(|examined| &examined.findings);
    let mut mends: Vec<&Mend> = findings.filter_map(|finding| finding.mend.as_ref()).collect();
    mends.sort();
    mends.dedup();
    if mends.is_empty() {
        world.terminal.line("nothing of this is for --fix");
        return Ok(false);
    }
    let writing = Writing { dry_run: args.dry_run, yes: args.yes, no_wait: false };
    let mut modes = Vec::new();
    for mend in mends {
        match mend {
            Mend::Apply(name) => {
                let project = matches!(*name, "project" | "local").then_some(None);
                let (local, managed) = (*name == "local", *name == "managed");
                let scope = Scope { project, local, managed };
                let writing = writing.clone();
                let options = RegisterOptions { scope, writing, binary: None };
                apply::apply(&Apply { options, json: false }, world)?;
            }
            Mend::MakeExecutable(path) => modes.push(ModeChange::executable(path.clone())?),
            Mend::MakePrivate(path) => modes.push(ModeChange::private(path.clone())?),
        }
    }
    if !modes.is_empty() {
        let target = Target::of(&Scope::default(), world)?;
        let transaction = Transaction::begin(world, &target, &writing)?;
        let changes: Vec<&dyn Change> = modes.iter().map(|mode| mode as &dyn Change).collect();
        transaction.show(&changes);
        let outcome = transaction.commit("doctor", &Question::new("Change this?"), &changes)?;
        return Ok(outcome == Outcome::Written || !args.dry_run);
    }
    Ok(!args.dry_run)
}

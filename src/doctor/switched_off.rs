//! Is something set that keeps hooks from running as a whole?

use std::path::PathBuf;

use super::facts::Facts;
use super::finding::{Findings, Level};
use crate::client::off_switch::Off;
use crate::install::registration::off_switches;
use crate::settings::Handler;

pub(super) fn check(facts: &Facts, findings: &mut Findings) {
    for Off { place, message, fix, .. } in all(facts) {
        findings.add(Level::Error, place, message, fix);
    }
}

/// All that keeps hooks from running.
pub(super) fn all(facts: &Facts) -> Vec<Off> {
    let files = facts.writable_files().into_iter();
    let files: Vec<PathBuf> = files.map(|file| file.path.clone()).collect();
    off_switches::on(&facts.paths, &files, &off_switches::read)
}

/// Returns whether a switch keeps a handler from running.
pub(super) fn hits(off: &Off, handler: &Handler) -> bool {
    let is_line = handler.text("type") == Some("command") && handler.value.get("args").is_none();
    !off.spares_exec_form || is_line
}

//! `hookman doctor`: check that every hook would really fire.

use anyhow::Result;
use serde_json::json;

use super::args::Doctor;
use super::{ExitStatus, World, configured, word};
use crate::doctor::{self, Facts, Finding, Level};
use crate::machine::environment;
use crate::machine::terminal::harmless;

pub(super) fn doctor(args: &Doctor, world: &World) -> Result<ExitStatus> {
    let project = configured::project().or_else(|| environment::current_directory().ok());
    let examined = doctor::examine(&Facts::gather(&world.paths, project.as_deref()));
    let findings: Vec<&Finding> = examined.iter().flat_map(|examined| &examined.findings).collect();
    let worst = findings.iter().map(|finding| finding.level).max();
    let status = if worst >= Some(Level::Warning) { ExitStatus::Found } else { ExitStatus::Done };
    if args.json {
        let checks: Vec<_> = examined
            .iter()
            .map(|examined| {
                json!({
                    "check": examined.check.id,
                    "about": examined.check.about,
                    "findings": examined.findings,
                })
            })
            .collect();
        world.terminal.line(serde_json::to_string_pretty(&json!({"checks": checks}))?);
        return Ok(status);
    }
    for examined in &examined {
        if examined.findings.is_empty() && args.verbose {
            world
                .terminal
                .line(format!("ok       {}: {}", examined.check.id, examined.check.about));
        }
        for finding in &examined.findings {
            print(world, finding);
        }
    }
    let clean = examined.iter().filter(|examined| examined.findings.is_empty()).count();
    let count = |level| findings.iter().filter(|finding| finding.level == level).count();
    let counted = |level, word| match count(level) {
        1 => format!("1 {word}"),
        several => format!("{several} {word}s"),
    };
    world.terminal.line(format!(
        "{} checks: {clean} found nothing; {}, {}, {} to know",
        examined.len(),
        counted(Level::Error, "error"),
        counted(Level::Warning, "warning"),
        count(Level::Info),
    ));
    Ok(status)
}

fn print(world: &World, finding: &Finding) {
    let level = finding.level.name();
    let shown = match (world.terminal.colours, finding.level) {
        (false, _) => format!("{level:8}"),
        (true, Level::Error) => format!("\x1b[31m{level:8}\x1b[0m"),
        (true, Level::Warning) => format!("\x1b[33m{level:8}\x1b[0m"),
        (true, Level::Info) => format!("\x1b[36m{level:8}\x1b[0m"),
    };
    let Finding { check, place, message, .. } = finding;
    let fix = word::typed(world, &finding.fix);
    let rest = format!("{check}: {place}\n         {message}\n         to do: {fix}");
    world.terminal.line(format!("{shown} {}", harmless(&rest)));
}

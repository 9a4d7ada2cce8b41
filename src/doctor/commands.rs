//! Would the commands of hooks do what they are for, as far as can be seen without running them?

use std::collections::BTreeMap;

use super::check::Check;
use super::facts::Facts;
use super::finding::{Findings, Level, Mend};
use crate::install::addition::tool_consent;
use crate::install::command_faults::places::PlacedFault;
use crate::install::command_faults::{Kind, Weight};
use crate::manifest::Hook;
use crate::state::project_tools;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "command-present",
        about: "the programs and scripts of hooks are there",
        notice: "the hook fails at each call, and does nothing",
        run: |facts, findings| add(facts, findings, Kind::Missing),
    },
    Check {
        id: "command-gone",
        about: "no hook calls what was removed with its directory",
        notice: "the hook fails at each call, and does nothing",
        run: |facts, findings| add(facts, findings, Kind::Gone),
    },
    Check {
        id: "command-executable",
        about: "the programs and scripts of hooks may be run",
        notice: "the hook fails at each call, and does nothing",
        run: |facts, findings| add(facts, findings, Kind::NotExecutable),
    },
    Check {
        id: "command-interpreter",
        about: "the interpreters of scripts are there, and their first lines end in LF",
        notice: "the hook fails at each call, and does nothing",
        run: |facts, findings| add(facts, findings, Kind::Interpreter),
    },
    Check {
        id: "command-relative",
        about: "commands are found from each directory",
        notice: "the hook fails once the session has changed its directory",
        run: |facts, findings| add(facts, findings, Kind::Relative),
    },
    Check {
        id: "command-quoting",
        about: "shells read commands as they were meant",
        notice: "the hook fails, or does so where a directory has a blank in its name",
        run: |facts, findings| add(facts, findings, Kind::Quoting),
    },
    Check {
        id: "command-lockout",
        about: "no command that cannot run blocks by accident",
        notice: "each call is blocked, until the session cannot do anything",
        run: |facts, findings| add(facts, findings, Kind::Lockout),
    },
    Check {
        id: "command-variables",
        about: "variables of the client that commands use are ones that it sets",
        notice: "the value is empty, so the command is not about the call it was asked on",
        run: |facts, findings| add(facts, findings, Kind::Variable),
    },
    Check {
        id: "command-input",
        about: "commands read the call from standard input, and by the names of its fields",
        notice: "the hook finds nothing in the call, so it does nothing or fails",
        run: |facts, findings| add(facts, findings, Kind::Input),
    },
    Check {
        id: "command-needs",
        about: "what commands and their scripts call is there",
        notice: "the hook fails, or does half of what it is for",
        run: |facts, findings| add(facts, findings, Kind::Needs),
    },
    Check {
        id: "command-syntax",
        about: "scripts are ones that their interpreters can read",
        notice: "the hook fails at each call, and does nothing",
        run: |facts, findings| add(facts, findings, Kind::Syntax),
    },
    Check {
        id: "command-lint",
        about: "ShellCheck, where it is installed, finds nothing in scripts that breaks a hook",
        notice: "the hook may do something else than it seems to",
        run: |facts, findings| add(facts, findings, Kind::Lint),
    },
    Check {
        id: "command-answer",
        about: "answers that commands have in so many words are ones that their events heed",
        notice: "the hook runs, and what it says counts for nothing",
        run: |facts, findings| add(facts, findings, Kind::Answer),
    },
    Check {
        id: "project-tools",
        about: "somebody has said whether hooks may run the project's own programs",
        notice: "files are not formatted, linted, type checked or tested",
        run: project_tools,
    },
];

fn project_tools(facts: &Facts, findings: &mut Findings) {
    let Some(project) = &facts.project else { return };
    if project_tools::answer(&facts.paths, project).is_some() {
        return;
    }
    let hooks: Vec<Hook> = facts.hooks().filter(|hook| hook.enabled).cloned().collect();
    let (names, programs) = tool_consent::wanted(&hooks, project);
    if !programs.is_empty() {
        findings.add(
            Level::Info,
            facts.paths.shown(project),
            format!(
                "{} would run programs of the project itself ({}), which nobody has allowed yet",
                names.join(", "),
                programs.join(", ")
            ),
            "run `hookman install --project-tools yes` in the project, or answer `no`",
        );
    }
}

/// Adds the faults of a kind, those with one cause as one.
fn add(facts: &Facts, findings: &mut Findings, kind: Kind) {
    let mut causes: Vec<Vec<&PlacedFault>> = Vec::new();
    let mut known = BTreeMap::new();
    for placed in facts.faults().iter().filter(|placed| placed.fault.kind == kind) {
        let cause = (&placed.fault.message, &placed.fault.fix);
        let at = *known.entry(cause).or_insert(causes.len());
        match causes.get_mut(at) {
            Some(same) => same.push(placed),
            None => causes.push(vec![placed]),
        }
    }
    for placed in causes {
        let first = placed[0];
        let fault = &first.fault;
        let worst = placed.iter().map(|it| it.fault.weight).max().unwrap_or(fault.weight);
        let level = match worst {
            Weight::Breaks => Level::Error,
            Weight::Risks => Level::Warning,
            Weight::Hints => Level::Info,
        };
        let message = match placed.len() {
            1 => first.message(),
            _ => format!("{}; the same in {}", first.message(), others(&placed[1..])),
        };
        let finding = findings.add(level, &first.place, message, &fault.fix);
        finding.rests_on(fault.layer);
        if let Some(notice) = placed.iter().find_map(|it| it.fault.notice) {
            finding.notice(notice);
        }
        if let Some(file) = &fault.executable {
            finding.mend(Mend::MakeExecutable(file.clone()));
        }
    }
}

/// The number of further commands, with their hooks or places, of which three are named.
fn others(more: &[&PlacedFault]) -> String {
    let name = |it: &&PlacedFault| match &it.hook {
        Some(hook) => format!("`{hook}`"),
        None => it.place.clone(),
    };
    let names: Vec<String> = more.iter().take(3).map(name).collect();
    let dots = if more.len() > names.len() { ", …" } else { "" };
    let word = if more.len() == 1 { "command" } else { "commands" };
    format!("{} other {word} ({}{dots})", more.len(), names.join(", "))
}

//! Can the conditions in `when` ever be met?

use super::{Check, Facts, Findings, Level};
use crate::client::event::{Event, Subject};
use crate::client::matcher::{self, Kind, names};
use crate::client::permission_rule::odd_glob;
use crate::manifest::{Hook, Origin};

pub(super) const CHECKS: &[Check] = &[Check {
    id: "when-never",
    about: "no `when` asks for what never comes",
    notice: "the hook never runs",
    run: never,
}];

/// Tools whose input names no file; the client's tools reference, and payloads of 2.1.329.
const WITHOUT_FILE: &[&str] =
    &["Agent", "Bash", "Monitor", "PowerShell", "Skill", "WebFetch", "WebSearch"];

fn never(facts: &Facts, findings: &mut Findings) {
    for chain in &facts.chains {
        let Ok(Some(manifest)) = &chain.manifest else { continue };
        for hook in &manifest.hooks {
            if hook.audience.when.paths.is_empty() {
                continue;
            }
            let shown = || hook.origins.get("when").map(Origin::place).unwrap_or_default();
            if let Some(subject) = without_file(hook) {
                findings.add(
                    Level::Warning,
                    shown(),
                    format!(
                        "`when.paths` of `{}` is never met: {subject} is about no file",
                        hook.name
                    ),
                    "leave it out, or give the hook an event and a matcher of tools with files",
                );
            }
            for glob in &hook.audience.when.paths {
                if let Some((why, fix)) = odd_glob(glob) {
                    findings.add(Level::Warning, shown(), format!("`{glob}` {why}"), fix);
                }
            }
        }
    }
}

/// What a hook runs for, where none of it is about a file.
fn without_file(hook: &Hook) -> Option<String> {
    let about_file = |event: &&Event| {
        matches!(event.facts().subject, Subject::Tool | Subject::FileName | Subject::LoadReason)
    };
    if !hook.events.iter().any(|event| about_file(&event)) {
        return Some(hook.events.iter().map(|it| it.name()).collect::<Vec<_>>().join(" or "));
    }
    let matcher = hook.matcher.as_deref().filter(|matcher| {
        let of_tools = |event: &Event| event.facts().subject == Subject::Tool;
        let is_list = |event: &Event| matcher::kind(Some(matcher), *event) == Kind::List;
        hook.events.iter().all(|event| of_tools(event) && is_list(event))
    })?;
    names(matcher).all(|name| WITHOUT_FILE.contains(&name)).then(|| format!("`{matcher}`"))
}

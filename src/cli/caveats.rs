//! What keeps the hooks of a registration from firing though it is as it should be: defects of the
//! user's own for which the client ignores a whole file, and the switch for all hooks.

use super::World;
use super::proposal::Proposal;
use super::settling::Written;
use super::target::Target;
use crate::client::event::Event;
use crate::client::json::{Document, Kind};
use crate::client::settings_schema::{self, Effect};
use crate::machine::files;

/// Warns of what [`found`] says of the files that the proposals leave; gives whether it is anything.
pub(super) fn show(world: &World, target: &Target, proposals: &[&Proposal]) -> bool {
    let found = found(world, target, proposals);
    for caveat in &found {
        world.terminal.warn(format!("warning: {caveat}"));
    }
    !found.is_empty()
}

/// Each defect for which the client would ignore a file that the proposals leave, and a switch that
/// keeps all hooks from firing.
pub(super) fn found(world: &World, target: &Target, proposals: &[&Proposal]) -> Vec<String> {
    let mut found = Vec::new();
    for proposal in proposals {
        let text = proposal.plan.after.as_deref();
        if let Some(document) = text.map(Document::parse).and_then(Result::ok) {
            dropped(&world.paths.shown(proposal.settings()), &document, &mut found);
        }
    }
    found.extend(switched_off(world, target, proposals));
    found
}

fn dropped(shown: &str, document: &Document<'_>, found: &mut Vec<String>) {
    let events: Vec<&str> = Event::ALL.iter().map(|event| event.name()).collect();
    let defects = settings_schema::check(document, &events);
    for defect in defects.into_iter().filter(|it| it.effect == Effect::FileDropped) {
        found.push(format!(
            "{shown}:{}:{}: {}; {} until it is corrected: {}",
            defect.line, defect.column, defect.message, defect.effect, defect.hint
        ));
    }
}

// Of several files that have the key, the client believes the most local one.
fn switched_off(world: &World, target: &Target, proposals: &[&Proposal]) -> Option<String> {
    let mut files = vec![world.paths.user_settings()];
    if let Some(project) = &target.project {
        files.insert(0, project.join(".claude/settings.json"));
        files.insert(0, project.join(".claude/settings.local.json"));
    }
    for file in files {
        let planned = proposals.iter().find(|proposal| proposal.settings() == file);
        let text = match planned {
            Some(proposal) => proposal.plan.after.clone(),
            None => files::read_text(&file).ok().flatten(),
        };
        let Some(text) = text else { continue };
        let Ok(document) = Document::parse(&text) else { continue };
        let Some(node) = document.lookup("/disableAllHooks") else { continue };
        if let Kind::Bool(off) = node.kind {
            let place = document.position(node.span.start);
            let shown = world.paths.shown(&file);
            return off.then(|| {
                format!(
                    "{shown}:{}:{}: `disableAllHooks` is true, so no hook fires, from whichever \
                     file; remove the key, or set it to false",
                    place.line, place.column
                )
            });
        }
    }
    None
}

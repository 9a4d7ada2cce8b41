//! What stands in the way of a registration that was planned: defects of the user's own for which
//! the client ignores the whole file.

use super::World;
use super::proposal::Proposal;
use super::settling::Written;
use crate::client::event::Event;
use crate::client::json::Document;
use crate::client::settings_schema::{self, Effect};

/// Warns of each defect for which the client would ignore a file that the proposals leave.
pub(super) fn show(world: &World, proposals: &[Proposal]) {
    for proposal in proposals {
        let text = proposal.plan.after.as_deref();
        if let Some(document) = text.map(Document::parse).and_then(Result::ok) {
            of_file(world, &world.paths.shown(proposal.settings()), &document);
        }
    }
}

fn of_file(world: &World, shown: &str, document: &Document<'_>) {
    let events: Vec<&str> = Event::ALL.iter().map(|event| event.name()).collect();
    for defect in settings_schema::check(document, &events) {
        if defect.effect == Effect::FileDropped {
            world.terminal.warn(format!(
                "warning: {shown}:{}:{}: {}; {} until it is corrected: {}",
                defect.line, defect.column, defect.message, defect.effect, defect.hint
            ));
        }
    }
}

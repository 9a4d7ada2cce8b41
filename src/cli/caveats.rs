//! What stands in the way of a registration that was planned: defects of the user's own for which
//! the client ignores the whole file.

use super::World;
use super::registering::{Proposal, Target};
use crate::client::event::Event;
use crate::client::json::Document;
use crate::client::settings_schema::{self, Effect};

/// Warns of each defect for which the client would ignore the file that `proposal` leaves.
pub(super) fn show(world: &World, target: &Target, proposal: &Proposal) {
    let Some(document) = proposal.plan.after.as_deref().map(Document::parse).and_then(Result::ok)
    else {
        return;
    };
    let events: Vec<&str> = Event::ALL.iter().map(|event| event.name()).collect();
    let shown = world.paths.shown(&target.settings);
    for defect in settings_schema::check(&document, &events) {
        if defect.effect == Effect::FileDropped {
            world.terminal.warn(format!(
                "warning: {shown}:{}:{}: {}; {} until it is corrected: {}",
                defect.line, defect.column, defect.message, defect.effect, defect.hint
            ));
        }
    }
}

//! `hookman careful`: have every guard block.

use anyhow::Result;
use serde_json::json;

use super::args::Careful;
use super::exit::ExitStatus;
use super::which::{self, Session};
use super::word::hint;
use super::{failure, switching};
use crate::machine::{World, agents, clock, environment, harmless};
use crate::session::Careful as Wish;
use crate::state::careful::{self, Place};

pub(super) fn careful(args: &Careful, world: &World) -> Result<ExitStatus> {
    let wish = Wish::parse(args.wish.as_deref().unwrap_or_default(), args.period.as_deref())?;
    let session = match (&wish, args.project) {
        (_, true) | (Wish::Status, _) => which::session_if_any(&args.session, world)?,
        _ => Some(which::session(&args.session, world)?),
    };
    let here = environment::current_directory().unwrap_or_default();
    let project = careful::project(&world.paths, which::project(session.as_ref(), world), &here);
    let place = Place {
        paths: &world.paths,
        session: session.as_ref().map(|session| &session.id),
        project,
        person: agents::is_person(),
    };
    let mut answer = careful::perform(&place, &wish, args.project)?;
    answer.text = switching::ways(&answer.text, answer.refused, session.as_ref(), world);
    let mut lacking = Vec::new();
    if matches!(wish, Wish::On(_)) {
        lacking = switching::not_in_force(world, Some(&place.project), &|_, _| true);
    }
    let is_stranger = session.as_ref().is_some_and(Session::is_stranger) && !args.project;
    if args.json {
        let mut report = json!({
            "session": session.as_ref().map(|session| &session.id),
            "project": place.project.display().to_string(),
            "on_for_session": answer.now.session,
            "on_for_project": answer.now.project.is_some(),
            "until": answer.now.until.map(clock::utc),
            "changed": answer.changed,
            "message": answer.text,
        });
        if answer.refused {
            failure::add(&mut report, &answer.text);
        }
        world.terminal.line(report.to_string());
    } else {
        hint(world, answer.text);
        for line in &lacking {
            hint(world, harmless(line));
        }
        if let Some(session) = session.filter(|_| !args.project) {
            session.tell(world);
        }
    }
    Ok(switching::exit(answer.refused, is_stranger || !lacking.is_empty(), args.slash))
}

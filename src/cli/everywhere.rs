//! Switching hooks in every session at once: `--everywhere`.

use anyhow::{Result, bail};

use super::exit::ExitStatus;
use super::switching::{here, report, scene, switchable, told};
use super::{args, which};
use crate::machine::World;
use crate::session::Verb;
use crate::session::request::{Request, Term};
use crate::state::{Reply, configured, everywhere, switchable, switching};

/// Switches hooks in each session that runs, and in those that start while the switch holds.
pub(super) fn switch(
    verb: Verb,
    which: &args::Which,
    request: &Request,
    world: &World,
) -> Result<ExitStatus> {
    if verb == Verb::Disable && !matches!(request.term, Term::For(_) | Term::Until(_)) {
        bail!(
            "--everywhere needs an end: give --for 1h or --until 18:00 too; --permanent switches a hook off \
             for good"
        );
    }
    let mut hooks = switchable(world, configured::project().as_deref())?;
    if verb == Verb::Enable {
        switchable::add_switched(&mut hooks, &world.paths, &everywhere::session())?;
    }
    let call = format!("hookman {}", verb.name());
    let hooks = match switchable::choose(&hooks, request, &call) {
        Ok(hooks) => hooks,
        Err(reply) => return Ok(told(which, world, &reply)),
    };
    let all = which::everywhere();
    let reply = switching::perform(&scene(world, &all, &here()), verb, &hooks, request)?;
    let mut count = 0_usize;
    for session in which::running(world) {
        match switching::perform(&scene(world, &session, &here()), verb, &hooks, request) {
            Ok(_) => count += 1,
            Err(error) => {
                world.terminal.warn(format!("session {} is as it was: {error:#}", session.id));
            }
        }
    }
    let running = match (count, verb) {
        (0, Verb::Disable) => {
            "It holds in each session that starts meanwhile; none runs now".to_owned()
        }
        (1, Verb::Disable) => {
            "It holds in the session that runs now, and in each that starts meanwhile".to_owned()
        }
        (_, Verb::Disable) => format!(
            "It holds in the {count} sessions that run now, and in each that starts meanwhile"
        ),
        (0, _) => "That holds for each new session; none runs now, and one that ended and goes on later is as \
                   it was"
            .to_owned(),
        (1, _) => "That holds for the session that runs now, and for new ones".to_owned(),
        _ => format!("That holds for the {count} sessions that run now, and for new ones"),
    };
    let text = reply.text.replace("for this session", "in every session");
    let reply = Reply { text: format!("{text}\n{running}"), ..reply };
    Ok(report(which.json, false, world, &all, reply))
}

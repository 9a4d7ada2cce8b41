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
                world.terminal.warn(format!("session {} is unchanged: {error:#}", session.id));
            }
        }
    }
    let running = match (count, verb) {
        (0, Verb::Disable) => {
            "It applies to each session that starts until then; none is running now".to_owned()
        }
        (1, Verb::Disable) => {
            "It applies to the running session, and to each that starts until then".to_owned()
        }
        (_, Verb::Disable) => format!(
            "It applies to the {count} running sessions, and to each that starts until then"
        ),
        (0, _) => "This applies to each new session; none is running now, and a session that is \
                   resumed later keeps its switches"
            .to_owned(),
        (1, _) => "This applies to the running session, and to new ones".to_owned(),
        _ => format!("This applies to the {count} running sessions, and to new ones"),
    };
    let mut text = reply.text.replace("for this session", "in every session");
    if reply.changed || !reply.failed {
        text.extend(["\n", &running]);
    }
    let reply = Reply { text, ..reply };
    Ok(report(which.json, false, world, &all, reply))
}

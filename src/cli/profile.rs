//! `hookman profile`: switch the hooks of a profile off in a session.

use std::path::Path;

use anyhow::Result;
use serde_json::json;

use super::args::Profile;
use super::exit::ExitStatus;
use super::switching::here;
use super::{switching as commands, which};
use crate::machine::World;
use crate::state::{profiles, switchable};

pub(super) fn profile(args: &Profile, world: &World) -> Result<ExitStatus> {
    if args.off {
        let session = which::session(&args.session, world)?;
        // A manifest that cannot be read keeps no profile from its end.
        let project = which::project(Some(&session), world);
        let known = switchable::switchable(&world.paths, project.as_deref());
        let known = known.map(|(hooks, _)| hooks).unwrap_or_default();
        let here = here();
        let scene = commands::scene(world, &session, &here);
        let reply = profiles::end(&scene, args.name.as_deref(), &known)?;
        return Ok(commands::report(args.json, false, world, &session, reply));
    }
    let Some(name) = &args.name else {
        let session = which::session_if_any(&args.session, world)?;
        let project = which::project(session.as_ref(), world);
        list(args, world, &known(project.as_deref(), world)?);
        return Ok(ExitStatus::Done);
    };
    let chosen = commands::in_session(&args.session, world, |session| {
        let project = which::project(session, world);
        let known = known(project.as_deref(), world)?;
        // What is wrong with the manifests was told of the profiles.
        let (hooks, _) = switchable::switchable(&world.paths, project.as_deref())?;
        Ok(profiles::choose(&known, &hooks, name))
    })?;
    let (session, chosen) = chosen?;
    let here = here();
    let scene = commands::scene(world, &session, &here);
    let reply = profiles::disable(&scene, &chosen, &args.term.as_term())?;
    Ok(commands::report(args.json, false, world, &session, reply))
}

fn known(project: Option<&Path>, world: &World) -> Result<Vec<profiles::Profile>> {
    let (profiles, wrong) = profiles::profiles(&world.paths, project)?;
    for message in wrong {
        world.terminal.warn(message);
    }
    Ok(profiles)
}

fn list(args: &Profile, world: &World, profiles: &[profiles::Profile]) {
    if args.json {
        let rows: Vec<_> = profiles
            .iter()
            .map(|it| json!({"profile": it.name, "scope": it.scope, "disable": it.disable}))
            .collect();
        world.terminal.line(json!(rows).to_string());
    } else {
        world.terminal.line(profiles::listed(profiles));
    }
}

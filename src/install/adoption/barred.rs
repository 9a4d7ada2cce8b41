//! The adopted hooks that cannot go back to their file as it is now.

use std::collections::HashSet;

use anyhow::{Result, bail};

use super::parts::{barrier, besides, recorded};
use crate::client::host::files::Form;
use crate::install::registration::entries::is_from;
use crate::install::registration::hosts;
use crate::install::target::{Layers, Target};
use crate::machine::World;
use crate::manifest::Hook;
use crate::state::host_files;

/// A file to which hookman cannot give back what it adopted out of it.
pub(crate) struct Barred {
    pub(crate) hooks: HashSet<String>,
    /// The file, the reason and the way out.
    pub(crate) why: String,
}

/// The files of a program to which hookman cannot give back what it adopted out of them.
pub(crate) fn barred(world: &World, host: &Target) -> Result<Vec<Barred>> {
    let mut found = Vec::new();
    for part in besides(world, host) {
        let hooks = recorded(world, &part)?;
        let Some(reason) = barrier(&part).filter(|_| !hooks.is_empty()) else { continue };
        let mut names: Vec<&str> = hooks.iter().map(String::as_str).collect();
        names.sort_unstable();
        let why = format!(
            "`{}` is left alone: {reason}; hookman cannot put back there what you adopted: {}. Correct the file, or \
             remove it and `hookman release` writes it again",
            world.paths.shown(&part.settings),
            names.join(", ")
        );
        found.push(Barred { hooks, why });
    }
    Ok(found)
}

/// Refuses to end the calls of hookman by a program where hooks could not be given back.
pub(crate) fn check(world: &World, host: &Target) -> Result<()> {
    match barred(world, host)?.into_iter().next() {
        Some(Barred { why, .. }) => bail!("{why}"),
        None => Ok(()),
    }
}

/// The hooks of a manifest that were adopted out of such a file, which is not known here.
pub(crate) fn unknown(world: &World, target: &Target, layers: &Layers) -> Result<Option<String>> {
    let mut names = Vec::new();
    for host in hosts::targets(world, target) {
        let Some(of) = host.host.filter(|of| of.form == Form::Own) else { continue };
        // Once it calls hookman no more, its hooks are back in its files.
        let in_project = target.project.is_some();
        if !hosts::calls(world, &host)
            && !host_files::runs_claudes(&layers.committed, in_project, of)
        {
            continue;
        }
        let mut known = HashSet::new();
        for part in besides(world, &host) {
            known.extend(recorded(world, &part)?);
        }
        let is_open =
            |it: &&Hook| it.manner.adopted && is_from(it, Some(of)) && !known.contains(&it.name);
        names.extend(layers.all.hooks.iter().filter(is_open).map(|hook| hook.name.clone()));
    }
    Ok((!names.is_empty()).then(|| {
        format!(
            "adopted elsewhere, so that hookman does not know the file: {}; take it out of the manifest, and put it \
             into a file by hand",
            names.join(", ")
        )
    }))
}

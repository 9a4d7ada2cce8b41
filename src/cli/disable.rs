//! `hookman disable`: switch hooks off.

use anyhow::Result;

use super::args::Disable;
use super::exit::ExitStatus;
use super::switch;
use crate::machine::World;
use crate::session::Verb;

pub(super) fn disable(args: &Disable, world: &World) -> Result<ExitStatus> {
    switch::switch(Verb::Disable, &args.which, args.term.as_term(), world)
}

//! `hookman enable`: switch hooks on again.

use anyhow::Result;

use super::args::Enable;
use super::{ExitStatus, World, switching};
use crate::session::request::{Term, Verb};

pub(super) fn enable(args: &Enable, world: &World) -> Result<ExitStatus> {
    switching::switch(Verb::Enable, &args.which, Term::Session, world)
}

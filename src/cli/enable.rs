//! `hookman enable`: switch hooks on again.

use anyhow::Result;

use super::args::Enable;
use super::exit::ExitStatus;
use super::switch;
use crate::machine::World;
use crate::session::Verb;
use crate::session::request::Term;

pub(super) fn enable(args: &Enable, world: &World) -> Result<ExitStatus> {
    switch::switch(Verb::Enable, &args.which, Term::Session, world)
}

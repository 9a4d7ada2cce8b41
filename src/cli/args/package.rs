//! The command line of what works on packages, as types and nothing else.
// A doc comment of arguments would take the place of the help text, which the command's variant has.
#![allow(missing_docs, reason = "a doc comment is a help text here")]

use clap::Args;
use clap_complete::ArgValueCandidates;

use super::{RegisterOptions, Scope};
use crate::cli::candidates;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman update               what is newer of all packages, after a look
  hookman update team          of this one
  hookman update --check       only say whether there are any

A package that was installed by a version tag gets the newest one, and one that
was installed by a branch its newest commit. What would run otherwise is shown
as a diff, with the commits since.

Exit codes: 0 done, or with --check nothing newer; 1 with --check something
newer; 2 could not look, or not written.")]
pub struct Update {
    /// The packages (default: all of the manifest)
    #[arg(value_name = "PACKAGE", add = ArgValueCandidates::new(candidates::packages))]
    pub packages: Vec<String>,
    /// Only say what there is
    #[arg(long)]
    pub check: bool,
    #[command(flatten)]
    pub options: RegisterOptions,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman outdated             yours
  hookman outdated --project   those of the project around you

Exit codes: 0 all are the newest, 1 some are not, 2 could not look.")]
pub struct Outdated {
    #[command(flatten)]
    pub scope: Scope,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman vendor team --project    copy it next to the project's manifest

For machines without the network: the package becomes a directory next to the
manifest, in git like the rest of the project.")]
pub struct Vendor {
    /// The package
    #[arg(value_name = "PACKAGE", add = ArgValueCandidates::new(candidates::packages))]
    pub package: String,
    #[command(flatten)]
    pub options: RegisterOptions,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman lock --project    write it, and settle a merge that left it in two minds

hookman.lock has a line for each hook of a package. After this it has them for
the manifest's own hooks with scripts, too, so that `hookman verify` tells where
one changed.")]
pub struct Lock {
    #[command(flatten)]
    pub options: RegisterOptions,
}

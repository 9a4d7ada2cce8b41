//! The command line of what works on packages, as types and nothing else.
// A doc comment of arguments would take the place of the help text, which the command's variant has.
#![allow(missing_docs, reason = "a doc comment is a help text here")]

use std::path::PathBuf;

use clap::{Args, Subcommand};
use clap_complete::ArgValueCandidates;

use super::{RegisterOptions, Scope, WriteOptions};
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

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman trust --project           after `git pull`: what changed, then ask
  hookman trust format --project    of one hook, or of a package
  hookman trust --list              what was seen, and what is new or changed
  hookman trust --revoke format     do not let it run any more

Hooks of packages and projects, and adopted ones, run as you have seen them:
their definitions, programs and scripts. `on_change` in the `[defaults]` of your
own manifest says otherwise.

Exit codes: 0 done, 1 with --list something was not seen, 2 error.")]
pub struct Trust {
    /// Hooks and packages (default: all that is new or changed)
    #[arg(value_name = "NAME", add = ArgValueCandidates::new(candidates::hooks))]
    pub names: Vec<String>,
    /// List what was seen, and what is new or changed
    #[arg(long)]
    pub list: bool,
    /// Forget that these were seen, so that they do not run
    #[arg(long, value_name = "NAME", num_args = 1.., conflicts_with_all = ["names", "list"])]
    pub revoke: Vec<String>,
    /// With --list, report as JSON
    #[arg(long, requires = "list")]
    pub json: bool,
    #[command(flatten)]
    pub options: WriteOptions,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman package check          the package in this directory, as in CI")]
pub struct Package {
    #[command(subcommand)]
    pub command: PackageCommand,
}

#[derive(Debug, Subcommand)]
pub enum PackageCommand {
    /// Look whether a package is sound, run its cases, and compare its README
    Check(PackageCheck),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman package check          the package in this directory
  hookman package check --fix    and write the table of its hooks into README.md

It reads the hooks as who installs them does, looks for their files, and runs
the cases of hookman.test.toml with their commands.

Exit codes: 0 sound, 1 findings, 2 error.")]
pub struct PackageCheck {
    /// The directory of the package (default: this one)
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Write the table of its hooks into README.md
    #[arg(long)]
    pub fix: bool,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
}

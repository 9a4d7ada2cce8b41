//! The command line of what works on packages, as types and nothing else.
// A doc comment of arguments would take the place of the help text, which the command's variant has.
#![allow(missing_docs, reason = "a doc comment is a help text here")]

use std::path::PathBuf;

use clap::{Args, Subcommand};
use clap_complete::ArgValueCandidates;

use super::{RegisterOptions, Scope, WriteOptions};
use crate::cli::candidates;

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/update.txt"))]
pub struct Update {
    /// The packages (default: all of the manifest)
    #[arg(value_name = "PACKAGE", add = ArgValueCandidates::new(candidates::packages))]
    pub packages: Vec<String>,
    /// Only list newer versions
    #[arg(long)]
    pub check: bool,
    #[command(flatten)]
    pub options: RegisterOptions,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/outdated.txt"))]
pub struct Outdated {
    #[command(flatten)]
    pub scope: Scope,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/vendor.txt"))]
pub struct Vendor {
    /// The package
    #[arg(value_name = "PACKAGE", add = ArgValueCandidates::new(candidates::packages))]
    pub package: String,
    #[command(flatten)]
    pub options: RegisterOptions,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/lock.txt"))]
pub struct Lock {
    #[command(flatten)]
    pub options: RegisterOptions,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/trust.txt"))]
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
#[command(after_help = include_str!("help/package.txt"))]
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
#[command(after_help = include_str!("help/package-check.txt"))]
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

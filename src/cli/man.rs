//! `hookman man`: writes the manual pages, one for each command, for packages and `install.sh`.

use anyhow::{Context, Result, bail};
use clap::CommandFactory;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::args::{self, Cli};
use super::exit::ExitStatus;
use crate::machine::{World, files};

const SOURCE: &str = concat!("hookman ", env!("CARGO_PKG_VERSION"));

pub(super) fn man(args: &args::Man, world: &World) -> Result<ExitStatus> {
    files::make_directory(&args.folder)?;
    let mut root = Cli::command();
    root.build();
    let pages = pages(&root)?;
    for (name, text) in &pages {
        let file = args.folder.join(name);
        if files::is_link(&file) {
            bail!("`{}` is a link; remove it first", file.display());
        }
        files::replace(&file, text)?;
    }
    world.terminal.line(format!("wrote {} pages to {}", pages.len(), args.folder.display()));
    Ok(ExitStatus::Done)
}

/// The page of a command and those of the commands below it, as file name and text.
fn pages(command: &clap::Command) -> Result<Vec<(String, String)>> {
    let man = Man::new(command.clone()).source(SOURCE).manual("hookman");
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    synopsis(command).to_writer(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut text)?;
    }
    if let Some(after) = command.get_after_help() {
        examples(&after.to_string()).to_writer(&mut text)?;
    }
    let text = String::from_utf8(text).context("a page is not UTF-8")?;
    let mut found = vec![(man.get_filename(), text)];
    // The pages of `help` would only repeat the others.
    let is_shown = |it: &&clap::Command| !it.is_hide_set() && it.get_name() != "help";
    for below in command.get_subcommands().filter(is_shown) {
        found.extend(pages(below)?);
    }
    Ok(found)
}

fn synopsis(command: &clap::Command) -> Roff {
    let usage = command.clone().render_usage().to_string();
    let mut section = Roff::new();
    section.control("SH", ["SYNOPSIS"]).control("nf", []);
    for line in usage.trim_start_matches("Usage:").lines() {
        section.text([roman(line.trim())]);
    }
    section.control("fi", []);
    section
}

/// Writes the text after a command's help, with its lines as they are.
fn examples(text: &str) -> Roff {
    let text = text.strip_prefix("Examples:\n").unwrap_or(text);
    let mut section = Roff::new();
    section.control("SH", ["EXAMPLES"]).control("nf", []);
    for line in text.lines() {
        section.text([roman(line)]);
    }
    section.control("fi", []);
    section
}

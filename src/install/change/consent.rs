//! Asking before writing.

use anyhow::{Result, bail};

use crate::install::target::options::Writing;
use crate::machine::world::World;

pub(crate) struct Question<'a> {
    pub(crate) text: &'a str,
    /// The call that writes without asking, to be named where nobody can be asked.
    pub(crate) call: Option<String>,
}

impl<'a> Question<'a> {
    /// A question that has to be answered.
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, call: None }
    }
}

/// Returns whether the user wants it written: `--yes` says so, and a terminal is asked.
pub(crate) fn given(world: &World, writing: &Writing, question: &Question<'_>) -> Result<bool> {
    if writing.dry_run {
        world.terminal.line("Nothing was written (--dry-run).");
        return Ok(false);
    }
    if writing.yes {
        return Ok(true);
    }
    if !world.terminal.can_ask() {
        let call = match &question.call {
            Some(call) => format!("to write it: {call}"),
            None => "--yes writes without asking".to_owned(),
        };
        bail!("nothing was written: there is no terminal to ask on; {call}");
    }
    let agreed = world.terminal.confirm(question.text)?;
    if !agreed {
        world.terminal.line("Nothing was written.");
    }
    Ok(agreed)
}

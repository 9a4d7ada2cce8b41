//! Asking before writing.

use anyhow::{Result, bail};

use super::options::Writing;
use crate::machine::world::World;

/// What is asked before writing.
pub(crate) struct Question<'a> {
    /// The question.
    pub(crate) text: &'a str,
    /// The call that writes without asking. Where it is given and nobody can be asked, the preview
    /// was what was wanted: the user is told how to go on, and that is no error.
    pub(crate) call: Option<String>,
}

impl<'a> Question<'a> {
    /// A question that has to be answered.
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, call: None }
    }
}

/// Whether the user wants it written: `--yes` says so, and a terminal is asked.
pub(crate) fn given(world: &World, writing: &Writing, question: &Question<'_>) -> Result<bool> {
    if writing.dry_run {
        world.terminal.line("Nothing was written (--dry-run).");
        return Ok(false);
    }
    if writing.yes {
        return Ok(true);
    }
    if !world.terminal.can_ask() {
        let Some(call) = &question.call else {
            bail!(
                "nothing was written: there is no terminal to ask on; --yes writes without asking"
            )
        };
        world.terminal.line(format!(
            "Nothing was written: there is no terminal to ask on. To write it: {call}"
        ));
        return Ok(false);
    }
    let agreed = world.terminal.confirm(question.text)?;
    if !agreed {
        world.terminal.line("Nothing was written.");
    }
    Ok(agreed)
}

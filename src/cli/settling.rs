//! Looking again after a write, because a running session may write an old copy back.
//!
//! The client keeps a parsed copy of its settings and does not look at the file before it writes
//! it, so a change that another program made up to about two seconds before can be lost.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::World;
use super::args::Writing;
use super::registering::Target;
use crate::client::json::Document;
use crate::machine::lock::Lock;
use crate::machine::{clients, files};

const WINDOW: Duration = Duration::from_millis(2_500);
const GLANCE: Duration = Duration::from_millis(50);

/// A settings file that was written.
pub(super) trait Written {
    /// The file.
    fn settings(&self) -> &Path;

    /// What tells whether another hookman has worked on the file since.
    fn trace(&self, world: &World) -> Option<String>;

    /// Whether the file still says what was written, in whatever form.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    fn stands(&self, world: &World) -> Result<bool>;

    /// Writes it again.
    ///
    /// # Errors
    ///
    /// As the first time.
    fn write_again(&self, world: &World, lock: &Lock) -> Result<()>;
}

/// Whether a client could write an old copy back, to be asked before the write: one that ends right
/// after it can.
pub(super) fn is_needed(world: &World, writing: &Writing) -> bool {
    !writing.no_wait && clients::are_running(&world.paths.config)
}

/// Looks at what was written, and goes on looking while a client could still write an old copy back
/// if that `is_needed`; repairs it once.
///
/// # Errors
///
/// When it cannot be repaired, or comes undone a second time.
pub(super) fn settle(
    world: &World,
    target: &Target,
    is_needed: bool,
    written: &[&dyn Written],
) -> Result<()> {
    if is_needed && !written.is_empty() {
        world.terminal.line(
            "Claude Code is running and may write its old copy back; looking again for 2.5 s (--no-wait does not)",
        );
    }
    let window = if is_needed && !written.is_empty() { WINDOW } else { Duration::ZERO };
    let mut watches: Vec<Watch<'_>> =
        written.iter().map(|written| Watch::of(*written, world)).collect();
    let mut end = Instant::now() + window;
    let patience = end + WINDOW;
    loop {
        // The last look is after the window, however long the one before it took.
        let last = Instant::now() >= end;
        for watch in &mut watches {
            match watch.look(world, target)? {
                Look::Fine => {}
                Look::Repaired => end = Instant::now() + window,
                Look::Unsettled if Instant::now() < patience => {
                    end = end.max(Instant::now() + 2 * GLANCE);
                }
                Look::Unsettled => bail!(
                    "`{}` is not whole: another program began to write it and did not finish; \
                     `hookman backups{}` lists the text from before, and `hookman restore` puts it back",
                    world.paths.shown(watch.written.settings()),
                    target.flag()
                ),
            }
        }
        if last && Instant::now() >= end {
            return Ok(());
        }
        thread::sleep(GLANCE);
    }
}

/// What a look at a file came to.
enum Look {
    /// It says what was written.
    Fine,
    /// It does not, and somebody may still be writing it.
    Unsettled,
    /// It did not and was written again.
    Repaired,
}

struct Watch<'a> {
    written: &'a dyn Written,
    /// Changes when another hookman writes, which knows better.
    trace: Option<String>,
    /// The text that the last look found undone. Only what stays the same is a finished text:
    /// many programs empty a file before they fill it.
    undone: Option<String>,
    repaired: bool,
}

impl<'a> Watch<'a> {
    fn of(written: &'a dyn Written, world: &World) -> Self {
        Self { trace: written.trace(world), written, undone: None, repaired: false }
    }

    fn is_fine(&self, world: &World) -> bool {
        // A text that cannot be planned on is half a text.
        self.written.stands(world).unwrap_or(false) || self.trace != self.written.trace(world)
    }

    fn look(&mut self, world: &World, target: &Target) -> Result<Look> {
        if self.is_fine(world) {
            self.undone = None;
            return Ok(Look::Fine);
        }
        let lock = target.lock(world, None)?;
        let text = files::read_text(self.written.settings()).ok().flatten();
        if self.is_fine(world) {
            return Ok(Look::Fine);
        }
        let is_whole = text.as_deref().is_none_or(|text| Document::parse(text).is_ok());
        let text = text.unwrap_or_default();
        if !is_whole || self.undone.as_ref() != Some(&text) {
            self.undone = Some(text);
            return Ok(Look::Unsettled);
        }
        let shown = world.paths.shown(self.written.settings());
        if self.repaired {
            bail!(
                "an old copy of `{shown}` came back twice; end the session or program that writes \
                 it, then run this again (`hookman verify{}` tells whether it holds)",
                target.flag()
            );
        }
        world.terminal.line(format!("An old copy of {shown} came back; writing again"));
        self.written.write_again(world, &lock)?;
        self.trace = self.written.trace(world);
        self.repaired = true;
        Ok(Look::Repaired)
    }
}

//! Looking again after a write, because a running session may write an old copy back.
//!
//! The client keeps a parsed copy of its settings and does not look at the file before it writes
//! it, so a change that another program made up to about two seconds before can be lost.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::Change;
use super::records::undo_file;
use super::writes::Writes;
use crate::install::target::{Target, Writing};
use crate::machine::{World, clients, files};
use crate::syntax::json::Document;

const WINDOW: Duration = Duration::from_millis(2_500);
const GLANCE: Duration = Duration::from_millis(50);

/// Returns whether a client runs that could write an old copy back, asked before the write.
pub(crate) fn is_needed(world: &World, writing: &Writing) -> bool {
    !writing.no_wait && clients::are_running(&world.paths.config)
}

pub(crate) struct Watched<'a> {
    change: &'a dyn Change,
    settings: &'a Path,
}

pub(crate) fn watched<'a>(changes: &[&'a dyn Change]) -> Vec<Watched<'a>> {
    let written = changes.iter().filter(|change| !change.is_empty());
    let watched = |change: &&'a dyn Change| {
        let settings = change.settings()?.path;
        Some(Watched { change: *change, settings })
    };
    written.filter_map(watched).collect()
}

/// Looks at what was written while a client could still write an old copy back, and repairs it once.
pub(crate) fn watch(
    world: &World,
    target: &Target,
    written: &[Watched<'_>],
    is_needed: bool,
) -> Result<()> {
    let window = if is_needed && !written.is_empty() { WINDOW } else { Duration::ZERO };
    if !window.is_zero() {
        world.terminal.line(
            "Claude Code is running and may write its old copy back; looking again for 2.5 s (--no-wait does not)",
        );
    }
    let mut watches: Vec<Watch<'_>> =
        written.iter().map(|written| Watch::of(written, world)).collect();
    let mut vigil = Vigil::of(window, Instant::now());
    loop {
        // The last look is after the window, however long the one before it took.
        let last = vigil.is_over(Instant::now());
        for watch in &mut watches {
            let look = watch.look(world, target)?;
            if !vigil.goes_on(look, Instant::now()) {
                bail!(
                    "`{}` is incomplete: another program began to write it and did not finish; \
                     `hookman backups{}` lists the text from before, and `hookman restore` puts it back",
                    world.paths.shown(watch.written.settings),
                    target.flag()
                );
            }
        }
        if last && vigil.is_over(Instant::now()) {
            return Ok(());
        }
        thread::sleep(GLANCE);
    }
}

/// Until when there is something to look for.
struct Vigil {
    window: Duration,
    end: Instant,
    /// Until when a text that is not whole is waited for.
    patience: Instant,
}

impl Vigil {
    fn of(window: Duration, now: Instant) -> Self {
        Self { window, end: now + window, patience: now + window + WINDOW }
    }

    fn is_over(&self, now: Instant) -> bool {
        now >= self.end
    }

    /// Takes in what a look came to; whether looking further makes sense.
    fn goes_on(&mut self, look: Look, now: Instant) -> bool {
        match look {
            Look::Fine => {}
            Look::Repaired => self.end = now + self.window,
            Look::Unsettled if now >= self.patience => return false,
            Look::Unsettled => self.end = self.end.max(now + 2 * GLANCE),
        }
        true
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Fine,
    /// It does not, and somebody may still be writing it.
    Unsettled,
    /// It did not and was written again.
    Repaired,
}

struct Watch<'a> {
    written: &'a Watched<'a>,
    /// Changes when another hookman writes, which knows better.
    trace: Option<String>,
    /// The text that the last look found undone. Only what stays the same is a finished text:
    /// many programs empty a file before they fill it.
    undone: Option<String>,
    repaired: bool,
}

impl<'a> Watch<'a> {
    fn of(written: &'a Watched<'a>, world: &World) -> Self {
        Self { trace: trace(world, written.settings), written, undone: None, repaired: false }
    }

    fn is_fine(&self, world: &World) -> bool {
        // A text that cannot be planned on is half a text.
        self.written.change.verify(world).unwrap_or(false)
            || self.trace != trace(world, self.written.settings)
    }

    fn look(&mut self, world: &World, target: &Target) -> Result<Look> {
        if self.is_fine(world) {
            self.undone = None;
            return Ok(Look::Fine);
        }
        let _lock = target.lock(world)?;
        let text = files::read_text(self.written.settings).ok().flatten();
        if self.is_fine(world) {
            return Ok(Look::Fine);
        }
        let is_whole = text.as_deref().is_none_or(|text| Document::parse(text).is_ok());
        let text = text.unwrap_or_default();
        if !is_whole || self.undone.as_ref() != Some(&text) {
            self.undone = Some(text);
            return Ok(Look::Unsettled);
        }
        let shown = world.paths.shown(self.written.settings);
        if self.repaired {
            bail!(
                "an old copy of `{shown}` came back twice; end the session or program that writes \
                 it, then run this again (`hookman verify{}` tells whether it holds)",
                target.flag()
            );
        }
        world.terminal.line(format!("An old copy of {shown} came back; writing again"));
        Writes::all(world, "repair", |writes| self.written.change.write_again(writes))?;
        self.trace = trace(world, self.written.settings);
        self.repaired = true;
        self.undone = None;
        Ok(Look::Repaired)
    }
}

/// Reads the values that change whenever hookman works on a settings file.
fn trace(world: &World, settings: &Path) -> Option<String> {
    files::read_text(&undo_file(world, settings)).ok().flatten()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;
    use crate::install::change::Settings;
    use crate::install::target::Scope;
    use crate::machine::paths::Paths;
    use crate::machine::terminal::Terminal;

    const OLD: &str = r#"{"model": "opus"}"#;
    const NEW: &str = r#"{"model": "opus", "hooks": {}}"#;

    /// The time of each look, what it came to, and whether looking goes on.
    type Looks = &'static [(u64, Look, bool)];

    /// A file that holds what was written if it holds `NEW`.
    struct File(PathBuf);

    impl Change for File {
        fn is_empty(&self) -> bool {
            false
        }

        fn show(&self, _: &World) {}

        fn check(&self, _: &World) -> Result<()> {
            Ok(())
        }

        fn write(&self, _: &mut Writes<'_>) -> Result<()> {
            Ok(fs::write(&self.0, NEW)?)
        }

        fn settings(&self) -> Option<Settings<'_>> {
            Some(Settings { path: &self.0, text: Some(NEW) })
        }

        fn verify(&self, _: &World) -> Result<bool> {
            Ok(files::read_text(&self.0)?.as_deref() == Some(NEW))
        }

        fn write_again(&self, writes: &mut Writes<'_>) -> Result<()> {
            self.write(writes)
        }
    }

    #[test]
    fn only_a_whole_text_that_stays_is_repaired() {
        use Look::{Fine, Repaired, Unsettled};
        let home = tempfile::tempdir().unwrap();
        let root = home.path().to_owned();
        let paths = Paths { home: None, config: root.clone(), state: root.join("state") };
        let world = World { paths, terminal: Terminal::keeping() };
        let target = Target::of(&Scope::default(), &world).unwrap();
        // What the file holds at each look; no text means no file.
        let cases: [&[(&str, Look)]; 5] = [
            &[(NEW, Fine), (OLD, Unsettled), (OLD, Repaired), (NEW, Fine)],
            &[("{", Unsettled), ("{", Unsettled), ("{", Unsettled), (NEW, Fine)],
            // Each piece of a text that is being written is another one than at the look before.
            &[("{}", Unsettled), (&OLD[..9], Unsettled), (OLD, Unsettled), (OLD, Repaired)],
            &[(OLD, Unsettled), (NEW, Fine), (OLD, Unsettled), (OLD, Repaired)],
            &[("", Unsettled), ("", Repaired), ("", Unsettled)],
        ];
        for case in cases {
            let file = File(root.join("settings.json"));
            let watched = watched(&[&file]);
            let mut watch = Watch::of(&watched[0], &world);
            for (step, (text, look)) in case.iter().enumerate() {
                let _ = fs::remove_file(&file.0);
                if !text.is_empty() {
                    fs::write(&file.0, text).unwrap();
                }
                assert_eq!(watch.look(&world, &target).unwrap(), *look, "{case:?}, look {step}");
            }
        }
    }

    #[test]
    fn a_text_that_is_never_finished_is_waited_for_and_then_named() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        // The window, the looks, and when it ends if nothing comes after.
        let cases: [(u64, Looks, u64); 7] = [
            (2500, &[(0, Look::Fine, true)], 2500),
            (2500, &[(1000, Look::Repaired, true)], 3500),
            (2500, &[(1000, Look::Unsettled, true)], 2500),
            (2500, &[(2450, Look::Unsettled, true), (2500, Look::Repaired, true)], 5000),
            (2500, &[(4999, Look::Unsettled, true), (5000, Look::Unsettled, false)], 5099),
            (0, &[(0, Look::Fine, true)], 0),
            (0, &[(0, Look::Unsettled, true), (2500, Look::Unsettled, false)], 100),
        ];
        for (window, looks, ends) in cases {
            let mut vigil = Vigil::of(Duration::from_millis(window), start);
            for (now, look, goes_on) in looks {
                assert_eq!(vigil.goes_on(*look, at(*now)), *goes_on, "{window} {looks:?}");
            }
            assert!(vigil.is_over(at(ends)), "{window} {looks:?}");
            assert!(ends == 0 || !vigil.is_over(at(ends - 1)), "{window} {looks:?}");
        }
    }
}

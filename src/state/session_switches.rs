//! The switches of a session on disk, and the moment they are asked in.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};

use super::journal;
use crate::client::Payload;
use crate::machine::lock::Lock;
use crate::machine::{Paths, clock, files};
use crate::session::switches::Moment;
use crate::session::{SessionId, Switches};

#[derive(Clone, Debug)]
pub struct Scene<'a> {
    pub paths: &'a Paths,
    pub session: SessionId<'a>,
    pub directory: &'a str,
    /// True if a person asks, and not an agent's tool.
    pub person: bool,
    pub profile: Option<&'a str>,
    pub prompt: &'a str,
    /// True if it is a run's, which the client waits for.
    pub is_run: bool,
}

impl<'a> Scene<'a> {
    pub fn of_run(paths: &'a Paths, payload: &'a Payload<'_>) -> Self {
        let session = SessionId::new(&*payload.session_id);
        let directory = &*payload.cwd;
        Self { paths, session, directory, person: false, profile: None, prompt: "", is_run: true }
    }
}

impl Scene<'_> {
    /// The moment a switch is made in, or asked about.
    pub fn moment(&self) -> Now {
        if self.prompt.is_empty() {
            return moment(self.paths, &self.session);
        }
        moment_in(self.prompt.to_owned())
    }
}

#[derive(Clone, Debug)]
pub struct Now {
    seconds: i64,
    prompt: String,
}

impl Now {
    pub fn at(&self) -> Moment<'_> {
        Moment { now: self.seconds, prompt: &self.prompt, ..Moment::default() }
    }
}

/// The moment in a session, with the prompt that it was seen working on last.
pub fn moment(paths: &Paths, session: &SessionId<'_>) -> Now {
    let prompt = journal::last(paths, session).map(|entry| entry.prompt.into_owned());
    moment_in(prompt.unwrap_or_default())
}

/// The moment in a session that works on `prompt`, or empty where that is not known.
pub fn moment_in(prompt: String) -> Now {
    Now { seconds: clock::unix_seconds(), prompt }
}

pub fn switches_file(paths: &Paths, session: &SessionId<'_>) -> PathBuf {
    paths.session(&session.file_name()).join("switches.json")
}

/// A session's switches as they are now, and whether their file was damaged.
pub fn switches(paths: &Paths, session: &SessionId<'_>) -> Result<(Switches, bool)> {
    let path = switches_file(paths, session);
    let found = read(&path).with_context(|| format!("failed to read `{}`", paths.shown(&path)))?;
    Ok(match found {
        SwitchesFile::Nothing => (Switches::default(), false),
        SwitchesFile::Switches(switches) => (switches, false),
        SwitchesFile::Damaged(_) => (Switches::default(), true),
    })
}

pub enum SwitchesFile {
    Nothing,
    Switches(Switches),
    /// A file that hookman did not write, and the reason to think so.
    Damaged(String),
}

pub fn read(path: &Path) -> io::Result<SwitchesFile> {
    let mut text = String::new();
    match files::read_own(path, &mut text) {
        Ok(false) => Ok(SwitchesFile::Nothing),
        Ok(true) => Ok(Switches::parse(&text)
            .map_or_else(|error| SwitchesFile::Damaged(error.to_string()), SwitchesFile::Switches)),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Ok(SwitchesFile::Damaged(error.to_string()))
        }
        Err(error) => Err(error),
    }
}

#[derive(Clone, Debug, Default)]
pub struct Changed {
    pub written: bool,
    /// The name of a damaged file for the user, without the article.
    pub aside: Option<String>,
}

pub fn change(scene: &Scene<'_>, edit: impl FnOnce(&mut Switches) -> bool) -> Result<Changed> {
    if scene.is_run {
        return change_soon(scene, edit);
    }
    let _lock = Lock::take(&switches_file(scene.paths, &scene.session).with_extension("lock"))?;
    change_locked(scene, edit)
}

/// As [`change`], for a run, which does not wait for long.
pub fn change_soon(scene: &Scene<'_>, edit: impl FnOnce(&mut Switches) -> bool) -> Result<Changed> {
    let lock = switches_file(scene.paths, &scene.session).with_extension("lock");
    let _lock = Lock::take_within(&lock, WAIT)?;
    change_locked(scene, edit)
}

/// Lets a prompt of a client that gives it no id begin a turn, as far as the switches can be written.
pub fn begin_unnamed_turn(scene: &Scene<'_>, is_of_user: bool) {
    let path = switches_file(scene.paths, &scene.session);
    if let Ok(SwitchesFile::Switches(mut switches)) = read(&path)
        && switches.begin_unnamed_turn(is_of_user)
    {
        // A switch that stays ends by its time.
        let _ = change_soon(scene, |switches| switches.begin_unnamed_turn(is_of_user));
    }
}

/// The time that a run waits for another process that changes the session's switches.
const WAIT: Duration = Duration::from_millis(250);

fn change_locked(scene: &Scene<'_>, edit: impl FnOnce(&mut Switches) -> bool) -> Result<Changed> {
    let path = switches_file(scene.paths, &scene.session);
    let (mut switches, damaged) = switches(scene.paths, &scene.session)?;
    let mut changed = Changed::default();
    if damaged {
        let aside = path.with_extension(format!("damaged-{}", clock::file_stamp()));
        files::rename(&path, &aside).context("failed to set the damaged switches aside")?;
        changed.aside = Some(format!(
            "session's switches were damaged and no longer hold; they are kept as {}",
            scene.paths.shown(&aside)
        ));
    }
    if !edit(&mut switches) {
        return Ok(changed);
    }
    scene.session.as_str().clone_into(&mut switches.session_id);
    scene.directory.clone_into(&mut switches.working_directory);
    if let Some(seen) = journal::last(scene.paths, &scene.session) {
        switches.transcript_path = seen.transcript.into_owned();
        if !seen.project.is_empty() {
            switches.project = seen.project.into_owned();
        }
    }
    switches.timestamp = clock::stamp();
    files::replace_for_session(&path, &switches.to_text()?)?;
    changed.written = true;
    Ok(changed)
}

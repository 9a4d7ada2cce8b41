//! Careful mode of a session or a project: while it is on, every guard blocks.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};

use super::{FileStore, Scene, switching};
use crate::machine::{Paths, clock, files, folders, paths};
use crate::session::request::Term;
use crate::session::store::CAREFUL;
use crate::session::{Careful as Wish, SessionId, Store};

/// The time that it lasts in a session where no time is given: longer than any session.
const LONG: Duration = Duration::from_secs(400 * 24 * 60 * 60);

/// The session and the files of careful mode.
pub struct Place<'p> {
    pub paths: &'p Paths,
    /// The session; none where only a project is meant.
    pub session: Option<&'p SessionId<'p>>,
    /// The project, or where there is none the directory.
    pub project: PathBuf,
    /// True if a person asks, and not an agent's tool.
    pub person: bool,
}

impl<'p> Place<'p> {
    pub fn of(scene: &'p Scene<'p>, found: Option<&Path>) -> Self {
        let here = Path::new(scene.directory);
        let project = project(scene.paths, found.map(Path::to_owned), here);
        let Scene { paths, session, person, .. } = scene;
        Self { paths, session: Some(session), project, person: *person }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Careful {
    pub session: bool,
    /// The project for which it is on: the one that is meant, or one around it.
    pub project: Option<PathBuf>,
    /// When it ends in the session, in seconds since 1970, where a time was given.
    pub until: Option<i64>,
}

pub struct Answer {
    pub now: Careful,
    pub changed: bool,
    pub refused: bool,
    pub text: String,
}

/// The project that is meant: the one found, the repository around `here`, or `here`; never the home.
pub fn project(paths: &Paths, found: Option<PathBuf>, here: &Path) -> PathBuf {
    let is_home = |folder: &PathBuf| paths.home.as_deref() == Some(folder.as_path());
    let repository = || here.ancestors().find(|it| files::is_there(&it.join(".git")));
    match found.filter(|found| !is_home(found)) {
        Some(found) => found,
        None => repository().unwrap_or(here).to_owned(),
    }
}

pub fn now(place: &Place<'_>) -> Result<Careful> {
    let left = match place.session {
        Some(session) => {
            store(place.paths, session).left(CAREFUL).with_context(|| unusable(place))?
        }
        None => Duration::ZERO,
    };
    let until = clock::unix_seconds().saturating_add_unsigned(left.as_secs());
    // Of what was switched on without a time far more is left than anybody gives.
    Ok(Careful {
        session: !left.is_zero(),
        project: around(place.paths, &place.project),
        until: (!left.is_zero() && left < LONG / 2).then_some(until),
    })
}

fn unusable(place: &Place<'_>) -> String {
    format!("the session's flags in `{}` cannot be used", place.paths.shown(&place.paths.state))
}

/// Does what is wished, in the session or, if `of_project`, in the project.
pub fn perform(place: &Place<'_>, wish: &Wish, of_project: bool) -> Result<Answer> {
    let before = now(place)?;
    let is_on = if of_project { before.project.is_some() } else { before.session };
    if matches!(wish, Wish::Off) && is_on && !place.person {
        let text = "Careful mode can be switched off only by the user, in another terminal \
                    or by typing /hook:careful off";
        return Ok(Answer { now: before, changed: false, refused: true, text: text.to_owned() });
    }
    match wish {
        Wish::Status => {}
        Wish::On(time) => set(place, time.as_deref(), of_project)?,
        Wish::Off if of_project => {
            let own = paths::real(&place.project);
            files::remove(&file(place.paths, before.project.as_ref().unwrap_or(&own)))?;
        }
        Wish::Off => {
            if let Some(session) = place.session {
                store(place.paths, session).take(CAREFUL).with_context(|| unusable(place))?;
            }
        }
    }
    let now = now(place)?;
    let text = text(place, &now);
    Ok(Answer { changed: now != before, now, refused: false, text })
}

fn set(place: &Place<'_>, time: Option<&str>, of_project: bool) -> Result<()> {
    if of_project {
        let real = paths::real(&place.project);
        return Ok(files::replace_private(
            &file(place.paths, &real),
            &format!("{}\n", real.display()),
        )?);
    }
    let end = time.map(|time| switching::end_of(&Term::For(time.to_owned()), 0)).transpose()?;
    let lasts = end.flatten().map_or(LONG, |end| Duration::from_secs(end.unsigned_abs()));
    if let Some(session) = place.session {
        let store = store(place.paths, session);
        // Only a person may shorten it.
        if !place.person && store.left(CAREFUL).with_context(|| unusable(place))? >= lasts {
            return Ok(());
        }
        store.hold(CAREFUL, lasts).with_context(|| unusable(place))?;
    }
    Ok(())
}

/// Says in words where careful mode is on.
pub fn text(place: &Place<'_>, now: &Careful) -> String {
    let until = now.until.map(|until| format!(" until {}", clock::local_time(until)));
    let session = format!("for this session{}", until.unwrap_or_default());
    let project =
        now.project.as_ref().map(|it| format!("for the project {}", place.paths.shown(it)));
    let places = match (now.session, project) {
        (true, Some(project)) => format!("{session}, and {project}"),
        (true, None) => session,
        (false, Some(project)) => project,
        (false, None) => return "Careful mode is off: guards do what their levels say".to_owned(),
    };
    format!("Careful mode is on {places}: guards block whatever they find")
}

/// Gives careful mode to a session that goes on under a new id; best effort.
pub(super) fn inherit(paths: &Paths, before: &SessionId<'_>, after: &SessionId<'_>) {
    if let Ok(left) = store(paths, before).left(CAREFUL)
        && !left.is_zero()
    {
        let _ = store(paths, after).raise(CAREFUL, left);
    }
}

fn store(paths: &Paths, session: &SessionId<'_>) -> FileStore {
    FileStore::new(paths.session(&session.file_name()).join("flags"))
}

/// The innermost project around a directory with careful mode; its path may now be behind a link.
fn around(paths: &Paths, folder: &Path) -> Option<PathBuf> {
    let folder = paths::real(folder);
    let kept = folders::entries(&paths.state.join("careful")).unwrap_or_default();
    let named = kept.iter().filter_map(|kept| files::read_text(kept).ok().flatten());
    let projects = named.map(|text| PathBuf::from(text.trim_end_matches('\n')));
    projects
        .filter(|it| folder.starts_with(it) || folder.starts_with(paths::real(it)))
        .max_by_key(|it| it.components().count())
}

fn file(paths: &Paths, folder: &Path) -> PathBuf {
    paths::careful(&paths.state, folder)
}

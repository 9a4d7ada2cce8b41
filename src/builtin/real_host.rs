//! The machine itself.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::host::{Finished, Host, Program};
use crate::client::host::files::FILES;
use crate::machine::child::{self, Ended, Spec};
use crate::machine::lock::Lock;
use crate::machine::signals::Endings;
use crate::machine::{clients, clock, environment, files, paths, terminal};

/// The machine that hookman runs on, until a deadline.
#[derive(Debug)]
pub struct RealHost {
    session_folder: PathBuf,
    deadline: Instant,
    /// True if programs that go on by themselves are not started.
    pub is_rehearsal: bool,
}

impl RealHost {
    /// The machine for one hook that is to be done within `timeout`.
    pub fn new(session_folder: &Path, timeout: Duration) -> Self {
        let deadline = Instant::now() + timeout;
        Self { session_folder: session_folder.to_owned(), deadline, is_rehearsal: false }
    }

    /// Refuses a write to settings, manifests and other sessions' state, which could switch hooks off.
    fn check(&self, path: &Path) -> io::Result<()> {
        let Ok(paths) = paths::Paths::from_environment() else { return Ok(()) };
        let real = paths::real(path);
        let name = real.file_name().unwrap_or_default().to_string_lossy();
        let is_name = name.starts_with("hookman")
            || ["settings.json", "settings.local.json"].contains(&&*name);
        let folder = real.parent().unwrap_or(&real);
        let is_ours =
            is_name && (folder.ends_with(".claude") || folder == paths::real(&paths.config));
        let is_agents = FILES.iter().any(|of| {
            real.ends_with(Path::new(of.folder).join(of.user)) || real.ends_with(of.project)
        });
        let is_state = real.starts_with(paths::real(&paths.state))
            && !real.starts_with(paths::real(&self.session_folder));
        if is_ours || is_agents || is_state {
            return Err(io::Error::other(
                "no hook may write settings, manifests or hookman's state",
            ));
        }
        Ok(())
    }
}

fn late() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "its time was up")
}

fn plain(error: crate::machine::Error) -> io::Error {
    error.source
}

impl Host for RealHost {
    fn now(&self) -> i64 {
        clock::unix_seconds()
    }

    fn local_time(&self, pattern: &str) -> String {
        clock::local_by(pattern)
    }

    fn variable(&self, name: &str) -> Option<String> {
        environment::text(name)
    }

    fn real(&self, path: &Path) -> PathBuf {
        paths::real(path)
    }

    fn tail(&self, path: &Path, most: u64) -> io::Result<String> {
        files::read_tail(path, most)
    }

    fn run(&self, program: Program<'_>, limit: Duration) -> io::Result<Finished> {
        let timeout = limit.min(self.left());
        if timeout.is_zero() {
            return Err(late());
        }
        let mut spec = Spec::new(child::Program::Argv(program.argv), timeout);
        spec.directory = program.directory;
        spec.variables = program.variables;
        spec.stdin = program.stdin;
        terminal::reserve_output();
        let finished = child::run(&[spec], Endings::watch()).pop().ok_or_else(late)??;
        let code = match finished.ended {
            Ended::Exited(code) => Some(code),
            Ended::Signalled(_) => None,
            Ended::TimedOut | Ended::GoesOn => return Err(late()),
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(Finished { code, stdout: text(&finished.stdout), stderr: text(&finished.stderr) })
    }

    fn ring(&self, sequence: &str) -> io::Result<()> {
        if self.is_rehearsal { Ok(()) } else { terminal::ring(sequence) }
    }

    fn start(&self, program: Program<'_>, limit: Duration) -> io::Result<()> {
        if self.is_rehearsal {
            return Ok(());
        }
        let mut spec = Spec::new(child::Program::Argv(program.argv), limit);
        spec.directory = program.directory;
        spec.variables = program.variables;
        child::start_alone(&spec)
    }

    fn append(&self, path: &Path, text: &str) -> io::Result<()> {
        self.check(path)?;
        files::append_private(path, text)
    }

    fn replace(&self, path: &Path, text: &str) -> io::Result<()> {
        self.check(path)?;
        files::replace_private(path, text).map_err(plain)
    }

    fn rewrite(
        &self,
        path: &Path,
        change: &mut dyn FnMut(&str) -> Option<String>,
    ) -> io::Result<()> {
        self.check(path)?;
        // hookman's own processes take their turns; what another program writes meanwhile, `swap` sees.
        let state = self.session_folder.ancestors().nth(2).unwrap_or(Path::new(""));
        let lock = state.join("locks").join(paths::path_hash(&paths::real(path)));
        let _lock = Lock::take_within(&lock, self.left()).map_err(plain)?;
        while !self.left().is_zero() {
            let Some(old) = files::read_text(path).map_err(plain)? else {
                return Err(io::ErrorKind::NotFound.into());
            };
            let Some(new) = change(&old) else { return Ok(()) };
            if files::swap(path, Some(&old), &new).map_err(plain)? {
                return Ok(());
            }
        }
        Err(late())
    }

    fn remove(&self, path: &Path) -> io::Result<bool> {
        self.check(path)?;
        let is_there = files::is_there(path);
        files::remove(path).map_err(plain)?;
        Ok(is_there)
    }

    fn is_called_by_client(&self) -> bool {
        let paths = paths::Paths::from_environment();
        paths.is_ok_and(|paths| clients::is_called_by_client(&paths.config))
    }

    fn session_folder(&self) -> &Path {
        &self.session_folder
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }
}

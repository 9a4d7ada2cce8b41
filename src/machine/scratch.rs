//! A directory for a while, and programs that run in it with nothing of this environment.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::{Builder, TempDir};

/// The pause between two looks at a running program.
const PAUSE: Duration = Duration::from_millis(20);

const KEPT: u64 = 1024 * 1024;

/// A directory of this user's alone, which goes with all that is in it when this is dropped.
pub struct Scratch {
    folder: TempDir,
    root: PathBuf,
}

pub struct Run<'a> {
    pub program: &'a Path,
    pub arguments: &'a [&'a str],
    pub directory: &'a str,
    pub variables: &'a [(&'a str, OsString)],
    /// The time that it may take; then it and all that it started are killed.
    pub timeout: Duration,
}

pub struct Ended {
    /// Its exit code; `None` where a signal ended it, or its time was up.
    pub code: Option<i32>,
    pub is_late: bool,
    pub stdout: String,
    pub stderr: String,
}

/// Folders of which a mirror has links: they are large, and made by programs.
const LINKED: [&str; 5] = ["node_modules", "target", ".venv", "venv", "vendor"];

/// So many bytes an entry of a mirror counts besides its own.
const ENTRY: u64 = 16 << 10;

impl Scratch {
    pub fn new() -> io::Result<Self> {
        let private = fs::Permissions::from_mode(0o700);
        let made = Builder::new().prefix("hookman-").permissions(private).tempdir();
        let folder = made.map_err(|error| {
            let (place, kind) = (env::temp_dir(), error.kind());
            let place = place.display();
            let why = format!("no directory can be made in `{place}` ({kind}); set TMPDIR");
            io::Error::new(kind, why)
        })?;
        let root = folder.path().canonicalize()?;
        Ok(Self { folder, root })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> io::Result<()> {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap_or(&self.root))?;
        fs::write(path, text)
    }

    pub fn make(&self, name: &str) -> io::Result<()> {
        fs::create_dir_all(self.path(name))
    }

    /// Copies a directory into one here but for `but`, so that nothing real is changed. Folders of packages
    /// and builds are linked, and all beyond `left` bytes, of which an entry takes [`ENTRY`] besides its
    /// own.
    pub fn mirror(&self, name: &Path, of: &Path, but: &str, left: &mut u64) -> io::Result<()> {
        let real = of.canonicalize().unwrap_or_else(|_| of.to_owned());
        self.mirror_below((name, &real), Path::new(""), but, left)
    }

    /// The same for a directory in the one that `whole` names: the copy, and what is copied.
    fn mirror_below(
        &self,
        whole: (&Path, &Path),
        below: &Path,
        but: &str,
        left: &mut u64,
    ) -> io::Result<()> {
        let (copy, real) = (self.root.join(whole.0), whole.1);
        // Of a directory that cannot be read nothing is copied.
        for entry in real.join(below).read_dir().into_iter().flatten().flatten() {
            let (file, kind) = (entry.file_name(), entry.file_type()?);
            let (from, below) = (entry.path(), below.join(&file));
            let to = copy.join(&below);
            let size = fs::metadata(&from).ok().filter(fs::Metadata::is_file).map(|it| it.len());
            let is_large = LINKED.iter().any(|it| file == *it) || size.unwrap_or(0) + ENTRY > *left;
            let is_copied = !is_large && (kind.is_dir() || size.is_some());
            if file == but {
                continue;
            }
            if kind.is_symlink()
                && let Ok(meant) = from.canonicalize()
                && let Ok(inside) = meant.strip_prefix(real)
            {
                symlink(copy.join(inside), to)?;
                continue;
            }
            *left -= if is_copied { size.unwrap_or(0) + ENTRY } else { 0 };
            if is_copied && kind.is_dir() {
                fs::create_dir(&to)?;
                self.mirror_below(whole, &below, "", left)?;
            // A file may not be readable, or have gone away.
            } else if !is_copied || fs::copy(&from, &to).is_err() {
                symlink(from, to)?;
            }
        }
        Ok(())
    }

    /// Copies a directory into it, links aside; entries whose names `skips` gives are left out.
    pub fn copy(&self, from: &Path, name: &str, skips: &dyn Fn(&str) -> bool) -> io::Result<()> {
        let entries = match fs::read_dir(from) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        fs::create_dir_all(self.path(name))?;
        for entry in entries {
            let entry = entry?;
            let (kind, file) = (entry.file_type()?, entry.file_name());
            let file = file.to_string_lossy();
            let to = format!("{name}/{file}");
            if skips(&file) {
                continue;
            }
            if kind.is_dir() {
                self.copy(&entry.path(), &to, &|_| false)?;
            } else if kind.is_file() {
                fs::copy(entry.path(), self.path(&to))?;
            }
        }
        Ok(())
    }

    /// The text of a file; empty where there is none.
    pub fn read(&self, name: &str) -> String {
        fs::read(self.path(name))
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    }

    /// Runs a program to its end, with outputs in files, so that nothing it leaves behind is waited for.
    pub fn run(&self, run: &Run<'_>) -> io::Result<Ended> {
        let (stdout, stderr) =
            (self.folder.path().join("stdout"), self.folder.path().join("stderr"));
        let mut child = Command::new(run.program)
            .args(run.arguments)
            .current_dir(self.path(run.directory))
            .env_clear()
            .envs(run.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(File::create(&stdout)?)
            .stderr(File::create(&stderr)?)
            .process_group(0)
            .spawn()?;
        let deadline = Instant::now() + run.timeout;
        let mut status = child.try_wait()?;
        while status.is_none() && Instant::now() < deadline {
            thread::sleep(PAUSE);
            status = child.try_wait()?;
        }
        // Its children may still run. If the group is gone already, all is well.
        let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
        let is_late = status.is_none();
        let status = status.map_or_else(|| child.wait(), Ok)?;
        Ok(Ended {
            code: status.code().filter(|_| !is_late),
            is_late,
            stdout: text(&stdout)?,
            stderr: text(&stderr)?,
        })
    }
}

fn text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(KEPT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_runs_with_what_it_is_given_and_no_longer_than_it_may() {
        let scratch = Scratch::new().unwrap();
        scratch.make("here").unwrap();
        let run = |line: &str, timeout: u64| {
            let program = Path::new("/bin/sh");
            let timeout = Duration::from_millis(timeout);
            let variables = [("A", OsString::from("1"))];
            let (arguments, directory) = (["-c", line], "here");
            let arguments = &arguments;
            let variables = &variables;
            scratch.run(&Run { program, arguments, directory, variables, timeout }).unwrap()
        };
        let ended = run("echo $A$HOME; pwd; exit 3", 10_000);
        assert_eq!((ended.code, ended.is_late), (Some(3), false));
        assert_eq!(ended.stdout, format!("1\n{}\n", scratch.path("here").display()));
        let ended = run("sleep 100 & wait", 1);
        assert_eq!((ended.code, ended.is_late), (None, true));
    }
}

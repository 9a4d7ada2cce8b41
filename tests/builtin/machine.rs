//! A made-up machine for built-in hooks.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
    sync::Mutex,
    time::Duration,
};

use hookman::builtin::host::{Facts, Finished, Host, Program};
use jiff::{Timestamp, tz::TimeZone};

/// A machine whose time zone is UTC.
#[derive(Default)]
pub(super) struct Machine {
    pub(super) now: i64,
    pub(super) variables: BTreeMap<String, String>,
    /// The branch that is checked out, wherever one asks.
    pub(super) branch: Option<String>,
    /// The first words of programs, what each exits with, `None` for one that takes too long, and what
    /// it prints; the last that fits counts.
    pub(super) programs: Vec<(String, Option<i32>, String)>,
    disk: Mutex<Disk>,
}

#[derive(Default)]
struct Disk {
    /// The text of each file, and when it was written.
    files: BTreeMap<PathBuf, (String, i64)>,
    folders: BTreeSet<PathBuf>,
    links: BTreeMap<PathBuf, PathBuf>,
    /// What was done to the machine.
    deeds: Vec<String>,
}

impl Machine {
    pub(super) fn write(&self, path: &Path, text: String) {
        self.make_folder(path.parent().unwrap());
        self.disk.lock().unwrap().files.insert(path.to_owned(), (text, self.now));
    }

    pub(super) fn make_folder(&self, path: &Path) {
        self.disk.lock().unwrap().folders.extend(path.ancestors().map(Path::to_owned));
    }

    pub(super) fn link(&self, path: &Path, target: &Path) {
        self.disk.lock().unwrap().links.insert(path.to_owned(), target.to_owned());
    }

    pub(super) fn forget(&self, path: &Path) {
        let mut disk = self.disk.lock().unwrap();
        disk.files.retain(|known, _| !known.starts_with(path));
        disk.folders.retain(|known| !known.starts_with(path));
    }

    /// What was done to the machine since this was last asked.
    pub(super) fn take_deeds(&self) -> Vec<String> {
        std::mem::take(&mut self.disk.lock().unwrap().deeds)
    }

    fn did(&self, deed: String) {
        self.disk.lock().unwrap().deeds.push(deed);
    }

    fn file(&self, path: &Path) -> io::Result<Option<String>> {
        let disk = self.disk.lock().unwrap();
        if disk.folders.contains(path) {
            return Err(io::Error::other("it is not a regular file"));
        }
        Ok(disk.files.get(path).map(|(text, _)| text.clone()))
    }
}

/// A program as one line, its variables in front.
fn line(program: Program<'_>) -> String {
    let quoted = |word: &str| {
        let is_plain =
            !word.is_empty() && !word.contains(|it: char| it.is_whitespace() || it == '\'');
        if is_plain { super::escaped(word) } else { format!("'{}'", super::escaped(word)) }
    };
    let variables = program.variables.iter();
    let variables =
        variables.map(|(name, value)| format!("{name}={}", quoted(&value.to_string_lossy())));
    let folder = program.directory.map(|folder| format!("cd={}", folder.display()));
    let words = program.argv.iter().map(|word| quoted(word));
    folder.into_iter().chain(variables).chain(words).collect::<Vec<_>>().join(" ")
}

impl Host for Machine {
    fn is_called_by_client(&self) -> bool {
        true
    }

    fn now(&self) -> i64 {
        self.now
    }

    fn local_time(&self, pattern: &str) -> String {
        let now = Timestamp::from_second(self.now).unwrap().to_zoned(TimeZone::UTC);
        now.strftime(pattern).to_string()
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).filter(|value| !value.is_empty()).cloned()
    }

    fn look(&self, path: &Path) -> Option<Facts> {
        let disk = self.disk.lock().unwrap();
        let directory =
            Facts { is_directory: true, is_file: false, size: 4096, modified: 0, mark: 0 };
        if disk.folders.contains(path) {
            return Some(directory);
        }
        let (text, modified) = disk.files.get(path)?;
        let (size, modified) = (text.len() as u64, *modified);
        Some(Facts { is_directory: false, is_file: true, size, modified, mark: 0 })
    }

    fn real(&self, path: &Path) -> PathBuf {
        let disk = self.disk.lock().unwrap();
        let led = |above: &Path| Some((disk.links.get(above)?, path.strip_prefix(above).ok()?));
        match path.ancestors().find_map(led) {
            Some((target, rest)) if rest.as_os_str().is_empty() => target.clone(),
            Some((target, rest)) => target.join(rest),
            None => path.to_owned(),
        }
    }

    fn read(&self, path: &Path, most: u64) -> io::Result<Option<String>> {
        let cut = |text: String| {
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            text[..text.floor_char_boundary(most)].to_owned()
        };
        Ok(self.file(path)?.map(cut))
    }

    fn tail(&self, path: &Path, most: u64) -> io::Result<String> {
        let text = self.file(path)?.unwrap_or_default();
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let Some(start) = text.len().checked_sub(most).filter(|start| *start > 0) else {
            return Ok(text);
        };
        let tail = &text[text.ceil_char_boundary(start)..];
        Ok(tail.split_once('\n').map_or("", |(_, whole)| whole).to_owned())
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let disk = self.disk.lock().unwrap();
        let all = disk.files.keys().chain(&disk.folders);
        let inside = all.filter(|path| path.parent() == Some(folder));
        let names = inside.map(|path| path.file_name().unwrap().to_string_lossy().into_owned());
        Ok(names.collect::<BTreeSet<_>>().into_iter().collect())
    }

    fn branch(&self, _: &Path) -> Option<String> {
        self.branch.clone()
    }

    fn run(&self, program: Program<'_>, limit: Duration) -> io::Result<Finished> {
        assert!(!limit.is_zero());
        let line = line(program);
        let words = program.argv.join(" ");
        let known = self.programs.iter().rev().find(|(start, ..)| words.starts_with(start));
        let Some((_, code, stdout)) = known else {
            return Err(io::Error::new(io::ErrorKind::NotFound, "it was not found"));
        };
        self.did(format!("runs {line}"));
        let late = || io::Error::new(io::ErrorKind::TimedOut, "its time was up");
        let code = Some(code.ok_or_else(late)?);
        Ok(Finished { code, stdout: stdout.clone(), stderr: String::new() })
    }

    fn start(&self, program: Program<'_>, limit: Duration) -> io::Result<()> {
        self.did(format!("starts for {} s {}", limit.as_secs(), line(program)));
        Ok(())
    }

    fn append(&self, path: &Path, text: &str) -> io::Result<()> {
        self.did(format!("appends {} {}", path.display(), super::escaped(text)));
        let old = self.file(path)?.unwrap_or_default();
        self.write(path, old + text);
        Ok(())
    }

    fn replace(&self, path: &Path, text: &str) -> io::Result<()> {
        self.did(format!("writes {} {}", path.display(), super::escaped(text)));
        self.write(path, text.to_owned());
        Ok(())
    }

    fn rewrite(
        &self,
        path: &Path,
        change: &mut dyn FnMut(&str) -> Option<String>,
    ) -> io::Result<()> {
        let old = self.file(path)?.ok_or(io::ErrorKind::NotFound)?;
        if let Some(text) = change(&old) {
            self.did(format!("rewrites {} {}", path.display(), super::escaped(&text)));
            self.write(path, text);
        }
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<bool> {
        let is_there = self.disk.lock().unwrap().files.remove(path).is_some();
        if is_there {
            self.did(format!("removes {}", path.display()));
        }
        Ok(is_there)
    }

    fn session_folder(&self) -> &Path {
        Path::new("/state/sessions/session-1")
    }

    fn left(&self) -> Duration {
        Duration::from_secs(10)
    }
}

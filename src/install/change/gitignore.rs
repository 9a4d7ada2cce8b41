//! Keeping what is one person's out of a project's history.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::Change;
use super::records::print_diff;
use super::writes::Writes;
use crate::install::target::Target;
use crate::machine::{World, files, git};

const LINES: [&str; 3] =
    [".claude/hookman.local.toml", ".claude/hookman.local.lock", ".claude/settings.local.json"];

pub(crate) struct Gitignore {
    file: PathBuf,
    before: Option<String>,
    after: Option<String>,
    record: PathBuf,
    /// The record after the write; none where no line is hookman's any more.
    added: Option<Added>,
    /// A file that the lines still hide, so that they stay.
    hides: Option<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Added {
    /// The text without them; none if there was no file.
    original: Option<String>,
    after: String,
    lines: Vec<String>,
}

impl Gitignore {
    /// The lines by which git ignores a project's local files, if they are needed.
    pub(crate) fn of(world: &World, target: &Target) -> Result<Option<Self>> {
        let Some(project) = target.project.as_deref().filter(|_| target.local) else {
            return Ok(None);
        };
        let is_tracked = |line: &&str| git::tracks(project, &project.join(line)) == Some(true);
        let (tracked, untracked): (Vec<&str>, Vec<&str>) = LINES.into_iter().partition(is_tracked);
        for line in tracked {
            world.terminal.warn(format!(
                "warning: git tracks {}, so what is yours alone would be committed; \
                 `git rm --cached {line}` keeps the file and takes it out of git",
                world.paths.shown(&project.join(line))
            ));
        }
        let is_missing = |line: &&str| git::ignores(project, &project.join(line)) == Some(false);
        let missing: Vec<&str> = untracked.into_iter().filter(is_missing).collect();
        if missing.is_empty() {
            return Ok(None);
        }
        let (file, record, added) = Self::found(world, project)?;
        let before = files::read_text(&file)?;
        let added = Added::of(added, before.as_deref(), &missing);
        Ok(Some(Self {
            file,
            before,
            after: Some(added.after.clone()),
            record,
            added: Some(added),
            hides: None,
        }))
    }

    /// Takes hookman's lines out again, unless a file is left that `stays`; `None` without any.
    pub(crate) fn removal(
        world: &World,
        target: &Target,
        stays: impl Fn(&Path) -> bool,
    ) -> Result<Option<Self>> {
        let Some(project) = &target.project else { return Ok(None) };
        let (file, record, added) = Self::found(world, project)?;
        let Some(added) = added else { return Ok(None) };
        let before = files::read_text(&file)?;
        let after = added.without(before.as_deref());
        let hides = LINES.iter().map(|line| project.join(line)).find(|path| stays(path));
        Ok(Some(Self { file, before, after, record, added: None, hides }))
    }

    fn found(world: &World, project: &Path) -> Result<(PathBuf, PathBuf, Option<Added>)> {
        let file = project.join(".gitignore");
        let record = world.paths.kept("ignoring", &file);
        // What cannot be understood names no line, and then none is taken for hookman's.
        let added = files::read_text(&record)?.and_then(|text| serde_json::from_str(&text).ok());
        Ok((file, record, added))
    }

    /// Takes no line for hookman's any more, where somebody else took them out.
    pub(crate) fn forget(&self) -> Result<()> {
        if self.hides.is_none() { Ok(files::remove(&self.record)?) } else { Ok(()) }
    }
}

impl Change for Gitignore {
    fn is_empty(&self) -> bool {
        self.hides.is_some() || self.before == self.after
    }

    fn show(&self, world: &World) {
        let shown = world.paths.shown(&self.file);
        let (before, after) = (self.before.as_deref(), self.after.as_deref());
        match &self.hides {
            Some(hidden) if before != after => {
                let hidden = world.paths.shown(hidden);
                let line = format!("{shown}: left alone, because it hides {hidden}, which stays");
                world.terminal.line(line);
            }
            Some(_) => {}
            None => print_diff(world, &self.file, before, after),
        }
    }

    fn check(&self, _: &World) -> Result<()> {
        if self.hides.is_none() {
            files::check_replaceable(&self.record)?;
        }
        if !self.is_empty() {
            files::check_replaceable(&self.file)?;
        }
        Ok(())
    }

    fn write(&self, writes: &mut Writes<'_>) -> Result<()> {
        if self.hides.is_some() {
            return Ok(());
        }
        if let Some(added) = &self.added {
            writes.keep(&self.record, Some(&serde_json::to_string(added)?))?;
        }
        if !self.is_empty() {
            writes.exchange_and_say(&self.file, self.before.as_deref(), self.after.as_deref())?;
        }
        if self.added.is_none() { writes.keep(&self.record, None) } else { Ok(()) }
    }
}

impl Added {
    /// The lines so far and further ones at the end of what the file holds now.
    fn of(earlier: Option<Self>, current: Option<&str>, lines: &[&str]) -> Self {
        let original = match &earlier {
            Some(earlier) => earlier.without(current),
            None => current.map(str::to_owned),
        };
        let after = with_lines(current.unwrap_or_default(), lines);
        let mut all = earlier.map(|earlier| earlier.lines).unwrap_or_default();
        all.extend(lines.iter().map(|&line| line.to_owned()));
        Self { original, after, lines: all }
    }

    /// Gives the file's text without the lines; the original where nobody changed it since.
    fn without(&self, current: Option<&str>) -> Option<String> {
        let current = current?;
        if current == self.after {
            return self.original.clone();
        }
        let original = self.original.as_deref().unwrap_or_default();
        let added = self.after.strip_prefix(original).filter(|added| !added.is_empty());
        if let Some(rest) = added.and_then(|added| current.strip_suffix(added)) {
            return Some(rest.to_owned());
        }
        let mut rows: Vec<&str> = current.split_inclusive('\n').collect();
        for line in &self.lines {
            // One that was there before or was added since may be the user's.
            let is_it = |row: &&str| row.trim_end_matches(['\r', '\n']) == line;
            let before = original.lines().filter(is_it).count();
            if rows.iter().copied().filter(is_it).count() > before {
                let last = rows.iter().rposition(is_it);
                last.map(|last| rows.remove(last));
            }
        }
        let rest = rows.concat();
        (self.original.is_some() || !rest.is_empty()).then_some(rest)
    }
}

fn with_lines(text: &str, lines: &[&str]) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut text = text.to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str(newline);
    }
    for line in lines {
        text.extend([line, newline]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_to_the_end_in_the_style_of_the_file_and_out_again() {
        for (before, after) in [
            (None, "a\nb\n"),
            (Some(""), "a\nb\n"),
            (Some("x\n"), "x\na\nb\n"),
            (Some("x"), "x\na\nb\n"),
            (Some("x\r\n"), "x\r\na\r\nb\r\n"),
            (Some("x\r\ny"), "x\r\ny\r\na\r\nb\r\n"),
            (Some("a\n!a"), "a\n!a\na\nb\n"),
        ] {
            let added = Added::of(None, before, &["a", "b"]);
            assert_eq!(added.after, after, "{before:?}");
            assert_eq!(added.without(Some(after)).as_deref(), before);
            let in_two = Added::of(None, before, &["a"]);
            let in_two = Added::of(Some(in_two.clone()), Some(&in_two.after), &["b"]);
            assert_eq!(in_two, added, "{before:?}");
        }
    }

    #[test]
    fn of_a_file_that_was_changed_since_only_the_added_lines_go() {
        for (before, current, after) in [
            (Some("x"), Some("new\nx\na\nb\n"), Some("new\nx")),
            (Some("x\n"), Some("x\na\nb\ny\n"), Some("x\ny\n")),
            (Some("x\n"), Some("x\nb\ny\na"), Some("x\ny\n")),
            (Some("x\n"), Some("x\na\n"), Some("x\n")),
            (Some("a\n!a\n"), Some("a\n!a\n"), Some("a\n!a\n")),
            (Some("a\n!a\n"), Some("a\n!a\na\nb\n# mine\n"), Some("a\n!a\n# mine\n")),
            (Some("x\n"), Some("x\r\na\r\nb\r\n"), Some("x\r\n")),
            (Some("x\n"), Some("x\n  a\na/b\n"), Some("x\n  a\na/b\n")),
            (Some("x\n"), None, None),
            (None, Some("b\na\n"), None),
            (None, Some("a\nb\nx\n"), Some("x\n")),
        ] {
            let added = Added::of(None, before, &["a", "b"]);
            assert_eq!(added.without(current).as_deref(), after, "{before:?} {current:?}");
        }
    }
}

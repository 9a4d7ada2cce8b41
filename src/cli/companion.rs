//! The files that an installation brings along: slash commands, and a project's launcher.
//!
//! What hookman wrote is known by its template or, from an earlier version, by a hash, so that a
//! file the user changed since is never removed, and a slash command never overwritten. A launcher
//! that is not hookman's keeps a project's hooks from running, so it is replaced, once its
//! difference was shown.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::binary::{binary_path, registered};
use super::registering::{self, Target};
use super::writes::Writes;
use super::{World, exchange};
use crate::machine::paths::{self, content_hash};
use crate::machine::{backups, files};
use crate::runtime::commands::{self, BINARY, COMMANDS, Written};
use crate::session::request::Verb;
use crate::settings::unified_diff;
use crate::settings::wanted::LAUNCHER;

/// Whether the user has the slash commands, from hookman or as files of the user's own.
pub(super) fn has_commands(world: &World) -> bool {
    commands::file(&world.paths, Verb::Disable).exists()
}

/// What is to be done with one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Create,
    Update,
    Nothing,
    /// The user changed it or it was never ours.
    Leave,
    /// As `Leave`, but every hook of the project depends on it.
    Replace,
}

impl Deed {
    fn writes(self) -> bool {
        matches!(self, Self::Create | Self::Update | Self::Replace)
    }
}

/// One file, as it is and as it is to be.
struct Companion {
    path: PathBuf,
    found: Option<String>,
    text: String,
    deed: Deed,
}

/// The files of a target, and what installing would do with each.
pub(super) struct Companions {
    record: PathBuf,
    written: Written,
    files: Vec<Companion>,
}

impl Companions {
    /// Looks at the files of a target; the slash commands are to call `binary`, and without one
    /// those that were written stay as they are.
    ///
    /// # Errors
    ///
    /// When one cannot be read.
    pub(super) fn of(world: &World, target: &Target, binary: Option<&Path>) -> Result<Self> {
        let record = Written::record(&world.paths, &target.settings);
        let written = Written::read(&record)?;
        let templates: Vec<(PathBuf, &str)> = match target.launcher() {
            // What is one person's alone needs no launcher, and uses one that is there.
            Some(_) if target.local => Vec::new(),
            Some(launcher) => vec![(launcher, LAUNCHER)],
            None => {
                COMMANDS.map(|(verb, text)| (commands::file(&world.paths, verb), text)).to_vec()
            }
        };
        let binary = binary.map(|binary| in_home(world, binary)).unwrap_or_default();
        let mut files = Vec::new();
        for (path, template) in templates {
            let text = template.replace(BINARY, &binary);
            let is_written = |found: &str| written.is_ours(&path, found, template);
            let found = files::read_text(&path)?;
            let deed = match found.as_deref() {
                None => Deed::Create,
                Some(found) if found == text && !is_lame(&path, &text) => Deed::Nothing,
                Some(found) if found == text || is_written(found) => Deed::Update,
                Some(_) if is_program(&text) => Deed::Replace,
                Some(_) => Deed::Leave,
            };
            files.push(Companion { path, found, text, deed });
        }
        Ok(Self { record, written, files })
    }

    /// What cannot be missing: a project's launcher, which its entries call, and slash commands that
    /// were installed. They are to call `binary`, or else what the entries call.
    ///
    /// # Errors
    ///
    /// When one cannot be read, or it is not known what they are to call.
    pub(super) fn required(world: &World, target: &Target, binary: Option<&Path>) -> Result<Self> {
        let found = Self::of(world, target, binary)?;
        if target.project.is_some() {
            return Ok(found);
        }
        let found = found.lost();
        if found.files.is_empty() || binary.is_some() {
            return Ok(found);
        }
        let binary = registered(&target.settings).map_or_else(|| binary_path(world, None), Ok)?;
        Self::of(world, target, Some(&binary)).map(Self::lost)
    }

    /// Only those that hookman wrote and that are gone.
    fn lost(mut self) -> Self {
        let written = &self.written.files;
        self.files.retain(|file| {
            file.deed == Deed::Create && written.contains_key(&paths::real(&file.path))
        });
        self
    }

    /// Whether installing would write anything.
    pub(super) fn is_done(&self) -> bool {
        !self.files.iter().any(|file| file.deed.writes())
    }

    /// What is missing or out of date, for people.
    pub(super) fn missing(&self, world: &World) -> Vec<String> {
        self.files
            .iter()
            .filter_map(|Companion { path, deed, .. }| {
                let what = match deed {
                    Deed::Create => "missing",
                    Deed::Update => "out of date",
                    Deed::Replace => "not hookman's launcher, so the project's hooks may not run",
                    Deed::Nothing | Deed::Leave => return None,
                };
                Some(format!("{} is {what}", world.paths.shown(path)))
            })
            .collect()
    }

    /// Says what installing would do.
    pub(super) fn show(&self, world: &World) {
        for Companion { path, found, text, deed } in &self.files {
            let shown = world.paths.shown(path);
            match deed {
                Deed::Replace => {
                    let colour = registering::colour(world);
                    let diff = unified_diff(&shown, found.as_deref(), Some(text), colour);
                    world.terminal.print(&diff);
                    world.terminal.line(format!(
                        "{shown}: to be replaced, because the project's hooks run through it; a copy of \
                         what is there is kept"
                    ));
                }
                Deed::Create => world.terminal.line(format!("{shown}: new")),
                Deed::Update => world.terminal.line(format!("{shown}: to be updated")),
                Deed::Nothing => {}
                Deed::Leave => world.terminal.line(format!(
                    "{shown}: left alone, because it is yours or was changed, and it does what it says; \
                     remove it to get hookman's"
                )),
            }
        }
    }

    /// Whether what is new or out of date can be written.
    ///
    /// # Errors
    ///
    /// What would keep a file from it.
    pub(super) fn check(&self) -> Result<()> {
        for file in self.files.iter().filter(|file| file.deed.writes()) {
            files::check_replaceable(&file.path)?;
        }
        if !self.files.is_empty() {
            files::check_replaceable(&self.record)?;
        }
        Ok(())
    }

    /// Writes what is new or out of date.
    ///
    /// # Errors
    ///
    /// When a file cannot be written, or what is replaced was changed meanwhile.
    pub(super) fn write(&mut self, world: &World, writes: &mut Writes) -> Result<()> {
        if self.files.is_empty() {
            return Ok(());
        }
        for Companion { path, found, text, deed } in &self.files {
            if deed.writes() {
                let made = writes.make_folders(path)?;
                let before = files::read_text(path)?;
                if *deed == Deed::Replace {
                    if before != *found {
                        return Err(exchange::changed(world, path));
                    }
                    let folder = registering::backup_directory(world, path);
                    let found = found.as_deref().unwrap_or_default();
                    let kept = backups::save(&folder, found, None, "replacing", "sh")?;
                    let (shown, kept) = (world.paths.shown(path), world.paths.shown(&kept));
                    world.terminal.line(format!("replaced {shown} (copy: {kept})"));
                }
                writes.note(path, before.as_deref(), Some(text));
                let write = if is_program(text) { files::replace_program } else { files::replace };
                write(path, text)?;
                self.written.directories.extend(made);
            }
            if *deed != Deed::Leave {
                self.written.files.insert(paths::real(path), content_hash(text.as_bytes()));
            }
        }
        writes.keep(&self.record, Some(&serde_json::to_string(&self.written)?))
    }

    /// Says what removing would do.
    pub(super) fn show_removal(&self, world: &World) {
        for Companion { path, deed, .. } in &self.files {
            let shown = world.paths.shown(path);
            match deed {
                Deed::Create => {}
                Deed::Nothing | Deed::Update => {
                    world.terminal.line(format!("{shown}: to be removed"));
                }
                Deed::Leave | Deed::Replace => world
                    .terminal
                    .line(format!("{shown}: left alone, because it is yours or was changed")),
            }
        }
    }

    /// Removes what hookman wrote and nobody changed, and the directories it made if they are empty.
    ///
    /// # Errors
    ///
    /// When a file cannot be removed.
    pub(super) fn remove(&self) -> Result<()> {
        for Companion { path, deed, .. } in &self.files {
            if matches!(deed, Deed::Nothing | Deed::Update) {
                files::remove(path)?;
            }
        }
        files::remove_empty(&self.written.directories);
        files::remove(&self.record)?;
        Ok(())
    }

    /// Whether removing would remove anything.
    pub(super) fn has_any(&self) -> bool {
        self.files.iter().any(|file| matches!(file.deed, Deed::Nothing | Deed::Update))
    }
}

fn is_program(text: &str) -> bool {
    text.starts_with("#!")
}

/// Whether it is a program that cannot be run, as after a checkout that lost its mode.
fn is_lame(path: &Path, text: &str) -> bool {
    is_program(text) && !files::is_executable(path)
}

// The client expands `~` in both the rule and the call of a slash command, so a command file in a
// dotfiles repository need not name the home directory of one machine.
fn in_home(world: &World, binary: &Path) -> String {
    let shown = world.paths.shown(binary);
    if shown
        .contains(|character: char| character.is_whitespace() || "'\"$`\\()".contains(character))
    {
        // The client's rules know no quoting; found by name, it still works wherever PATH has it.
        return "hookman".to_owned();
    }
    shown
}

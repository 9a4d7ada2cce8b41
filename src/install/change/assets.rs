//! The files that an installation brings along: slash commands, and a project's launcher.
//!
//! hookman knows what it wrote by the template or, from an earlier version, by a hash. So it never
//! removes a file that the user changed, and never overwrites such a slash command. A launcher that
//! is not hookman's keeps a project's hooks from running, so it is replaced after its diff was
//! shown.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::Change;
use super::records::{backup_directory, print_diff};
use super::writes::{Writes, changed};
use crate::client::host::files::{FILES, Files};
use crate::client::host::{CLAUDE, commands};
use crate::install::registration::hosts;
use crate::install::target::binary::{self, binary_path, registered};
use crate::install::target::{Layers, Target};
use crate::machine::paths::{self, content_hash};
use crate::machine::{World, backups, files};
use crate::manifest::Manifest;
use crate::settings::wanted::LAUNCHER;
use crate::state::slash_commands::{self, BINARY, COMMANDS, Written};
use crate::state::{guard_mod, host_files};

/// Returns whether the user has the slash commands, from hookman or as files of the user's own.
pub(crate) fn has_commands(world: &World) -> bool {
    slash_commands::file(&world.paths, "disable").exists()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Create,
    Update,
    Nothing,
    /// The user changed it or it was never ours.
    Leave,
    /// As `Leave`, but every hook of the project depends on it.
    Replace,
    /// It is hookman's, for a program that calls hookman no more.
    Remove,
}

impl Deed {
    fn writes(self) -> bool {
        matches!(self, Self::Create | Self::Update | Self::Replace | Self::Remove)
    }
}

struct Asset {
    path: PathBuf,
    found: Option<String>,
    text: String,
    deed: Deed,
}

impl Asset {
    fn of(path: PathBuf, template: &str, binary: &str, written: &Written) -> Result<Self> {
        let text = template.replace(BINARY, binary);
        let is_written = |found: &str| written.is_ours(&path, found, template);
        let found = files::read_text(&path)?;
        let deed = match found.as_deref() {
            None => Deed::Create,
            Some(found) if found == text && !is_lame(&path, &text) => Deed::Nothing,
            Some(found) if found == text || is_written(found) => Deed::Update,
            Some(_) if is_program(&text) => Deed::Replace,
            Some(_) => Deed::Leave,
        };
        Ok(Self { path, found, text, deed })
    }
}

pub(crate) struct Assets {
    record: PathBuf,
    written: Written,
    files: Vec<Asset>,
    removes: bool,
}

impl Assets {
    /// Looks at a target's files; the slash commands are to call `binary`, or stay without one.
    pub(crate) fn of(world: &World, target: &Target, binary: Option<&Path>) -> Result<Self> {
        let record = Written::record(&world.paths, &target.settings);
        let written = Written::read(&record)?;
        let templates: Vec<(PathBuf, &str)> = match target.launcher() {
            // What is one person's alone needs no launcher, and uses one that is there.
            Some(_) if target.local => Vec::new(),
            Some(launcher) => vec![(launcher, LAUNCHER)],
            None if target.chain.is_managed() => Vec::new(),
            None => {
                let file = |name| slash_commands::file(&world.paths, name);
                let guard = target.has_guard_mod(world).then(|| guard_mod::files(&world.paths));
                COMMANDS
                    .into_iter()
                    .map(|(name, text)| (file(name), text))
                    .chain(guard.into_iter().flatten())
                    .collect()
            }
        };
        let binary = binary.map(|binary| in_home(world, &binary::file(binary))).unwrap_or_default();
        let asset = |(path, template)| Asset::of(path, template, &binary, &written);
        let files = templates.into_iter().map(asset).collect::<Result<_>>()?;
        Ok(Self { record, written, files, removes: false })
    }

    /// The same with the user's commands of other programs, but for those of another manifest.
    pub(crate) fn with_hosts(
        mut self,
        world: &World,
        target: &Target,
        hosts: impl IntoIterator<Item = &'static Files>,
    ) -> Result<Self> {
        for of in hosts.into_iter().filter(|_| target.is_users()) {
            let host = hosts::target(world, target, of);
            if host.is_none_or(|host| hosts::is_anothers(world, &host)) {
                continue;
            }
            let Some(folder) = host_files::folder(&world.paths, of) else { continue };
            for (path, text) in commands::files(of) {
                self.files.push(Asset::of(folder.join(path), &text, "", &self.written)?);
            }
        }
        Ok(self)
    }

    /// Lists the files that must be there or must not: a launcher, installed slash commands, and those of
    /// the manifest's other programs. They call `binary` or the entries' program.
    pub(crate) fn required(
        world: &World,
        target: &Target,
        layers: &Layers,
        binary: Option<&Path>,
    ) -> Result<Self> {
        if !target.is_users() {
            return Self::of_entries(world, target, binary);
        }
        let manifest = &layers.committed;
        let mut gone = Self::of(world, target, None)?.none();
        let mut found = if manifest.is_for(CLAUDE.name) {
            // Where `hosts` has just named it, they come with its entries.
            let is_named = manifest.hosts.is_some() && registered(&target.settings).is_none();
            let of = if is_named { Self::initial } else { Self::of_entries };
            of(world, target, binary)?
        } else {
            gone = Self::of(world, target, None)?;
            gone.files.retain(|it| !it.path.starts_with(guard_mod::folder(&world.paths)));
            Self::of(world, target, None)?.none()
        };
        let own = found.files.len();
        let named = FILES.iter().filter(|of| manifest.is_for(of.host.name));
        found = found.with_hosts(world, target, named)?;
        let mut of_hosts = found.files.split_off(own);
        of_hosts.retain(|file| file.deed.writes());
        found.files.extend(of_hosts);
        found.files.extend(gone.leaving());
        found.and_left_over(world, target, manifest)
    }

    /// The same without the commands of programs that the manifest does not name.
    pub(crate) fn and_left_over(
        mut self,
        world: &World,
        target: &Target,
        manifest: &Manifest,
    ) -> Result<Self> {
        let others = FILES.iter().filter(|of| !manifest.is_for(of.host.name));
        let gone = Self::of(world, target, None)?.none().with_hosts(world, target, others)?;
        self.files.extend(gone.leaving());
        Ok(self)
    }

    /// The files that hookman wrote and nobody changed, to be removed.
    fn leaving(self) -> impl Iterator<Item = Asset> {
        let is_ours = |file: &Asset| matches!(file.deed, Deed::Nothing | Deed::Update);
        let ours = self.files.into_iter().filter(is_ours);
        ours.map(|file| Asset { deed: Deed::Remove, ..file })
    }

    fn of_entries(world: &World, target: &Target, binary: Option<&Path>) -> Result<Self> {
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

    /// Lists the files that come with the first entries; later a removed slash command stays away.
    pub(crate) fn initial(world: &World, target: &Target, binary: Option<&Path>) -> Result<Self> {
        if target.project.is_some() {
            return Self::of(world, target, None);
        }
        if registered(&target.settings).is_none() {
            return Self::of(world, target, Some(&binary_path(world, binary)?));
        }
        Ok(Self::of(world, target, None)?.none())
    }

    pub(crate) fn none(self) -> Self {
        Self { files: Vec::new(), ..self }
    }

    pub(crate) fn removal(world: &World, target: &Target) -> Result<Self> {
        Ok(Self { removes: true, ..Self::of(world, target, None)? })
    }

    /// A file of the guard mod that is somebody else's, and would be seated with it.
    pub(crate) fn foreign_guard(&self, world: &World) -> Option<&Path> {
        let folder = guard_mod::folder(&world.paths);
        let is_it = |file: &&Asset| file.deed == Deed::Leave && file.path.starts_with(&folder);
        self.files.iter().find(is_it).map(|file| file.path.as_path())
    }

    /// The removal of the guard mod alone, as far as hookman wrote it and nobody changed it.
    pub(crate) fn guard_removal(world: &World, target: &Target) -> Result<Self> {
        let mut removal = Self::removal(world, target)?;
        let folder = guard_mod::folder(&world.paths);
        removal.files.retain(|file| file.path.starts_with(&folder));
        Ok(removal)
    }

    /// Only those that hookman wrote and that are gone.
    fn lost(mut self) -> Self {
        let written = &self.written.files;
        self.files.retain(|file| {
            file.deed == Deed::Create && written.contains_key(&paths::real(&file.path))
        });
        self
    }

    /// Names the files that are missing or out of date, for people.
    pub(crate) fn missing(&self, world: &World) -> Vec<String> {
        self.files
            .iter()
            .filter_map(|Asset { path, deed, .. }| {
                let what = match deed {
                    Deed::Create => "missing",
                    Deed::Update => "out of date",
                    Deed::Replace => "not hookman's launcher, so the project's hooks may not run",
                    Deed::Remove => "left over",
                    Deed::Nothing | Deed::Leave => return None,
                };
                Some(format!("{} is {what}", world.paths.shown(path)))
            })
            .collect()
    }

    /// The deed that is done to a file; where hookman's own files all go, those of others stay.
    fn deed(&self, file: &Asset) -> Deed {
        match file.deed {
            deed if !self.removes => deed,
            Deed::Nothing | Deed::Update | Deed::Remove => Deed::Remove,
            Deed::Create => Deed::Nothing,
            Deed::Leave | Deed::Replace => Deed::Leave,
        }
    }
}

impl Change for Assets {
    fn is_empty(&self) -> bool {
        !self.files.iter().any(|file| self.deed(file).writes())
    }

    fn show(&self, world: &World) {
        for file in &self.files {
            let (shown, deed) = (world.paths.shown(&file.path), self.deed(file));
            match deed {
                Deed::Replace => {
                    print_diff(world, &file.path, file.found.as_deref(), Some(&file.text));
                    world.terminal.line(format!(
                        "{shown}: to be replaced, because the project's hooks run through it; a copy of \
                         what is there is kept"
                    ));
                }
                Deed::Create => world.terminal.line(format!("{shown}: new")),
                Deed::Update => world.terminal.line(format!("{shown}: to be updated")),
                Deed::Remove => world.terminal.line(format!("{shown}: to be removed")),
                Deed::Nothing => {}
                Deed::Leave => {
                    let hint = if self.removes { "" } else { "; remove it to get hookman's" };
                    let why = "left alone, because you wrote or changed it";
                    world.terminal.line(format!("{shown}: {why}{hint}"));
                }
            }
        }
    }

    fn check(&self, _: &World) -> Result<()> {
        let touched = |file: &&Asset| !self.removes && file.deed.writes();
        for file in self.files.iter().filter(touched) {
            files::check_replaceable(&file.path)?;
        }
        if !self.files.is_empty() {
            files::check_replaceable(&self.record)?;
        }
        Ok(())
    }

    fn write(&self, writes: &mut Writes<'_>) -> Result<()> {
        if self.files.is_empty() {
            return Ok(());
        }
        let world = writes.world;
        let mut written = self.written.clone();
        for file in &self.files {
            let (Asset { path, found, text, .. }, deed) = (file, self.deed(file));
            if self.removes || deed == Deed::Remove {
                written.files.remove(&paths::real(path));
                // What somebody changed meanwhile is theirs.
                if deed == Deed::Remove && files::read_text(path)? == *found {
                    writes.put(path, None, is_program(text))?;
                }
                continue;
            }
            if deed.writes() {
                let made = writes.make_folders(path)?;
                if deed == Deed::Replace {
                    if files::read_text(path)? != *found {
                        return Err(changed(world, path));
                    }
                    let folder = backup_directory(world, path);
                    let found = found.as_deref().unwrap_or_default();
                    let kept = backups::save(&folder, found, None, "replacing", "sh")?;
                    let (shown, kept) = (world.paths.shown(path), world.paths.shown(&kept));
                    world.terminal.line(format!("replaced {shown} (copy: {kept})"));
                }
                writes.put(path, Some(text), is_program(text))?;
                written.directories.extend(made);
            }
            if deed != Deed::Leave {
                written.files.insert(paths::real(path), content_hash(text.as_bytes()));
            }
        }
        let left = (!written.files.is_empty()).then(|| serde_json::to_string(&written));
        writes.keep(&self.record, left.transpose()?.as_deref())
    }

    fn end(&self, _: &mut Writes<'_>) -> Result<()> {
        if self.removes || self.files.iter().any(|file| file.deed == Deed::Remove) {
            files::remove_empty(&self.written.directories);
        }
        Ok(())
    }
}

fn is_program(text: &str) -> bool {
    text.starts_with("#!")
}

/// Returns whether it is a program that cannot be run, as after a checkout that lost its mode.
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

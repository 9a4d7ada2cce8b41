//! Packages that come into a manifest, change in it, and go out of it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};

use super::args::Install;
use super::exit::ExitStatus;
use super::registering::Registering;
use crate::doctor;
use crate::install::addition;
use crate::install::addition::edition::Edition;
use crate::install::change::writes::changed;
use crate::install::change::{Change, ManifestChange};
use crate::install::packages::{self, Packages, Renewed};
use crate::install::target::{Layers, RegisterOptions, Target};
use crate::machine::paths::real;
use crate::machine::{World, files};
use crate::manifest::package::{self, Package, Provenance};
use crate::manifest::{Hook, package_edit, packages_of};
use crate::package::known::{self, Known};
use crate::package::source::{Typed, is_source};
use crate::package::{fetch, form, store};
use crate::state::{Chain, configured};

pub(super) fn names_one(words: &[String]) -> bool {
    words.iter().any(|word| is_source(word))
}

/// Adds a package to the manifest, with the hooks of it that are named.
pub(super) fn install(args: &Install, world: &World) -> Result<ExitStatus> {
    let (sources, hooks): (Vec<&String>, Vec<&String>) =
        args.hooks.iter().partition(|it| is_source(it));
    let [source] = sources[..] else {
        bail!("install one package at a time; you may name its hooks after it");
    };
    let typed = Typed::read(source)?;
    let target = Target::of(&args.options.scope, world)?;
    let before = files::read_text(&target.manifest)?;
    let text = before.clone().unwrap_or_else(|| addition::bare(&target));
    if matches!(&typed.from, Provenance::Git(url) if has_password(url)) {
        world.terminal.warn(
            "warning: the address has a password in it, which the manifest and the lock will hold; without \
             it, git asks its credential helper",
        );
    }
    let there = packages_of(&text);
    let rev = match (&typed.from, &typed.rev) {
        (Provenance::Git(url), None) => Some(
            fetch::newest(url, world.terminal.can_ask())
                .with_context(|| format!("`{source}` cannot be had"))?,
        ),
        (_, rev) => rev.clone(),
    };
    let mut package = Package {
        name: typed.name(),
        from: from_manifest(world, &target, typed.from),
        folder: typed.folder,
        rev,
        hooks: (!hooks.is_empty()).then(|| hooks.into_iter().cloned().collect()),
        line: 0,
    };
    let is_same = |it: &&Package| (&it.from, &it.folder) == (&package.from, &package.folder);
    if let Some(known) = there.iter().find(is_same) {
        let there = format!(
            "`{}` has it already, as the package `{name}` in line {}; `hookman update {name}` looks for a \
             newer version, and `hookman edit{}` changes its hooks",
            world.paths.shown(&target.manifest),
            known.line,
            target.flag(),
            name = known.name,
        );
        if (&known.rev, &known.hooks) != (&package.rev, &package.hooks) {
            bail!("{there}");
        }
        world.terminal.line(there);
        return finish(world, target, &args.options, "install", before);
    }
    for manifest in target.chain.files().filter(|it| **it != target.manifest) {
        let there = packages_of(&files::read_text(manifest)?.unwrap_or_default());
        if let Some(Package { name, .. }) = there.iter().find(is_same) {
            bail!(
                "`{}` has it already, as the package `{name}`, and a project has a package once; {}",
                world.paths.shown(manifest),
                if target.local {
                    format!(
                        "`hookman edit --local` changes a hook of it for you alone, by a `[[hook]]` with \
                         `package = \"{name}\"` and its name"
                    )
                } else {
                    format!("`hookman remove {name} --local` takes it out there")
                }
            );
        }
    }
    target.check_open(world, &text)?;
    let mut locked = packages::first(world, &target, &package)?;
    if let Some(twin) = there.iter().find(|it| it.name == locked.name) {
        world.terminal.warn(format!(
            "warning: `{}` has a package `{}` already, in line {}, and the hooks of both run: `hookman remove \
             {}{}` takes that one out",
            world.paths.shown(&target.manifest),
            twin.name,
            twin.line,
            twin.name,
            target.flag()
        ));
        locked.name = free_name(&package.name, &there);
    }
    package.name.clone_from(&locked.name);
    let after = crate::manifest::edit::add_block(&text, &package_edit::block(&package));
    let renewed = Renewed::Got(&locked);
    write(world, target, &args.options, "install", (before, after), renewed)
}

fn has_password(url: &str) -> bool {
    let host = url.split_once("://").and_then(|(_, rest)| rest.split('/').next());
    host.and_then(|host| host.rsplit_once('@')).is_some_and(|(user, _)| user.contains(':'))
}

/// A directory as a manifest names it, which was typed from where this process is.
fn from_manifest(world: &World, target: &Target, from: Provenance) -> Provenance {
    let Provenance::Path(path) = &from else { return from };
    let project = target.chain.project().map(real);
    let parent = project.as_deref().and_then(Path::parent).filter(|it| it.parent().is_some());
    let whole = Path::new(path).canonicalize().ok().filter(|_| path.starts_with('.'));
    let under = |folder: Option<&Path>, way: &str| {
        let inner = whole.as_ref()?.strip_prefix(folder?).ok()?;
        Some(Path::new(way).join(inner).to_string_lossy().into_owned())
    };
    let inner = under(project.as_deref(), "..").or_else(|| under(parent, "../.."));
    if inner.is_none() && project.is_some() && target.manifest == target.chain.manifest {
        world.terminal.warn(format!(
            "warning: `{path}` is a directory on this machine: nobody else in the project has \
             this package",
        ));
    }
    match (inner, whole) {
        (Some(inner), _) => Provenance::Path(inner),
        (None, Some(whole)) => Provenance::Path(world.paths.shown(&whole)),
        (None, None) => from,
    }
}

pub(super) fn install_locked(args: &Install, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.options.scope, world)?;
    let Some(text) = files::read_text(&target.manifest)?.filter(|_| args.hooks.is_empty()) else {
        bail!("--locked installs only what the manifest and its lock already name");
    };
    let texts = (Some(text.clone()), text);
    write(world, target, &args.options, "install", texts, Renewed::Locked)
}

/// Writes what follows from a manifest as it is: a command that was killed may have written that and no more.
pub(super) fn finish(
    world: &World,
    target: Target,
    options: &RegisterOptions,
    verb: &'static str,
    text: Option<String>,
) -> Result<ExitStatus> {
    let texts = (text.clone(), text.unwrap_or_default());
    write(world, target, options, verb, texts, Renewed::None)
}

/// Writes another text of a manifest with what follows from it, after it was shown.
pub(super) fn write(
    world: &World,
    target: Target,
    options: &RegisterOptions,
    verb: &'static str,
    (before, after): (Option<String>, String),
    renewed: Renewed<'_>,
) -> Result<ExitStatus> {
    let registering = Registering::begin(world, target, options)?;
    let target = &registering.target;
    // What was read before the lock was taken may be another command's by now.
    if files::read_text(&target.manifest)? != before {
        return Err(changed(world, &target.manifest));
    }
    let packages = Packages::of(world, target, Some(&after), renewed)?;
    let layers = match Layers::locked(world, target, Some(&after), &packages.lock()) {
        Err(why) if verb == "update" => {
            return Err(without_gone(world, target, packages, &after, why));
        }
        layers => layers.context("nothing was written")?.unwrap_or_default(),
    };
    let manifest = ManifestChange::to(&target.manifest, before, Some(after));
    let packages = packages.completed(world, Some(manifest), &layers);
    let names: Vec<&str> = packages.news().iter().map(|news| news.package.name.as_str()).collect();
    let is_new =
        |hook: &&Hook| hook.package.as_ref().is_some_and(|it| names.contains(&it.package.as_str()));
    let hooks: Vec<_> = layers.all.hooks.iter().filter(is_new).cloned().collect();
    if hooks.is_empty() && verb == "install" && !packages.news().is_empty() {
        packages.show(world);
        bail!(
            "nothing was written: the package has no default hook that hookman runs; name some of \
             its hooks after it, or '*' for all"
        );
    }
    name_twins(world, &hooks);
    Ok(registering.end(verb, &packages, &layers, &hooks)?.1)
}

/// Shows the newer versions of packages that lack hooks which the manifest takes; gives the error about them.
fn without_gone(
    world: &World,
    target: &Target,
    packages: Packages,
    text: &str,
    why: anyhow::Error,
) -> anyhow::Error {
    let lock = packages.lock();
    let known = Known::of(&world.paths, target.chain.files()).with(&lock);
    let (mut left, mut lacking) = (text.to_owned(), Vec::new());
    for package in packages_of(text) {
        let reading = known.place(&package).ok().and_then(|it| form::read(&it).ok());
        let (Some(names), Some(hooks)) = (reading.map(|it| it.names()), &package.hooks) else {
            continue;
        };
        let is_there = |it: &&String| *it == package::ALL || names.contains(it);
        let (kept, gone): (Vec<String>, Vec<String>) =
            hooks.iter().cloned().partition(|it| is_there(&it));
        if !gone.is_empty() {
            left = package_edit::set_hooks(&left, &package.name, &kept).unwrap_or(left);
            lacking.push(format!(
                "`{}` has no `{}` any more",
                package.version(),
                gone.join("`, `")
            ));
        }
    }
    if lacking.is_empty() {
        return why.context("nothing was written");
    }
    if let Ok(Some(layers)) = Layers::locked(world, target, Some(&left), &lock) {
        packages.completed(world, None, &layers).news().iter().for_each(|news| news.show(world));
    }
    let (lacking, flag) = (lacking.join(", "), target.flag());
    anyhow!(
        "nothing was written: {lacking}, which `{}` takes; take it out of `hooks` with `hookman edit{flag}`, \
         and type `hookman update{flag}` again",
        world.paths.shown(&target.manifest)
    )
}

/// Names the plugins that are on in the client and whose hooks are among these of packages.
pub(super) fn name_twins(world: &World, hooks: &[Hook]) {
    let plugins = doctor::plugin::known(&world.paths, configured::project().as_deref());
    for (plugin, message) in doctor::doubled(&plugins, hooks) {
        world.terminal.warn(format!("warning: {message}: {}", plugin.off()));
    }
}

/// The directory of a package's copy, from that of the manifest.
pub(super) fn copy_of(package: &str) -> String {
    format!("{}/{package}", store::COPIES)
}

/// Removes packages and their hooks' tables from the manifest; `None` if a name is no package.
pub(super) fn remove(
    world: &World,
    target: &Target,
    names: &[String],
    options: &RegisterOptions,
) -> Result<Option<ExitStatus>> {
    let Some(before) = files::read_text(&target.manifest)? else { return Ok(None) };
    let there = packages_of(&before);
    if !names.iter().all(|name| there.iter().any(|it| it.name == *name)) {
        let hooks = configured::hooks(world).unwrap_or_default().into_iter();
        let mut meant =
            hooks.filter(|it| names.contains(&it.hook.name)).map(|it| it.hook).peekable();
        let lock = known::read(&target.manifest).unwrap_or_default();
        let is_left = |name: &String| {
            lock.package.iter().any(|it| it.name == *name)
                && there.iter().all(|it| it.name != *name)
        };
        if meant.peek().is_none() && names.iter().all(is_left) {
            let shown = world.paths.shown(&target.manifest);
            world.terminal.line(format!("`{shown}` names {} no more", names.join(", ")));
            return finish(world, target.clone(), options, "remove", Some(before)).map(Some);
        }
        if let Some(Hook { name, package: Some(of), .. }) = meant.find(|it| it.package.is_some()) {
            let (of, flag) = (&of.package, target.flag());
            bail!(
                "`{name}` belongs to the package `{of}`: `hookman disable {name} \
                 --permanent{flag}` leaves it out, and `hookman remove {of}{flag}` removes the \
                 whole package"
            );
        }
        return Ok(None);
    }
    let mut after = before.clone();
    for name in names {
        after = package_edit::remove(&after, name).with_context(|| {
            format!(
                "hookman cannot safely remove the package `{name}`; remove it by hand with \
                 `hookman edit{}`",
                target.flag()
            )
        })?;
    }
    Edition::written(world, target, Some(before.clone()), after.clone())?
        .check_fence(world, target)?;
    let texts = (Some(before), after.clone());
    let status = write(world, target.clone(), options, "remove", texts, Renewed::None)?;
    let is_written = files::read_text(&target.manifest)?.as_deref() == Some(&after);
    let copies = names.iter().map(|name| target.manifest.with_file_name(copy_of(name)));
    for copy in copies.filter(|it| is_written && it.exists()) {
        let shown = world.paths.shown(&copy);
        world
            .terminal
            .line(format!("The copy in {shown} stays; delete it if you no longer need it"));
    }
    Ok(Some(status))
}

/// The directory of a package that one of the chains has, by its name; `None` where none has that.
pub(super) fn place(world: &World, chains: &[Chain], name: &Path) -> Result<Option<PathBuf>> {
    if name.is_file() {
        return Ok(None);
    }
    for chain in chains {
        for manifest in chain.files() {
            let there = packages_of(&files::read_text(manifest)?.unwrap_or_default());
            if let Some(package) = there.iter().find(|it| Path::new(&it.name) == name) {
                return Ok(Some(Known::of(&world.paths, chain.files()).place(package)?));
            }
        }
    }
    Ok(None)
}

/// Names the packages that there are, behind the message about one that is not.
pub(super) fn named(there: &[Package]) -> String {
    let names: Vec<&str> = there.iter().map(|it| it.name.as_str()).collect();
    match names.as_slice() {
        [] => "; it names none".to_owned(),
        names => format!("; it names {}", names.join(", ")),
    }
}

pub(super) fn free_name(name: &str, there: &[Package]) -> String {
    let is_free = |name: &str| there.iter().all(|it| it.name != name);
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|it| is_free(it)).unwrap_or_default()
}

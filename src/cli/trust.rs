//! `hookman trust`: what is new or changed is shown, and runs from then on.

use anyhow::{Result, bail};
use serde_json::json;

use super::args::Trust;
use super::exit::ExitStatus;
use super::switching;
use crate::install::change::{self, Change, Outcome, Transaction};
use crate::install::packages::{Packages, Renewed, is_persons_word};
use crate::install::target::{Layers, Target};
use crate::install::trusting::Trusting;
use crate::machine::{World, files};
use crate::manifest::Hook;
use crate::package::lock::{Lock, Locked};
use crate::package::{definition, known, store};
use crate::state::{chains, pins};

pub(super) fn trust(args: &Trust, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.options.scope, world)?;
    if args.list {
        return list(args, world, &target);
    }
    if !args.revoke.is_empty() {
        return revoke(args, world, &target);
    }
    let locks = locks(&target);
    let is_package = |name: &String| locks.iter().any(|it| it.name == *name);
    let transaction = Transaction::begin(world, &target, &args.options.writing)?;
    let packages = Packages::of(world, &target, None, Renewed::None)?;
    let layers = Layers::required(world, &target, &packages.lock())?;
    let packages = packages.completed(world, None, &layers).by_trust();
    let hooks = &layers.all.hooks;
    let is_known = |name: &&String| hooks.iter().any(|hook| hook.name == **name);
    if let Some(name) = args.names.iter().find(|name| !is_package(name) && !is_known(name)) {
        bail!(
            "neither a hook nor a package is called `{name}` here; `hookman trust --list{}` names all",
            target.flag()
        );
    }
    // What the manifest says of a package's hooks comes with the package.
    let is_of =
        |hook: &Hook| hook.package.as_ref().is_some_and(|it| args.names.contains(&it.package));
    let meant = hooks.iter().filter(|hook| args.names.contains(&hook.name) || is_of(hook));
    let names: Vec<String> = meant.map(|hook| hook.name.clone()).collect();
    let of_hooks = args.names.is_empty() || !names.is_empty();
    let trusting = of_hooks.then(|| Trusting::all(world, &target, hooks, &names));
    let of_packages = args.names.is_empty() || args.names.iter().any(is_package);
    let mut changes: Vec<&dyn Change> = Vec::new();
    changes.extend(trusting.as_ref().map(|it| it as &dyn Change));
    changes.extend(of_packages.then_some(&packages as &dyn Change));
    transaction.show(&changes);
    let is_anything = changes.iter().any(|it| !it.is_empty());
    if is_anything && !args.options.writing.dry_run && !is_persons_word() {
        bail!("only you can allow these to run: type this in a terminal of your own");
    }
    match transaction.commit("trust", "May these run?", &changes)? {
        Outcome::Nothing => world.terminal.line("Nothing is new or changed."),
        Outcome::Shown => {}
        Outcome::Written => {
            let is_meant = |scope: &str, _: &str| scope == target.chain.scope;
            let lacking = switching::not_in_force(world, target.project.as_deref(), &is_meant);
            if lacking.is_empty() {
                world.terminal.line("Done. They run from the next call on.");
            } else {
                for line in &lacking {
                    world.terminal.line(line);
                }
                return Ok(ExitStatus::Found);
            }
        }
    }
    Ok(ExitStatus::Done)
}

fn locks(target: &Target) -> Vec<Locked> {
    let locks = target.chain.files().filter_map(|manifest| known::read(manifest).ok());
    locks.flat_map(|lock| lock.package).collect()
}

fn list(args: &Trust, world: &World, target: &Target) -> Result<ExitStatus> {
    let lock = Lock { package: locks(target), own: Vec::new() };
    let hooks = match Layers::required(world, target, &lock) {
        Ok(layers) => layers.all.hooks,
        // Of a package that is still to be fetched the lock says enough.
        Err(why) => {
            let read = chains::read(&world.paths, &target.chain).ok().flatten();
            let mut hooks = read.ok_or(why)?.hooks;
            hooks.retain(|hook| hook.package.as_ref().is_none_or(|it| it.absent.is_none()));
            hooks
        }
    };
    let pinned = pins::read(&world.paths, &target.chain).unwrap_or_default();
    let unseen = Trusting::all(world, target, &hooks, &[]).news;
    let rule = pins::Rule::of(&world.paths, &target.chain);
    let mut rows: Vec<(String, &str, Vec<String>)> = Vec::new();
    for locked in locks(target).into_iter().filter(|it| !it.git.is_empty()) {
        let is_seen = store::is_trusted(&world.paths, &locked.tree);
        let at = format!("{} {}", locked.git, locked.rev);
        rows.push((locked.name, if is_seen { "seen" } else { "new" }, vec![at]));
    }
    for hook in hooks.iter().filter(|it| rule.is_held(it)) {
        let unseen = unseen.iter().find(|it| it.name == hook.name);
        let is_packages = unseen.is_none_or(|it| it.with_package);
        if is_packages && pins::Pin::of(&rule, hook).whole {
            continue;
        }
        let state = unseen.map_or("seen", |it| it.word());
        let files = pinned.get(&hook.name).into_iter().flat_map(|pin| pin.files.keys());
        let unknown = definition::unknown(&world.paths, hook, &target.chain.manifest);
        let unknown =
            unknown.iter().filter(|_| !args.json).map(|word| format!("`{word}` (not known)"));
        let files = files.map(|path| world.paths.shown(path.as_ref())).chain(unknown).collect();
        rows.push((hook.name.clone(), state, files));
    }
    let is_all_seen = rows.iter().all(|(_, state, _)| *state == "seen");
    if args.json {
        let rows: Vec<_> = rows
            .iter()
            .map(|(name, state, files)| json!({"name": name, "state": state, "runs": files}))
            .collect();
        world.terminal.line(json!({"trust": rows}).to_string());
    } else if rows.is_empty() {
        world.terminal.line("Nothing here waits for your approval.");
    }
    let width = rows.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or_default();
    for (name, state, files) in rows.iter().filter(|_| !args.json) {
        world.terminal.line(format!("  {name:width$}  {state:7}  {}", files.join(", ")).trim_end());
    }
    Ok(if is_all_seen { ExitStatus::Done } else { ExitStatus::Found })
}

/// Forgets that hooks and packages were seen, so that they do not run.
fn revoke(args: &Trust, world: &World, target: &Target) -> Result<ExitStatus> {
    if !args.options.writing.dry_run && !is_persons_word() {
        bail!("only you can stop hooks from running: type this in a terminal of your own");
    }
    let paths = &world.paths;
    let mut pinned = pins::read(paths, &target.chain).unwrap_or_default();
    let locks = locks(target);
    let lock = Lock { package: locks.clone(), own: Vec::new() };
    let layers = Layers::locked(world, target, None, &lock).ok().flatten();
    let mut trees = Vec::new();
    for name in &args.revoke {
        let tree = locks.iter().find(|it| it.name == *name).map(|it| it.tree.clone());
        let hook = layers.as_ref().and_then(|it| it.all.hooks.iter().find(|it| it.name == *name));
        if let Some(package) =
            hook.filter(|hook| store::holds(paths, hook)).and_then(|it| it.package.as_ref())
        {
            let (package, flag) = (&package.package, target.flag());
            bail!(
                "`{name}` belongs to a package, which is trusted as a whole: `hookman trust \
                 --revoke {package}{flag}`"
            );
        }
        if pinned.remove(name).is_none() && tree.is_none() {
            bail!(
                "you have not trusted `{name}`; `hookman trust --list{}` lists what you have",
                target.flag()
            );
        }
        trees.extend(tree);
    }
    let text = format!("Stop {} from running?", args.revoke.join(", "));
    if !change::given(world, &args.options.writing, &text)? {
        return Ok(ExitStatus::Done);
    }
    if pins::read(paths, &target.chain).is_some_and(|before| before != pinned) {
        let text = serde_json::to_string(&pinned)?;
        files::replace_private(&pins::file(paths, &target.chain), &text)?;
    }
    for tree in &trees {
        store::distrust(paths, tree)?;
    }
    // The plan that there was has the hooks of the packages.
    if chains::compile(paths, &target.chain).is_err() {
        let _ = chains::without_packages(paths, &target.chain);
    }
    world.terminal.line("Done. They do not run until you trust them again.");
    Ok(ExitStatus::Done)
}

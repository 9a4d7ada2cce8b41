//! `hookman add`: write a hook of the user's own into the manifest, and register it.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::{Result, bail};

use super::args::{Add, Directory, Placing};
use super::exit::ExitStatus;
use super::registering::Registering;
use super::{trying, word};
use crate::builtin::catalogue;
use crate::chain::plan::FILE;
use crate::doctor::{self, Level};
use crate::install::addition::edition::Edition;
use crate::install::addition::nearby;
use crate::install::addition::placement::Placement;
use crate::install::change::Outcome;
use crate::install::target::Target;
use crate::machine::World;
use crate::manifest::edit::NewHook;
use crate::manifest::{Action, Hook, Manner};
use crate::session::switches::SCOPES;

pub(super) fn add(args: &Add, world: &World) -> Result<ExitStatus> {
    let (name, words) = named(args);
    if catalogue::find(&name).is_some() {
        bail!(
            "`{name}` is the name of a ready-made hook, which `hookman install {name}` adds; give yours \
             another name"
        );
    }
    check_name(&name)?;
    if args.command.is_none() && words.is_empty() {
        bail!(
            "`{name}` has nothing to run: give a program and its arguments after `--`, or a shell \
             line with --command"
        );
    }
    let target = Target::of(&args.options.scope, world)?;
    let action = action(args.command.as_deref(), &words, &target, world);
    let mut is_odd = false;
    let matchers =
        args.matcher.iter().flat_map(|it| args.events.iter().map(move |event| (event, it)));
    for finding in matchers.flat_map(|(event, matcher)| doctor::of_matcher(*event, matcher)) {
        is_odd |= finding.level == Level::Warning;
        world.terminal.warn(format!("warning: {}: {}", finding.message, finding.fix));
    }
    let hits_none =
        |matcher: &String| args.events.iter().all(|event| doctor::hits_none(*event, matcher));
    is_odd &= args.matcher.as_ref().is_some_and(hits_none);
    if args.command.as_ref().is_some_and(|line| line.contains(FILE)) {
        world.terminal.warn(format!(
            "warning: `{FILE}` works only in a program's arguments, not in a shell line; give the \
             program after `--`"
        ));
    }
    let manner = Manner {
        condition: args.condition.clone(),
        background: args.background,
        ..Manner::default()
    };
    let hook = NewHook {
        name: &name,
        events: &args.events,
        matcher: args.matcher.as_deref(),
        action: &action,
        timeout_ms: args.timeout,
        on_error: args.on_error,
        manner: &manner,
        in_project: args.cwd == Some(Directory::Project),
        paths: &args.paths,
        user_only: false,
        hosts: &[],
    };
    let mut registering = Registering::begin(world, target, &args.options)?;
    registering.is_odd = is_odd;
    let Placing { before, after, set } = &args.placing;
    let placement = Placement::of(before.as_deref(), after.as_deref(), set)?;
    let edition = Edition::with(world, &registering.target, &hook, &placement)?;
    edition.check_fence(world, &registering.target)?;
    let hooks = &edition.layers.all.hooks;
    let added: Vec<Hook> = hooks.iter().filter(|hook| hook.name == name).cloned().collect();
    let self_test = word::self_test(&added, &registering.target);
    let target = registering.target.clone();
    let (outcome, mut status) =
        registering.end("add", &edition.manifest, &edition.layers, &added)?;
    if outcome == Outcome::Written {
        let hookman = word::hookman(world);
        let mut rows = vec![
            (format!("show {name}"), "explains it"),
            (format!("disable {name}"), "switches it off for one session"),
        ];
        rows.extend(self_test.map(|it| (it, "runs it once with a made-up call")));
        let width = rows.iter().map(|(words, _)| words.len()).max().unwrap_or_default();
        for (words, does) in rows {
            world.terminal.line(format!("  {hookman} {words:width$}  {does}"));
        }
        status = status.max(trying::offer(world, &target, &args.options.writing, &added)?);
    }
    Ok(status)
}

/// Gives the name and the program with its arguments; a path alone is the program, named by its file.
fn named(args: &Add) -> (String, Vec<String>) {
    let path = Path::new(&args.name);
    if args.command.is_none()
        && args.words.is_empty()
        && args.name.contains('/')
        && let Some(stem) = path.file_stem().and_then(OsStr::to_str)
    {
        return (stem.to_owned(), vec![args.name.clone()]);
    }
    (args.name.clone(), args.words.clone())
}

/// Gives the action; a program in this directory is named as from the manifest's.
fn action(command: Option<&str>, words: &[String], target: &Target, world: &World) -> Action {
    let typed = match command {
        Some(line) => line.split([' ', '\t']).next(),
        None => words.first().map(String::as_str),
    };
    let typed = typed.unwrap_or_default();
    let program = nearby::from_manifest(typed, &target.manifest);
    if let Some(program) = &program {
        let shown = world.paths.shown(&target.manifest);
        world.terminal.line(format!("`{typed}` is written as `{program}`, relative to {shown}"));
    }
    let program = program.unwrap_or_else(|| typed.to_owned());
    match command {
        Some(line) => Action::Command(program + &line[typed.len()..]),
        None => {
            let words = words.iter().skip(1).cloned();
            Action::Argv(std::iter::once(program).chain(words).collect())
        }
    }
}

fn check_name(name: &str) -> Result<()> {
    let is_of_chain = |chain: &str| {
        name.split_once(':').is_some_and(|(start, _)| start.eq_ignore_ascii_case(chain))
    };
    if let Some(chain) = SCOPES.into_iter().find(|chain| is_of_chain(chain)) {
        bail!(
            "`{name}` would mean a hook of the {chain} chain where hooks are switched; give it another \
             name"
        );
    }
    if !name.contains(char::is_alphanumeric) {
        bail!("`{name}` has neither a letter nor a digit; give it another name");
    }
    Ok(())
}

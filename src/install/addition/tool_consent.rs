//! The questions where a hook is added: may it run the programs of a project, and is a program for
//! notices to be installed?

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::builtin::catalogue;
use crate::builtin::notify::DESKTOP_PROGRAM;
use crate::builtin::run_after_edit::offer;
use crate::install::target::{Target, Writing};
use crate::machine::{World, environment, program};
use crate::manifest::{Action, Hook};
use crate::state::{careful, project_tools};

/// The hooks that would run programs of a project without anybody's word, and these programs.
pub(crate) fn wanted(hooks: &[Hook], project: &Path) -> (Vec<String>, Vec<String>) {
    let (mut names, mut programs) = (Vec::new(), Vec::new());
    for hook in hooks {
        let Action::Builtin { kind, .. } = &hook.action else { continue };
        if kind != offer::KIND {
            continue;
        }
        let found = offer::programs(&hook.options, project);
        if !found.is_empty() {
            names.push(hook.name.clone());
        }
        programs.extend(found);
    }
    programs.sort();
    programs.dedup();
    (names, programs)
}

/// Says which tools a project configures for hooks that are not installed.
pub(crate) fn missing(hooks: &[Hook], project: &Path) -> Vec<String> {
    let of_hook = |hook: &Hook| {
        let is_it = matches!(&hook.action, Action::Builtin { kind, .. } if kind == offer::KIND);
        let names = if is_it { offer::missing(&hook.options, project).0 } else { Vec::new() };
        (!names.is_empty()).then(|| {
            let (hook, tools) = (&hook.name, names.join(", "));
            format!(
                "{hook}: the project configures {tools}, but the program is missing, so the \
                     hook does not run"
            )
        })
    };
    hooks.iter().filter_map(of_hook).collect()
}

/// The project that is meant: that of the target, else the one around this directory.
fn project(world: &World, target: &Target) -> Result<PathBuf> {
    let here = environment::current_directory()?;
    Ok(careful::project(&world.paths, target.project.clone(), &here))
}

pub(crate) fn keep(world: &World, target: &Target, writing: &Writing, answer: bool) -> Result<()> {
    let project = project(world, target)?;
    let shown = world.paths.shown(&project);
    if world.paths.home.as_deref() == Some(project.as_path()) {
        bail!("`{shown}` is no project; type this in the directory of the one that is meant");
    }
    let does = if answer { "may" } else { "may not" };
    if writing.dry_run {
        world.terminal.line(format!("Hooks {does} run programs of {shown} (--dry-run)."));
        return Ok(());
    }
    project_tools::keep(&world.paths, &project, answer)?;
    world.terminal.line(format!("Hooks {does} run programs of {shown} from now on."));
    Ok(())
}

/// Asks once whether the project's programs that `hooks` would run may, or says how to answer.
pub(crate) fn ask(world: &World, target: &Target, writing: &Writing, hooks: &[Hook]) -> Result<()> {
    let project = project(world, target)?;
    if world.paths.home.as_deref() == Some(project.as_path()) {
        return Ok(());
    }
    for line in missing(hooks, &project) {
        world.terminal.line(format!("\n{line}"));
    }
    if project_tools::answer(&world.paths, &project).is_some() {
        return Ok(());
    }
    let (names, programs) = wanted(hooks, &project);
    if programs.is_empty() {
        return Ok(());
    }
    let (names, programs) = (names.join(", "), programs.join(", "));
    let shown = world.paths.shown(&project);
    if writing.yes || !world.terminal.can_ask() {
        world.terminal.line(format!(
            "\n{names}: the project's own programs ({programs}) run only if you allow it. In \
             {shown}: hookman install --project-tools yes"
        ));
        return Ok(());
    }
    let question = format!(
        "\n{names} would run programs of {shown} itself: {programs}.\nMay this project's own programs \
         run? The answer is kept for this project."
    );
    let answer = world.terminal.confirm(&question)?;
    project_tools::keep(&world.paths, &project, answer)?;
    if !answer {
        world.terminal.line("They do not run. `hookman install --project-tools yes` allows them.");
    }
    Ok(())
}

/// Returns whether the desktop is to show the notices of added hooks; without a terminal, says how they
/// come.
pub(crate) fn desktop_wanted(
    world: &World,
    writing: &Writing,
    hooks: &[String],
    is_given: bool,
) -> Result<bool> {
    let notifies =
        |name: &&String| catalogue::find(name).is_some_and(|it| it.kind.name == "notify");
    let Some(hook) = hooks.iter().find(notifies) else { return Ok(false) };
    let path = environment::raw("PATH").unwrap_or_default();
    let is_there = program::on_path(DESKTOP_PROGRAM, &path).is_some();
    let by_terminal = "the terminal shows notices, or rings its bell";
    if !is_there {
        world.terminal.line(format!("{hook}: `{DESKTOP_PROGRAM}` is not here, so {by_terminal}."));
        return Ok(is_given);
    }
    if is_given {
        return Ok(true);
    }
    if writing.yes || writing.dry_run || !world.terminal.can_ask() {
        world
            .terminal
            .line(format!("{hook}: {by_terminal}; `--desktop` has the desktop show them too."));
        return Ok(false);
    }
    let question = format!("`{DESKTOP_PROGRAM}` is here. Shall the desktop show the notices too?");
    Ok(world.terminal.confirm(&question)?)
}

//! `hookman install`: make the manifest, add hooks to it, register it.

use anyhow::{Result, bail};

use super::args::{Install, Placing, YesNo};
use super::exit::ExitStatus;
use super::registering::{done, status, warn_of_dropped};
use super::written::{Written, told};
use super::{packaging, tmux, trying, word};
use crate::client::host::CLAUDE;
use crate::client::host::files::FILES;
use crate::install::addition::placement::Placement;
use crate::install::addition::{Addition, Wanted, managed, tool_consent};
use crate::install::change::{
    Assets, Change, Gitignore, Outcome, SettingsChange, Transaction, assets, each,
};
use crate::install::registration::{causes, codex_trust, hosts};
use crate::install::target::{Target, Writing, binary, protection};
use crate::install::trusting::Trusting;
use crate::machine::{World, files};
use crate::manifest::Hook;

pub(super) fn install(args: &Install, world: &World) -> Result<ExitStatus> {
    if args.locked {
        return packaging::install_locked(args, world);
    }
    if packaging::names_one(&args.hooks) {
        return packaging::install(args, world);
    }
    let Some(hooks) = first(args, world)? else {
        return told(world, args.json, &args.options.writing, |world| perform(args, world));
    };
    if hooks.is_empty() {
        world.terminal.line("Nothing was chosen, and nothing was written.");
        return Ok(ExitStatus::Done);
    }
    Ok(perform(&Install { hooks, ..args.clone() }, world)?.status)
}

/// The recipes that a first installation may begin with; those in front are proposed.
const RECIPES: [(&str, &str); 5] = [
    ("protect", "Protect .env, keys and other secrets, lock files and the hooks themselves"),
    ("destructive-guard", "Stop destructive commands, each with a reason"),
    ("format-changed", "Format what was edited, with the project's own formatter"),
    ("test-at-stop", "Run the project's tests at the end of a turn that edited something"),
    ("notify-stop", "Say when Claude Code is done, by the terminal's bell"),
];

/// The hooks that are chosen at a first installation that names none; `None` where nothing is asked.
fn first(args: &Install, world: &World) -> Result<Option<Vec<String>>> {
    const PROPOSED: usize = 2;
    let Writing { dry_run, yes, .. } = args.options.writing;
    let is_named =
        !args.hooks.is_empty() || !args.recipe.is_empty() || args.project_tools.is_some();
    if is_named
        || !args.host.is_empty()
        || args.guard_mod
        || args.statusline
        || args.json
        || dry_run
        || yes
        || !world.terminal.can_choose()
    {
        return Ok(None);
    }
    let target = Target::of(&args.options.scope, world)?;
    if !target.is_users() || files::is_there(&target.manifest) {
        return Ok(None);
    }
    let rows = RECIPES.map(|(hook, does)| format!("{does} ({hook})"));
    let chosen = world.terminal.choose("What should hookman do?", &rows, PROPOSED)?;
    let chosen = chosen.unwrap_or_default().into_iter();
    Ok(Some(chosen.map(|at| RECIPES[at].0.to_owned()).collect()))
}

fn perform(args: &Install, world: &World) -> Result<Written> {
    let mut target = Target::of(&args.options.scope, world)?;
    target.guard_mod = args.guard_mod.then_some(true);
    target.status_line = args.statusline.then_some(true);
    if let Some(answer) = args.project_tools {
        tool_consent::keep(world, &target, &args.options.writing, answer == YesNo::Yes)?;
        let is_more = args.guard_mod || args.statusline;
        if args.hooks.is_empty() && args.recipe.is_empty() && !is_more {
            let ended = (Outcome::Written, ExitStatus::Done);
            return Ok(Written::of(ended, &target, &[], &[], &[]));
        }
    }
    let transaction = Transaction::begin(world, &target, &args.options.writing)?;
    // A project's entries call its launcher.
    let binary = match &args.options.binary {
        None if target.project.is_none() => Some(binary::current(world, &target.settings)?),
        given => given.clone(),
    };
    let binary = protection::binary(world, &target, binary.as_deref())?;
    let binary = binary.as_deref();
    let desktop =
        tool_consent::desktop_wanted(world, &args.options.writing, &args.hooks, args.desktop)?;
    let Placing { before, after, set } = &args.placing;
    let is_placed = before.is_some() || after.is_some();
    if (is_placed && args.hooks.is_empty()) || (!set.is_empty() && args.hooks.len() != 1) {
        bail!(
            "--before and --after need the hooks to place, and --set needs a single hook, as in \
             `hookman install destructive-guard --set level=block`"
        );
    }
    let hosts = hosts::named(world, &args.host)?;
    let placement = Placement::of(before.as_deref(), after.as_deref(), set)?;
    let wanted = Wanted {
        hooks: &args.hooks,
        recipes: &args.recipe,
        desktop,
        placement: &placement,
        hosts: &hosts,
    };
    let addition = Addition::of(world, &target, wanted)?;
    let settings = SettingsChange::of(world, &target, &addition.layers, binary)?;
    let calls_claude = addition.layers.committed.is_for(CLAUDE.name) || target.local;
    let mut assets = Assets::of(world, &target, binary)?;
    if !calls_claude && target.project.is_none() {
        // They are Claude Code's slash commands.
        assets = assets.none();
    }
    let called = FILES.iter().filter(|of| addition.layers.committed.is_for(of.host.name));
    let assets = assets.with_hosts(world, &target, called)?;
    if let Some(file) = assets.foreign_guard(world).filter(|_| args.guard_mod) {
        bail!(
            "`{}` is not hookman's mod, and the client would ask it before all others; move it \
             elsewhere, then run this again",
            world.paths.shown(file)
        );
    }
    let gitignore = Gitignore::of(world, &target)?;
    let mut changes: Vec<&dyn Change> = vec![&addition, &assets];
    changes.extend(each(&gitignore));
    changes.extend(each(&settings));
    let trusting = Trusting::of(world, &target, &addition.layers.all.hooks);
    changes.push(&trusting);
    transaction.show(&changes);
    let warned = transaction.warn(&changes, &addition.layers.all.hooks);
    causes::warn(world, &target, &addition.layers);
    managed::warn(world, &target, binary);
    if target.managed().is_some() && !args.options.writing.dry_run {
        managed::check(world, &target, &addition, &settings)?;
    }
    // A hook that was there may be left out on purpose.
    let skipped = warned.skipped.iter().find(|hook| args.hooks.contains(hook));
    let outcome = transaction.commit("install", "Write this?", &changes)?;
    match outcome {
        Outcome::Nothing => world.terminal.line("Already installed."),
        Outcome::Shown => {}
        Outcome::Written => {
            let self_test = word::self_test(&addition.layers.all.hooks, &target);
            next_steps(world, &target, warned.is_deaf, skipped, self_test, calls_claude);
            if args.guard_mod {
                world.terminal.line(GUARD_MOD);
            }
            tmux_lines(world, &addition.layers.all.hooks);
        }
    }
    if outcome != Outcome::Shown {
        codex_trust::tell(world, &target, &hosts);
    }
    if outcome != Outcome::Shown && target.managed().is_none() {
        tool_consent::ask(world, &target, &args.options.writing, &addition.layers.all.hooks)?;
    }
    let is_dropped = warn_of_dropped(world, &target, &addition.layers, outcome);
    let mut status = status(outcome, warned.is_deaf || is_dropped || skipped.is_some());
    if outcome == Outcome::Written {
        let hooks = &addition.layers.all.hooks;
        status = status.max(trying::offer(world, &target, &args.options.writing, hooks)?);
    }
    let ended = (outcome, status);
    Ok(Written::of(
        ended,
        &target,
        &changes,
        &SettingsChange::listed(&settings),
        &addition.layers.all.hooks,
    ))
}

const GUARD_MOD: &str = "
The guard mod is in sessions that start from now on. It keeps other mods, yours too, from the
events that decide whether a gate holds. `hookman uninstall --guard-mod` takes it out.";

fn next_steps(
    world: &World,
    target: &Target,
    is_deaf: bool,
    idle: Option<&String>,
    self_test: Option<String>,
    calls_claude: bool,
) {
    let (file, flag) = (world.paths.shown(&target.manifest), target.flag());
    let settings = target.settings.file_name().unwrap_or_default().to_string_lossy();
    // The slash commands are the user's, and come with an installation for the user.
    let has_typed = calls_claude && target.project.is_none();
    let typed = if has_typed { "; /hook:disable X inside Claude Code" } else { "" };
    let back = if calls_claude {
        format!("puts {settings} back as it was")
    } else {
        "takes hookman's entries out again".to_owned()
    };
    let hookman = word::hookman(world);
    let mut rows = vec![
        ("doctor".to_owned(), "checks that every hook would really fire".to_owned()),
        (format!("uninstall{flag}"), back),
    ];
    if let Some(self_test) = self_test {
        rows.insert(1, (self_test, "runs each command once with a made-up call".to_owned()));
    }
    // Nobody switches what an administrator has everybody run.
    if target.managed().is_none() {
        let does = format!("switches a hook off for one session{typed}");
        rows.insert(1, ("disable X".to_owned(), does));
    }
    if calls_claude && target.project.is_some() && !assets::has_commands(world) {
        let does = "gives you /hook:disable X inside Claude Code, and keeps switches after /clear";
        rows.insert(2, ("install".to_owned(), does.to_owned()));
    }
    let said = if calls_claude || is_deaf || idle.is_some() {
        done(is_deaf, idle.map(String::as_str))
    } else {
        "Done.".to_owned()
    };
    world.terminal.line(format!("\n{said}"));
    let does = format!("lists the hooks; edit it, then `{hookman} apply{flag}`");
    world.terminal.print_row(&format!("  {file}  "), &does, 4);
    let width = rows.iter().map(|(verb, _)| verb.len()).max().unwrap_or_default();
    for (verb, does) in rows {
        let start = format!("  {hookman} {verb:width$}  ");
        world.terminal.print_row(&start, &does, start.len());
    }
}

/// Prints the lines of tmux's configuration for hooks that set a pane's state.
fn tmux_lines(world: &World, hooks: &[Hook]) {
    let option = |hook: &Hook| {
        let option = hook.options.get("tmux_option")?.as_str()?;
        (!option.is_empty()).then(|| option.to_owned())
    };
    if let Some(option) = hooks.iter().find_map(option) {
        let lines = tmux::lines(&option).replace('\n', "\n  ");
        world
            .terminal
            .line(format!("\nFor panes that show their state, put into ~/.tmux.conf:\n  {lines}"));
    }
}

//! `hookman doctor`: check that every hook would really fire.

use std::path::PathBuf;

use anyhow::{Result, bail};
use serde_json::json;

use super::args::{Apply, Doctor};
use super::exit::ExitStatus;
use super::word::counted;
use super::{apply, trying, word};
use crate::doctor::client_probe::{self, Asked, Came, Proof};
use crate::doctor::self_test::{self, Tested};
use crate::doctor::trial::{self, Tried};
use crate::doctor::{self, Check, Examined, FAMILIES, Facts, Finding, Level, Mend, installed};
use crate::install::change::manifest::ModeChange;
use crate::install::change::{Change, Outcome, Transaction};
use crate::install::target::{RegisterOptions, Scope, Target, Writing};
use crate::machine::paths::real;
use crate::machine::terminal::Paint;
use crate::machine::{World, environment, harmless};
use crate::session::names;
use crate::state::chains::MANAGED;
use crate::state::configured;

pub(super) fn doctor(args: &Doctor, world: &World) -> Result<ExitStatus> {
    let asked = asked(&args.checks)?;
    let is_asked = |check: &Check| asked.contains(&check.id);
    if args.list {
        list(args, &is_asked, world)?;
        return Ok(ExitStatus::Done);
    }
    // What is above a session that is started here is not read by the client, but for a project.
    let is_users = |project: &PathBuf| real(&project.join(".claude")) == real(&world.paths.config);
    let project = configured::project().filter(|project| !is_users(project));
    let project = project.or_else(|| environment::current_directory().ok());
    let scope = args.scope.map(super::args::OneScope::name);
    let mut facts = Facts::gather(&world.paths, project.as_deref(), scope);
    if let Some(scope) = scope.filter(|it| facts.settings.is_empty() && *it != MANAGED) {
        bail!(
            "there is no {scope} scope here: the project's settings would be the user's own; \
             change to a project's directory, or leave --scope out"
        );
    }
    let told = Told {
        asked: if args.ask_client { Some(ask(args, &facts, world)?) } else { None },
        tested: if args.self_test { self_test::run(&facts)? } else { Vec::new() },
        tried: if args.self_test {
            trial::run(&facts, &|of, _| scope.is_some() || of == "user")?
        } else {
            Vec::new()
        },
    };
    facts.rewriting =
        told.tried.iter().filter(|it| it.rewrites).map(|it| it.place.clone()).collect();
    let examined = doctor::examine(&facts, is_asked);
    let status = report(args, &examined, &told, world)?;
    if asked.contains(&"foreign-hooks") {
        doctor::remember(&facts);
    }
    if !args.fix || !mend(args, &examined, world)? {
        return Ok(status);
    }
    // What is left is what counts.
    let facts = Facts::gather(&world.paths, project.as_deref(), scope);
    report(args, &doctor::examine(&facts, is_asked), &Told::default(), world)
}

/// The findings that no check made.
#[derive(Default)]
struct Told {
    asked: Option<Asked>,
    tested: Vec<Tested>,
    tried: Vec<Tried>,
}

impl Told {
    fn is_missing_something(&self) -> bool {
        let is_missing = |proof: &Proof| !matches!(proof.came, Came::Fired | Came::Unreached);
        self.asked.iter().flat_map(|asked| &asked.proofs).any(is_missing) || self.failed() > 0
    }

    fn failed(&self) -> usize {
        self.tested.iter().filter(|tested| tested.problem.is_some()).count()
            + self.tried.iter().filter(|tried| tried.problem.is_some()).count()
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = self.asked.as_ref().map(asked_lines).unwrap_or_default();
        for Tested { place, event, problem, us, .. } in &self.tested {
            lines.push(match problem {
                Some(problem) => format!("failed (run)  {place} {event}: {problem}"),
                None => format!(
                    "answered      {place} {event} in {}.{} ms, with its session and transcript",
                    us / 1000,
                    us % 1000 / 100
                ),
            });
        }
        for (at, tried) in self.tried.iter().enumerate() {
            let is_same = |it: &&Tried| it.problem.is_some() && it.problem == tried.problem;
            if self.tried[..at].iter().any(|it| is_same(&it)) {
                continue;
            }
            let more = match self.tried[at + 1..].iter().filter(is_same).count() {
                0 => String::new(),
                1 => "; the same in another command".to_owned(),
                more => format!("; the same in {more} other commands"),
            };
            lines.push(trying::line(tried) + &more);
        }
        lines
    }
}

fn ask(args: &Doctor, facts: &Facts, world: &World) -> Result<Asked> {
    let found = || installed::find(&world.paths);
    let Some(program) = args.client.clone().or_else(found) else {
        bail!("no client was found on the PATH; name it with `--client PATH`");
    };
    client_probe::ask(&program, facts)
}

/// Writes a line for each handler that the client was asked about.
fn asked_lines(asked: &Asked) -> Vec<String> {
    let mut lines = vec![format!("asked {} ({})", asked.client.display(), asked.version)];
    for Proof { place, event, matcher, came, why, .. } in &asked.proofs {
        let matcher = matcher.as_ref().map(|it| format!("({it})")).unwrap_or_default();
        let why = why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        lines.push(format!("{:13} {place} {event}{matcher}{why}", came.name()));
    }
    if asked.proofs.is_empty() {
        lines.push("no settings file has a handler to ask about".to_owned());
    }
    lines.extend(asked.remarks.iter().map(|remark| format!("note: {remark}")));
    lines
}

fn report(args: &Doctor, examined: &[Examined], told: &Told, world: &World) -> Result<ExitStatus> {
    let findings: Vec<&Finding> = examined.iter().flat_map(|examined| &examined.findings).collect();
    let worst = findings.iter().map(|finding| finding.level).max();
    let is_found = worst >= Some(Level::Warning) || told.is_missing_something();
    let status = if is_found { ExitStatus::Found } else { ExitStatus::Done };
    if args.json {
        let checks: Vec<_> = examined
            .iter()
            .map(|examined| {
                json!({
                    "check": examined.check.id,
                    "about": examined.check.about(),
                    "findings": examined.findings,
                })
            })
            .collect();
        let mut report = json!({"checks": checks});
        if let Some(asked) = &told.asked {
            report["client"] = serde_json::to_value(asked)?;
        }
        if args.self_test {
            report["self_test"] = serde_json::to_value(&told.tested)?;
            report["commands"] = serde_json::to_value(&told.tried)?;
        }
        world.terminal.line(serde_json::to_string_pretty(&report)?);
        return Ok(status);
    }
    for line in told.lines() {
        world.terminal.line(harmless(&line));
    }
    let called = word::hookman(world);
    for examined in examined {
        if examined.findings.is_empty() && args.verbose {
            world.terminal.line(format!(
                "ok       {}: {}",
                examined.check.id,
                examined.check.about()
            ));
        }
        for finding in &examined.findings {
            print(world, &called, finding);
        }
    }
    let count = |level| findings.iter().filter(|finding| finding.level == level).count();
    let failed = match told.failed() {
        0 => String::new(),
        number => format!("; {} failed", counted(number, "run")),
    };
    world.terminal.line(format!(
        "{}: {}, {}, {}{failed}",
        counted(examined.len(), "check"),
        counted(count(Level::Error), "error"),
        counted(count(Level::Warning), "warning"),
        counted(count(Level::Info), "note"),
    ));
    Ok(status)
}

/// The ids of the checks that are asked for by their names and those of their families.
fn asked(names: &[String]) -> Result<Vec<&'static str>> {
    if names.is_empty() {
        return Ok(doctor::checks().map(|check| check.id).collect());
    }
    let mut asked = Vec::new();
    for name in names {
        let family = FAMILIES.iter().find(|family| family.name == name);
        let check = doctor::checks().find(|check| check.id == name);
        match (family, check) {
            (Some(family), _) => asked.extend(family.checks().map(|check| check.id)),
            (None, Some(check)) => asked.push(check.id),
            (None, None) => bail!("{}", unknown(name)),
        }
    }
    Ok(asked)
}

fn unknown(name: &str) -> String {
    let ids = doctor::checks().map(|check| check.id);
    let known: Vec<&str> = FAMILIES.iter().map(|family| family.name).chain(ids).collect();
    let near = names::near(name, &known);
    format!("there is no check or family `{name}`{near}; `hookman doctor --list` lists them all")
}

fn list(args: &Doctor, is_asked: &impl Fn(&Check) -> bool, world: &World) -> Result<()> {
    if args.json {
        let checks = FAMILIES.iter().flat_map(|family| {
            family.checks().filter(|check| is_asked(check)).map(|check| {
                json!({
                    "check": check.id,
                    "family": family.name,
                    "about": check.about(),
                    "notice": check.notice(),
                })
            })
        });
        let checks: Vec<_> = checks.collect();
        world.terminal.line(serde_json::to_string_pretty(&json!({"checks": checks}))?);
        return Ok(());
    }
    let mut lines = Vec::new();
    for family in FAMILIES {
        let checks: Vec<&Check> = family.checks().filter(|check| is_asked(check)).collect();
        if checks.is_empty() {
            continue;
        }
        lines.push(world.terminal.row(&format!("{}: ", family.name), family.about(), 2));
        for check in checks {
            lines.push(world.terminal.row(&format!("  {:20} ", check.id), check.about(), 23));
            lines.push(world.terminal.row(&format!("  {:20} else: ", ""), check.notice(), 23));
        }
    }
    world.terminal.line(lines.join("\n"));
    Ok(())
}

fn print(world: &World, called: &str, finding: &Finding) {
    let paint = match finding.level {
        Level::Error => Paint::Red,
        Level::Warning => Paint::Yellow,
        Level::Info => Paint::Cyan,
    };
    let shown = world.terminal.painted(&format!("{:8}", finding.level.name()), paint);
    let Finding { check, place, message, notice, .. } = finding;
    let fix = finding.fix.replace("`hookman ", &format!("`{called} "));
    let indent = " ".repeat(9);
    let mut rest = format!("{check}: {place} ({})", finding.rests_on.name());
    for (label, text) in [("", message.as_str()), ("noticed: ", notice), ("to do: ", &fix)] {
        let row = world.terminal.row(&format!("{indent}{label}"), text, indent.len());
        rest.extend(["\n", &row]);
    }
    world.terminal.line(format!("{shown} {}", harmless(&rest)));
}

/// Repairs what can be by the commands that do it alone; gives whether anything may have changed.
pub(super) fn mend(args: &Doctor, examined: &[Examined], world: &World) -> Result<bool> {
    let findings = examined.iter().flat_map(|examined| &examined.findings);
    let mut mends: Vec<&Mend> = findings.filter_map(|finding| finding.mend.as_ref()).collect();
    mends.sort();
    mends.dedup();
    if mends.is_empty() {
        world.terminal.line("--fix can repair none of this");
        return Ok(false);
    }
    let writing = Writing { dry_run: args.dry_run, yes: args.yes, no_wait: false };
    let mut modes = Vec::new();
    for mend in mends {
        match mend {
            Mend::Apply(name) => {
                let project = matches!(*name, "project" | "local").then_some(None);
                let (local, managed) = (*name == "local", *name == "managed");
                let scope = Scope { project, local, managed };
                let writing = writing.clone();
                let options = RegisterOptions { scope, writing, binary: None };
                apply::apply(&Apply { options, json: false }, world)?;
            }
            Mend::MakeExecutable(path) => modes.push(ModeChange::executable(path.clone())?),
            Mend::MakePrivate(path) => modes.push(ModeChange::private(path.clone())?),
        }
    }
    if !modes.is_empty() {
        let target = Target::of(&Scope::default(), world)?;
        let transaction = Transaction::begin(world, &target, &writing)?;
        let changes: Vec<&dyn Change> = modes.iter().map(|mode| mode as &dyn Change).collect();
        transaction.show(&changes);
        let outcome = transaction.commit("doctor", "Change this?", &changes)?;
        return Ok(outcome == Outcome::Written || !args.dry_run);
    }
    Ok(!args.dry_run)
}

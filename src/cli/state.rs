//! `hookman state`: flags, marks, counters and named texts of a session, for shell scripts and for the
//! workflows that gates read.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::args::{CounterDeed, FlagDeed, State, StateCommand};
use super::exit::ExitStatus;
use super::which::{self, Session};
use crate::builtin::RealHost;
use crate::builtin::workflow::{self, Place, Put};
use crate::machine::{World, environment};
use crate::manifest::Hook;
use crate::session::store::before_name;
use crate::session::{Store, request};
use crate::state::{Chain, FileStore, careful, chains};
use crate::syntax::suggestion::nearest;

/// The time that it may take to write into a workflow's file.
const WRITING: Duration = Duration::from_secs(5);

pub(super) fn state(args: &State, world: &World) -> Result<ExitStatus> {
    let session = which::session(&args.session, world)?;
    session.warn_of_guess(world);
    let folder = world.paths.session(&session.id.file_name()).join("flags");
    let store = FileStore::new(folder);
    match &args.command {
        StateCommand::Flag { deed, name, ttl } => {
            let seconds =
                request::seconds(ttl).filter(|seconds| *seconds > 0).with_context(|| {
                    format!("--ttl takes a time such as 90s, 30m, 2h or 1d, not `{ttl}`")
                })?;
            flag(*deed, name, Duration::from_secs(seconds), &store)
        }
        StateCommand::Mark { name, prompt } => {
            // What `jq -r` prints where the client says nothing of the prompt.
            let prompt = prompt.trim();
            let prompt = if prompt == "null" { "" } else { prompt };
            let is_first = store.first_in_turn(&format!("shell {name}"), prompt);
            let is_first = is_first.context("the session's marks cannot be used")?;
            Ok(if is_first { ExitStatus::Done } else { ExitStatus::Found })
        }
        StateCommand::Counter { deed, name } => counter(*deed, name, &store, world),
        StateCommand::Show { name, json } => {
            show(name.as_deref(), *json, &Files::of(&session, &store, world)?)
        }
        StateCommand::Set { name, text } => {
            check(name)?;
            let text = text.join(" ");
            check_value(name, &text)?;
            if let Some(known) = misspelled(name, &text) {
                world.terminal.warn(format!(
                    "warning: no built-in gate knows the lifecycle `{text}`; did you mean `{known}`?"
                ));
            }
            if name == "lifecycle" {
                keep_before(name, &text, &store)?;
            }
            put(name, Some(&text), &store)?;
            Files::of(&session, &store, world)?.put(name, Some(&text))
        }
        StateCommand::Clear { names } if names.is_empty() => {
            let all = store.plain_texts().context("the session's texts cannot be read")?;
            all.keys().try_for_each(|name| put(name, None, &store).map(|_| ()))?;
            Ok(ExitStatus::Done)
        }
        StateCommand::Clear { names } => {
            names.iter().try_for_each(|name| check(name))?;
            let files = Files::of(&session, &store, world)?;
            for name in names {
                put(name, None, &store)?;
                files.put(name, None)?;
            }
            Ok(ExitStatus::Done)
        }
    }
}

/// A name with other characters would be one of a hook's own.
fn check(name: &str) -> Result<()> {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    if name.is_empty() || name.len() > 64 || !name.chars().all(is_plain) {
        bail!("`{name}` cannot be the name of a text: use 1 to 64 letters, digits, `-` or `_`");
    }
    Ok(())
}

/// Refuses what the gates that read a name would take for nothing, or would stop every call for.
fn check_value(name: &str, text: &str) -> Result<()> {
    let number: Option<f64> = text.trim().parse().ok();
    match name {
        "context" if !number.is_some_and(|share| (0.0..=100.0).contains(&share)) => {
            bail!("`context` is the share of the context that is used, from 0 to 1, not `{text}`")
        }
        "limit" if !text.trim().parse().is_ok_and(|limit: u64| limit > 0) => {
            bail!("`limit` is a number of calls from 1 on, not `{text}`")
        }
        _ => Ok(()),
    }
}

const NAMES: [&str; 9] =
    ["context", "handover", "lifecycle", "limit", "loading", "note", "phase", "skill", "task"];

const LIFECYCLES: [&str; 6] =
    ["active", "completed", "dehydrating", "idle", "restarting", "resuming"];

fn misspelled(name: &str, text: &str) -> Option<&'static str> {
    let is_other = name == "lifecycle" && !LIFECYCLES.contains(&text);
    if is_other { nearest(text, LIFECYCLES) } else { None }
}

fn put(name: &str, text: Option<&str>, store: &dyn Store) -> Result<ExitStatus> {
    let changed = store.change(name, &mut |_| text.map(str::to_owned));
    changed.with_context(|| format!("the session's text `{name}` cannot be written"))?;
    Ok(ExitStatus::Done)
}

/// Remembers what a name was, for hooks that put it back.
fn keep_before(name: &str, text: &str, store: &dyn Store) -> Result<()> {
    let before = store.text(name).context("the session's texts cannot be read")?;
    if before.as_deref() != Some(text) {
        put(&before_name(name), before.as_deref(), store)?;
    }
    Ok(())
}

/// The state files of workflows that hooks of the session read.
struct Files<'w> {
    world: &'w World,
    session: &'w str,
    project: PathBuf,
    hooks: Vec<Hook>,
    host: RealHost,
    store: &'w FileStore,
}

impl<'w> Files<'w> {
    fn of(session: &'w Session, store: &'w FileStore, world: &'w World) -> Result<Self> {
        let project = which::project(Some(session), world);
        let of_project = project.as_deref().map(Chain::of_project);
        let chains = [Some(Chain::of_user(&world.paths)), of_project];
        // Where a manifest cannot be read, other commands say so.
        let hooks = |chain: &Chain| chains::read(&world.paths, chain).ok().flatten();
        let hooks = chains.iter().flatten().filter_map(hooks).flat_map(|chain| chain.hooks);
        Ok(Self {
            world,
            session: session.id.as_str(),
            project: careful::project(&world.paths, project, &environment::current_directory()?),
            hooks: hooks.filter(|hook| hook.enabled).collect(),
            host: RealHost::new(&world.paths.session(&session.id.file_name()), WRITING),
            store,
        })
    }

    /// Asks for each hook that names a file; gives the answers.
    fn each<T>(
        &self,
        ask: impl Fn(&Hook, Place<'_>) -> io::Result<Option<T>>,
    ) -> Result<Vec<(&Hook, T)>> {
        let Self { session, project, host, store, .. } = self;
        let at = Place { session, project, host, store: *store };
        let mut all = Vec::new();
        for hook in &self.hooks {
            let found = ask(hook, at);
            let found = found.with_context(|| format!("the state that `{}` reads", hook.name))?;
            all.extend(found.map(|found| (hook, found)));
        }
        Ok(all)
    }

    fn put(&self, name: &str, text: Option<&str>) -> Result<ExitStatus> {
        let World { terminal, paths, .. } = self.world;
        let mut done: Vec<Put> = Vec::new();
        for (hook, put) in self.each(|hook, at| workflow::put(&hook.options, (name, text), at))? {
            if done.contains(&put) {
                continue;
            }
            let reads = || format!("warning: `{}` reads its state from", hook.name);
            match (&put, text) {
                (Put::Written(path), Some(text)) => {
                    terminal.line(format!("{name} is `{text}` in {}", paths.shown(path)));
                }
                (Put::Written(path), None) => {
                    terminal.line(format!("{name} is cleared in {}", paths.shown(path)));
                }
                (_, None) => {}
                (Put::Missing(path), _) => terminal.warn(format!(
                    "{} `{}`, which is not there; start the workflow first",
                    reads(),
                    paths.shown(path)
                )),
                (Put::Odd(path), _) => terminal.warn(format!(
                    "{} `{}`, which holds no JSON object with the state of this session",
                    reads(),
                    paths.shown(path)
                )),
            }
            done.push(put);
        }
        let is_written = done.iter().any(|put| matches!(put, Put::Written(_)));
        let is_lost = text.is_some() && !done.is_empty() && !is_written;
        Ok(if is_lost { ExitStatus::Found } else { ExitStatus::Done })
    }
}

/// Shows what the gates read: what a workflow's file has of a name counts for more than the session's text.
fn show(name: Option<&str>, json: bool, files: &Files<'_>) -> Result<ExitStatus> {
    let terminal = &files.world.terminal;
    let texts = files.store.plain_texts().context("the session's texts cannot be read")?;
    let mut all: BTreeMap<String, (String, Option<PathBuf>)> =
        texts.into_iter().map(|(name, text)| (name, (text, None))).collect();
    let names: Vec<String> =
        NAMES.iter().copied().chain(name).map(str::to_owned).chain(all.keys().cloned()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for (_, (path, values)) in files.each(|hook, at| workflow::values(&hook.options, &names, at))? {
        let of_file = |(name, text)| (name, (text, Some(path.clone())));
        all.extend(values.into_iter().map(of_file));
    }
    if let Some(name) = name {
        check(name)?;
        all.retain(|known, _| known == name);
    }
    let is_there = name.is_none() || !all.is_empty();
    match name {
        _ if json => {
            let texts: BTreeMap<_, _> = all.iter().map(|(name, (text, _))| (name, text)).collect();
            terminal.line(serde_json::to_string(&texts)?);
        }
        Some(_) => all.values().for_each(|(text, _)| terminal.line(text)),
        None if all.is_empty() => terminal.line("This session has no named texts."),
        None => {
            let width = all.keys().map(String::len).max().unwrap_or_default();
            for (name, (text, path)) in &all {
                let start = format!("{name:width$}  ");
                let of =
                    path.as_ref().map(|path| format!(" (in {})", files.world.paths.shown(path)));
                let text = text.replace('\n', "\\n") + &of.unwrap_or_default();
                terminal.print_row(&start, &text, width + 2);
            }
        }
    }
    Ok(if is_there { ExitStatus::Done } else { ExitStatus::Found })
}

fn flag(deed: FlagDeed, name: &str, ttl: Duration, store: &dyn Store) -> Result<ExitStatus> {
    let name = format!("shell {name}");
    let yes = match deed {
        FlagDeed::Set => store.raise(&name, ttl),
        FlagDeed::Take => store.take(&name),
        FlagDeed::Test => store.is_up(&name),
    };
    let yes = yes.context("the session's flags cannot be used")?;
    Ok(if yes { ExitStatus::Done } else { ExitStatus::Found })
}

fn counter(deed: CounterDeed, name: &str, store: &dyn Store, world: &World) -> Result<ExitStatus> {
    let name = format!("shell {name}");
    let by = match deed {
        CounterDeed::Incr => 1,
        CounterDeed::Decr => -1,
        CounterDeed::Get => 0,
        CounterDeed::Reset => i64::MIN,
    };
    let value = store.count(&name, by).context("the session's counter cannot be used")?;
    world.terminal.line(value.to_string());
    Ok(ExitStatus::Done)
}

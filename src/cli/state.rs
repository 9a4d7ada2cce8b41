//! `hookman state`: flags, marks, counters and named texts of a session, for shell scripts and for the
//! workflows that gates read.

use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::args::{CounterDeed, FlagDeed, State, StateCommand};
use super::exit::ExitStatus;
use super::which::{self, Session};
use crate::builtin::RealHost;
use crate::builtin::workflow::{self, Put};
use crate::machine::{World, environment};
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
        StateCommand::Show { name, json } => show(name.as_deref(), *json, &store, world),
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
            put_into_files(name, &text, &session, &store, world)
        }
        StateCommand::Clear { names } if names.is_empty() => {
            let all = store.plain_texts().context("the session's texts cannot be read")?;
            all.keys().try_for_each(|name| put(name, None, &store).map(|_| ()))?;
            Ok(ExitStatus::Done)
        }
        StateCommand::Clear { names } => {
            names.iter().try_for_each(|name| check(name))?;
            names.iter().try_for_each(|name| put(name, None, &store).map(|_| ()))?;
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

/// Writes a name into the state files of workflows that hooks of the session read.
fn put_into_files(
    name: &str,
    text: &str,
    session: &Session,
    store: &FileStore,
    world: &World,
) -> Result<ExitStatus> {
    let project = which::project(Some(session), world);
    let chains = [Some(Chain::of_user(&world.paths)), project.as_deref().map(Chain::of_project)];
    let here = environment::current_directory()?;
    let folder = careful::project(&world.paths, project.clone(), &here);
    let host = RealHost::new(&world.paths.session(&session.id.file_name()), WRITING);
    let mut done: Vec<Put> = Vec::new();
    for chain in chains.iter().flatten() {
        // Where a manifest cannot be read, other commands say so.
        let hooks = chains::read(&world.paths, chain).ok().flatten().unwrap_or_default().hooks;
        for hook in hooks.iter().filter(|hook| hook.enabled) {
            let place = (session.id.as_str(), folder.as_path());
            let put = workflow::put(&hook.options, (name, text), place, &host, store);
            let put = put.with_context(|| format!("the state that `{}` reads", hook.name))?;
            if put == Put::None || done.contains(&put) {
                continue;
            }
            match &put {
                Put::Written(path) => {
                    world.terminal.line(format!("{name} is `{text}` in {}", world.paths.shown(path)));
                }
                Put::Missing(path) => world.terminal.warn(format!(
                    "warning: `{}` reads its state from `{}`, which is not there; start the workflow first",
                    hook.name,
                    world.paths.shown(path)
                )),
                Put::None => {}
            }
            done.push(put);
        }
    }
    let is_missing = done.iter().any(|put| matches!(put, Put::Missing(_)));
    let is_written = done.iter().any(|put| matches!(put, Put::Written(_)));
    Ok(if is_missing && !is_written { ExitStatus::Found } else { ExitStatus::Done })
}

fn show(name: Option<&str>, json: bool, store: &FileStore, world: &World) -> Result<ExitStatus> {
    let mut texts = store.plain_texts().context("the session's texts cannot be read")?;
    if let Some(name) = name {
        check(name)?;
        texts.retain(|known, _| known == name);
    }
    let is_there = name.is_none() || !texts.is_empty();
    match name {
        _ if json => world.terminal.line(serde_json::to_string(&texts)?),
        Some(_) => texts.values().for_each(|text| world.terminal.line(text)),
        None if texts.is_empty() => world.terminal.line("This session has no named texts."),
        None => {
            let width = texts.keys().map(String::len).max().unwrap_or_default();
            for (name, text) in &texts {
                let start = format!("{name:width$}  ");
                world.terminal.print_row(&start, &text.replace('\n', "\\n"), width + 2);
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

//! `hookman state`: flags, marks and counters of a session, for hooks that are shell scripts.

use std::time::Duration;

use anyhow::{Context, Result};

use super::args::{CounterDeed, FlagDeed, State, StateCommand};
use super::which;
use super::{ExitStatus, World};
use crate::runtime::store::FileStore;
use crate::session::identity::safe_name;
use crate::session::period;
use crate::session::store::Store;

pub(super) fn state(args: &State, world: &World) -> Result<ExitStatus> {
    let session = which::session(&args.session, world)?;
    session.warn_of_guess(world);
    let folder = world.paths.session(&safe_name(&session.id)).join("flags");
    let store = FileStore::new(folder);
    match &args.command {
        StateCommand::Flag { deed, name, ttl } => {
            let seconds =
                period::seconds(ttl).filter(|seconds| *seconds > 0).with_context(|| {
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
    }
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

//! Hooks as the handlers that they would be without hookman.

use anyhow::{Result, bail};
use serde_json::Map;

use crate::adoption::Rebuilt;
use crate::client::event::Event;
use crate::manifest::{Action, Hook, OnError, seconds};

/// A hook as the handlers it would be without hookman, one for each of its events.
pub(crate) fn as_handlers(hook: &Hook) -> Result<Vec<Rebuilt>> {
    let mut handler = Map::new();
    handler.insert("type".to_owned(), "command".into());
    match &hook.action {
        Action::Builtin { name, .. } => bail!("`{name}` is hookman's own and cannot be released"),
        Action::Passed(_) => bail!(
            "`{}` is run by the client already; take it out of the manifest and run `hookman apply`",
            hook.name
        ),
        Action::Command(line) => {
            handler.insert("command".to_owned(), line.clone().into());
        }
        Action::Argv(words) => {
            let (program, arguments) = words.split_first().unzip();
            handler.insert("command".to_owned(), program.cloned().unwrap_or_default().into());
            handler.insert("args".to_owned(), arguments.unwrap_or_default().to_vec().into());
        }
    }
    let rebuilt = |event: &Event| {
        let mut handler = handler.clone();
        if hook.timeout_ms != event.facts().timeout_ms {
            handler.insert("timeout".to_owned(), seconds(hook.timeout_ms));
        }
        if hook.on_error == OnError::Closed {
            handler.insert("onFailure".to_owned(), "block".into());
        }
        handler.extend(hook.manner.handler_keys());
        let (event, matcher) = (event.name().to_owned(), hook.matcher.clone());
        Rebuilt { event, matcher, handler: handler.into() }
    };
    Ok(hook.events.iter().map(rebuilt).collect())
}

//! Switching by a prompt: the answer comes back at once, and the model is not called.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::switchable;
use super::switching::{self, Scene};
use crate::client::event::Event;
use crate::client::payload::Payload;
use crate::machine::paths::Paths;
use crate::machine::{clients, environment};
use crate::session::request::{self, Request, Verb};

/// What only the events of prompts have.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Typed<'a> {
    #[serde(borrow)]
    command_args: Cow<'a, str>,
    #[serde(borrow)]
    prompt: Cow<'a, str>,
}

/// The answer to a typed switch; `None` where the prompt is none, so that it goes its way.
///
/// A slash command is always answered. A plain prompt such as `hookman disable one` is only taken
/// where it names a hook, because everything else may be meant for the model.
pub(super) fn answer(
    paths: &Paths,
    event: Event,
    payload: &Payload<'_>,
    text: &str,
) -> Option<String> {
    let typed = || serde_json::from_str::<Typed<'_>>(text).ok();
    match event {
        Event::UserPromptExpansion => {
            let verb = Verb::from_name(payload.command_name.strip_prefix("hook:")?)?;
            let call = format!("/hook:{}", verb.name());
            let (Ok(text) | Err(text)) = reply(paths, payload, verb, &typed()?.command_args, &call);
            Some(text)
        }
        Event::UserPromptSubmit => {
            let typed = typed()?;
            let (verb, words) = request::in_prompt(&typed.prompt)?;
            reply(paths, payload, verb, words, &format!("hookman {}", verb.name())).ok()
        }
        _ => None,
    }
}

fn reply(
    paths: &Paths,
    payload: &Payload<'_>,
    verb: Verb,
    words: &str,
    call: &str,
) -> Result<String, String> {
    let project = environment::raw("CLAUDE_PROJECT_DIR")
        .map(PathBuf::from)
        .or_else(|| switching::project_around(Path::new(&*payload.cwd)));
    let scene = Scene {
        paths,
        session: &payload.session_id,
        directory: &payload.cwd,
        person: clients::is_called_by_client(&paths.config),
        profile: None,
        prompt: &payload.prompt_id,
    };
    let done = || -> Result<String, String> {
        if verb == Verb::Status {
            return super::status::report(&scene, project.as_deref())
                .map_err(|error| format!("{error:#}"));
        }
        let request = Request::parse(words)?;
        let (hooks, _) = switchable::switchable(paths, project.as_deref())
            .map_err(|problems| problems.to_string())?;
        let hooks = switchable::choose(&hooks, &request, call).map_err(|told| told.text)?;
        switching::perform(&scene, verb, &hooks, &request)
            .map(|reply| reply.text)
            .map_err(|error| format!("{error:#}"))
    };
    done()
}

//! Switching by a prompt: the answer comes back at once, and the model is not called.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::switching::{self, Scene};
use super::{commands, profiles, switchable};
use crate::client::event::Event;
use crate::client::payload::Payload;
use crate::machine::paths::Paths;
use crate::machine::{clients, environment};
use crate::session::request::{self, Command, Request, Term, Verb};

/// What only the events of prompts have.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Typed<'a> {
    #[serde(borrow)]
    command_args: Cow<'a, str>,
    #[serde(borrow)]
    command_source: Cow<'a, str>,
    #[serde(borrow)]
    prompt: Cow<'a, str>,
}

/// The answer to a typed switch; `None` where the prompt is none, so that it goes its way.
///
/// A slash command is answered where its file is hookman's. A plain prompt such as `hookman disable one` is only taken
/// where it cannot well be meant for the model, as [`request::in_prompt`] says.
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
            let typed = typed()?;
            if !commands::is_ours(paths, verb, &typed.command_source) {
                return None;
            }
            let words = &typed.command_args;
            let (Ok(text) | Err(text)) = reply(paths, payload, Command::Switch(verb), words, &call);
            Some(text)
        }
        Event::UserPromptSubmit => {
            let typed = typed()?;
            let prompt = request::in_prompt(&typed.prompt)?;
            let call = match prompt.command {
                Command::Switch(verb) => format!("hookman {}", verb.name()),
                Command::Profile => String::new(),
            };
            match reply(paths, payload, prompt.command, prompt.words, &call) {
                Ok(text) => Some(text),
                Err(text) => prompt.is_sure.then_some(text),
            }
        }
        _ => None,
    }
}

fn reply(
    paths: &Paths,
    payload: &Payload<'_>,
    command: Command,
    words: &str,
    call: &str,
) -> Result<String, String> {
    let project = environment::raw("CLAUDE_PROJECT_DIR")
        .map(PathBuf::from)
        .or_else(|| switching::project_around(Path::new(&*payload.cwd)));
    let project = project.as_deref();
    let scene = Scene {
        paths,
        session: &payload.session_id,
        directory: &payload.cwd,
        person: clients::is_called_by_client(&paths.config),
        profile: None,
        prompt: &payload.prompt_id,
        is_run: true,
    };
    let named = |reply: switching::Reply| {
        format!("{}\nSession: {}", reply.text, scene.session.escape_debug())
    };
    let said = |error: anyhow::Error| format!("{error:#}");
    let hooks = || switchable::switchable(paths, project).map_err(|wrong| wrong.to_string());
    match command {
        Command::Switch(Verb::Status) => super::status::report(&scene, project).map_err(said),
        Command::Switch(verb) => {
            let request = Request::parse(words)?.of(command)?;
            let (mut hooks, wrong) = hooks()?;
            if verb == Verb::Enable {
                switchable::add_switched(&mut hooks, paths, scene.session).map_err(said)?;
            }
            let hooks = switchable::choose(&hooks, &request, call).map_err(|told| told.text);
            let hooks = hooks.map_err(|text| with(&wrong, text))?;
            let reply = switching::perform(&scene, verb, &hooks, &request).map_err(said)?;
            Ok(with(&wrong, named(reply)))
        }
        Command::Profile => {
            let (is_off, words) = without_off(words);
            let request = Request::parse(&words)?.of(command)?;
            let name = match request.hooks.as_slice() {
                [] => None,
                [name] => Some(name.as_str()),
                _ => return Err("one profile at a time".to_owned()),
            };
            if is_off && request.term != Term::Session {
                return Err("--off takes no --for, --until or --turn".to_owned());
            }
            if is_off {
                return profiles::end(&scene, name).map(named).map_err(said);
            }
            let known = profiles::profiles(paths, project).map_err(|wrong| wrong.to_string());
            let (known, wrong) = known?;
            let Some(name) = name else { return Ok(with(&wrong, profiles::listed(&known))) };
            let chosen = profiles::choose(&known, &hooks()?.0, name);
            let chosen = chosen.map_err(|text| with(&wrong, text))?;
            let reply = profiles::disable(&scene, &chosen, &request.term).map_err(said)?;
            Ok(with(&wrong, named(reply)))
        }
    }
}

/// A text after what is wrong with the manifests.
fn with(wrong: &[String], text: String) -> String {
    wrong.iter().cloned().chain([text]).collect::<Vec<_>>().join("\n")
}

/// The words without `--off`, and whether that was among them.
fn without_off(words: &str) -> (bool, String) {
    let (off, rest): (Vec<&str>, Vec<&str>) =
        words.split_whitespace().partition(|word| *word == "--off");
    (!off.is_empty(), rest.join(" "))
}

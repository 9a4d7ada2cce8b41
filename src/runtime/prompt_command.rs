//! Switching by a prompt: the answer comes back at once, and the model is not called.

use std::path::{Path, PathBuf};

use anyhow::{Error, Result, bail};

use crate::client::{Event, Payload};
use crate::machine::{Paths, clients, environment};
use crate::session::request::{self, Command, Request, Term};
use crate::session::{Careful, SessionId, Verb};
use crate::state::careful::{self, Place};
use crate::state::{
    Reply, Scene, chains, configured, profiles, sessions, slash_commands, switchable, switching,
};

/// The answer to a typed switch; `None` for any other prompt. A slash command is answered if its file is
/// hookman's, a plain prompt if [`request::in_prompt`] knows it.
pub(super) fn answer(paths: &Paths, event: Event, payload: &Payload<'_>) -> Option<String> {
    match event {
        Event::UserPromptExpansion => {
            let name = payload.command_name.strip_prefix("hook:")?;
            let command = match name {
                "careful" => Command::Careful,
                name => Command::Switch(Verb::from_name(name)?),
            };
            let call = format!("/hook:{name}");
            if !slash_commands::is_ours(paths, name, &payload.command_source) {
                return None;
            }
            let words = &payload.command_args;
            let reply = reply(paths, payload, command, words, &call);
            Some(reply.unwrap_or_else(|error| format!("{error:#}")))
        }
        Event::UserPromptSubmit => {
            let prompt = request::in_prompt(&payload.prompt)?;
            let call = match prompt.command {
                Command::Switch(verb) => format!("hookman {}", verb.name()),
                Command::Profile | Command::Careful => String::new(),
            };
            match reply(paths, payload, prompt.command, prompt.words, &call) {
                Ok(text) => Some(text),
                Err(error) => prompt.is_sure.then(|| format!("{error:#}")),
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
) -> Result<String> {
    let project = environment::raw("CLAUDE_PROJECT_DIR")
        .map(PathBuf::from)
        .or_else(|| chains::project_around(Path::new(&*payload.cwd)));
    let project = project.as_deref();
    let scene = Scene {
        paths,
        session: SessionId::new(&*payload.session_id),
        directory: &payload.cwd,
        // In a namespace of its own an agent can run a client that types what it is given.
        person: is_typed(payload)
            && clients::is_called_by_client(&paths.config)
            && !clients::is_walled_off(),
        profile: None,
        prompt: payload.turn(),
        is_run: true,
    };
    let named = |reply: Reply| format!("{}\nSession: {}", reply.text, scene.session);
    let hooks = || switchable::switchable(paths, project);
    match command {
        Command::Switch(Verb::Status) => crate::state::status::report(&scene, project),
        Command::Switch(verb) => {
            let request = Request::parse(words)?.of(command)?;
            let (mut hooks, wrong) = hooks()?;
            if verb == Verb::Enable {
                switchable::add_switched(&mut hooks, paths, &scene.session)?;
            }
            let hooks = switchable::choose(&hooks, &request, call);
            let hooks = hooks.map_err(|told| Error::msg(with(&wrong, told.text)))?;
            let mut reply = switching::perform(&scene, verb, &hooks, &request)?;
            if let Some(host) = sessions::host(paths, &scene.session)
                && !request.is_several()
            {
                configured::add_never_run(paths, project, host, verb, &mut reply);
            }
            Ok(with(&wrong, named(reply)))
        }
        Command::Careful => {
            let wish = Careful::parse(words, None)?;
            careful::perform(&Place::of(&scene, project), &wish, false).map(|answer| answer.text)
        }
        Command::Profile => {
            let (is_off, words) = without_off(words);
            let request = Request::parse(&words)?.of(command)?;
            let name = match request.hooks.as_slice() {
                [] => None,
                [name] => Some(name.as_str()),
                _ => bail!("one profile at a time"),
            };
            if is_off && request.term != Term::Session {
                bail!("--off takes no --for, --until or --turn");
            }
            if is_off {
                // A manifest that cannot be read keeps no profile from its end.
                let known = hooks().map(|(hooks, _)| hooks).unwrap_or_default();
                return profiles::end(&scene, name, &known).map(named);
            }
            let (known, wrong) = profiles::profiles(paths, project)?;
            let Some(name) = name else { return Ok(with(&wrong, profiles::listed(&known))) };
            let chosen = profiles::choose(&known, &hooks()?.0, name);
            let chosen = chosen.map_err(|error| Error::msg(with(&wrong, error.to_string())))?;
            let reply = profiles::disable(&scene, &chosen, &request.term)?;
            Ok(with(&wrong, named(reply)))
        }
    }
}

/// Returns whether the client's payload proves that a person typed the prompt. A prompt that the model
/// scheduled reaches `UserPromptSubmit` too, but only a typed command reaches `UserPromptExpansion`
/// (2.1.329). The `source` that tells them apart need not be there.
fn is_typed(payload: &Payload<'_>) -> bool {
    !payload.command_name.is_empty() || payload.source == "user"
}

fn with(wrong: &[String], text: String) -> String {
    wrong.iter().cloned().chain([text]).collect::<Vec<_>>().join("\n")
}

fn without_off(words: &str) -> (bool, String) {
    let (off, rest): (Vec<&str>, Vec<&str>) =
        words.split_whitespace().partition(|word| *word == "--off");
    (!off.is_empty(), rest.join(" "))
}

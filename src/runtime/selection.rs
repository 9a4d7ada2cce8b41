//! The steps of a chain that run after their conditions and the switches.

use super::call::Call;
use super::pins::{self, tell_once};
use super::steps::{self, Candidate};
use super::{gates, overrides};
use crate::chain::Step;
use crate::client::Payload;
use crate::machine::{Paths, clock};
use crate::manifest::OnError;
use crate::session::switches::Moment;
use crate::session::{Store, Switches};
use crate::state::Scene;
use crate::state::journal::Entry;
use crate::state::session_switches::{self, SwitchesFile};

/// Drops the steps that are switched off or whose conditions will not be met; gives what to tell the user.
pub(super) fn select<'p>(
    steps: Vec<Step<'p>>,
    call: &Call<'_>,
    payload: &Payload<'_>,
    store: &dyn Store,
    entry: &mut Entry<'_>,
) -> (Vec<Candidate<'p>>, Option<String>) {
    let mut chosen: Vec<Candidate<'p>> = Vec::with_capacity(steps.len());
    for step in steps {
        match steps::unmet(&step, payload, entry) {
            // What an earlier step makes of the input may meet them; of a gate, what any step makes.
            Some(unmet)
                if (!chosen.is_empty() || step.on_error == OnError::Closed)
                    && steps::may_change(call.event, unmet) =>
            {
                chosen.push(Candidate { step, unmet: Some(unmet) });
            }
            Some(unmet) => steps::skip(&step, unmet, entry),
            None => chosen.push(Candidate { step, unmet: None }),
        }
    }
    if chosen.iter().all(|candidate| candidate.unmet.is_some()) {
        for Candidate { step, unmet } in chosen.drain(..) {
            if let Some(unmet) = unmet {
                steps::skip(&step, unmet, entry);
            }
        }
        return (chosen, None);
    }
    let (prompt, agent) = (&**payload.turn(), &*payload.agent_type);
    let moment = Moment { prompt, agent, ..Moment::default() };
    // Nobody but the administrator switches the hooks of an administrator.
    let (switches, unread) = if call.chain.is_managed() {
        (None, None)
    } else {
        switches_of(call.paths, payload, moment, store, entry)
    };
    let why_not = |step: &Step<'_>, scope: &str| {
        if call.overrides.skips(step.name) {
            return Some(overrides::SKIP.to_owned());
        }
        let (switches, now) = switches.as_ref()?;
        let moment = Moment { now: *now, user_only: step.user_only, ..moment };
        let off = switches.off(scope, step.name, moment)?;
        let profile = off.profile.as_ref().map(|it| format!(", by the profile {it}"));
        Some(format!("a switch since {}{}", off.since, profile.unwrap_or_default()))
    };
    chosen.retain(|Candidate { step, unmet }| {
        let why = why_not(step, &entry.scope);
        let stays = why.is_none();
        match (why, unmet) {
            (Some(why), None) => entry.skipped(step, "off", why),
            (Some(_), Some(unmet)) => steps::skip(step, *unmet, entry),
            (None, _) => {}
        }
        stays
    });
    let decides = chosen.iter().filter(|candidate| candidate.step.observe.is_none());
    let strictest = decides.map(|candidate| candidate.step.on_error).max();
    gates::chosen(strictest.unwrap_or_default());
    (chosen, unread)
}

/// A session's switches and the time, where there are any. A file that cannot be used switches
/// nothing, so what is on stays on; a damaged one is set aside, and the user is told once.
fn switches_of(
    paths: &Paths,
    payload: &Payload<'_>,
    moment: Moment<'_>,
    store: &dyn Store,
    entry: &mut Entry<'_>,
) -> (Option<(Switches, i64)>, Option<String>) {
    let scene = Scene::of_run(paths, payload);
    let path = session_switches::switches_file(paths, &scene.session);
    match session_switches::read(&path) {
        Ok(SwitchesFile::Nothing) => (None, None),
        Ok(SwitchesFile::Switches(mut switches)) => {
            if switches.awaits_turn(moment.prompt) {
                let tied = session_switches::change_soon(&scene, |switches| {
                    switches.begin_turn(moment.prompt);
                    true
                });
                match tied {
                    Ok(_) => switches.begin_turn(moment.prompt),
                    // It would hold in every turn to come.
                    Err(error) => {
                        entry.note(format!("a switch for one turn does not hold: {error:#}"));
                        switches.drop_untied(moment.prompt);
                    }
                }
            }
            (Some((switches, clock::unix_seconds())), None)
        }
        Ok(SwitchesFile::Damaged(error)) => {
            entry.note(format!("the switches were not read: {error}"));
            let aside = session_switches::change_soon(&scene, |_| false);
            let aside = aside.ok().and_then(|changed| changed.aside);
            (None, aside.map(|aside| format!("the {aside}")))
        }
        Err(error) => {
            entry.note(format!("the switches were not read: {error}"));
            let message = format!(
                "the session's switches do not hold, because they cannot be trusted: {}: {error}",
                paths.shown(&path)
            );
            (None, tell_once(store, pins::SWITCHES).then_some(message))
        }
    }
}

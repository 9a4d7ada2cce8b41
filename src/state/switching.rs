//! Switching hooks in a session: what the commands and typed prompts have in common.

use anyhow::{Result, bail};

use super::chains::MANAGED;
use super::reply::{Done, scope};
use super::session_switches::{Now, change};
use super::switchable::Declaration;
use super::{Reply, Scene, Switchable};
use crate::machine::clock;
use crate::session::request::{self, Request, Term};
use crate::session::switches::{Moment, Off, SCOPES, TURN_WITHOUT_PROMPT, label};
use crate::session::{Switches, Verb};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Deed {
    Refused,
    Changed,
    Nothing,
}

struct Handled {
    deed: Deed,
    /// For how long the hook stays off for everyone, in words.
    left: Option<String>,
    /// For how long something other than the profile has it off, in words.
    otherwise: Option<String>,
}

fn result(verb: Verb, deed: Deed) -> &'static str {
    match (verb, deed) {
        (_, Deed::Refused) => "refused",
        (Verb::Disable, Deed::Changed) => "disabled",
        (Verb::Disable, Deed::Nothing) => "already-disabled",
        (_, Deed::Changed) => "enabled",
        (_, Deed::Nothing) => "not-disabled",
    }
}

pub fn perform(
    scene: &Scene<'_>,
    verb: Verb,
    hooks: &[Switchable],
    request: &Request,
) -> Result<Reply> {
    perform_at(scene, &scene.moment(), verb, hooks, request)
}

/// As [`perform`], at one moment for several that belong together.
pub(crate) fn perform_at(
    scene: &Scene<'_>,
    now: &Now,
    verb: Verb,
    hooks: &[Switchable],
    request: &Request,
) -> Result<Reply> {
    let sample = off_of(scene, request, now)?;
    let mut done = Vec::with_capacity(hooks.len());
    let changed = change(scene, |switches| {
        for hook in hooks {
            let fenced = hook.is_managed() || hook.is_user_only() && !scene.person;
            let refused = verb == Verb::Disable && (fenced || hook.passed().is_some());
            let agent = request.agent.as_deref();
            let deed = match verb {
                _ if refused => Deed::Refused,
                Verb::Disable if switches.disable(off(hook, &sample), now.at()) => Deed::Changed,
                Verb::Disable => Deed::Nothing,
                _ if switches.enable(hook.scope, &hook.name, agent, now.at()) => Deed::Changed,
                _ => Deed::Nothing,
            };
            let left = match agent {
                Some(_) if verb == Verb::Enable => off_for_all(switches, hook, now.at()),
                _ => None,
            };
            let at = Moment { user_only: hook.is_user_only(), ..now.at() };
            let is_layered = deed == Deed::Changed && scene.profile.is_some();
            let otherwise =
                is_layered.then(|| off_otherwise(switches, &off(hook, &sample), at)).flatten();
            done.push(Handled { deed, left, otherwise });
        }
        done.iter().any(|it| it.deed == Deed::Changed)
    })?;
    let scope = scope(&sample);
    let mut lines =
        changed.aside.iter().map(|aside| format!("The {aside}")).collect::<Vec<String>>();
    let mut results = Vec::with_capacity(hooks.len());
    let mut stays_off = false;
    let mark = if verb == Verb::Enable { "⚠ " } else { "" };
    for (hook, Handled { deed, left, otherwise }) in hooks.iter().zip(&done) {
        lines.push(sentence(verb, hook, *deed, &scope));
        results.push(Done::of(off(hook, &sample), result(verb, *deed)));
        lines.extend(left.as_ref().map(|left| {
            let name = hook.label();
            format!(
                "⚠ It stays off {left}, for everyone; `enable {name}` without --agent ends that"
            )
        }));
        let apart = |it: &String| format!("{mark}Apart from the profile it is off {it}");
        lines.extend(otherwise.as_ref().map(apart));
        stays_off |= left.is_some() || otherwise.is_some();
        let is_held = |place: &Declaration| place.scope == MANAGED;
        if *deed == Deed::Changed && verb == Verb::Disable && hook.places.iter().any(is_held) {
            lines.push("An administrator's hook of that name stays on".to_owned());
        } else if *deed == Deed::Changed && hook.places.len() > 1 {
            let [one, other] = SCOPES.map(|scope| label(Some(scope), &hook.name));
            lines.push(format!("It is in both chains; `{one}` and `{other}` switch them apart"));
        }
        let kept = kept_off(verb, hook);
        stays_off |= !kept.is_empty() && kept.len() == hook.places.len();
        lines.extend(kept);
    }
    Ok(Reply {
        text: lines.join("\n"),
        changed: changed.written,
        failed: done.iter().any(|it| it.deed == Deed::Refused),
        stays_off: stays_off && verb == Verb::Enable,
        hooks: results,
    })
}

/// Says of each place where a hook is off for good how it is switched on.
pub(super) fn kept_off(verb: Verb, hook: &Switchable) -> Vec<String> {
    let mark = if verb == Verb::Enable { "⚠ " } else { "" };
    let kept = hook.places.iter().filter_map(|place| off_for_good(verb, hook, place));
    kept.map(|line| format!("{mark}{line}")).collect()
}

/// Explains that no switch of a session changes it, and what does.
fn off_for_good(verb: Verb, hook: &Switchable, place: &Declaration) -> Option<String> {
    let at = place.off_at.as_ref()?;
    let told = format!("It is off for good: enabled = false at {at}");
    let (name, is_local) = (&hook.name, at.contains("hookman.local.toml:"));
    Some(match (verb, place.scope) {
        (Verb::Enable, "project") if is_local => format!("{told}; take that out to switch it on"),
        (Verb::Enable, "project") => {
            format!("{told}; `hookman enable {name} --permanent --project` switches it on")
        }
        (Verb::Enable, _) => format!("{told}; `hookman enable {name} --permanent` switches it on"),
        _ => told,
    })
}

/// Tells how long a switch for everyone has a hook off, in words, where there is one.
fn off_for_all(switches: &Switches, hook: &Switchable, moment: Moment<'_>) -> Option<String> {
    let moment = Moment { user_only: hook.is_user_only(), ..moment };
    let mut places = hook.places.iter();
    places.find_map(|place| switches.off(place.scope, &hook.name, moment)).map(scope)
}

/// Names what else than the profile of `own` has a hook off for everyone, and for how long.
fn off_otherwise(switches: &Switches, own: &Off, moment: Moment<'_>) -> Option<String> {
    let mut others = switches.current(moment).filter(|off| {
        off.overlaps(own)
            && off.hook == own.hook
            && off.agent.is_none()
            && off.profile != own.profile
    });
    let other = others.next()?;
    let by =
        other.profile.as_ref().map_or("by hand".to_owned(), |it| format!("by the profile {it}"));
    Some(format!("{}, {by}", scope(other)))
}

fn off(hook: &Switchable, sample: &Off) -> Off {
    Off { hook: hook.name.clone(), scope: hook.scope.map(str::to_owned), ..sample.clone() }
}

fn sentence(verb: Verb, hook: &Switchable, deed: Deed, scope: &str) -> String {
    let name = &hook.label();
    if let (Deed::Refused, Some(handler)) = (deed, hook.passed()) {
        return format!(
            "✋ Hook '{name}' is of type {handler}: the client runs it, so hookman cannot mute it \
             for a session. `hookman disable {name} --permanent` and `hookman apply` take it out"
        );
    }
    match (verb, deed) {
        (_, Deed::Refused) if hook.is_managed() => format!(
            "✋ Hook '{name}' is an administrator's, who alone switches it: with `enabled = false` in \
             the managed manifest"
        ),
        (_, Deed::Refused) => format!(
            "✋ Hook '{name}' can be switched off only by the user: by typing \
             `/hook:disable {name}` in Claude Code, or in another terminal"
        ),
        (Verb::Disable, Deed::Changed) => format!("🔒 Disabled {name} {scope}"),
        (Verb::Disable, Deed::Nothing) => format!("⚠️ Hook '{name}' is already disabled {scope}"),
        (_, Deed::Changed) => format!("✅ Re-enabled {name} {scope}"),
        (_, Deed::Nothing) => format!("ℹ️ Hook '{name}' is not currently disabled {scope}"),
    }
}

/// The second since 1970 at which a term ends; nothing for one that ends with the turn or session.
pub fn end_of(term: &Term, now: i64) -> Result<Option<i64>> {
    match term {
        Term::Session | Term::Turn => Ok(None),
        Term::For(text) => match request::seconds(text).filter(|seconds| *seconds > 0) {
            Some(seconds) => Ok(Some(now.saturating_add_unsigned(seconds))),
            None => bail!("--for takes a time such as 90s, 30m, 2h or 1d, not `{text}`"),
        },
        Term::Until(text) => match clock::next(text) {
            Some(until) if until > now => Ok(Some(until)),
            Some(_) => bail!("--until takes a time to come, and `{text}` has passed"),
            None => {
                bail!("--until takes a time such as 18:00 or 2026-01-31T18:00:00Z, not `{text}`")
            }
        },
    }
}

fn off_of(scene: &Scene<'_>, request: &Request, moment: &Now) -> Result<Off> {
    let Moment { now, prompt, .. } = moment.at();
    let (until, turn) = match &request.term {
        Term::Turn => {
            let end = now.saturating_add(TURN_WITHOUT_PROMPT);
            (prompt.is_empty().then_some(end), Some(String::new()))
        }
        term => (end_of(term, now)?, None),
    };
    Ok(Off {
        hook: String::new(),
        scope: None,
        since: clock::stamp(),
        until,
        typed_as: turn.as_ref().filter(|_| scene.is_run).map(|_| scene.prompt.to_owned()),
        turn,
        agent: request.agent.clone(),
        profile: scene.profile.map(str::to_owned),
        person: scene.person,
    })
}

//! Compiling manifests to a plan.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use super::{
    ADOPTED, ALWAYS, BACKGROUND, BUDGET, Header, IN_PROJECT, LATE, LENGTH, OBSERVE, PATH, SUM,
    Source, UNEXPLAINED, USER_ONLY, sum,
};
use crate::chain::condition::Condition;
use crate::chain::entries::Entries;
use crate::chain::{Budget, relative};
use crate::client::Event;
use crate::manifest::{Action, Hook, Observe};

/// True if the client began only lately to call a hook by its own entry on an event.
pub type Lately<'a> = &'a dyn Fn(&Hook, Event) -> bool;

/// Writes the plan of a chain: a line for each event of each enabled hook, with its column about pins. A
/// hook with an entry of its own runs apart once the client calls it by that, and not only `lately`.
pub fn render(
    build: &str,
    sources: &[Source<'_>],
    (hooks, pins): (&[Hook], &[String]),
    entries: &Entries,
    lately: Lately<'_>,
) -> serde_json::Result<String> {
    let mut lines = String::new();
    let (mut store, mut late) = (Store::default(), Store::default());
    let manifest = sources.first().map_or("", |source| &source.path);
    let directory = Path::new(manifest).parent().unwrap_or(Path::new(""));
    let runs = |(_, hook): &(usize, &Hook)| hook.enabled && hook.passed().is_none();
    for (index, hook) in hooks.iter().enumerate().filter(runs) {
        let (kind, data, late_data) = data(hook, directory)?;
        let matcher = match hook.matcher.as_deref() {
            None => String::new(),
            Some(matcher) if matcher.starts_with('"') || matcher.contains(['\t', '\n', '\r']) => {
                serde_json::to_string(matcher)?
            }
            Some(matcher) => matcher.to_owned(),
        };
        let timeout = hook.timeout_ms.to_string();
        let mut place = store.place(&data);
        if let Some(data) = late_data {
            let _ = write!(place, " {} {:x}", late.place(&data), sum(&data));
        }
        let manner = manner(hook, directory, &mut store)?;
        let on_error = hook.on_error.name();
        let mark = if hook.audience.user_only { USER_ONLY } else { "" };
        let conditions = match Condition::of(hook) {
            Some(condition) => store.place(&serde_json::to_string(&condition)?),
            None => String::new(),
        };
        let pin = pins.get(index).filter(|pin| !pin.is_empty()).map(|pin| store.place(pin));
        let own = hook.manner.own_entry().is_some();
        for event in &hook.events {
            // What runs in the background is no gate, and no call should wait for it.
            let apart = own
                && (hook.manner.background || entries.call(hook, *event) && !lately(hook, *event));
            let callers = if apart {
                vec![format!("{event}:{}", hook.name)]
            } else {
                let stand_in = entries.stand_in(*event, hooks);
                let stand_in = stand_in.map(|name| format!("{event}:{name}"));
                [event.name().to_owned()].into_iter().chain(stand_in).collect()
            };
            for caller in callers {
                let columns = [
                    &*caller, &matcher, &hook.name, on_error, &timeout, &manner, kind, &place, mark,
                ];
                let mut line = columns.join("\t");
                if !conditions.is_empty() || pin.is_some() {
                    line.extend(["\t", &conditions]);
                }
                if let Some(pin) = &pin {
                    line.extend(["\t", pin]);
                }
                let _ = writeln!(lines, "{} {line}", line.len());
            }
        }
    }
    let header = Header { build: build.into(), sources: sources.to_vec() };
    let header = serde_json::to_string(&header)?;
    let length = lines.len();
    let text = format!("{length:0width$x} {header}\n{lines}\n{}", store.text, width = LENGTH - 1);
    let head = format!("{:0width$x} {text}", SUM + LENGTH + text.len(), width = LENGTH - 1);
    Ok(format!("{:0width$x} {head}{}", sum(&head), late.text, width = SUM - 1))
}

/// The kind of a hook, what it runs, and what of that it seldom asks for; what the manifest names relative to
/// itself is whole.
fn data<'h>(
    hook: &'h Hook,
    directory: &Path,
) -> serde_json::Result<(&'h str, String, Option<String>)> {
    // An adopted hook goes on as it ran under the client, which resolves nothing.
    let resolve = !is_foreign(hook);
    let directory = hook.package.as_ref().map_or(directory, |it| Path::new(&*it.root));
    let (kind, data) = match &hook.action {
        Action::Builtin { kind, .. } => {
            let mut options = (*hook.options).clone();
            let late = options.shift_remove(LATE);
            let late = late.map(|late| serde_json::to_string(&late)).transpose()?;
            return Ok((kind.as_str(), serde_json::to_string(&options)?, late));
        }
        Action::Command(line) => {
            let whole = resolve.then(|| relative::line(line, directory)).flatten();
            let whole = hook
                .package
                .as_ref()
                .map(|package| relative::in_package(package, whole.as_ref().unwrap_or(line)))
                .or(whole);
            ("command", serde_json::to_string(whole.as_ref().unwrap_or(line))?)
        }
        Action::Argv(words) => {
            let mut words = words.clone();
            if let Some(program) = words.first_mut().filter(|_| resolve)
                && let Some(whole) = relative::program(program, directory)
            {
                *program = whole;
            }
            if let Some(package) = &hook.package {
                words = relative::words_in_package(package, words);
            }
            ("argv", serde_json::to_string(&words)?)
        }
        // The client runs it, and no plan has a step for it.
        Action::Passed(_) => ("", String::new()),
    };
    Ok((kind, data, None))
}

/// Returns whether a command was written for the client itself.
fn is_foreign(hook: &Hook) -> bool {
    hook.manner.adopted || hook.package.as_ref().is_some_and(|package| package.foreign)
}

/// Writes the manner of a hook: first whether it runs with others, then all that is not usual.
fn manner(hook: &Hook, directory: &Path, store: &mut Store) -> serde_json::Result<String> {
    let mut words = if hook.manner.parallel { "parallel" } else { "alone" }.to_owned();
    if hook.manner.always {
        words.push_str(ALWAYS);
    }
    if hook.manner.background {
        words.push_str(BACKGROUND);
    }
    if hook.manner.unexplained {
        words.push_str(UNEXPLAINED);
    }
    match &hook.manner.observe {
        Observe::Never => {}
        Observe::Always => words.push_str(OBSERVE),
        Observe::Until(day) => words.extend([OBSERVE, ":", day]),
    }
    let budget = hook.manner.budget.map(|limits| Budget {
        call: limits.call,
        session: limits.session,
        priority: hook.manner.context_priority,
    });
    let budget = budget.map(|budget| format!("{BUDGET}{}", budget.write())).unwrap_or_default();
    if matches!(hook.action, Action::Builtin { .. }) {
        return Ok(words + &budget);
    }
    if hook.surroundings.in_project {
        words.push_str(IN_PROJECT);
    }
    if is_foreign(hook) {
        words.push_str(ADOPTED);
    }
    words.push_str(&budget);
    if !hook.surroundings.path.is_empty() {
        let directory = hook.package.as_ref().map_or(directory, |it| Path::new(&*it.root));
        let path = hook.surroundings.path.iter().map(|it| relative::directory(it, directory));
        let path = serde_json::to_string(&path.collect::<Vec<_>>())?;
        words.push_str(PATH);
        words.push_str(&store.place(&path));
    }
    Ok(words)
}

/// The texts that the steps run, each once.
#[derive(Default)]
struct Store {
    text: String,
    places: BTreeMap<String, String>,
}

impl Store {
    /// Gives the offset and length of `data` in bytes, and adds it if it is new.
    fn place(&mut self, data: &str) -> String {
        if let Some(place) = self.places.get(data) {
            return place.clone();
        }
        let place = format!("{} {}", self.text.len(), data.len());
        self.text.push_str(data);
        self.places.insert(data.to_owned(), place.clone());
        place
    }
}

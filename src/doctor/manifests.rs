//! Can the manifests be read, is hookman registered for exactly what they ask, and does what is adopted
//! run once?

use std::collections::{BTreeMap, HashSet};
use std::fmt::Display;

use super::check::{Check, Findings, Mend};
use super::facts::{ChainFacts, Facts};
use super::settings_file::SettingsFile;
use crate::adoption::{Adopted, Adoption, Declared, Rebuilt};
use crate::chain::plan::Header;
use crate::client::call::run_words;
use crate::client::host::CLAUDE;
use crate::install::registration::causes::too_long;
use crate::install::registration::entries::{declared, demands_on_settings, own_hooks};
use crate::install::target::binary::program;
use crate::machine::{clock, files};
use crate::manifest::{Observe, OnError, Origin};
use crate::settings::wanted::{self, Caller, PROJECT, beyond, for_switches, wanted};
use crate::settings::{Action, Change, Record, plan};
use crate::state::chains::{self, MANAGED};
use crate::state::{Lost, configured};
use crate::syntax::json::is_blank;

pub(super) const CHECKS: &[Check] = &[
    Check { id: "manifest-parse", run: parses },
    Check { id: "manifest-present", run: present },
    Check { id: "held", run: held },
    Check { id: "observe", run: watching },
    Check { id: "registration", run: registered },
    Check { id: "registration-scope", run: scope },
    Check { id: "chain-time", run: chain_time },
    Check { id: "adopted-twice", run: adopted_twice },
    Check { id: "adopted-nowhere", run: adopted_nowhere },
];

fn parses(facts: &Facts, findings: &mut Findings) {
    for chain in &facts.chains {
        let Err(problems) = &chain.manifest else { continue };
        let meanwhile = meanwhile(facts, chain);
        let is_read = chains::read(&facts.paths, &chain.chain).is_ok();
        for problem in &problems.0 {
            let origin = &problem.origin;
            let is_local = chain.chain.scope == "project" && origin.file.ends_with(".local.toml");
            let flag = if is_local { " --local" } else { chain.chain.flag() };
            let fix = if is_read {
                format!("run `hookman trust{flag}`, which fetches it and shows what is new")
            } else if problem.message.starts_with("it cannot be read") {
                "put a text file in its place".to_owned()
            } else {
                format!("run `hookman edit{flag}`, which checks what you save")
            };
            findings.say(meanwhile, origin.place(), &[&problem.message, &fix]);
        }
    }
}

fn held(facts: &Facts, findings: &mut Findings) {
    for chain in &facts.chains {
        let Ok(Some(manifest)) = &chain.manifest else { continue };
        for (name, why) in configured::held(&facts.paths, &chain.chain, manifest) {
            let hook = manifest.hooks.iter().find(|hook| hook.name == name);
            let place = hook.map(|hook| hook.place_of("hook")).unwrap_or_default();
            let (why, fix) = why.split_once("; ").unwrap_or((&why, ""));
            let flag = chain.chain.flag();
            let fix =
                if fix.is_empty() { format!("run `hookman trust{flag}`") } else { fix.to_owned() };
            let finding = findings.say("hook-held", place, &[&name, &why, &fix]);
            if hook.is_some_and(|it| !configured::has_host(manifest, it)) {
                finding.notice("the hook runs nowhere: if it is a gate, it is open");
            }
        }
    }
}

fn watching(facts: &Facts, findings: &mut Findings) {
    let mut watching: BTreeMap<(String, String), Vec<&str>> = BTreeMap::new();
    for hook in facts.hooks().filter(|hook| hook.enabled) {
        let (name, observe) = (&hook.name, &hook.manner.observe);
        if let Some(words) = observe.words(clock::today) {
            watching.entry((hook.place_of("mode"), words)).or_default().push(name);
        } else if let Observe::Until(day) = observe {
            findings.say("watching-ended", hook.place_of("observe_until"), &[&name, &day]);
        }
    }
    for ((place, words), hooks) in watching {
        findings.say("watching", place, &[&words, &hooks.join(", ")]);
    }
}

/// The finding for a manifest that cannot be read, by what runs do as long as that is so.
fn meanwhile(facts: &Facts, chain: &ChainFacts) -> &'static str {
    let plan = files::read_text(&chain.chain.plan_file(&facts.paths)).ok().flatten();
    if plan.is_some_and(|plan| Header::parse(&plan).is_some()) {
        return "manifest-broken";
    }
    match chains::strictest(&facts.paths, &chain.chain) {
        OnError::Closed => "manifest-broken-closed",
        OnError::Ask => "manifest-broken-ask",
        OnError::Open => "manifest-broken-open",
    }
}

fn present(facts: &Facts, findings: &mut Findings) {
    let mut is_lost = false;
    for chain in facts.chains.iter().filter(|chain| matches!(chain.manifest, Ok(None))) {
        let Some(lost) = Lost::of(&facts.paths, &chain.chain) else { continue };
        is_lost = true;
        let callers = lost.callers.join(" and ");
        findings
            .say("manifest-lost", &chain.shown, &[&callers, &lost.calls(), &lost.way_out])
            .notice(lost.fate);
    }
    if is_lost {
        return;
    }
    // A single scope need not have a manifest.
    if facts.is_whole && facts.chains.iter().all(|chain| matches!(chain.manifest, Ok(None))) {
        let place = facts.chains.first().map(|chain| chain.shown.clone()).unwrap_or_default();
        findings.say("no-manifest", place, &[]);
    }
}

fn registered(facts: &Facts, findings: &mut Findings) {
    for file in facts.registered() {
        let Some(chain) = facts.chain_of(file) else { continue };
        let Ok(text) = &file.text else { continue };
        let Some(wanted) = entries(chain, file) else { continue };
        // What cannot be planned cannot be read, and other checks say so.
        let record = match (&file.undo, text.as_deref()) {
            (Some(undo), _) => undo.record.clone(),
            (None, Some(text)) => Record::presumed_for(text, &wanted),
            (None, None) => Record::default(),
        };
        let Ok(plan) = plan(text.as_deref(), &wanted, &record) else { continue };
        let flag = file.flag();
        let has_manifest = matches!(chain.manifest, Ok(Some(_)));
        let (missing, others): (Vec<&Change>, Vec<&Change>) =
            plan.changes.iter().partition(|change| change.action == Action::Add);
        let missing =
            missing.split_first().map(|(first, rest)| (*first, entries_missing(first, rest)));
        let others = others.into_iter().map(|change| (change, change.to_string()));
        for (change, what) in missing.into_iter().chain(others) {
            let fix = if has_manifest {
                format!("run `hookman apply{flag}`")
            } else {
                format!(
                    "run `hookman install{flag}`, which makes a manifest, or `hookman \
                     uninstall{flag}`, which takes the entries out"
                )
            };
            let place = place_of_change(file, change);
            let finding = findings.say("registration-differs", place, &[&chain.shown, &what, &fix]);
            if has_manifest {
                finding.mend(Mend::Apply(file.scope));
            }
        }
    }
}

fn entries_missing(first: &Change, rest: &[&Change]) -> String {
    let Some((last, between)) = rest.split_last() else { return first.to_string() };
    let events = std::iter::once(&first).chain(between).map(|change| &*change.event);
    let events = events.collect::<Vec<&str>>().join(", ");
    format!("the entries for {events} and {} are missing", last.event)
}

/// The entry that is to be changed, or the event that is to have one more.
fn place_of_change(file: &SettingsFile, change: &Change) -> String {
    let Some(document) = file.document() else { return file.shown.clone() };
    // The change's own pointer is right only when those before it are done.
    let is_it = |pointer: &str| {
        let node = document.lookup(pointer);
        node.is_some_and(|node| Some(document.value(node)) == change.before)
    };
    let pointers = file.handlers().into_iter().flat_map(|handler| {
        let group = handler.pointer.rsplit_once("/hooks/").map(|(group, _)| group.to_owned());
        [Some(handler.pointer), group]
    });
    let event = format!("/hooks/{}", change.event);
    let found = pointers.flatten().find(|pointer| is_it(pointer)).unwrap_or(event);
    let node = document.lookup(&found).or_else(|| document.lookup("/hooks"));
    node.map_or(file.shown.clone(), |node| file.at(document.position(node.span.start)))
}

// The path of the binary is taken from the file, so that this check is about events, matchers and
// time limits only; whether the binary is there is another's.
fn entries(chain: &ChainFacts, file: &SettingsFile) -> Option<Vec<crate::settings::Registration>> {
    let all = chain.manifest.as_ref().ok()?;
    let handlers = file.handlers();
    let ours = handlers.iter().find(|handler| handler.ours);
    let text = |pointer| Some(ours?.value.pointer(pointer)?.as_str()?.to_owned());
    let binary = ours.and_then(|ours| program(&ours.value)).map(|it| it.display().to_string());
    let binary = binary.unwrap_or_else(|| "hookman".to_owned());
    let caller = match (file.scope, text("/args/3")) {
        ("user", _) => Caller::Binary(binary),
        ("local", Some(folder)) => Caller::BinaryFor { binary, flag: PROJECT, folder },
        (MANAGED, _) => {
            let folder = chain.chain.manifest.parent()?.to_str()?.to_owned();
            Caller::BinaryFor { binary, flag: wanted::MANAGED, folder }
        }
        _ => Caller::Launcher,
    };
    if !chain.committed.is_for(CLAUDE.name) && file.scope != "local" {
        return Some(Vec::new());
    }
    let has_hooks = all.as_ref().is_some_and(|all| !all.hooks.is_empty());
    let in_project = chain.chain.project().is_some();
    let demands = |hooks| demands_on_settings(hooks, &chain.committed, in_project);
    let all = demands(all.as_ref().map(|all| all.hooks.as_slice()).unwrap_or_default());
    let mut committed = demands(&chain.committed.hooks);
    if file.scope == "user" && has_hooks {
        committed.extend(for_switches());
    }
    Some(match file.scope {
        "local" => beyond(&committed, &all, &caller),
        _ => wanted(&committed, &caller),
    })
}

fn scope(facts: &Facts, findings: &mut Findings) {
    for file in facts.settings.iter().filter(|file| file.scope == "project") {
        for handler in file.handlers().iter().filter(|handler| handler.ours) {
            let shell = handler.value.get("args").is_none();
            if shell || run_words(&handler.value).is_none() {
                continue;
            }
            findings
                .say("entry-with-machine-path", file.at_key(handler, "command"), &[&handler.event])
                .mend(Mend::Apply("project"));
        }
    }
}

// An agent ends hookman at the entry's time limit, and with it every gate that has not run yet.
fn chain_time(facts: &Facts, findings: &mut Findings) {
    for (chain, manifest) in facts.manifests() {
        for (event, says) in too_long(manifest) {
            let hooks = manifest.hooks.iter().filter(|it| it.enabled && it.events.contains(&event));
            let longest = hooks.max_by_key(|it| it.timeout_ms);
            let place = longest.and_then(|it| it.origins.get("timeout").or_else(|| it.origin()));
            let place = place.map_or(chain.shown.clone(), Origin::place);
            findings.say("chain-too-long", place, &[&says]);
        }
    }
}

fn adopted_twice(facts: &Facts, findings: &mut Findings) {
    for file in &facts.settings {
        let Some(Known { text, adoption, .. }) = known_of(facts, file) else { continue };
        let (flag, handlers, kept) = (file.flag(), file.handlers(), adoption.handlers());
        let standing = adoption.standing(text).unwrap_or_default();
        for (adopted, kept) in kept.iter().filter(|(adopted, _)| standing.contains(adopted)) {
            let found = handlers.iter().find(|it| !it.ours && it.value == kept.handler);
            let place = found.map_or(file.shown.clone(), |it| file.at_key(it, "command"));
            findings.say("adopted-and-there", place, &[&adopted.hook, &flag]);
        }
    }
    for file in facts.hosts.iter().filter(|file| !file.is_main) {
        let Some(summary) = &file.drift else { continue };
        let flag = file.target.flag();
        findings
            .say("adopted-by-agent-and-there", &file.shown, &[&file.of.title, &flag, &summary])
            .mend(Mend::Apply(file.scope));
    }
    across(facts, findings);
}

/// Of equal handlers of several files the client runs one, but not of one that hookman runs.
fn across(facts: &Facts, findings: &mut Findings) {
    let known: Vec<_> = facts.settings.iter().map(|file| known_of(facts, file)).collect();
    let run: Vec<_> =
        known.iter().map(|it| it.as_ref().map(Known::run).unwrap_or_default()).collect();
    let foreign: Vec<Vec<Rebuilt>> = facts.settings.iter().map(foreign).collect();
    for (index, file) in facts.settings.iter().enumerate() {
        for (hook, handler) in &run[index] {
            let others = facts.settings.iter().enumerate().filter(|(at, _)| *at != index);
            for (at, other) in others {
                let foreign = foreign[at].iter().any(|it| it.is_twin_of(handler));
                let mut run = run[at].iter();
                // Where hookman runs both, the finding names the later file.
                if foreign || at < index && run.any(|(_, it)| it.is_twin_of(handler)) {
                    let values: [&dyn Display; 3] = [hook, &other.shown, &file.flag()];
                    findings.say("adopted-and-equal", &file.shown, &values);
                }
            }
        }
    }
}

fn foreign(file: &SettingsFile) -> Vec<Rebuilt> {
    let foreign = file.handlers().into_iter().filter(|it| !it.ours);
    foreign.map(|it| Rebuilt { event: it.event, matcher: None, handler: it.value }).collect()
}

fn adopted_nowhere(facts: &Facts, findings: &mut Findings) {
    for file in &facts.settings {
        let Some(Known { text, hooks, adoption }) = known_of(facts, file) else { continue };
        let flag = file.flag();
        for Adopted { hook, .. } in adoption.lost(&hooks, text) {
            findings.say("adopted-and-gone", &file.shown, &[&hook, &flag]);
        }
    }
}

struct Known<'f> {
    text: &'f str,
    hooks: Vec<Declared<'f>>,
    adoption: Adoption,
}

impl Known<'_> {
    /// The adopted hooks of the manifest, each with a handler that it runs.
    fn run(&self) -> Vec<(&str, Rebuilt)> {
        let names: HashSet<&str> = self.hooks.iter().map(|hook| hook.hook).collect();
        let all = self.adoption.handlers().into_iter().map(|(it, kept)| (it.hook.as_str(), kept));
        all.filter(|(hook, _)| names.contains(hook)).collect()
    }
}

/// `None` where nothing was adopted, and where a file cannot be read, which is another check's.
fn known_of<'f>(facts: &'f Facts, file: &'f SettingsFile) -> Option<Known<'f>> {
    let chain = facts.chain_of(file)?;
    let text = file.text.as_ref().ok()?.as_deref()?;
    let all = chain.manifest.as_ref().ok()?;
    let all = all.as_ref().map(|all| all.hooks.as_slice()).unwrap_or_default();
    let hooks = declared(own_hooks(file.scope == "local", &chain.committed.hooks, all), None);
    if is_blank(text) || (file.adoptions.is_none() && !hooks.iter().any(|hook| hook.adopted)) {
        return None;
    }
    let adoption = match &file.adoptions {
        Some(kept) => kept.in_line_with(text, None),
        None => Adoption::of(None, text, None),
    };
    let adoption =
        adoption.and_then(|adoption| adoption.declared_by(&hooks, text, None, None)).ok()?;
    Some(Known { text, hooks, adoption })
}

//! Do the settings files load, by the client's own rules?

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::check::{Check, Findings, Level};
use super::facts::Facts;
use super::settings_file::{SettingsFile, Unreadable};
use crate::client::off_switch::Off;
use crate::client::settings_schema::{self, Defect, Effect, Effects, VERSIONS};
use crate::client::{Event, Version};
use crate::install::registration::off_switches;
use crate::machine::paths::real;
use crate::machine::{environment, files, folders, foreign};
use crate::settings::Handler;
use crate::syntax::escaped::quoted;
use crate::syntax::json::{Document, Node, is_blank};
use crate::syntax::named::words;

pub(super) const CHECKS: &[Check] = &[
    Check { id: "settings-read", run: readable },
    Check { id: "settings-writable", run: writable },
    Check { id: "settings-parse", run: parses },
    Check { id: "settings-schema", run: schema },
    Check { id: "hooks-disabled", run: switched_off },
    Check { id: "settings-timeout", run: timeouts },
    Check { id: "settings-elsewhere", run: elsewhere },
];

fn readable(facts: &Facts, findings: &mut Findings) {
    for file in facts.writable_files() {
        let Err(why) = &file.text else { continue };
        let path = quoted(&file.path.display().to_string());
        // The client takes such a file for what it is, and replaces what is no character.
        if matches!(why, Unreadable::File(error) if error.kind() == ErrorKind::InvalidData) {
            let from = if is_wide(&file.path) { "UTF-16" } else { "ISO-8859-1" };
            findings.say("other-encoding", &file.shown, &[&why, &from, &path]);
        } else {
            let fix = if files::is_link(&file.path) {
                format!("run `rm {path}`, or put a file where it leads to")
            } else if file.path.is_file() {
                format!("run `chmod u+r {path}`")
            } else {
                "put a file in its place, or remove it".to_owned()
            };
            findings.say("cannot-be-read", &file.shown, &[&why, &fix]);
        }
    }
}

/// Returns whether a file begins as UTF-16 does.
fn is_wide(path: &Path) -> bool {
    let bytes = foreign::read(path).ok().flatten().unwrap_or_default();
    bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff])
}

fn parses(facts: &Facts, findings: &mut Findings) {
    for file in facts.writable_files() {
        let Ok(Some(text)) = &file.text else { continue };
        if is_blank(text) {
            continue;
        }
        if let Err(error) = Document::parse(text) {
            let fix = if error.is_ours {
                "the client reads the file, but hookman cannot check or change it; nest less deep"
            } else {
                "correct it by hand; `hookman backups` lists earlier versions"
            };
            findings.add(Level::Error, file.at(error.position), error.message, fix);
        }
    }
}

/// The client writes the file to remember something, and hookman when it registers.
fn writable(facts: &Facts, findings: &mut Findings) {
    for file in facts.writable_files().into_iter().filter(|file| matches!(file.text, Ok(Some(_)))) {
        let mode = folders::access(&file.path).map(|access| access.mode & 0o7777);
        let says =
            mode.filter(|mode| mode & 0o200 == 0).map(|mode| format!("its mode is {mode:04o}"));
        let cannot =
            || files::check_writable(&real(&file.path)).err().map(|error| error.to_string());
        if let Some(why) = says.or_else(cannot) {
            let path = quoted(&file.path.display().to_string());
            findings.say("cannot-be-written", &file.shown, &[&why, &path]);
        }
    }
}

fn schema(facts: &Facts, findings: &mut Findings) {
    // Of a client that is as new, only what it does itself counts.
    let newest = Version::parse(VERSIONS[0]);
    let is_new = facts.client_version().is_some() && facts.client_version() >= newest;
    for file in facts.writable_files() {
        let Some(document) = file.document() else { continue };
        let handlers = file.handlers();
        for defect in settings_schema::check(&document, &Event::names(Event::ALL)) {
            if is_from_manifest(&defect, &handlers) {
                continue;
            }
            let effects =
                if is_new { Effects::both(defect.effects.newest) } else { defect.effects };
            if effects.worst() == Effect::Harmless {
                continue;
            }
            let is_stripped = effects.worst() == Effect::Stripped;
            let meant = meant(&defect).filter(|_| is_stripped);
            let unknown = if is_stripped && meant.is_none() {
                defect.message.split('`').nth(1)
            } else {
                unknown_name(&defect)
            };
            if let Some((name, newer)) = unknown.zip(facts.newer_client()) {
                findings.say("schema-of-newer-client", file.at_defect(&defect), &[&name, &newer]);
                continue;
            }
            let level = match (effects.newest, effects.oldest) {
                (Effect::FileDropped | Effect::GroupDropped | Effect::HandlerDropped, _) => {
                    Level::Error
                }
                (Effect::KeyDropped | Effect::NeverFires, _) | (_, Effect::FileDropped) => {
                    Level::Warning
                }
                _ => Level::Info,
            };
            let (is_meant, place) = (meant.is_some(), file.at_defect(&defect));
            let level = if is_meant { Level::Warning } else { level };
            let fix = meant.filter(|fix| !fix.is_empty()).map_or(defect.hint, str::to_owned);
            let message = format!("{}; {effects}", defect.message);
            let finding = findings.add(level, place, message, fix);
            if is_meant {
                finding.notice("the hook runs anyway, for every call that its group matches");
            } else if is_stripped {
                finding.notice("nothing, until the key is gone");
            }
        }
    }
}

/// The way out for a key that is meant to do something; empty where the usual one will do.
fn meant(defect: &Defect) -> Option<&'static str> {
    let key = defect.pointer.rsplit('/').next()?;
    let plain = key.replace(['_', '-'], "").to_lowercase();
    match plain.as_str() {
        "matcher" | "enabled" | "disabled" => Some(""),
        "matchers" | "match" | "tool" | "tools" | "toolname" => {
            Some("write `matcher` in the group")
        }
        "onfailure" | "onerror" => Some("write `onFailure`"),
        "timeoutms" | "timeoutseconds" | "timeoutsec" => Some("write `timeout`, in seconds"),
        _ if Event::from_name(key).is_some() => {
            Some("move it out of the group, next to the events")
        }
        _ => None,
    }
}

/// The name of an event or a type of handler that no client of the tables has.
fn unknown_name(defect: &Defect) -> Option<&str> {
    if defect.pointer.ends_with("/type") {
        return defect.message.split('`').nth(1);
    }
    let name = defect.pointer.strip_prefix("/hooks/").filter(|name| !name.contains('/'))?;
    let is_known = Event::ALL.iter().any(|event| event.name().eq_ignore_ascii_case(name));
    (!is_known).then_some(name)
}

// A matcher that only our entries have is the manifest's, and is corrected there; `matcher-rule`
// names that place.
fn is_from_manifest(defect: &Defect, handlers: &[Handler]) -> bool {
    let Some(group) = defect.pointer.strip_suffix("/matcher") else { return false };
    let in_group = |handler: &&Handler| {
        handler.pointer.strip_prefix(group).is_some_and(|rest| rest.starts_with("/hooks/"))
    };
    let mut in_group = handlers.iter().filter(in_group).peekable();
    defect.effects.newest == Effect::NeverFires
        && in_group.peek().is_some()
        && in_group.all(|handler| handler.ours)
}

/// From how many seconds on a time limit is more likely to be in milliseconds.
const LONG: f64 = 3600.0;

/// Returns whether a time limit below that may be in milliseconds: people give seconds in whole minutes.
fn may_be_milliseconds(timeout: f64) -> bool {
    timeout >= 1000.0 && (timeout % 60.0 != 0.0 || timeout % 1000.0 == 0.0)
}

fn timeouts(facts: &Facts, findings: &mut Findings) {
    for (handler, place) in facts.foreign_with("timeout") {
        let timeout = handler.value.get("timeout").and_then(Value::as_f64);
        let name = match timeout {
            Some(it) if it > LONG => "timeout-too-long",
            Some(it) if may_be_milliseconds(it) => "timeout-in-milliseconds",
            _ => continue,
        };
        let timeout = timeout.unwrap_or_default();
        findings.say(name, place, &[&timeout, &(timeout / 1000.0)]);
    }
}

pub(super) fn switched_off(facts: &Facts, findings: &mut Findings) {
    for Off { place, message, fix, spares_exec_form, .. } in off_switches_on(facts) {
        let finding = if spares_exec_form { "hooks-off-in-lines" } else { "hooks-off" };
        findings.say(finding, place, &[&message, &fix]);
    }
}

pub(super) fn off_switches_on(facts: &Facts) -> Vec<Off> {
    let files = facts.writable_files().into_iter();
    let files: Vec<PathBuf> = files.map(|file| file.path.clone()).collect();
    off_switches::on(&facts.paths, &files, &off_switches::read)
}

pub(super) fn is_kept_by(off: &Off, handler: &Handler) -> bool {
    let is_line = handler.text("type") == Some("command") && handler.value.get("args").is_none();
    !off.spares_exec_form || is_line
}

/// Names of files in the client's directories that it reads no hooks from.
const NEVER_READ: [&str; 13] = words(
    "hooks.json hooks/hooks.json settings.jsonc settings.json5 settings.json.txt \
     settings.local.jsonc local.settings.json claude_settings.json hooks/settings.json \
     settings/settings.json setting.json settings-local.json config.json",
);

fn elsewhere(facts: &Facts, findings: &mut Findings) {
    for file in facts.writable_files() {
        if let Some(document) = file.document() {
            other_keys(file, &document, findings);
        }
    }
    if !facts.is_whole {
        return;
    }
    let config = real(&facts.paths.config);
    let user = facts.paths.user_settings();
    let mut look = |file: PathBuf, why: &str, settings: &Path| {
        if let Some(place) = hooks_of(facts, &file) {
            findings.say("hooks-in-file-not-read", place, &[&why, &facts.paths.shown(settings)]);
        }
    };
    let in_project = facts.project.as_ref().map(|project| project.join(".claude/settings.json"));
    let in_project = in_project.filter(|it| it.parent().is_some_and(|it| real(it) != config));
    for settings in std::iter::once(&user).chain(&in_project) {
        let Some(folder) = settings.parent() else { continue };
        for name in NEVER_READ {
            look(folder.join(name), "the client reads none from a file of that name", settings);
        }
        // A directory too high is as easily named.
        let why = "the client reads settings only inside `.claude`";
        look(folder.with_file_name("settings.json"), why, settings);
    }
    // The client's file of its own, and directories without the dot.
    let names = [".claude.json", ".config/claude/settings.json", "claude/settings.json"];
    let of_home = facts.paths.home.iter().flat_map(|home| names.map(|name| home.join(name)));
    let in_project = ["claude/settings.json", ".claude.json"];
    let of_project = facts.project.iter().filter(|it| Some(*it) != facts.paths.home.as_ref());
    let of_project = of_project.flat_map(|it| in_project.map(|name| it.join(name)));
    let is_other = |file: &PathBuf| file.parent().is_some_and(|folder| real(folder) != config);
    for file in of_home.chain(of_project).filter(is_other) {
        look(file, "the client reads none there", &user);
    }
    let local = facts.paths.config.join("settings.local.json");
    if facts.settings.iter().all(|file| real(&file.path) != real(&local)) {
        let why = "the client reads it only in sessions that start in the home directory: local \
                   settings belong to a project";
        look(local, why, &user);
    }
    above(facts, findings);
    // The user's directory where a variable names another one.
    let usual = facts.paths.home.as_ref().map(|home| home.join(".claude"));
    let usual = usual.filter(|usual| real(usual) != config);
    if let Some(place) = usual.and_then(|usual| hooks_of(facts, &usual.join("settings.json"))) {
        findings.say("hooks-in-other-config", place, &[&facts.paths.shown(&user)]);
    }
}

/// Settings of folders above the one in which a session starts, which 2.1.329 and 2.1.197 do not read.
fn above(facts: &Facts, findings: &mut Findings) {
    let Some(project) = facts.project.as_deref() else { return };
    let given = environment::raw("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    let here = given.or_else(|| environment::current_directory().ok());
    let start = here.filter(|it| it.starts_with(project)).unwrap_or_else(|| project.to_owned());
    let is_below_home = |folder: &&Path| Some(*folder) != facts.paths.home.as_deref();
    for folder in start.ancestors().skip(1).take_while(is_below_home) {
        let own = folder.join(".claude");
        if real(&own) == real(&facts.paths.config) {
            continue;
        }
        let is_project = folder == project;
        for name in ["settings.json", "settings.local.json"] {
            let path = own.join(name);
            // Newer clients read the local settings of the git root.
            let is_read = facts.of_git_root.as_ref().is_some_and(|it| it.path == path);
            if is_read || is_project && name != "settings.json" {
                continue;
            }
            let Some(place) = hooks_of(facts, &path) else { continue };
            let folder = quoted(&folder.display().to_string());
            let name = if is_project { "hooks-above-in-project" } else { "hooks-above-start" };
            findings.say(name, place, &[&facts.paths.shown(&start), &folder]);
        }
    }
}

pub(super) fn hooks_of(facts: &Facts, path: &Path) -> Option<String> {
    let text = files::is_there(path).then(|| files::read_text(path).ok())??;
    let document = Document::parse(text.as_deref()?).ok()?;
    let hooks = document.get(document.root(), "hooks").unwrap_or(document.root());
    let at = document.position(events(&document, hooks).next()?.span.start);
    Some(format!("{}:{}:{}", facts.paths.shown(path), at.line, at.column))
}

/// Lists the entries under the names of events, where there are some.
fn events<'d>(document: &'d Document<'_>, node: &'d Node) -> impl Iterator<Item = &'d Node> {
    node.members().unwrap_or_default().iter().filter_map(|member| {
        let is_event = Event::from_name(&document.key(member)).is_some();
        let groups = member.value.elements().filter(|groups| is_event && !groups.is_empty());
        groups.map(|_| &member.value)
    })
}

/// Names that mean `hooks` and are another key to the client.
pub(super) fn other_keys(file: &SettingsFile, document: &Document<'_>, findings: &mut Findings) {
    for member in document.root().members().unwrap_or_default() {
        let key = document.key(member);
        let is_meant = key != "hooks" && matches!(&*key.to_lowercase(), "hook" | "hooks");
        if is_meant && events(document, &member.value).next().is_some() {
            let place = file.at(document.position(member.value.span.start));
            findings.say("key-for-hooks", place, &[&key]);
        }
    }
    for node in events(document, document.root()) {
        findings.say("event-at-top", file.at(document.position(node.span.start)), &[]);
    }
    let inner = document.lookup("/hooks/hooks");
    for node in inner.into_iter().flat_map(|inner| events(document, inner)) {
        findings.say("hooks-inside-hooks", file.at(document.position(node.span.start)), &[]);
    }
}

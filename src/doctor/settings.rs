//! Do the settings files load, by the client's own rules?

use std::io::ErrorKind;
use std::path::Path;

use serde_json::Value;

use super::check::Check;
use super::facts::Facts;
use super::finding::{Findings, Level};
use super::settings_file::Unreadable;
use crate::client::event::Event;
use crate::client::settings_schema::{self, Defect, Effect, Effects, VERSIONS};
use crate::client::version::Version;
use crate::machine::{files, folders, foreign};
use crate::settings::Handler;
use crate::syntax::json::{Document, is_blank};
use crate::syntax::quoting::quoted;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "settings-read",
        about: "settings files can be read",
        notice: "nothing in this file has an effect: no hook, no permission rule",
        run: readable,
    },
    Check {
        id: "settings-writable",
        about: "settings files can be written",
        notice: "neither hookman nor the client can change the file, and the client forgets what you allow for good",
        run: writable,
    },
    Check {
        id: "settings-parse",
        about: "settings files are strict JSON",
        notice: "nothing in this file has an effect, hooks and permission rules included, and `claude -p` may not say so",
        run: parses,
    },
    Check {
        id: "settings-schema",
        about: "the client would load every hook of the settings files",
        notice: "hooks that never run, or a whole file without effect",
        run: schema,
    },
    Check {
        id: "hooks-disabled",
        about: "hooks are not switched off as a whole",
        notice: "no hook runs, and every gate lets everything through",
        run: super::switched_off::check,
    },
    Check {
        id: "settings-timeout",
        about: "time limits are in seconds",
        notice: "a hook that hangs keeps the session waiting for hours",
        run: timeouts,
    },
];

fn readable(facts: &Facts, findings: &mut Findings) {
    for file in facts.writable_files() {
        let Err(why) = &file.text else { continue };
        // The client takes such a file for what it is, and replaces what is no character.
        if matches!(why, Unreadable::File(error) if error.kind() == ErrorKind::InvalidData) {
            let message = format!("the client reads it, and only hookman cannot: {why}");
            let path = quoted(&file.path.display().to_string());
            let from = if is_wide(&file.path) { "UTF-16" } else { "ISO-8859-1" };
            let fix = format!(
                "run `iconv -f {from} -t UTF-8 {path} > {path}.new && cat {path}.new > {path} && rm \
                 {path}.new` if that is what it is in, or save it as UTF-8"
            );
            let finding = findings.add(Level::Warning, &file.shown, message, fix);
            finding.notice("hookman can neither check nor change this file");
        } else {
            findings.add(
                Level::Error,
                &file.shown,
                format!("it cannot be read: {why}"),
                if files::is_link(&file.path) {
                    format!(
                        "run `rm {}`, or put a file where it leads to",
                        quoted(&file.path.display().to_string())
                    )
                } else if file.path.is_file() {
                    format!("run `chmod u+r {}`", quoted(&file.path.display().to_string()))
                } else {
                    "put a file in its place, or remove it".to_owned()
                },
            );
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
            findings.add(
                Level::Error,
                file.at(error.position),
                error.message,
                if error.is_ours {
                    "the client reads the file, but hookman cannot check or change it; nest less deep"
                } else {
                    "correct it by hand; `hookman backups` lists earlier versions"
                },
            );
        }
    }
}

/// The client writes the file to remember something, and hookman when it registers.
fn writable(facts: &Facts, findings: &mut Findings) {
    for file in facts.writable_files().into_iter().filter(|file| matches!(file.text, Ok(Some(_)))) {
        let mode = folders::access(&file.path).map(|access| access.mode & 0o7777);
        let says =
            mode.filter(|mode| mode & 0o200 == 0).map(|mode| format!("its mode is {mode:04o}"));
        let cannot = || files::check_writable(&file.path).err().map(|error| error.to_string());
        if let Some(why) = says.or_else(cannot) {
            findings.add(
                Level::Warning,
                &file.shown,
                format!("it cannot be written: {why}"),
                format!("run `chmod u+w {}`", quoted(&file.path.display().to_string())),
            );
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
            if let Some((event, newer)) = unknown_event(&defect).zip(facts.newer_client()) {
                findings.add(
                    Level::Info,
                    file.at_defect(&defect),
                    format!("`{event}` is unknown to this hookman; {newer}"),
                    "check the spelling, and run `hookman self-update`",
                );
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
            let is_stripped = effects.worst() == Effect::Stripped;
            // Who wrote such a key meant it to do something.
            let keys = ["/matcher", "/enabled", "/disabled"];
            let is_meant = is_stripped && keys.iter().any(|key| defect.pointer.ends_with(key));
            let finding = findings.add(
                if is_meant { Level::Warning } else { level },
                file.at_defect(&defect),
                format!("{}; {}", defect.message, effects),
                defect.hint,
            );
            if is_meant {
                finding
                    .notice("the hook runs all the same, and for every call that its group is for");
            } else if is_stripped {
                finding.notice("nothing, until the key is gone");
            }
        }
    }
}

/// The name of an event that no client of the tables has.
fn unknown_event(defect: &Defect) -> Option<&str> {
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
    for file in facts.files() {
        for (handler, place) in file.foreign_with("timeout") {
            let timeout = handler.value.get("timeout").and_then(Value::as_f64);
            let Some(timeout) = timeout else { continue };
            if timeout > LONG || may_be_milliseconds(timeout) {
                findings.add(
                    if timeout > LONG { Level::Warning } else { Level::Info },
                    place,
                    format!("`timeout` is {timeout} seconds, which looks like milliseconds"),
                    format!("write `\"timeout\": {}` if so", timeout / 1000.0),
                );
            }
        }
    }
}

//! Do the settings files load, by the client's own rules?

use super::{Check, Facts, Findings, Level};
use crate::client::json::{Document, Kind, is_blank};
use crate::client::settings_schema::{self, Defect, Effect};
use crate::settings::Handler;

pub(super) const CHECKS: &[Check] = &[
    Check { id: "settings-read", about: "settings files can be read", run: readable },
    Check { id: "settings-parse", about: "settings files are strict JSON", run: parses },
    Check {
        id: "settings-schema",
        about: "the client would load every hook of the settings files",
        run: schema,
    },
    Check { id: "hooks-disabled", about: "hooks are not switched off as a whole", run: disabled },
];

fn readable(facts: &Facts, findings: &mut Findings) {
    for file in &facts.settings {
        if let Err(why) = &file.text {
            findings.add(
                Level::Error,
                &file.shown,
                format!("it cannot be read: {why}"),
                "make it a readable file, or remove it",
            );
        }
    }
}

fn parses(facts: &Facts, findings: &mut Findings) {
    for file in &facts.settings {
        let Ok(Some(text)) = &file.text else { continue };
        if is_blank(text) {
            continue;
        }
        if let Err(error) = Document::parse(text) {
            findings.add(
                Level::Error,
                format!("{}:{}:{}", file.shown, error.position.line, error.position.column),
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

fn schema(facts: &Facts, findings: &mut Findings) {
    for file in &facts.settings {
        let Some(document) = file.document() else { continue };
        let handlers = file.handlers();
        for defect in settings_schema::check(&document, &facts.events()) {
            if is_from_manifest(&defect, &handlers) {
                continue;
            }
            let level = match defect.effect {
                Effect::FileDropped | Effect::HandlerDropped => Level::Error,
                Effect::KeyDropped | Effect::NeverFires => Level::Warning,
                Effect::Stripped => Level::Info,
            };
            findings.add(
                level,
                format!("{}:{}:{}", file.shown, defect.line, defect.column),
                format!("{}; {}", defect.message, defect.effect),
                defect.hint,
            );
        }
    }
}

// A matcher that only our entries have is the manifest's, and is corrected there; `matcher-rule`
// names that place.
fn is_from_manifest(defect: &Defect, handlers: &[Handler]) -> bool {
    let Some(group) = defect.pointer.strip_suffix("/matcher") else { return false };
    let in_group = |handler: &&Handler| {
        handler.pointer.strip_prefix(group).is_some_and(|rest| rest.starts_with("/hooks/"))
    };
    let mut in_group = handlers.iter().filter(in_group).peekable();
    defect.effect == Effect::NeverFires
        && in_group.peek().is_some()
        && in_group.all(|handler| handler.ours)
}

fn disabled(facts: &Facts, findings: &mut Findings) {
    for file in &facts.settings {
        let Some(document) = file.document() else { continue };
        let Some(node) = document.lookup("/disableAllHooks") else { continue };
        if matches!(node.kind, Kind::Bool(true)) {
            let place = document.position(node.span.start);
            findings.add(
                Level::Error,
                format!("{}:{}:{}", file.shown, place.line, place.column),
                "`disableAllHooks` is true, so no hook fires, from whichever file",
                "remove the key, or set it to false",
            );
        }
    }
}

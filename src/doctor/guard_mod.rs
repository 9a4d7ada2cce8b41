//! Does the guard mod keep other mods from the gates?

use std::path::Path;

use serde_json::Value;

use super::check::Check;
use super::facts::Facts;
use super::finding::{Findings, Level, Mend};
use super::modules::Module;
use super::settings_file::SettingsFile;
use crate::machine::foreign;
use crate::settings::is_seated;
use crate::state::guard_mod::{self, NAME};

pub(super) const CHECKS: &[Check] = &[Check {
    id: "guard-mod",
    about: "the guard mod, where there is one, is hookman's and is seated first",
    notice: "other mods can let a call past a gate",
    run: guard_mod,
}];

/// The bytes of a plugin's description that are read.
const MOST: u64 = 64 * 1024;

pub(super) fn is_guard(facts: &Facts, module: &Module) -> bool {
    module.file.starts_with(guard_mod::folder(&facts.paths))
}

/// Returns whether the guard mod keeps other mods from the events of a gate.
pub(super) fn holds(facts: &Facts) -> bool {
    guard_mod::is_there(&facts.paths) && faults(facts).is_empty()
}

struct Fault {
    place: String,
    message: String,
    fix: String,
    mend: Option<Mend>,
}

fn faults(facts: &Facts) -> Vec<Fault> {
    let paths = &facts.paths;
    let user = facts.settings.iter().find(|file| file.scope == "user");
    let is_seated = user.and_then(SettingsFile::document).is_some_and(|text| is_seated(&text));
    let place = user.map_or_else(|| paths.shown(&paths.user_settings()), |file| file.shown.clone());
    let folder = guard_mod::folder(paths);
    let mut faults = Vec::new();
    if !guard_mod::is_there(paths) {
        if is_seated {
            faults.push(Fault {
                place,
                message: format!("the guard mod is seated, and {} is not there", paths.shown(&folder)),
                fix: "run `hookman install --guard-mod`, or `hookman apply`, which takes out its seat"
                    .to_owned(),
                mend: None,
            });
        }
        return faults;
    }
    if !is_seated {
        faults.push(Fault {
            place,
            message: "the guard mod is not the first in `prependPlugins`".to_owned(),
            fix: "run `hookman apply`".to_owned(),
            mend: Some(Mend::Apply("user")),
        });
    }
    // On such a machine both lists are the administrator's (seen on 2.1.329).
    if let Some(managed) = paths.managed_settings().first() {
        faults.push(Fault {
            place: paths.shown(managed),
            message:
                "an administrator has settings here, so the client does not seat the guard mod"
                    .to_owned(),
            fix: "have an administrator run `hookman install --managed` for the gates; those hold \
                  against mods"
                .to_owned(),
            mend: None,
        });
    }
    if let Some(file) = guard_mod::changed(paths) {
        let shown = paths.shown(&file);
        faults.push(Fault {
            message: "it is not as hookman writes it".to_owned(),
            fix: format!("run `rm -f {shown} && hookman install --guard-mod`"),
            place: shown,
            mend: None,
        });
    }
    let twins = facts.plugins.iter().filter(|it| it.root != folder && is_named(&it.root));
    faults.extend(twins.map(|plugin| Fault {
        place: paths.shown(&plugin.root),
        message: format!("this plugin is called `{NAME}` too, and may take the guard mod's place"),
        fix: format!("take it out of {}", plugin.origin),
        mend: None,
    }));
    faults
}

/// Returns whether a plugin calls itself as the guard mod does.
fn is_named(root: &Path) -> bool {
    let file = root.join(".claude-plugin/plugin.json");
    let Ok(Some(text)) = foreign::read_at_most(&file, MOST) else { return false };
    serde_json::from_str::<Value>(&text).is_ok_and(|plugin| plugin["name"] == NAME)
}

fn guard_mod(facts: &Facts, findings: &mut Findings) {
    for fault in faults(facts) {
        let finding = findings.add(Level::Error, fault.place, fault.message, fault.fix);
        if let Some(mend) = fault.mend {
            finding.mend(mend);
        }
    }
}

//! `[profiles.NAME]`: sets of hooks that are switched together.

use std::collections::BTreeMap;

use toml::de::DeTable;

use super::reader::Reader;

/// Adds the profiles of a file to those that are known; an overlay's take the place of others.
pub(super) fn read(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    profiles: &mut BTreeMap<String, Vec<String>>,
) {
    let Some(value) = table.get("profiles") else { return };
    let Some(found) = reader.inner("profiles", value) else { return };
    for (name, value) in found {
        let Some(profile) = reader.inner(name.get_ref(), value) else { continue };
        reader.unknown_keys(profile, "a profile", &["disable"]);
        let Some(disable) = profile.get("disable") else {
            let message =
                format!("the profile `{}` names no hooks: disable = [\"…\"]", name.get_ref());
            reader.problem(name.span().start, message);
            continue;
        };
        let hooks =
            reader.texts("disable", disable, "a string or a list of strings").unwrap_or_default();
        let hooks = hooks.into_iter().map(|(_, hook)| hook).collect();
        profiles.insert(name.get_ref().to_string(), hooks);
    }
}

//! The client's own tools.

use super::Version;
use crate::syntax::named::listed;
use crate::syntax::suggestion::nearest;

/// The names as the client spells them today, and those it still understands, by its reference and 2.1.329.
pub const KNOWN: &[&str] = listed!("KNOWN_TOOLS");

/// Tools that clients had once, and what does the same today: 2.1.329 offers none of them.
const FORMER: &[(&str, &str)] = listed!("FORMER_TOOLS");

/// The tool that does today what a former one did; `None` for every other name.
pub fn successor(name: &str) -> Option<&'static str> {
    FORMER.iter().find(|(former, _)| *former == name).map(|(_, today)| *today)
}

/// As [`successor`], of what a client lacks: 2.1.329 has no `TaskOutput`, and 2.1.197 has it.
pub fn former(name: &str, client: Option<Version>) -> Option<&'static str> {
    const WITHOUT_OUTPUT: Version = Version([2, 1, 329]);
    let is_gone = canonical(name) == "TaskOutput" && client >= Some(WITHOUT_OUTPUT);
    if is_gone { Some("Read") } else { successor(name) }
}

/// Who has no tool that [`former`] gives one for, in words.
pub fn who_lacks(client: Option<Version>) -> String {
    const ASKED: Version = Version([2, 1, 197]);
    match client.filter(|version| *version >= ASKED) {
        Some(version) => format!("client {version} has"),
        None => "clients of today have".to_owned(),
    }
}

/// Tools, and the first client that has them, by its changelog.
const SINCE: &[(&str, [u32; 3])] = &[
    ("Agent", [2, 1, 63]),
    ("ExitWorktree", [2, 1, 72]),
    ("Monitor", [2, 1, 98]),
    ("PowerShell", [2, 1, 84]),
];

/// The first client that has a tool, where that is known.
pub fn since(name: &str) -> Option<[u32; 3]> {
    SINCE.iter().find(|(tool, _)| *tool == name).map(|(_, since)| *since)
}

/// The tool that a name differs from in nothing but case; `None` for every other name.
pub fn misspelled(name: &str) -> Option<&'static str> {
    if KNOWN.binary_search(&name).is_ok() {
        return None;
    }
    KNOWN.iter().copied().find(|tool| tool.eq_ignore_ascii_case(name))
}

/// The tool that an unknown name probably means, if any.
pub fn unknown(name: &str) -> Option<&'static str> {
    if KNOWN.contains(&name) || name.starts_with("mcp__") {
        return None;
    }
    nearest(name, KNOWN.iter().copied())
}

/// Tool names of older clients and what they are called today; the client maps both sides.
const LEGACY_TOOLS: &[(&str, &str)] = listed!("LEGACY_TOOLS");

/// Tools that are shown to another tool's hooks first, if they name a command (2.1.329, not 2.1.197).
const STAND_INS: &[(&str, &str)] = &[("Monitor", "Bash")];

/// The tool whose hooks are for the calls of this one too.
pub fn stand_in(name: &str) -> Option<&'static str> {
    STAND_INS.iter().find(|(tool, _)| *tool == name).map(|(_, other)| *other)
}

pub fn canonical(name: &str) -> &str {
    LEGACY_TOOLS.iter().find(|(legacy, _)| *legacy == name).map_or(name, |(_, today)| today)
}

pub fn of_today() -> impl Iterator<Item = &'static str> {
    let is_of_today = |name: &&str| canonical(name) == *name && successor(name).is_none();
    KNOWN.iter().copied().filter(is_of_today)
}

/// The other names of a tool: its old ones, and today's.
pub fn aliases(name: &str) -> impl Iterator<Item = &'static str> + '_ {
    let today = canonical(name);
    let old = LEGACY_TOOLS.iter().filter(move |(_, it)| *it == today);
    old.flat_map(|(old, today)| [*old, *today]).filter(move |other| *other != name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_order_in_which_they_are_looked_up() {
        assert!(KNOWN.is_sorted());
    }
}

//! Does a line ask for variables that the client sets?

use super::command::{Around, Command, Line};
use super::fault::{Fault, Kind, Weight};
use crate::machine::environment;
use crate::syntax::suggestion::nearest;

/// The head of the names of the client's variables.
const HEAD: &str = "CLAUDE_";

/// What a hook has from the client, behind that head; what follows `CODE_` and `PLUGIN_OPTION_` is
/// not looked at.
///
/// Source: the client's hooks reference, up to client 2.1.329.
const SET: &[&str] = &[
    "CONFIG_DIR",
    "EFFORT",
    "ENV_FILE",
    "PID",
    "PLUGIN_DATA",
    "PLUGIN_ROOT",
    "PROJECT_DIR",
    "SKILL_DIR",
];

/// The variables of a line that nobody sets.
pub(super) fn of(command: &Command<'_>, around: &Around) -> Vec<Fault> {
    let Line::Shell(line) = command.line else { return Vec::new() };
    asked(line).filter(|name| !is_set(name, line, around)).map(fault).collect()
}

/// The names of a line that have that head and no value of their own for where there is none.
fn asked(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices('$').filter_map(|(at, _)| {
        let rest = &line[at + 1..];
        let braced = rest.strip_prefix('{');
        let name = braced.unwrap_or(rest);
        let is_of_name = |it: char| it.is_ascii_alphanumeric() || it == '_';
        let end = name.find(|it| !is_of_name(it)).unwrap_or(name.len());
        let has_default = braced.is_some() && name[end..].starts_with([':', '-', '+', '=']);
        let is_plain = !line[..at].ends_with('\\') && !has_default;
        Some(&name[..end]).filter(|name| is_plain && name.starts_with(HEAD))
    })
}

fn is_set(name: &str, line: &str, around: &Around) -> bool {
    let tail = &name[HEAD.len()..];
    SET.contains(&tail)
        || tail.starts_with("CODE_")
        || tail.starts_with("PLUGIN_OPTION_")
        || around.variables.iter().any(|it| it == name)
        || environment::raw(name).is_some()
        // The line may ask whether it is set.
        || ["-n", "-z"].iter().any(|test| line.contains(&format!("{test} \"${name}\"")) || line.contains(&format!("{test} \"${{{name}}}\"")))
        // The line, or what it reads, may set it.
        || ["=", ";", "\n", " <"].iter().any(|end| line.contains(&format!("{name}{end}")))
            && (line.contains(&format!("{name}=")) || line.contains("read "))
}

fn fault(name: &str) -> Fault {
    let tail = &name[HEAD.len()..];
    let meant = match nearest(tail, SET.iter().copied()) {
        _ if tail == "SESSION_ID" => Some("CODE_SESSION_ID"),
        near => near,
    };
    let fix = match meant {
        Some(meant) => format!("write `${HEAD}{meant}`"),
        None => {
            "read the call from standard input, as `jq -r .tool_input.file_path` does".to_owned()
        }
    };
    let message = format!("the client sets no `${name}`");
    Fault::new(Kind::Variable, Weight::Risks, message, fix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::install::command_faults::command::Caller;

    #[test]
    fn what_nobody_sets_is_named() {
        let rows = [
            ("prettier --write $CLAUDE_FILE_PATHS", Some("jq -r")),
            ("cat \"${CLAUDE_TOOL_INPUT}\"", Some("jq -r")),
            ("$CLAUDE_PROJET_DIR/x.sh", Some("$CLAUDE_PROJECT_DIR")),
            ("log $CLAUDE_SESSION_ID", Some("$CLAUDE_CODE_SESSION_ID")),
            ("log $CLAUDE_CODE_ENTRYPOINT $CLAUDE_PLUGIN_OPTION_KEY", None),
            ("log ${CLAUDE_FILE_PATHS:-none}", None),
            ("echo '\\$CLAUDE_FILE_PATHS'", None),
            ("CLAUDE_X=$(cat); echo $CLAUDE_X", None),
            ("read -r CLAUDE_X; echo $CLAUDE_X", None),
            ("echo $CLAUDE_OWN $HOME", None),
        ];
        for (line, expected) in rows {
            let command = Command {
                line: Line::Shell(line),
                caller: Caller::Client,
                events: Vec::new(),
                is_closed: false,
                is_open: true,
                is_async: false,
            };
            let variables = vec!["CLAUDE_OWN".to_owned()];
            let found = of(&command, &Around { variables, ..Around::default() });
            let fix = found.first().map(|fault| fault.fix.as_str());
            assert_eq!(fix.is_some(), expected.is_some(), "{line}: {fix:?}");
            let has = expected.is_none_or(|expected| fix.is_some_and(|fix| fix.contains(expected)));
            assert!(has, "{line}: {fix:?}");
        }
    }
}

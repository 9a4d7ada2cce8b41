//! Does a command read the call where it comes, and by its own names?

use super::calls::Call;
use super::command::{Around, Command};
use super::fault::{Fault, Kind, Weight};
use super::{denials, lines, programs};
use crate::client::fields;
use crate::syntax::suggestion::nearest;

/// The words of scripts that read standard input, or may have another read it.
const INPUT: [&str; 14] = [
    "stdin",
    "cat",
    "jq",
    "read",
    "input(",
    "readFileSync(0",
    "node",
    "python",
    "exec",
    "gets",
    "source",
    "$<",
    "getopts",
    "argparse",
];

/// The words of scripts that ask whether they were given an argument.
const ASKS: [&str; 8] =
    ["$#", "$*", "-n \"$1", "-z \"$1", "len(sys.argv)", "argv.length", "set --", "shift"];

/// The fault of a script that never reads standard input, but an argument that it is not given or a
/// variable that nobody sets.
pub(super) fn elsewhere(call: &Call, around: &Around, text: &str) -> Option<Fault> {
    let code = denials::code(text).collect::<Vec<&str>>().join("\n");
    if INPUT.iter().chain(&ASKS).any(|word| code.contains(word)) {
        return None;
    }
    let arguments = ["=\"$1\"", "=$1\n", "sys.argv[1]", "process.argv[2]", "ARGV[0]"];
    let of_argument =
        || arguments.into_iter().find(|it| code.contains(it)).filter(|_| programs::is_alone(call));
    let sought =
        of_argument().map(|it| it.trim_start_matches('=').trim().trim_matches('"').to_owned());
    let sought = sought.or_else(|| unset(&code, around))?;
    let script = &programs::run_file(call)?.0.shown;
    let message = format!(
        "`{script}` reads `{sought}`, which it is not given, and not standard input, where the call comes"
    );
    let fix = "read the call as JSON from standard input, as `jq -r .tool_input.command` does";
    Some(Fault::new(Kind::Input, Weight::Risks, message, fix))
}

/// The first variable in the name of the client that a script reads, and nobody sets.
fn unset(code: &str, around: &Around) -> Option<String> {
    let names = code.match_indices(lines::HEAD).map(|(at, _)| {
        let end = code[at..].find(|it: char| !it.is_ascii_alphanumeric() && it != '_');
        &code[at..end.map_or(code.len(), |end| at + end)]
    });
    names.into_iter().find(|name| !lines::is_set(name, code, around)).map(str::to_owned)
}

/// The fault of a filter of `jq` that is a path which no call has.
pub(super) fn path(command: &Command<'_>, filter: &str) -> Option<Fault> {
    let path = filter.split("//").next()?.trim().strip_prefix('.')?;
    let rest = filter.split_once("//").map_or("", |(_, rest)| rest).trim();
    let is_name =
        |it: &str| !it.is_empty() && it.chars().all(|it| it.is_ascii_alphanumeric() || it == '_');
    let names: Vec<&str> = path.split('.').collect();
    if !["", "empty", "\"\"", "null"].contains(&rest) || !names.iter().all(|it| is_name(it)) {
        return None;
    }
    let meant = match names[..] {
        ["tool_output" | "tool_result" | "response", ..] => Some("tool_response"),
        [first, ..] if !fields::OF_PAYLOADS.contains(&first) => {
            nearest(first, fields::OF_PAYLOADS.iter().copied())
        }
        ["tool_input", field, ..] if fields::may_have(command.matcher, field) == Some(false) => {
            None
        }
        _ => return None,
    };
    let fix = match meant {
        Some(meant) => format!("write `.{meant}`"),
        None => "look at a payload: `hookman try --sample EVENT` prints one".to_owned(),
    };
    Some(Fault::new(Kind::Input, Weight::Risks, format!("no call has `.{path}`"), fix))
}

//! Does a command read the call by its names, do its denials reach the client, and what it prints anybody?

use super::calls::{self, Call};
use super::command::{Around, Command, Fault, blocks};
use super::{lines, programs};
use crate::client::{Event, PlainText, fields};
use crate::syntax::named::words;
use crate::syntax::shell;

/// The words with which scripts end with exit code 2.
const TWO: [&str; 4] = ["exit 2", "exit(2)", "return 2", "exitCode = 2"];

const DECIDES: [&str; 2] = ["permissionDecision", "\"decision\""];

fn has(text: &str, words: &[&str]) -> bool {
    code(text).any(|line| words.iter().any(|word| line.contains(word)))
}

/// The lines of a script without its comments, as far as these can be told.
pub(super) fn code(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with(['#', '/']));
    lines.map(|line| line.split(" # ").next().unwrap_or(line))
}

/// The fault of a command that says no where nobody waits for it; `texts` are those of its scripts.
pub(super) fn unawaited(command: &Command, texts: &[String]) -> Option<Fault> {
    let denies = |text: &String| has(text, &TWO) || has(text, &DECIDES);
    let is_late = command.is_async && command.events.iter().any(|event| blocks(*event));
    (is_late && texts.iter().any(denies)).then(|| Fault::known("unawaited", &[]))?
}

/// The fault of a call whose exit code 2 the rest of its line hides; `text` is that of its script.
pub(super) fn hidden(command: &Command, call: &Call, text: &str) -> Option<Fault> {
    let line = command.text()?;
    let behind = call.site.behind.trim_start().trim_start_matches("2>&1").trim_start();
    let is_whole =
        !has(line, &["exit", "pipefail", "$?", "PIPESTATUS", "$(", "`", "if ", "while "]);
    let is_gate = has(text, &TWO)
        && !has(text, &DECIDES)
        && command.events.iter().any(|event| blocks(*event));
    let is_last = ["|| exit 0", "; exit 0"].iter().any(|end| behind.starts_with(end));
    if !is_whole && !is_last || !is_gate {
        return None;
    }
    let masks = ["|| true", "||true", "|| :", "||:", "|| exit 0", "; exit 0", "; true", "; :"];
    let is_alone = |sign: &&str| !behind.starts_with(&sign.repeat(2));
    let sign = masks.into_iter().chain(["|", "&"].into_iter().filter(is_alone));
    let sign = sign.into_iter().find(|sign| behind.starts_with(sign))?;
    Fault::known("hidden", &[&sign, &programs::run_file(call)?.0.shown])
}

/// The fault of a line, with its scripts for a shell, that prints words for nobody and does nothing else.
pub(super) fn unread(command: &Command, texts: &[String]) -> Option<Fault> {
    let is_ignored = |it: &Event| it.facts().plain_text == PlainText::Ignored;
    let event = command.events.first().filter(|_| command.events.iter().all(is_ignored))?;
    let (mut prints, mut does_more) = (false, texts.iter().any(|text| text.contains('|')));
    for text in texts {
        shell::each_invocation(text, &mut |call| {
            let is_printing = call.program == "echo" || call.program == "printf";
            let is_for_eyes = |text: &str| !text.contains(['{', '\u{1b}', '\\']);
            prints |= is_printing;
            let is_script = call.program.contains('.') || ["bash", "sh"].contains(&call.program);
            does_more |= !is_printing && !is_script
                || !call.redirections.is_empty()
                || !call.arguments.iter().all(|word| is_for_eyes(&word.text));
        });
    }
    (prints && !does_more).then(|| Fault::known("unread", &[event]))?
}

/// The words of scripts for a shell that read standard input, or may have another read it, and those of others.
const INPUT: [[&str; 9]; 2] = [
    words("stdin cat jq read node python exec source getopts"),
    words("stdin STDIN input( readFileSync(0 gets $< ARGF exec argparse"),
];

/// The words of scripts that ask whether they were given an argument.
const ASKS: [&str; 8] =
    ["$#", "$*", "-n \"$1", "-z \"$1", "len(sys.argv)", "argv.length", "set --", "shift"];

/// The fault of a script that reads an argument or a variable that it is not given, and no input.
pub(super) fn elsewhere(
    call: &Call,
    around: &Around,
    text: &str,
    is_of_shell: bool,
) -> Option<Fault> {
    let code = code(text).collect::<Vec<&str>>().join("\n");
    if INPUT[usize::from(!is_of_shell)].iter().chain(&ASKS).any(|word| code.contains(word)) {
        return None;
    }
    let arguments = ["=\"$1\"", "=$1\n", "sys.argv[1]", "process.argv[2]", "ARGV[0]"];
    let of_argument = arguments.iter().find(|it| code.contains(**it));
    let of_argument = of_argument.filter(|_| programs::is_alone(call));
    let sought = of_argument.map(|it| it.trim_matches(['=', '"', '\n']).to_owned());
    let sought = sought.or_else(|| unset(&code, around).filter(|_| !is_of_shell))?;
    Fault::known("elsewhere", &[&programs::run_file(call)?.0.shown, &sought])
}

/// The first variable in the name of the client that a script reads, and nobody sets.
fn unset(code: &str, around: &Around) -> Option<String> {
    let mut names = code.match_indices(lines::HEAD).map(|(at, _)| calls::name(&code[at..]));
    names.find(|name| !lines::is_set(name, code, around)).map(str::to_owned)
}

/// The filter of a call of `jq` that has no other arguments, and reads the command's own input.
fn filter(call: &Call) -> Option<&str> {
    call.program.as_ref().filter(|program| program.text == "jq" && call.site.reads_call())?;
    let words = call.arguments.iter().map(|word| Some(word.as_ref()?.text.as_str()));
    let words: Vec<&str> = words.collect::<Option<_>>()?;
    let (options, others): (Vec<&str>, Vec<&str>) =
        words.into_iter().partition(|it| it.starts_with('-'));
    let is_other = |it: &&str| it.starts_with("--") || it.contains(['n', 'f', 'L']);
    let [filter] = others[..] else { return None };
    (!options.iter().any(is_other)).then_some(filter)
}

/// The fault of a filter of `jq` that is a path which no call has; `events` are those that it is for.
pub(super) fn path(command: &Command, call: &Call, events: &[Event]) -> Option<Fault> {
    let filter = filter(call)?;
    let (path, rest) = filter.split_once("//").unwrap_or((filter, ""));
    let (path, rest) = (path.trim().strip_prefix('.')?, rest.trim());
    let is_name = |it: &str| !it.is_empty() && calls::name(it) == it;
    let names: Vec<&str> = path.split('.').collect();
    if !["", "empty", "\"\"", "null"].contains(&rest) || !names.iter().all(|it| is_name(it)) {
        return None;
    }
    let meant = fields::meant(events, names[0]);
    // Whoever says what is to be done where there is none may know other events.
    let is_sure = rest.is_empty() || meant.as_ref().is_some_and(|it| it.starts_with("tool_input."));
    let events = if is_sure { events } else { &[] };
    let has = |field| fields::may_have(command.matcher.as_deref(), field);
    match names[..] {
        ["tool_input", field, ..] if has(field) == Some(false) => Fault::known("no-path", &[&path]),
        [first, ref more @ ..] if !fields::is_of(events, first) => {
            match meant
                .filter(|it| more.is_empty() || ["tool_input", "tool_response"].contains(&&**it))
            {
                Some(meant) => Fault::known("path-misspelled", &[&path, &meant]),
                None => Fault::known("no-path", &[&path]),
            }
        }
        _ => None,
    }
}

//! Would the client heed the answers that a line or script has in so many words?

use std::collections::BTreeMap;

use serde_json::Value;

use super::calls::{Call, Known};
use super::command::{Around, Command, Fault, Kind, Layer, Weight};
use super::denials;
use super::scripts::{MOST, on_own_path};
use crate::client::Event;
use crate::client::unheard::{is_answer, unheard};
use crate::machine::asking::Asking;
use crate::machine::child::{Ended, Finished};
use crate::syntax::shell::{self, Invocation};

/// An answer as it is written, and what is printed on standard error as such.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) text: String,
    pub(super) is_on_error: bool,
}

/// Words without which an object is no answer to the client.
const FIELDS: [&str; 6] = [
    "hookSpecificOutput",
    "decision",
    "permissionDecision",
    "updatedInput",
    "additionalContext",
    "\"continue\"",
];

pub(super) fn may_be_answer(text: &str) -> bool {
    FIELDS.iter().any(|field| text.contains(field))
}

/// The answers that a shell prints by `echo`, `printf` and `cat`.
pub(super) fn of_shell(text: &str) -> Vec<Written> {
    let mut written = Vec::new();
    shell::each_invocation(text, &mut |call| written.extend(of_call(call)));
    written
}

fn of_call(call: &Invocation<'_>) -> Option<Written> {
    let text = match call.program {
        "echo" | "printf" => {
            let words = call.arguments.iter().map(|word| &*word.text);
            let words: Vec<&str> = words.skip_while(|word| word.starts_with('-')).collect();
            words.join(" ")
        }
        "cat" => call.input?.to_owned(),
        _ => return None,
    };
    let text = text.trim().trim_end_matches("\\n").to_owned();
    let is_whole = text.starts_with('{') && text.ends_with('}') && !text.contains("%s");
    if !is_whole || !may_be_answer(&text) {
        return None;
    }
    let to = |operator: &str| call.redirections.iter().find(|it| it.operator == operator);
    let is_on_error = to(">&").is_some_and(|it| it.target.text == "2");
    let is_kept = [">", ">>", ">|", "&>"].iter().any(|operator| to(operator).is_some());
    (!is_kept).then_some(Written { text, is_on_error })
}

/// The fault of the answers to some events, where the client heeds none of them.
pub(super) fn fault(events: &[Event], text: &str, written: &[Written]) -> Option<Fault> {
    let is_heeded = |one: &Written| {
        !one.is_on_error && events.iter().any(|event| unheard(*event, &one.text).is_empty())
    };
    let (first, event) = (written.first()?, *events.first()?);
    // A script for several events asks which one it is.
    let names = text.matches("hook_event_name").count();
    let inside: usize = written.iter().map(|it| it.text.matches("hook_event_name").count()).sum();
    if names > inside || written.iter().any(is_heeded) {
        return None;
    }
    let why = if first.is_on_error && is_answer(&first.text) {
        "it is printed on standard error, which the client does not read".to_owned()
    } else {
        let why = unheard(event, &first.text).into_iter().next()?;
        // What the shell puts in is known to a run alone.
        let is_filled = first.text.contains(['$', '`']);
        let is_of_text = why.contains('$') || why.contains("JSON") || is_of_value(&why);
        (!is_filled || !is_of_text).then_some(why)?
    };
    let start: String = first.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let start: String = start.chars().take(60).collect();
    let message = format!("the answer `{start}…`: {why}");
    let fix = format!("correct it; `hookman events {event}` shows the form of an answer");
    Some(Fault::new(Kind::Answer, Weight::Risks, message, fix))
}

/// Returns whether a fault is about a value that may be filled in.
fn is_of_value(why: &str) -> bool {
    why.contains(" is not ")
}

/// A call of `jq` that is known whole.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    of: usize,
    words: Vec<String>,
    shown: String,
    /// True if what it prints may be an answer.
    is_heard: bool,
    reads_call: bool,
}

pub(super) fn of(of: usize, call: &Call) -> Option<Filter> {
    call.program.as_ref().filter(|program| program.text == "jq")?;
    let (options, shown) = jq(&call.arguments)?;
    let mut words = vec![on_own_path("jq")?.display().to_string()];
    words.extend(options);
    let operands =
        call.arguments.iter().rev().take_while(|it| it.as_ref().is_none_or(|it| it.text != shown));
    let reads_call = operands.count() == 0 && call.site.reads_call();
    Some(Filter { of, words, shown, is_heard: call.site.is_heard(), reads_call })
}

/// The call that filters of `jq` are tried on, which have no effect but what they print.
const CALL: &str = r#"{session_id: "s", transcript_path: "/t", cwd: "/", tool_name: "Bash", prompt: "a", tool_input: {command: "a", file_path: "/a", content: "a"}}"#;

/// The option of `jq` to read nothing, and to print a value on a line.
const NO_INPUT: &str = "-nc";

/// The end of a `jq` that cannot read its filter.
const REFUSED: Ended = Ended::Exited(3);

fn jq(arguments: &[Option<Known>]) -> Option<(Vec<String>, String)> {
    let (mut words, mut filter) = (vec![NO_INPUT.to_owned()], None);
    let mut arguments = arguments.iter();
    while let Some(word) = arguments.next() {
        // Behind the filter there may be files that are not known.
        let Some(word) = word.as_ref().map(|word| word.text.as_str()) else {
            filter.as_ref()?;
            continue;
        };
        match word {
            "--arg" | "--argjson" | "--slurpfile" | "--rawfile" => {
                let name = arguments.next()?.as_ref()?;
                arguments.next()?;
                words.extend(["--arg", &name.text, "x"].map(str::to_owned));
            }
            "--args" | "--jsonargs" => break,
            _ if word.starts_with("--") => return None,
            _ if word.starts_with('-') && word.contains(['f', 'L']) => return None,
            _ if word.starts_with('-') => {}
            _ => filter = filter.or(Some(word)),
        }
    }
    let filter = filter.filter(|it| !it.contains("import ") && !it.contains("include "))?;
    words.push(format!("{CALL} | ({filter}\n)"));
    Some((words, filter.to_owned()))
}

pub(super) fn faults(
    filters: &[Filter],
    commands: &[(Command<'_>, Around)],
    asking: &Asking,
) -> Vec<(usize, Fault)> {
    let mut once: Vec<&[String]> = filters.iter().map(|filter| &*filter.words).collect();
    once.sort_unstable();
    once.dedup();
    once.truncate(MOST);
    let mut printed = together(&once, asking);
    let others: Vec<&[String]> =
        once.iter().copied().filter(|words| !printed.contains_key(words)).collect();
    let finished = asking.run(others.iter().map(|words| (*words, "")));
    let mut refused = BTreeMap::new();
    for (words, finished) in others.iter().copied().zip(finished) {
        let Ok(finished) = finished else { continue };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        refused.insert(words, (finished.ended, text(&finished.stderr)));
        printed.insert(words, text(&finished.stdout));
    }
    let fault = |filter: &Filter| {
        let command = &commands[filter.of].0;
        let words = &*filter.words;
        let refused = refused.get(words).filter(|(ended, _)| *ended == REFUSED);
        let fault = if let Some((_, said)) = refused {
            unreadable(filter, said)
        } else {
            let text = printed.get(words)?.clone();
            let is_answer = filter.is_heard && may_be_answer(&text);
            let answer = is_answer.then_some(Written { text, is_on_error: false });
            denials::path(command, &filter.shown)
                .filter(|_| filter.reads_call)
                .or_else(|| fault(&command.events, "", &[answer?]))?
        };
        Some((filter.of, Fault { layer: Layer::Parsed, ..fault }))
    };
    filters.iter().filter_map(fault).collect()
}

/// The output of filters that can be read: those with the same options are read in one run.
fn together<'f>(once: &[&'f [String]], asking: &Asking) -> BTreeMap<&'f [String], String> {
    let mut groups: BTreeMap<&[String], Vec<&'f [String]>> = BTreeMap::new();
    for words in once.iter().copied() {
        groups.entry(&words[..words.len() - 1]).or_default().push(words);
    }
    let joined = |(options, of): (&&[String], &Vec<&[String]>)| {
        let row = |(number, words): (usize, &&[String])| {
            format!("(try ({}) catch empty | [{number}, .])", words[words.len() - 1])
        };
        let rows: Vec<String> = of.iter().enumerate().map(row).collect();
        [*options, &[rows.join(", ")]].concat()
    };
    let runs: Vec<Vec<String>> = groups.iter().map(joined).collect();
    let mut printed = BTreeMap::new();
    for (of, finished) in groups.values().zip(asking.run(runs.iter().map(|words| (&**words, "")))) {
        let Ok(finished @ Finished { ended: Ended::Exited(0), .. }) = finished else { continue };
        printed.extend(of.iter().map(|words| (*words, String::new())));
        let rows = String::from_utf8_lossy(&finished.stdout).into_owned();
        for row in rows.lines() {
            let Ok((number, value)) = serde_json::from_str::<(usize, Value)>(row) else { continue };
            if let Some(text) = of.get(number).and_then(|words| printed.get_mut(words)) {
                text.push_str(&(value.to_string() + "\n"));
            }
        }
    }
    printed
}

fn unreadable(filter: &Filter, said: &str) -> Fault {
    let said = said.lines().next().unwrap_or_default();
    let why = said.split(" at <top-level>").next().unwrap_or_default();
    let start: String = filter.shown.chars().take(60).collect();
    let message = format!("`{start}` cannot be read: {why}");
    Fault::new(Kind::Syntax, Weight::Breaks, message, "correct it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_is_written_out_is_judged() {
        let deny =
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#;
        let none = r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#;
        let rows = [
            (format!("echo '{deny}'"), ""),
            (format!("echo '{deny}' >&2"), "standard error"),
            (format!("printf '%s' '{none}'; echo '{none}'"), "no `hookEventName`"),
            (format!("cat <<END\n{none}\nEND"), "no `hookEventName`"),
            (format!("echo '{none}' >> log"), ""),
            (format!("if x; then echo '{none}'; else echo '{deny}'; fi"), ""),
            (format!("jq .hook_event_name; echo '{none}'"), ""),
            ("echo \"{\\\"decision\\\": \\\"$word\\\"}\"".to_owned(), ""),
            ("echo '{\"decision\": \"block\",}'".to_owned(), "valid JSON"),
            ("echo '{\"note\": 1}'".to_owned(), ""),
        ];
        for (line, expected) in rows {
            let found = fault(&[Event::PreToolUse], &line, &of_shell(&line));
            let message = found.map(|fault| fault.message).unwrap_or_default();
            let is_it =
                if expected.is_empty() { message.is_empty() } else { message.contains(expected) };
            assert!(is_it, "{line}: {message}");
        }
    }
}

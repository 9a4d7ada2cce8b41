//! Scripts of Python, read by Python without being run.

use super::answers::{self, Written};
use super::fault::{Fault, Kind, Layer, Weight};
use super::scripts::{Run, Script, by_program, unreadable};
use crate::client::event::{Event, ExitTwo};
use crate::client::fields;
use crate::client::unheard::{is_answer, refuses};
use crate::machine::child::Finished;

/// Prints the kind, the number of the script, the line and a text of each finding.
const READER: &str = include_str!("parsed.py");

/// One run for each Python that scripts are for.
pub(super) fn runs<'s>(scripts: &[&'s Script]) -> Vec<Run<'s>> {
    by_program(scripts, &["-I", "-c", READER, &fields::OF_PAYLOADS.join(",")], read)
}

fn read(of: &[&Script], finished: &Finished) -> Vec<(usize, Fault)> {
    let stdout = String::from_utf8_lossy(&finished.stdout);
    let mut faults: Vec<(usize, Fault)> = Vec::new();
    for (number, script) in of.iter().enumerate() {
        let rows = stdout.lines().filter_map(|row| {
            let mut parts = row.splitn(4, '\t');
            let (kind, of) = (parts.next()?, parts.next()?);
            let is_it = of.parse() == Ok(number);
            is_it.then_some((kind, parts.next()?, parts.next()?))
        });
        let rows: Vec<(&str, &str, &str)> = rows.collect();
        let answer = |(kind, _, text): &(&str, &str, &str)| {
            let text = (*text).to_owned();
            kind.starts_with("answer")
                .then(|| Written { text, is_on_error: *kind == "answer-on-error" })
        };
        let answers: Vec<Written> = rows.iter().filter_map(answer).collect();
        let found = rows.iter().filter_map(|row| fault(script, row));
        let found = found.chain(answers::fault(&script.events, "", &answers));
        faults.extend(found.map(|fault| (script.of, Fault { layer: Layer::Parsed, ..fault })));
    }
    faults
}

fn fault(script: &Script, (kind, line, text): &(&str, &str, &str)) -> Option<Fault> {
    let shown = &script.shown;
    let blocks = |event: &Event| {
        matches!(event.facts().exit_two, ExitTwo::BlocksForModel | ExitTwo::BlocksForUser)
    };
    Some(match *kind {
        "syntax" => unreadable(script, &format!("line {line}: {text}")),
        "exit" if refuses(text) && script.events.iter().any(blocks) => Fault::new(
            Kind::Answer,
            Weight::Risks,
            format!("line {line} of `{shown}` says no with exit code 1, which blocks nothing"),
            "print the text on standard error and end with 2: `sys.exit(2)`",
        ),
        "swallowed" if script.events.iter().any(blocks) => Fault::new(
            Kind::Answer,
            Weight::Risks,
            format!(
                "line {line} of `{shown}` catches the `SystemExit` that ends with 2, which blocks"
            ),
            "write `except Exception:`",
        ),
        "field" => Fault::new(
            Kind::Input,
            Weight::Risks,
            format!("line {line} of `{shown}` reads `{text}`, which no call has"),
            "look at a payload: `hookman try --sample EVENT` prints one",
        ),
        "dict" if is_answer(text) => Fault::new(
            Kind::Answer,
            Weight::Risks,
            format!("line {line} of `{shown}` prints a `dict`, which is no JSON"),
            "write `print(json.dumps(…))`",
        ),
        "module" if !script.brings_modules => Fault::new(
            Kind::Needs,
            Weight::Risks,
            format!("line {line} of `{shown}` imports `{text}`, which its Python does not have"),
            "install the module for that Python, or have the hook run by one that has it",
        ),
        "itself" => Fault::new(
            Kind::Syntax,
            Weight::Risks,
            format!("`{shown}` imports `{text}`, and has that name itself"),
            "give the script another name",
        ),
        "unbound" => Fault::new(
            Kind::Syntax,
            Weight::Risks,
            format!("line {line} of `{shown}` uses `{text}` without importing it"),
            format!("write `import {text}`"),
        ),
        "program" => Fault::new(
            Kind::Needs,
            Weight::Risks,
            format!("line {line} of `{shown}` calls `{text}`, which is not on the PATH"),
            format!("install `{text}`, or have the script go without it"),
        ),
        _ => return None,
    })
}

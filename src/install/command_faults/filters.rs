//! Filters of `jq` and patterns of `grep`, read by these programs.

use super::answers::{self, Written};
use super::calls::{Call, Known};
use super::command::{Around, Command};
use super::fault::{Fault, Kind, Layer, Weight};
use super::input;
use super::scripts::{MOST, on_own_path, run};
use crate::machine::child::Ended;

/// A call that reads a filter and nothing else.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    /// The number of the command that it is in.
    of: usize,
    words: Vec<String>,
    shown: String,
    /// The exit code for a filter that cannot be read.
    code: i32,
    /// True if what it prints may be an answer.
    is_heard: bool,
    /// True if it reads the call.
    reads_call: bool,
}

/// The filter of a call, where it is written out.
pub(super) fn of(of: usize, call: &Call) -> Option<Filter> {
    let name = call.program.as_ref()?.text.as_str();
    let (options, shown, code) = match name {
        "jq" => jq(&call.arguments)?,
        "grep" | "egrep" => grep(&call.arguments)?,
        _ => return None,
    };
    let mut words = vec![on_own_path(name)?.display().to_string()];
    words.extend(options);
    let operands =
        call.arguments.iter().rev().take_while(|it| it.as_ref().is_none_or(|it| it.text != shown));
    let reads_call = name == "jq" && operands.count() == 0 && call.site.reads_call();
    let is_heard = name == "jq" && call.site.is_heard();
    Some(Filter { of, words, shown, code, is_heard, reads_call })
}

/// The call that filters of `jq` are tried on, which have no effect but what they print.
const CALL: &str = r#"{session_id: "s", transcript_path: "/t", cwd: "/", tool_name: "Bash", prompt: "a", tool_input: {command: "a", file_path: "/a", content: "a"}}"#;

type Reading = (Vec<String>, String, i32);

fn jq(arguments: &[Option<Known>]) -> Option<Reading> {
    let (mut words, mut filter) = (vec!["-nc".to_owned()], None);
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
    Some((words, filter.to_owned(), 3))
}

fn grep(arguments: &[Option<Known>]) -> Option<Reading> {
    let mut words = Vec::new();
    for word in arguments {
        let word = &word.as_ref()?.text;
        let Some(letters) = word.strip_prefix('-') else {
            words.extend(["-e", word, "/dev/null"].map(str::to_owned));
            return Some((words, word.clone(), 2));
        };
        if letters.is_empty() || !letters.chars().all(|it| "EFGPiqosvwxclnhH".contains(it)) {
            return None;
        }
        words.push(word.clone());
    }
    None
}

/// The faults of filters, each with the number of its command.
pub(super) fn faults(
    filters: &[Filter],
    commands: &[(Command<'_>, Around)],
) -> Vec<(usize, Fault)> {
    let mut once: Vec<&[String]> = filters.iter().map(|filter| &*filter.words).collect();
    once.sort_unstable();
    once.dedup();
    once.truncate(MOST);
    let finished = run(once.iter().copied());
    let fault = |filter: &Filter| {
        let finished = finished.get(once.binary_search(&&*filter.words).ok()?)?.as_ref().ok()?;
        let command = &commands[filter.of].0;
        let fault = if finished.ended == Ended::Exited(filter.code) {
            unreadable(filter, &String::from_utf8_lossy(&finished.stderr))
        } else {
            let text = String::from_utf8_lossy(&finished.stdout).into_owned();
            let is_answer = filter.is_heard && answers::may_be_answer(&text);
            let answer = is_answer.then_some(Written { text, is_on_error: false });
            input::path(command, &filter.shown)
                .filter(|_| filter.reads_call)
                .or_else(|| answers::fault(&command.events, "", &[answer?]))?
        };
        Some((filter.of, Fault { layer: Layer::Parsed, ..fault }))
    };
    filters.iter().filter_map(fault).collect()
}

fn unreadable(filter: &Filter, said: &str) -> Fault {
    let said = said.lines().next().unwrap_or_default();
    let why = said.split(" at <top-level>").next().unwrap_or_default();
    let start: String = filter.shown.chars().take(60).collect();
    let message = format!("`{start}` cannot be read: {why}");
    Fault::new(Kind::Syntax, Weight::Breaks, message, "correct it")
}

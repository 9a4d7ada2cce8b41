//! Would the client heed the answers that a line or script has in so many words?

use regress::{Match, Regex};
use serde_json::{Map, Value};

use super::command::Fault;
use crate::client::Event;
use crate::client::unheard::{is_answer, unheard};
use crate::syntax::named::words;
use crate::syntax::shell::{self, Invocation};

/// An answer as it is written, and what is printed on standard error as such.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) text: String,
    pub(super) is_on_error: bool,
}

/// Words without which an object is no answer to the client.
const FIELDS: [&str; 6] = words(
    "hookSpecificOutput decision permissionDecision updatedInput additionalContext \"continue\"",
);

/// The answers that a shell prints by `echo`, `printf`, `cat` and `jq`.
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
        "jq" => call.arguments.iter().find_map(|word| object(&word.text))?,
        _ => return None,
    };
    let text = text.trim().trim_end_matches("\\n").to_owned();
    let is_whole = text.starts_with('{') && text.ends_with('}') && !text.contains("%s");
    if !is_whole || !FIELDS.iter().any(|field| text.contains(field)) {
        return None;
    }
    let to = |operator: &str| call.redirections.iter().find(|it| it.operator == operator);
    let is_on_error = to(">&").is_some_and(|it| it.target.text == "2");
    let is_kept = [">", ">>", ">|", "&>"].iter().any(|operator| to(operator).is_some());
    (!is_kept).then_some(Written { text, is_on_error })
}

/// The object that a filter of `jq` makes, where it is written out but for variables and what is in brackets.
fn object(filter: &str) -> Option<String> {
    filter.trim_start().strip_prefix('{')?;
    let value = Regex::new(r":\s*(?:\$\w+|\([^()]*\))").ok()?;
    let key = Regex::new(r"([{,]\s*)(\w+)\s*:").ok()?;
    let text = value.replace_all_with(filter, |_| ":\"$\"".to_owned());
    let part = |found: &Match, group| text[found.group(group).unwrap_or(0..0)].to_owned();
    let made = key.replace_all_with(&text, |it| format!("{}\"{}\":", part(it, 1), part(it, 2)));
    serde_json::from_str::<Map<String, Value>>(&made).is_ok().then_some(made)
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
        let is_of_text = ["$", "JSON", " is not "].iter().any(|it| why.contains(it));
        (!is_filled || !is_of_text).then_some(why)?
    };
    let start: String = first.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let start: String = start.chars().take(60).collect();
    Fault::known("unheard-answer", &[&start, &why, &event])
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
            (
                "jq -n --arg why x '{decision: \"aprove\", reason: $why}'".to_owned(),
                "not \"aprove\"",
            ),
            ("jq -n '{decision: $it, reason: \"a\"}'; jq '{decision: .x}'".to_owned(), ""),
            ("jq -n '{decision: \"aprove\", reason: (\"a \" + $b)}'".to_owned(), "not \"aprove\""),
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

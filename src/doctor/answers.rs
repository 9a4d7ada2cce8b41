//! Checks of a command's output: would the client understand what the command means?

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::client::answer::Answer;
use crate::client::output::{self, Output};
use crate::client::unheard::{is_answer, refuses, unheard};
use crate::client::{Decision, Event, ExitTwo, PlainText, noise};
use crate::syntax::named::words;

pub(super) struct Said<'a> {
    pub(super) event: Event,
    pub(super) code: i32,
    pub(super) stdout: &'a str,
    pub(super) stderr: &'a str,
    /// True if nobody waits for it.
    pub(super) is_async: bool,
    /// True if any failure of it is a denial.
    pub(super) is_closed: bool,
    /// True if it says what is to be done where something in it fails.
    pub(super) has_other: bool,
    /// True if its script has the words that it prints on standard error.
    pub(super) is_own: bool,
    /// True if its exit code is a finding as it is.
    pub(super) is_named: bool,
}

/// The faults of it, in words; the last part is what is merely heard by nobody.
pub(super) fn judge(said: &Said<'_>) -> (Vec<String>, Option<String>) {
    let Said { event, code, stdout, stderr, .. } = *said;
    let output = output::read(event, stdout);
    let mut faults: Vec<String> = of_interpreter(said).into_iter().collect();
    let is_borne = code == 0 && said.has_other && !faults.is_empty();
    let borne = is_borne.then(|| faults.remove(0));
    let is_broken = !faults.is_empty();
    if !is_broken && matches!(code, 126 | 127) {
        faults.push(format!("it ended with {code}: {}", last_line(stderr)));
    }
    faults.extend(unheard(event, stdout));
    let has_text = output == Output::Text;
    let has_decided = matches!(&output, Output::Answer(answer) if answer.decision.is_some());
    if !is_broken && !has_decided {
        faults.extend(of_code(said));
    }
    // Words on standard output are a reason that was meant to be read.
    let unread = without_reason(said, &output);
    let lost = unread.filter(|_| !is_broken && has_text);
    // The client reads the last line.
    let path = stdout.trim().rsplit('\n').next().unwrap_or_default();
    let is_path = !path.is_empty() && (!path.contains(' ') || path.contains('/'));
    let is_said = |is_so: bool, says| is_so.then_some(says);
    let more = [
        is_said(is_unknown(stdout), "the client reads no key of its JSON"),
        is_said(
            has_text && noise::among(event, stdout, true).is_some(),
            "there is other text around its JSON, and the client takes the whole for text",
        ),
        is_said(
            code != 2 && is_answer(stderr),
            "it prints its JSON on standard error, which the client does not read",
        ),
        lost,
        is_said(
            said.is_async && (code == 2 || is_no(&output)),
            "it says no, and nobody waits for a hook that is `async`",
        ),
        is_said(
            event == Event::WorktreeCreate && code == 0 && !is_path,
            "its last line of output is no path, so the client makes no worktree",
        ),
    ];
    faults.extend(more.into_iter().flatten().map(str::to_owned));
    let has_failed = !matches!(code, 0 | 2) && !has_decided;
    if has_failed && faults.is_empty() {
        faults.extend(unexplained(said));
    }
    let is_on_error = stdout.is_empty() && !stderr.trim().is_empty();
    let note = match event {
        _ if !faults.is_empty() => None,
        Event::PreCompact if has_text && code == 0 => {
            Some("what it prints becomes instructions for the summary".to_owned())
        }
        _ if has_text && code == 0 && event.facts().plain_text == PlainText::Ignored => {
            Some(format!("what it prints is plain text, which nobody reads on {event}"))
        }
        _ if has_failed && stderr.is_empty() => Some(format!(
            "it ends with {code} and nothing on standard error, which the client shows as an error"
        )),
        Event::UserPromptSubmit | Event::SessionStart if code == 0 && is_on_error => {
            Some("it prints only on standard error, which the model does not see".to_owned())
        }
        _ => unread.map(str::to_owned),
    };
    (faults, borne.or(note))
}

/// Names an exit code that comes with words which nobody knows.
fn unexplained(said: &Said<'_>) -> Option<String> {
    let text = said.stderr.trim();
    let is_error = |line: &&str| line.contains("rror: ");
    let line = text.lines().find(is_error).or_else(|| text.lines().next())?.trim();
    let code = said.code;
    (!said.is_closed && !said.is_named).then(|| {
        format!(
            "it ends with {code} and says `{}`, which the client shows as an error",
            shortened(line)
        )
    })
}

/// Returns whether a text is an object, not of the payload's, without a key that the client knows.
fn is_unknown(stdout: &str) -> bool {
    const KEYS: [&str; 9] = words(
        "async continue decision hookSpecificOutput hook_event_name stopReason suppressOutput \
         systemMessage terminalSequence",
    );
    let object: Option<Map<String, Value>> = serde_json::from_str(stdout.trim()).ok();
    object.is_some_and(|it| !it.is_empty() && !it.keys().any(|key| KEYS.contains(&key.as_str())))
}

pub(super) fn is_no(output: &Output) -> bool {
    matches!(output, Output::Answer(answer) if answer.decision == Some(Decision::Deny))
}

/// The note on a refusal whose reason the model is not told.
fn without_reason(said: &Said<'_>, output: &Output) -> Option<&'static str> {
    let two = said.event.facts().exit_two;
    if !matches!(two, ExitTwo::BlocksForModel | ExitTwo::BlocksForUser) {
        return None;
    }
    let is_empty = |answer: &Answer| answer.reason.as_deref().unwrap_or_default().trim().is_empty();
    match output {
        Output::Answer(answer) if answer.decision == Some(Decision::Deny) && is_empty(answer) => {
            Some("it says no in JSON without a reason, so the model is not told why")
        }
        Output::Answer(answer) if !is_empty(answer) => None,
        _ if said.code == 2 && said.stderr.trim().is_empty() => Some(
            "it ends with 2 and prints nothing on standard error, so the model is not told why",
        ),
        _ => None,
    }
}

fn of_code(said: &Said<'_>) -> Option<String> {
    let Said { event, code, stderr, stdout, .. } = *said;
    let two = event.facts().exit_two;
    let blocks =
        matches!(two, ExitTwo::BlocksForModel | ExitTwo::BlocksForUser | ExitTwo::BlocksSilently);
    let is_of_stop = matches!(event, Event::Stop | Event::SubagentStop) && said.is_own;
    let refuses = refuses(stderr) || refuses(stdout);
    match code {
        0 | 126 | 127 => None,
        2 if matches!(two, ExitTwo::Ignored | ExitTwo::TellsUser)
            || two == ExitTwo::TellsModel && refuses =>
        {
            let fix = match event {
                Event::PermissionRequest => ": it takes `hookSpecificOutput.decision` alone",
                Event::PostToolUse => ", as the call was made before: PreToolUse can stop it",
                _ => "",
            };
            Some(format!("it ends with 2, which stops nothing on {event}{fix}"))
        }
        code if code != 2 && is_of_stop && !said.is_closed => Some(format!(
            "it gives a reason and ends with {code}, which lets the turn end: only 2 keeps it going"
        )),
        code if code != 2 && blocks && refuses && !said.is_closed => {
            Some(format!("it says no with exit code {code}, which blocks nothing: only 2 does"))
        }
        _ => None,
    }
}

fn last_line(text: &str) -> &str {
    text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}

/// The words by which a line is an interpreter's message, as `messages.toml` has them.
#[derive(Default, Deserialize)]
struct Messages {
    numbered: Vec<String>,
    starts: Vec<String>,
    inside: Vec<String>,
}

static MESSAGES: LazyLock<Messages> =
    LazyLock::new(|| toml::from_str(include_str!("messages.toml")).unwrap_or_default());

/// The line of standard error in which an interpreter says what is wrong.
fn of_interpreter(said: &Said<'_>) -> Option<String> {
    let Said { event, code, stderr, .. } = *said;
    let is_of_shell = |line: &str| {
        let numbered = line.split(": ").any(|part| {
            // zsh has the line's number right behind the file's name.
            let number = part.rsplit([' ', ':']).next().unwrap_or_default();
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        });
        numbered && MESSAGES.numbered.iter().any(|end| line.contains(end))
    };
    let is_it = |line: &&str| {
        is_of_shell(line)
            || MESSAGES.starts.iter().any(|start| line.starts_with(start))
            || MESSAGES.inside.iter().any(|part| line.contains(part))
    };
    // Python has the reason in the last line, and ends with 1; what a hook quotes comes behind words of its own.
    let is_traced = stderr.trim_start().starts_with("Traceback (most recent call last)")
        || code == 1 && stderr.contains("\nTraceback (most recent call last)");
    let traced = is_traced.then(|| last_line(stderr));
    let is_of_stop = matches!(event, Event::Stop | Event::SubagentStop) && code != 0;
    let begins = || stderr.lines().next().is_some_and(|line| is_it(&line.trim()));
    if is_of_stop && !is_traced && (said.is_own || code == 2 && !begins()) {
        return None;
    }
    let line = traced.or_else(|| stderr.lines().map(str::trim).find(is_it))?;
    let blocks = matches!(event.facts().exit_two, ExitTwo::BlocksForModel | ExitTwo::BlocksForUser);
    let locks = if code == 2 && blocks { ", and its exit code 2 blocks each call" } else { "" };
    Some(format!("standard error says `{}`{locks}", shortened(line)))
}

pub(super) fn shortened(line: &str) -> String {
    line.chars().take(160).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_hears_and_what_breaks_is_named() {
        use Event::{PermissionRequest, PostToolUse, PreToolUse, SessionStart, UserPromptSubmit};
        let deny =
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#;
        let text = format!("Now using node 20\n{deny}");
        let other = deny.replace("\"PreToolUse\"", "\"PostToolUse\"");
        let none = deny.replace("\"hookEventName\":\"PreToolUse\",", "");
        let context = r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","additionalContext":"x"}}"#;
        let rows: &[(Event, i32, &str, &str, &str)] = &[
            (PreToolUse, 0, "", "", ""),
            (PreToolUse, 2, "", "blocked", ""),
            (PreToolUse, 0, deny, "", ""),
            (PreToolUse, 1, deny, "", ""),
            (PreToolUse, 1, "", "prettier: cannot parse", "ends with 1 and says `prettier"),
            (PreToolUse, 1, "", "Blocked: rm", "says no with exit code 1"),
            (PreToolUse, 0, r#"{"action":"block"}"#, "", "no key of its JSON"),
            (PreToolUse, 0, r#"{"hook_event_name":"PreToolUse"}"#, "", ""),
            (PreToolUse, 0, "", deny, "prints its JSON on standard error"),
            (PreToolUse, 0, &text, "", "other text around its JSON"),
            (PreToolUse, 0, &other, "", "`hookEventName` is PostToolUse"),
            (PreToolUse, 0, &none, "", "no `hookEventName`"),
            (PreToolUse, 0, r#"{"permissionDecision":"deny"}"#, "", "has no effect at the top"),
            (PreToolUse, 127, "", "sh: 1: nope: not found", "standard error says"),
            (
                PreToolUse,
                0,
                "",
                "x.sh: line 3: [: too many: integer expression expected",
                "standard error says",
            ),
            (PreToolUse, 2, "", "python3: can't open file '/a': [Errno 2]", "blocks each call"),
            (
                PreToolUse,
                1,
                "",
                "Traceback (most recent call last):\n  x\nKeyError: 'a'",
                "KeyError",
            ),
            (PreToolUse, 2, "", "line 3 is denied", ""),
            (PostToolUse, 2, "", "run the formatter", ""),
            (PostToolUse, 2, "", "blocked", "the call was made before"),
            (PermissionRequest, 2, "", "no", "takes `hookSpecificOutput.decision` alone"),
            (PermissionRequest, 0, context, "", "`additionalContext` has no effect"),
            (SessionStart, 2, "", "no", "stops nothing on SessionStart"),
            (UserPromptSubmit, 0, "text", "", ""),
            (UserPromptSubmit, 1, "", "not allowed", "says no with exit code 1"),
        ];
        for (event, code, stdout, stderr, expected) in rows {
            let (event, code) = (*event, *code);
            let said = Said {
                event,
                code,
                stdout,
                stderr,
                is_async: false,
                is_closed: false,
                has_other: false,
                is_own: false,
                is_named: false,
            };
            let found = judge(&said).0.join("; ");
            let is_it =
                if expected.is_empty() { found.is_empty() } else { found.contains(expected) };
            assert!(is_it, "{event} {code} {stdout} {stderr}: {found}");
        }
    }

    #[test]
    fn what_nobody_waits_for_or_reads_is_told() {
        let said = Said {
            event: Event::PreToolUse,
            code: 2,
            stdout: "",
            stderr: "no",
            is_async: true,
            is_closed: false,
            has_other: false,
            is_own: false,
            is_named: false,
        };
        assert!(judge(&said).0[0].contains("nobody waits"));
        let said = Said { code: 0, stdout: "hello", stderr: "", is_async: false, ..said };
        assert_eq!(judge(&said).0, Vec::<String>::new());
        assert!(judge(&said).1.unwrap().contains("nobody reads on PreToolUse"));
    }
}

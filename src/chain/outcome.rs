//! What a step came to.

use std::fmt;

use super::failing;
use crate::client::answer::{Answer, Decision};
use crate::client::event::{Block, Event, PlainText};
use crate::client::misplaced::misplaced;
use crate::client::noise::{self, Found};
use crate::client::output::{self, Output, Said};
use crate::manifest::OnError;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// With this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// Its time was up, after so many milliseconds.
    TimedOut(u64),
    /// It did not: it said that it goes on alone.
    GoesOn,
}

/// Why a hook came to no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It could not be started.
    NotStarted(String),
    /// It took longer than so many milliseconds.
    TimedOut(u64),
    /// A signal ended it.
    Signal(i32),
    /// It exited with a code that is neither 0 nor 2, and this is what it last said.
    Code(i32, String),
    /// Its output is no answer.
    Output(String),
    /// A built-in hook could not decide.
    Builtin(String),
}

impl Failure {
    /// One word for journals.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NotStarted(_) => "not-started",
            Self::TimedOut(_) => "timed-out",
            Self::Signal(_) => "signal",
            Self::Code(..) => "exit-code",
            Self::Output(_) => "output",
            Self::Builtin(_) => "builtin",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted(why) => write!(formatter, "could not be started: {why}"),
            Self::TimedOut(ms) if ms % 1000 == 0 => {
                write!(formatter, "took longer than {} s", ms / 1000)
            }
            Self::TimedOut(ms) => write!(formatter, "took longer than {ms} ms"),
            Self::Signal(signal) => write!(formatter, "was killed by signal {signal}"),
            Self::Code(code, said) if said.is_empty() => write!(formatter, "exited with {code}"),
            Self::Code(code, said) => write!(formatter, "exited with {code}: {said}"),
            Self::Output(why) => write!(formatter, "gave no usable answer: {why}"),
            Self::Builtin(why) => write!(formatter, "could not decide: {why}"),
        }
    }
}

/// What a hook answered, or why it did not.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// An answer, and the exact words where a command gave it.
    Answer(Answer, Option<Said>),
    /// No answer.
    Failure(Failure),
}

/// The two outputs of a command.
#[derive(Clone, Copy, Debug)]
pub struct Heard<'a> {
    /// Standard output.
    pub stdout: &'a str,
    /// Standard error.
    pub stderr: &'a str,
    /// Whether standard output had more than this.
    pub cut: bool,
}

/// What was read from a command.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// What it came to.
    pub outcome: Outcome,
    /// What was odd and was still understood.
    pub warning: Option<String>,
}

impl From<Outcome> for Read {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, warning: None }
    }
}

/// Reads what a command did the way the client would.
///
/// Source: the client's hooks reference, "Exit code output" and "JSON output".
///
/// Two things differ. From a hook that must not fail open, what the client takes for text or passes
/// over is no answer, if it looks like one: JSON that is none, an output that was cut, a field that
/// decides nothing where it stands, something unreadable beside an answer that is no denial. And an
/// answer among other text is read as far as it holds back or tells something, which the client
/// would throw away.
pub fn read(event: Event, exit: Exit, heard: Heard<'_>, on_error: OnError) -> Read {
    let is_gate = on_error != OnError::Open;
    let mut read = answer(event, exit, heard, on_error);
    let Outcome::Answer(answer, _) = &read.outcome else { return read };
    if answer.decision == Some(Decision::Deny) {
        return read;
    }
    if is_gate && heard.cut {
        return Outcome::Failure(Failure::Output(TOO_LONG.to_owned())).into();
    }
    let Some(why) = (!decides(event, answer)).then(|| misplaced(event, heard.stdout)).flatten()
    else {
        return read;
    };
    if is_gate {
        return Outcome::Failure(Failure::Output(why)).into();
    }
    read.warning.get_or_insert(why);
    read
}

const TOO_LONG: &str = "its output was too long and was cut";

/// Whether an answer decides something, be it only that the client stops.
fn decides(event: Event, answer: &Answer) -> bool {
    answer.decision.is_some() || holds_back(event, answer)
}

/// Whether an answer holds back all there is to hold back.
fn holds_back(event: Event, answer: &Answer) -> bool {
    answer.decision == Some(Decision::Deny)
        || answer.stop && event.facts().top.contains(&"continue")
}

fn answer(event: Event, exit: Exit, heard: Heard<'_>, on_error: OnError) -> Read {
    let Heard { stdout, stderr, .. } = heard;
    let failed = |failure| Outcome::Failure(failure).into();
    let code = match exit {
        Exit::Code(code) => code,
        Exit::Signal(signal) => return failed(Failure::Signal(signal)),
        Exit::TimedOut(ms) => return failed(Failure::TimedOut(ms)),
        Exit::GoesOn => return goes_on(on_error),
    };
    let said = || Said { stdout: stdout.to_owned(), stderr: String::new(), code: 0 };
    let output = output::read(event, stdout);
    match (code, &output) {
        (0 | 2, _) => {}
        // A hook that failed is not believed where it lets through; a gate only where it holds back.
        (_, Output::Answer(answer))
            if answer.decision == Some(Decision::Allow)
                || (on_error != OnError::Open && answer.decision.is_none() && !answer.stop) =>
        {
            return failed(of_code(code, stderr));
        }
        _ => {}
    }
    match (code, output) {
        (2, output) => blocked(event, output, stderr).into(),
        (0, _) if output::goes_on_alone(stdout.as_bytes()) => goes_on(on_error),
        (_, Output::Answer(answer)) => Outcome::Answer(answer, Some(said())).into(),
        (0, Output::Empty) => Outcome::Answer(Answer::default(), None).into(),
        (0, output @ (Output::Text | Output::Malformed(_))) => among_noise(event, stdout, on_error)
            .unwrap_or_else(|| match output {
                Output::Malformed(why) => failed(Failure::Output(why)),
                _ => plain(event, heard, on_error),
            }),
        (_, Output::Malformed(why)) => failed(Failure::Output(why)),
        (code, _) => failed(of_code(code, stderr)),
    }
}

fn of_code(code: i32, stderr: &str) -> Failure {
    match code {
        126 => Failure::NotStarted(last_words(stderr, "it is not executable (exit code 126)")),
        127 => Failure::NotStarted(last_words(stderr, "it was not found (exit code 127)")),
        code => Failure::Code(code, last_words(stderr, "")),
    }
}

fn goes_on(on_error: OnError) -> Read {
    if on_error != OnError::Open {
        let why = "it went on in the background (`async`), where it can decide nothing";
        return Outcome::Failure(Failure::Output(why.to_owned())).into();
    }
    let warning = Some("it goes on in the background".to_owned());
    Read { outcome: Outcome::Answer(Answer::default(), None), warning }
}

fn among_noise(event: Event, stdout: &str, on_error: OnError) -> Option<Read> {
    let Found { answer, noise, doubted, misplaced, unread } = noise::among(event, stdout)?;
    let is_gate = on_error != OnError::Open;
    let misplaced = misplaced.filter(|_| !decides(event, &answer));
    let unread = unread.filter(|_| !holds_back(event, &answer));
    if let Some(why) = misplaced.or(unread).filter(|_| is_gate) {
        return Some(Outcome::Failure(Failure::Output(why)).into());
    }
    let bytes = if noise == 1 { "byte" } else { "bytes" };
    let mut warning = format!("{noise} {bytes} of other text stood beside its answer");
    if doubted {
        warning.push_str(", so its `allow` or rewrite is not believed");
    }
    Some(Read { outcome: Outcome::Answer(answer, None), warning: Some(warning) })
}

fn plain(event: Event, heard: Heard<'_>, on_error: OnError) -> Read {
    let text = output::trimmed(heard.stdout);
    let is_gate = on_error != OnError::Open;
    let why = match (text.starts_with('{'), heard.cut) {
        (false, false) if is_gate && noise::names_answer(event, text) => {
            "its output names a field of an answer, but no answer can be read from it"
        }
        (true, true) => TOO_LONG,
        (true, false) if is_gate => "its JSON is incomplete",
        _ => "",
    };
    if !why.is_empty() {
        return Outcome::Failure(Failure::Output(why.to_owned())).into();
    }
    if event.facts().plain_text == PlainText::Ignored {
        return Outcome::Answer(Answer::default(), None).into();
    }
    let said = Said { stdout: heard.stdout.to_owned(), stderr: String::new(), code: 0 };
    Outcome::Answer(Answer::context(text), Some(said)).into()
}

// The block is written anew as JSON: passed on as exit code 2, the client would show hookman's own
// command line in front of the reason, and not the hook's name.
fn blocked(event: Event, output: Output, stderr: &str) -> Outcome {
    if matches!(event.facts().block, Block::Never | Block::Request) {
        return Outcome::Failure(Failure::Code(2, last_words(stderr, "")));
    }
    let answer = match output {
        // The rest of the JSON is heeded beside the code (seen on 2.1.329), but where it is a form.
        Output::Answer(answer) if event.facts().block != Block::Action => answer,
        _ => Answer::default(),
    };
    let in_json = answer.reason.filter(|_| answer.decision == Some(Decision::Deny));
    let reason = in_json.unwrap_or_else(|| stderr.trim().to_owned());
    let reason = if reason.is_empty() { "exited with 2 and gave no reason" } else { &reason };
    let Answer { decision, reason, .. } = Answer::deny(reason);
    Outcome::Answer(Answer { decision, reason, ..answer }, None)
}

fn last_words(stderr: &str, otherwise: &str) -> String {
    let line = stderr.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or(otherwise);
    let mut words: String = line.chars().take(200).collect();
    if words.len() < line.len() {
        words.push('…');
    }
    words
}

/// What a failure means for the chain.
pub fn consequence(event: Event, failure: &Failure, on_error: OnError) -> Answer {
    let is_late = matches!(failure, Failure::TimedOut(_));
    let on_error = match on_error {
        OnError::Open if is_late && event.facts().late_blocks => OnError::Closed,
        on_error => on_error,
    };
    failing::answer(event, on_error, failure.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::client::event::ExitTwo;

    /// What the client makes of what was said.
    fn effect(said: &Said) -> &'static str {
        let json: Value = serde_json::from_str(&said.stdout).unwrap_or_default();
        let specific = &json["hookSpecificOutput"];
        match (said.code, &specific["permissionDecision"]) {
            (2, _) => "exit 2",
            (_, Value::String(word)) if word == "ask" => "ask",
            (_, Value::String(word)) if word == "deny" => "deny",
            _ if specific["decision"]["behavior"] == "deny" => "deny",
            _ if specific["action"] == "decline" => "decline",
            _ if json["decision"] == "block" => "block",
            _ if json["systemMessage"].is_string() => "told",
            // Where standard output is read as text, there is no JSON to tell it in.
            _ if json.is_null() && said.stdout.len() + said.stderr.len() > 0 => "told",
            _ => "silent",
        }
    }

    #[test]
    fn each_failure_means_what_on_error_says_on_every_event() {
        let failures = [
            Failure::NotStarted("why".to_owned()),
            Failure::TimedOut(1000),
            Failure::Signal(11),
            Failure::Code(1, "why".to_owned()),
            Failure::Output("why".to_owned()),
            Failure::Builtin("why".to_owned()),
        ];
        let stops = [Event::Stop, Event::SubagentStop, Event::TeammateIdle];
        for event in Event::ALL {
            let effects = match event.facts().block {
                Block::Never => ["told", "told", "told"],
                Block::Permission => ["told", "ask", "deny"],
                Block::Request => ["told", "told", "deny"],
                // What failed is not done.
                Block::ExitCode if event.facts().exit_two == ExitTwo::Fails => ["exit 2"; 3],
                Block::Decision if stops.contains(event) => ["told", "exit 2", "exit 2"],
                Block::Decision => ["told", "block", "block"],
                Block::ExitCode => ["told", "exit 2", "exit 2"],
                Block::Action => ["told", "decline", "decline"],
            };
            // A hook of this event that is late blocks under the client too.
            let late = |failure: &Failure| matches!(failure, Failure::TimedOut(_));
            let effects_of = |failure: &Failure| match event {
                Event::PreModelSwitch if late(failure) => ["deny", "ask", "deny"],
                _ => effects,
            };
            let policies = [OnError::Open, OnError::Ask, OnError::Closed];
            for (failure, (on_error, expected)) in failures
                .iter()
                .flat_map(|it| policies.iter().zip(effects_of(it)).map(move |row| (it, row)))
            {
                let said = output::write(*event, &consequence(*event, failure, *on_error));
                assert_eq!(effect(&said), expected, "{event} {failure:?} {on_error:?}");
                let words = format!("{}{}", said.stdout, said.stderr);
                let names = expected == "decline" || words.contains(&failure.to_string());
                assert!(names, "{event} {failure:?} {on_error:?}: {words}");
            }
        }
    }

    #[test]
    fn a_command_is_read_as_the_client_reads_it_and_no_2_blocks_by_accident() {
        let read = |event, exit, stdout, stderr, on_error| {
            let heard = Heard { stdout, stderr, cut: false };
            match read(event, exit, heard, on_error).outcome {
                Outcome::Answer(answer, _) if answer.is_silent() => "silent".to_owned(),
                Outcome::Answer(Answer { decision: Some(decision), .. }, _) => {
                    format!("{decision:?}").to_lowercase()
                }
                Outcome::Answer(..) => "spoke".to_owned(),
                Outcome::Failure(failure) => failure.kind().to_owned(),
            }
        };
        let deny = r#"{"decision":"block","reason":"no"}"#;
        let allow = r#"{"decision":"approve"}"#;
        let rows = [
            (Event::PreToolUse, Exit::Code(0), "", "silent"),
            (Event::PreToolUse, Exit::Code(0), "text", "silent"),
            (Event::SessionStart, Exit::Code(0), "text", "spoke"),
            (Event::PreToolUse, Exit::Code(0), deny, "deny"),
            (Event::PreToolUse, Exit::Code(1), deny, "deny"),
            (Event::PreToolUse, Exit::Code(0), allow, "allow"),
            (Event::PreToolUse, Exit::Code(2), allow, "deny"),
            (Event::PreToolUse, Exit::Code(1), allow, "exit-code"),
            (Event::PreToolUse, Exit::Code(127), allow, "not-started"),
            (Event::PreToolUse, Exit::Code(2), "", "deny"),
            (Event::PreToolUse, Exit::Code(2), "{ broken }", "deny"),
            (Event::SessionStart, Exit::Code(2), "", "exit-code"),
            (Event::PermissionRequest, Exit::Code(2), "", "exit-code"),
            (Event::PreToolUse, Exit::Code(1), "", "exit-code"),
            (Event::PreToolUse, Exit::Code(126), "", "not-started"),
            (Event::PreToolUse, Exit::Code(127), "", "not-started"),
            (Event::PreToolUse, Exit::Code(0), "{ broken }", "output"),
            (Event::PreToolUse, Exit::Signal(9), deny, "signal"),
            (Event::PreToolUse, Exit::TimedOut(5), deny, "timed-out"),
            (Event::PreToolUse, Exit::Code(0), "{\"async\":true}\nx", "silent"),
            (Event::PreToolUse, Exit::GoesOn, "", "silent"),
        ];
        for (event, exit, stdout, expected) in rows {
            let found = read(event, exit, stdout, "", OnError::Open);
            assert_eq!(found, expected, "{event} {exit:?} {stdout}");
        }
        let closed = |exit, stdout| read(Event::PreToolUse, exit, stdout, "", OnError::Closed);
        assert_eq!(closed(Exit::Code(0), "{ cut"), "output");
        assert_eq!(closed(Exit::GoesOn, ""), "output");
        assert_eq!(closed(Exit::Code(0), "hi\n{\"permissionDecision\":\"deny\""), "output");
        let noisy = format!("warn: {deny}");
        assert_eq!(closed(Exit::Code(0), &noisy), "output");
        assert_eq!(closed(Exit::Code(0), "hi"), "silent");
        assert_eq!(closed(Exit::Code(1), r#"{"systemMessage":"x"}"#), "exit-code");
    }

    /// The kind of what an exit with 0 and this output come to: a decision, a failure or neither.
    fn kind(event: Event, stdout: &str, cut: bool, on_error: OnError) -> &'static str {
        let heard = Heard { stdout, stderr: "", cut };
        match read(event, Exit::Code(0), heard, on_error).outcome {
            Outcome::Answer(answer, _) => answer.decision.map_or("none", Decision::name),
            Outcome::Failure(failure) => failure.kind(),
        }
    }

    #[test]
    fn a_garbled_answer_is_never_weaker_than_the_client_reads_it() {
        let deny = r#"{"decision":"block","reason":"no"}"#;
        let deep = format!("{}1{}", "[".repeat(1000), "]".repeat(1000));
        let rows = [
            (format!("\u{feff}{deny}"), "deny"),
            (format!("\n\u{feff}\u{feff} {deny}\u{feff}\n"), "deny"),
            (format!("\u{a0}{deny}"), "deny"),
            (r#"{"decision":"block","reason":"half \ud83d"}"#.to_owned(), "deny"),
            (r#"{"decision":"block","n":1e999}"#.to_owned(), "deny"),
            (format!(r#"{{"decision":"block","a":{deep}}}"#), "deny"),
            (
                format!(
                    r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"ask","a":{deep}}}}}"#
                ),
                "ask",
            ),
            // The client takes the rest for text or nonsense.
            (format!("\u{200b}{deny}"), "none"),
            ("\u{85}{\"decision\":\"approve\"}".to_owned(), "none"),
            ("{\"decision\":\"approve\",\"reason\":\"a\tb\"}".to_owned(), "output"),
            (r#"{"permissionDecision":"deny"}"#.to_owned(), "none"),
        ];
        for (stdout, expected) in &rows {
            assert_eq!(
                kind(Event::PreToolUse, stdout, false, OnError::Open),
                *expected,
                "{stdout}"
            );
        }
    }

    #[test]
    fn a_gate_whose_answer_cannot_be_heeded_has_failed() {
        let named = |rest: &str| {
            format!(r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse",{rest}}}}}"#)
        };
        let rows = [
            (r#"{"permissionDecision":"deny"}"#.to_owned(), false, "output"),
            (named(r#""decision":"block""#), false, "output"),
            (format!("hello\n{}", named(r#""decision":"block""#)), false, "output"),
            (
                r#"{"hook_specific_output":{"permission_decision":"deny"}}"#.to_owned(),
                false,
                "output",
            ),
            (r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#.to_owned(), false, "output"),
            (format!("hello\n{}", named(r#""additionalContext":"x""#)), true, "output"),
            (named(r#""permissionDecision":"allow""#), true, "output"),
            (format!("hello\n{}", named(r#""permissionDecision":"deny""#)), true, "deny"),
            ("hello".to_owned(), true, "output"),
            ("hello".to_owned(), false, "none"),
            (named(r#""permissionDecision":"allow""#), false, "allow"),
            (format!("hello\n{}", named(r#""permissionDecision":"allow""#)), false, "none"),
            (r#"{"decision":"approve","permissionDecision":"allow"}"#.to_owned(), false, "allow"),
            (r#"{"continue":false,"permissionDecision":"deny"}"#.to_owned(), false, "none"),
            (r#"{"systemMessage":"x"}"#.to_owned(), false, "none"),
        ];
        for (stdout, cut, expected) in &rows {
            for on_error in [OnError::Ask, OnError::Closed] {
                let found = kind(Event::PreToolUse, stdout, *cut, on_error);
                assert_eq!(found, *expected, "{on_error:?} {stdout}");
            }
        }
        let told = |stdout| kind(Event::SessionStart, stdout, false, OnError::Closed);
        assert_eq!(told(r#"{"decision":"block"}"#), "none");
    }

    #[test]
    fn what_stands_beside_an_answer_is_looked_at_too() {
        let said = |word: &str| {
            format!(
                r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"{word}"}}}}"#
            )
        };
        let (deny, allow, ask) = (&said("deny"), &said("allow"), &said("ask"));
        let told = r#"{"systemMessage":"checking"}"#;
        let rows = [
            // Without `on_error`, and for a gate.
            (format!("{told}{deny}"), "deny", "deny"),
            (format!("{allow} {deny}"), "deny", "deny"),
            (format!("{deny}{allow}"), "deny", "deny"),
            (format!("hi\n{told}\t{ask}"), "ask", "ask"),
            (format!("{told}\n{{\"decision\":\"block\",}}"), "none", "output"),
            (format!("{allow}\n{{\"decision\":\"block\", oops"), "none", "output"),
            (format!("{ask}\n{{'decision':'block'}}"), "ask", "output"),
            (format!("{told}\nresult: {deny}"), "none", "output"),
            (format!("{told}\n{{\"decision\":\"deny\"}}"), "none", "output"),
            (format!("{told}\n{{\"permissionDecision\":\"deny\"}}"), "none", "output"),
            (format!("{{\"permissionDecision\":\"deny\"}}\n{told}"), "none", "output"),
            (format!("{deny}\n{{\"decision\":\"block\","), "deny", "deny"),
            (format!("{{\"continue\":false}}\n{allow}\n{{ oops"), "none", "none"),
            (format!("{told}\ndone\n"), "none", "none"),
            (format!("{told}\n{{\"level\":30}}\n"), "none", "none"),
        ];
        for (stdout, open, gate) in &rows {
            let found = |on_error| kind(Event::PreToolUse, stdout, false, on_error);
            assert_eq!(found(OnError::Open), *open, "{stdout}");
            assert_eq!(found(OnError::Ask), *gate, "{stdout}");
            assert_eq!(found(OnError::Closed), *gate, "{stdout}");
        }
        let context = r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"x"}}"#;
        let rows = [
            (format!("{context}\n{{ let a = 1; }}"), "none"),
            (format!("{context}\n{{\"decision\":\"block\",}}"), "output"),
            (format!("{context}\n{{\"hookSpecificOutput\":"), "output"),
        ];
        for (stdout, expected) in &rows {
            let found = kind(Event::UserPromptSubmit, stdout, false, OnError::Closed);
            assert_eq!(found, *expected, "{stdout}");
        }
    }
}

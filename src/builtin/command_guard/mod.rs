//! The kind `command-guard`: rules about shell commands that warn, ask, stop once or stop always.
//!
//! After the one-strike hook of the workflow engine document (`003_1d4b0f85db5e2822`), with a real
//! reading of the command line in place of patterns, so that quoted text and here-documents are
//! data, wrappers and substitutions are looked into, and every command of a line is judged.

mod branches;
mod operands;
mod options;
mod prefilter;
mod rule;

use std::borrow::Cow;
use std::time::Duration;

use serde::Deserialize;

use crate::client::answer::Answer;
use crate::client::payload;
use crate::syntax::shell;

use super::context::{Context, Failure};
use super::finding::{self, Finding, Manner};
use super::kind::{Can, Kind};

use rule::Options;

/// The kind as the catalogue knows it.
pub(super) static KIND: Kind = Kind::of::<options::Options>(
    "command-guard",
    &[Can::Decide, Can::Advise, Can::Remember, Can::ReadFiles],
    run,
);

#[derive(Deserialize)]
struct Input<'a> {
    #[serde(borrow, default)]
    command: Cow<'a, str>,
}

/// Judges the command of a shell tool's call; a call without one is none of its business.
///
/// # Errors
///
/// When the call's command is no text, when the options are not in the form that resolving gives,
/// or the store fails while nothing but a warning of this session decides.
fn run(context: &Context<'_>) -> Result<Answer, Failure> {
    let Some(input) = context.payload.tool_input.filter(|input| input.get() != "null") else {
        return Ok(Answer::default());
    };
    let command = match serde_json::from_str(input.get()) {
        Ok(Input { command }) => command,
        Err(_) => match payload::odd_text(input, "command") {
            Ok(command) => command.unwrap_or_default().into(),
            Err(error) => return Err(Failure::Payload(format!("the command: {error}"))),
        },
    };
    if let Some(programs) = context.first_option("programs")
        && !prefilter::may_call(&command, programs)
    {
        return Ok(Answer::default());
    }
    let options: Options<'_> = context.options()?;
    let (findings, complete) = judge(&command, &options, context);
    if findings.is_empty() && !complete {
        return Err(Failure::Payload("the command could not be read to its end".to_owned()));
    }
    let manner = Manner {
        careful: options.careful,
        forget_after: Duration::from_secs(options.forget_after),
        per_agent: options.per_agent,
    };
    finding::answer(context, &manner, findings)
}

/// The first command that each rule found, or the worst where a rule has forms of several levels,
/// in their order, and whether the line was read to its end. What was not is
/// looked through word by word.
fn judge<'r>(
    command: &str,
    options: &'r Options<'_>,
    context: &Context<'_>,
) -> (Vec<Finding<'r>>, bool) {
    let mut found: Vec<Finding<'r>> = Vec::new();
    let globals = &options.globals;
    let mut visit = |invocation: &shell::Invocation<'_>| {
        for rule in &options.rules {
            let level = rule.level.unwrap_or(options.level);
            let known = found.iter().position(|finding| finding.id == rule.id);
            if known.is_some_and(|known| found[known].level >= level)
                || !rule.matches(invocation, globals)
                || (rule.default_branch
                    && !branches::is_about_default(rule, invocation, globals, context))
            {
                continue;
            }
            let finding = Finding {
                id: &rule.id,
                level,
                subject: finding::shown(invocation.source),
                what: rule.what.to_string(),
                instead: &rule.instead,
            };
            match known {
                Some(known) => found[known] = finding,
                None => found.push(finding),
            }
        }
    };
    let complete = shell::each_invocation(command, &mut visit);
    if !complete {
        shell::each_suspect(command, &mut visit);
    }
    (found, complete)
}

#[cfg(test)]
mod tests;

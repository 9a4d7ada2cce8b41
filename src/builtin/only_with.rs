//! The option `only_with`, which every kind has: the hook is there only while a variable or the state has
//! a value.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::options::ONLY_WITH;
use super::silence::Silence;
use super::workflow::{Source, Workflow};
use super::{Context, Failure, OptionProblem};
use crate::client::Answer;

/// The beginning of the options of a hook that has it, in the form that a plan holds.
pub(super) const BEGINS: &str = "{\"only_with\":";

pub(super) fn check(written: &Map<String, Value>) -> Result<(), OptionProblem> {
    match written.get(ONLY_WITH) {
        None => Ok(()),
        Some(Value::Object(wanted)) if wanted.values().all(Value::is_string) => Ok(()),
        Some(_) => Err(OptionProblem::at(&[ONLY_WITH], "expected a table of names and texts")),
    }
}

/// Refuses a condition that is never met, as of a state file that the kind does not read.
pub(super) fn never(
    written: &Map<String, Value>,
    has_state: impl Fn() -> bool,
) -> Result<(), OptionProblem> {
    let is_asked = written.get(ONLY_WITH).is_some_and(|wanted| wanted.get(SESSION).is_some());
    if !is_asked || source(written.get("state").cloned().unwrap_or_default()).is_file() {
        return Ok(());
    }
    let way = if has_state() {
        "name the file in `state`, as in `state = { layout = \"state-json\" }`"
    } else {
        "ask for a variable, or for a name that `hookman state set` sets"
    };
    let problem = format!("never met, because this hook reads no state file; {way}");
    Err(OptionProblem::at(&[ONLY_WITH, SESSION], &problem))
}

/// The name that is set while a state file is found.
const SESSION: &str = "session";

// Some kinds have another option of that name.
fn source(state: Value) -> Source {
    serde_json::from_value(state).unwrap_or_default()
}

pub(super) fn schema() -> Value {
    json!({
        "description": "The hook is silent unless each of these has this value: a name in capitals is a \
            variable of the client's environment, any other a name of the session's state, where \
            `session` is set while a state file is found. `*` is any value.",
        "type": "object",
        "additionalProperties": {"type": "string"},
        "default": {},
    })
}

/// Asks `run` where the condition is met; `rest` is what follows [`BEGINS`].
pub(super) fn answer(
    context: &Context<'_>,
    rest: &str,
    run: impl FnOnce(&Context<'_>) -> Result<Answer, Failure>,
) -> Result<Answer, Failure> {
    let odd = || Failure::Options("they were compiled by another version".to_owned());
    let mut reader = serde_json::Deserializer::from_str(rest).into_iter();
    let wanted: BTreeMap<String, String> = reader.next().and_then(Result::ok).ok_or_else(odd)?;
    let rest = &rest[reader.byte_offset()..];
    let options = format!("{{{}", rest.strip_prefix(',').unwrap_or(rest));
    let context = Context { options: &options, ..*context };
    if is_met(&context, &wanted)? { run(&context) } else { Ok(Silence::OnlyWith.answer()) }
}

fn is_met(context: &Context<'_>, wanted: &BTreeMap<String, String>) -> Result<bool, Failure> {
    #[derive(Deserialize)]
    struct Stateful {
        #[serde(default)]
        state: Value,
    }
    let is_variable = |name: &str| !name.contains(|it: char| it.is_lowercase());
    let stateful: Stateful = context.options()?;
    let source = source(stateful.state);
    let workflow = Workflow::new(context, &source);
    for (name, value) in wanted {
        let found = match name.as_str() {
            name if is_variable(name) => context.host.variable(name).unwrap_or_default(),
            name => workflow.get(name)?,
        };
        if if value == "*" { found.is_empty() } else { found != *value } {
            return Ok(false);
        }
    }
    Ok(true)
}

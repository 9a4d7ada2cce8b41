//! The kind `todo-gate`: keeps a turn from ending while items of the todo list are open.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{self, Kind};
use super::silence::Silence;
use super::{Can, Context, Failure, transcript};
use crate::client::Answer;

pub(super) static KIND: Kind =
    Kind::of::<Options>("todo-gate", &[Can::Decide, Can::ReadFiles], run);

/// When a turn may end.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Options {
    /// The most open items that are listed.
    most: usize,
    /// True to refuse the end again when the model stops a second time in the turn.
    again: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { most: 10, again: false }
    }
}

impl kind::Options for Options {}

fn run(context: &Context<'_>) -> Result<Answer, Failure> {
    let options: Options = context.options()?;
    if context.payload.stop_hook_active && !options.again {
        return Ok(Silence::Again.answer());
    }
    if !context.caller.heeds.transcript {
        return Ok(Silence::Unread.answer());
    }
    let open = transcript::story(context)?.todos;
    if open.is_empty() {
        return Ok(Silence::Done.answer());
    }
    let shown: Vec<String> =
        open.iter().take(options.most).map(|item| format!("\n- {item}")).collect();
    let more = match open.len().saturating_sub(options.most) {
        0 => String::new(),
        more => format!("\n- and {more} more"),
    };
    let asked = match open.len() {
        1 => {
            "1 item of the todo list is not done. Finish it, or take it out if it no longer matters"
                .to_owned()
        }
        count => format!(
            "{count} items of the todo list are not done. Finish them, or take out those that no \
             longer matter"
        ),
    };
    Ok(Answer::deny(format!("{asked}, before you stop:{}{more}", shown.concat())))
}

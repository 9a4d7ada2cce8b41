//! The kind `scope`: rules that hold only while a skill, a command or a subagent is at work.
//!
//! The Skill tool returns once a skill is loaded, so a scope ends with the turn or the session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{self, Kind};
use super::silence::Silence;
use super::tool_pattern::ToolPattern;
use super::{Can, Context, Failure, Level, allowance, careful};
use crate::client::{Answer, Event};
use crate::syntax::suggestion;

pub(super) static KIND: Kind =
    Kind::of::<Options>("scope", &[Can::Decide, Can::Advise, Can::Remember, Can::ReadFiles], run);

/// The end of a scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Ends {
    /// The end of the tool call that opened it, and for a skill that was typed the end of the turn.
    Tool,
    /// The end of the turn, or the next prompt where a turn was broken off.
    #[default]
    Turn,
    /// The next prompt of the user.
    Prompt,
    /// The session's end.
    Session,
}

/// While which skills are at work which calls are stopped.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Options {
    /// The skills and slash commands that open the scope; `*` is any text.
    skills: Vec<String>,
    /// The types of subagents that open it.
    agents: Vec<String>,
    /// The end of it; the failure of the call that opened it always does.
    ends: Ends,
    /// The starts of a session over which an open scope is kept: `compact`, `resume`. At every other one
    /// nothing is at work, as after a crash.
    keep_over: Vec<String>,
    /// Calls that pass inside the scope, even if `stop` covers them.
    allow: Vec<ToolPattern>,
    /// Calls that are stopped inside the scope.
    stop: Vec<ToolPattern>,
    /// The reaction to a call that is stopped.
    level: Option<Level>,
    /// The message about it.
    message: String,
}

impl kind::Options for Options {}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Input {
    skill: String,
    subagent_type: String,
}

fn run(context: &Context<'_>) -> Result<Answer, Failure> {
    let options: Options = context.options()?;
    let payload = context.payload;
    match context.event {
        Event::SessionStart if !options.keep_over.iter().any(|it| *it == *payload.source) => {
            close(context)
        }
        Event::SessionEnd => close(context),
        Event::Stop if matches!(options.ends, Ends::Turn | Ends::Tool) => close(context),
        Event::UserPromptSubmit if options.ends != Ends::Session => {
            close(context)?;
            // A prompt that types a skill opens the scope, whichever of its two events comes first.
            let typed = payload.prompt.strip_prefix('/').unwrap_or_default();
            let name = typed.split_whitespace().next().unwrap_or_default();
            if opens(&options.skills, name) { open(context) } else { Ok(Silence::Noted.answer()) }
        }
        Event::UserPromptExpansion if opens(&options.skills, &payload.command_name) => {
            open(context)
        }
        Event::PreToolUse if is_opened_by_call(context, &options)? => open(context),
        // A skill that failed to load is not at work, whatever ends the scope of one that did.
        Event::PostToolUse | Event::PostToolUseFailure
            if (options.ends == Ends::Tool || context.event == Event::PostToolUseFailure)
                && is_opened_by_call(context, &options)? =>
        {
            context.store.count(&context.key("depth"), -1)?;
            Ok(Silence::Noted.answer())
        }
        Event::PreToolUse => gate(context, &options),
        _ => Ok(Answer::default()),
    }
}

fn open(context: &Context<'_>) -> Result<Answer, Failure> {
    context.store.count(&context.key("depth"), 1)?;
    Ok(Silence::Noted.answer())
}

fn close(context: &Context<'_>) -> Result<Answer, Failure> {
    context.store.count(&context.key("depth"), i64::MIN)?;
    Ok(Silence::Noted.answer())
}

fn is_opened_by_call(context: &Context<'_>, options: &Options) -> Result<bool, Failure> {
    let by_skill = context.payload.tool_name == "Skill" && !options.skills.is_empty();
    let by_agent =
        matches!(&*context.payload.tool_name, "Agent" | "Task") && !options.agents.is_empty();
    if !by_skill && !by_agent {
        return Ok(false);
    }
    let input = context.tool_input::<Input>()?.unwrap_or_default();
    Ok((by_skill && opens(&options.skills, &input.skill))
        || (by_agent && opens(&options.agents, &input.subagent_type)))
}

/// Returns whether a name is one of a list with stars at either end. A plugin's prefix makes no difference.
fn opens(list: &[String], name: &str) -> bool {
    let bare = name.rsplit(':').next().unwrap_or(name);
    !name.is_empty()
        && list
            .iter()
            .any(|pattern| suggestion::hits(pattern, name) || suggestion::hits(pattern, bare))
}

fn gate(context: &Context<'_>, options: &Options) -> Result<Answer, Failure> {
    // To see whether the scope is open is cheaper than to read a shell line.
    if !is_open(context)? {
        return Ok(Silence::Closed.answer());
    }
    if !options.stop.iter().any(|pattern| pattern.hits(context))
        || allowance::covers(&options.allow, context)
    {
        return Ok(Silence::Allowed.answer());
    }
    let level = options.level.unwrap_or(Level::Block);
    careful::answer(context, level, options.message.clone())
}

fn is_open(context: &Context<'_>) -> Result<bool, Failure> {
    Ok(context.store.count(&context.key("depth"), 0)? > 0)
}

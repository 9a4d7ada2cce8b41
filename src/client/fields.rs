//! The fields of payloads, and of the inputs of the client's own tools.

use super::matcher;
use crate::syntax::shell::programs::names;

/// The fields that a payload of any event may have.
///
/// Source: the client's hooks reference, up to client 2.1.330.
pub(crate) const OF_PAYLOADS: &[&str] = names!(
    "action" "agent_id" "agent_transcript_path" "agent_type" "attachment" "background_tasks"
    "cache_ttl" "command_args" "command_name" "command_source" "compact_summary" "content"
    "context_tokens" "custom_instructions" "cwd" "delta" "directory" "duration_ms" "effort"
    "elicitation_id" "error" "error_details" "error_type" "estimated_cache_write_usd" "event"
    "expansion_type" "file_path" "final" "from_model" "globs" "hook_event_name" "index"
    "is_interrupt" "is_timeout" "last_assistant_message" "load_reason" "mcp_server"
    "mcp_server_name" "memory_type" "message" "message_id" "mode" "model" "name" "new_cwd"
    "notification_type" "old_cwd" "parent_file_path" "permission_mode" "permission_suggestions"
    "pricing" "prompt" "prompt_cache_warm" "prompt_id" "reason" "requested_model"
    "requested_schema" "scratchpad_dir" "session_crons" "session_id" "session_title" "source"
    "stop_hook_active" "task_description" "task_id" "task_subject" "team_name" "teammate_name"
    "title" "to_model" "tool_calls" "tool_input" "tool_kind" "tool_name" "tool_response"
    "tool_use_id" "transcript_path" "trigger" "trigger_file_path" "turn_id" "url"
    "worktree_path"
);

/// The fields of the inputs of tools.
///
/// Source: the client's tools reference, up to client 2.1.330.
const OF_TOOLS: &[(&[&str], &str)] = &[
    (
        &["Bash", "PowerShell"],
        "command dangerouslyDisableSandbox description run_in_background timeout",
    ),
    (&["Write"], "content file_path"),
    (&["Edit", "MultiEdit"], "edits file_path new_string old_string replace_all"),
    (&["NotebookEdit"], "cell_id cell_number cell_type edit_mode new_source notebook_path"),
    (&["Read"], "file_path limit offset pages"),
    (&["Glob"], "path pattern"),
    (&["WebFetch"], "prompt url"),
    (&["WebSearch"], "allowed_domains blocked_domains query"),
];

/// Returns whether an input has a field, where the tools that a matcher names are all known.
///
/// Gives none where the matcher may hit another tool.
pub(crate) fn may_have(matcher: Option<&str>, field: &str) -> Option<bool> {
    let of = |tool: &str| OF_TOOLS.iter().find(|(tools, _)| tools.contains(&tool));
    let fields = matcher::names(matcher?).map(|tool| Some(of(tool)?.1));
    let fields: Vec<&str> = fields.collect::<Option<_>>()?;
    let has = |fields: &&str| fields.split(' ').any(|known| known == field);
    (!fields.is_empty()).then(|| fields.iter().any(has))
}

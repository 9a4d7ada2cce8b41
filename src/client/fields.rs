//! The fields of payloads, and of the inputs of the client's own tools.

use super::matcher;
use crate::syntax::named::listed;

/// The fields that a payload of any event may have.
///
/// Source: the client's hooks reference, up to client 2.1.330.
pub(crate) const OF_PAYLOADS: &[&str] = listed!("PAYLOAD_FIELDS");

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

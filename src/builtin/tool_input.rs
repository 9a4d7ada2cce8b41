//! The inputs of the client's tools for files and shells.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::syntax::lent::Lent;

/// The fields of the tools for files and searches and of the shells; what a tool
/// does not have is empty.
#[derive(Default, Deserialize)]
#[serde(default, bound = "'de: 'a")]
pub(super) struct ToolInput<'a> {
    /// Only that it is there: its text is read once for all hooks, by the context.
    pub(super) command: Option<IgnoredAny>,
    pub(super) file_path: Lent<'a>,
    pub(super) notebook_path: Lent<'a>,
    pub(super) path: Lent<'a>,
    pub(super) glob: Lent<'a>,
    /// The search's own name for a kind of files.
    #[serde(rename = "type")]
    pub(super) kind: Lent<'a>,
    pub(super) output_mode: Lent<'a>,
    content: Lent<'a>,
    new_string: Lent<'a>,
    new_source: Lent<'a>,
    edits: Vec<Edit>,
}

#[derive(Deserialize)]
struct Edit {
    #[serde(default)]
    new_string: String,
}

impl ToolInput<'_> {
    pub(super) fn written(&self) -> String {
        let texts = [&self.content, &self.new_string, &self.new_source].map(|text| &**text);
        let edits = self.edits.iter().map(|edit| edit.new_string.as_str());
        texts.into_iter().chain(edits).collect()
    }
}

//! The inputs of the client's tools for files and shells.

use std::borrow::Cow;

use serde::Deserialize;

/// The fields of the tools for files and searches and of the shells; what a tool
/// does not have is empty.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct ToolInput<'a> {
    #[serde(borrow)]
    pub(super) command: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) file_path: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) notebook_path: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) path: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) glob: Cow<'a, str>,
    /// The search's own name for a kind of files.
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) output_mode: Cow<'a, str>,
    #[serde(borrow)]
    content: Cow<'a, str>,
    #[serde(borrow)]
    new_string: Cow<'a, str>,
    #[serde(borrow)]
    new_source: Cow<'a, str>,
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

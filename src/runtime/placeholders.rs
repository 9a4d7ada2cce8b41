//! The values for names in the words of an `argv`.

use std::borrow::Cow;

use serde::Deserialize;

use crate::chain::outcome::Failure;
use crate::chain::plan::{FILE, Run, Step};
use crate::machine::environment;

/// Names that the client replaces as plain text in the words of the exec form, with their sources.
const OF_CLIENT: &[(&str, &str)] = &[
    ("${CLAUDE_PROJECT_DIR}", "CLAUDE_PROJECT_DIR"),
    ("${CLAUDE_PLUGIN_ROOT}", "CLAUDE_PLUGIN_ROOT"),
    ("${CLAUDE_PLUGIN_DATA}", "CLAUDE_PLUGIN_DATA"),
];

/// The words of a step's `argv` for a payload; none for a step that has no `argv`.
pub(super) fn filled<'s>(step: &'s Step<'_>, payload: &str) -> Result<Cow<'s, [String]>, Failure> {
    let Run::Argv(words) = &step.run else { return Ok(Cow::Borrowed(&[])) };
    let has = |text: &str| words.iter().any(|word| word.contains(text));
    let (of_client, of_call) = (has("${CLAUDE_P"), has(FILE) && !step.adopted);
    if !of_client && !of_call {
        return Ok(Cow::Borrowed(words));
    }
    let mut filled = words.clone();
    let mut put = |name: &str, value: &str| {
        for word in &mut filled {
            *word = word.replace(name, value);
        }
    };
    for (placeholder, variable) in OF_CLIENT.iter().filter(|_| of_client) {
        if let Some(value) = environment::text(variable) {
            put(placeholder, &value);
        }
    }
    // Last, because nothing is looked for in the name of a file.
    if of_call {
        let Some(file) = file(payload) else {
            return Err(Failure::NotStarted(format!(
                "the call is about no file to put in the place of `{FILE}`; let the hook run only for \
                 tools with one, as with `matcher = \"Edit|Write\"`"
            )));
        };
        put(FILE, &file);
    }
    Ok(Cow::Owned(filled))
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Call<'a> {
    #[serde(borrow)]
    tool_input: Named<'a>,
    #[serde(borrow)]
    file_path: Option<Cow<'a, str>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Named<'a> {
    #[serde(borrow)]
    file_path: Option<Cow<'a, str>>,
    #[serde(borrow)]
    notebook_path: Option<Cow<'a, str>>,
}

/// The file that a tool reads or writes, or that the event itself is about.
fn file(payload: &str) -> Option<String> {
    let Call { tool_input, file_path } = serde_json::from_str(payload).ok()?;
    let file = tool_input.file_path.or(tool_input.notebook_path).or(file_path)?;
    (!file.is_empty()).then(|| file.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_call_is_its_tools_or_its_own() {
        for (payload, expected) in [
            (r#"{"tool_input": {"file_path": "/a b/c"}}"#, Some("/a b/c")),
            (r#"{"tool_input": {"notebook_path": "/n"}, "x": 1}"#, Some("/n")),
            (r#"{"file_path": "/watched", "event": "change"}"#, Some("/watched")),
            (r#"{"tool_input": {"file_path": ""}}"#, None),
            (r#"{"tool_input": {"command": "ls"}}"#, None),
            (r#"{"tool_input": "odd"}"#, None),
            ("", None),
        ] {
            assert_eq!(file(payload).as_deref(), expected, "{payload}");
        }
    }
}

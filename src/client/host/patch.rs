//! The files of a patch, which some programs edit by.

use serde_json::{Map, Value};

use crate::syntax::shell;

/// One file of a patch, as a call of a tool that edits one file.
#[derive(Debug, PartialEq)]
pub(super) struct Edit {
    pub tool: &'static str,
    pub input: Map<String, Value>,
}

/// The files of a patch in the order in which it names them; a relative path begins at `cwd`.
pub(super) fn edits(patch: &str, cwd: &str) -> Vec<Edit> {
    let mut parts: Vec<Part> = Vec::new();
    for line in patch.lines() {
        let named = |head: &&str| Some((line.trim().strip_prefix(*head)?, *head == ADDS));
        if let Some((path, adds)) = HEADS.iter().find_map(named) {
            parts.push(Part { path: absolute(path.trim(), cwd), adds, ..Part::default() });
            continue;
        }
        let Some(part) = parts.last_mut() else { continue };
        let (old, new) = match line.as_bytes().first() {
            Some(b'+') => (None, Some(&line[1..])),
            Some(b'-') => (Some(&line[1..]), None),
            Some(b' ') => (Some(&line[1..]), Some(&line[1..])),
            _ => (None, None),
        };
        for (text, line) in [(&mut part.old, old), (&mut part.new, new)] {
            if let Some(line) = line {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    parts.into_iter().map(Part::edit).collect()
}

pub(super) fn is_in(line: &str) -> bool {
    line.contains("*** Begin Patch")
        && (line.contains("apply_patch") || line.contains("applypatch"))
}

/// The directory at which the paths of a shell line's patch begin: `cd DIR &&` may come before it.
pub(super) fn folder(line: &str, cwd: &str) -> String {
    let commands = shell::split(line).commands;
    match commands.first().map(|command| command.words.as_slice()) {
        Some([cd, to]) if cd.text == "cd" => absolute(&to.text, cwd),
        _ => cwd.to_owned(),
    }
}

const ADDS: &str = "*** Add File:";
const HEADS: [&str; 4] = [ADDS, "*** Update File:", "*** Delete File:", "*** Move to:"];

#[derive(Default)]
struct Part {
    path: String,
    adds: bool,
    old: String,
    new: String,
}

impl Part {
    fn edit(self) -> Edit {
        let Self { path, adds, old, new, .. } = self;
        let (tool, texts) = if adds {
            ("Write", vec![("content", new)])
        } else {
            ("Edit", vec![("old_string", old), ("new_string", new)])
        };
        let fields = [("file_path", path)].into_iter().chain(texts);
        Edit { tool, input: fields.map(|(key, text)| (key.to_owned(), text.into())).collect() }
    }
}

pub(super) fn absolute(path: &str, cwd: &str) -> String {
    if path.starts_with('/') || cwd.is_empty() {
        return path.to_owned();
    }
    format!("{}/{}", cwd.trim_end_matches('/'), path.trim_start_matches("./"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_of_a_patch_is_an_edit() {
        let patch = "*** Begin Patch\n*** Add File: a\n+one\n+two\n*** Update File: /b\n*** Move to: c/d\n\
                     @@ fn\n x\n-old\n+new\n*** Delete File: .env\n*** End Patch\n";
        let found: Vec<String> = edits(patch, "/p")
            .into_iter()
            .map(|it| format!("{} {}", it.tool, Value::Object(it.input)))
            .collect();
        assert_eq!(
            found,
            [
                r#"Write {"file_path":"/p/a","content":"one\ntwo\n"}"#,
                r#"Edit {"file_path":"/b","old_string":"","new_string":""}"#,
                r#"Edit {"file_path":"/p/c/d","old_string":"x\nold\n","new_string":"x\nnew\n"}"#,
                r#"Edit {"file_path":"/p/.env","old_string":"","new_string":""}"#,
            ]
        );
        assert!(edits("no patch", "/p").is_empty());
    }
}

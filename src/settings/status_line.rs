//! The client's status line: hookman's segment in it, behind the command that was there.

use std::collections::BTreeSet;

use json_patch::{AddOperation, PatchOperation, RemoveOperation, ReplaceOperation};
use serde_json::{Value, json};

use super::change::Extra;
use super::edit::{Editor, apply, path};
use super::obstacle::only_once;
use super::plan::Plan;
use super::record::{COMMAND, OwnLine, Record};
use super::refusal::Refusal;
use super::seat::{Root, added, removed};
use crate::client::call;
use crate::syntax::json::{Document, Member, Node, is_blank};

const KEY: &str = "statusLine";
const LINE: &str = "/statusLine";

impl Plan {
    /// The plan after which the status line has hookman's segment, or not. Without a wish, one that
    /// is there follows the program of the entries. `record` is the one before the plan.
    /// It fails where a status line is there that runs no command, and where the result fails
    /// [`Plan::verify`].
    pub fn with_status_line(
        mut self,
        wanted: Option<bool>,
        record: &Record,
    ) -> Result<Self, Refusal> {
        let Some(text) = self.after.clone().filter(|text| !is_blank(text)) else { return Ok(self) };
        let document = Document::parse(&text)?;
        let members = document.root().members().unwrap_or_default();
        let index = members.iter().rposition(|member| document.key(member) == KEY);
        let node = index.and_then(|index| document.get(&members[index].value, "command"));
        let command = node.and_then(|node| document.string(node));
        let own = command.as_deref().and_then(OwnLine::of);
        let own = own.filter(|_| record.status_line.is_some() || wanted == Some(true));
        let program = self.wanted.iter().find_map(|entry| match &entry.args {
            Some(_) => Some(entry.command.clone()),
            None => call::program(&entry.command),
        });
        let program = program.filter(|_| wanted.unwrap_or(own.is_some()));
        let root = Root { document: &document, record };
        let mut editor = Editor::new(&document);
        let (extra, operation);
        if let Some(program) = program {
            let kept = record.status_line.clone().filter(|_| own.is_some());
            let other = own.as_ref().map_or(command.as_deref(), |own| own.other.as_deref());
            let next = OwnLine { program, other: other.map(str::to_owned) }.command();
            if command.as_deref() == Some(&*next) && record.status_line.is_some() {
                self.record.status_line.clone_from(&record.status_line);
                return Ok(self);
            }
            only_once(&document, document.root(), |key| key == KEY)?;
            extra = if own.is_some() { Extra::LineMoved } else { Extra::LinePut };
            if let Some(index) = index {
                let member = &members[index];
                let node = checked(&document, member, node)?;
                let literal = document.slice(node.span).to_owned();
                self.record.status_line = Some(kept.unwrap_or(literal));
                editor.splice(node.span.start..node.span.end, Value::from(&*next).to_string());
                self.after = Some(apply(&text, &text, &editor.splices()));
                operation = replaced(&next);
            } else {
                let value = json!({ "type": "command", "command": next });
                self.record.status_line = Some(String::new());
                self.after = Some(added(&root, KEY, &value));
                operation = PatchOperation::Add(AddOperation { path: path(LINE), value });
            }
        } else if let (Some(own), Some(index), Some(node)) = (own, index, node) {
            only_once(&document, document.root(), |key| key == KEY)?;
            extra = Extra::LineTaken;
            self.record.status_line = None;
            if let Some(other) = own.other {
                // The command comes back as it was written, escapes and all.
                let literal = record.status_line.clone().unwrap_or_default();
                let is_same = serde_json::from_str::<String>(&literal).is_ok_and(|it| it == other);
                let literal = if is_same { literal } else { Value::from(&*other).to_string() };
                editor.splice(node.span.start..node.span.end, literal);
                self.after = Some(apply(&text, &text, &editor.splices()));
                operation = replaced(&other);
            } else {
                self.after = removed(&root, BTreeSet::from([index]));
                operation = PatchOperation::Remove(RemoveOperation { path: path(LINE) });
            }
        } else {
            return Ok(self);
        }
        self.operations.push(operation);
        self.extras.push(extra);
        self.verify()?;
        Ok(self)
    }
}

fn replaced(command: &str) -> PatchOperation {
    PatchOperation::Replace(ReplaceOperation { path: path(COMMAND), value: command.into() })
}

/// Gives the node of the command, where the status line is one that runs a command.
fn checked<'n>(
    document: &Document<'_>,
    line: &'n Member,
    command: Option<&'n Node>,
) -> Result<&'n Node, Refusal> {
    let wrong = |key, node, wanted| Refusal::wrong_type(document, Some(key), node, wanted);
    let Some(node) = command else {
        return Err(wrong(KEY, &line.value, "one with a `command`"));
    };
    only_once(document, &line.value, |key| key == "command")?;
    if document.string(node).is_none() {
        return Err(wrong("command", node, "a string"));
    }
    Ok(node)
}

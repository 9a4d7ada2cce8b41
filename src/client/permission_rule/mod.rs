//! The client's permission rules, as the `if` of a hook: `Tool` or `Tool(pattern)`.
//!
//! Source: what the clients 2.1.329 and 2.1.197 do; `tests/client/selection.txt` is the table. A
//! rule names its tool exactly, old names included. What is in brackets is looked at for the
//! shell, for the tools that name a file and for those that search; for every other tool only `*` and
//! nothing at all match.
//! A rule is a best effort and no gate: what the client cannot read of a shell line lets every rule
//! through, and so it does here.

mod command_pattern;
mod path_pattern;
mod reader;

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::tools::{canonical, misspelled, stand_in, successor, unknown};

use crate::syntax::lent::Lent;

pub use path_pattern::Anchors;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule<'a> {
    pub tool: &'a str,
    /// The text in the brackets; `None` for a bare name, for `Tool()` and for `Tool(*)`.
    pub content: Option<Cow<'a, str>>,
}

/// The tools whose rules are about the file they name.
const FILE_TOOLS: &[&str] = &["Edit", "MultiEdit", "NotebookEdit", "Read", "Write"];

/// The tools whose rules are about the pattern that they search for, wherever they do.
const SEARCH_TOOLS: &[&str] = &["Glob", "Grep"];

const SHELL_TOOLS: &[&str] = &["Bash", "Monitor", "PowerShell"];

/// The fields of a tool's input that rules look at.
#[derive(Debug, Default, Deserialize)]
#[serde(default, bound = "'de: 'a")]
pub struct Input<'a> {
    pub command: Option<Lent<'a>>,
    file_path: Option<Lent<'a>>,
    notebook_path: Option<Lent<'a>>,
    path: Option<Lent<'a>>,
    pattern: Option<Lent<'a>>,
}

impl<'a> Input<'a> {
    /// Reads a tool's input; `None` if there is none, or a field is no text or there twice.
    pub fn read(input: Option<&'a RawValue>) -> Option<Self> {
        input.and_then(|input| serde_json::from_str(input.get()).ok())
    }

    pub fn file(&self) -> Option<&str> {
        self.file_path.as_deref().or(self.notebook_path.as_deref()).or(self.path.as_deref())
    }
}

impl<'a> Rule<'a> {
    /// Reads a rule; `None` for a text that the client takes for none, which matches nothing.
    pub fn parse(text: &'a str) -> Option<Self> {
        let is_odd = |byte: u8| matches!(byte, b'(' | b')' | b',' | b'|' | b' ');
        let is_name = |name: &str| !name.is_empty() && !name.bytes().any(is_odd);
        let Some((tool, rest)) = text.split_once('(') else {
            return is_name(text).then_some(Self { tool: text, content: None });
        };
        let inside = rest.strip_suffix(')').filter(|inside| !ends_in_backslash(inside))?;
        if !is_name(tool) {
            return None;
        }
        Some(Self { tool, content: content(inside) })
    }

    /// Returns whether the client would run a hook with this rule for a call of `tool` with this input.
    pub fn matches(&self, tool: &str, input: Option<&RawValue>, anchors: Anchors<'_>) -> bool {
        if canonical(self.tool) != canonical(tool) {
            return false;
        }
        match self.content.as_deref() {
            Some(content) => content_hits(content, tool, Input::read(input).as_ref(), anchors),
            None => true,
        }
    }
}

/// Directories at the root, which a glob with one slash before it does not mean.
const AT_ROOT: &[&str] =
    &["/Users/", "/etc/", "/home/", "/opt/", "/root/", "/tmp/", "/usr/", "/var/"];

/// Explains why hardly any file meets a glob, and what to write; `None` where nothing is odd about it.
pub fn odd_glob(glob: &str) -> Option<(&'static str, &'static str)> {
    if glob.contains('{') && glob.contains(',') && glob.contains('}') {
        return Some(("takes braces for letters of a name", "write a glob for each"));
    }
    if glob.starts_with('!') {
        return Some(("takes `!` for a letter of a name", "leave such files out in the hook"));
    }
    if glob.split('/').any(|part| part == "..") {
        return Some((
            "never matches: no path has `..` in it",
            "write `//` and the path from the root",
        ));
    }
    if glob.starts_with('#') {
        return Some(("is a comment, and never matches", "write `\\#` for the letter"));
    }
    if glob.starts_with('$') {
        return Some((
            "takes the variable for letters of a name",
            "write `~/` for the home, or nothing for the project",
        ));
    }
    if glob.starts_with([' ', '\t']) && !glob.trim_start().starts_with(['*', '/']) {
        return Some(("never matches: the blank before it counts", "leave the blank out"));
    }
    if glob.ends_with(":*") {
        return Some(("ends in `:*`, which is for commands", "write `/**` or a name with stars"));
    }
    if glob.contains('*') && AT_ROOT.iter().any(|folder| glob.starts_with(folder)) {
        return Some((
            "is looked for below the project's directory",
            "write one more `/` before it for a path from the root",
        ));
    }
    None
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Never {
    /// The tool's name has a star, or is a server's: only whole names of tools are compared.
    NoTool,
    Case(&'static str),
    /// The client has no such tool, and one that is called nearly so, as here.
    Unknown(&'static str),
    /// Clients had the tool once, and have this one today.
    Former(&'static str),
    /// There is a pattern for a tool of which the client looks at no input.
    Pattern,
}

impl Rule<'_> {
    /// Explains why the rule matches no call, if so.
    pub fn never(&self) -> Option<Never> {
        let is_server = self.tool.strip_prefix("mcp__").is_some_and(|it| !it.contains("__"));
        if self.tool.contains('*') || is_server {
            return Some(Never::NoTool);
        }
        if let Some(tool) = misspelled(self.tool) {
            return Some(Never::Case(tool));
        }
        if let Some(tool) = unknown(self.tool) {
            return Some(Never::Unknown(tool));
        }
        if let Some(tool) = successor(self.tool) {
            return Some(Never::Former(tool));
        }
        (self.content.is_some() && !is_looked_at(self.tool)).then_some(Never::Pattern)
    }

    /// The glob that is compared with files, if it is.
    pub fn glob(&self) -> Option<&str> {
        self.content.as_deref().filter(|_| FILE_TOOLS.contains(&self.tool))
    }
}

/// Returns whether a glob for files hits a path, as in a rule.
pub fn path_hits(glob: &str, path: &str, anchors: Anchors<'_>) -> bool {
    path_pattern::matches(glob, path, anchors)
}

/// Returns whether a shell rule's brackets hit one command; what cannot be read is not let through.
pub fn command_hits(content: &str, command: &str) -> bool {
    command_pattern::Pattern::of(content).hits(command)
}

/// Returns whether what is in the brackets of a tool's rule meets the input of a call of that tool.
pub fn content_hits(
    content: &str,
    tool: &str,
    input: Option<&Input<'_>>,
    anchors: Anchors<'_>,
) -> bool {
    if !is_looked_at(tool) {
        return false;
    }
    // What cannot be looked at lets the rule through.
    let Some(input) = input else { return true };
    if FILE_TOOLS.contains(&tool) {
        return input.file().is_none_or(|path| path_pattern::matches(content, path, anchors));
    }
    if SEARCH_TOOLS.contains(&tool) {
        let pattern = input.pattern.as_deref();
        return pattern.is_none_or(|it| command_pattern::is_whole(content, it));
    }
    match &input.command {
        Some(command) => command_pattern::matches(content, command, anchors.home),
        // These can do without a command.
        None => stand_in(tool).is_none(),
    }
}

/// Returns whether a tool's call names it, by an old name too.
pub fn is_tool(name: &str, tool: &str) -> bool {
    name == tool || canonical(name) == canonical(tool)
}

/// Returns whether what is in the brackets of a tool's rule is compared with anything.
pub fn is_looked_at(tool: &str) -> bool {
    [FILE_TOOLS, SEARCH_TOOLS, SHELL_TOOLS].iter().any(|tools| tools.contains(&tool))
}

fn ends_in_backslash(text: &str) -> bool {
    let backslashes = text.bytes().rev().take_while(|byte| *byte == b'\\').count();
    backslashes % 2 == 1
}

/// Gives the text in the brackets of a rule, whose own may be escaped; `None` for nothing and a star.
pub fn content(inside: &str) -> Option<Cow<'_, str>> {
    (!matches!(inside, "" | "*")).then(|| unescaped(inside))
}

fn unescaped(inside: &str) -> Cow<'_, str> {
    if inside.contains('\\') {
        return inside.replace("\\(", "(").replace("\\)", ")").into();
    }
    inside.into()
}

#[cfg(test)]
mod tests;

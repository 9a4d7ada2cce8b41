//! Patterns for calls of tools, as options have them.

use std::borrow::Cow;
use std::cell::Cell;

use serde::{Deserialize, Deserializer, Serialize, de};

use super::arguments::leading;
use super::values::schema_of;
use super::{Context, OptionProblem};
use crate::client::Rule;
use crate::client::permission_rule::{
    Input, command_hits, content, content_hits, is_looked_at, is_tool,
};
use crate::client::tools::{misspelled, stand_in};
use crate::syntax::glance::hides_a_name;
use crate::syntax::shell::{self, Invocation};
use crate::syntax::suggestion;

/// A tool, or a tool and what its input must look like: `Bash`, `Bash(git *)`, `Read(~/.claude/**)`, in the
/// client's permission rule language; `*` and `mcp__server__*` mean several tools. As in a permission rule
/// `Edit(…)` is about every tool that changes files, and `Bash` about the commands of `Monitor`, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(super) struct ToolPattern(String);

/// The tools that `Edit(…)` is about besides `Edit`; the client's documentation of permission rules.
const EDITS: &[&str] = &["MultiEdit", "NotebookEdit", "Write"];

impl ToolPattern {
    pub(super) fn parse(text: &str) -> Result<Self, OptionProblem> {
        Self::check(text).map(|()| Self(text.to_owned()))
    }

    fn check(text: &str) -> Result<(), OptionProblem> {
        let problem = |message: String| Err(OptionProblem::at(&[], message));
        let (tool, rest) = text.split_once('(').unwrap_or((text, ""));
        // A run reads many patterns, and most of them are of this plain form.
        let is_usual = matches!(tool, "Bash" | "Edit" | "Read" | "Write");
        if is_usual && rest.ends_with(')') && !rest.contains('\\') {
            return Ok(());
        }
        let Some(rule) = Rule::parse(text).filter(|_| !tool.contains('*') || tool == text) else {
            return problem(format!(
                "`{text}` is no tool pattern; write `Tool` or `Tool(pattern)`, as in `Bash(git *)`"
            ));
        };
        if let Some(known) = misspelled(tool) {
            return problem(format!("no tool is called `{tool}`, but `{known}`"));
        }
        let Some(wanted) = rule.content else { return Ok(()) };
        match tool {
            "Agent" | "Skill" | "Task" | "WebSearch" => {}
            "WebFetch" if wanted.starts_with(DOMAIN) => {}
            "WebFetch" => {
                return problem(
                    "what is in brackets of `WebFetch` begins with `domain:`".to_owned(),
                );
            }
            _ if is_looked_at(tool) => {}
            _ => {
                return problem(format!(
                    "what is in brackets of `{tool}` is compared with nothing; write `{tool}`"
                ));
            }
        }
        Ok(())
    }

    /// The tool's name, and what is in the brackets.
    fn parts(&self) -> (&str, Option<Cow<'_, str>>) {
        match self.0.split_once('(') {
            Some((tool, rest)) => (tool, content(rest.strip_suffix(')').unwrap_or(rest))),
            None => (&self.0, None),
        }
    }

    pub(super) fn is_about(&self, tool: &str) -> bool {
        match self.0.split_once('(') {
            Some((name, _)) => {
                is_tool(name, tool)
                    || stand_in(tool) == Some(name)
                    || (name == "Edit" && EDITS.contains(&tool))
            }
            None => self.0.split_once('*').map_or_else(
                || is_tool(&self.0, tool) || stand_in(tool) == Some(&*self.0),
                |(start, end)| {
                    tool.len() >= start.len() + end.len()
                        && tool.starts_with(start)
                        && tool.ends_with(end)
                },
            ),
        }
    }

    /// Returns whether it hits one command of a shell line, given as its words with blanks between them.
    pub(super) fn hits_command(&self, command: &str) -> bool {
        self.parts().1.is_none_or(|content| command_hits(&content, command))
    }

    /// The first word of the commands that it hits; empty where that may be any.
    pub(super) fn program(&self) -> &str {
        let content = self.0.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches(')'));
        let word = content.split_whitespace().next().unwrap_or_default();
        if word.contains(['*', '\\', ':']) { "" } else { word }
    }

    /// Returns whether the call is one of these; of a shell line one of its commands, by whatever path,
    /// wrapper or options before its subcommand.
    pub(super) fn hits(&self, context: &Context<'_>) -> bool {
        let called = &*context.payload.tool_name;
        if !self.is_about(called) {
            return false;
        }
        let (tool, wanted) = self.parts();
        let input = || Input::read(context.payload.tool_input);
        let has_line = |input: &Input<'_>| input.command.is_some();
        let Some(wanted) = wanted.as_deref() else {
            // A stand-in can do without a command, and is then no shell.
            return stand_in(called) != Some(tool) || input().as_ref().is_some_and(has_line);
        };
        if let Some(is_hit) = is_named(wanted, context) {
            return is_hit;
        }
        let input = input();
        if stand_in(called) == Some(tool) && !input.as_ref().is_some_and(has_line) {
            return false;
        }
        let line = input.as_ref().and_then(|input| input.command.as_deref());
        if line.is_some_and(|line| !may_have_words(wanted, line)) {
            return false;
        }
        context.anchored(|anchors| content_hits(wanted, tool, input.as_ref(), anchors))
            || line.is_some_and(|line| self.is_run_by(wanted, line))
    }

    /// Returns whether something that a shell line runs in the end is hit.
    fn is_run_by(&self, content: &str, line: &str) -> bool {
        let content = match self.program().rsplit_once('/') {
            Some((folder, _)) => content.trim_start().get(folder.len() + 1..).unwrap_or(content),
            None => content,
        };
        let mut is_hit = false;
        let hidden = Cell::new(false);
        let mut visit = |invocation: &Invocation<'_>| {
            hidden.set(hidden.get() || invocation.program == "hidden-program");
            is_hit |= calls(invocation).iter().any(|call| command_hits(content, call));
        };
        if !shell::each_invocation(line, &mut visit) || hidden.get() {
            shell::each_suspect(line, &mut visit);
        }
        is_hit
    }
}

/// Returns whether a line has each word of a pattern, or may make words of others.
fn may_have_words(pattern: &str, line: &str) -> bool {
    // A line may have the same word in other quotes.
    let is_plain = |word: &&str| !word.contains(['*', '\\', ':', '"', '\'']);
    let mut words = pattern.split_whitespace().map(base_name).filter(is_plain);
    words.all(|word| line.contains(word))
        || line.contains(['$', '`', '{', '\\'])
        || hides_a_name(line)
}

/// A call as the words of its program and arguments, with and without options before its subcommand.
fn calls(invocation: &Invocation<'_>) -> Vec<String> {
    let call = |arguments: &[shell::Word<'_>]| {
        let words = arguments.iter().map(|word| &*word.text);
        std::iter::once(invocation.program).chain(words).collect::<Vec<_>>().join(" ")
    };
    let arguments = invocation.arguments;
    let leading = leading(invocation.program, arguments);
    let mut calls = vec![call(arguments)];
    if leading > 0 {
        calls.push(call(&arguments[leading..]));
    }
    calls
}

fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// The beginning of the brackets of `WebFetch`.
const DOMAIN: &str = "domain:";

/// Returns whether a call of a tool that no `if` tells apart is the named one, by the skill, the subagent,
/// the host or the query.
fn is_named(wanted: &str, context: &Context<'_>) -> Option<bool> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Named {
        skill: String,
        subagent_type: String,
        url: String,
        query: String,
    }
    let input = || context.tool_input::<Named>().ok().flatten().unwrap_or_default();
    Some(match &*context.payload.tool_name {
        "Skill" => suggestion::hits(wanted, &input().skill),
        "Agent" | "Task" => suggestion::hits(wanted, &input().subagent_type),
        "WebFetch" => is_host(wanted.strip_prefix(DOMAIN)?, &input().url),
        "WebSearch" => suggestion::hits(wanted, &input().query),
        _ => return None,
    })
}

/// Returns whether an address is on a host; `*.example.org` is every host below `example.org`.
fn is_host(pattern: &str, url: &str) -> bool {
    let behind = url.split_once("://").map_or(url, |(_, behind)| behind);
    let place = behind.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let host = place.rsplit('@').next().unwrap_or_default();
    let host = host.rsplit_once(':').map_or(host, |(host, _)| host).trim_end_matches('.');
    let host = host.to_ascii_lowercase();
    let pattern = pattern.trim().to_ascii_lowercase();
    suggestion::hits(&pattern, &host)
}

impl<'de> Deserialize<'de> for ToolPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::check(&text).map_err(de::Error::custom)?;
        Ok(Self(text))
    }
}

schema_of! { ToolPattern "string" "tool-pattern" }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_tool_pattern_is_told() {
        for good in [
            "Bash",
            "*",
            "Bash(git *)",
            "mcp__x__*",
            "Read(~/.claude/**)",
            "WebFetch(domain:example.org)",
            "WebFetch(*)",
            "Own",
        ] {
            assert!(ToolPattern::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "Bash(",
            "Read|Write",
            "mcp__*(x)",
            "a b",
            "bash",
            "WebFetch(x)",
            "Own(x)",
            "read(x)",
        ] {
            assert!(ToolPattern::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_host_is_the_host_of_an_address() {
        for url in ["https://Example.org/a", "http://example.org:80?x", "https://u:p@example.org"] {
            assert!(is_host("example.org", url), "{url}");
        }
        for url in
            ["https://evil.org/example.org", "https://a.example.org", "https://example.org@b"]
        {
            assert!(!is_host("example.org", url), "{url}");
        }
        assert!(is_host("*.example.org", "https://a.example.org/"));
        assert!(!is_host("*.example.org", "https://example.org/"));
    }
}

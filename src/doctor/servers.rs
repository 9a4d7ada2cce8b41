//! Do matchers, conditions and handlers name MCP servers that are configured?

use super::check::{Check, Findings};
use super::facts::Facts;
use super::matchers::places;
use super::plugin::in_tools;
use super::rules;
use crate::client::Subject;
use crate::syntax::suggestion::nearest;

pub(super) const CHECKS: &[Check] = &[Check { id: "mcp-server", run: configured }];

/// The servers that the client or a host of it may add without any file that could be read.
const ADDED: &[&str] = &["claude_ai_", "claude-in-chrome", "computer-use", "ide", "plugin_"];

fn configured(facts: &Facts, findings: &mut Findings) {
    let mut named: Vec<(String, String)> = Vec::new();
    for place in places(facts).into_iter().filter(|it| it.subject() == Subject::Tool) {
        named.extend(servers(&place.matcher).map(|name| (place.shown.clone(), name.to_owned())));
    }
    for (shown, rule) in rules::texts(facts) {
        named.extend(servers(&rule).map(|name| (shown.clone(), name.to_owned())));
    }
    for (handler, shown) in facts.foreign_with("server") {
        let server = handler.text("server").filter(|_| handler.text("type") == Some("mcp_tool"));
        named.extend(server.map(|server| (shown, in_tools(server))));
    }
    if named.is_empty() {
        return;
    }
    let known = facts.server_names();
    // Where none is configured in a file, they come from somewhere else, or are still to come.
    named.retain(|(_, name)| {
        !known.is_empty() && !known.contains(name) && !ADDED.iter().any(|it| name.starts_with(it))
    });
    named.dedup();
    for (shown, name) in named {
        match nearest(&name, known.iter().map(String::as_str)) {
            Some(near) => findings.say("server-misspelled", shown, &[&name, &near]),
            None => findings.say("server-unknown", shown, &[&name, &known.join(", ")]),
        };
    }
}

fn servers(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("mcp__").filter_map(|(at, mark)| {
        let rest = &text[at + mark.len()..];
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
        let word = &rest[..rest.find(|letter| !is_name(letter)).unwrap_or(rest.len())];
        let (server, _) = word.split_once("__")?;
        (!server.is_empty()).then_some(server)
    })
}

#[cfg(test)]
mod tests {
    use super::servers;

    #[test]
    fn servers_are_read_off_what_names_them_whole() {
        let rows: [(&str, &[&str]); 6] = [
            ("mcp__memory__.*", &["memory"]),
            ("Bash|mcp__a-b__c|^mcp__d_e__f$", &["a-b", "d_e"]),
            ("mcp__.*__write.*", &[]),
            ("mcp__(a|b)__.*", &[]),
            ("mcp__memory", &[]),
            ("mcp__mem.*__x", &[]),
        ];
        for (text, expected) in rows {
            assert_eq!(servers(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }
}

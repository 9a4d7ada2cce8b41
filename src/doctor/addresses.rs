//! Do the settings allow the addresses that hooks post to?

use serde_json::Value;
use url::Url;

use super::{Check, Facts, Findings, Level};

pub(super) const CHECKS: &[Check] = &[Check {
    id: "http-allowed",
    about: "addresses that hooks post to are ones that the settings allow",
    notice: "the client posts nothing, and the call goes on",
    run: allowed,
}];

/// The key for what may be posted to.
const KEY: &str = "allowedHttpHookUrls";

fn allowed(facts: &Facts, findings: &mut Findings) {
    let mut patterns: Vec<String> = Vec::new();
    let mut first = None;
    for file in facts.writable_files().into_iter().chain(&facts.managed) {
        let Some(document) = file.document() else { continue };
        let Some(node) = document.lookup(&format!("/{KEY}")) else { continue };
        let Value::Array(list) = document.value(node) else { continue };
        patterns.extend(list.iter().filter_map(|it| Some(it.as_str()?.to_owned())));
        first = first.or_else(|| Some(file.at(document.position(node.span.start))));
    }
    // Without a list all are allowed.
    let Some(first) = first else { return };
    for file in facts.files() {
        for (handler, place) in file.foreign_with("url") {
            let url = handler.value.get("url").and_then(Value::as_str);
            let Some(url) = url.and_then(|url| Url::parse(url).ok()) else { continue };
            if patterns.iter().any(|pattern| allows(pattern, url.as_str())) {
                continue;
            }
            findings.add(
                Level::Error,
                place,
                format!("`{url}` fits nothing in `{KEY}` at {first}"),
                format!("write `\"{}/*\"` into that list", url.origin().ascii_serialization()),
            );
        }
    }
}

/// Whether a pattern allows an address.
///
/// Source: the clients 2.1.329 and 2.1.197. A `*` is any text, but the scheme is written out; without a
/// path each one is meant.
fn allows(pattern: &str, url: &str) -> bool {
    let pattern = pattern.trim();
    if pattern.starts_with('*') {
        return pattern == "*";
    }
    let Some((scheme, rest)) = pattern.split_once("://") else {
        return glob(&pattern.to_lowercase(), url);
    };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let path = if path.is_empty() { "/*" } else { path };
    glob(&format!("{}://{}{path}", scheme.to_lowercase(), host.to_lowercase()), url)
}

/// Whether a text is what a pattern says, in which `*` is any text.
fn glob(pattern: &str, text: &str) -> bool {
    let Some((before, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(before) else { return false };
    (0..=text.len()).filter(|at| text.is_char_boundary(*at)).any(|at| glob(rest, &text[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_allow_what_the_client_posts_to() {
        // Each row was asked of both clients, with another port.
        let rows = [
            ("https://example.com/*", false),
            ("http://127.0.0.1:99/hook/deny", true),
            ("http://127.0.0.1:*", true),
            ("http://*/hook/*", true),
            ("http://127.0.0.1:99", true),
            ("http://127.0.0.1:99/", false),
            ("HTTP://127.0.0.1:*", true),
            ("*", true),
            ("http://127.0.0.1:99/hook", false),
            ("http://127.0.0.1:99/HOOK/*", false),
            ("127.0.0.1", false),
            ("http://127.0.0.1", false),
            ("http://127.0.0.1/*", false),
            ("*127*", false),
            ("*.0.0.1:*", false),
            ("http://localhost:*", false),
            ("http://?27.0.0.1:*", false),
            ("http://127.0.0.1:*/", false),
            ("http://127.0.0.1:*/*", true),
            ("http://127.0.0.1:99/hook/*/", false),
            ("  http://127.0.0.1:99/*  ", true),
            ("http:*", true),
            ("http://127.0.0.1:99/hook/d.ny", false),
        ];
        for (pattern, expected) in rows {
            assert_eq!(allows(pattern, "http://127.0.0.1:99/hook/deny"), expected, "{pattern}");
        }
    }
}

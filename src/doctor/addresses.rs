//! Do the settings allow the addresses that hooks post to?

use serde_json::Value;
use url::Url;

use super::check::Check;
use super::facts::Facts;
use super::finding::{Findings, Level};
use crate::syntax::wildcard::hits;

pub(super) const CHECKS: &[Check] = &[Check {
    id: "http-allowed",
    about: "addresses that hooks post to, and variables in their headers, are allowed",
    notice: "the client posts nothing, and the call goes on",
    run: |facts, findings| {
        allowed(facts, findings);
        variables(facts, findings);
    },
}];

/// The key for what may be posted to.
const KEY: &str = "allowedHttpHookUrls";

fn allowed(facts: &Facts, findings: &mut Findings) {
    let mut patterns: Vec<String> = Vec::new();
    let mut first = None;
    for file in facts.writable_files().into_iter().chain(&facts.managed) {
        let Some((Value::Array(list), place)) = file.value(&format!("/{KEY}")) else { continue };
        patterns.extend(list.iter().filter_map(|it| Some(it.as_str()?.to_owned())));
        first = first.or(Some(place));
    }
    // Without a list all are allowed.
    let Some(first) = first else { return };
    for file in facts.files() {
        for (handler, place) in file.foreign_with("url") {
            let url = handler.text("url").and_then(|url| Url::parse(url).ok());
            let Some(url) = url else { continue };
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

/// Variables in headers that the client does not put in.
///
/// Source: the clients 2.1.329 and 2.1.197, which leave out the value of one that is not named.
fn variables(facts: &Facts, findings: &mut Findings) {
    for file in facts.files() {
        for (handler, place) in file.foreign_with("headers") {
            let Some(headers) = handler.value.get("headers").and_then(Value::as_object) else {
                continue;
            };
            let named = handler.value.get("allowedEnvVars").and_then(Value::as_array);
            let is_named = |name: &str| named.into_iter().flatten().any(|it| *it == *name);
            let texts = headers.values().filter_map(Value::as_str);
            let mut wanted: Vec<&str> = texts.flat_map(variables_of).collect();
            wanted.sort_unstable();
            wanted.dedup();
            for name in wanted.into_iter().filter(|name| !is_named(name)) {
                let finding = findings.add(
                    Level::Error,
                    &place,
                    format!("`${name}` in a header is empty: `allowedEnvVars` does not name it"),
                    format!("write `\"allowedEnvVars\": [\"{name}\"]` into the hook"),
                );
                finding.notice("the request comes without the value, and the server may refuse it");
            }
        }
    }
}

/// The names of variables in a header: capital letters, digits and `_`.
fn variables_of(text: &str) -> impl Iterator<Item = &str> {
    text.split('$').skip(1).filter_map(|rest| {
        let inner = rest.strip_prefix('{');
        let rest = inner.unwrap_or(rest);
        let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let is_whole = inner.is_none() || rest[end..].starts_with('}');
        let is_name = is_whole && !rest.starts_with(|c: char| c.is_ascii_digit()) && end > 0;
        is_name.then(|| &rest[..end])
    })
}

/// Returns whether a pattern allows an address.
///
/// Source: the clients 2.1.329 and 2.1.197. A `*` is any text, but the scheme is written out; without a
/// path each one is meant.
fn allows(pattern: &str, url: &str) -> bool {
    let pattern = pattern.trim();
    if pattern.starts_with('*') {
        return pattern == "*";
    }
    let Some((scheme, rest)) = pattern.split_once("://") else {
        return hits(&pattern.to_lowercase(), url);
    };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let path = if path.is_empty() { "/*" } else { path };
    hits(&format!("{}://{}{path}", scheme.to_lowercase(), host.to_lowercase()), url)
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

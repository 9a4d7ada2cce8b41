//! When the client takes two handlers, or two values, for the same.

use serde_json::{Value, json};

/// The client's key for equal handlers (2.1.197, confirmed by its maintainers).
pub(crate) fn identity(handler: &Value) -> String {
    let parts: &[&str] = match handler.get("type").and_then(Value::as_str) {
        Some("command") => &["command", "args", "if"],
        Some("http") => &["url", "if"],
        Some("mcp_tool") => &["server", "tool", "input", "if"],
        _ => &["prompt", "if"],
    };
    let mut key = vec![handler.get("type").cloned().unwrap_or_default()];
    if key.contains(&json!("command")) {
        key.push(handler.get("shell").cloned().unwrap_or_else(|| "bash".into()));
    }
    key.extend(parts.iter().map(|part| handler.get(part).cloned().unwrap_or_default()));
    Value::Array(key).to_string()
}

/// Returns whether two values are the same to the client, to which `60.0` is `60`.
pub(crate) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, one)| other.get(key).is_some_and(|other| same(one, other)))
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_runs_equal_handlers_once() {
        let same = |one: &str, other: &str| {
            let [one, other] = [one, other].map(|text| serde_json::from_str(text).unwrap());
            identity(&one) == identity(&other)
        };
        let command = r#"{"type": "command", "command": "x"}"#;
        assert!(same(
            command,
            r#"{"command": "x", "timeout": 5, "async": true, "type": "command"}"#
        ));
        assert!(same(command, r#"{"type": "command", "command": "x", "shell": "bash"}"#));
        assert!(!same(command, r#"{"type": "command", "command": "x", "shell": "powershell"}"#));
        assert!(!same(command, r#"{"type": "command", "command": "x", "args": []}"#));
        assert!(!same(command, r#"{"type": "command", "command": "x", "if": "Bash"}"#));
        assert!(!same(command, r#"{"type": "prompt", "prompt": "x"}"#));
        assert!(same(
            r#"{"type": "http", "url": "u", "headers": {}}"#,
            r#"{"type": "http", "url": "u"}"#
        ));
        assert!(!same(
            r#"{"type": "mcp_tool", "server": "s", "tool": "t", "input": {"a": 1}}"#,
            r#"{"type": "mcp_tool", "server": "s", "tool": "t"}"#
        ));
        assert!(!same(
            r#"{"type": "prompt", "prompt": "p"}"#,
            r#"{"type": "agent", "prompt": "p"}"#
        ));
    }
}

//! The answers of a made-up Messages API, for a client that is to speak to no other.

use serde_json::{Value, json};

pub const JSON: &str = "application/json";

/// The text of a message with this content and so many tokens, and its media type.
pub fn message(
    id: &str,
    request: &Value,
    content: Vec<Value>,
    used: u64,
) -> (&'static str, String) {
    let calls = content.iter().any(|block| block["type"] == "tool_use");
    let whole = json!({
        "id": id, "type": "message", "role": "assistant", "model": request["model"],
        "content": content, "stop_reason": if calls { "tool_use" } else { "end_turn" },
        "stop_sequence": null, "usage": {"input_tokens": used, "output_tokens": 1},
    });
    if request["stream"] == true {
        ("text/event-stream", stream(&whole, content))
    } else {
        (JSON, whole.to_string())
    }
}

fn stream(whole: &Value, content: Vec<Value>) -> String {
    let mut start = whole.clone();
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    let mut events = vec![json!({"type": "message_start", "message": start})];
    for (index, mut block) in content.into_iter().enumerate() {
        let delta = if block["type"] == "text" {
            let text = std::mem::replace(&mut block["text"], json!(""));
            json!({"type": "text_delta", "text": text})
        } else {
            let input = std::mem::replace(&mut block["input"], json!({}));
            json!({"type": "input_json_delta", "partial_json": input.to_string()})
        };
        events.extend([
            json!({"type": "content_block_start", "index": index, "content_block": block}),
            json!({"type": "content_block_delta", "index": index, "delta": delta}),
            json!({"type": "content_block_stop", "index": index}),
        ]);
    }
    let delta = json!({"stop_reason": whole["stop_reason"], "stop_sequence": null});
    events.push(json!({"type": "message_delta", "usage": whole["usage"], "delta": delta}));
    events.push(json!({"type": "message_stop"}));
    let line = |event: &Value| {
        format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default())
    };
    events.iter().map(line).collect()
}

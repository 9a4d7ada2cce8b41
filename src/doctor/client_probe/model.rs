//! The lines of the model for the client that is asked: tool calls that reach as many events as can be.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::copy::PROMPT;
use crate::machine::loopback::{Request, Response};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub tool: &'static str,
    pub input: Value,
}

/// Tools that a client may offer without saying what their input is.
const LATE: &[&str] =
    &["NotebookEdit", "TaskCreate", "TaskList", "TaskUpdate", "TodoWrite", "WebFetch"];

/// A model that follows a script: each turn some calls, and at the end a word.
#[derive(Default)]
pub(super) struct Model {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    turns: VecDeque<Vec<Call>>,
    offered: Vec<String>,
    called: Vec<String>,
    /// The marks of handlers that asked a model or a server.
    marks: Vec<String>,
    messages: usize,
    calls: usize,
}

impl Model {
    /// Sets what is said in the turns to come.
    pub(super) fn play(&self, turns: Vec<Vec<Call>>) {
        self.lock().turns = turns.into();
    }

    pub(super) fn marks(&self) -> Vec<String> {
        self.lock().marks.clone()
    }

    pub(super) fn called(&self) -> Vec<String> {
        self.lock().called.clone()
    }

    pub(super) fn was_asked(&self) -> bool {
        self.lock().messages > 0
    }

    /// Answers a request of the client, or of a handler.
    pub(super) fn answer(&self, request: &Request) -> Response {
        const JSON: &str = "application/json";
        let ok = |kind, body| Response { status: "200 OK", kind, body };
        if request.method == "CONNECT" || request.path.starts_with("http") {
            // It is also the proxy, so that nothing else can be reached.
            return Response { status: "502 Bad Gateway", kind: "text/plain", body: String::new() };
        }
        if let Some(mark) = request.path.strip_prefix("/hook/") {
            self.lock().marks.push(mark.to_owned());
            return ok(JSON, "{}".to_owned());
        }
        if request.path.starts_with("/v1/messages/count_tokens") {
            return ok(JSON, json!({"input_tokens": 1}).to_string());
        }
        if !request.path.starts_with("/v1/messages") {
            return ok(JSON, "{}".to_owned());
        }
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let (kind, text) = self.message(&body);
        ok(kind, text)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn message(&self, body: &Value) -> (&'static str, String) {
        let mut state = self.lock();
        state.messages += 1;
        let id = format!("msg_{}", state.messages);
        let content = match mark(body) {
            Some(mark) => {
                state.marks.push(mark);
                vec![json!({"type": "text", "text": "{\"ok\": true}"})]
            }
            None => state.turn(body),
        };
        drop(state);
        if body["stream"] == true {
            ("text/event-stream", stream(&message(&id, body, &content), content))
        } else {
            ("application/json", message(&id, body, &content).to_string())
        }
    }
}

impl State {
    /// The content of the next turn: of its calls those whose tools the client offers.
    fn turn(&mut self, body: &Value) -> Vec<Value> {
        let tools = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
        if tools.is_empty() {
            // A request on the side, for a title and the like.
            return vec![json!({"type": "text", "text": "a title"})];
        }
        let whole = tools.iter().filter_map(|tool| Some(tool["name"].as_str()?.to_owned()));
        self.offered.extend(whole);
        let text = body.to_string();
        // These are offered by their names alone by newer clients, to be looked up when needed.
        let named = LATE.iter().filter(|name| text.contains(**name));
        self.offered.extend(named.map(|name| (*name).to_owned()));
        while let Some(calls) = self.turns.pop_front() {
            let mut content = Vec::new();
            for Call { tool, input } in calls {
                if self.offered.iter().any(|name| name == tool) {
                    self.calls += 1;
                    self.called.push(tool.to_owned());
                    let id = format!("toolu_{:02}", self.calls);
                    content
                        .push(json!({"type": "tool_use", "id": id, "name": tool, "input": input}));
                }
            }
            if !content.is_empty() {
                return content;
            }
        }
        vec![json!({"type": "text", "text": "done"})]
    }
}

/// The mark of the handler that asks, if it is one that does.
fn mark(body: &Value) -> Option<String> {
    let text = body.to_string();
    let (_, rest) = text.split_once(PROMPT)?;
    let is_of_mark = |character: &char| character.is_ascii_digit() || *character == '.';
    Some(rest.chars().take_while(is_of_mark).collect())
}

fn message(id: &str, body: &Value, content: &[Value]) -> Value {
    let calls = content.iter().any(|block| block["type"] == "tool_use");
    json!({
        "id": id, "type": "message", "role": "assistant", "model": body["model"],
        "content": content, "stop_reason": if calls { "tool_use" } else { "end_turn" },
        "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1},
    })
}

/// A message as the events of a stream.
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

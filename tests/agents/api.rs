//! A loopback server that speaks what the agents speak (Responses and Chat Completions, Gemini's
//! API) and answers from a script. It is also their proxy, so that a request to another host ends here.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use anyhow::{Context, Result};
use hookman::machine::loopback::{Loopback, Request, Response};
use serde_json::{Value, json};

use crate::agent::Agent;

/// One answer of the model.
#[derive(Clone, Debug)]
pub(crate) enum Turn {
    /// Words that end the turn.
    Text(String),
    /// Calls of tools, each a tool in hookman's words with its input.
    Calls(Vec<(String, Value)>),
}

#[derive(Default)]
struct State {
    turns: VecDeque<Turn>,
    told: Vec<Vec<String>>,
    problems: Vec<String>,
    n_calls: usize,
}

/// The server, which stops when this is dropped.
pub(crate) struct Api {
    server: Loopback,
    state: Arc<Mutex<State>>,
}

impl Api {
    /// Listens on a free port of the loopback interface.
    pub(crate) fn start(agent: &'static Agent) -> Result<Self> {
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        let server = Loopback::start(move |request| answer(request, &shared, agent));
        Ok(Self { server: server.context("failed to listen")?, state })
    }

    /// Host and port.
    pub(crate) fn address(&self) -> String {
        self.server.url().replace("http://", "")
    }

    /// Adds turns for the next prompt.
    pub(crate) fn queue(&self, turns: Vec<Turn>) {
        lock(&self.state).turns.extend(turns);
    }

    /// Takes the texts that each request since the last call told the model, and what went wrong.
    pub(crate) fn heard(&self) -> (Vec<Vec<String>>, Vec<String>) {
        let mut state = lock(&self.state);
        let n_unused = state.turns.len();
        state.turns.clear();
        let mut problems = std::mem::take(&mut state.problems);
        if n_unused > 0 {
            problems.push(format!("{n_unused} turns of the script were not asked for"));
        }
        (std::mem::take(&mut state.told), problems)
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

const STREAM: &str = "text/event-stream";
const JSON: &str = "application/json";

fn answer(request: &Request, state: &Mutex<State>, agent: &Agent) -> Response {
    let (method, path) = (request.method.as_str(), request.path.as_str());
    let body = || serde_json::from_slice::<Value>(&request.body).unwrap_or_default();
    let (kind, body) = if method == "CONNECT" || path.starts_with("http") {
        // They ask for news of themselves whatever they are told.
        let status = "502 Bad Gateway".to_owned();
        return Response { status, kind: "text/plain", body: String::new() };
    } else if path.ends_with("/responses") {
        (STREAM, responses(&body(), state, agent))
    } else if path.ends_with("/chat/completions") {
        let body = body();
        let text = completions(&body, state, agent);
        (if body["stream"] == true { STREAM } else { JSON }, text)
    } else if path.contains(":streamGenerateContent") {
        (STREAM, format!("data: {}\r\n\r\n", generated(&body(), state, agent)))
    } else if path.contains(":generateContent") {
        (JSON, generated(&body(), state, agent).to_string())
    } else if path.contains(":countTokens") {
        (JSON, json!({"totalTokens": 1}).to_string())
    } else {
        (JSON, json!({"object": "list", "data": [], "models": []}).to_string())
    };
    Response { status: "200 OK".to_owned(), kind, body }
}

/// The next turn for the main conversation, with the number of its first call.
fn next(state: &Mutex<State>, told: Vec<String>) -> (Turn, usize) {
    let mut state = lock(state);
    state.told.push(told);
    let turn = state.turns.pop_front().unwrap_or_else(|| {
        state.problems.push("the model was asked beyond its script".to_owned());
        Turn::Text("nothing left to say".to_owned())
    });
    let first = state.n_calls;
    if let Turn::Calls(calls) = &turn {
        state.n_calls += calls.len();
    }
    (turn, first)
}

/// The list at a key of a request.
fn list<'v>(body: &'v Value, key: &str) -> &'v [Value] {
    body[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// What comes behind the last thing that the model said.
fn news(items: &[Value], is_models: impl Fn(&Value) -> bool) -> &[Value] {
    let last = items.iter().rposition(is_models);
    &items[last.map_or(0, |last| last + 1)..]
}

/// All texts below a value, a line each.
fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|it| texts(it, found)),
        Value::Object(fields) => {
            for key in
                ["text", "content", "output", "error", "response", "functionResponse", "parts"]
            {
                fields.get(key).into_iter().for_each(|it| texts(it, found));
            }
        }
        _ => {}
    }
}

fn told(items: &[Value]) -> Vec<String> {
    let text = |item: &Value| {
        let mut found = Vec::new();
        texts(item, &mut found);
        let kind = ["type", "role"].iter().find_map(|key| item[key].as_str()).unwrap_or_default();
        let is_result =
            kind.ends_with("_output") || kind == "tool" || !item["functionResponse"].is_null();
        format!("{}{}", if is_result { RESULT } else { "" }, found.join("\n"))
    };
    items.iter().map(text).collect()
}

/// The start of a text that is the result of a tool.
pub(crate) const RESULT: &str = "result\0";

/// The Responses API, as Codex asks for them.
fn responses(body: &Value, state: &Mutex<State>, agent: &Agent) -> String {
    let input = list(body, "input");
    let said = |item: &Value| {
        let kind = item["type"].as_str().unwrap_or_default();
        item["role"] == "assistant" || kind.ends_with("_call") || kind == "reasoning"
    };
    let (turn, first) = next(state, told(news(input, said)));
    let items: Vec<Value> = match turn {
        Turn::Text(text) => {
            let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
            vec![json!({"type": "message", "id": "m", "role": "assistant", "content": content})]
        }
        Turn::Calls(calls) => {
            let call = |(n, (tool, input)): (usize, (String, Value))| {
                let script = agent.script(&tool, &input);
                let id = format!("call_{}", first + n);
                json!({"type": "custom_tool_call", "id": id, "call_id": id, "name": "exec", "input": script})
            };
            calls.into_iter().enumerate().map(call).collect()
        }
    };
    let usage = json!({"input_tokens": 1, "output_tokens": 1, "total_tokens": 2});
    let begun = json!({"type": "response.created", "response": {"id": "r"}});
    let ended = json!({"type": "response.completed", "response": {"id": "r", "usage": usage}});
    let done = items.into_iter().map(|it| json!({"type": "response.output_item.done", "item": it}));
    let events = std::iter::once(begun).chain(done).chain([ended]);
    let line = |event: Value| {
        format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default())
    };
    events.map(line).collect()
}

/// The Chat Completions API, as Copilot and Qwen Code ask for them.
fn completions(body: &Value, state: &Mutex<State>, agent: &Agent) -> String {
    let model = body["model"].clone();
    let told = told(news(list(body, "messages"), |it| it["role"] == "assistant"));
    let is_aside = told.iter().any(|text| agent.aside.iter().any(|start| text.starts_with(start)));
    let (turn, first) = if is_aside || list(body, "tools").is_empty() {
        (Turn::Text("a title".to_owned()), 0)
    } else {
        next(state, told)
    };
    let (mut message, why) = match turn {
        Turn::Text(text) => (json!({"role": "assistant", "content": text}), "stop"),
        Turn::Calls(calls) => {
            let call = |(n, (tool, input)): (usize, (String, Value))| {
                let (name, input) = agent.call(&tool, &input);
                let function = json!({"name": name, "arguments": input.to_string()});
                json!({"index": n, "id": format!("call_{}", first + n), "type": "function", "function": function})
            };
            let calls: Vec<Value> = calls.into_iter().enumerate().map(call).collect();
            (json!({"role": "assistant", "content": null, "tool_calls": calls}), "tool_calls")
        }
    };
    let usage = json!({"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2});
    let whole = |choice: Value, kind: &str| json!({"id": "c", "object": kind, "created": 1, "model": model, "choices": [choice], "usage": usage});
    if body["stream"] != true {
        let choice = json!({"index": 0, "message": message.take(), "finish_reason": why});
        return whole(choice, "chat.completion").to_string();
    }
    let said = json!({"index": 0, "delta": message, "finish_reason": null});
    let ended = json!({"index": 0, "delta": {}, "finish_reason": why});
    let [said, ended] = [said, ended].map(|choice| whole(choice, "chat.completion.chunk"));
    format!("data: {said}\n\ndata: {ended}\n\ndata: [DONE]\n\n")
}

/// Gemini's API.
fn generated(body: &Value, state: &Mutex<State>, agent: &Agent) -> Value {
    let turn = if list(body, "tools").is_empty() {
        Turn::Text(json!({"reasoning": "it is over", "next_speaker": "user"}).to_string())
    } else {
        let contents = news(list(body, "contents"), |it| it["role"] == "model");
        let parts: Vec<Value> = contents.iter().flat_map(|it| list(it, "parts")).cloned().collect();
        next(state, told(&parts)).0
    };
    let parts: Vec<Value> = match turn {
        Turn::Text(text) => vec![json!({"text": text})],
        Turn::Calls(calls) => {
            let call = |(tool, input): (String, Value)| {
                let (name, args) = agent.call(&tool, &input);
                json!({"functionCall": {"name": name, "args": args}})
            };
            calls.into_iter().map(call).collect()
        }
    };
    let content = json!({"role": "model", "parts": parts});
    let usage = json!({"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2});
    json!({"candidates": [{"index": 0, "content": content, "finishReason": "STOP"}], "usageMetadata": usage})
}

//! The lines of the model for the client that is asked: tool calls that reach as many events as can be.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::{Value, json};

use super::copy::PROMPT;
use crate::client::messages::{JSON, message};
use crate::machine::loopback::{Request, Response};

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct Call {
    pub tool: String,
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
    marks: Vec<String>,
    messages: usize,
    calls: usize,
}

impl Model {
    pub(super) fn play(&self, turns: Vec<Vec<Call>>) {
        self.lock().turns = turns.into();
    }

    pub(super) fn marks(&self) -> Vec<String> {
        self.lock().marks.clone()
    }

    pub(super) fn was_asked(&self) -> bool {
        self.lock().messages > 0
    }

    pub(super) fn answer(&self, request: &Request) -> Response {
        let ok = |kind, body| Response { status: "200 OK".to_owned(), kind, body };
        if request.method == "CONNECT" || request.path.starts_with("http") {
            // It is also the proxy, so that nothing else can be reached.
            let status = "502 Bad Gateway".to_owned();
            return Response { status, kind: "text/plain", body: String::new() };
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
        message(&id, body, content, 1)
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
                if self.offered.contains(&tool) {
                    self.calls += 1;
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

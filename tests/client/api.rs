//! A loopback server that speaks the client's Messages API and answers from a script.
//!
//! It is also the client's proxy, so that a request to any other host ends here and is reported.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use hookman::client::messages::{self, JSON};
use hookman::machine::loopback::{self, Loopback, Response};
use serde_json::{Value, json};

use crate::script::{Block, Turn};

/// One request of the main conversation.
pub(crate) struct Request {
    /// The id of the message that answered it.
    pub(crate) id: String,
    /// The request's JSON.
    pub(crate) body: Value,
}

#[derive(Default)]
struct State {
    turns: VecDeque<Turn>,
    requests: Vec<Request>,
    problems: Vec<String>,
    posts: Vec<String>,
    n_messages: usize,
    n_calls: usize,
    pause: Duration,
}

/// The server, which stops when this is dropped.
pub(crate) struct Api {
    server: Loopback,
    state: Arc<Mutex<State>>,
}

impl Api {
    /// Listens on a free port of the loopback interface.
    pub(crate) fn start() -> Result<Self> {
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        let server = Loopback::start(move |request| answer(request, &shared));
        Ok(Self { server: server.context("failed to listen")?, state })
    }

    /// The base URL the client is given.
    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    /// Host and port.
    pub(crate) fn address(&self) -> String {
        self.url().replace("http://", "")
    }

    /// Takes what hooks posted since the last call, a line each.
    pub(crate) fn posts(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.state).posts)
    }

    /// Adds turns for the next prompt.
    pub(crate) fn queue(&self, turns: Vec<Turn>) {
        lock(&self.state).turns.extend(turns);
    }

    /// Has the model take so long for every answer, as a real one does.
    #[allow(dead_code, reason = "only the benchmark has the time")]
    pub(crate) fn pause(&self, pause: Duration) {
        lock(&self.state).pause = pause;
    }

    /// Takes the requests since the last call.
    pub(crate) fn requests(&self) -> Vec<Request> {
        std::mem::take(&mut lock(&self.state).requests)
    }

    /// Takes what went wrong since the last call, turns nobody asked for included.
    pub(crate) fn problems(&self) -> Vec<String> {
        let mut state = lock(&self.state);
        let n_unused = state.turns.len();
        state.turns.clear();
        let mut problems = std::mem::take(&mut state.problems);
        if n_unused > 0 {
            problems.push(format!("{n_unused} turns of the script were not asked for"));
        }
        problems
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn answer(request: &loopback::Request, state: &Mutex<State>) -> Response {
    let (method, path) = (request.method.as_str(), request.path.as_str());
    let body = || serde_json::from_slice(&request.body).unwrap_or_default();
    let ok = |(kind, body)| Response { status: "200 OK".to_owned(), kind, body };
    if method == "CONNECT" || path.starts_with("http") {
        lock(state).problems.push(format!("the client asked for {path}"));
        let status = "502 Bad Gateway".to_owned();
        Response { status, kind: "text/plain", body: String::new() }
    } else if method == "POST" && path.starts_with("/v1/messages/count_tokens") {
        ok((JSON, json!({ "input_tokens": 1 }).to_string()))
    } else if method == "POST" && path.starts_with("/v1/messages") {
        let pause = lock(state).pause;
        thread::sleep(pause);
        message(body(), state).map_or_else(|failed| failed, ok)
    } else if method == "POST" && path.starts_with("/hook/") {
        // What a case has the client put into a header.
        let probe = request.headers.iter().find(|(name, _)| name == "x-probe");
        let probe = probe.map(|(_, value)| format!(" {value}")).unwrap_or_default();
        ok((JSON, hook(path, &probe, &body(), state)))
    } else {
        ok((JSON, "{}".to_owned()))
    }
}

/// The answer to a hook that posts its input: a denial under `/hook/deny`, else nothing.
fn hook(path: &str, probe: &str, input: &Value, state: &Mutex<State>) -> String {
    let words = ["hook_event_name", "tool_name"].map(|key| input[key].as_str().unwrap_or_default());
    let post = format!("posted {path} {} {}{probe}", words.join(" "), input["tool_input"]);
    lock(state).posts.push(post);
    let answer = if path == "/hook/deny" {
        json!({ "hookSpecificOutput": {
            "hookEventName": input["hook_event_name"],
            "permissionDecision": "deny",
            "permissionDecisionReason": "the server says no",
        } })
    } else {
        json!({})
    };
    answer.to_string()
}

/// The next turn for the main conversation, which is the one with tools; a bland text for the
/// client's requests on the side.
fn message(
    body: Value,
    state: &Mutex<State>,
) -> std::result::Result<(&'static str, String), Response> {
    let main = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let asked = json!({ "model": body["model"], "stream": body["stream"] });
    let mut state = lock(state);
    state.n_messages += 1;
    let id = format!("msg_{}", state.n_messages);
    // The client asks the model for prompt hooks without tools, with the hook's input in the question.
    let hook = body.to_string().contains("hook_event_name");
    let turn = if main || hook {
        let turn = state.turns.pop_front().unwrap_or_else(|| {
            state.problems.push("the model was asked beyond its script".to_owned());
            Turn(vec![Block::Text("nothing left to say".to_owned())])
        });
        state.requests.push(Request { id: id.clone(), body });
        turn
    } else {
        Turn(vec![Block::Text("a title".to_owned())])
    };
    let mut content = Vec::new();
    let mut used = 1;
    for block in turn.0 {
        content.push(match block {
            Block::Fail(status) => {
                let error = json!({ "type": "invalid_request_error", "message": "refused" });
                let answer = json!({ "type": "error", "error": error });
                let status = format!("{status} Refused");
                return Err(Response { status, kind: JSON, body: answer.to_string() });
            }
            Block::Used(tokens) => {
                used = tokens;
                continue;
            }
            Block::Text(text) => json!({ "type": "text", "text": text }),
            Block::Call { tool, input } => {
                state.n_calls += 1;
                let id = format!("toolu_{:02}", state.n_calls);
                json!({ "type": "tool_use", "id": id, "name": tool, "input": input })
            }
        });
    }
    drop(state);

    Ok(messages::message(&id, &asked, content, used))
}

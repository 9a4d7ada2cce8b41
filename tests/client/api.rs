//! A loopback server that speaks the client's Messages API and answers from a script.
//!
//! It is also the client's proxy, so that a request to any other host ends here and is reported.

use std::{
    collections::VecDeque,
    io::{self, BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use anyhow::{Context, Result};
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
    closed: bool,
    pause: Duration,
}

/// The server, which stops when this is dropped.
pub(crate) struct Api {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

impl Api {
    /// Listens on a free port of the loopback interface.
    pub(crate) fn start() -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("failed to listen")?;
        let address = listener.local_addr().context("failed to read the port")?;
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(io::Result::ok) {
                if lock(&shared).closed {
                    break;
                }
                let shared = Arc::clone(&shared);
                thread::spawn(move || answer(&stream, &shared));
            }
        });
        Ok(Self { address, state })
    }

    /// The base URL the client is given.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Host and port.
    pub(crate) fn address(&self) -> String {
        self.address.to_string()
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

impl Drop for Api {
    fn drop(&mut self) {
        lock(&self.state).closed = true;
        // Wakes the listener, which then sees the flag; a failure leaves a thread waiting, no more.
        drop(TcpStream::connect(self.address));
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn ok() -> String {
    "200 OK".to_owned()
}

/// Answers one connection; the client may hang up at any time, which is no error.
fn answer(stream: &TcpStream, state: &Mutex<State>) {
    drop(serve(stream, state));
}

fn serve(mut stream: &TcpStream, state: &Mutex<State>) -> Result<()> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut words = first.split(' ');
    let method = words.next().unwrap_or_default();
    let path = words.next().unwrap_or_default();
    let mut length = 0;
    let mut probe = String::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
        // What a case has the client put into a header.
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("x-probe")
        {
            probe = format!(" {}", value.trim());
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;

    let (status, kind, text) = if method == "CONNECT" || path.starts_with("http") {
        lock(state).problems.push(format!("the client asked for {path}"));
        ("502 Bad Gateway".to_owned(), "text/plain", String::new())
    } else if method == "POST" && path.starts_with("/v1/messages/count_tokens") {
        (ok(), "application/json", json!({ "input_tokens": 1 }).to_string())
    } else if method == "POST" && path.starts_with("/v1/messages") {
        let pause = lock(state).pause;
        thread::sleep(pause);
        message(serde_json::from_slice(&body)?, state)
    } else if method == "POST" && path.starts_with("/hook/") {
        (ok(), "application/json", hook(path, &probe, &serde_json::from_slice(&body)?, state))
    } else {
        (ok(), "application/json", "{}".to_owned())
    };
    let length = text.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{text}"
    )?;
    Ok(())
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
fn message(body: Value, state: &Mutex<State>) -> (String, &'static str, String) {
    let main = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let stream = body["stream"] == true;
    let model = body["model"].clone();
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
                return (format!("{status} Refused"), "application/json", answer.to_string());
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

    let calls = content.iter().any(|block| block["type"] == "tool_use");
    let stop = if calls { "tool_use" } else { "end_turn" };
    let usage = json!({ "input_tokens": used, "output_tokens": 1 });
    let mut message = json!({
        "id": id, "type": "message", "role": "assistant", "model": model, "content": content,
        "stop_reason": stop, "stop_sequence": null, "usage": usage,
    });
    if !stream {
        return (ok(), "application/json", message.to_string());
    }
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    let mut events = vec![json!({ "type": "message_start", "message": message })];
    for (index, block) in content.into_iter().enumerate() {
        events.extend(stream_block(index, block));
    }
    events.push(json!({
        "type": "message_delta", "usage": usage,
        "delta": { "stop_reason": stop, "stop_sequence": null },
    }));
    events.push(json!({ "type": "message_stop" }));
    let mut text = String::new();
    for event in events {
        text += "event: ";
        text += event["type"].as_str().unwrap_or_default();
        text += "\ndata: ";
        text += &event.to_string();
        text += "\n\n";
    }
    (ok(), "text/event-stream", text)
}

fn stream_block(index: usize, mut block: Value) -> [Value; 3] {
    let delta = if block["type"] == "text" {
        let text = block["text"].take();
        block["text"] = json!("");
        json!({ "type": "text_delta", "text": text })
    } else {
        let input = block["input"].take();
        block["input"] = json!({});
        json!({ "type": "input_json_delta", "partial_json": input.to_string() })
    };
    [
        json!({ "type": "content_block_start", "index": index, "content_block": block }),
        json!({ "type": "content_block_delta", "index": index, "delta": delta }),
        json!({ "type": "content_block_stop", "index": index }),
    ]
}

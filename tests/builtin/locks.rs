//! No sequence of tool calls locks a session for good, with all gates on at once.
//!
//! After random calls the model does what each denial asks for: that must pass at once, whatever other
//! gates say, and an ordinary call has to pass in the end. The gates are those of the catalogue, and
//! such as let nothing through but their own way out.

use hookman::{
    builtin::{catalogue, context::Context, host::Host},
    client::{answer::Decision, event::Event, host::CLAUDE, payload::Payload},
    session::{memory::MemoryStore, store::Store},
};
use proptest::{prelude::*, test_runner::Config};
use serde_json::{Map, Value, json};
use std::path::Path;

use super::machine::Machine;

/// The gates in the order in which the workflow engine document installs them.
const GATES: [&str; 5] = ["session-gate", "overflow", "heartbeat", "idle-gate", "directive-gate"];

const FILES: [&str; 5] = [
    "/project/README.md",
    "/project/src/TESTING.md",
    "/project/src/[odd] (one)/PITFALLS.md",
    "/project/docs/AGENTS.md",
    "/project/docs/CHECKLIST.md",
];

/// Options with which a gate lets nothing through but its own way out.
fn strict(gate: &str) -> Map<String, Value> {
    let lifecycle = json!({ "allow": ["Bash(hookman state set lifecycle *)"] });
    let options = match gate {
        "heartbeat" => json!({ "count": {
            "calls": ["*"], "reset": ["Bash(hookman state set note *)"], "free": [], "pause": {},
        } }),
        "directive-gate" => json!({ "free": [], "pause": {}, "block_after": 1 }),
        _ => lifecycle,
    };
    let Value::Object(options) = options else { unreachable!() };
    options
}

/// So many denials may come one after another before an ordinary call passes.
const MOST_DENIALS: usize = 12;

#[derive(Clone, Debug)]
enum Deed {
    Call { agent: &'static str, tool: &'static str, input: Value },
    Context(&'static str),
    Loading(&'static str),
    Gone(&'static str),
    Back(&'static str),
    Compacted,
}

struct Session {
    machine: Machine,
    store: MemoryStore,
    is_strict: bool,
}

impl Session {
    fn new(is_strict: bool) -> Self {
        let mut machine = Machine::default();
        machine.now = super::seconds(super::START);
        for file in FILES {
            machine.write(Path::new(file), "x".to_owned());
        }
        Self { machine, store: MemoryStore::default(), is_strict }
    }

    /// Who denies an event, of the gates in their order.
    fn asked(&self, event: Event, fields: Value) -> Option<&'static str> {
        let mut payload = json!({
            "session_id": "session-1", "cwd": "/project", "hook_event_name": event.name(),
        });
        let Value::Object(fields) = fields else { unreachable!() };
        payload.as_object_mut().unwrap().extend(fields);
        let text = payload.to_string();
        let payload = Payload::parse(&text).unwrap();
        GATES.into_iter().find(|name| {
            let entry = catalogue::find(name).unwrap();
            if !entry.events.contains(&event) {
                return false;
            }
            let own = if self.is_strict { strict(name) } else { Map::new() };
            let options =
                serde_json::to_string(&*entry.compile(&entry.resolve(&own).unwrap()).unwrap())
                    .unwrap();
            let context = Context {
                name,
                fence: None,
                event,
                payload: &payload,
                caller: &CLAUDE,
                text: &text,
                options: &options,
                late: &super::no_late_options,
                watches: false,
                store: &self.store,
                host: &self.machine,
            };
            let answer = entry.kind.answer(&context).unwrap();
            assert_ne!(answer.decision, Some(Decision::Allow), "{name} allows aloud");
            answer.decision == Some(Decision::Deny)
        })
    }

    /// Who denies a call; one that passes has its effect.
    fn call(&self, agent: &str, tool: &str, input: &Value) -> Option<&'static str> {
        let mut fields = json!({ "tool_name": tool, "tool_input": input });
        if !agent.is_empty() {
            fields["agent_id"] = agent.into();
        }
        let denied = self.asked(Event::PreToolUse, fields);
        let command = input["command"].as_str().unwrap_or_default();
        if let (None, Some(set)) = (denied, command.strip_prefix("hookman state set ")) {
            let (name, value) = set.split_once(' ').unwrap();
            self.set(name, value);
        }
        denied
    }

    fn set(&self, name: &str, value: &str) {
        self.store.change(name, &mut |_| Some(value.to_owned())).unwrap();
    }

    fn does(&self, deed: &Deed) {
        match deed {
            Deed::Call { agent, tool, input } => {
                self.call(agent, tool, input);
            }
            Deed::Context(share) => self.set("context", share),
            Deed::Loading(word) => self.set("loading", word),
            Deed::Gone(file) => self.machine.forget(Path::new(file)),
            Deed::Back(file) => self.machine.write(Path::new(file), "x".to_owned()),
            Deed::Compacted => {
                self.asked(Event::SessionStart, json!({ "source": "compact" }));
                self.set("context", "0.1");
            }
        }
    }

    /// The calls that the denial of a gate asks for.
    fn ways_out(&self, gate: &str, agent: &str) -> Vec<(&'static str, Value)> {
        let run = |command: &str| vec![("Bash", json!({ "command": command }))];
        match gate {
            "session-gate" | "idle-gate" => run("hookman state set lifecycle active"),
            "overflow" => run("hookman state set lifecycle dehydrating"),
            "heartbeat" => run("hookman state set note done"),
            _ => {
                let name = match agent {
                    "" => "pending_directives".to_owned(),
                    agent => format!("pending_directives@{agent}"),
                };
                let pending = self.store.text(&name).unwrap().unwrap_or_default();
                let is_there = |file: &&str| self.machine.look(Path::new(file)).is_some();
                let pending = pending.lines().filter(is_there);
                pending.map(|file| ("Read", json!({ "file_path": file }))).collect()
            }
        }
    }

    /// Does what denials ask for until an ordinary call passes; gives the denials.
    fn escapes(&self, agent: &str) -> Result<usize, String> {
        let mut denials = Vec::new();
        let ordinary = json!({ "file_path": "/project/src/a.rs" });
        while denials.len() < MOST_DENIALS {
            let Some(gate) = self.call(agent, "Edit", &ordinary) else { return Ok(denials.len()) };
            denials.push(gate.to_owned());
            for (tool, input) in self.ways_out(gate, agent) {
                if let Some(other) = self.call(agent, tool, &input) {
                    denials.push(format!("the way out `{input}` by {other}"));
                    return Err(denials.join(", "));
                }
            }
        }
        Err(denials.join(", "))
    }
}

fn deeds() -> impl Strategy<Value = Deed> {
    let command = prop::sample::select(vec![
        "cargo test",
        "hookman state set lifecycle active",
        "hookman state set lifecycle completed",
        "hookman state set lifecycle idle",
        "hookman state set lifecycle dehydrating",
        "hookman state set note x",
        "engine log x",
        "engine session phase 1",
        "cat README.md",
        "cat README.md; rm x",
    ]);
    let path = prop::sample::select(
        FILES
            .into_iter()
            .chain(["/project/src/a.rs", "/project/docs/b.md", "/tmp/c"])
            .collect::<Vec<_>>(),
    );
    let call = prop_oneof![
        4 => command.prop_map(|command| ("Bash", json!({ "command": command }))),
        6 => (prop::sample::select(vec!["Read", "Edit", "Write"]), path)
            .prop_map(|(tool, path)| (tool, json!({ "file_path": path }))),
        1 => Just(("Glob", json!({ "pattern": "*", "path": "docs" }))),
        1 => Just(("Skill", json!({ "skill": "x" }))),
        1 => Just(("AskUserQuestion", json!({}))),
        1 => Just(("Agent", json!({ "prompt": "x" }))),
    ];
    let agent = prop_oneof![3 => Just(""), 1 => Just("a1")];
    let file = prop::sample::select(FILES.to_vec());
    prop_oneof![
        20 => (agent, call).prop_map(|(agent, (tool, input))| Deed::Call { agent, tool, input }),
        2 => prop::sample::select(vec!["0.2", "0.7", "0.9"]).prop_map(Deed::Context),
        1 => prop::sample::select(vec!["true", "false"]).prop_map(Deed::Loading),
        1 => file.clone().prop_map(Deed::Gone),
        1 => file.prop_map(Deed::Back),
        1 => Just(Deed::Compacted),
    ]
}

proptest! {
    #![proptest_config(Config { cases: 400, failure_persistence: None, ..Config::default() })]

    #[test]
    fn no_calls_lock_a_session_for_good(
        deeds in prop::collection::vec(deeds(), 0..60),
        is_strict: bool,
    ) {
        let session = Session::new(is_strict);
        for deed in &deeds {
            session.does(deed);
        }
        for agent in ["", "a1"] {
            let escaped = session.escapes(agent);
            prop_assert!(escaped.is_ok(), "agent `{agent}` is locked: {}", escaped.unwrap_err());
        }
    }
}

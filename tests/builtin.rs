//! Built-in hooks, case by case: each file in `tests/builtin` has cases of one ready-made hook or of
//! several that share a session, on a made-up machine.
//!
//! ```text
//! # What a line of this kind says goes for all cases of the file that follow.
//! hook notify-stop
//!
//! case what the case shows
//! options desktop = true, quiet_hours = ["22:00-07:00"]
//! env TMUX_PANE=%1
//! at 2026-01-31T12:00:00Z
//! file /project/README.md # Title\n
//! Stop {"last_assistant_message": "Done."}
//! = terminal \x1b]9;Done.\x07
//! wait 30s
//! Stop
//! = silent
//! ```
//!
//! | line | what it does |
//! | --- | --- |
//! | `hook NAME` | the ready-made hook that is asked from here on |
//! | `case WORDS` | a new machine and a new session, at `2026-01-31T12:00:00Z` |
//! | `options TOML` | options of the manifest, as in an inline table; replaces those of before |
//! | `env NAME=VALUE` | sets a variable; without a value it is not set |
//! | `at TIME`, `wait 30s` | sets the clock, moves it on |
//! | `file PATH TEXT`, `folder PATH`, `gone PATH` | makes a file (`\n`, `\t` and `\\` in its text; a path with blanks in `'`) or a directory, removes either |
//! | `link PATH TARGET` | makes a link |
//! | `answer PATH yes`, `answer PATH no` | the user's word on whether programs of that project may run |
//! | `branch NAME` | the branch that is checked out; none without a name |
//! | `program WORDS => CODE TEXT` | what running a program that begins with these words comes to; `late` for a code is a program that does not end in time; every other is not found |
//! | `text NAME VALUE` | sets one of the session's named texts |
//! | `counted NAME` | adds one to a counter of the session |
//! | `broken`, `mended` | the session's store fails, and no longer does |
//! | `EVENT JSON` | the call: the fields of the payload but for those that all have |
//!
//! The lines that begin with `=` are what comes: the answer, then what was started, run and written,
//! then what has changed in the session's store; `silent` if nothing did, with the word for the reason where
//! the hook has one. `UPDATE_CASES=1` writes them; read
//! the difference before keeping it. `CASE=words` runs only the files whose names hold the words.

#![cfg(test)]

mod locks;
mod machine;

use std::{fmt::Write as _, fs, path::Path, time::Duration};

use hookman::builtin::catalogue::{self, Entry};
use hookman::builtin::context::{Context, no_late_options};
use hookman::client::answer::Answer;
use hookman::client::event::Event;
use hookman::client::host::CLAUDE;
use hookman::client::matcher::Target;
use hookman::client::payload::Payload;
use hookman::machine::paths::project_tools;
use hookman::session::memory::MemoryStore;
use hookman::session::request;
use hookman::session::store::Store;
use machine::Machine;
use serde_json::{Map, Value, json};

use crate::expected;

const START: &str = "2026-01-31T12:00:00Z";

#[expect(clippy::disallowed_methods, reason = "the switches are the test's own")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// What a case has come to.
struct Scene {
    entry: &'static Entry,
    options: Map<String, Value>,
    machine: Machine,
    store: MemoryStore,
    /// What the store had before the last call, a line for each thing.
    kept: Vec<String>,
}

impl Scene {
    fn new(entry: &str) -> Self {
        let mut scene = Self {
            entry: find(entry),
            options: Map::new(),
            machine: Machine::default(),
            store: MemoryStore::default(),
            kept: Vec::new(),
        };
        scene.set_now(seconds(START));
        scene
    }

    fn set_now(&mut self, now: i64) {
        self.machine.now = now;
        self.store.set_now(now.unsigned_abs());
    }

    /// Obeys a line that is no call; gives whether it was one that it knows.
    fn prepare(&mut self, word: &str, rest: &str) -> bool {
        match word {
            "hook" => self.entry = find(rest),
            "options" => {
                let table: toml::Table =
                    toml::from_str(&format!("options = {{ {rest} }}")).unwrap();
                let Value::Object(table) = json!(table["options"]) else { unreachable!() };
                self.options = table;
            }
            "env" => {
                let (name, value) = rest.split_once('=').unwrap_or((rest, ""));
                self.machine.variables.insert(name.to_owned(), value.to_owned());
            }
            "at" => self.set_now(seconds(rest)),
            "wait" => {
                let more = request::seconds(rest).unwrap().cast_signed();
                self.set_now(self.machine.now + more);
            }
            "file" => {
                let quoted = rest.strip_prefix('\'').and_then(|rest| rest.split_once("' "));
                let (path, text) = quoted.or_else(|| rest.split_once(' ')).unwrap_or((rest, ""));
                self.machine.write(Path::new(path), unescaped(text));
            }
            "folder" => self.machine.make_folder(Path::new(rest)),
            "link" => {
                let (path, target) = rest.split_once(' ').unwrap();
                self.machine.link(Path::new(path), Path::new(target));
            }
            "answer" => {
                let (project, answer) = rest.split_once(' ').unwrap();
                let path = project_tools(Path::new("/state"), Path::new(project));
                self.machine.write(&path, format!("{answer} {project}\n"));
            }
            "gone" => self.machine.forget(Path::new(rest)),
            "branch" => self.machine.branch = (!rest.is_empty()).then(|| rest.to_owned()),
            "program" => {
                let (words, ending) = rest.split_once(" => ").unwrap();
                let (code, text) = ending.split_once(' ').unwrap_or((ending, ""));
                self.machine.programs.push((words.to_owned(), code.parse().ok(), unescaped(text)));
            }
            "text" => {
                let (name, value) = rest.split_once(' ').unwrap();
                self.store.change(name, &mut |_| Some(value.to_owned())).unwrap();
                self.kept = self.state();
            }
            "counted" => {
                self.store.count(rest, 1).unwrap();
                self.kept = self.state();
            }
            "broken" => self.store.set_broken(true),
            "mended" => self.store.set_broken(false),
            _ => return false,
        }
        true
    }

    /// What a call comes to, a line for each thing.
    fn call(&mut self, event: Event, fields: &str) -> Vec<String> {
        let mut payload = json!({
            "session_id": "session-1",
            "transcript_path": "/home/you/.claude/projects/p/session-1.jsonl",
            "cwd": "/project",
            "prompt_id": "prompt-1",
            "hook_event_name": event.name(),
        });
        let fields = if fields.is_empty() { "{}" } else { fields };
        let fields: Map<String, Value> = serde_json::from_str(fields).expect(fields);
        payload.as_object_mut().unwrap().extend(fields);
        let text = payload.to_string();
        let payload = Payload::parse(&text).unwrap();
        let matcher = self.entry.matcher.as_deref().unwrap_or_default();
        if !self.entry.events.contains(&event) || !Target::of(event, &payload).is_hit_by(matcher) {
            return vec!["not asked".to_owned()];
        }
        let options = match self.entry.resolve(&self.options).and_then(|it| self.entry.compile(&it))
        {
            Ok(options) => serde_json::to_string(&*options).unwrap(),
            Err(problem) => return vec![format!("options {problem}")],
        };
        let context = Context {
            name: self.entry.name,
            fence: None,
            event,
            payload: &payload,
            caller: &CLAUDE,
            text: &text,
            options: &options,
            late: &no_late_options,
            watches: false,
            store: &self.store,
            host: &self.machine,
        };
        let mut lines = match self.entry.kind.answer(&context) {
            Ok(answer) => answered(&answer),
            Err(failure) => vec![format!("fails {failure}")],
        };
        lines.append(&mut self.machine.take_deeds());
        let state = self.state();
        lines.extend(state.iter().filter(|line| !self.kept.contains(line)).cloned());
        let name = |line: &String| line.split_inclusive(' ').take(2).collect::<String>();
        let names: Vec<String> = state.iter().map(name).collect();
        let gone = self.kept.iter().map(name).filter(|it| !names.contains(it));
        lines.extend(gone.map(|name| format!("no {}", name.trim_end())));
        self.kept = state;
        if lines.is_empty() {
            lines.push("silent".to_owned());
        }
        lines
    }

    fn state(&self) -> Vec<String> {
        let flags = self.store.flags().into_iter().map(|name| format!("flag {name}"));
        let counters = self.store.counters().into_iter();
        let texts = self.store.texts().into_iter();
        flags
            .chain(counters.map(|(name, value)| format!("counter {name} {value}")))
            .chain(texts.map(|(name, text)| format!("text {name} {}", escaped(&text))))
            .collect()
    }
}

fn find(name: &str) -> &'static Entry {
    catalogue::find(name).unwrap_or_else(|| panic!("no ready-made hook is called `{name}`"))
}

fn seconds(time: &str) -> i64 {
    time.parse::<jiff::Timestamp>().expect(time).as_second()
}

fn unescaped(text: &str) -> String {
    let marked = text.replace("\\\\", "\0");
    marked.replace("\\n", "\n").replace("\\t", "\t").replace('\0', "\\")
}

fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut line, letter| {
        match letter {
            '\n' => line.push_str("\\n"),
            '\t' => line.push_str("\\t"),
            letter if letter.is_control() => write!(line, "\\x{:02x}", letter as u32).unwrap(),
            letter => line.push(letter),
        }
        line
    })
}

fn answered(answer: &Answer) -> Vec<String> {
    let mut lines = Vec::new();
    let reason = answer.reason.as_deref().unwrap_or_default();
    if let Some(decision) = answer.decision {
        lines.push(format!("{} {}", decision.name(), escaped(reason)));
    }
    lines.extend(answer.quiet.map(|why| format!("silent: {why}")));
    lines.extend(answer.context.iter().map(|text| format!("context {}", escaped(text))));
    let texts = [
        ("message", &answer.system_message),
        ("terminal", &answer.terminal_sequence),
        ("stop", &answer.stop_reason),
    ];
    for (name, text) in texts {
        lines.extend(text.as_ref().map(|text| format!("{name} {}", escaped(text))));
    }
    lines.extend(answer.specific.iter().map(|(key, value)| format!("{key} {value}")));
    lines
}

/// A file of cases with what comes of them now.
fn played(name: &str, text: &str) -> String {
    let mut played = String::new();
    let mut before: Vec<(&str, &str)> = Vec::new();
    let mut scene: Option<Scene> = None;
    for line in text.lines().filter(|line| !line.starts_with('=')) {
        played.extend([line, "\n"]);
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (word, scene.as_mut()) {
            ("" | "#", _) => {}
            ("case", _) => {
                let first = before.iter().find(|(word, _)| *word == "hook").map(|(_, name)| *name);
                let mut new = Scene::new(first.unwrap_or(name));
                for (word, rest) in &before {
                    assert!(new.prepare(word, rest), "{name}: {line}");
                }
                scene = Some(new);
            }
            (_, None) => before.push((word, rest)),
            (_, Some(scene)) => {
                if scene.prepare(word, rest) {
                    continue;
                }
                let event = Event::from_name(word).unwrap_or_else(|| panic!("{name}: `{line}`"));
                for line in scene.call(event, rest) {
                    writeln!(played, "= {line}").unwrap();
                }
            }
        }
    }
    played
}

#[test]
fn built_in_hooks_do_what_their_cases_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/builtin");
    let wanted = variable("CASE").unwrap_or_default();
    let mut differences = Vec::new();
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if path.extension().is_none_or(|extension| extension != "txt") || !name.contains(&wanted) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        count += text.lines().filter(|line| line.starts_with("case ")).count();
        let played = played(&name, &text);
        differences.extend(expected::difference(&path, Some(&played)));
    }
    assert!(count > 0, "no case holds `{wanted}`");
    expected::none(differences);
}

#[test]
fn times_of_the_cases_are_understood() {
    let mut scene = Scene::new("one-strike");
    assert!(scene.prepare("wait", "90s") && !scene.prepare("weit", "90s"));
    assert_eq!(scene.machine.now, seconds(START) + 90);
    let minute = Duration::from_secs(60);
    assert!(scene.store.raise("a", minute).unwrap() && scene.prepare("wait", "1m"));
    assert!(!scene.store.is_up("a").unwrap());
}

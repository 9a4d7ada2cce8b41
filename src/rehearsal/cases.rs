//! Cases of `hookman.test.toml`: a call, and the answer that a manifest is to give.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::call::{Call, Place, SESSION};
use super::stage::{self, Answered, HookReason, Stage};
use crate::builtin::silence::Silence;
use crate::client::event::{Event, Subject};
use crate::client::{matcher, tools};
use crate::machine::clock;
use crate::machine::paths::Paths;
use crate::manifest::{Hook, Problems};
use crate::runtime::call::Kept;
use crate::runtime::overrides::Effects;
use crate::session::memory::MemoryStore;
use crate::state::chains::{self, Chain};
use crate::syntax::diff::marked_lines;
use crate::syntax::suggestion;

pub const FILE: &str = "hookman.test.toml";

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Book {
    #[serde(default)]
    pub case: Vec<Case>,
}

/// The keys of a call in a case, which serde cannot hold it to as they are a struct of their own.
const OF_CALL: [&str; 7] = ["event", "command", "tool", "file", "input", "prompt", "payload"];
const OF_CASE: [&str; 7] =
    ["name", "files", "before", "decision", "reason", "context", "rewritten"];
/// The decisions that a case may expect.
const DECISIONS: [&str; 6] = ["deny", "ask", "defer", "allow", "stop", "none"];

impl Book {
    pub fn read(text: &str) -> Result<Self, String> {
        let table: toml::Table = toml::from_str(text).map_err(|it| it.to_string())?;
        let check = |of: Option<&toml::Value>, noun: &str, known: &[&str]| {
            let tables = of.and_then(|it| it.as_array()).into_iter().flatten();
            let mut keys = tables.filter_map(|it| it.as_table()).flat_map(|it| it.keys());
            let Some(key) = keys.find(|key| !known.contains(&key.as_str())) else { return Ok(()) };
            let meant = suggestion::meant(key, known).unwrap_or_default();
            Err(format!("`{key}`: {noun} has no such key{meant}"))
        };
        let cases = table.get("case");
        check(cases, "a case", &[OF_CASE, OF_CALL].concat())?;
        for case in cases.and_then(|it| it.as_array()).into_iter().flatten() {
            check(case.get("before"), "a call in `before`", &OF_CALL)?;
        }
        let mut book: Self = toml::from_str(text).map_err(|it| it.to_string())?;
        let nameless = book.case.iter_mut().enumerate().filter(|(_, case)| case.name.is_empty());
        nameless.for_each(|(number, case)| case.name = format!("case {}", number + 1));
        if book.case.is_empty() {
            return Err("it has no [[case]]".to_owned());
        }
        book.case.iter().try_for_each(Case::check)?;
        Ok(book)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Case {
    /// A sentence that says what the case shows.
    pub name: String,
    /// Files of the folder that the call is made in, by path.
    pub files: BTreeMap<String, String>,
    /// Calls of the same session before, in order.
    pub before: Vec<Deed>,
    #[serde(flatten)]
    pub deed: Deed,
    /// The expected decision: `deny`, `ask`, `defer`, `allow` or `none`.
    pub decision: Option<String>,
    pub reason: Option<String>,
    /// Words that the text for the model holds.
    pub context: Option<String>,
    pub rewritten: Option<Value>,
}

/// A call in a case: one of `command`, `tool`, `prompt`, or an `event` with `payload`.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default, expecting = "a table of a call")]
pub struct Deed {
    /// The event; `PreToolUse` for tools.
    pub event: Option<String>,
    /// A shell line of the tool Bash.
    pub command: Option<String>,
    pub tool: Option<String>,
    pub file: Option<String>,
    pub input: Option<Value>,
    pub prompt: Option<String>,
    pub payload: Option<Value>,
}

#[derive(Debug, Serialize)]
pub struct Tested {
    pub name: String,
    /// The difference to the expected answer, a line each; none where the case passes.
    pub problems: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<String>,
}

impl Deed {
    pub fn call(&self) -> Result<Call, String> {
        let event = match &self.event {
            Some(name) => Some(Event::meant(name).map_err(|it| it.to_string())?),
            None => None,
        };
        let of_tool = event.unwrap_or(Event::PreToolUse);
        let mut call = match (&self.command, &self.tool, &self.prompt) {
            (Some(line), None, None) => Call::of_line(of_tool, line),
            (None, Some(tool), None) => match (&self.file, &self.input) {
                (Some(file), None) => Call::of_file(of_tool, tool, file),
                (None, None) => Call::of_tool(of_tool, tool, &Value::Object(Map::new())),
                (None, Some(input)) if input.is_object() => Call::of_tool(of_tool, tool, input),
                (None, Some(_)) => return Err("`input` is no table".to_owned()),
                (Some(_), Some(_)) => return Err("it has both `file` and `input`".to_owned()),
            },
            (None, None, Some(text)) => {
                Call { event: event.unwrap_or(Event::UserPromptSubmit), ..Call::of_prompt(text) }
            }
            (None, None, None) if event.is_some() => Call::sample(of_tool),
            _ => {
                return Err(
                    "it needs exactly one of `command`, `tool`, `prompt`, or an `event`".to_owned()
                );
            }
        };
        if self.tool.is_none() && (self.file.is_some() || self.input.is_some()) {
            return Err("`file` and `input` need a `tool`".to_owned());
        }
        call = call.checked()?;
        match &self.payload {
            Some(Value::Object(more)) => call.fields.extend(more.clone()),
            Some(_) => return Err("`payload` is no table".to_owned()),
            None => {}
        }
        Ok(call)
    }
}

impl Case {
    fn check(&self) -> Result<(), String> {
        let Self { name, decision, .. } = self;
        if let Some(word) = decision.as_deref().filter(|it| !DECISIONS.contains(it)) {
            let meant = suggestion::meant(word, &DECISIONS).unwrap_or_default();
            return Err(format!("`{name}`: `{word}` is none of {}{meant}", DECISIONS.join(", ")));
        }
        if [decision, &self.reason, &self.context].iter().all(|it| it.is_none())
            && self.rewritten.is_none()
        {
            return Err(format!(
                "`{name}`: it expects nothing; give `decision`, `reason`, `context` or `rewritten`"
            ));
        }
        let calls = self.before.iter().chain([&self.deed]);
        calls
            .map(Deed::call)
            .try_for_each(|it| it.map(|_| ()))
            .map_err(|why| format!("`{name}`: {why}"))
    }

    /// Runs the case against a chain with state and a folder of its own, and programs only by `effects`.
    pub fn run(
        &self,
        paths: &Paths,
        chain: &Chain,
        effects: Effects,
        host: Option<&str>,
    ) -> Tested {
        let (problems, not_run) = match self.answer(paths, chain, effects, host) {
            Ok(answered) => (self.problems(&answered), held(&answered)),
            Err(problem) => (vec![problem], Vec::new()),
        };
        Tested { name: self.name.clone(), problems, not_run }
    }

    fn answer(
        &self,
        paths: &Paths,
        chain: &Chain,
        effects: Effects,
        host: Option<&str>,
    ) -> Result<Answered, String> {
        let mut stage = Stage::empty(paths, effects).map_err(|it| it.to_string())?;
        stage.host = host.map(str::to_owned);
        for (name, text) in &self.files {
            stage.write(name, text).map_err(|it| it.to_string())?;
        }
        let project = stage.project();
        let place = Place { session: SESSION, transcript: "", cwd: &project };
        // Nothing of this machine is seen but files outside of the folder.
        let store = MemoryStore::default();
        store.set_now(clock::unix_seconds().unsigned_abs());
        let kept = (effects == Effects::Held).then_some(Kept { plan: None, store: &store });
        let mut last = Answered::default();
        for deed in self.before.iter().chain([&self.deed]) {
            let call = deed.call()?;
            let expansion = call.expansion().filter(|_| host.is_none());
            let mut asked = Vec::new();
            for call in expansion.into_iter().chain([call]) {
                asked.push(stage.ask(chain, call.event, &call.payload(place), kept));
                if stage::strictest(&asked).drops() {
                    break;
                }
            }
            if let Some(before) = asked.iter_mut().find_map(|it| it.before.take()) {
                return Err(before);
            }
            last.answer = stage::strictest(&asked);
            last.hooks = asked.into_iter().flat_map(|it| it.hooks).collect();
        }
        Ok(last)
    }

    fn problems(&self, answered: &Answered) -> Vec<String> {
        let answer = &answered.answer;
        let mut problems = Vec::new();
        if let Some(decision) = self.decision.as_deref().filter(|it| *it != answer.word()) {
            let of: Vec<&str> = answered.deciders().filter(|_| answer.word() != "none").collect();
            let of = if of.is_empty() { String::new() } else { format!(" of {}", of.join(", ")) };
            let said = answer.reason.lines().map(|line| format!("\n  + {line}"));
            let said: String = said.filter(|_| self.reason.is_none()).collect();
            problems
                .push(format!("decision: expected {decision}, got {}{of}{said}", answer.word()));
        }
        for (key, words, found) in
            [("reason", &self.reason, &answer.reason), ("context", &self.context, &answer.context)]
        {
            if let Some(words) = words.as_deref().filter(|it| !found.contains(*it)) {
                let found = if found.is_empty() { "(nothing)" } else { found };
                let lines = words.lines().map(|line| format!("\n  - {line}"));
                let got = found.lines().map(|line| format!("\n  + {line}"));
                let lines: String = lines.chain(got).collect();
                problems.push(format!("{key}: it does not have the expected words{lines}"));
            }
        }
        if let Some(input) = self.rewritten.as_ref().filter(|it| answer.input.as_ref() != Some(it))
        {
            let pretty = |it: &Value| format!("{it:#}");
            let (expected, found) =
                (pretty(input), answer.input.as_ref().map_or("(nothing)".to_owned(), pretty));
            let lines = marked_lines(&expected, &found).join("\n  ");
            problems.push(format!("rewritten: it is not the expected input\n  {lines}"));
        }
        problems
    }
}

/// Names the hooks that would have run a program.
fn held(answered: &Answered) -> Vec<String> {
    let held = answered.hooks.iter().filter(|it| it.why.contains(Silence::Held.words()));
    held.map(|it| it.hook.clone()).collect()
}

/// Says which hooks were not run; `None` where all were.
pub fn not_run(hooks: &[String]) -> Option<String> {
    let is_any = !hooks.is_empty();
    is_any.then(|| format!("not run, as --run-commands is not given: {}", hooks.join(", ")))
}

/// Gives the calls of a first set for a hook: some that guards stop and some that they do not.
fn deeds(event: Event, matcher: Option<&str>) -> Vec<Deed> {
    const LINES: [&str; 5] =
        ["rm -rf src", "git push --force", "git reset --hard", "cat .env", "git status"];
    const FILES: [&str; 2] = [".env", "src/main.rs"];
    let text = |text: &str| Some(text.to_owned());
    let of_event = || Deed { event: text(event.name()), ..Deed::default() };
    let is_list = matcher::kind(matcher, event) == matcher::Kind::List;
    let subject = event.facts().subject;
    if subject != Subject::Tool {
        let of_sample = Call::sample(event).subject();
        let is_meant = matcher::matches(matcher, event, Some(&of_sample));
        let Some(field) = subject.field().filter(|_| is_list && !is_meant) else {
            return vec![of_event()];
        };
        // One word more than the event has is of another event of the hook.
        let words = matcher::names(matcher.unwrap_or_default())
            .filter(|word| subject.words(event).is_none_or(|known| known.contains(word)));
        let of_word = |word| Deed { payload: Some(json!({ field: word })), ..of_event() };
        return words.map(of_word).collect();
    }
    let names = if is_list { matcher.unwrap_or_default() } else { "Bash|Write" };
    let of_tool = |tool: &str| -> Vec<Deed> {
        match tool {
            // Its lines are others, and who writes them knows them.
            "PowerShell" => Vec::new(),
            "Bash" => LINES.map(|line| Deed { command: text(line), ..of_event() }).into(),
            "Read" | "Write" | "Edit" => {
                FILES.map(|file| Deed { tool: text(tool), file: text(file), ..of_event() }).into()
            }
            _ => vec![Deed { tool: text(tool), ..of_event() }],
        }
    };
    let is_tool = |name: &&str| tools::KNOWN.contains(name) || name.starts_with("mcp__");
    matcher::names(names).filter(is_tool).flat_map(of_tool).collect()
}

/// Gives a call for each pattern such as `Bash(curl *)` in a hook's `if` and options.
fn meant_lines(hook: &Hook) -> Vec<Deed> {
    fn lines(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::String(text) => {
                let inner = text.strip_prefix("Bash(").and_then(|rest| rest.strip_suffix(')'));
                found.extend(inner.map(|it| it.replace(":*", " x").replace('*', "x")));
            }
            Value::Array(items) => items.iter().for_each(|it| lines(it, found)),
            Value::Object(fields) => fields.values().for_each(|it| lines(it, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    hook.manner.condition.iter().for_each(|rule| lines(&rule.as_str().into(), &mut found));
    for (key, value) in &*hook.options {
        if hook.origins.contains_key(&format!("options.{key}")) {
            lines(value, &mut found);
        }
    }
    let events = hook.events.iter().filter(|event| event.facts().subject == Subject::Tool);
    let of_event = |event: &Event| {
        let deed = |line: &String| Deed {
            event: Some(event.name().to_owned()),
            command: Some(line.clone()),
            ..Deed::default()
        };
        found.iter().map(deed).collect::<Vec<_>>()
    };
    events.flat_map(of_event).collect()
}

/// Writes a first set of cases from the answers of today, with what was not run and hooks without a case.
pub fn first(paths: &Paths, chain: &Chain, effects: Effects) -> Result<String, Problems> {
    let manifest = chains::read(paths, chain)?;
    let mut text = String::from(
        "# Cases for `hookman test`: a call, and the answer that the hooks are to give.\n\
         # These are today's answers. Correct those that are not what you want, and add your own.\n\
         # Hooks that run commands are run with `--run-commands` alone, here and in `hookman test`.\n",
    );
    // Hooks ask for the same few calls, and each call is answered by all of them.
    let mut wanted: Vec<(Deed, Vec<&str>)> = Vec::new();
    let on: Vec<&Hook> =
        manifest.iter().flat_map(|it| &it.hooks).filter(|hook| hook.enabled).collect();
    for hook in &on {
        let calls = hook.events.iter().map(|event| deeds(*event, hook.matcher.as_deref()));
        for deed in calls.flatten().chain(meant_lines(hook)) {
            match wanted.iter_mut().find(|(known, _)| *known == deed) {
                Some((_, hooks)) => hooks.push(&hook.name),
                None => wanted.push((deed, vec![&hook.name])),
            }
        }
    }
    let mut cases: Vec<String> = Vec::new();
    let mut asked: BTreeSet<String> = BTreeSet::new();
    for (deed, hooks) in wanted {
        let mut case = Case { deed, ..Case::default() };
        let Ok(answered) = case.answer(paths, chain, effects, None) else { continue };
        let is_asked = |it: &&HookReason| it.ran || it.why.contains(Silence::Held.words());
        let meant = answered.hooks.iter().filter(is_asked).map(|it| &it.hook);
        if !meant.clone().any(|hook| hooks.contains(&&**hook)) {
            continue;
        }
        asked.extend(meant.cloned());
        let held = not_run(&held(&answered)).map(|held| format!("# {held}\n")).unwrap_or_default();
        let decision = answered.answer.word();
        let Deed { event, command, tool, file, payload, .. } = &mut case.deed;
        event.take_if(|it| *it == Event::PreToolUse.name());
        let keys = [("event", event), ("command", command), ("tool", tool), ("file", file)];
        let more = payload.iter().filter_map(Value::as_object).flatten();
        let said = keys.iter().filter_map(|(_, value)| value.as_deref());
        let said = said.chain(more.clone().filter_map(|(_, value)| value.as_str()));
        let name = format!("{}: {decision}", said.collect::<Vec<_>>().join(" "));
        let mut written = format!("\n{held}[[case]]\nname     = {}\n", Value::from(name));
        for (key, value) in keys.iter().filter_map(|(key, it)| Some((key, it.as_deref()?))) {
            let _ = writeln!(written, "{key:8} = {}", Value::from(value));
        }
        for (key, value) in more {
            let _ = writeln!(written, "payload  = {{ {key} = {value} }}");
        }
        let _ = writeln!(written, "decision = \"{decision}\"");
        // A folder or a time in it is another one at the next run.
        if let Some(line) = answered.answer.context.lines().find(|line| !line.is_empty())
            && let Ok(again) = case.answer(paths, chain, effects, None)
            && again.answer.context.contains(line)
        {
            let _ = writeln!(written, "context  = {}", Value::from(line));
        }
        if !cases.contains(&written) {
            cases.push(written);
        }
    }
    if cases.is_empty() {
        text.push_str(
            "\n[[case]]\nname     = \"git status: none\"\ncommand  = \"git status\"\ndecision = \"none\"\n",
        );
    }
    text.extend(cases);
    let rest: Vec<&str> = on.iter().map(|it| &*it.name).filter(|it| !asked.contains(*it)).collect();
    if !rest.is_empty() {
        let _ = writeln!(text, "\n# None of these calls is for: {}", rest.join(", "));
    }
    Ok(text)
}

//! A run in the table of `hookman log`, and as an OpenTelemetry log record in OTLP's JSON form.

use serde_json::{Value, json};

use crate::builtin::silence::Silence;
use crate::client::{Event, Subject};
use crate::machine::terminal::Paint;
use crate::machine::{Terminal, clock, harmless};
use crate::state::StepEntry;
use crate::state::journal::{Entry, WOULD};

/// The column in which a row goes on that is longer than the terminal is wide: below the session.
const INDENT: usize = 21;

pub(super) struct Row<'a> {
    entry: &'a Entry<'a>,
    steps: &'a [&'a StepEntry],
    named: Vec<&'a StepEntry>,
    /// True if only some hooks are asked for.
    is_part: bool,
}

/// Returns whether a hook had no part in what came of a run.
pub(super) fn is_quiet(step: &StepEntry) -> bool {
    matches!(&*step.outcome, "silent" | "off" | "unmet" | "same")
}

fn has_run(step: &StepEntry) -> bool {
    !is_quiet(step) || step.outcome == "silent"
}

/// The names of those that fit, each once: a hook may have been asked again about a rewritten input.
fn distinct<'s>(steps: &[&'s StepEntry], fits: fn(&StepEntry) -> bool) -> Vec<&'s str> {
    let mut names: Vec<&str> = Vec::with_capacity(steps.len());
    for step in steps.iter().filter(|step| fits(step)) {
        if !names.contains(&step.hook.as_str()) {
            names.push(&step.hook);
        }
    }
    names
}

impl<'a> Row<'a> {
    pub(super) fn of(entry: &'a Entry<'a>, steps: &'a [&'a StepEntry], is_part: bool) -> Self {
        let has_run = steps.iter().any(|step| has_run(step));
        let is_named = |step: &&&StepEntry| {
            is_part || !has_run || !is_quiet(step) || !step.warnings.is_empty()
        };
        let named = steps.iter().filter(is_named).copied().collect();
        Self { entry, steps, named, is_part }
    }

    /// One line, whatever the payload holds; on a terminal as many as its width asks for.
    pub(super) fn text(&self, time: &str, terminal: &Terminal) -> String {
        let Entry { session, event, subject, us, host, .. } = self.entry;
        let session: String = session.chars().take(8).collect();
        let mut place =
            if subject.is_empty() { event.to_string() } else { format!("{event}({subject})") };
        if !host.is_empty() {
            place.extend([" by ", host]);
        }
        let us = if self.is_part && !self.steps.is_empty() {
            self.steps.iter().map(|step| step.us).sum()
        } else {
            *us
        };
        let (whole, tenth) = (us / 1000, us % 1000 / 100);
        let (hooks, outcome) = (self.hooks(), self.outcome());
        let start =
            format!("{time}  {session:8}  {outcome:11}{:>8}  ", format!(" {whole}.{tenth} ms"));
        let remark = self.remark();
        let remark = remark.lines().next().unwrap_or_default();
        let rest = format!("{place:16}  {hooks:10}  {remark}");
        let [start, rest] = [start, rest].map(|part| harmless(&part).replace('\n', "\\n"));
        let row = terminal.row(&start, &rest, INDENT);
        match outcome {
            "deny" => terminal.painted(&row, Paint::Red),
            "ask" | "defer" | "held" | "off" | "would-deny" | "would-ask" | "would-defer"
            | "stop" | "would-stop" => terminal.painted(&row, Paint::Yellow),
            _ if self.named.iter().any(|step| step.error.is_some()) => {
                terminal.painted(&row, Paint::Red)
            }
            _ => row,
        }
    }

    /// Those that spoke, and how many others had nothing to say.
    fn hooks(&self) -> String {
        let names = distinct(&self.named, |_| true);
        let ran = distinct(self.steps, has_run).len();
        match (names.as_slice(), ran) {
            ([], 0) => "-".to_owned(),
            ([], 1) => "1 hook".to_owned(),
            ([], all) => format!("{all} hooks"),
            (names, all) if names.len() < all => {
                format!("{} +{}", names.join(","), all - names.len())
            }
            (names, _) => names.join(","),
        }
    }

    fn outcome(&self) -> &'a str {
        let Self { entry, named, .. } = self;
        if !entry.off.is_empty() {
            return "off";
        }
        if (!self.is_part || self.steps.is_empty()) && entry.verdict != "none" {
            return &entry.verdict;
        }
        // Its agent compacted all the same.
        let is_unheeded = entry.event == "PreCompact" && entry.verdict == "none";
        // The failure first.
        let failed = named.iter().find(|step| step.error.is_some());
        let said = failed.or_else(|| named.iter().find(|step| !is_quiet(step)));
        let quiet = ["silent", "off"]
            .into_iter()
            .find_map(|word| self.steps.iter().find(|step| step.outcome == word));
        match said.or(quiet).or(named.first()) {
            Some(step) if is_unheeded && step.outcome == "deny" => "spoke",
            Some(step) if self.is_part && !step.decided.is_empty() => &step.decided,
            Some(step) => &step.outcome,
            None => "silent",
        }
    }

    /// Of a verdict the words of the hooks it came from; else what was odd.
    fn remark(&self) -> String {
        if let Some(words) = self.decision() {
            return words;
        }
        let named = || self.named.iter();
        let error = named().find_map(|step| step.error.as_ref());
        let of_step = error
            .or_else(|| named().filter(|it| it.outcome == "off").find_map(|it| it.why.as_ref()))
            .or_else(|| named().find_map(|step| step.why.as_ref()))
            .or_else(|| named().find_map(|step| step.warnings.first()));
        let quiet = || named().find_map(|step| Silence::of_word(&step.quiet));
        if let Some(words) = quiet().filter(|_| self.is_part && of_step.is_none()) {
            return words.to_owned();
        }
        if let Some(text) = of_step {
            return text.clone();
        }
        if !self.entry.off.is_empty() {
            return self.entry.off.to_string();
        }
        let off = self.steps.iter().filter(|step| step.outcome == "off");
        let off = off.filter_map(|step| Some(format!("{} off: {}", step.hook, step.why.as_ref()?)));
        self.entry.notes.first().cloned().or_else(|| off.into_iter().next()).unwrap_or_default()
    }

    /// Explains why a hook that is shown decided as the row says, and behind it which others failed.
    fn decision(&self) -> Option<String> {
        let outcome = self.outcome();
        let stops = outcome.strip_prefix(WOULD).unwrap_or(outcome);
        if !matches!(stops, "deny" | "ask" | "defer") {
            return None;
        }
        let decided = |step: &&&StepEntry| step.outcome == outcome || step.decided == outcome;
        let said = |step: &&StepEntry| {
            let words = step.reason.as_ref().or(step.error.as_ref()).or(step.why.as_ref())?;
            let words = words.lines().next().unwrap_or_default();
            let is_alone = self.named.len() == 1;
            Some(if is_alone { words.to_owned() } else { format!("{}: {words}", step.hook) })
        };
        let by = self.named.iter().find(decided)?;
        // With `[journal] reasons = false` there are none.
        let without = || if self.named.len() == 1 { String::new() } else { by.hook.clone() };
        let mut words = self.named.iter().filter(decided).find_map(said).unwrap_or_else(without);
        let failed = |step: &&&StepEntry| step.error.is_some() && !decided(step);
        for step in self.named.iter().filter(failed) {
            words.extend(["; ", step.hook.as_str(), " failed"]);
        }
        Some(words)
    }

    /// Writes the lines that the journal has beyond the row.
    pub(super) fn details(&self) -> Vec<String> {
        let Entry { reasons, notes, .. } = self.entry;
        let remark = self.remark();
        let is_beyond = |text: &&String| !remark.contains(text.as_str());
        let mut details: Vec<String> = Vec::new();
        for step in self.steps {
            // The reasons say these too.
            let said = step.error.iter().chain(&step.why).chain(&step.reason);
            let said = said.filter(|_| reasons.is_empty());
            let texts = said.chain(&step.warnings).filter(is_beyond);
            details.extend(texts.map(|text| format!("{}: {text}", step.hook)));
            let quiet = Silence::of_word(&step.quiet).filter(|_| reasons.is_empty());
            let quiet = quiet.filter(|words| !remark.contains(words));
            details.extend(quiet.map(|words| format!("{} said nothing: {words}", step.hook)));
        }
        details.extend(notes.iter().filter(is_beyond).map(|note| format!("hookman: {note}")));
        let is_asked = |reason: &&String| {
            let is_of = |step: &&StepEntry| reason.starts_with(&format!("{}: ", step.hook));
            !self.is_part || self.steps.iter().any(is_of)
        };
        details.extend(reasons.iter().filter(is_asked).cloned());
        details.iter().flat_map(|text| text.lines()).map(harmless).collect()
    }
}

/// Writes the record of a run; paths, commands, and the words of reasons and errors only `with_input`.
pub(super) fn line(entry: &Entry<'_>, with_input: bool) -> String {
    let mut attributes = Attributes(Vec::new());
    attributes.text("session.id", &entry.session);
    let of = Event::from_name(&entry.event).map(|it| it.facts().subject);
    let key = if of == Some(Subject::Tool) { "gen_ai.tool.name" } else { "hookman.subject" };
    let is_input = matches!(of, Some(Subject::FileName | Subject::CommandName));
    let subject = if is_input && !with_input { "" } else { &*entry.subject };
    attributes.text(key, subject);
    attributes.text("gen_ai.tool.call.id", &entry.call);
    attributes.text("hookman.event", &entry.event);
    attributes.text("hookman.chain", &entry.scope);
    attributes.text("hookman.host", &entry.host);
    attributes.text("hookman.verdict", &entry.verdict);
    attributes.number("hookman.duration_us", entry.us);
    if with_input {
        attributes.text("hookman.cwd", &entry.cwd);
        attributes.text("hookman.project", &entry.project);
        attributes.text("hookman.transcript", &entry.transcript);
        attributes.text("hookman.notes", &entry.notes.join("\n"));
    }
    let steps: Vec<Value> = entry.steps.iter().map(|it| step(it, with_input)).collect();
    attributes.any("hookman.steps", &json!({ "arrayValue": { "values": steps } }));
    let failed = entry.steps.iter().any(|it| it.error.is_some());
    let (number, severity) = match &*entry.verdict {
        _ if failed => (17, "ERROR"),
        "deny" | "ask" | "defer" => (13, "WARN"),
        _ if !entry.notes.is_empty() => (13, "WARN"),
        _ => (9, "INFO"),
    };
    let time = clock::nanoseconds(&entry.time).unwrap_or_default();
    let about = format!("{} {subject}", entry.event);
    let record = json!({
        "timeUnixNano": time.to_string(),
        "severityNumber": number,
        "severityText": severity,
        "eventName": "hookman.run",
        "body": { "stringValue": format!("{}: {}", about.trim_end(), entry.verdict) },
        "attributes": attributes.0,
    });
    let mut resource = Attributes(Vec::new());
    resource.text("service.name", "hookman");
    resource.text("service.version", env!("CARGO_PKG_VERSION"));
    json!({ "resourceLogs": [{
        "resource": { "attributes": resource.0 },
        "scopeLogs": [{ "scope": { "name": "hookman" }, "logRecords": [record] }],
    }] })
    .to_string()
}

fn step(step: &StepEntry, with_input: bool) -> Value {
    let mut fields = Attributes(Vec::new());
    fields.text("hook", &step.hook);
    fields.text("outcome", &step.outcome);
    fields.text("decided", &step.decided);
    fields.text("quiet", &step.quiet);
    fields.text("rule", rule(step).unwrap_or_default());
    fields.number("us", step.us);
    if with_input {
        fields.text("reason", step.reason.as_deref().unwrap_or_default());
        fields.text("error", step.error.as_deref().unwrap_or_default());
    }
    json!({ "kvlistValue": { "values": fields.0 } })
}

/// The ids of the rules by which a built-in hook decided, which have nothing of the call in them.
fn rule(step: &StepEntry) -> Option<&str> {
    let ids = step.reason.as_deref()?.strip_prefix("rule ")?;
    let is_id = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | ',' | ' ' | '.');
    ids.chars().all(is_id).then_some(ids)
}

/// Key and value pairs in OTLP's form; empty texts are left out.
struct Attributes(Vec<Value>);

impl Attributes {
    fn any(&mut self, key: &str, value: &Value) {
        self.0.push(json!({ "key": key, "value": value }));
    }

    fn text(&mut self, key: &str, text: &str) {
        if !text.is_empty() {
            self.any(key, &json!({ "stringValue": text }));
        }
    }

    // A 64-bit number is a text in the JSON form of protocol buffers.
    fn number(&mut self, key: &str, number: u64) {
        self.any(key, &json!({ "intValue": number.to_string() }));
    }
}

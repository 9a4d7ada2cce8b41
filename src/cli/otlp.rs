//! A line of the journal as an OpenTelemetry log record in OTLP's JSON form, one export request a line,
//! as the file receiver of a collector reads it.
//!
//! Source: the OTLP 1.x protocol definitions and the semantic conventions for `session.id`,
//! `gen_ai.tool.name` and `gen_ai.tool.call.id`; hookman's own names begin with `hookman`.

use serde_json::{Value, json};

use crate::client::event::{Event, Subject};
use crate::machine::clock;
use crate::state::journal::{Entry, StepEntry};

/// Writes the record of a run. Directories, the transcript's path and the words of reasons and errors
/// are in it only `with_input`.
pub(super) fn line(entry: &Entry<'_>, with_input: bool) -> String {
    let mut attributes = Attributes(Vec::new());
    attributes.text("session.id", &entry.session);
    let is_of_tool =
        Event::from_name(&entry.event).is_some_and(|it| it.facts().subject == Subject::Tool);
    let key = if is_of_tool { "gen_ai.tool.name" } else { "hookman.subject" };
    attributes.text(key, &entry.subject);
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
    let failed = entry.steps.iter().any(|it| it.error.is_some()) || !entry.notes.is_empty();
    let (number, severity) = match &*entry.verdict {
        _ if failed => (17, "ERROR"),
        "deny" | "ask" | "defer" => (13, "WARN"),
        _ => (9, "INFO"),
    };
    let time = clock::seconds(&entry.time).unwrap_or_default().saturating_mul(1_000_000_000);
    let record = json!({
        "timeUnixNano": time.to_string(),
        "severityNumber": number,
        "severityText": severity,
        "eventName": "hookman.run",
        "body": { "stringValue": format!("{} {}: {}", entry.event, entry.subject, entry.verdict) },
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
    fields.number("us", step.us);
    if with_input {
        fields.text("reason", step.reason.as_deref().unwrap_or_default());
        fields.text("error", step.error.as_deref().unwrap_or_default());
    }
    json!({ "kvlistValue": { "values": fields.0 } })
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

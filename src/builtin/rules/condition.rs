//! True if a rule's condition is met, and the texts that its message names.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::options::{Agents, Options, Rule, When};
use crate::builtin::workflow::Workflow;
use crate::builtin::{Context, Failure, Level, transcript};
use crate::client::Event;
use crate::session::store::before_name;

/// The tokens of the context window of most models, and of those whose name ends in [`LARGE_NAME`].
const WINDOWS: [u64; 2] = [200_000, 1_000_000];

/// The time that what was said once is remembered: as long as any session's state is kept.
pub(super) const ONCE: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// The mark of the larger window in a model's name: `claude-opus-4-5[1m]`.
const LARGE_NAME: &str = "[1m]";

/// The values that conditions are tested on: the call, the count, the state.
pub(super) struct Scene<'a> {
    context: &'a Context<'a>,
    options: &'a Options,
    workflow: Workflow<'a>,
    counted: Cell<u64>,
    is_counted: Cell<bool>,
    used: OnceCell<Option<f64>>,
    /// True if nothing but a name of the state keeps a rule that stops calls from applying.
    pub(super) is_opened: Cell<bool>,
    /// True if a rule cannot be judged, as the transcript is none that is read.
    pub(super) is_blind: Cell<bool>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Named {
    pub(super) file_path: String,
}

impl<'a> Scene<'a> {
    pub(super) fn new(context: &'a Context<'a>, options: &'a Options) -> Self {
        let workflow = Workflow::new(context, &options.state);
        Self {
            context,
            options,
            workflow,
            counted: Cell::new(0),
            is_counted: Cell::new(false),
            used: OnceCell::new(),
            is_opened: Cell::new(false),
            is_blind: Cell::new(false),
        }
    }

    fn counter(&self) -> String {
        self.context.agent_key("count")
    }

    pub(super) fn count(&self) -> Result<(), Failure> {
        let count = &self.options.count;
        if count.calls.is_empty() || self.is_paused()? {
            return Ok(());
        }
        let is_counted = count.calls.iter().any(|pattern| pattern.hits(self.context));
        let is_counted = is_counted && !self.is_same_file()?;
        self.is_counted.set(is_counted);
        let by = i64::from(is_counted);
        let counted = self.context.store.count(&self.counter(), by)?;
        self.counted.set(counted);
        Ok(())
    }

    pub(super) fn reset(&self) -> Result<(), Failure> {
        self.context.store.count(&self.counter(), i64::MIN)?;
        Ok(())
    }

    /// Returns whether nothing is to be counted now: a workflow that has no session yet asks for no notes.
    fn is_paused(&self) -> Result<bool, Failure> {
        if self.options.state.is_file() && !self.workflow.is_there()? {
            return Ok(true);
        }
        for (name, values) in &self.options.count.pause {
            if self.workflow.is_one_of(name, values)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether this edits the file that the call before it edited.
    fn is_same_file(&self) -> Result<bool, Failure> {
        if !self.options.count.same_file_once {
            return Ok(false);
        }
        let is_edit = self.context.payload.tool_name == "Edit";
        let input = if is_edit { self.context.tool_input::<Named>()? } else { None };
        let file = input.map(|input| input.file_path).filter(|file| !file.is_empty());
        let name = self.context.agent_key("edited");
        let before = self.context.store.text(&name)?;
        if before != file {
            self.context.store.change(&name, &mut |_| file.clone())?;
        }
        Ok(file.is_some() && before == file)
    }

    pub(super) fn meets(&self, rule: &Rule) -> Result<bool, Failure> {
        let when = &rule.when;
        let payload = self.context.payload;
        let is_sub = !payload.agent_id.is_empty();
        let is_for = match when.agents {
            Agents::All => true,
            Agents::Main => !is_sub,
            Agents::Sub => is_sub,
        };
        let input = payload.tool_input.map_or("", |input| input.get());
        let contains =
            |text: &str, any: &[String]| any.is_empty() || any.iter().any(|it| text.contains(it));
        let prompt_has = || {
            let prompt = payload.prompt.to_lowercase();
            when.prompt_has.iter().any(|it| prompt.contains(&it.to_lowercase()))
        };
        let tools = &when.tools;
        if !is_for
            || !(tools.is_empty() || tools.iter().any(|pattern| pattern.hits(self.context)))
            || !contains(input, &when.input_has)
            || !(when.prompt_has.is_empty() || prompt_has())
            || when
                .time
                .as_ref()
                .is_some_and(|time| !time.contains(&self.context.host.local_time("%H:%M")))
            || when
                .count_is
                .is_some_and(|count| !self.is_counted.get() || self.counted.get() != count)
        {
            return Ok(false);
        }
        if self.threshold(when)?.is_some_and(|from| self.counted.get() < from) {
            return Ok(false);
        }
        if !self.has_state(when)? || !self.has_context(when.context_from)? {
            return Ok(false);
        }
        for (name, values) in &when.state_not {
            if self.workflow.is_one_of(name, values)? {
                self.is_opened.set(self.is_opened.get() || rule.level >= Level::Ask);
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn has_state(&self, when: &When) -> Result<bool, Failure> {
        for (name, values) in &when.state {
            if !self.workflow.is_one_of(name, values)? {
                return Ok(false);
            }
        }
        for (name, least) in &when.state_from {
            let least = match least.parse() {
                Ok(least) => Some(least),
                Err(_) => self.workflow.get(least)?.parse::<f64>().ok(),
            };
            let value = self.workflow.get(name)?.parse::<f64>().ok();
            if !value.zip(least).is_some_and(|(value, least)| value >= least) {
                return Ok(false);
            }
        }
        for (name, parts) in &when.state_has {
            let value = self.workflow.get(name)?;
            if !parts.iter().any(|part| value.contains(part)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn has_context(&self, from: Option<f64>) -> Result<bool, Failure> {
        let Some(from) = from else { return Ok(true) };
        // A session that starts or is resumed has no answer of its model yet.
        if self.context.event == Event::SessionStart {
            return Ok(false);
        }
        let used = self.used()?;
        if used.is_none() && !self.context.caller.heeds.transcript {
            self.is_blind.set(true);
        }
        Ok(used.is_some_and(|used| used >= from))
    }

    /// The share of the context window that is used: what the state says, else the transcript.
    fn used(&self) -> Result<Option<f64>, Failure> {
        if let Some(used) = self.used.get() {
            return Ok(*used);
        }
        let used = self.read_used()?;
        Ok(*self.used.get_or_init(|| used))
    }

    fn read_used(&self) -> Result<Option<f64>, Failure> {
        let said: Option<f64> = self.workflow.get("context")?.parse().ok();
        if let Some(said) = said.filter(|said| said.is_finite()) {
            return Ok(Some(if said > 1.0 { said / 100.0 } else { said }));
        }
        if !self.context.caller.heeds.transcript {
            return Ok(None);
        }
        let Some(tokens) = transcript::tokens(self.context)? else { return Ok(None) };
        let window = self.window(tokens)?;
        #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
        Ok(Some(tokens as f64 / window as f64))
    }

    /// The tokens of the context window, of which so many are used.
    fn window(&self, tokens: u64) -> Result<u64, Failure> {
        let [usual, large] = WINDOWS;
        if let Some(window) = self.options.window {
            return Ok(window);
        }
        let store = self.context.store;
        let flag = self.context.key("large window");
        if tokens > usual {
            store.raise(&flag, ONCE)?;
            return Ok(large);
        }
        let is_named = self
            .context
            .host
            .variable("ANTHROPIC_MODEL")
            .is_some_and(|model| model.ends_with(LARGE_NAME));
        let is_large = is_named || store.is_up(&flag)?;
        Ok(if is_large { large } else { usual })
    }

    /// Notes at a session's start whether its model has the larger window.
    pub(super) fn note_model(&self) -> Result<(), Failure> {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Start {
            model: String,
        }
        let start: Start = serde_json::from_str(self.context.text).unwrap_or_default();
        let flag = self.context.key("large window");
        let store = self.context.store;
        if start.model.ends_with(LARGE_NAME) {
            store.raise(&flag, ONCE)?;
        } else if !start.model.is_empty() {
            store.take(&flag)?;
        }
        Ok(())
    }

    /// Does what calls do to the session's state, where this is one of them.
    pub(super) fn set(&self) -> Result<(), Failure> {
        for sets in &self.options.sets {
            if !sets.calls.iter().any(|pattern| pattern.hits(self.context)) {
                continue;
            }
            for (name, value) in &sets.state {
                let Some(before) = self.put(name, Some(value))? else { continue };
                let kept = (!before.is_empty()).then_some(before);
                self.context.store.change(&before_name(name), &mut |_| kept.clone())?;
            }
        }
        Ok(())
    }

    /// Gives a name of the state a value or none, and gives the one before where it was another.
    fn put(&self, name: &str, value: Option<&str>) -> Result<Option<String>, Failure> {
        let source = &self.options.state;
        // What this scene has read of the state is not to grow old.
        let workflow = Workflow::new(self.context, source);
        let before = workflow.get(name)?;
        if before == value.unwrap_or_default() {
            return Ok(None);
        }
        if source.is_file() {
            workflow.set(name, value)?;
        } else {
            self.context.store.change(name, &mut |_| value.map(str::to_owned))?;
        }
        Ok(Some(before))
    }

    /// Gives names of the state back what they had before, at the start of a session.
    pub(super) fn reset_state(&self) -> Result<(), Failure> {
        for (name, values) in &self.options.resets {
            if !Workflow::new(self.context, &self.options.state).is_one_of(name, values)? {
                continue;
            }
            let before = self.context.store.text(&before_name(name))?;
            let before = before.filter(|before| !values.contains(before));
            // A file that the workflow or another session wrote says nothing of what was before.
            let is_file = self.options.state.is_file();
            let usual = || (is_file && name == "lifecycle").then(|| "active".to_owned());
            self.put(name, before.or_else(usual).as_deref())?;
            let store = self.context.store;
            store.change(&before_name(name), &mut |_| None)?;
        }
        Ok(())
    }

    /// The workflow's own file, where it is there.
    pub(super) fn state_file(&self) -> Result<Option<&Path>, Failure> {
        self.workflow.path()
    }

    /// Returns whether less of the context is used than a rule asks for, so that it may speak again.
    pub(super) fn is_below(&self, when: &When) -> Result<bool, Failure> {
        let Some(from) = when.context_from else { return Ok(false) };
        Ok(self.used()?.is_some_and(|used| used < from))
    }

    /// From which count on the rule applies.
    fn threshold(&self, when: &When) -> Result<Option<u64>, Failure> {
        let named = match &when.count_from_state {
            Some(name) => self.workflow.get(name)?.parse().ok(),
            None => None,
        };
        Ok(named.or(when.count_from))
    }

    /// A text with each known `$name` replaced: `$count`, `$context` in percent, a field of the payload or,
    /// inside one, `$tool_input.file_path`, a name of the state, and how it gets a value, `$set.phase.2`.
    pub(super) fn filled(&self, text: &str) -> Result<String, Failure> {
        let fields: BTreeMap<&str, Value> =
            serde_json::from_str(self.context.text).unwrap_or_default();
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('$') {
            let end = behind.find(|it: char| !it.is_ascii_alphanumeric() && it != '_');
            let (name, after) = behind.split_at(end.unwrap_or(behind.len()));
            filled.push_str(before);
            rest = after;
            if let Some((value, after)) = self.inner(name, after, &fields)? {
                filled.push_str(&value);
                rest = after;
                continue;
            }
            match self.value(name, &fields)? {
                Some(value) => filled.push_str(&value),
                None => filled.extend(["$", name]),
            }
        }
        filled.push_str(rest);
        Ok(filled)
    }

    /// The value of a name with dots, and what comes after it in `rest`.
    fn inner<'t>(
        &self,
        name: &str,
        rest: &'t str,
        fields: &BTreeMap<&str, Value>,
    ) -> Result<Option<(String, &'t str)>, Failure> {
        if name == "file" {
            let input = self.context.tool_input::<Named>()?;
            let path = input.map(|input| PathBuf::from(input.file_path)).unwrap_or_default();
            let part = match word(rest) {
                Some(("stem", rest)) => Some((path.file_stem(), rest)),
                Some(("folder", rest)) => Some((path.parent().and_then(Path::file_name), rest)),
                _ => None,
            };
            return Ok(part.map(|(part, rest)| {
                (part.unwrap_or_default().to_string_lossy().into_owned(), rest)
            }));
        }
        if name == "set" {
            let Some((of, rest)) = word(rest) else { return Ok(None) };
            let Some((value, rest)) = word(rest) else { return Ok(None) };
            return Ok(Some((format!("`hookman state set {of} {value}`"), rest)));
        }
        let Some(mut value) = fields.get(name).filter(|value| value.is_object()) else {
            return Ok(None);
        };
        let mut rest = rest;
        while let Some((key, behind)) = word(rest)
            && let Some(inner) = value.get(key)
        {
            (value, rest) = (inner, behind);
        }
        Ok(scalar(value).map(|text| (text, rest)))
    }

    fn value(&self, name: &str, fields: &BTreeMap<&str, Value>) -> Result<Option<String>, Failure> {
        Ok(match name {
            "" => None,
            "count" => Some(self.counted.get().to_string()),
            "context" => self.used()?.map(|used| format!("{:.0} %", used * 100.0)),
            _ => match fields.get(name) {
                Some(value) if !value.is_object() => scalar(value),
                _ => match self.workflow.get(name)? {
                    value if !value.is_empty() => Some(value),
                    _ if name == "session" => Some(self.context.payload.session_id.to_string()),
                    _ => STATE.contains(&name).then(|| "unknown".to_owned()),
                },
            },
        })
    }
}

/// The names of the state that messages call unknown where they are not set.
const STATE: [&str; 5] = ["lifecycle", "phase", "session", "skill", "task"];

/// The word after a dot, and what comes after it.
fn word(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('.')?;
    let end = text.find(|it: char| !it.is_ascii_alphanumeric() && it != '_');
    Some(text.split_at(end.unwrap_or(text.len()))).filter(|(word, _)| !word.is_empty())
}

/// A text, a number or a boolean as text.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

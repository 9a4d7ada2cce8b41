//! Whether a rule's condition is met, and the texts that its message names.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::options::{Agents, Options, When, span};
use crate::builtin::context::{Context, Failure};
use crate::builtin::transcript;
use crate::builtin::workflow::Workflow;

/// The tokens of the context window where the options do not say.
const WINDOW: u64 = 200_000;

/// What conditions are tested against: the call, the count, the state.
pub(super) struct Scene<'a> {
    context: &'a Context<'a>,
    options: &'a Options,
    workflow: Workflow<'a>,
    counted: Cell<u64>,
    used: OnceCell<Option<f64>>,
}

#[derive(Deserialize)]
struct Edited {
    #[serde(default)]
    file_path: String,
}

impl<'a> Scene<'a> {
    pub(super) fn new(context: &'a Context<'a>, options: &'a Options) -> Self {
        let workflow = Workflow::new(context, &options.state);
        Self { context, options, workflow, counted: Cell::new(0), used: OnceCell::new() }
    }

    fn counter(&self) -> String {
        self.context.agent_key("count")
    }

    /// Counts this call if it is one that counts.
    pub(super) fn count(&self) -> Result<(), Failure> {
        let count = &self.options.count;
        if count.calls.is_empty() || self.is_paused()? {
            return Ok(());
        }
        let is_counted = count.calls.iter().any(|pattern| pattern.hits(self.context));
        let by = i64::from(is_counted && !self.is_same_file()?);
        let counted = self.context.store.count(&self.counter(), by).map_err(Failure::Store)?;
        self.counted.set(counted);
        Ok(())
    }

    /// Sets the count back.
    pub(super) fn reset(&self) -> Result<(), Failure> {
        self.context.store.count(&self.counter(), i64::MIN).map_err(Failure::Store)?;
        Ok(())
    }

    fn is_paused(&self) -> Result<bool, Failure> {
        for (name, values) in &self.options.count.pause {
            if self.workflow.is_one_of(name, values)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether this edits the file that the call before it edited.
    fn is_same_file(&self) -> Result<bool, Failure> {
        if !self.options.count.same_file_once {
            return Ok(false);
        }
        let is_edit = self.context.payload.tool_name == "Edit";
        let input = if is_edit { self.context.tool_input::<Edited>()? } else { None };
        let file = input.map(|input| input.file_path).filter(|file| !file.is_empty());
        let name = self.context.agent_key("edited");
        let before = self.context.store.text(&name).map_err(Failure::Store)?;
        if before != file {
            let change = self.context.store.change(&name, &mut |_| file.clone());
            change.map_err(Failure::Store)?;
        }
        Ok(file.is_some() && before == file)
    }

    /// Whether all that a condition names is met.
    pub(super) fn meets(&self, when: &When) -> Result<bool, Failure> {
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
            || when.time.as_deref().is_some_and(|time| !self.is_within(time))
            || when.count_is.is_some_and(|count| self.counted.get() != count)
        {
            return Ok(false);
        }
        if self.threshold(when)?.is_some_and(|from| self.counted.get() < from) {
            return Ok(false);
        }
        Ok(self.has_state(when)? && self.has_context(when.context_from)?)
    }

    fn has_state(&self, when: &When) -> Result<bool, Failure> {
        for (name, values) in &when.state {
            if !self.workflow.is_one_of(name, values)? {
                return Ok(false);
            }
        }
        for (name, values) in &when.state_not {
            if self.workflow.is_one_of(name, values)? {
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
        Ok(self.used()?.is_some_and(|used| used >= from))
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
        let window = self.options.window.unwrap_or(WINDOW);
        #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
        let share = |tokens: u64| tokens as f64 / window as f64;
        Ok(transcript::tokens(self.context)?.map(share))
    }

    /// From which count on the rule applies.
    fn threshold(&self, when: &When) -> Result<Option<u64>, Failure> {
        let named = match &when.count_from_state {
            Some(name) => self.workflow.get(name)?.parse().ok(),
            None => None,
        };
        Ok(named.or(when.count_from))
    }

    fn is_within(&self, time: &str) -> bool {
        let now = span(&format!("{0}-{0}", self.context.host.local_time("%H:%M")));
        match (now, span(time)) {
            (Some((now, _)), Some((from, to))) if from <= to => (from..to).contains(&now),
            (Some((now, _)), Some((from, to))) => now >= from || now < to,
            _ => false,
        }
    }

    /// A text with each `$name` replaced: `$count`, `$context` in percent, a field of the payload, or
    /// a name of the state. A name that nothing has stays as it is.
    pub(super) fn filled(&self, text: &str) -> Result<String, Failure> {
        let fields: BTreeMap<&str, Value> =
            serde_json::from_str(self.context.text).unwrap_or_default();
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('$') {
            let end = behind.find(|it: char| !it.is_ascii_alphanumeric() && it != '_');
            let (name, after) = behind.split_at(end.unwrap_or(behind.len()));
            filled.push_str(before);
            let value = self.value(name, &fields)?;
            match value {
                Some(value) => filled.push_str(&value),
                None => filled.extend(["$", name]),
            }
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }

    fn value(&self, name: &str, fields: &BTreeMap<&str, Value>) -> Result<Option<String>, Failure> {
        Ok(match name {
            "" => None,
            "count" => Some(self.counted.get().to_string()),
            "context" => self.used()?.map(|used| format!("{:.0} %", used * 100.0)),
            _ => match fields.get(name) {
                Some(Value::String(text)) => Some(text.clone()),
                _ => Some(self.workflow.get(name)?).filter(|value| !value.is_empty()),
            },
        })
    }
}

//! The parts of a kind of built-in hook.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{Context, Failure, OptionProblem, only_with, options};
use crate::client::{Answer, Event};
use crate::syntax::named::named;

/// A kind's function: a silent hook gives an empty answer, never `allow`.
pub type Run = fn(&Context<'_>) -> Result<Answer, Failure>;

type Check = fn(&Map<String, Value>) -> Result<(), OptionProblem>;
type Suits = fn(&Map<String, Value>, &[Event]) -> Result<(), OptionProblem>;
type Compile = fn(Map<String, Value>) -> Result<Map<String, Value>, OptionProblem>;

named! {
/// The abilities of a kind, in words after `it can`; it never does what it does not name here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Can {
    /// Deny a call, or have the user asked.
    Decide = "decide",
    Advise = "advise the model",
    Remember = "remember things for the session",
    ReadFiles = "read files",
    StartProcesses = "start processes",
    WriteFiles = "write files",
}
}

/// The options of a kind: one struct with `#[serde(default, deny_unknown_fields)]`, a `Default` and a
/// doc comment on each field. That struct is the only description of the options.
pub trait Options: DeserializeOwned + JsonSchema {
    /// Checks rules that types cannot express.
    fn check(&self) -> Result<(), OptionProblem> {
        Ok(())
    }

    /// Checks the options as written, for a default that looks like a value that is given.
    fn check_written(_written: &Map<String, Value>) -> Result<(), OptionProblem> {
        Ok(())
    }

    /// Refuses options that can never apply where the hook runs for these events alone.
    fn suits(&self, _events: &[Event]) -> Result<(), OptionProblem> {
        Ok(())
    }

    /// The form that is cheaper for the kind's `run` to read, of the checked and merged `written`.
    fn compile(&self, written: Map<String, Value>) -> Map<String, Value> {
        written
    }
}

/// A kind, with the types of its options forgotten.
pub struct Kind {
    pub name: &'static str,
    pub can: &'static [Can],
    run: Run,
    /// Checks whole options as they are written, for unknown keys, shapes and things that are not there.
    pub(super) check: Check,
    /// Gives what `run` reads of whole options that were checked.
    pub(super) compile: Compile,
    /// Checks such options against the events of the hook, at which they may have no effect.
    pub(super) suits: Suits,
    /// Makes the JSON schema of the options, without references.
    pub schema: fn() -> Value,
}

impl Kind {
    pub const fn of<O: Options>(name: &'static str, can: &'static [Can], run: Run) -> Self {
        Self {
            name,
            can,
            run,
            check: check::<O>,
            compile: compile::<O>,
            suits: suits::<O>,
            schema: schema::<O>,
        }
    }

    /// Answers a call, or keeps quiet where the hook's `only_with` is not met.
    pub fn answer(&self, context: &Context<'_>) -> Result<Answer, Failure> {
        match context.options.strip_prefix(only_with::BEGINS) {
            None => (self.run)(context),
            Some(rest) => only_with::answer(context, rest, self.run),
        }
    }

    /// Returns whether it does what can take long, and so has a deadline to keep.
    pub fn takes_time(&self) -> bool {
        self.can.contains(&Can::StartProcesses)
    }
}

fn check<O: Options>(written: &Map<String, Value>) -> Result<(), OptionProblem> {
    only_with::check(written)?;
    options::read::<O>(written)?.check()?;
    O::check_written(written)?;
    only_with::never(written, || schema::<O>()["properties"].get("state").is_some())
}

fn compile<O: Options>(
    mut written: Map<String, Value>,
) -> Result<Map<String, Value>, OptionProblem> {
    let only_with = written.shift_remove(options::ONLY_WITH);
    let compiled = options::read::<O>(&written)?.compile(written);
    let Some(wanted) = only_with else { return Ok(compiled) };
    // It is read before all else, and without it.
    let first = [(options::ONLY_WITH.to_owned(), wanted)];
    Ok(first.into_iter().chain(compiled).collect())
}

fn suits<O: Options>(written: &Map<String, Value>, events: &[Event]) -> Result<(), OptionProblem> {
    let options: O = options::read(written)?;
    options.suits(events)
}

fn schema<O: Options>() -> Value {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<O>().to_value();
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.insert(options::ONLY_WITH.to_owned(), only_with::schema());
    }
    schema
}

//! The manifest `hookman.toml`: types and reading, with layers.

mod draft;
pub mod edit;
pub mod enabled;
mod forms;
mod keys;
mod model;
mod passing;
mod read;
mod reader;
pub mod recovery;
pub mod schema;
mod table;

pub use model::{
    Action, Audience, BadName, ContextBudget, Hook, KeepDays, Manifest, Manner, Observe, OnError,
    Options, Origin, Passed, Position, Preset, Presets, Problem, Problems, Surroundings, When,
    check_name, milliseconds, seconds,
};
pub use read::{Source, keep_days, read};

//! The manifest `hookman.toml`: types and reading, with layers.

mod action;
mod audience;
mod defaults;
pub mod edit;
pub mod enabled;
mod manner;
mod mode;
mod model;
mod passing;
mod profiles;
mod read;
mod reader;
pub mod recovery;
pub mod schema;
mod sessions;
mod surroundings;
mod when;

pub use model::{
    Action, Audience, BadName, ContextBudget, Hook, KeepDays, Manifest, Manner, Observe, OnError,
    Options, Origin, Passed, Position, Preset, Presets, Problem, Problems, Surroundings, When,
    check_name, milliseconds, seconds,
};
pub use read::{Source, read};
pub use sessions::keep_days;

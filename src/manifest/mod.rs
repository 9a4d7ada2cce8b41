//! The manifest `hookman.toml`: types and reading, with layers.

mod draft;
pub mod edit;
pub mod enabled;
mod forms;
mod keys;
mod model;
pub mod option_edit;
pub mod package;
pub mod package_edit;
mod packages;
mod passing;
pub mod project_switch;
pub mod read;
mod reader;
pub mod schema;
mod table;

pub use model::{
    Absent, Action, Audience, BadName, ContextBudget, Hook, KeepDays, Manifest, Manner, Observe,
    OnChange, OnError, Options, Origin, Passed, Position, Preset, Presets, Problem, Problems,
    Surroundings, When, check_name, check_package_name, milliseconds, seconds,
};
pub use packages::named as packages_of;
pub use read::{Source, keep_days, on_change, read};

//! The manifest `hookman.toml`: types and reading, with layers.

mod action;
mod audience;
mod defaults;
mod document;
pub mod edit;
pub mod enabled;
pub mod guess;
mod manner;
mod passing;
mod profiles;
pub mod read;
mod sessions;
mod surroundings;
pub mod types;
mod when;

pub use audience::Audience;
pub use document::suggest;
pub use manner::Manner;
pub use passing::Passed;
pub use read::{Source, read};
pub use sessions::KeepDays;
pub use surroundings::Surroundings;
pub use types::{
    Action, Hook, Manifest, OnError, Origin, Position, Preset, Presets, Problem, Problems,
};
pub use when::When;

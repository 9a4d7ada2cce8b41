//! The client's `settings.json`, edited as text.
//!
//! A [`plan()`] says how a text has to change so that it holds exactly the wanted
//! [`Registration`]s, as values and as text in which every other byte stays as it was.

pub mod adoption;
mod change;
mod diff;
mod draft;
mod edit;
mod inventory;
mod layout;
mod obstacle;
mod pairing;
mod plan;
mod proof;
mod record;
mod refusal;
mod registration;
mod undo;
pub mod wanted;

pub use change::{Action, Change};
pub use diff::{Colour, unified_diff};
pub use inventory::{Handler, handlers, own_handlers};
pub use plan::{Plan, plan};
pub use record::{Passed, Record};
pub use refusal::Refusal;
pub use registration::Registration;
pub use undo::{Remembered, Undo};

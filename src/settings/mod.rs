//! The client's `settings.json`, edited as text.
//!
//! A [`plan()`] says how a text has to change so that it holds exactly the wanted
//! [`Registration`]s, as values and as text in which every other byte stays as it was.

pub(crate) mod change;
pub(crate) mod draft;
pub(crate) mod edit;
pub(crate) mod identity;
pub(crate) mod inventory;
pub(crate) mod layout;
pub(crate) mod obstacle;
pub mod own_file;
pub(crate) mod plan;
pub(crate) mod record;
pub(crate) mod refusal;
pub(crate) mod registration;
pub(crate) mod seat;
pub(crate) mod status_line;
pub(crate) mod undo;
pub mod wanted;

pub use change::{Action, Change, Extra};
pub use inventory::{Handler, handlers, own_handlers, places};
pub use plan::{Plan, plan};
pub use record::{Record, has_marks};
pub use refusal::Refusal;
pub use registration::{Passed, Registration};
pub use seat::{is_seated, is_taken};
pub use undo::{Remembered, Undo};

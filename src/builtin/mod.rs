//! Built-in hooks.
//!
//! A *kind* is code here: options, and a function from a call to an answer. A *catalogue entry* is data in
//! `templates/hooks/`: a kind with options. `CONTRIBUTING.md` shows how to add each.

mod allowance;
mod arguments;
mod careful;
pub mod catalogue;
pub mod command_guard;
mod compaction_guard;
mod content_guard;
pub mod context;
mod decision_log;
mod directives;
mod facts;
mod finding;
pub(crate) mod held_host;
pub mod host;
pub(crate) mod kind;
mod legacy;
mod masking;
pub(crate) mod notify;
mod only_with;
pub(crate) mod options;
pub mod outline;
mod prefer_tool;
mod protect;
pub mod real_host;
mod rules;
pub(crate) mod run_after_edit;
mod scope;
mod session_cleanup;
pub(crate) mod silence;
mod template;
mod todo_gate;
mod tool_input;
mod tool_pattern;
pub(crate) mod transcript;
pub(crate) mod values;
pub(crate) mod workflow;

pub use context::{Context, Failure};
pub use kind::Can;
pub use options::OptionProblem;
pub use real_host::RealHost;
pub use values::{Level, Period};

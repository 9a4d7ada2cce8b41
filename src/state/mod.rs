//! The files that hookman keeps: the journal, compiled plans, each session's switches and store.

pub(crate) mod careful;
pub mod catalogue;
pub(crate) mod chain;
pub(crate) mod chains;
pub(crate) mod configured;
pub(crate) mod everywhere;
pub(crate) mod guard_mod;
pub(crate) mod host_files;
pub(crate) mod journal;
pub(crate) mod journal_files;
mod journal_step;
pub(crate) mod lost;
pub(crate) mod pins;
pub(crate) mod plans;
pub(crate) mod profiles;
pub(crate) mod project_tools;
pub(crate) mod reply;
pub(crate) mod session_index;
pub(crate) mod session_switches;
pub(crate) mod sessions;
pub(crate) mod slash_commands;
pub(crate) mod spill;
pub(crate) mod status;
pub(crate) mod store;
pub(crate) mod switchable;
pub(crate) mod switching;

pub use catalogue::Catalogue;
pub use chains::Chain;
pub use configured::Configured;
pub use journal::StepEntry;
pub use lost::Lost;
pub use reply::Reply;
pub use session_switches::Scene;
pub use store::FileStore;
pub use switchable::Switchable;

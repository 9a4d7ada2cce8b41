//! The files that hookman keeps: the journal, compiled plans, each session's switches and store.

pub mod careful;
pub mod catalogue;
pub mod chains;
pub mod configured;
pub mod everywhere;
pub mod guard_mod;
pub mod inheritance;
pub mod journal;
pub mod journal_files;
pub mod lost;
pub mod maintenance;
pub mod plans;
pub mod profiles;
pub mod project_tools;
pub mod reply;
pub mod session_index;
pub mod session_switches;
pub mod sessions;
pub mod slash_commands;
pub mod spill;
pub mod stable_read;
pub mod status;
pub mod store;
pub mod switchable;
pub mod switching;

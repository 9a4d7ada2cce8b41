//! From a manifest to the client's settings, and every change of the user's files.

pub mod addition;
pub mod adoption;
pub mod change;
pub(crate) mod command_faults;
pub mod locks;
pub(crate) mod news;
pub mod origin;
pub mod packages;
pub mod registration;
#[cfg(feature = "self-update")]
pub mod releases;
pub mod target;
pub mod trusting;

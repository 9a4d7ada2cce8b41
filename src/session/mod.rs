//! Sessions: identity, switches, hook names, and the per-session store.

pub(crate) mod id;
pub mod memory;
pub(crate) mod names;
pub(crate) mod off;
pub mod period;
pub(crate) mod request;
pub mod store;
pub(crate) mod switches;

//! Sessions: identity, switches, hook names, and the per-session store.

pub mod id;
pub mod memory;
pub mod names;
pub mod off;
pub mod period;
pub mod request;
pub mod store;
pub mod switches;

//! Sessions: identity, switches, hook names, and the per-session store.

pub mod store;

//! Sessions: identity, switches, hook names, and the per-session store.

pub(crate) mod id;
pub mod memory;
pub(crate) mod names;
pub(crate) mod off;
pub mod request;
pub mod store;
pub(crate) mod switches;

pub use id::SessionId;
pub use memory::MemoryStore;
pub use request::{Careful, Verb};
pub use store::Store;
pub use switches::Switches;

//! Packages: hooks from repositories, as they were locked, fetched and kept.

pub mod definition;
pub mod fetch;
pub mod form;
pub mod known;
pub mod lock;
pub mod plugin;
pub mod source;
pub mod store;

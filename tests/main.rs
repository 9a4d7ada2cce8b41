//! The integration tests, one binary.

mod documents;
mod house;
mod settings;

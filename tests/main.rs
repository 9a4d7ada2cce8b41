//! The integration tests, one binary.

mod house;
mod settings;

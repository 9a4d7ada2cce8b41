//! The integration tests, one binary.

mod adopt;
mod settings;

//! The integration tests, one binary.

mod settings;

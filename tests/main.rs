//! The integration tests, one binary.

mod cli;
mod documents;
mod house;
mod settings;
mod writing;

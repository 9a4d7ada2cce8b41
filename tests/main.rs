//! The integration tests, one binary.

mod adopt;
mod cli;
mod documents;
mod house;
mod settings;
mod writing;

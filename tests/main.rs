//! The integration tests, one binary.

mod adopt;
mod at_once;
mod cli;
mod cost;
mod documents;
mod house;
mod selection;
mod settings;
mod writing;

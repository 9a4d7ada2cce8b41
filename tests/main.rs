//! The integration tests, one binary.

mod adopt;
mod at_once;
mod cli;
mod cost;
mod documents;
mod hostile;
mod house;
mod selection;
mod settings;
mod terminal;
mod writing;

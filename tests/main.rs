//! The integration tests, one binary.

mod adopt;
mod at_once;
mod cli;
mod cost;
mod documents;
mod following;
mod hostile;
mod house;
mod interrupted;
mod selection;
mod settings;
mod terminal;
mod verdicts;
mod writing;

//! The integration tests, one binary.

mod adopt;
mod at_once;
mod builtin;
mod cli;
mod cost;
mod doctor;
mod documents;
mod following;
mod guard;
mod hook_pages;
mod hostile;
mod house;
mod installing;
mod interrupted;
mod packaging;
mod picture;
mod reference;
mod release_server;
mod selection;
mod settings;
mod tables;
mod terminal;
mod updating;
mod verdicts;
mod words;
mod writing;

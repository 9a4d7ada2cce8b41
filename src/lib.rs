//! hookman: a git-friendly installer, manager and runtime for Claude Code hooks.
//!
//! The rooms of the house, in reading order:
//!
//! | room | what stands in it | may know |
//! | --- | --- | --- |
//! | [`client`] | what Claude Code is, as tables and types | nobody |
//! | [`machine`] | the only room that touches the machine: files, locks, children, terminal | nobody |
//! | [`manifest`] | `hookman.toml`: types, reading, layers | `client` |
//! | [`settings`] | `settings.json`: find, edit (text to text), plan, diff | `client` |
//! | [`session`] | identity, switches, hook names, the per-session store | `client` |
//! | [`chain`] | from payload, manifest and switches to steps, from outcomes to a verdict | `client`, `manifest` |
//! | [`builtin`] | one kind of hook a file, and the catalogue of ready-made hooks | `client`, `machine`, `session` |
//! | [`runtime`] | `hookman run`: stdin, steps, children, journal, exit code | all above but `settings` |
//! | [`doctor`] | checks that turn facts into findings, one family a file | all above |
//! | [`cli`] | the commands, one file a verb | everything |
//!
//! `client`, `manifest`, `settings`, `session` and `chain` do no input or output: text and values
//! go in, text and values come out. The test `house` reads the `use` lines and holds these rules.

pub mod builtin;
pub mod chain;
pub mod cli;
pub mod client;
pub mod doctor;
pub mod machine;
pub mod manifest;
pub mod runtime;
pub mod session;
pub mod settings;

//! hookman: a git-friendly installer, manager and runtime for Claude Code hooks.
//!
//! The rooms of the house, in reading order:
//!
//! | room | what it holds | may know |
//! | --- | --- | --- |
//! | [`syntax`] | readers of languages: JSON text, YAML at the head of Markdown, shell lines | nobody |
//! | [`machine`] | the only room that touches the machine: paths, files, locks, children, terminal | nobody |
//! | [`client`] | what Claude Code is: events, payloads, answers, matchers, permission rules, settings schema | `syntax` |
//! | [`manifest`] | `hookman.toml`: types, reading with layers, edits | `client`, `syntax` |
//! | [`settings`] | `settings.json`, text to text: find, edit, plan, diff, undo | `client`, `syntax` |
//! | [`adoption`] | foreign handlers in and out again | those above but `machine` |
//! | [`session`] | switches, hook names, what hooks may store: values and texts | `client`, `syntax` |
//! | [`chain`] | from payload, manifest and switches to steps, from outcomes to a verdict | `client`, `manifest`, `syntax` |
//! | [`builtin`] | one kind of hook a file, and the catalogue of ready-made hooks | `client`, `machine`, `session`, `syntax` |
//! | [`package`] | hooks from repositories: sources, forms, lock, store, trust | `adoption`, `client`, `machine`, `manifest`, `syntax` |
//! | [`state`] | what is kept on disk: journal, plans, chain locations, each session's switches and store | all above |
//! | [`runtime`] | `hookman run`: load, select, execute, merge, limit | all above but `settings`, `adoption` |
//! | [`install`] | from manifest to settings entries, and the change to disk | all above |
//! | [`rehearsal`] | `try` and `test`: a chain without consequences | all above but `install` |
//! | [`doctor`] | checks that turn facts into findings, one family a file | all above |
//! | [`cli`] | the commands, one file a verb | everything |
//!
//! `syntax`, `client`, `manifest`, `settings`, `adoption`, `session` and `chain` do no input or output:
//! text and values go in, text and values come out. The test `house` holds these rules.

pub mod adoption;
pub mod builtin;
pub mod chain;
pub mod cli;
pub mod client;
pub mod doctor;
mod install;
pub mod machine;
pub mod manifest;
pub mod package;
mod rehearsal;
pub mod runtime;
pub mod session;
pub mod settings;
pub mod state;
pub mod syntax;

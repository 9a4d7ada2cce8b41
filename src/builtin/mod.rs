//! Built-in hooks.
//!
//! A *kind* is code: an options type and a function from a call to an answer, one file each. A
//! *catalogue entry* is data: one file in `templates/hooks/` that names a kind and gives it options.

pub mod catalogue;
mod command_guard;
pub mod options;

use std::io;

use crate::client::answer::Answer;
use crate::client::event::Event;
use crate::client::payload::Payload;
use crate::session::store::Store;

/// What a built-in hook gets to see.
pub struct Context<'a> {
    /// The hook's name in the manifest: two hooks of one kind keep their state apart by it.
    pub name: &'a str,
    /// The event being answered.
    pub event: Event,
    /// The client's payload.
    pub payload: &'a Payload<'a>,
    /// The hook's options as JSON, catalogue and manifest already merged and checked.
    pub options: &'a str,
    /// What the hook keeps for this session.
    pub store: &'a dyn Store,
}

/// Why a built-in hook could not decide; the hook's `on_error` says what follows.
#[derive(Debug)]
pub enum Failure {
    /// The payload lacks what the hook needs, or has it in another shape.
    Payload(String),
    /// The options do not have the kind's shape.
    Options(String),
    /// The session's store could not be read or written.
    Store(io::Error),
}

/// A kind's function: a silent hook gives an empty answer, never `allow`.
pub type Run = fn(&Context<'_>) -> Result<Answer, Failure>;

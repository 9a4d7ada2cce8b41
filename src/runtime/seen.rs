//! A call as a step sees it.

use crate::client::event::Event;
use crate::client::payload::Payload;

/// A call as a step sees it: the client's, with what the steps before it made of the input.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    /// The event.
    pub event: Event,
    /// The payload.
    pub payload: &'a Payload<'a>,
    /// The payload's text.
    pub text: &'a str,
}

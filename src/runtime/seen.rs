//! A call as a step sees it.

use crate::client::event::Event;
use crate::client::payload::Payload;

/// A call as a step sees it: the client's, with what the steps before it made of the input.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    pub event: Event,
    pub payload: &'a Payload<'a>,
    pub text: &'a str,
}

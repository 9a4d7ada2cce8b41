//! Payloads and what children do against the one verdict of their chain.
//!
//! The bytes are a payload, and the same bytes are a chain: the first chooses the event, and then
//! come commands, each as three bytes for its exit, its `on_error` and the length of its output,
//! and the output. What must hold stands in `tests/hostile/verdict.rs`.
//!
//! ```text
//! cargo fuzz run --sanitizer none hostile /tmp/corpus
//! ```

#![no_main]

#[path = "../../tests/hostile/verdict.rs"]
mod verdict;

use hookman::chain::outcome::Exit;
use hookman::client::event::Event;
use hookman::manifest::OnError;
use libfuzzer_sys::fuzz_target;
use verdict::{Behaviour, check, check_payload};

fuzz_target!(|data: &[u8]| {
    check_payload(data);
    let Some((event, mut rest)) = data.split_first() else { return };
    let event = Event::ALL[usize::from(*event) % Event::ALL.len()];
    let mut chain = Vec::new();
    while let ([exit, on_error, length, more @ ..], true) = (rest, chain.len() < 6) {
        let (output, after) = more.split_at(usize::from(*length).min(more.len()));
        chain.push(behaviour(*exit, *on_error, output));
        rest = after;
    }
    check(event, &chain);
});

fn behaviour(exit: u8, on_error: u8, output: &[u8]) -> Behaviour {
    let exit = match exit {
        200..220 => Exit::Signal(9),
        220..235 => Exit::TimedOut(100),
        235..250 => Exit::GoesOn,
        code => Exit::Code(i32::from(code % 4)),
    };
    let policies = [OnError::Open, OnError::Ask, OnError::Closed];
    // What stands behind a NUL is standard error.
    let (stdout, stderr) = match output.iter().position(|byte| *byte == 0) {
        Some(at) => (&output[..at], &output[at + 1..]),
        None => (output, &[][..]),
    };
    Behaviour {
        exit,
        stdout: stdout.to_vec(),
        stderr: stderr.to_vec(),
        cut: on_error >= 128,
        on_error: policies[usize::from(on_error) % 3],
    }
}

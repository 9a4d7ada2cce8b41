//! Reading the payload from standard input.

use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// The bytes after which no end is believed in: several times the largest file that a tool writes.
const MOST: usize = 128 * 1024 * 1024;

#[derive(Debug, PartialEq, Eq)]
pub enum Input {
    /// The bytes up to the end of the first complete JSON object.
    Value(Vec<u8>),
    /// Whatever came before the end or the deadline, when no object was completed.
    Incomplete(Vec<u8>),
}

/// Finds where the first JSON object ends, by its braces, brackets and strings alone, across any cut.
#[derive(Debug, Default)]
struct End {
    depth: usize,
    in_string: bool,
    escaped: bool,
    scanned: usize,
}

impl End {
    fn find(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut rest = bytes.get(self.scanned..).unwrap_or_default().iter();
        loop {
            let next = if self.in_string && !self.escaped {
                rest.find(|byte| matches!(byte, b'"' | b'\\'))
            } else {
                rest.next()
            };
            let Some(byte) = next else { break };
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_string => self.escaped = true,
                b'"' => self.in_string = !self.in_string,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(bytes.len() - rest.len());
                    }
                }
                _ => {}
            }
        }
        self.scanned = bytes.len();
        None
    }
}

/// Reads standard input until the first JSON object is complete, it ends or is too long, or `patience` is
/// over. Clients were seen to leave the pipe open (2.1.246 on Linux, 2.1.270 on Windows).
pub fn read_value(patience: Duration) -> Input {
    let mut left = patience;
    let mut bytes = Vec::with_capacity(16 * 1024);
    let mut end = End::default();
    let stdin = rustix::stdio::stdin();
    loop {
        if bytes.capacity() - bytes.len() < 8 * 1024 {
            bytes.reserve(bytes.len().max(64 * 1024));
        }
        if left.is_zero() || bytes.len() > MOST {
            // A writer that is always ready would never let `poll` say that time is up.
            return Input::Incomplete(bytes);
        }
        let asked = Instant::now();
        let timeout =
            Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
        let polled = poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&timeout));
        left = left.saturating_sub(asked.elapsed());
        match polled {
            Ok(0) => return Input::Incomplete(bytes),
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(_) => return Input::Incomplete(bytes),
        }
        match rustix::io::read(stdin, rustix::buffer::spare_capacity(&mut bytes)) {
            Ok(0) => return Input::Incomplete(bytes),
            Ok(_) => {
                if let Some(length) = end.find(&bytes) {
                    bytes.truncate(length);
                    return Input::Value(bytes);
                }
            }
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => return Input::Incomplete(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_found_however_the_input_is_cut() {
        let text = br#"  {"a":"}\"]{","b":[{"c":1},2]} {"second":true}"#;
        let first = text.iter().position(|byte| *byte == b'2').unwrap() + 3;
        for cut in 0..text.len() {
            let mut end = End::default();
            let found = end.find(&text[..cut]).or_else(|| end.find(text));
            assert_eq!(found, Some(first), "cut at {cut}");
        }
        assert_eq!(End::default().find(br#"{"half": ["#), None);
    }
}

//! Shell lines up to 1 MiB against the share of work that a line may make.
//!
//! The bytes are repeated, so that a short find stays one. Time and memory are bounded as well:
//!
//! ```text
//! cargo fuzz run --sanitizer none shell /tmp/corpus -- -timeout=1 -malloc_limit_mb=32
//! ```

#![no_main]

use hookman::syntax::shell::{Invocation, each_invocation, each_suspect};
use libfuzzer_sys::fuzz_target;

const LONGEST: usize = 1 << 20;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (start, part) = text.split_once('\0').unwrap_or(("", text));
    check(text);
    if !part.is_empty() {
        check(&format!("{start}{}", part.repeat(LONGEST.saturating_sub(start.len()) / part.len())));
    }
});

fn check(line: &str) {
    let (mut words, mut bytes) = (0, 0);
    let mut count = |invocation: &Invocation<'_>| {
        words += 1 + invocation.arguments.len();
        bytes += invocation.arguments.iter().map(|word| word.text.len()).sum::<usize>();
    };
    if !each_invocation(line, &mut count) {
        each_suspect(line, &mut count);
    }
    assert!(words < 300_000 && bytes < 4 * LONGEST, "{words} words, {bytes} bytes");
}

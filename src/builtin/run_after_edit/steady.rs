//! The output of a tool without what differs from run to run, by which two failures are the same.

const UNITS: &[&str] = &["s", "ms", "µs", "us", "ns", "m", "min", "sec", "secs", "seconds"];

/// The words before numbers that change from run to run.
const CHANGING: &[&str] = &["pid", "port", "process", "seed", "shuffle", "thread"];

/// The beginnings of paths that programs make up.
const TEMPORARY: &[&str] = &["/tmp/", "/var/folders/", "/pytest-of-"];

/// An output without times, addresses, temporary names and numbers of processes, ports and seeds.
pub(super) fn steady(output: &str) -> String {
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    let mut steady = String::with_capacity(output.len());
    let (mut at, mut was_left_out) = (0, false);
    while let Some(next) = output[at..].chars().next() {
        let (before, rest) = output.split_at(at);
        let is_path = !before.ends_with(is_word) || next == '/';
        if let Some(start) = TEMPORARY.iter().find(|it| is_path && rest.starts_with(**it)) {
            let end = rest.find(|it: char| it.is_whitespace() || "\"'`()[]<>:,;".contains(it));
            let path = &rest[start.len()..end.unwrap_or(rest.len())];
            let made_up = |part: &&str| {
                !part.contains(|it: char| it.is_numeric()) && !part.starts_with("tmp")
            };
            steady.push_str(start);
            steady.extend(path.split('/').filter(made_up));
            at += start.len() + path.len();
            continue;
        }
        let end = if is_word(next) { rest.find(|it| !is_word(it)) } else { Some(next.len_utf8()) };
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        at += word.len();
        if is_word(next) {
            was_left_out = differs(before, word, after)
                || was_left_out && before.ends_with('-') && is_hex(word);
        }
        let is_joint =
            matches!(next, ':' | '.') && after.starts_with(|it: char| it.is_ascii_digit());
        // Tables are as wide as their numbers.
        if !(was_left_out && (is_word(next) || is_joint) || next.is_whitespace()) {
            steady.push_str(word);
        } else if next.is_whitespace() && !steady.ends_with(' ') {
            steady.push(' ');
        }
    }
    steady
}

fn is_hex(word: &str) -> bool {
    word.chars().all(|it| it.is_ascii_hexdigit())
}

/// Returns whether a word between two stretches of text is a number that differs from run to run.
fn differs(before: &str, word: &str, after: &str) -> bool {
    let has = |is: fn(&char) -> bool| word.chars().any(|it| is(&it));
    if !has(char::is_ascii_digit) {
        return false;
    }
    if has(char::is_ascii_alphabetic) && word.len() >= 6 {
        let digits = word.strip_prefix("0x").unwrap_or(word);
        if is_hex(digits) && (digits.len() < word.len() || word.len() >= 7) {
            return true;
        }
    }
    let unit = word.trim_start_matches(|it: char| it.is_ascii_digit());
    let is_duration = unit.len() < word.len() && UNITS.contains(&unit);
    // The middle and the end of a stamp such as `2026-01-31T12:00:00Z`.
    let is_number = word.chars().all(|it| it.is_ascii_digit() || matches!(it, 'T' | 'Z'));
    if is_duration || !is_number {
        return is_duration;
    }
    let joined = |it| matches!(it, ':' | '.');
    let from = before.strip_suffix(joined).is_some_and(|it| it.ends_with(char::is_alphanumeric));
    let to =
        after.strip_prefix(joined).is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit()));
    let mut behind =
        after.strip_prefix(' ').unwrap_or_default().split(|it: char| !it.is_alphanumeric());
    let is_measured = behind.next().is_some_and(|next| UNITS.contains(&next));
    let line = before.rsplit('\n').next().unwrap_or_default().to_lowercase();
    let name = line.trim_end_matches(|it: char| !it.is_alphanumeric());
    let name = name.rsplit(|it: char| !it.is_alphanumeric()).next().unwrap_or_default();
    let is_changing = CHANGING.contains(&name);
    let is_alone = before.strip_suffix('(').is_some_and(|it| it.ends_with(char::is_whitespace));
    from || to
        || is_measured
        || is_changing
        || word.len() >= 10
        || is_alone && after.starts_with(')')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_the_same_where_only_that_differs_which_changes_from_run_to_run() {
        let rows = [
            ("1 failed; finished in 0.03s", "1 failed; finished in 1.20s", true),
            ("1 failed, 3 passed in 0.12 s", "1 failed, 3 passed in 4.1 s", true),
            ("--- FAIL: TestA (0.00s)", "--- FAIL: TestA (0.01s)", true),
            ("thread 'main' (4711) panicked", "thread 'main' (815) panicked", true),
            ("took 15 ms, 20ms", "took 9 ms, 3ms", true),
            ("   Start at  11:30:11", "   Start at  9:05:59", true),
            ("Duration  412ms (tests 7ms)", "Duration  1.02s (tests 12ms)", true),
            ("<a.A object at 0x7f01c2d3e4f0>", "<a.A object at 0x7fa1b2c3d4e5>", true),
            ("at 2026-01-31T12:00:00.123Z: no", "at 2026-01-31T23:59:01.9Z: no", true),
            ("[2026-01-31 12:00:00,123] no", "[2026-01-31 12:00:07,123] no", true),
            (
                "'/tmp/pytest-of-x/pytest-3/test_a0/f'",
                "'/tmp/pytest-of-x/pytest-14/test_a0/f'",
                true,
            ),
            ("/tmp/tmpx8_abc/out: no", "/tmp/tmpqrs_tu/out: no", true),
            ("/tmp/pro/a.rs: no", "/tmp/pro/b.rs: no", false),
            ("127.0.0.1:43211 refused", "127.0.0.1:51002 refused", true),
            ("port 43211 in use", "port 8080 in use", true),
            ("pid=4711", "pid=99", true),
            ("Randomized with seed 123", "Randomized with seed 45", true),
            ("-test.shuffle 1700000000000000001", "-test.shuffle 1700000000000000777", true),
            (
                "id 6f9619ff-8b86-d011-b42d-00c04fc964ff",
                "id 0e02b2c3-58cc-4372-a567-0e02b2c3d479",
                true,
            ),
            ("1 failed", "2 failed", false),
            ("a.rs:3:1 expected 4", "a.rs:3:1 expected 5", false),
            ("FAILED test_a1", "FAILED test_a2", false),
            ("left: 100000", "left: 100001", false),
            ("assert [1] == [2]", "assert [1] == [3]", false),
            ("expected {\"a\":4}", "expected {\"a\":5}", false),
            ("expected 0x1f", "expected 0x2f", false),
            ("test_x[1-2] failed", "test_x[1-3] failed", false),
            ("report 3 failed", "report 4 failed", false),
        ];
        for (one, other, is_same) in rows {
            assert_eq!(steady(one) == steady(other), is_same, "{one}");
        }
    }
}

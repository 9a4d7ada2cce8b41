//! The output of a tool without what differs from run to run, by which two failures are the same.

use regress::{Match, Regex};

/// The beginnings of paths that programs make up, each with a path's other letters behind it.
const TEMPORARY: &str =
    r#"(?<![\p{L}\p{N}_])(/tmp/|/var/folders/|/pytest-of-)([^\s"'`()\[\]<>:,;]*)"#;

/// Times, addresses, names made of digits, and numbers of processes, ports and seeds.
const CHANGING: &[&str] = &[
    r"\b\d+(?:[:.]\d+)*\s?(?:s|ms|µs|us|ns|m|min|sec|secs|seconds)\b",
    r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b",
    r"\b0x[0-9a-f]{4,}\b",
    r"\b(?=\w*\d)(?=\w*[a-f])[0-9a-f]{7,}\b",
    r"\b\d[\dTZ]*(?:[:.][\dTZ]+)+",
    r"(?<=\w[:.])\d+\b",
    r"(?<=\b(?:pid|port|process|seed|shuffle|thread)[^\w\n]*)\d+\b",
    r"(?<=\s\()\d+(?=\))",
    r"\b\d{10,}\b",
];

/// An output without times, addresses, temporary names and numbers of processes, ports and seeds.
pub(super) fn steady(output: &str) -> String {
    let replaced = |text: &str, pattern: &str, by: &dyn Fn(&Match) -> String| {
        let pattern = Regex::with_flags(pattern, "iu").ok();
        pattern.map_or_else(|| text.to_owned(), |it| it.replace_all_with(text, |found| by(found)))
    };
    let steady = replaced(output, TEMPORARY, &|found| {
        let part = |group| &output[found.group(group).unwrap_or_default()];
        let is_lasting =
            |it: &&str| !it.contains(|it: char| it.is_numeric()) && !it.starts_with("tmp");
        part(1).chars().chain(part(2).split('/').filter(is_lasting).flat_map(str::chars)).collect()
    });
    let steady = replaced(&steady, &CHANGING.join("|"), &|_| String::new());
    // Tables are as wide as their numbers.
    replaced(&steady, r"\s+", &|_| " ".to_owned())
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

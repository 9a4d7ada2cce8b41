//! Two texts as a unified diff.

use std::borrow::Cow;
use std::fmt::Write;

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::udiff::UnifiedHunkHeader;
use similar::{ChangeTag, DiffOp, group_diff_ops};

use crate::syntax::escaped::escaped;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Plain text, fit for `patch`.
    Never,
    /// Red, green and cyan as `git diff` has them, for a terminal: control characters of the text,
    /// which it would obey, are written out.
    Always,
}

/// The unified diff from `before` to `after` with three lines of context; empty if they are equal.
///
/// `path` names the file in the header. None is a file that does not exist.
pub fn unified_diff(
    path: &str,
    before: Option<&str>,
    after: Option<&str>,
    colour: Colour,
) -> String {
    if before == after {
        return String::new();
    }
    let mut diff = Painter { colour, text: String::new() };
    let path = escaped(path);
    let name = |text: Option<&str>, name: String| text.map_or("/dev/null".to_owned(), |_| name);
    diff.line("1", &format!("--- {}\n", name(before, path.clone())));
    diff.line("1", &format!("+++ {}\n", name(after, format!("{path} (planned)"))));
    let [old, new] = [before, after]
        .map(|text| text.unwrap_or_default().split_inclusive('\n').collect::<Vec<_>>());
    for hunk in group_diff_ops(changes(&old, &new), CONTEXT) {
        diff.line("36", &format!("{}\n", UnifiedHunkHeader::new(&hunk)));
        for change in hunk.iter().flat_map(|change| change.iter_changes(&old[..], &new[..])) {
            let (sign, style) = match change.tag() {
                ChangeTag::Equal => (' ', ""),
                ChangeTag::Delete => ('-', "31"),
                ChangeTag::Insert => ('+', "32"),
            };
            let line = change.value();
            if line.ends_with('\n') {
                diff.line(style, &format!("{sign}{line}"));
            } else {
                diff.line(style, &format!("{sign}{line}\n"));
                diff.line("", "\\ No newline at end of file\n");
            }
        }
    }
    diff.text
}

const CONTEXT: usize = 3;

/// Lists the changes from the old lines to the new ones. `TextDiff` does the same and brings four
/// algorithms for six types of text into the program.
fn changes(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let mut hook = Compact::new(Replace::new(Capture::new()), old, new);
    let Ok(()) = myers::diff(&mut hook, old, 0..old.len(), new, 0..new.len());
    hook.into_inner().into_inner().into_ops()
}

/// Marks each line of two texts as one of both, of the first (`-`) or of the second (`+`).
pub fn marked_lines(before: &str, after: &str) -> Vec<String> {
    let [old, new] = [before, after].map(|text| text.lines().collect::<Vec<_>>());
    let changes = changes(&old, &new);
    let changes = changes.iter().flat_map(|change| change.iter_changes(&old[..], &new[..]));
    changes.map(|change| format!("{} {}", change.tag(), change.value())).collect()
}

fn written_out(text: &str) -> Cow<'_, str> {
    let is_obeyed =
        |character: char| (character.is_control() && character != '\t') || turns_text(character);
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let shown = |character: char| {
        let text = character.to_string();
        if is_obeyed(character) { escaped(&text) } else { text }
    };
    text.chars().map(shown).collect()
}

fn turns_text(character: char) -> bool {
    matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

struct Painter {
    colour: Colour,
    text: String,
}

impl Painter {
    /// Adds a line that ends in a newline, which stays outside the colour.
    fn line(&mut self, style: &str, line: &str) {
        if self.colour == Colour::Never {
            self.text.push_str(line);
            return;
        }
        // A carriage return elsewhere would write over the line.
        let end = ["\r\n", "\n"].into_iter().find(|end| line.ends_with(end)).unwrap_or_default();
        let content = &line[..line.len() - end.len()];
        let content = written_out(content);
        if style.is_empty() {
            self.text.extend([&*content, end]);
            return;
        }
        // Writing to a string cannot fail.
        let _ = write!(self.text, "\u{1b}[{style}m{content}\u{1b}[0m{end}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_three_lines_of_context() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let after = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n";
        assert_eq!(
            unified_diff("s.json", Some(before), Some(after), Colour::Never),
            "--- s.json\n+++ s.json (planned)\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        );
    }

    #[test]
    fn tells_a_missing_last_newline() {
        assert_eq!(
            unified_diff("s.json", Some("{}"), Some("{ }"), Colour::Never),
            "--- s.json\n+++ s.json (planned)\n@@ -1 +1 @@\n-{}\n\\ No newline at end of \
             file\n+{ }\n\\ No newline at end of file\n"
        );
        assert_eq!(
            unified_diff("s.json", Some("{}"), Some("{}\n"), Colour::Never),
            "--- s.json\n+++ s.json (planned)\n@@ -1 +1 @@\n-{}\n\\ No newline at end of \
             file\n+{}\n"
        );
    }

    #[test]
    fn a_terminal_gets_no_control_characters_of_the_text() {
        let (before, after) = ("a\u{1b}[2K\t\r\n", "a\u{7}b\u{9b}2J\r\n");
        let diff = |colour| unified_diff("f", Some(before), Some(after), colour);
        assert!(diff(Colour::Never).ends_with(&format!("-{before}+{after}")));
        assert!(diff(Colour::Always).ends_with(
            "\u{1b}[31m-a\\u001b[2K\t\u{1b}[0m\r\n\u{1b}[32m+a\\u0007b\\u009b2J\u{1b}[0m\r\n"
        ));
    }

    #[test]
    fn a_line_writes_over_no_other() {
        let diff = unified_diff("f", Some("a\n"), Some("b\r\r\n\rc\r"), Colour::Always);
        assert!(diff.contains("+b\\r\u{1b}[0m\r\n"), "{diff:?}");
        assert!(diff.contains("+\\rc\u{1b}[0m\r\n"), "{diff:?}");
    }

    #[test]
    fn a_file_comes_from_nothing_and_goes_to_nothing() {
        assert_eq!(
            unified_diff("s.json", None, Some("{}\n"), Colour::Never),
            "--- /dev/null\n+++ s.json (planned)\n@@ -0,0 +1 @@\n+{}\n"
        );
        assert_eq!(
            unified_diff("s.json", Some("{}\n"), None, Colour::Never),
            "--- s.json\n+++ /dev/null\n@@ -1 +0,0 @@\n-{}\n"
        );
    }

    #[test]
    fn colours_leave_the_line_ends_alone() {
        assert_eq!(
            unified_diff("s.json", Some("{}\r\n"), Some("[]\r\n"), Colour::Always),
            "\u{1b}[1m--- s.json\u{1b}[0m\n\u{1b}[1m+++ s.json (planned)\u{1b}[0m\n\
             \u{1b}[36m@@ -1 +1 @@\u{1b}[0m\n\u{1b}[31m-{}\u{1b}[0m\r\n\u{1b}[32m+[]\u{1b}[0m\r\n"
        );
    }

    #[test]
    fn what_turns_text_around_is_written_out_on_a_terminal() {
        let diff = unified_diff("s.json", None, Some("\"a\u{202e}b\"\n"), Colour::Always);
        assert!(diff.contains("+\"a\\u202eb\""), "{diff:?}");
    }

    #[test]
    fn equal_texts_have_no_diff() {
        assert_eq!(unified_diff("s.json", Some("{}"), Some("{}"), Colour::Never), "");
    }
}

//! A place in a line.

/// A place in a line and what was found before it; methods give `None` to give up.
#[expect(clippy::struct_excessive_bools, reason = "each is a place in which the line is read")]
pub(super) struct Reader<'a> {
    pub(super) line: &'a str,
    pub(super) rest: &'a str,
    pub(super) home: &'a str,
    /// True if this is in a subshell.
    pub(super) open: bool,
    /// True behind an operator that needs a command.
    pub(super) joins: bool,
    pub(super) texts: Vec<String>,
    /// True if an argument was an expansion that the client cannot look through.
    pub(super) expanded: bool,
    /// True if there is one command, with words and nothing else, at every level.
    pub(super) plain: bool,
    /// True if the command being read has single quotes, backslashes, or `$HOME` in a string.
    pub(super) quoted: bool,
}

impl Reader<'_> {
    pub(super) fn takes(&mut self, prefix: &str) -> bool {
        let rest = self.rest.strip_prefix(prefix);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Skips blanks, lines that go on, and a comment.
    pub(super) fn blanks(&mut self) -> Option<()> {
        loop {
            let trimmed = self.rest.trim_start_matches([' ', '\t']);
            let skipped = trimmed.len() < self.rest.len();
            self.rest = trimmed;
            let before = &self.line[..self.line.len() - trimmed.len()];
            if self.takes("\\\n") {
                if !skipped || self.rest.starts_with("\\\n") {
                    return None;
                }
            } else if trimmed.starts_with('#')
                && (before.is_empty() || before.ends_with([' ', '\t', '\n', ';', '&', '|']))
            {
                self.rest = &trimmed[trimmed.find('\n').unwrap_or(trimmed.len())..];
            } else {
                return Some(());
            }
        }
    }
}

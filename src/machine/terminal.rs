//! The terminal: what is printed, and what is asked.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::IntoRawFd;

use super::{environment, signals};

/// Where a command's report goes.
#[derive(Debug)]
pub struct Terminal {
    /// Whether standard output shows colours.
    pub colours: bool,
}

impl Terminal {
    /// The terminal of this process; colours only on a terminal and without `NO_COLOR`.
    pub fn of_process() -> Self {
        let colours = io::stdout().is_terminal()
            && environment::raw("NO_COLOR").is_none()
            && environment::text("TERM").is_none_or(|terminal| terminal != "dumb");
        Self { colours }
    }

    /// Prints one line, or several, to standard output.
    ///
    /// A reader that has gone away is no error: it has read what it wanted.
    pub fn line(&self, text: impl AsRef<str>) {
        let _ = writeln!(io::stdout(), "{}", text.as_ref());
    }

    /// As [`Self::line`], for a reader that may go away before the end.
    ///
    /// # Errors
    ///
    /// When nobody reads any more.
    pub fn try_line(&self, text: &str) -> io::Result<()> {
        let mut stdout = io::stdout();
        writeln!(stdout, "{text}")?;
        stdout.flush()
    }

    /// Prints text to standard output: as it is, but for a terminal without colours, which gets it
    /// [`harmless`]; what has colours has seen to that.
    pub fn print(&self, text: &str) {
        let mut stdout = io::stdout();
        if self.colours || !stdout.is_terminal() {
            let _ = stdout.write_all(text.as_bytes());
            return;
        }
        for line in text.split_inclusive('\n') {
            let content = line.trim_end_matches(['\r', '\n']);
            let _ = write!(stdout, "{}{}", harmless(content), &line[content.len()..]);
        }
    }

    /// Prints one line, or several, to standard error, [`harmless`].
    pub fn warn(&self, text: impl AsRef<str>) {
        let _ = writeln!(io::stderr(), "{}", harmless(text.as_ref()));
    }

    /// Whether there is somebody to ask.
    pub fn can_ask(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Whether there is somebody to ask on a terminal that can show a list to choose from.
    pub fn can_choose(&self) -> bool {
        self.can_ask() && environment::text("TERM").is_none_or(|terminal| terminal != "dumb")
    }

    /// Lets the user choose one of several lines; `None` if nothing was chosen.
    ///
    /// # Errors
    ///
    /// When the terminal cannot be read.
    pub fn choose_one(&self, question: &str, lines: &[String]) -> io::Result<Option<usize>> {
        let select = dialoguer::Select::new().with_prompt(question).items(lines).default(0);
        picked(|| select.interact_opt())
    }

    /// Lets the user choose among lines; the places of the chosen ones, `None` if the user gave up.
    ///
    /// # Errors
    ///
    /// When the terminal cannot be read.
    pub fn choose(&self, question: &str, lines: &[String]) -> io::Result<Option<Vec<usize>>> {
        let select = dialoguer::MultiSelect::new().with_prompt(question).items(lines);
        picked(|| select.interact_opt())
    }

    /// Asks a question that is answered with yes or no; no answer is a no.
    ///
    /// # Errors
    ///
    /// When the terminal cannot be read.
    pub fn confirm(&self, question: &str) -> io::Result<bool> {
        // A line is read as the terminal gives it: nothing is hidden or redrawn, so an interrupt
        // leaves nothing to be put back, and a terminal that knows no escape sequences gets none.
        let mut stderr = io::stderr();
        write!(stderr, "{question} [y/N] ")?;
        stderr.flush()?;
        let mut answer = String::new();
        if io::stdin().read_line(&mut answer)? == 0 {
            writeln!(stderr)?;
        }
        Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
    }
}

/// Keeps the number of a standard output that is closed from the next file, which would get the
/// answer.
pub fn reserve_output() {
    // Another that is closed may come before it.
    for _ in 0..2 {
        if rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_ok() {
            return;
        }
        // What is open for reading alone takes no answer either.
        let Ok(nothing) = File::open("/dev/null") else { return };
        let _ = nothing.into_raw_fd();
    }
}

/// Writes all of an answer to standard output, at once and as it is.
///
/// # Errors
///
/// What the system says, also of an output that is closed, for which the standard library's has no
/// error.
pub fn answer(text: &str) -> io::Result<()> {
    let mut left = text.as_bytes();
    while !left.is_empty() {
        let written =
            rustix::io::retry_on_intr(|| rustix::io::write(rustix::stdio::stdout(), left))?;
        left = &left[written..];
    }
    Ok(())
}

// An interrupt while a key is awaited would end the process with the cursor hidden.
fn picked<T>(ask: impl FnOnce() -> dialoguer::Result<Option<T>>) -> io::Result<Option<T>> {
    signals::uninterrupted(ask).or_else(|dialoguer::Error::IO(error)| {
        let _ = dialoguer::console::Term::stderr().show_cursor();
        if error.kind() == io::ErrorKind::Interrupted { Ok(None) } else { Err(error) }
    })
}

/// Text that may quote a file or an argument, with control characters written out, which a terminal
/// would obey.
pub fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() && !matches!(character, '\n' | '\t') {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out() {
        for (text, shown) in [
            ("two\n\tlines – ½", "two\n\tlines – ½"),
            ("\u{1b}[31mred", "\\u{1b}[31mred"),
            ("over\rwritten\u{7}", "over\\rwritten\\u{7}"),
            ("\u{9b}2J\u{7f}", "\\u{9b}2J\\u{7f}"),
        ] {
            assert_eq!(harmless(text), shown);
        }
    }
}

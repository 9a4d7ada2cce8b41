//! The terminal: what is printed, and what is asked.

use std::io::{self, IsTerminal, Write};

use super::environment;

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

    /// Prints text as it is to standard output.
    pub fn print(&self, text: &str) {
        let _ = io::stdout().write_all(text.as_bytes());
    }

    /// Prints one line to standard error.
    pub fn warn(&self, text: impl AsRef<str>) {
        let _ = writeln!(io::stderr(), "{}", text.as_ref());
    }

    /// Whether there is somebody to ask.
    pub fn can_ask(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Lets the user choose one of several lines; `None` if nothing was chosen.
    ///
    /// # Errors
    ///
    /// When the terminal cannot be read.
    pub fn choose_one(&self, question: &str, lines: &[String]) -> io::Result<Option<usize>> {
        dialoguer::Select::new()
            .with_prompt(question)
            .items(lines)
            .default(0)
            .interact_opt()
            .map_err(|dialoguer::Error::IO(error)| error)
    }

    /// Lets the user choose among lines; the places of the chosen ones, `None` if the user gave up.
    ///
    /// # Errors
    ///
    /// When the terminal cannot be read.
    pub fn choose(&self, question: &str, lines: &[String]) -> io::Result<Option<Vec<usize>>> {
        dialoguer::MultiSelect::new()
            .with_prompt(question)
            .items(lines)
            .interact_opt()
            .map_err(|dialoguer::Error::IO(error)| error)
    }

    /// Asks a question that is answered with yes or no; no answer is a no.
    ///
    /// # Errors
    ///
    /// When the terminal cannot be read.
    pub fn confirm(&self, question: &str) -> io::Result<bool> {
        dialoguer::Confirm::new()
            .with_prompt(question)
            .default(false)
            .interact_opt()
            .map(|answer| answer.unwrap_or(false))
            .map_err(|dialoguer::Error::IO(error)| error)
    }
}

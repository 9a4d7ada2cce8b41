//! The terminal: what is printed, and what is asked.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::os::fd::IntoRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use dialoguer::console;

use super::{environment, signals};

/// The terminal or file that a command's report goes to.
#[derive(Debug)]
pub struct Terminal {
    pub is_screen: bool,
    pub colours: bool,
    /// Keeps what would be printed, for a report to programs.
    kept: Option<RefCell<String>>,
    /// The first write to standard output that failed.
    failed: RefCell<Option<io::Error>>,
}

static SHOWN: Mutex<Option<Instant>> = Mutex::new(None);

/// The ways in which a word is set off from others on a terminal that shows colours, by their codes there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    Bold = 1,
    Dim = 2,
    Red = 31,
    Green = 32,
    Yellow = 33,
    Cyan = 36,
}

impl Terminal {
    /// The text as it is, or painted where the terminal shows colours.
    pub fn painted(&self, text: &str, paint: Paint) -> String {
        if !self.colours {
            return text.to_owned();
        }
        format!("\u{1b}[{}m{text}\u{1b}[0m", paint as u8)
    }

    /// The terminal of this process; colours only on a terminal and without `NO_COLOR`.
    pub fn of_process() -> Self {
        let is_screen = io::stdout().is_terminal();
        let colours = is_screen
            && environment::raw("NO_COLOR").is_none()
            && environment::text("TERM").is_none_or(|terminal| terminal != "dumb");
        Self { is_screen, colours, kept: None, failed: RefCell::default() }
    }

    pub fn keeping() -> Self {
        let (kept, failed) = (Some(RefCell::default()), RefCell::default());
        Self { is_screen: false, colours: false, kept, failed }
    }

    pub fn kept(&self) -> String {
        self.kept.as_ref().map(|kept| kept.borrow().clone()).unwrap_or_default()
    }

    fn keeps(&self, text: &str) -> bool {
        let Some(kept) = &self.kept else { return false };
        kept.borrow_mut().push_str(text);
        true
    }

    /// A row of a table as [`row`] lays it out on a terminal; in a pipe each row is one line.
    pub fn row(&self, start: &str, cell: &str, indent: usize) -> String {
        if self.is_screen {
            return row(start, cell, indent);
        }
        format!("{start}{cell}").trim_end().to_owned()
    }

    pub fn print_row(&self, start: &str, cell: &str, indent: usize) {
        self.line(self.row(start, cell, indent));
    }

    /// Prints lines to standard output, [`harmless`] but for own colours; a reader may have gone away.
    pub fn line(&self, text: impl AsRef<str>) {
        let text = format!("{}\n", self.shown(text.as_ref()));
        if !self.keeps(&text) {
            self.note(io::stdout().write_all(text.as_bytes()));
        }
    }

    fn note(&self, written: io::Result<()>) {
        if let Err(error) = written
            && error.kind() != ErrorKind::BrokenPipe
        {
            self.failed.borrow_mut().get_or_insert(error);
        }
    }

    /// Fails where something that was printed did not reach standard output, as on a full disk.
    pub fn finish(&self) -> io::Result<()> {
        self.note(io::stdout().flush());
        self.failed.take().map_or(Ok(()), Err)
    }

    /// As [`Self::line`], for a reader that may go away before the end.
    pub fn try_line(&self, text: &str) -> io::Result<()> {
        let mut stdout = io::stdout();
        writeln!(stdout, "{}", self.shown(text))?;
        stdout.flush()
    }

    fn shown(&self, text: &str) -> String {
        if self.colours { coloured(text) } else { harmless(text) }
    }

    /// Prints text such as a diff: byte for byte to a program, as [`Self::line`] on a terminal.
    pub fn print(&self, text: &str) {
        if self.keeps(text) {
            return;
        }
        let mut stdout = io::stdout();
        if !stdout.is_terminal() {
            self.note(stdout.write_all(text.as_bytes()));
            return;
        }
        for line in text.split_inclusive('\n') {
            let end = ["\r\n", "\n"].into_iter().find(|end| line.ends_with(end));
            let content = &line[..line.len() - end.map_or(0, str::len)];
            let _ = write!(stdout, "{}{}", self.shown(content), end.unwrap_or_default());
        }
    }

    /// Prints one line, or several, to standard error, [`harmless`]; on a terminal as [`lines`].
    pub fn warn(&self, text: impl AsRef<str>) {
        let text = harmless(text.as_ref());
        let mut stderr = io::stderr();
        let shown = if stderr.is_terminal() { lines(&text) } else { text };
        let _ = writeln!(stderr, "{shown}");
    }

    /// Shows on a terminal how far long work has come, in a row that the next print overwrites.
    pub fn progress(text: impl FnOnce() -> String) {
        const EACH: Duration = Duration::from_millis(200);
        let mut shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.get_or_insert_with(Instant::now).elapsed() >= EACH {
            *shown = Some(Instant::now());
            let mut stderr = io::stderr();
            if stderr.is_terminal() {
                let _ = write!(stderr, "\r\u{1b}[K{}\r", text());
            }
        }
    }

    /// Clears the row that [`Self::progress`] showed.
    pub fn progress_ends() {
        let mut stderr = io::stderr();
        if stderr.is_terminal() {
            let _ = write!(stderr, "\r\u{1b}[K");
        }
    }

    pub fn can_ask(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Returns whether there is somebody to ask on a terminal that can show a list to choose from.
    pub fn can_choose(&self) -> bool {
        self.can_ask() && environment::text("TERM").is_none_or(|terminal| terminal != "dumb")
    }

    /// Lets the user choose one of several lines; `None` if nothing was chosen.
    pub fn choose_one(&self, question: &str, lines: &[String]) -> io::Result<Option<usize>> {
        let Some(left) = self.narrowed(question, lines)? else { return Ok(None) };
        let prompt = format!("{question} (arrows and Enter, Esc leaves)");
        let rows = cut(&left, lines);
        let select = dialoguer::Select::new().with_prompt(prompt).items(&rows).default(0);
        Ok(picked(|| select.interact_opt())?.map(|at| left[at]))
    }

    /// The places of the lines with a word, asked for where there are many; `None` if the user gave up.
    fn narrowed(&self, question: &str, lines: &[String]) -> io::Result<Option<Vec<usize>>> {
        /// Longer lists are searched.
        const SHORT: usize = 15;
        let all = || (0..lines.len()).collect::<Vec<usize>>();
        if lines.len() <= SHORT {
            return Ok(Some(all()));
        }
        let search = format!("{question}: a word to search for, or Enter for all: ");
        let Some(word) = typed(&search)? else { return Ok(None) };
        let word = word.to_lowercase();
        let mut left = all();
        left.retain(|at| lines[*at].to_lowercase().contains(&word));
        if left.is_empty() {
            self.warn(format!("no row has `{word}`, so here are all"));
            left = all();
        }
        Ok(Some(left))
    }

    /// Lets the user choose among lines, the first `marked` already so; gives places, `None` if given up.
    pub fn choose(
        &self,
        question: &str,
        lines: &[String],
        marked: usize,
    ) -> io::Result<Option<Vec<usize>>> {
        let Some(left) = self.narrowed(question, lines)? else { return Ok(None) };
        let rows = cut(&left, lines);
        let prompt = format!("{question} (space marks, Enter goes on, Esc leaves)");
        let marks: Vec<bool> = left.iter().map(|at| *at < marked).collect();
        let select =
            dialoguer::MultiSelect::new().with_prompt(prompt).items(&rows).defaults(&marks);
        let chosen = picked(|| select.interact_opt())?;
        Ok(chosen.map(|rows| rows.into_iter().map(|at| left[at]).collect()))
    }

    /// Asks for a line of text, which the user may begin with `initial`; `None` if the user gave up.
    pub fn ask(&self, question: &str, initial: &str) -> io::Result<Option<String>> {
        let hint = if initial.is_empty() { String::new() } else { format!(" [{initial}]") };
        let answer = typed(&format!("{}: ", harmless(&format!("{question}{hint}"))))?;
        Ok(answer.map(|answer| if answer.is_empty() { initial.to_owned() } else { answer }))
    }

    /// Asks a question that is answered with yes or no; no answer is a yes, and the end of input a no.
    pub fn confirm_unless_denied(&self, question: &str) -> io::Result<bool> {
        let answer = typed(&format!("{question} [Y/n] "))?;
        Ok(answer.is_some_and(|it| matches!(&*it.to_lowercase(), "" | "y" | "yes")))
    }

    /// Asks a question that is answered with yes or no; no answer is a no.
    pub fn confirm(&self, question: &str) -> io::Result<bool> {
        let answer = typed(&format!("{question} [y/N] "))?;
        Ok(answer.is_some_and(|it| matches!(&*it.to_lowercase(), "y" | "yes")))
    }
}

/// The trimmed line that the user types after a question, not redrawn; `None` at the end.
fn typed(question: &str) -> io::Result<Option<String>> {
    let mut stderr = io::stderr();
    write!(stderr, "{question}")?;
    stderr.flush()?;
    let mut answer = String::new();
    if io::stdin().read_line(&mut answer)? == 0 {
        writeln!(stderr)?;
        return Ok(None);
    }
    Ok(Some(answer.trim().to_owned()))
}

/// Writes to the terminal of this process, if it has one, and does not wait where that is stopped.
pub fn ring(sequence: &str) -> io::Result<()> {
    let flags = libc::O_NOCTTY | libc::O_NONBLOCK;
    let mut terminal = OpenOptions::new().write(true).custom_flags(flags).open("/dev/tty")?;
    terminal.write_all(sequence.as_bytes())
}

/// Keeps the number of a closed standard output from the next file, which would get the answer.
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
pub fn answer(text: &str) -> io::Result<()> {
    let mut left = text.as_bytes();
    while !left.is_empty() {
        let written =
            rustix::io::retry_on_intr(|| rustix::io::write(rustix::stdio::stdout(), left))?;
        left = &left[written..];
    }
    Ok(())
}

/// The lines at some places, each cut to one row, as a list is paged by rows.
fn cut(places: &[usize], lines: &[String]) -> Vec<String> {
    /// The columns before a line of a list: `> `, or `> [x] `.
    const MARKS: usize = 6;
    let (_, columns) = console::Term::stderr().size();
    let width = usize::from(columns).saturating_sub(MARKS + 1);
    let line = |at: &usize| console::truncate_str(&lines[*at], width, "…").into_owned();
    places.iter().map(line).collect()
}

// An interrupt while a key is awaited would end the process with the cursor hidden.
fn picked<T>(ask: impl FnOnce() -> dialoguer::Result<Option<T>>) -> io::Result<Option<T>> {
    signals::uninterrupted(ask).or_else(|dialoguer::Error::IO(error)| {
        let _ = console::Term::stderr().show_cursor();
        if error.kind() == io::ErrorKind::Interrupted { Ok(None) } else { Err(error) }
    })
}

/// Text with control characters, and those that turn the direction of writing, written out as JSON does.
pub fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => shown.push(character),
            '\r' => shown.push_str("\\r"),
            _ if character.is_control() || turns(character) => {
                // Writing to a string cannot fail.
                let _ = write!(shown, "\\u{:04x}", u32::from(character));
            }
            _ => shown.push(character),
        }
    }
    shown
}

/// As [`harmless`], but the colours that hookman itself uses stay.
fn coloured(text: &str) -> String {
    const COLOURS: [&str; 8] = ["0", "1", "2", "31", "32", "33", "35", "36"];
    let mut shown = String::with_capacity(text.len());
    let mut parts = text.split("\u{1b}[");
    shown.push_str(&harmless(parts.next().unwrap_or_default()));
    for part in parts {
        match part.split_once('m') {
            Some((colour, rest)) if COLOURS.contains(&colour) => {
                shown.extend(["\u{1b}[", colour, "m", &harmless(rest)]);
            }
            _ => shown.extend(["\\u001b[", &harmless(part)]),
        }
    }
    shown
}

/// Returns whether a character changes the direction of the text behind it (`Bidi_Control` in Unicode).
fn turns(character: char) -> bool {
    matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// Returns whether the user named an editor, which may need no terminal.
pub fn is_named() -> bool {
    named().is_some()
}

fn named() -> Option<String> {
    let is_set = |line: &String| !line.trim().is_empty();
    ["VISUAL", "EDITOR"].iter().find_map(|name| environment::text(name).filter(is_set))
}

/// Opens a file in `$VISUAL`, `$EDITOR` or `vi`, a line for the shell as in git, and waits for the end.
pub fn open(file: &Path) -> io::Result<()> {
    let editor = named().unwrap_or_else(|| "vi".to_owned());
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &format!("{editor} \"$1\""), "sh"]).arg(file);
    // An interrupt is the editor's to handle.
    let status = signals::uninterrupted(|| command.status())?;
    match status.code() {
        Some(0) => Ok(()),
        Some(126 | 127) => Err(io::Error::new(
            ErrorKind::NotFound,
            format!("the editor `{editor}` was not found; set EDITOR to one that is installed"),
        )),
        _ => Err(io::Error::other(format!(
            "the editor `{editor}` failed ({status}), so nothing was written"
        ))),
    }
}

/// Runs tmux with these words and gives its output; `None` where it refuses them.
pub fn tmux(words: &[&str]) -> io::Result<Option<String>> {
    let output = Command::new("tmux").args(words).stdin(Stdio::null()).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(output.status.success().then(|| text.trim_end_matches('\n').to_owned()))
}

/// The number of columns that a line has at most, but for a single word that is longer.
const WIDTH: usize = 80;

/// A row whose last cell goes on in further lines, `indent` columns in, broken at blanks and behind `|`.
pub fn row(start: &str, cell: &str, indent: usize) -> String {
    let mut text = start.to_owned();
    let mut column = columns(start);
    let mut gap = String::new();
    for word in words(cell, WIDTH.saturating_sub(indent)) {
        if word.is_empty() {
            gap.push(' ');
            continue;
        }
        let is_too_long = indent + columns(word) > WIDTH;
        let parts: Vec<&str> =
            if is_too_long { word.split_inclusive('|').collect() } else { vec![word] };
        for part in parts {
            // The time of day stays with its date.
            let is_after_date = text.rsplit(' ').next().is_some_and(is_date) && gap.len() == 1;
            let needed =
                gap.len() + columns(part) + if is_date(part) { "T18:00:00".len() } else { 0 };
            if column > indent && column + needed > WIDTH && !is_after_date {
                text.truncate(text.trim_end().len());
                text.push('\n');
                text.extend(std::iter::repeat_n(' ', indent));
                column = indent;
                gap.clear();
            }
            column += gap.len() + columns(part);
            text.extend([&gap, part]);
            gap.clear();
        }
        gap.push(' ');
    }
    text.truncate(text.trim_end().len());
    text
}

/// The words of a cell. A command in backquotes is one word if it fits in a line.
fn words(cell: &str, room: usize) -> impl Iterator<Item = &str> {
    let mut rest = Some(cell);
    std::iter::from_fn(move || {
        let text = rest?;
        let word = text.split([' ', '\n']).next().unwrap_or_default();
        let is_open = word.matches('`').count() % 2 == 1;
        let until_closed = || {
            let close = word.len() + text[word.len()..].find('`')? + 1;
            let end = text[close..].find([' ', '\n']).map_or(text.len(), |more| close + more);
            Some(&text[..end]).filter(|it| !it.contains('\n') && columns(it) <= room)
        };
        let word = if is_open { until_closed().unwrap_or(word) } else { word };
        rest = text.get(word.len() + 1..);
        Some(word)
    })
}

/// Each line of a text broken into lines; one that begins with a blank, as in a table, stays.
pub fn lines(text: &str) -> String {
    let folded =
        |line: &str| if line.starts_with(' ') { line.to_owned() } else { row("", line, 0) };
    text.split('\n').map(folded).collect::<Vec<_>>().join("\n")
}

fn is_date(word: &str) -> bool {
    let is_part = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    word.len() == 10 && word.bytes().enumerate().all(is_part)
}

/// The paragraphs of a text, each broken into lines; one that begins with a blank or a dash is left as it is.
pub fn paragraphs(text: &str) -> String {
    let each = text.trim().split("\n\n").map(|paragraph| {
        let is_set = paragraph.lines().any(|line| line.starts_with([' ', '-', '*']));
        if is_set { paragraph.to_owned() } else { row("", paragraph, 0) }
    });
    each.collect::<Vec<_>>().join("\n\n")
}

fn columns(text: &str) -> usize {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().chars().count();
    let rest = parts.map(|part| part.split_once('m').map_or(part, |(_, rest)| rest));
    first + rest.map(|part| part.chars().count()).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out() {
        for (text, shown) in [
            ("two\n\tlines – ½", "two\n\tlines – ½"),
            ("\u{1b}[31mred", "\\u001b[31mred"),
            ("over\rwritten\u{7}", "over\\rwritten\\u0007"),
            ("\u{9b}2J\u{7f}", "\\u009b2J\\u007f"),
            ("txt.\u{202e}cod", "txt.\\u202ecod"),
        ] {
            assert_eq!(harmless(text), shown);
        }
    }

    #[test]
    fn only_the_colours_of_hookman_reach_a_terminal() {
        for (text, shown) in [
            ("\u{1b}[31mred\u{1b}[0m", "\u{1b}[31mred\u{1b}[0m"),
            ("\u{1b}[8mhidden", "\\u001b[8mhidden"),
            ("\u{1b}]52;c;eA==\u{7}", "\\u001b]52;c;eA==\\u0007"),
            ("\u{1b}[2J", "\\u001b[2J"),
        ] {
            assert_eq!(coloured(text), shown);
        }
    }

    #[test]
    fn json_stays_json() {
        let text = serde_json::json!({"name": "a\u{1b}b\u{9b}c\u{7f}"}).to_string();
        let shown = harmless(&text);
        assert_eq!(shown, "{\"name\":\"a\\u001bb\\u009bc\\u007f\"}");
        let read: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(read["name"], "a\u{1b}b\u{9b}c\u{7f}");
    }
}

#[cfg(test)]
mod table_tests {
    use super::*;

    #[test]
    fn a_long_cell_goes_on_below_itself() {
        let word = "x".repeat(20);
        let cell = [&*word; 5].join(" ");
        let expected = format!("a  {word} {word} {word}\n   {word} {word}");
        assert_eq!(row("a  ", &cell, 3), expected);
        let painted = row("\u{1b}[1ma\u{1b}[0m  ", &cell, 3);
        assert_eq!(painted, expected.replacen('a', "\u{1b}[1ma\u{1b}[0m", 1));
    }

    #[test]
    fn a_word_is_never_cut() {
        let word = "x".repeat(100);
        assert_eq!(row("a  ", &word, 3), format!("a  {word}"));
        assert_eq!(row("longer  ", &format!("{word} b"), 2), format!("longer\n  {word}\n  b"));
    }

    #[test]
    fn what_is_to_be_typed_stays_in_one_line() {
        let start = "x".repeat(70);
        let call = "`hookman doctor --ask-client`,";
        assert_eq!(row("", &format!("{start} {call} b"), 0), format!("{start}\n{call} b"));
        let long = format!("`{start} {start}`");
        assert_eq!(row("", &long, 0), long.replace(' ', "\n"));
        assert_eq!(row("", "a ` b", 0), "a ` b");
    }

    #[test]
    fn lines_are_broken_one_by_one_but_for_rows() {
        let long = ["word"; 20].join(" ");
        let text = format!("{long}\n  {long}\nend");
        let expected =
            format!("{}\n{}\n  {long}\nend", ["word"; 16].join(" "), ["word"; 4].join(" "));
        assert_eq!(lines(&text), expected);
    }

    #[test]
    fn a_long_list_goes_on_behind_a_bar() {
        let list = ["Notification"; 7].join("|");
        let expected =
            format!("a  {}|\n   Notification|Notification", ["Notification"; 5].join("|"));
        assert_eq!(row("a  ", &list, 3), expected);
    }

    #[test]
    fn a_time_is_not_broken() {
        let cell = format!("{} 2026-01-31 18:00:00, and", "x".repeat(65));
        assert_eq!(row("a  ", &cell, 3), cell.replacen(" 2", "\n   2", 1).replacen('x', "a  x", 1));
    }

    #[test]
    fn blanks_stay_inside_of_a_line() {
        assert_eq!(row("a  ", "b  c", 3), "a  b  c");
        assert_eq!(row("a  ", "", 3), "a");
    }

    #[test]
    fn paragraphs_are_broken_one_by_one() {
        assert_eq!(paragraphs("a\nb\n\n- c\n- d\n"), "a b\n\n- c\n- d");
    }
}

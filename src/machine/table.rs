//! Rows and paragraphs that fit a terminal of 80 columns.

/// The number of columns that a line has at most, but for a single word that is longer.
const WIDTH: usize = 80;

/// A row: what it begins with, and a last cell that goes on in further lines, `indent` columns in, where it
/// does not fit. A word is never cut, but a list such as `Edit|Write` goes on behind a `|`. Runs of blanks in
/// the cell stay where they do not end a line.
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

/// The words of a cell; what is to be typed, in backquotes, is one where it has room in a line.
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

/// Each line of a text broken into lines; one that begins with a blank, such as a row of a table, is left as
/// it is.
pub fn lines(text: &str) -> String {
    let folded =
        |line: &str| if line.starts_with(' ') { line.to_owned() } else { row("", line, 0) };
    text.split('\n').map(folded).collect::<Vec<_>>().join("\n")
}

/// Returns whether a word is a date, as in `2026-01-31`.
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

/// The columns that a text takes, without its colours.
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

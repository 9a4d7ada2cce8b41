//! Writing what happened into a book, as text, so that the rest of the file stays as it is.

use anyhow::{Result, bail};

const FENCE: &str = "'''";

/// Replaces what a case expects, of the given version or of the usual one.
pub(crate) fn replace(
    book: &str,
    index: usize,
    version: Option<&str>,
    outcome: &str,
) -> Result<String> {
    if outcome.contains(FENCE) {
        bail!("an outcome with {FENCE} cannot be written into a book");
    }
    let key = version.map_or("expect".to_owned(), |version| format!("on.\"{version}\""));
    let opening = format!("{key} = {FENCE}");
    let block = format!("{opening}\n{outcome}{FENCE}");

    let mut lines: Vec<_> = book.lines().collect();
    let mut starts = lines.iter().enumerate().filter(|(_, line)| **line == "[[case]]");
    let Some((start, _)) = starts.nth(index) else { bail!("there is no case {index}") };
    let mut end = starts.next().map_or(lines.len(), |(next, _)| next);
    while lines[end - 1].is_empty() {
        end -= 1;
    }
    let old = lines[start..end].iter().position(|line| *line == opening).map(|at| start + at);
    let place = match old {
        Some(first) => {
            let length = lines[first..end].iter().position(|line| *line == FENCE);
            let Some(length) = length else { bail!("`{key}` of case {index} has no end") };
            first..first + length + 1
        }
        None => end..end,
    };
    lines.splice(place, [block.as_str()]);
    Ok(lines.join("\n") + "\n")
}

#[test]
fn replaces_only_what_is_expected() {
    let book = "[[case]]\nname = 'a'\nexpect = '''\nold\n'''\n\n[[case]]\nname = 'b'\n";
    let first = replace(book, 0, None, "new\n").unwrap();
    assert_eq!(first, book.replace("old", "new"));
    let second = replace(&first, 1, Some("1.2.3"), "other\n").unwrap();
    assert_eq!(second, format!("{first}on.\"1.2.3\" = '''\nother\n'''\n"));
}

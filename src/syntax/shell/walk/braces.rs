//! Braces of words: `{rm,-rf,x}` is three words.

/// Longer words are left as they are.
const LONGEST: usize = 1024;
/// So many words one may become.
const MOST: usize = 16;

/// The words that braces make of one, in their order; the word itself where it has none.
pub fn alternatives(written: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![written.to_owned()];
    while let Some(text) = open.pop() {
        let is_room = text.len() <= LONGEST && done.len() + open.len() < MOST;
        let Some((start, end, items)) = first_list(&text).filter(|_| is_room) else {
            done.push(text);
            continue;
        };
        for item in items.iter().rev() {
            open.push(format!("{}{item}{}", &text[..start], &text[end..]));
        }
    }
    done
}

/// The first `{…,…}` outside of quotes: where it is, and its items.
fn first_list(text: &str) -> Option<(usize, usize, Vec<&str>)> {
    let text_end = text.len().min(LONGEST);
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut at = 0;
    while at < text_end {
        let next = after_part(text, at);
        match text.as_bytes()[at] {
            b'{' => open.push((at, Vec::new())),
            b',' => {
                if let Some((_, commas)) = open.last_mut() {
                    commas.push(at);
                }
            }
            b'}' => match open.pop() {
                Some((start, commas)) if !commas.is_empty() => {
                    let starts = std::iter::once(start).chain(commas.iter().copied());
                    let ends = commas.iter().copied().chain([at]);
                    let items = starts.zip(ends).map(|(start, end)| &text[start + 1..end]);
                    return Some((start, at + 1, items.collect()));
                }
                _ => {}
            },
            _ => {}
        }
        at = next;
    }
    None
}

/// The end of what begins here: a quoted part, an escaped letter, `${…}` and `$(…)`, or a letter.
fn after_part(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    let closing = |open: usize, close: char| {
        rest[open..].find(close).map_or(text.len(), |length| at + open + length + close.len_utf8())
    };
    match rest.as_bytes() {
        [b'\'', ..] => closing(1, '\''),
        [b'"', ..] => closing(1, '"'),
        [b'`', ..] => closing(1, '`'),
        [b'$', b'{', ..] => closing(2, '}'),
        [b'$', b'(', ..] => closing(2, ')'),
        [b'\\', ..] => at + 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        _ => at + rest.chars().next().map_or(1, char::len_utf8),
    }
}

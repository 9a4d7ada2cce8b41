//! Brace expansion: `{rm,-rf,x}` is three words.

/// So many words one may become.
const MOST: usize = 64;

/// The words that braces make of one, in their order; the word itself where it has none.
pub(super) fn alternatives(written: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![written.to_owned()];
    while let Some(text) = open.pop() {
        let Some(list) = first_list(&text).filter(|_| done.len() + open.len() < MOST) else {
            done.push(text);
            continue;
        };
        let (before, after) = (&text[..list.start], &text[list.end..]);
        for item in list.items.iter().rev() {
            open.push(format!("{before}{item}{after}"));
        }
    }
    done
}

struct List<'t> {
    start: usize,
    end: usize,
    items: Vec<&'t str>,
}

/// The first `{…,…}` outside of quotes.
fn first_list(text: &str) -> Option<List<'_>> {
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'{' if !text[..at].ends_with('$') => {
                if let Some(list) = list_at(text, at) {
                    return Some(list);
                }
                at += 1;
            }
            _ => at = after_part(text, at),
        }
    }
    None
}

fn list_at(text: &str, start: usize) -> Option<List<'_>> {
    let mut items = Vec::new();
    let mut depth = 0_usize;
    let mut from = start + 1;
    let mut at = from;
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth > 0 => depth -= 1,
            b'}' if items.is_empty() => return None,
            b'}' => {
                items.push(&text[from..at]);
                return Some(List { start, end: at + 1, items });
            }
            b',' if depth == 0 => {
                items.push(&text[from..at]);
                from = at + 1;
            }
            _ => {
                at = after_part(text, at);
                continue;
            }
        }
        at += 1;
    }
    None
}

/// Where what begins here ends: a quoted part, an escaped letter, `${…}` and `$(…)`, or a letter.
fn after_part(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    let closing = |open: usize, close: char| {
        rest[open..].find(close).map_or(text.len(), |length| at + open + length + 1)
    };
    let letter = || at + rest.chars().next().map_or(1, char::len_utf8);
    match rest.as_bytes() {
        [b'\'', ..] => closing(1, '\''),
        [b'"', ..] => closing(1, '"'),
        [b'`', ..] => closing(1, '`'),
        [b'$', b'{', ..] => closing(2, '}'),
        [b'$', b'(', ..] => closing(2, ')'),
        [b'\\', ..] => at + 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        _ => letter(),
    }
}

//! What a manifest that cannot be read seems to say of failures.

use super::types::OnError;

/// The strictest `on_error` in the bytes of a manifest that is no valid one, whatever is wrong with
/// it: quotes that are missing or do not end, another key's spelling, a file in UTF-16.
///
/// Where it is in doubt it is [`OnError::Closed`]: a word that is none of the three counts as such,
/// also behind a key that is nearly this one, as do a key with an escape and zeros that are not those
/// of UTF-16; `closed` and `ask` count as the value of any key, and what is nearly `closed` as that of one in `on`;
/// and only a line that begins with `#` is a comment, as a `#` further on may stand in a string.
pub fn on_error(bytes: &[u8]) -> OnError {
    if has_odd_zeros(bytes) {
        return OnError::Closed;
    }
    // In UTF-16 every letter of a key is the ASCII one beside a zero.
    let bytes: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
    let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
    let is_code = |line: &&str| !line.trim_start().starts_with('#');
    let code: Vec<&str> = text.split(['\n', '\r']).filter(is_code).collect();
    let code = code.join("\n");
    if has_key_with_escape(&code) {
        return OnError::Closed;
    }
    let mut ends = code.match_indices("error").map(|(at, word)| (at, at + word.len()));
    let mut strictest = if is_a_value(&code, "closed") {
        OnError::Closed
    } else if is_a_value(&code, "ask") {
        OnError::Ask
    } else {
        OnError::Open
    };
    while let Some((start, end)) = ends.next().filter(|_| strictest != OnError::Closed) {
        if ends_in_on(&code[..start]) {
            strictest = strictest.max(value(&code[end..]).unwrap_or_default());
        }
    }
    strictest.max(of_near_keys(&code))
}

/// What keys say that may have been meant as this one, and values that may have been meant as
/// `closed`.
fn of_near_keys(code: &str) -> OnError {
    let mut strictest = OnError::Open;
    for line in code.split(['\n', '\r']) {
        // The mark at the beginning of a file is no part of its first line.
        let line = line.trim_start_matches(|it: char| it.is_whitespace() || !it.is_ascii());
        let header = line.strip_prefix('[').is_some_and(|name| {
            name.split(|it| !is_of_word(it) || it == '.').any(is_nearly_the_key)
        });
        if header {
            return OnError::Closed;
        }
        for (at, sign) in line.match_indices(['=', ':']) {
            let (before, after) = (&line[..at], &line[at + sign.len()..]);
            let is_around = |it: char| it.is_whitespace() || is_quote(it);
            let before = before.trim_end_matches(is_around);
            let key = before.rsplit(|it| !is_of_word(it) && !is_quote(it)).next().unwrap_or("");
            let value = after.trim_start_matches(is_around);
            let value = value.split(|it| !is_of_word(it)).next().unwrap_or_default();
            strictest = strictest.max(of_pair(key, value, sign));
        }
    }
    strictest
}

fn of_pair(key: &str, value: &str, sign: &str) -> OnError {
    let mut names = key.split('.').map(|name| name.trim_matches(is_quote));
    if names.by_ref().any(is_nearly_the_key) {
        // A table in its place has the word as a key.
        let word = names.next_back().unwrap_or(value);
        return OnError::from_name(word).unwrap_or(OnError::Closed);
    }
    let is_near =
        (5..=7).contains(&value.len()) && strsim::damerau_levenshtein(value, "closed") < 2;
    if is_near && sign == "=" && key.starts_with("on") { OnError::Closed } else { OnError::Open }
}

fn is_of_word(it: char) -> bool {
    it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.')
}

/// Whether a key is `on_error`, but for two mistakes in it, or the client's `onFailure`, which is not
/// the manifest's `on_failure`.
fn is_nearly_the_key(key: &str) -> bool {
    let letters = key.replace(['_', '-'], "");
    let is_near = (5..=9).contains(&letters.len())
        && letters.starts_with(['o', 'n'])
        && strsim::damerau_levenshtein(&letters, "onerror") <= 2;
    is_near || (letters.starts_with("onfail") && key != "on_failure")
}

/// Whether there is a zero that is not the half of a letter in UTF-16.
fn has_odd_zeros(bytes: &[u8]) -> bool {
    let (pairs, rest) = bytes.as_chunks();
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => pairs.contains(&[0, 0]) || rest == [0],
        _ => bytes.contains(&0),
    }
}

/// Whether a key in quotes has an escape, which may hide any name.
fn has_key_with_escape(code: &str) -> bool {
    code.split('\\').skip(1).any(|behind| {
        let is_escape = behind.starts_with(['u', 'x']);
        let end = behind.split_once('"').map(|(_, end)| end.trim_start());
        is_escape && end.is_some_and(|end| end.starts_with(['=', '.']))
    })
}

/// Whether a word stands where a value does: behind a `=` or `:`, or in quotes at the end of a line.
fn is_a_value(code: &str, word: &str) -> bool {
    let is_letter = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-');
    code.match_indices(word).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + word.len()..]);
        let is_whole = !before.ends_with(is_letter) && !after.starts_with(is_letter);
        let bare = before.trim_end_matches(|it: char| it.is_whitespace() || is_quote(it));
        let line = after.split(['\n', '\r', '#']).next().unwrap_or_default();
        let is_last =
            line.trim_matches(|it: char| is_quote(it) || " \t,}]".contains(it)).is_empty();
        let is_set = bare.ends_with(['=', ':']) && (is_last || after.starts_with(is_quote));
        let start = before.rsplit(['\n', '\r']).next().unwrap_or_default();
        let is_alone = before.ends_with(is_quote) && is_last && !start.contains('#');
        is_whole && (is_set || is_alone)
    })
}

fn is_quote(it: char) -> bool {
    matches!(it, '"' | '\'')
}

/// Whether the `error` behind this text is the rest of `on_error` or of a misspelling of it.
fn ends_in_on(text: &str) -> bool {
    let text = text.strip_suffix(['_', '-']).unwrap_or(text);
    let is_letter = |it: char| it.is_alphanumeric() || it == '_';
    text.strip_suffix("on").is_some_and(|before| !before.ends_with(is_letter))
}

/// What stands behind the key; nothing if it is no value but a text that goes on.
fn value(rest: &str) -> Option<OnError> {
    let is_around = |it: char| it.is_whitespace() || is_quote(it);
    let rest = rest.trim_start_matches(is_around);
    let value = rest.trim_start_matches(|it| is_around(it) || matches!(it, '=' | ':'));
    let word = value.split(|it: char| !it.is_ascii_alphanumeric()).next().unwrap_or_default();
    match OnError::from_name(word) {
        None if rest.starts_with(['=', ':']) => Some(OnError::Closed),
        known => known,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strictest_is_found_and_doubt_is_a_gate() {
        let rows = [
            ("", OnError::Open),
            ("[[hook]]\nname = \"x\"\n", OnError::Open),
            ("on_error = \"open\"    # decides nothing; \"closed\" makes it block", OnError::Open),
            ("on_error = \"ask\"", OnError::Ask),
            ("on_error = \"ask\"\non_error = \"open\"", OnError::Ask),
            ("on_error = \"ask\"\non_error = \"closed\"", OnError::Closed),
            ("[defaults]\n  on_error='closed'", OnError::Closed),
            ("on_error  \t=\t  '''closed'''", OnError::Closed),
            ("on_error = \"\"\"\nclosed\"\"\"", OnError::Closed),
            ("\"on_error\" = \"closed\"", OnError::Closed),
            ("'on_error'='ask'", OnError::Ask),
            ("defaults.on_error = \"closed\"", OnError::Closed),
            (
                "hook = [ { name = \"a\", command=\"echo '#1'\", on_error=\"closed\" } ]",
                OnError::Closed,
            ),
            ("command = \"a # b\"\r# on_error = \"closed\"", OnError::Open),
            ("  # on_error = \"closed\"\n", OnError::Open),
            ("# a comment with an old line end\ron_error = \"closed\"", OnError::Closed),
            // What is broken is the line itself.
            ("on_error = closed", OnError::Closed),
            ("on_error = \"closed", OnError::Closed),
            ("on_error = \"open", OnError::Open),
            ("on_error \"closed\"", OnError::Closed),
            ("on_error: ask", OnError::Ask),
            ("on-error = \"closed\"", OnError::Closed),
            ("onError = \"closed\"", OnError::Closed),
            ("ON_ERROR = \"CLOSED\"", OnError::Closed),
            ("on_error = \"clsed\"", OnError::Closed),
            ("on_error =", OnError::Closed),
            // Whatever the key is called.
            ("on_eror = \"closed\"", OnError::Closed),
            ("  onfail='ask'", OnError::Ask),
            ("on_eror \"closed\" # a remark", OnError::Closed),
            ("hook = [ { name = \"a\", error = \"closed\" } ]", OnError::Closed),
            ("\"on_\\u0065rror\" = \"clo\\u0073ed\"", OnError::Closed),
            ("\"on_\\x65rror\"=\"clo\\u0073ed\"", OnError::Closed),
            ("defaults.\"on_\\u0065rror\" = 'clsd'", OnError::Closed),
            ("name = \"a\0b\"", OnError::Closed),
            ("\0\0\0\0", OnError::Closed),
            ("on_error.closed = true", OnError::Closed),
            ("defaults.\"on_error\".ask = true", OnError::Ask),
            ("on_error = { closed = true }", OnError::Closed),
            ("[hook.on_error]\nclosed = true", OnError::Closed),
            ("onFailure = \"block\"", OnError::Closed),
            ("on_eror = \"clsoed\"", OnError::Closed),
            ("no_eror = 'blocked'", OnError::Closed),
            ("on_eror = \"open\"", OnError::Open),
            ("on_its_failure = \"colsed\"", OnError::Closed),
            ("hook = [{ on_eror = 'ask' }, { name = 'x' }]", OnError::Ask),
            // No key of this name, and no such value.
            ("name = \"cloned\"\ncommand = \"close x\"", OnError::Open),
            ("on_failure = \"block\"", OnError::Open),
            ("error = 5\nmirror = 'x'", OnError::Open),
            ("prompt = \"mind: closes at five\"", OnError::Open),
            ("prompt = \"say on_error what is meant\"", OnError::Open),
            ("reaction_error = 5", OnError::Open),
            ("name = \"closed-door\"", OnError::Open),
            ("prompt = \"ask for what is closed\"", OnError::Open),
            ("prompt = \"a\\u0065\"", OnError::Open),
            ("on_error = \"open\" # and not \"closed\"", OnError::Open),
            ("command = \"task closed now\"", OnError::Open),
        ];
        for (text, expected) in rows {
            assert_eq!(on_error(text.as_bytes()), expected, "{text}");
            let wide = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
                std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(order).collect()
            };
            // The mark at the beginning makes a comment in the first line count.
            if !text.trim_start().starts_with('#') {
                assert_eq!(on_error(&wide(u16::to_le_bytes)), expected, "{text}");
                assert_eq!(on_error(&wide(u16::to_be_bytes)), expected, "{text}");
            }
        }
        assert_eq!(on_error(b"\xff\xfe on_error = \"closed\" \xff"), OnError::Closed);
    }
}

//! `echo` and `printf`, and what their backslashes mean.

/// The output of `echo` with these arguments.
pub(super) fn echo(mut arguments: &[&str]) -> String {
    let (mut escapes, mut newline) = (false, true);
    while let Some((first, rest)) = arguments.split_first() {
        let letters = first.strip_prefix('-').filter(|letters| !letters.is_empty());
        if !letters.is_some_and(|letters| letters.chars().all(|letter| "neE".contains(letter))) {
            break;
        }
        newline &= !first.contains('n');
        escapes |= first.contains('e');
        arguments = rest;
    }
    let mut text = arguments.join(" ");
    if escapes {
        text = unescaped(&text, false);
    }
    if newline {
        text.push('\n');
    }
    text
}

/// The output of `printf` with these arguments, its format first.
pub(super) fn printf(mut arguments: &[&str]) -> String {
    if arguments.first() == Some(&"--") {
        arguments = &arguments[1..];
    }
    let Some((format, values)) = arguments.split_first() else { return String::new() };
    let format = unescaped(format, true);
    let mut values = values.iter();
    let mut text = String::new();
    loop {
        let left = values.len();
        formatted(&format, &mut values, &mut text);
        if values.len() == 0 || values.len() == left {
            return text;
        }
    }
}

fn formatted(format: &str, values: &mut std::slice::Iter<'_, &str>, text: &mut String) {
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            text.push(letter);
            continue;
        }
        let is_width = |letter: &char| letter.is_ascii_digit() || "-+ .#".contains(*letter);
        let conversion = letters.by_ref().find(|letter| !is_width(letter));
        let mut value = || values.next().copied().unwrap_or_default();
        match conversion {
            Some('%') => text.push('%'),
            Some('b') => text.push_str(&unescaped(value(), false)),
            Some('q') => {
                for letter in value().chars() {
                    if !letter.is_alphanumeric() {
                        text.push('\\');
                    }
                    text.push(letter);
                }
            }
            Some(_) => text.push_str(value()),
            None => {}
        }
    }
}

/// A text with its backslashes decoded, those in front of quotes only in a format.
fn unescaped(text: &str, is_format: bool) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at + 1..];
        let Some(letter) = rest.chars().next() else {
            bytes.push(b'\\');
            break;
        };
        let (code, digits) = match letter {
            'x' => number(&rest[1..], 16, 2),
            'u' => number(&rest[1..], 16, 4),
            'U' => number(&rest[1..], 16, 8),
            '0' => number(&rest[1..], 8, 3),
            '1'..='7' => number(rest, 8, 3),
            _ => (None, 0),
        };
        rest = match (code, letter) {
            (Some(code), 'u' | 'U') => {
                bytes.extend(char::from_u32(code).unwrap_or_default().to_string().bytes());
                &rest[1 + digits..]
            }
            (Some(code), letter) => {
                bytes.push(code.to_le_bytes()[0]);
                &rest[usize::from(!letter.is_ascii_digit() || letter == '0') + digits..]
            }
            (None, letter) => {
                match letter {
                    'n' => bytes.push(b'\n'),
                    't' => bytes.push(b'\t'),
                    'r' => bytes.push(b'\r'),
                    '\\' => bytes.push(b'\\'),
                    '"' | '\'' if is_format => bytes.extend(letter.to_string().bytes()),
                    'a' | 'b' | 'e' | 'f' | 'v' | '0' => {}
                    other => bytes.extend(format!("\\{other}").bytes()),
                }
                &rest[letter.len_utf8()..]
            }
        };
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The number at the start of a text and how many digits it has.
fn number(text: &str, radix: u32, most: usize) -> (Option<u32>, usize) {
    let is_digit = |letter: &char| letter.is_digit(radix);
    let digits = text.chars().take(most).take_while(is_digit).count();
    (u32::from_str_radix(&text[..digits], radix).ok(), digits)
}

/// A text in base64, decoded.
pub(super) fn base64(text: &str) -> Option<String> {
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0_u32);
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count).to_le_bytes()[0]);
        }
    }
    String::from_utf8(bytes).ok()
}

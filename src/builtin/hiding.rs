//! True if a line hides a name from who only searches its text.

/// So long a variable's name is looked at.
const NAME: usize = 64;

/// Returns whether a quote or backslash is inside a word, a quote after a dollar, or a name may be made
/// by an expansion or decoded.
pub(super) fn hides_a_name(line: &str) -> bool {
    let bytes = line.as_bytes();
    let is_quote = |byte: u8| matches!(byte, b'\'' | b'"' | b'\\');
    let is_cut = |rest: &[u8]| {
        // What is longer than a name counts as well.
        let near = &rest[..rest.len().min(NAME)];
        let end = near.iter().position(|byte| *byte == b'}' || b"%#/:^,!".contains(byte));
        end.map_or(rest.len() > NAME, |end| near[end] != b'}')
    };
    bytes.iter().enumerate().any(|(at, byte)| {
        let next = bytes.get(at + 1).copied().unwrap_or_default();
        let before = at.checked_sub(1).map(|before| bytes[before]).unwrap_or_default();
        match byte {
            b'\\' if matches!(next, b'x' | b'u' | b'0'..=b'9') => true,
            b'\'' | b'"' | b'\\' => {
                let joins = is_name_byte(next) || is_quote(next) || next == b'\n';
                (is_name_byte(before) && joins) || before == b'$'
            }
            b'$' if next == b'{' && before != b'}' => is_cut(&bytes[at + 2..]),
            b'$' => (is_name_byte(before) && is_name_byte(next)) || before == b'}',
            b'{' => is_name_byte(before),
            b'}' => is_name_byte(next),
            // What `printf` puts into a name.
            b'%' if next == b's' => {
                is_name_byte(before) || bytes.get(at + 2).copied().is_some_and(is_name_byte)
            }
            b'b' => bytes[at..].starts_with(b"base64"),
            _ => false,
        }
    })
}

/// Returns whether a name of a program or file may have this byte.
pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') || !byte.is_ascii()
}

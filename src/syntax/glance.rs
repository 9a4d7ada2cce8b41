//! A look at a shell line that does not read it as a shell does.

use std::sync::OnceLock;

/// So long a variable's name is looked at.
const NAME: usize = 64;
/// So much may be between a redirection and its target.
const BEFORE_TARGET: usize = 256;
/// From this length on a line is read in any case: to search it for each name would take longer.
const LONG: usize = 32 << 10;

/// A line and the names in it, which several guards look for others among.
#[derive(Debug)]
pub struct Glance {
    pub line: String,
    /// True if a name may be in the line that is not among its names.
    pub hides: bool,
    /// The places where names begin, each with its beginning.
    names: Vec<(usize, u8)>,
    /// The beginnings of all of them, a bit for each.
    beginnings: u64,
    writes: OnceLock<bool>,
}

impl Glance {
    pub fn new(line: String) -> Self {
        let bytes = line.as_bytes();
        let hides = bytes.len() > LONG || hides_a_name(&line);
        let mut names = Vec::new();
        let (mut beginnings, mut is_inside) = (0, false);
        for (at, byte) in bytes.iter().enumerate().filter(|_| !hides) {
            let is_of_name = is_name_byte(*byte);
            if is_of_name && !is_inside {
                let beginning = beginning(&bytes[at..]).unwrap_or(0);
                names.push((at, beginning));
                beginnings |= 1 << beginning;
            }
            is_inside = is_of_name;
        }
        Self { line, hides, names, beginnings, writes: OnceLock::new() }
    }

    /// The places where names begin, each with its beginning.
    pub fn names(&self) -> impl Iterator<Item = (usize, u8)> {
        self.names.iter().copied()
    }

    /// Returns whether the two bytes at a place were not seen yet, in whatever case; what is no name's
    /// letter always is so.
    pub fn begins_first(&self, at: usize, seen: &mut [u64; 64]) -> bool {
        let number = |byte: u8| byte.to_ascii_uppercase().checked_sub(32).filter(|it| *it < 64);
        let [first, second, ..] = self.line.as_bytes()[at..] else { return true };
        let (Some(first), Some(second)) = (number(first), number(second)) else { return true };
        let (row, bit) = (&mut seen[usize::from(first)], 1 << second);
        let is_first = *row & bit == 0;
        *row |= bit;
        is_first
    }

    /// Returns whether the two bytes at a place may be the first two of a text, in whatever case.
    pub fn begins_alike(&self, at: usize, text: &[u8]) -> bool {
        match (&self.line.as_bytes()[at..], text) {
            ([a, b, ..], [first, second, ..]) => ((a ^ first) | (b ^ second)) & !32 == 0,
            _ => false,
        }
    }

    /// Returns whether a name may be that of a program, or a beginning of it where that ends in `*`.
    pub fn has_name(&self, program: &[u8]) -> bool {
        let start = program.strip_suffix(b"*");
        self.begins(start.unwrap_or(program), |next| start.is_some() || !is_name_byte(next))
    }

    /// Returns whether a name begins with a word.
    pub fn has_word(&self, word: &[u8]) -> bool {
        self.begins(word, |_| true)
    }

    /// Returns whether a name begins as a word does.
    pub fn may_have(&self, word: &[u8]) -> bool {
        beginning(word).is_none_or(|it| self.beginnings & (1 << it) != 0)
    }

    /// Returns whether a name begins with a text, in whatever case, and what follows may.
    fn begins(&self, start: &[u8], may_follow: impl Fn(u8) -> bool) -> bool {
        if !self.may_have(start) {
            return false;
        }
        let beginning = beginning(start);
        let is_it = |at: usize| {
            let (text, rest) = self.line.as_bytes()[at..].split_at_checked(start.len())?;
            let is_it = text.eq_ignore_ascii_case(start) && !start.is_empty();
            Some(is_it && rest.first().is_none_or(|next| may_follow(*next)))
        };
        let mut names = self.names.iter().filter(|it| beginning.is_none_or(|all| all == it.1));
        names.any(|(at, _)| is_it(*at) == Some(true))
    }

    /// Returns whether a redirection may empty a file, because nothing is written to it, or a device is
    /// named that something may write to.
    pub fn may_write(&self) -> bool {
        *self.writes.get_or_init(|| may_write(&self.line))
    }
}

/// A number below 64 for the first two bytes of a text, the same for both cases of a letter; `None` where
/// its first word is of one byte, and what follows may be anything.
pub fn beginning(text: &[u8]) -> Option<u8> {
    let low = |byte: u8| byte.to_ascii_lowercase();
    match text {
        [_, b' ' | b'|' | b'*', ..] => None,
        [first, second, ..] => Some((low(*first).wrapping_mul(5).wrapping_add(low(*second))) & 63),
        _ => None,
    }
}

/// Returns whether a quote or backslash is inside a word, a quote after a dollar, or a name may be made
/// by an expansion or decoded.
pub fn hides_a_name(line: &str) -> bool {
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
                let joins = is_name_byte(next) || is_quote(next) || matches!(next, b'\n' | b'$');
                (is_name_byte(before) && joins) || before == b'$'
            }
            b'$' if next == b'{' && before != b'}' => is_cut(&bytes[at + 2..]),
            b'$' => {
                let joins = is_name_byte(next) || matches!(next, b'@' | b'*' | b'(');
                (is_name_byte(before) && joins) || matches!(before, b'}' | b')')
            }
            b'`' => (is_name_byte(before) && is_name_byte(next)) || next == b'`',
            b'<' => bytes[at..].starts_with(b"<<<"),
            b'p' => bytes[at..].starts_with(b"pack("),
            b'+' => next == b'=',
            // What a shell reads is another text than what is written.
            b'|' => {
                let reader = bytes[at + 1..].trim_ascii_start();
                [&b"sh"[..], b"bash", b"zsh", b"dash", b"ksh"]
                    .iter()
                    .any(|it| reader.starts_with(it))
            }
            b'{' => is_name_byte(before),
            b'}' => is_name_byte(next),
            // What `printf` puts into a name.
            b'%' if next == b's' => {
                is_name_byte(before) || bytes.get(at + 2).copied().is_some_and(is_name_byte)
            }
            b'b' => bytes[at..].starts_with(b"base64"),
            b'c' => bytes[at..].starts_with(b"chr("),
            b'C' => bytes[at..].starts_with(b"CharCode"),
            b'j' => bytes[at..].starts_with(b"join"),
            b'r' => [&b"reverse"[..], b"rot13"].iter().any(|it| bytes[at..].starts_with(it)),
            b's' => bytes[at..].starts_with(b"strrev"),
            b':' => bytes[at..].starts_with(b"::-1]"),
            // What separates words may be in the middle of a name.
            b'I' => bytes[at..].strip_prefix(b"IFS=").is_some_and(|rest| {
                let first = rest.iter().find(|byte| !is_quote(**byte) && **byte != b'$');
                first.is_some_and(|byte| is_name_byte(*byte))
            }),
            _ => false,
        }
    })
}

fn may_write(line: &str) -> bool {
    let names_device = |(at, _): (usize, &str)| {
        let device = &line[at + "/dev/".len()..];
        !["null", "std", "tty", "fd/", "shm"].iter().any(|it| device.starts_with(it))
    };
    if line.contains("/dev/") && line.match_indices("/dev/").any(names_device) {
        return true;
    }
    line.match_indices('>').any(|(at, _)| {
        if line[at + 1..].starts_with('>') {
            return false;
        }
        let start = line[at + 1..].bytes().take(BEFORE_TARGET);
        let skipped = start.take_while(|byte| b">| \t\"'".contains(byte)).count();
        let target = &line[at + 1 + skipped..];
        let device = ["/dev/", "/proc/sys"].iter().any(|start| target.starts_with(start))
            && !["/dev/null", "/dev/std", "/dev/tty", "/dev/fd"]
                .iter()
                .any(|start| target.starts_with(start));
        let before = line[..at].trim_end_matches([' ', '\t', '>']);
        // A quote at the redirection begins a script, as in `bash -c '> FILE'`.
        let empties = before.is_empty()
            || line[..at].ends_with(['\'', '"'])
            || before.ends_with([';', '&', '|', '(', '{', '\n', ':'])
            || ["true", "null", "echo -n", "echo", "''", "\"\"", "then", "else", "do"]
                .iter()
                .any(|end| before.ends_with(end));
        let end = target.find([' ', ';', '&', '|', ')', '\n']).unwrap_or(target.len());
        let (name, from) = (&target[..end], &line[..at]);
        let reads = || name.len() > 1 && !name.starts_with("/dev/") && from.contains(name);
        device
            || (!target.starts_with('&') && reads())
            || (empties && !target.starts_with(['&', '(', '/']) && !target.is_empty())
            || (empties && target.starts_with('/') && !target.starts_with("/dev/"))
    })
}

/// Returns whether a name of a program or file may have this byte.
fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') || !byte.is_ascii()
}

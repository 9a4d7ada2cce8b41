//! True if a line may call a program at all: a test without reading the line as a shell does.

use crate::builtin::hiding::{hides_a_name, is_name_byte};

/// So much may be between a redirection and its target.
const BEFORE_TARGET: usize = 256;
/// From this length on a line is read in any case.
const LONG: usize = 32 << 10;

/// No group of names is as long.
const MOST: usize = 1 << 16;

/// Returns whether a command line may make one of these calls.
///
/// `programs` are names with `|` between them, in groups that begin alike, as [`grouped`] makes them;
/// after a blank a name may have the first word of its
/// subcommand, which must then be somewhere in the line, and `>` is a file that is emptied or a
/// device that is written to by a redirection. What hides a name counts as a call as well.
pub(super) fn may_call(line: &str, programs: &str) -> bool {
    let bytes = line.as_bytes();
    // To search a long line for each name would take longer than to read it.
    if line.len() > LONG || hides_a_name(line) {
        return true;
    }
    let names: Vec<&[u8]> = starts(bytes).map(|at| &bytes[at..]).collect();
    // How the words of a line begin decides most calls, without a look at each of them.
    let beginnings = names.iter().fold(0, |all, name| all | beginning(name, 1));
    let may_begin = |group: &&[u8]| {
        let beginning = beginning(group, u64::MAX);
        beginning == u64::MAX || beginnings & beginning != 0
    };
    let may_be = |call: &[u8]| match call {
        b">" => may_write(line),
        b"?" => line.split_whitespace().any(|it| it.starts_with('/') && it.contains(['?', '['])),
        b"(" => {
            // To prepare a search for a text costs more than to look for one byte.
            let may_begin = |text: &[u8]| beginnings & beginning(text, u64::MAX) != 0;
            bytes.contains(&b'(') && line.contains("()")
                || may_begin(b"function") && line.contains("function ")
        }
        _ => may_make(&names, beginnings, call),
    };
    let mut rest = programs.as_bytes();
    while let Some((group, after)) = next_group(rest) {
        if may_begin(&group) && group.split(|byte| *byte == b'|').any(may_be) {
            return true;
        }
        rest = after;
    }
    // Names that cannot be read rule no call out.
    !rest.is_empty()
}

/// The first group of names, and what is behind it.
fn next_group(programs: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut length = 0;
    for (at, byte) in programs.iter().enumerate() {
        match byte {
            b'0'..=b'9' if length < MOST => length = length * 10 + usize::from(byte - b'0'),
            b':' => return programs[at + 1..].split_at_checked(length),
            _ => return None,
        }
    }
    None
}

/// The names in the form of [`may_call`]: groups, each behind its length and a colon, so that a group is
/// passed over without a look at its bytes.
pub(super) fn grouped(names: &[String]) -> String {
    let mut groups: Vec<(u64, String)> = Vec::new();
    for name in names {
        let key = beginning(name.as_bytes(), u64::MAX);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.extend(["|", name]),
            None => groups.push((key, name.clone())),
        }
    }
    groups
        .iter()
        .fold(String::new(), |all, (_, group)| all + &group.len().to_string() + ":" + group)
}

/// One bit of 64 for the first two bytes of a text, the same for both cases of a letter; `short`
/// where its first word is of one byte.
fn beginning(text: &[u8], short: u64) -> u64 {
    let low = |byte: u8| u32::from(byte.to_ascii_lowercase());
    match text {
        [_, b' ' | b'|', ..] => short,
        [first, second, ..] => 1 << ((low(*first) * 5 + low(*second)) & 63),
        _ => short,
    }
}

/// Gives the places where names begin.
fn starts(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let begins =
        |at: &usize| is_name_byte(bytes[*at]) && (*at == 0 || !is_name_byte(bytes[at - 1]));
    (0..bytes.len()).filter(begins)
}

/// Returns whether one of the names of a line, each with what follows it, makes a call.
fn may_make(names: &[&[u8]], beginnings: u64, call: &[u8]) -> bool {
    let may_begin = |word: &[u8]| beginnings & beginning(word, u64::MAX) != 0;
    let mut words = call.splitn(2, |byte| *byte == b' ');
    let name = words.next().unwrap_or_default();
    let word = words.next();
    let has_word = |word: &[u8]| names.iter().any(|it| starts_with(it, word));
    word.is_none_or(may_begin)
        && names.iter().any(|it| starts_with_name(it, name))
        && word.is_none_or(has_word)
}

fn starts_with(text: &[u8], start: &[u8]) -> bool {
    // The first byte tells most apart, and comparing whole texts costs many times as much.
    let first = |text: &[u8]| text.first().map(u8::to_ascii_lowercase);
    first(text) == first(start)
        && text.get(..start.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(start))
}

/// Returns whether a text begins with a name and nothing that would make it another; `mkfs*` is the
/// beginning of a name.
fn starts_with_name(text: &[u8], name: &[u8]) -> bool {
    if let Some(start) = name.strip_suffix(b"*") {
        return starts_with(text, start);
    }
    starts_with(text, name) && !text.get(name.len()).copied().is_some_and(is_name_byte)
}

/// Returns whether a redirection may empty a file, because nothing is written to it, or a device is named
/// that something may write to.
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
            || ["true", "/dev/null", "echo -n", "echo", "''", "\"\"", "then", "else", "do"]
                .iter()
                .any(|end| before.ends_with(end));
        device
            || (empties && !target.starts_with(['&', '(', '/']) && !target.is_empty())
            || (empties && target.starts_with('/') && !target.starts_with("/dev/"))
    })
}

/// The names, in the form of [`may_call`], that a line has where it makes a call of a program, or one
/// that is shown as such; `subcommand` is the first word of a subcommand, or several.
pub(super) fn names(program: &str, subcommand: &str) -> Vec<String> {
    // What PowerShell calls by a type, as `[IO.File]::Delete`.
    let program = program.trim_start_matches('[');
    let alike = match program {
        "rm" => "rm rmtree rm_r* rmSync rmdir* remove* rimraf emptyDir* unlink*",
        "unlink" => "rm rmSync remove* unlink* delete",
        "rmdir" => "rmdir* remove*",
        "truncate" => "truncate* >",
        "dd" => "dd >",
        "chmod" => "chmod* lchmod",
        "fork-bomb" => "( while until for",
        // Other lines that hide a name are read in any case.
        "hidden-program" => "?",
        "foreign-script" if subcommand.starts_with("base64") => "atob fromhex decode64 unpack",
        _ => "",
    };
    let of_words = match program {
        "sql" | "mongo" | "foreign-script" => subcommand,
        _ => "",
    };
    let mut names: Vec<String> = alike.split_whitespace().map(str::to_owned).collect();
    names.extend(of_words.split('|').filter(|word| !word.is_empty()).map(str::to_owned));
    if names.is_empty() {
        let calls = subcommand.split('|').map(|word| format!("{program} {word}"));
        names.extend(calls.map(|call| call.trim_end().to_owned()));
    }
    names
}

//! Known values in the place of variables.
//!
//! A word gets the values in its text as it was written, quoted as they have to be, and is read
//! again. All but `$NAME`, `${NAME}`, `${NAME[@]}`, `${NAME:?text}`, `${NAME:-text}`, `${NAME:=text}`
//! and `$(echo text)` stays as it is.

use super::super::line::Parser;
use super::super::word::append;
use super::state::base_name;
use super::variables::{Value, Values, Variables};

/// So many expansions of one word are looked at.
const MOST: usize = 1024;

pub(super) struct Scope<'s> {
    pub(super) variables: &'s Variables,
    /// The output of a command substitution that only prints.
    pub(super) print: &'s dyn Fn(&str) -> Option<String>,
    /// The time that what is made may get.
    pub(super) room: usize,
}

/// A word with the values of its variables; of those that have one of several values the one of
/// this number, of which `most` gets the greatest. `None` where there is no room for it.
pub(super) fn substituted(
    written: &str,
    scope: &Scope<'_>,
    number: usize,
    most: &mut usize,
) -> Option<String> {
    let mut text = String::with_capacity(written.len());
    let mut in_quotes = false;
    let mut rest = written;
    let mut count = 0;
    while let Some(at) = rest.find(['\'', '"', '\\', '$', '`']) {
        let (before, part) = rest.split_at(at);
        append(&mut text, before);
        let mut length = match part.as_bytes() {
            [b'"', ..] => {
                in_quotes = !in_quotes;
                1
            }
            [b'\\', ..] => 1 + part[1..].chars().next().map_or(0, char::len_utf8),
            [b'\'', ..] if !in_quotes => part[1..].find('\'').map_or(part.len(), |end| end + 2),
            [b'\'', ..] => 1,
            _ => end_of_expansion(part, in_quotes),
        };
        if part.starts_with(['$', '`']) {
            count += 1;
            if count > MOST {
                return None;
            }
            let found = match reference(&part[..length]) {
                Some((reference, end)) => {
                    length = end;
                    let values = scope.values(&reference, number, most);
                    let values = values.and_then(|values| cut(values, &reference));
                    let is_one = in_quotes && (reference.name == "*" || reference.index == "*");
                    if is_one { values.map(|values| vec![joined(&values)]) } else { values }
                }
                None => scope.printed(&part[..length]).map(|text| vec![text]),
            };
            if let Some(values) = found {
                scope.insert(&mut text, &values, in_quotes);
                rest = &part[length..];
                if text.len() > scope.room {
                    return None;
                }
                continue;
            }
        }
        append(&mut text, &part[..length]);
        rest = &part[length..];
    }
    text.push_str(rest);
    (text.len() <= scope.room).then_some(text)
}

/// The end of what starts with the dollar or backtick here.
fn end_of_expansion(part: &str, in_quotes: bool) -> usize {
    let after = &part[1..];
    let name = after.trim_start_matches(is_letter);
    if part.starts_with('$') && name.len() < after.len() {
        return part.len() - name.len();
    }
    if after.is_empty() || (in_quotes && part.starts_with("$'")) {
        return 1;
    }
    let mut parser = Parser::new(part, 0);
    parser.expansion();
    parser.at.clamp(1, part.len())
}

/// A program's name without the expansions in it of which nothing is known, as each may be nothing.
pub(super) fn without_unknown(text: &str) -> Option<String> {
    let mut name = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['$', '`']) {
        name.push_str(&rest[..at]);
        let part = &rest[at..];
        rest = match part.as_bytes().get(1) {
            Some(b'@' | b'*') => &part[2..],
            _ => &part[end_of_expansion(part, false)..],
        };
    }
    name.push_str(rest);
    (name.len() < text.len() && !base_name(&name).is_empty()).then_some(name)
}

fn is_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// A variable as it is named after a dollar.
struct Reference<'t> {
    name: &'t str,
    index: &'t str,
    /// The text in its place where it has no value.
    otherwise: Option<&'t str>,
    /// The cut of its value, such as `%/`, or the part of it or of a list, such as `0:2`.
    cut: &'t str,
    /// True if its value is the name of the variable that is meant.
    is_indirect: bool,
}

/// The variable that an expansion names, and the length of its name with the dollar.
fn reference(part: &str) -> Option<(Reference<'_>, usize)> {
    let after = part.strip_prefix('$')?;
    let (inside, braced) = match after.strip_prefix('{') {
        Some(inside) => (inside.strip_suffix('}')?, true),
        None => (after, false),
    };
    let (inside, is_indirect) = match inside.strip_prefix('!') {
        Some(inside) if braced => (inside, true),
        _ => (inside, false),
    };
    let length = match inside.chars().next()? {
        '@' | '*' => 1,
        '0'..='9' if !braced => 1,
        _ => inside.len() - inside.trim_start_matches(is_letter).len(),
    };
    let (name, mut rest) = inside.split_at(length);
    let mut reference = Reference { name, index: "", otherwise: None, cut: "", is_indirect };
    if !braced {
        return (length > 0).then_some((reference, 1 + length));
    }
    if let Some((index, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        reference.index = index;
        rest = after;
    }
    let after = rest.strip_prefix(':').unwrap_or(rest);
    reference.otherwise = after.strip_prefix(['-', '=']);
    let is_part = after.starts_with(|it: char| it.is_ascii_digit() || it == ' ');
    if is_part || rest.starts_with(['%', '#', ',', '^', '/']) {
        reference.cut = after;
    }
    let is_known = rest.is_empty()
        || after.starts_with('?')
        || (!is_indirect && (reference.otherwise.is_some() || !reference.cut.is_empty()));
    let is_plain = length > 0 && is_known;
    is_plain.then_some((reference, part.len()))
}

/// All values in one, as `"$*"` has them.
fn joined(values: &[Value]) -> Value {
    let texts: Vec<&str> = values.iter().map(|value| &*value.text).collect();
    Value { text: texts.join(" "), expanded: values.iter().any(|value| value.expanded) }
}

/// Values as a reference cuts them, or `None` for a pattern that is not read here.
fn cut(values: Vec<Value>, reference: &Reference<'_>) -> Option<Vec<Value>> {
    if reference.cut.is_empty() {
        return Some(values);
    }
    let is_list = matches!(reference.index, "@" | "*") || matches!(reference.name, "@" | "*");
    let is_known = values.iter().all(|value| !value.expanded);
    let pattern = reference.cut.trim_start_matches(['%', '#']);
    if pattern.len() == reference.cut.len() && !is_list {
        let changed =
            |it: &Value| Some(Value { text: changed(&it.text, pattern)?, expanded: false });
        return if is_known { values.iter().map(changed).collect() } else { None };
    }
    if pattern.len() == reference.cut.len() {
        let (start, length) = pattern.split_once(':').unwrap_or((pattern, "1024"));
        // `${@:1}` begins with the first one.
        let before = usize::from(matches!(reference.name, "@" | "*"));
        let start = start.parse::<usize>().ok()?.checked_sub(before)?;
        return Some(values.into_iter().skip(start).take(length.parse().ok()?).collect());
    }
    let is_base = reference.cut == "##*/";
    if !is_base && pattern.contains(['*', '?', '[', '$', '`', '\\', '"', '\'']) {
        return None;
    }
    let left = |text: &str| {
        let left = match is_base {
            true => text.rsplit('/').next(),
            false if reference.cut.starts_with('%') => text.strip_suffix(pattern),
            false => text.strip_prefix(pattern),
        };
        left.unwrap_or(text).to_owned()
    };
    let values = values.iter().map(|it| Value { text: left(&it.text), expanded: false });
    is_known.then(|| values.collect())
}

/// A text as `${NAME,,}`, `${NAME/old/new}` and `${NAME:start:length}` change it.
fn changed(text: &str, change: &str) -> Option<String> {
    let first = text.chars().next().map_or(0, char::len_utf8);
    let (start, rest) = text.split_at(first);
    Some(match change {
        ",," => text.to_lowercase(),
        "^^" => text.to_uppercase(),
        "," => start.to_lowercase() + rest,
        "^" => start.to_uppercase() + rest,
        _ if change.starts_with('/') => {
            let (old, new) = change.trim_start_matches('/').split_once('/').unwrap_or_default();
            if old.is_empty()
                || change.contains(['*', '?', '[', '$', '`', '\\', '"', '\'', '#', '%'])
            {
                return None;
            }
            text.replacen(old, new, if change.starts_with("//") { usize::MAX } else { 1 })
        }
        _ => {
            let (start, length) = change.trim_start().split_once(':').unwrap_or((change, "1024"));
            let start = match start.trim().parse::<isize>().ok()? {
                start if start < 0 => text.chars().count().checked_add_signed(start)?,
                start => start.unsigned_abs(),
            };
            text.chars().skip(start).take(length.trim().parse().ok()?).collect()
        }
    })
}

impl Scope<'_> {
    fn values(
        &self,
        reference: &Reference<'_>,
        number: usize,
        most: &mut usize,
    ) -> Option<Vec<Value>> {
        let position = reference.name.parse::<usize>().ok().filter(|position| *position > 0);
        let name = match (position, reference.name) {
            (Some(_), _) | (None, "*") => "@",
            (None, name) => name,
        };
        let otherwise = || {
            // As it is written, with its quotes.
            Some(vec![Value { text: reference.otherwise?.to_owned(), expanded: true }])
        };
        let named = match self.variables.get(name) {
            Some(Values::OneOf(values)) if reference.is_indirect => {
                self.variables.get(&values.last()?.text)
            }
            _ if reference.is_indirect => return None,
            named => named,
        };
        match named {
            None if matches!(name, "SHELL" | "BASH") && reference.otherwise.is_none() => {
                Some(vec![Value { text: "sh".to_owned(), expanded: false }])
            }
            None if name == "IFS" => Some(vec![Value { text: " ".to_owned(), expanded: false }]),
            None => otherwise(),
            Some(Values::OneOf(values)) => {
                *most = (*most).max(values.len());
                let value = values.get(number.min(values.len().saturating_sub(1)));
                value.map(|value| vec![value.clone()])
            }
            Some(Values::All(values)) => {
                let at = match (position, reference.index) {
                    (Some(position), _) => position - 1,
                    (None, "@" | "*") => return Some(values.clone()),
                    (None, "") if name == "@" => return Some(values.clone()),
                    (None, index) => index.parse().unwrap_or_default(),
                };
                values.get(at).map(|value| vec![value.clone()]).or_else(otherwise)
            }
        }
    }

    /// The output of `$(…)` or backticks, without the line ends at the end.
    fn printed(&self, part: &str) -> Option<Value> {
        let inside = match part.strip_prefix("$(") {
            Some(inside) => inside.strip_suffix(')')?,
            None => part.strip_prefix('`')?.strip_suffix('`')?,
        };
        let text = (self.print)(inside)?;
        Some(Value { text: text.trim_end_matches('\n').to_owned(), expanded: false })
    }

    /// Writes values with the quotes that they need; inside quotes each is a word of its own.
    fn insert(&self, text: &mut String, values: &[Value], in_quotes: bool) {
        let separators = match self.variables.get("IFS") {
            Some(Values::OneOf(values)) => values.first().map(|value| &*value.text),
            _ => None,
        };
        for (at, value) in values.iter().enumerate() {
            if text.len() > self.room {
                return;
            }
            match at {
                0 => {}
                _ if in_quotes => text.push_str("\" \""),
                _ => text.push(' '),
            }
            if value.expanded {
                // A pattern is one outside of quotes.
                let mark = if in_quotes && !value.text.contains(['$', '`']) { "\"" } else { "" };
                text.extend([mark, &value.text, mark]);
                continue;
            }
            for letter in value.text.chars() {
                let separates = letter == '\n' || separators.is_some_and(|it| it.contains(letter));
                match letter {
                    '"' | '\\' | '$' | '`' => text.extend(['\\', letter]),
                    _ if in_quotes => text.push(letter),
                    _ if separates => text.push(' '),
                    '\'' | ';' | '&' | '|' | '(' | ')' | '<' | '>' | '#' | '{' | '~' => {
                        text.extend(['\\', letter]);
                    }
                    _ => text.push(letter),
                }
            }
        }
    }
}

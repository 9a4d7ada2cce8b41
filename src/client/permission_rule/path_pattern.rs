//! Rules about files: globs in the manner of `.gitignore`, anchored.

use super::command_pattern::is_whole;

/// Returns whether a pattern hits a path: `//x` from the root, `~/x` the home, `/x` the session's start,
/// any other here.
///
/// As in `.gitignore`, one without a slash hits at any depth, and a directory all that is in it; case is
/// ignored. One that starts with a star or has none is tried on the whole path, with stars alone.
pub(super) fn matches(pattern: &str, path: &str, anchors: Anchors<'_>) -> bool {
    let path = absolute(path, anchors);
    let (root, glob) = anchored(pattern, anchors);
    if (pattern.trim_start().starts_with('*') || !pattern.contains('*'))
        && is_whole(pattern, &format!("/{}", path.join("/")))
    {
        return true;
    }
    let root = normal(root);
    let Some(inner) = path.strip_prefix(root.as_slice()) else { return false };
    Glob::of(glob).is_some_and(|glob| glob.hits(inner))
}

fn anchored<'p>(pattern: &'p str, anchors: Anchors<'p>) -> (&'p str, &'p str) {
    let pattern = pattern.trim_end_matches(' ');
    if pattern.starts_with("//") {
        return ("", &pattern[1..]);
    }
    match pattern.strip_prefix('~') {
        Some(rest) if rest.starts_with('/') => (anchors.home, rest),
        _ if pattern.starts_with('/') => (anchors.project, pattern),
        _ => (anchors.cwd, pattern.strip_prefix("./").unwrap_or(pattern)),
    }
}

/// The components of a path, from the root; backslashes separate too, as on Windows.
fn absolute<'a>(path: &'a str, anchors: Anchors<'a>) -> Vec<&'a str> {
    let is_drive = path.as_bytes().get(1) == Some(&b':');
    match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => join(normal(anchors.home), rest),
        _ if path.starts_with('/') || is_drive => normal(path),
        _ => join(normal(anchors.cwd), path),
    }
}

fn normal(path: &str) -> Vec<&str> {
    join(Vec::new(), path)
}

fn join<'a>(mut start: Vec<&'a str>, path: &'a str) -> Vec<&'a str> {
    let is_drive = path.as_bytes().get(1) == Some(&b':');
    let separators: &[char] = if is_drive { &['/', '\\'] } else { &['/'] };
    for part in path.split(separators) {
        match part {
            "" | "." => {}
            ".." => drop(start.pop()),
            part => start.push(part),
        }
    }
    start
}

/// A line of a `.gitignore`.
struct Glob {
    segments: Vec<Segment>,
    /// True if it hits directories only, and so what is in them.
    directory: bool,
}

enum Segment {
    /// `**`: any number of components.
    Any,
    One(Vec<Token>),
}

enum Token {
    Star,
    Mark,
    Class(Vec<(char, char)>),
    /// This character, in lower case.
    Letter(char),
}

impl Glob {
    fn of(text: &str) -> Option<Self> {
        if text.starts_with(['#', '!']) {
            return None;
        }
        let directory = text.ends_with('/');
        let body = text.trim_end_matches('/');
        let mut segments: Vec<Segment> = Vec::new();
        if !body.contains('/') {
            segments.push(Segment::Any);
        }
        for part in body.split('/').filter(|part| !part.is_empty()) {
            let is_any = part.len() > 1 && part.bytes().all(|byte| byte == b'*');
            segments.push(if is_any { Segment::Any } else { Segment::One(tokens(part)?) });
        }
        // What hits a directory hits what is in it, and the client leaves this ending out.
        if !directory && matches!(segments.as_slice(), [.., Segment::One(_), Segment::Any]) {
            segments.pop();
        }
        let has_part = segments.iter().any(|segment| matches!(segment, Segment::One(_)));
        (has_part || body.contains("**")).then_some(Self { segments, directory })
    }

    fn hits(&self, path: &[&str]) -> bool {
        let path: Vec<Vec<char>> =
            path.iter().map(|part| part.chars().flat_map(char::to_lowercase).collect()).collect();
        let is_any = |segment: &Segment| matches!(segment, Segment::Any);
        let goes_on = self.segments.last().is_some_and(is_any) && !self.segments.iter().all(is_any);
        let longest =
            if self.directory && !goes_on { path.len().saturating_sub(1) } else { path.len() };
        // Which beginnings of the path the segments so far hit, by their lengths: unlike trying
        // each way, that takes no longer than segments times components.
        let mut hit = vec![false; path.len() + 1];
        hit[0] = true;
        for (at, segment) in self.segments.iter().enumerate() {
            match segment {
                Segment::Any => {
                    let first = hit.iter().position(|hit| *hit).unwrap_or(hit.len());
                    // At the end it means what is in a directory, which is something.
                    let least = usize::from(at + 1 == self.segments.len());
                    hit.iter_mut().enumerate().for_each(|(at, hit)| *hit = at >= first + least);
                }
                Segment::One(tokens) => {
                    for at in (0..path.len()).rev() {
                        hit[at + 1] = hit[at] && fits(tokens, &path[at]);
                    }
                    hit[0] = false;
                }
            }
        }
        hit[1..=longest].contains(&true)
    }
}

/// Returns whether a component fits the tokens; a star takes one more character each time.
fn fits(tokens: &[Token], part: &[char]) -> bool {
    let (mut token, mut at) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while at < part.len() || token < tokens.len() {
        match tokens.get(token) {
            Some(Token::Star) => {
                retry = Some((token + 1, at + 1));
                token += 1;
            }
            Some(one) if part.get(at).is_some_and(|letter| one.is(*letter)) => {
                token += 1;
                at += 1;
            }
            _ => match retry {
                Some((star, next)) if next <= part.len() => {
                    retry = Some((star, next + 1));
                    (token, at) = (star, next);
                }
                _ => return false,
            },
        }
    }
    true
}

impl Token {
    /// Returns whether a token that is no star is this character.
    fn is(&self, letter: char) -> bool {
        match self {
            Self::Star => false,
            Self::Mark => true,
            Self::Letter(own) => *own == letter,
            Self::Class(ranges) => ranges.iter().any(|(from, to)| (*from..=*to).contains(&letter)),
        }
    }
}

/// The tokens of a component; `None` where a bracket is left open, which hits nothing.
fn tokens(part: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let lower: Vec<char> = part.chars().flat_map(char::to_lowercase).collect();
    let mut at = 0;
    while let Some(letter) = lower.get(at) {
        at += 1;
        match letter {
            '*' => {
                if !matches!(tokens.last(), Some(Token::Star)) {
                    tokens.push(Token::Star);
                }
            }
            '?' => tokens.push(Token::Mark),
            '\\' => {
                tokens.push(Token::Letter(*lower.get(at)?));
                at += 1;
            }
            '[' => {
                let length = lower[at..].iter().position(|letter| *letter == ']')?;
                tokens.push(class(&lower[at..at + length]));
                at += length + 1;
            }
            letter => tokens.push(Token::Letter(*letter)),
        }
    }
    Some(tokens)
}

// The client knows no negation: `!` and `^` are characters of the class.
fn class(inside: &[char]) -> Token {
    let mut inside = inside.iter().copied().peekable();
    let mut ranges = Vec::new();
    while let Some(from) = inside.next() {
        let mut to = from;
        if inside.peek() == Some(&'-') {
            inside.next();
            match inside.next() {
                Some(end) => to = end,
                None => ranges.push(('-', '-')),
            }
        }
        ranges.push((from, to));
    }
    Token::Class(ranges)
}

/// The directories in which relative paths and patterns begin; all are absolute paths with `/`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Anchors<'a> {
    pub cwd: &'a str,
    /// The directory that the session was started in.
    pub project: &'a str,
    pub home: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_depth_is_any_depth_and_takes_no_time() {
        let anchors = Anchors { cwd: "/tmp", project: "/tmp", home: "/home/x" };
        let deep = format!("/tmp/{}", "a/".repeat(2000));
        let rows = [
            ("**/a/**/a/**/a/**/b", format!("{deep}c"), false),
            ("**/a/**/a/**/a/**/b", format!("{deep}b"), true),
            ("**/a/**/a/**/a/**/b", format!("{deep}b/c/d"), true),
            ("a/**", "/tmp/a".to_owned(), true),
            ("a/**/", "/tmp/a".to_owned(), false),
            ("a/**/**", "/tmp/a".to_owned(), false),
            ("a*/**", "/tmp/b/a".to_owned(), false),
            ("a/**", "/tmp/a/b/c".to_owned(), true),
            ("a/**/**", "/tmp/a/b".to_owned(), true),
            ("**/**", "/tmp/a".to_owned(), true),
            ("a/**/b", "/tmp/a/b".to_owned(), true),
            ("a/**/b/", "/tmp/a/b".to_owned(), false),
            ("a/**/b/", "/tmp/a/x/b/c".to_owned(), true),
        ];
        for (pattern, path, expected) in rows {
            assert_eq!(matches(pattern, &path, anchors), expected, "{pattern}");
        }
        let stars = format!("{}b", "*a".repeat(40));
        assert!(!matches(&stars, &format!("/tmp/{}", "a".repeat(4000)), anchors));
    }
}

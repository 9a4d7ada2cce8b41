//! The client's matcher algorithm.
//!
//! Source: the client's hooks reference, "Matcher patterns", and the client 2.1.197: a text made of
//! letters, digits, `_`, `-`, blanks, commas and bars is a list of exact names; any other is an
//! unanchored, case-sensitive JavaScript regular expression, which matches nothing if invalid.

mod expression;

pub use expression::{PatternError, compile};

use super::tools::aliases;
use super::{Event, Payload, Subject, model};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Left out, empty or `*`: every group runs.
    Any,
    /// Exact names between bars or commas.
    List,
    Pattern,
}

/// Classifies `matcher` as the client does under `event`.
pub fn kind(matcher: Option<&str>, event: Event) -> Kind {
    kind_of(matcher.unwrap_or_default(), event.facts().subject.is_narrow())
}

fn kind_of(matcher: &str, narrow: bool) -> Kind {
    if matcher.is_empty() || matcher == "*" {
        return Kind::Any;
    }
    let in_list = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'_' | b'|')
            || (!narrow && matches!(byte, b'-' | b' ' | b','))
    };
    if matcher.bytes().all(in_list) { Kind::List } else { Kind::Pattern }
}

pub fn names(list: &str) -> impl Iterator<Item = &str> {
    list.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty())
}

/// Returns whether a group with `matcher` runs for `subject` under `event`, and always without a subject.
pub fn matches(matcher: Option<&str>, event: Event, subject: Option<&str>) -> bool {
    Target::new(event, subject).is_hit_by(matcher.unwrap_or_default())
}

/// The subject of one call that matchers are tested on.
#[derive(Clone, Debug)]
pub struct Target<'a> {
    /// The subject and, of a tool, its other names; none where every group runs.
    names: Vec<&'a str>,
    /// The tool whose hooks see the call too.
    stand_in: Option<&'static str>,
    kind: Subject,
}

impl<'a> Target<'a> {
    /// The target of a call, from the same as [`matches`].
    pub fn new(event: Event, subject: Option<&'a str>) -> Self {
        let kind = event.facts().subject;
        let mut names: Vec<&'a str> = Vec::new();
        if let Some(subject) = subject.filter(|it| !it.is_empty() || kind == Subject::AgentType) {
            names.push(subject);
            if kind == Subject::Tool {
                names.extend::<Vec<&'a str>>(aliases(subject).collect());
            }
        }
        Self { names, stand_in: None, kind }
    }

    pub fn of(event: Event, payload: &'a Payload<'_>) -> Self {
        Self::new(event, payload.subject(event)).or_as(payload.stand_in())
    }

    /// The same with a tool whose hooks see the call too.
    #[must_use]
    pub fn or_as(self, stand_in: Option<&'static str>) -> Self {
        Self { stand_in, ..self }
    }

    /// Returns whether a group with `matcher`, which may be empty, runs for it.
    pub fn is_hit_by(&self, matcher: &str) -> bool {
        self.hit(matcher).is_some()
    }

    /// Tests a group's `matcher` on the call.
    pub fn hit(&self, matcher: &str) -> Option<Hit> {
        let matcher =
            if self.kind == Subject::Model { model::without_context(matcher) } else { matcher };
        if self.names.is_empty() || hits(matcher, self.kind.is_narrow(), &self.names) {
            return Some(Hit::Itself);
        }
        let other = self.stand_in?;
        // What leaves tools out means no tool that it does not name.
        let leaves_out = ["(?!", "(?<!", "[^"].iter().any(|it| matcher.contains(it));
        let is_meant = matcher.contains(other) || !leaves_out;
        (is_meant && hits(matcher, self.kind.is_narrow(), &[other])).then_some(Hit::As(other))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    Itself,
    As(&'static str),
}

fn hits(matcher: &str, narrow: bool, names: &[&str]) -> bool {
    match kind_of(matcher, narrow) {
        Kind::Any => true,
        Kind::List => matcher
            .as_bytes()
            .split(|byte| matches!(byte, b'|' | b','))
            .map(<[u8]>::trim_ascii)
            .any(|name| !name.is_empty() && names.iter().any(|it| it.as_bytes() == name)),
        Kind::Pattern => {
            let told = names
                .iter()
                .try_fold(false, |hit, name| Some(expression::plain_hits(matcher, name)? || hit));
            told.unwrap_or_else(|| expression::hits(matcher, names))
        }
    }
}

/// Returns whether a matcher's entry is called for all that another hits, as far as [`union`] tells.
pub fn covers(wide: Option<&str>, narrow: Option<&str>, event: Event) -> bool {
    let (all, own) = (wide.unwrap_or_default(), narrow.unwrap_or_default());
    let is_part = || match kind(narrow, event) {
        Kind::Any => false,
        Kind::List => names(own).all(|name| matches(wide, event, Some(name))),
        // So a pattern is written where others are joined with it.
        Kind::Pattern => kind(wide, event) == Kind::Pattern && all.contains(&format!("(?:{own})")),
    };
    wide == narrow || is_part() || union([wide, narrow], event) == union([wide], event)
}

/// One matcher that lets through what any of `matchers` does; `None` is match-all.
///
/// Lists stay a list; with a pattern it is one regular expression in which names are anchored. Patterns
/// that refer back cannot be joined, and make it match-all; one that would not run is left out. For watched
/// files names stay as they are.
pub fn union<'a>(
    matchers: impl IntoIterator<Item = Option<&'a str>>,
    event: Event,
) -> Option<String> {
    match event.facts().subject {
        Subject::None => return None,
        Subject::FileName => return watch_list(matchers, event),
        _ => {}
    }
    let mut exact: Vec<&str> = Vec::new();
    let mut patterns: Vec<&str> = Vec::new();
    let is_model = event.facts().subject == Subject::Model;
    for matcher in matchers {
        let matcher = matcher.map(|it| if is_model { model::without_context(it) } else { it });
        match (kind(matcher, event), matcher) {
            (Kind::Any, _) | (_, None) => return None,
            (Kind::List, Some(list)) => exact.extend(names(list)),
            (Kind::Pattern, Some(pattern)) => patterns.push(pattern),
        }
    }
    // Sorted, so that moving a hook inside a manifest does not change what is registered.
    for parts in [&mut exact, &mut patterns] {
        parts.sort_unstable();
        parts.dedup();
    }
    patterns.retain(|pattern| compile(pattern).is_ok());
    match (exact.as_slice(), patterns.as_slice()) {
        ([], []) => None,
        (exact, []) => Some(exact.join("|")),
        ([], [pattern]) => Some((*pattern).to_owned()),
        (_, patterns) if patterns.iter().any(|pattern| refers_back(pattern)) => None,
        (exact, patterns) => {
            let mut parts = Vec::new();
            if !exact.is_empty() {
                parts.push(format!("^(?:{})$", exact.join("|")));
            }
            parts.extend(patterns.iter().map(|pattern| format!("(?:{pattern})")));
            Some(parts.join("|"))
        }
    }
}

/// The matchers of `FileChanged` in one: the client splits it at bars for the files that it watches, then
/// takes the whole for a matcher (2.1.329), so each name is between bars of its own.
fn watch_list<'a>(
    matchers: impl IntoIterator<Item = Option<&'a str>>,
    event: Event,
) -> Option<String> {
    // No file has this name, and every name matches it.
    const ALL: &str = ".*";
    let (mut whole, mut all): (Vec<&str>, bool) = (Vec::new(), false);
    for matcher in matchers {
        match matcher.filter(|_| kind(matcher, event) != Kind::Any) {
            Some(matcher) if !whole.contains(&matcher) => whole.push(matcher),
            Some(_) => {}
            None => all = true,
        }
    }
    if let ([single], false) = (whole.as_slice(), all) {
        return Some((*single).to_owned());
    }
    all |= whole.iter().any(|matcher| refers_back(matcher));
    let mut names: Vec<&str> = Vec::new();
    for matcher in &whole {
        // A bar inside a group is not between alternatives of the whole.
        let apart = !matcher.contains(['(', '[', '\\']);
        names.extend(matcher.split(|letter| apart && letter == '|').filter(|it| !it.is_empty()));
    }
    if names.is_empty() {
        return None;
    }
    names.extend(all.then_some(ALL));
    names.sort_unstable();
    names.dedup();
    Some(names.join("|"))
}

fn refers_back(pattern: &str) -> bool {
    let bytes = pattern.as_bytes();
    let mut at = 0;
    while at + 1 < bytes.len() {
        if bytes[at] == b'\\' {
            if matches!(bytes[at + 1], b'1'..=b'9' | b'k') {
                return true;
            }
            at += 2;
        } else {
            at += 1;
        }
    }
    pattern.contains("(?<") && !pattern.contains("(?<=") && !pattern.contains("(?<!")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fires(matcher: &str, subject: &str) -> bool {
        matches(Some(matcher), Event::PreToolUse, Some(subject))
    }

    #[test]
    fn lists_and_patterns_fire_as_under_the_client() {
        let rows = [
            ("Bash", "Bash", true),
            ("bash", "Bash", false),
            ("Edit|Write", "Write", true),
            ("Edit, Write", "Write", true),
            ("|Write", "Write", true),
            ("Edit||Write", "Edit", true),
            (" Write ", "Write", true),
            ("Edit", "NotebookEdit", false),
            ("Edit.*", "NotebookEdit", true),
            ("^Edit.*", "NotebookEdit", false),
            ("Task", "Agent", true),
            ("Agent", "Task", true),
            ("mcp__memory", "mcp__memory__store", false),
            ("mcp__memory__.*", "mcp__memory__store", true),
            ("mcp__brave-search", "mcp__brave-search", true),
            ("*", "Bash", true),
            ("", "Bash", true),
            ("(?i)bash", "Bash", false),
            ("Bash(git *)", "Bash", false),
            ("(?=Bash)B", "Bash", true),
            ("[", "Bash", false),
        ];
        for (matcher, subject, expected) in rows {
            assert_eq!(fires(matcher, subject), expected, "`{matcher}` on {subject}");
        }
        assert!(matches(Some("anything"), Event::Stop, None));
        assert!(matches(Some("startup"), Event::SessionStart, Some("")));
        for matcher in ["Explore", "|Explore", "Exp.*"] {
            assert!(!matches(Some(matcher), Event::SubagentStop, Some("")), "{matcher}");
        }
        assert!(matches(Some("*"), Event::SubagentStop, Some("")));
        // The narrow set of FileChanged makes a regular expression of a name with a dot or hyphen.
        assert!(matches(Some("my-file"), Event::FileChanged, Some("xmy-file")));
    }

    #[test]
    fn a_union_lets_through_what_its_parts_do() {
        let union = |parts: &[Option<&str>]| union(parts.iter().copied(), Event::PreToolUse);
        assert_eq!(
            union(&[Some("Write|Edit"), Some("Bash"), Some("Edit")]).as_deref(),
            Some("Bash|Edit|Write")
        );
        assert_eq!(union(&[Some("Bash"), None]), None);
        assert_eq!(union(&[Some("Bash"), Some("*")]), None);
        assert_eq!(union(&[Some("mcp__.*")]).as_deref(), Some("mcp__.*"));
        assert_eq!(
            union(&[Some("Bash"), Some("mcp__.*"), Some("^Note|x")]).as_deref(),
            Some("^(?:Bash)$|(?:^Note|x)|(?:mcp__.*)")
        );
        assert_eq!(union(&[Some("Bash"), Some(r"(a)\1")]), None);
        assert_eq!(union(&[Some("Bash"), Some(r"\b+Write\b")]).as_deref(), Some("Bash"));
        assert_eq!(super::union([Some("x")], Event::Stop), None);
        let models = [Some("claude-opus-4-5"), Some("claude-opus-4-6[1m]")];
        let models = super::union(models, Event::PreModelSwitch);
        assert_eq!(models.as_deref(), Some("claude-opus-4-5|claude-opus-4-6"));
    }

    #[test]
    fn a_watch_list_keeps_every_name() {
        let rows: [(&[Option<&str>], _); 10] = [
            (&[Some(".env"), Some("package.json|yarn.lock")], Some(".env|package.json|yarn.lock")),
            (&[Some("Makefile"), Some(".env")], Some(".env|Makefile")),
            (&[Some("b|a")], Some("b|a")),
            (&[Some("b|a"), Some("a")], Some("a|b")),
            (&[None, Some(".env")], Some(".*|.env")),
            (&[Some("Makefile"), Some("*")], Some(".*|Makefile")),
            (&[None, Some("")], None),
            (&[Some("(a|b)"), Some("c")], Some("(a|b)|c")),
            (&[Some(r"(a)\1"), Some(".env")], Some(r"(a)\1|.*|.env")),
            (&[Some(r"(a)\1")], Some(r"(a)\1")),
        ];
        for (matchers, expected) in rows {
            let union = union(matchers.iter().copied(), Event::FileChanged);
            assert_eq!(union.as_deref(), expected, "{matchers:?}");
            for file in [".env", "Makefile", "package.json", "a", "c", "aa", "other"] {
                let fires = |it| matches(it, Event::FileChanged, Some(file));
                let one = matchers.iter().any(|it| fires(*it));
                assert!(!one || fires(union.as_deref()), "{matchers:?} {file}");
            }
        }
    }
}

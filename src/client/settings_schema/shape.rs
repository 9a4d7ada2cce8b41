//! The values that each key takes: the tables that `tests/client/keys.rs` writes.

use std::sync::LazyLock;

use crate::syntax::json::{Document, Kind, Node};

#[derive(Debug, Default)]
pub(super) struct Shape {
    any: bool,
    null: bool,
    boolean: bool,
    number: Option<Range>,
    string: Text,
    array: Option<List>,
    object: bool,
}

#[derive(Debug, Default)]
enum Text {
    #[default]
    None,
    All,
    NotEmpty,
    /// These; there are more kinds of values where it is empty.
    Words(Vec<&'static str>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum List {
    All,
    NotEmpty,
}

#[derive(Debug)]
struct Range {
    whole: bool,
    least: Option<(f64, bool)>,
    most: Option<f64>,
}

const MAX_WHOLE: f64 = 9_007_199_254_740_991.0;

impl Range {
    fn parse(token: &str) -> Option<Self> {
        let (whole, rest) = match token.strip_prefix("integer") {
            Some(rest) => (true, rest),
            None => (false, token.strip_prefix("number")?),
        };
        let (rest, most) = match rest.split_once("<=") {
            Some((rest, most)) => (rest, most.parse().ok()),
            None => (rest, None),
        };
        let least = match rest.strip_prefix(">=") {
            Some(least) => least.parse().ok().map(|least| (least, true)),
            None => rest.strip_prefix('>').and_then(|it| it.parse().ok()).map(|it| (it, false)),
        };
        Some(Self { whole, least, most })
    }

    fn takes(&self, number: f64) -> bool {
        let whole = number.fract() == 0.0 && number.abs() <= MAX_WHOLE;
        let above =
            self.least.is_none_or(|(least, itself)| number > least || (itself && number >= least));
        number.is_finite()
            && (whole || !self.whole)
            && above
            && self.most.is_none_or(|most| number <= most)
    }

    fn words(&self) -> String {
        let kind = if self.whole { "a whole number" } else { "a number" };
        match (self.least, self.most) {
            (Some((least, true)), Some(most)) => format!("{kind} from {least} to {most}"),
            (Some((least, false)), Some(most)) => format!("{kind} above {least}, up to {most}"),
            (Some((least, true)), None) => format!("{kind}, {least} or more"),
            (Some((least, false)), None) => format!("{kind} above {least}"),
            (None, Some(most)) => format!("{kind} up to {most}"),
            (None, None) => kind.to_owned(),
        }
    }
}

impl Shape {
    fn parse(tokens: &'static str) -> Self {
        let mut shape = Self::default();
        let mut words = Vec::new();
        for token in tokens.split(' ') {
            match token {
                "any" => shape.any = true,
                "null" => shape.null = true,
                "boolean" => shape.boolean = true,
                "string" | "form" => shape.string = Text::All,
                "text" => shape.string = Text::NotEmpty,
                "array" => shape.array = Some(List::All),
                "array+" => shape.array = Some(List::NotEmpty),
                "object" => shape.object = true,
                token if token.starts_with('"') => words.push(token.trim_matches('"')),
                token => shape.number = Range::parse(token),
            }
        }
        if !words.is_empty() {
            shape.string = Text::Words(words);
        }
        shape
    }

    pub(super) fn fits(&self, document: &Document<'_>, node: &Node) -> bool {
        if self.any {
            return true;
        }
        match &node.kind {
            Kind::Null => self.null,
            Kind::Bool(_) => self.boolean,
            Kind::Number => self.number.as_ref().is_some_and(|range| {
                document.number(node).is_some_and(|number| range.takes(number))
            }),
            Kind::String => match &self.string {
                Text::None => false,
                Text::All => true,
                Text::NotEmpty => document.string(node).is_none_or(|text| !text.is_empty()),
                Text::Words(words) => {
                    document.string(node).is_some_and(|text| words.contains(&text.as_ref()))
                }
            },
            Kind::Array(elements) => match self.array {
                None => false,
                Some(list) => list == List::All || !elements.is_empty(),
            },
            Kind::Object(_) => self.object,
        }
    }

    /// Names the values that are taken, in words with their articles.
    pub(super) fn words(&self) -> String {
        let mut kinds: Vec<String> = Vec::new();
        if self.boolean {
            kinds.push("a boolean".to_owned());
        }
        kinds.extend(self.number.as_ref().map(Range::words));
        match &self.string {
            Text::None => {}
            Text::All => kinds.push("a string".to_owned()),
            Text::NotEmpty => kinds.push("a string that is not empty".to_owned()),
            Text::Words(words) => kinds.extend(words.iter().map(|word| format!("`{word}`"))),
        }
        match self.array {
            None => {}
            Some(List::All) => kinds.push("an array".to_owned()),
            Some(List::NotEmpty) => kinds.push("an array that is not empty".to_owned()),
        }
        if self.object {
            kinds.push("an object".to_owned());
        }
        if kinds.is_empty() {
            kinds.push("null".to_owned());
        }
        match kinds.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
            _ => kinds.concat(),
        }
    }

    pub(super) fn has_numbers(&self) -> bool {
        self.number.is_some()
    }

    /// Returns whether some strings are taken and others are not.
    pub(super) fn has_words(&self) -> bool {
        matches!(self.string, Text::Words(_))
    }
}

/// The rows of a table in the order of their bytes: a path, a space, and the tokens of its shape.
pub(super) struct Table(LazyLock<Vec<&'static str>>);

impl Table {
    const fn new(rows: fn() -> Vec<&'static str>) -> Self {
        Self(LazyLock::new(rows))
    }

    fn rows_from(&self, path: &str) -> &[&'static str] {
        &self.0[self.0.partition_point(|row| *row < path)..]
    }

    fn tokens(&self, path: &str) -> Option<&'static str> {
        let row = self.rows_from(path).first()?;
        Some(row.strip_prefix(path)?.strip_prefix(' ')?.trim_end_matches(['!', ' ']))
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.tokens(path).is_some()
    }

    /// Gives the values that are taken at a path; the table does not know all paths.
    pub(super) fn shape(&self, path: &str) -> Option<Shape> {
        self.tokens(path).map(Shape::parse)
    }

    /// The keys without which an object at a path is not taken.
    pub(super) fn required(&self, path: &str) -> Vec<&'static str> {
        let parent = format!("{path}.");
        let rows = self.rows_from(&parent).iter().map_while(|row| row.strip_prefix(&*parent));
        let needed = rows.filter_map(|row| row.strip_suffix('!')?.split(' ').next());
        needed.filter(|key| !key.contains('.')).collect()
    }
}

pub(super) static TABLES: [Table; 2] = [
    Table::new(|| include_str!("keys/2.1.330.txt").lines().collect()),
    Table::new(|| include_str!("keys/2.1.197.txt").lines().collect()),
];

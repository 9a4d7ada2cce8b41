//! The layout of a settings file, so that new text looks like its neighbours.

use std::{collections::HashMap, fmt::Write};

use serde_json::Value;

use crate::syntax::json::{Document, Kind, Member, Node, Span};

/// The part that a value plays in a settings file. Parts of one name are laid out alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    Root,
    Hooks,
    Event,
    Group,
    Handlers,
    Handler,
    Args,
    Other,
}

impl Part {
    /// The part of a member, or of an element where there is no key.
    pub(crate) fn below(self, key: Option<&str>) -> Self {
        match (self, key) {
            (Self::Root, Some("hooks")) => Self::Hooks,
            (Self::Hooks, Some(_)) => Self::Event,
            (Self::Event, None) => Self::Group,
            (Self::Group, Some("hooks")) => Self::Handlers,
            (Self::Handlers, None) => Self::Handler,
            (Self::Handler, Some("args")) => Self::Args,
            _ => Self::Other,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Look {
    Lines,
    /// The first on the line of the bracket, but not all on one line, as in `[{` … `}]`.
    Hugged,
    /// All on one line, with these blanks inside the brackets.
    Inline(String),
}

#[derive(Debug, Clone)]
pub(crate) struct Layout {
    newline: &'static str,
    unit: String,
    colon: String,
    gap: Option<String>,
    looks: HashMap<Part, Look>,
    plain_array: Option<Look>,
    brace_pad: String,
    bracket_pad: String,
    seen_in_hooks: Seen,
}

/// The looks seen among the hooks, which then have the say.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    unit: bool,
    colon: bool,
    gap: bool,
}

impl Layout {
    /// Learns from a whole document; what it does not show is as the client writes it.
    pub(crate) fn of(document: &Document<'_>) -> Self {
        let text = document.text();
        let crlf = text.find('\n').is_some_and(|at| text[..at].ends_with('\r'));
        let mut layout = Self {
            newline: if crlf { "\r\n" } else { "\n" },
            unit: "  ".to_owned(),
            colon: ": ".to_owned(),
            gap: None,
            looks: HashMap::new(),
            plain_array: None,
            brace_pad: String::new(),
            bracket_pad: String::new(),
            seen_in_hooks: Seen::default(),
        };
        let lines = Lesson { document, layout: &mut layout }.learn(document.root(), Part::Root, "");
        let minified = !lines && layout.colon == ":";
        layout.gap.get_or_insert(if minified { String::new() } else { " ".to_owned() });
        layout
    }

    pub(crate) fn gap(&self) -> &str {
        self.gap.as_deref().unwrap_or(" ")
    }

    /// The same with what a neighbour of the new text shows taking precedence.
    pub(crate) fn near(&self, document: &Document<'_>, neighbour: &Node, part: Part) -> Self {
        let mut layout = self.clone();
        let indent = line_indent(document.text(), neighbour.span.start);
        Lesson { document, layout: &mut layout }.learn(neighbour, part, indent);
        layout
    }

    /// Gives the look of a container of this part that nothing forces onto one line.
    pub(crate) fn look(&self, part: Part) -> Look {
        let own = self.looks.get(&part).cloned();
        let own = own.or_else(|| self.plain_array.clone().filter(|_| part == Part::Args));
        own.unwrap_or(Look::Lines)
    }

    /// The layout of a container that shares a line with others.
    pub(crate) fn inline(&self, part: Part, object: bool) -> Look {
        match (self.looks.get(&part), object) {
            (Some(Look::Inline(pad)), _) => Look::Inline(pad.clone()),
            (_, true) => Look::Inline(self.brace_pad.clone()),
            (_, false) => Look::Inline(self.bracket_pad.clone()),
        }
    }

    pub(crate) fn deeper(&self, indent: &str) -> String {
        format!("{indent}{}", self.unit)
    }

    /// Writes an item: an element, or a member with its key.
    pub(crate) fn item(&self, out: &mut String, item: Item<'_>, container: Part, place: &Place) {
        if let Some(key) = item.key {
            let _ = write!(out, "{}{}", Value::from(key), self.colon);
        }
        self.value(out, item.value, container.below(item.key), place);
    }

    pub(crate) fn value(&self, out: &mut String, value: &Value, part: Part, place: &Place) {
        let (open, close) = match value {
            Value::Object(map) if !map.is_empty() => ('{', '}'),
            Value::Array(elements) if !elements.is_empty() => ('[', ']'),
            scalar => {
                let _ = write!(out, "{scalar}");
                return;
            }
        };
        let object = open == '{';
        let look = if place.inline { self.inline(part, object) } else { self.look(part) };
        let items: Vec<Item<'_>> = match value {
            Value::Object(map) => {
                map.iter().map(|(key, value)| Item { key: Some(key), value }).collect()
            }
            Value::Array(elements) => {
                elements.iter().map(|value| Item { key: None, value }).collect()
            }
            _ => Vec::new(),
        };
        out.push(open);
        self.items(out, &items, part, &look, &place.indent);
        out.push(close);
    }

    /// Writes what is between the brackets of a container whose line has `indent`.
    pub(crate) fn items(
        &self,
        out: &mut String,
        items: &[Item<'_>],
        part: Part,
        look: &Look,
        indent: &str,
    ) {
        let (lead, separator, tail, place) = match look {
            Look::Lines => {
                let deeper = self.deeper(indent);
                let lead = format!("{}{deeper}", self.newline);
                let separator = format!(",{lead}");
                let tail = format!("{}{indent}", self.newline);
                (lead, separator, tail, Place { indent: deeper, inline: false })
            }
            Look::Hugged => {
                let place = Place { indent: indent.to_owned(), inline: false };
                (String::new(), format!(",{}", self.gap()), String::new(), place)
            }
            Look::Inline(pad) => {
                let place = Place { indent: indent.to_owned(), inline: true };
                (pad.clone(), format!(",{}", self.gap()), pad.clone(), place)
            }
        };
        for (index, item) in items.iter().enumerate() {
            out.push_str(if index == 0 { &lead } else { &separator });
            self.item(out, *item, part, &place);
        }
        out.push_str(&tail);
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Item<'a> {
    pub(crate) key: Option<&'a str>,
    pub(crate) value: &'a Value,
}

pub(crate) struct Place {
    pub(crate) indent: String,
    /// True if it must stay on that line.
    pub(crate) inline: bool,
}

/// The blanks at the start of the line that `offset` is on.
pub(crate) fn line_indent(text: &str, offset: usize) -> &str {
    let start = text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The indent of the last line that begins between two items; a leading comma ends it.
pub(crate) fn indent_after_newline(space: &str) -> Option<&str> {
    let line = &space[space.rfind('\n')? + 1..];
    Some(&line[..line.find(',').unwrap_or(line.len())])
}

/// The spans of the items of a container, members with their keys; none of a scalar.
pub(crate) fn item_spans(node: &Node) -> Vec<Span> {
    match &node.kind {
        Kind::Object(members) => members.iter().map(Member::span).collect(),
        Kind::Array(elements) => elements.iter().map(|element| element.span).collect(),
        _ => Vec::new(),
    }
}

struct Lesson<'l, 'd, 't> {
    document: &'d Document<'t>,
    layout: &'l mut Layout,
}

impl Lesson<'_, '_, '_> {
    /// Walks a value whose line has `indent`; says whether a newline is in it. The last value counts.
    fn learn(&mut self, node: &Node, part: Part, indent: &str) -> bool {
        let text = self.document.text();
        let spans = item_spans(node);
        let (Some(first), Some(last)) = (spans.first(), spans.last()) else {
            return self.learn_empty(node);
        };
        let lead = &text[node.span.start + 1..first.start];
        let tail = &text[last.end..node.span.end - 1];
        let mut lines = lead.contains('\n') || tail.contains('\n');
        let mut line = indent;
        let mut gap = None;
        for (index, span) in spans.iter().enumerate() {
            let from = if index == 0 { node.span.start + 1 } else { spans[index - 1].end };
            let between = &text[from..span.start];
            if let Some(own) = indent_after_newline(between) {
                line = own;
                lines = true;
            } else if index > 0 {
                gap = between.trim_start_matches([' ', '\t', '\r']).strip_prefix(',');
            }
            lines |= match &node.kind {
                Kind::Object(members) => {
                    let member = &members[index];
                    self.colon(&text[member.key.end..member.value.span.start], part);
                    let key = self.document.key(member);
                    self.learn(&member.value, part.below(Some(&key)), line)
                }
                Kind::Array(elements) => self.learn(&elements[index], part.below(None), line),
                _ => false,
            };
        }
        if let Some(gap) = gap {
            self.gap(gap, part);
        }
        if let Some(unit) = indent_after_newline(lead).and_then(|own| own.strip_prefix(indent)) {
            self.unit(unit, part);
        }
        self.note(node, part, lead, lines);
        lines
    }

    /// An empty container shows the blanks inside brackets only where it has some.
    fn learn_empty(&mut self, node: &Node) -> bool {
        let slice = self.document.slice(node.span);
        let inside = slice.get(1..slice.len().saturating_sub(1)).unwrap_or_default();
        if !inside.is_empty() && !inside.contains('\n') {
            match node.kind {
                Kind::Object(_) => inside.clone_into(&mut self.layout.brace_pad),
                Kind::Array(_) => inside.clone_into(&mut self.layout.bracket_pad),
                _ => {}
            }
        }
        slice.contains('\n')
    }

    fn note(&mut self, node: &Node, part: Part, lead: &str, lines: bool) {
        let look = match (lead.contains('\n'), lines) {
            (true, _) => Look::Lines,
            (false, true) => Look::Hugged,
            (false, false) => Look::Inline(lead.to_owned()),
        };
        let layout = &mut *self.layout;
        match (&node.kind, &look) {
            (Kind::Object(_), Look::Inline(pad)) => layout.brace_pad.clone_from(pad),
            (Kind::Array(_), Look::Inline(pad)) => layout.bracket_pad.clone_from(pad),
            _ => {}
        }
        if in_hooks(part) && lead.contains('\n') {
            layout.newline = if lead.contains("\r\n") { "\r\n" } else { "\n" };
        }
        if part == Part::Other {
            let plain = |node: &Node| !matches!(node.kind, Kind::Array(_) | Kind::Object(_));
            if node.elements().is_some_and(|elements| elements.iter().all(plain)) {
                layout.plain_array = Some(look);
            }
        } else if look != Look::Hugged || matches!(part, Part::Event | Part::Handlers | Part::Args)
        {
            layout.looks.insert(part, look);
        }
    }

    fn unit(&mut self, unit: &str, part: Part) {
        let hooks = in_hooks(part);
        if hooks || !self.layout.seen_in_hooks.unit {
            unit.clone_into(&mut self.layout.unit);
            self.layout.seen_in_hooks.unit |= hooks;
        }
    }

    fn colon(&mut self, colon: &str, part: Part) {
        let hooks = in_hooks(part);
        if (hooks || !self.layout.seen_in_hooks.colon) && !colon.contains(['\n', '\r']) {
            colon.clone_into(&mut self.layout.colon);
            self.layout.seen_in_hooks.colon |= hooks;
        }
    }

    fn gap(&mut self, gap: &str, part: Part) {
        let hooks = in_hooks(part);
        if hooks || !self.layout.seen_in_hooks.gap {
            self.layout.gap = Some(gap.to_owned());
            self.layout.seen_in_hooks.gap |= hooks;
        }
    }
}

fn in_hooks(part: Part) -> bool {
    !matches!(part, Part::Root | Part::Other)
}

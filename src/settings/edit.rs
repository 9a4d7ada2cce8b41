//! Splices: the text that goes in and out of a document, and nothing else.

use std::{collections::BTreeSet, ops::Range};

use serde_json::Value;

use crate::syntax::json::{Document, Kind, Node, Span};

use super::layout::{
    Item, Layout, Look, Part, Place, indent_after_newline, item_spans, line_indent,
};

/// A stretch of the old text and what takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Splice {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

pub(crate) struct Reshape<'n, 'v> {
    pub(crate) container: &'n Node,
    /// The container's own container; none for the root.
    pub(crate) parent: Option<&'n Node>,
    pub(crate) part: Part,
    pub(crate) removed: BTreeSet<usize>,
    pub(crate) added: Vec<Item<'v>>,
    /// The blanks to leave behind if nothing is left, where they are on record.
    pub(crate) hollow: Option<&'v str>,
}

pub(crate) struct Editor<'d, 't> {
    pub(crate) document: &'d Document<'t>,
    pub(crate) layout: Layout,
    splices: Vec<Splice>,
}

impl<'d, 't> Editor<'d, 't> {
    pub(crate) fn new(document: &'d Document<'t>) -> Self {
        Self { document, layout: Layout::of(document), splices: Vec::new() }
    }

    pub(crate) fn splice(&mut self, range: Range<usize>, text: String) {
        self.splices.push(Splice { range, text });
    }

    /// The splices in the order of the text. Of two that begin at the same place the insertion
    /// comes first, so that it lands behind the last item that stays.
    pub(crate) fn splices(mut self) -> Vec<Splice> {
        self.splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
        self.splices
    }

    pub(crate) fn replace(&mut self, node: &Node, part: Part, value: &Value, inline: bool) {
        let text = self.document.text();
        let indent = line_indent(text, node.span.start).to_owned();
        let empty = item_spans(node).is_empty();
        let inline = inline || (!empty && !self.document.slice(node.span).contains('\n'));
        let layout = self.layout.near(self.document, node, part);
        let mut new = String::new();
        layout.value(&mut new, value, part, &Place { indent, inline });
        self.splice(node.span.start..node.span.end, new);
    }

    /// Puts a member before all others of an object that has some.
    pub(crate) fn prepend(&mut self, object: &Node, part: Part, item: Item<'_>) {
        let Some(first) = item_spans(object).first().copied() else { return };
        let lead = &self.document.text()[object.span.start + 1..first.start];
        let place = Place { indent: String::new(), inline: true };
        let mut new = String::new();
        self.layout.item(&mut new, item, part, &place);
        new.push(',');
        new.push_str(if lead.contains('\n') { lead } else { self.layout.gap() });
        self.splice(first.start..first.start, new);
    }

    /// Takes items out of a container.
    pub(crate) fn take(
        &mut self,
        container: &Node,
        parent: Option<&Node>,
        part: Part,
        removed: BTreeSet<usize>,
    ) {
        let added = Vec::new();
        self.reshape(&Reshape { container, parent, part, removed, added, hollow: None });
    }

    /// Takes items out of a container and appends others; gives blanks that a removal would not bring back.
    pub(crate) fn reshape(&mut self, reshape: &Reshape<'_, '_>) -> Option<String> {
        let spans = item_spans(reshape.container);
        let kept = (0..spans.len()).rfind(|index| !reshape.removed.contains(index));
        let Some(last) = kept else {
            return self.refill(reshape, &spans);
        };
        self.remove_runs(&spans, &reshape.removed);
        if !reshape.added.is_empty() {
            let text = self.appended(reshape, &spans);
            self.splice(spans[last].end..spans[last].end, text);
        }
        None
    }

    /// Removes items of which at least one stays, each run with the commas on one side.
    fn remove_runs(&mut self, spans: &[Span], removed: &BTreeSet<usize>) {
        let mut index = 0;
        while index < spans.len() {
            let first = index;
            while removed.contains(&index) {
                index += 1;
            }
            if first < index {
                let range = if first == 0 {
                    spans[0].start..spans[index].start
                } else {
                    spans[first - 1].end..spans[index - 1].end
                };
                self.splice(range, String::new());
            }
            index += 1;
        }
    }

    /// The text of new items behind the last item of a container that has some.
    fn appended(&self, reshape: &Reshape<'_, '_>, spans: &[Span]) -> String {
        let text = self.document.text();
        let container = reshape.container;
        let last = spans[spans.len() - 1];
        let layout = self.layout_of_items(reshape);
        let before = match spans.len() {
            1 => &text[container.span.start + 1..last.start],
            many => &text[spans[many - 2].end..last.start],
        };
        let after_comma = before.split_once(',').map_or(before, |(_, after)| after);
        let separator = match indent_after_newline(after_comma) {
            Some(indent) => {
                let newline = if after_comma.contains("\r\n") { "\r\n" } else { "\n" };
                format!(",{newline}{indent}")
            }
            None if spans.len() > 1 => before.to_owned(),
            None => format!(",{}", layout.gap()),
        };
        let indent = indent_after_newline(before)
            .unwrap_or_else(|| line_indent(text, last.end.saturating_sub(1)))
            .to_owned();
        let inline = !self.document.slice(container.span).contains('\n');
        let place = Place { indent, inline };
        let mut new = String::new();
        for item in &reshape.added {
            new.push_str(&separator);
            layout.item(&mut new, *item, reshape.part, &place);
        }
        new
    }

    /// The layout with the last item of the container as the model.
    fn layout_of_items(&self, reshape: &Reshape<'_, '_>) -> Layout {
        let item = match (&reshape.container.kind, reshape.part) {
            (Kind::Array(elements), _) => elements.last(),
            (Kind::Object(members), Part::Hooks) => members.last().map(|member| &member.value),
            _ => None,
        };
        let part = reshape.part.below((reshape.part == Part::Hooks).then_some(""));
        match item {
            Some(item) => self.layout.near(self.document, item, part),
            None => self.layout.clone(),
        }
    }

    /// Writes the inside of a container of which no item stays.
    fn refill(&mut self, reshape: &Reshape<'_, '_>, spans: &[Span]) -> Option<String> {
        let Span { start, end } = reshape.container.span;
        let inside = start + 1..end - 1;
        let blanks = &self.document.text()[inside.clone()];
        if reshape.added.is_empty() {
            if let Some(last) = spans.last() {
                let tail = &self.document.text()[last.end..inside.end];
                let tail = if tail.contains('\n') { "" } else { tail };
                self.splice(inside, reshape.hollow.unwrap_or(tail).to_owned());
            }
            return None;
        }
        let look = self.look_of(reshape, spans);
        let indent = line_indent(self.document.text(), start).to_owned();
        let mut new = String::new();
        self.layout.items(&mut new, &reshape.added, reshape.part, &look, &indent);
        let restored = match &look {
            Look::Inline(pad) => pad,
            Look::Lines | Look::Hugged => "",
        };
        let hollow = (spans.is_empty() && blanks != restored).then(|| blanks.to_owned());
        self.splice(inside, new);
        hollow
    }

    fn look_of(&self, reshape: &Reshape<'_, '_>, spans: &[Span]) -> Look {
        let object = reshape.container.members().is_some();
        let one_line = |node: &Node| !self.document.slice(node.span).contains('\n');
        let own = (!spans.is_empty()).then_some(reshape.container);
        if own.or(reshape.parent).is_some_and(one_line) {
            return self.layout.inline(reshape.part, object);
        }
        self.layout.look(reshape.part)
    }
}

/// The text with the splices, made for `plain`, which has blanks for its comments; comments stay.
pub(crate) fn apply(text: &str, plain: &str, splices: &[Splice]) -> String {
    // A file without anything in it was read as an empty object.
    let text = if text.len() == plain.len() { text } else { plain };
    let grown: usize = splices.iter().map(|splice| splice.text.len()).sum();
    let mut new = String::with_capacity(text.len() + grown);
    let mut at = 0;
    for Splice { range, text: added } in splices {
        new.push_str(&text[at..range.start]);
        new.push_str(added);
        at = range.end;
        if text[range.clone()] != plain[range.clone()] {
            new.push_str(&comments(&text[range.clone()], &plain[range.clone()]));
            let is_open =
                new.rfind("//") > new.rfind('\n') && !text[at..].starts_with(['\n', '\r']);
            new.push_str(if is_open { "\n" } else { "" });
        }
    }
    new.push_str(&text[at..]);
    new
}

/// The comments of a text, each with the blanks before it; `plain` has blanks in their place.
fn comments(text: &str, plain: &str) -> String {
    let is_comment = |at: usize| text.as_bytes()[at] != plain.as_bytes()[at];
    let mut kept = String::new();
    let mut at = 0;
    while let Some(start) = (at..text.len()).find(|at| is_comment(*at)) {
        // Blanks in a comment look the same in both.
        let length = if text[start..].starts_with("//") {
            text[start..].find('\n')
        } else {
            text[start + 2..].find("*/").map(|end| end + 4)
        };
        let end = length.map_or(text.len(), |length| start + length);
        let blanks =
            text[at..start].rfind(|it: char| !it.is_whitespace()).map_or(at, |it| at + it + 1);
        kept.push_str(&text[blanks..end]);
        at = end;
    }
    kept
}

pub(crate) fn path(pointer: &str) -> json_patch::jsonptr::PointerBuf {
    // Every pointer here is made by escaping its tokens; one that were not would point at the root
    // and fail the proof.
    json_patch::jsonptr::PointerBuf::parse(pointer).unwrap_or_default()
}

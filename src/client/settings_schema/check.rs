//! The state of a check, and what it reports.

use std::collections::HashSet;
use std::fmt;

use super::defect::{Defect, Effects};
use super::shape::{TABLES, Table};
use crate::syntax::json::{Document, Member, Node, child};

pub(super) struct Check<'d, 't> {
    pub(super) document: &'d Document<'t>,
    pub(super) known_events: HashSet<&'d str>,
    pub(super) newest: bool,
    pub(super) defects: Vec<(usize, Defect)>,
}

impl Check<'_, '_> {
    pub(super) fn tables(&self) -> [&'static Table; 2] {
        [&TABLES[0], &TABLES[usize::from(!self.newest)]]
    }

    pub(super) fn report(
        &mut self,
        effects: Effects,
        pointer: &Pointer<'_>,
        node: &Node,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        let (pointer, message, hint) = (pointer.to_string(), message.into(), hint.into());
        let defect = Defect { effects, pointer, line: 0, column: 0, message, hint };
        self.defects.push((node.span.start, defect));
    }
}

/// The members that count, in the order of the file.
pub(super) fn last_of_each<'n>(
    document: &Document<'_>,
    members: &'n [Member],
) -> impl Iterator<Item = &'n Member> + use<'n> {
    let hidden = hidden(document, members);
    let start = |member: &Member| member.key.start;
    members.iter().filter(move |member| {
        hidden.binary_search_by_key(&start(member), |hidden| start(hidden)).is_err()
    })
}

/// The members that a later member of the same name hides, in the order of the file.
pub(super) fn hidden<'n>(document: &Document<'_>, members: &'n [Member]) -> Vec<&'n Member> {
    // A group or handler has few keys, and a file many of those: comparing them costs less than a
    // set for each.
    const FEW: usize = 16;
    if members.len() <= FEW {
        let is_hidden = |(index, member): &(usize, &Member)| {
            let key = document.key(member);
            members[index + 1..].iter().any(|later| document.key(later) == key)
        };
        return members.iter().enumerate().filter(is_hidden).map(|(_, member)| member).collect();
    }
    let mut seen = HashSet::with_capacity(members.len());
    let mut hidden: Vec<&Member> =
        members.iter().rev().filter(|member| !seen.insert(document.key(member))).collect();
    hidden.reverse();
    hidden
}

/// A place in the file, as the way that leads there.
pub(super) struct Pointer<'p> {
    above: Option<&'p Pointer<'p>>,
    token: Token<'p>,
}

#[derive(Clone, Copy)]
enum Token<'p> {
    Key(&'p str),
    Index(usize),
}

impl<'p> Pointer<'p> {
    pub(super) const ROOT: Pointer<'static> = Pointer { above: None, token: Token::Index(0) };

    pub(super) fn key(&'p self, key: &'p str) -> Self {
        Self { above: Some(self), token: Token::Key(key) }
    }

    pub(super) fn is_root(&self) -> bool {
        self.above.is_none()
    }

    pub(super) fn at(&'p self, index: usize) -> Self {
        Self { above: Some(self), token: Token::Index(index) }
    }
}

impl fmt::Display for Pointer<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(above) = self.above else { return Ok(()) };
        above.fmt(formatter)?;
        match self.token {
            Token::Key(key) => formatter.write_str(&child("", key)),
            Token::Index(index) => write!(formatter, "/{index}"),
        }
    }
}

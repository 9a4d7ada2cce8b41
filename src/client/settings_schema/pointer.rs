//! JSON Pointers that are written out only where something is found.

use std::fmt;

use crate::syntax::json::child;

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

//! Redirections and here-documents.

use std::borrow::Cow;

use super::line::{Body, Current, Parser};
use super::{Redirection, Word};

impl<'a> Parser<'a> {
    /// The number in front of `2>` or `0<`.
    pub(super) fn skip_descriptor(&mut self) -> bool {
        let rest = &self.text.as_bytes()[self.at..self.end];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let redirects =
            matches!(rest.get(digits), Some(b'<' | b'>')) && rest.get(digits + 1) != Some(&b'(');
        if redirects {
            self.at += digits;
        }
        redirects
    }

    pub(super) fn redirection(&mut self, current: &mut Current<'a>) {
        const OPERATORS: &[&str] =
            &["<<<", "<<-", "<<", "&>>", "&>", "<>", "<&", ">>", ">&", ">|", "<", ">"];
        if self.starts_with("<#") && self.skip_block_comment() {
            return;
        }
        let operator = OPERATORS.iter().find(|operator| self.starts_with(operator));
        let operator = operator.copied().unwrap_or("<");
        self.at += operator.len();
        self.blanks();
        if !self.keep(1)
            || matches!(self.peek(), None | Some(b'\n' | b';' | b'|' | b'&' | b'(' | b')'))
        {
            return;
        }
        match operator {
            "<<" | "<<-" => {
                let delimiter = self.delimiter();
                self.bodies.push(Body {
                    delimiter: delimiter.text,
                    strip_tabs: operator == "<<-",
                    literal: delimiter.quoted,
                    reader: None,
                });
            }
            "<<<" => current.command.input = Some(self.word()),
            _ => {
                let target = self.word();
                current.command.redirections.push(Redirection { operator, target });
            }
        }
    }

    /// A here-document's delimiter: quotes are resolved, and nothing in it is a command.
    fn delimiter(&mut self) -> Word<'a> {
        let found = self.commands.len();
        let word = self.word();
        self.commands.truncate(found);
        word
    }

    /// The bodies of the here-documents of the line that just ended.
    pub(super) fn bodies(&mut self) {
        for body in std::mem::take(&mut self.bodies) {
            let start = self.at;
            let end = self.skip_body(&body);
            // Bodies may be in bodies, each of which is read again.
            if !self.spend(end - start) {
                return;
            }
            if let Some(command) = body.reader.and_then(|reader| self.commands.get_mut(reader)) {
                let text = Cow::Borrowed(&self.text[start..end]);
                let expanded = !body.literal && text.contains(['$', '`']);
                command.input = Some(Word { written: text.clone(), text, expanded, quoted: true });
            }
            if !body.literal {
                let after = std::mem::replace(&mut self.at, start);
                self.nested(|parser| parser.within(end, Self::data));
                self.at = after;
            }
        }
    }

    /// Goes behind the delimiter's line and gives the end of the body.
    fn skip_body(&mut self, body: &Body<'_>) -> usize {
        while self.at < self.end {
            let start = self.at;
            let rest = &self.text[start..self.end];
            let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
            // As bash does: `$(cat <<EOF … EOF)` with the bracket on the delimiter's line.
            if self.depth > 0
                && line.strip_prefix(&*body.delimiter).is_some_and(|rest| rest.starts_with(')'))
            {
                self.at = start + body.delimiter.len();
                return start;
            }
            self.at = (start + line.len() + 1).min(self.end);
            let line = line.trim_end_matches('\r');
            let line = if body.strip_tabs { line.trim_start_matches('\t') } else { line };
            if line == body.delimiter {
                return start;
            }
        }
        self.end
    }
}

//! Compound commands whose words are no commands: `[[ … ]]` and the patterns of a `case`.

use super::line::{Case, Current, List, Parser};

impl<'a> Parser<'a> {
    /// The rest of `[[ … ]]`, where operators do not separate commands.
    pub(super) fn condition(&mut self, current: &mut Current<'a>) {
        current.dropped = true;
        self.has_condition = true;
        loop {
            self.blanks();
            match self.peek() {
                None => break self.complete = false,
                Some(b'\n' | b';' | b'&' | b'|' | b'(' | b')') => self.at += 1,
                Some(b'<' | b'>') if self.byte(1) != Some(b'(') => self.at += 1,
                Some(_) if self.keep(1) => {
                    let word = self.word();
                    if word.text == "]]" && !word.quoted {
                        break;
                    }
                }
                Some(_) => {}
            }
        }
    }

    /// The rest of `case WORD in`.
    pub(super) fn case(&mut self, list: &mut List) {
        self.blanks();
        self.word();
        self.line_ends();
        self.word();
        list.cases.push(Case::Pattern);
    }

    /// A pattern of a `case` up to its `)`, or the `esac`.
    pub(super) fn pattern(&mut self, list: &mut List) {
        self.line_ends();
        if self.peek() == Some(b'(') {
            self.at += 1;
        }
        let word = self.word();
        if word.text == "esac" && !word.quoted {
            list.cases.pop();
            list.leave();
            return;
        }
        self.skip_words();
        if let Some(case) = list.cases.last_mut() {
            *case = Case::Body;
        }
    }

    /// Goes behind the `)` that closes words which are no commands.
    pub(super) fn skip_words(&mut self) {
        loop {
            self.blanks();
            match self.peek() {
                None => break self.complete = false,
                Some(b')') => break self.at += 1,
                Some(b'#') => self.comment(),
                Some(b'\n' | b';' | b'&' | b'|' | b'(') => self.at += 1,
                Some(b'<' | b'>') if self.byte(1) != Some(b'(') => self.at += 1,
                Some(_) => drop(self.word()),
            }
        }
    }

    /// `<# … #>` of PowerShell; a POSIX shell finds no name of a file there.
    pub(super) fn skip_block_comment(&mut self) -> bool {
        let rest = &self.text[self.at..self.end];
        let end = rest.find("#>");
        match end {
            Some(end) => self.at += end + 2,
            // To look for the end again and again would take long.
            None => {
                self.spend(rest.len());
            }
        }
        end.is_some()
    }
}

//! Files that a line writes.

/// So many files are kept.
const MOST: usize = 32;

/// Files that a line has written so far.
#[derive(Default)]
pub(super) struct Files {
    written: Vec<(String, String)>,
    /// Files that it fetched, with the program that did.
    downloaded: Vec<(String, &'static str)>,
}

impl Files {
    pub(super) fn is_empty(&self) -> bool {
        self.written.is_empty()
    }

    /// The text that the line has written to a file.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        let path = plain(path);
        let found = self.written.iter().rev().find(|(known, _)| known == path)?;
        Some(found.1.clone())
    }

    /// The program by which the line has fetched a file.
    pub(super) fn origin(&self, path: &str) -> Option<&'static str> {
        let path = plain(path);
        self.downloaded.iter().find(|(known, _)| known == path).map(|(_, name)| *name)
    }

    pub(super) fn download(&mut self, path: &str, name: &'static str) {
        if self.downloaded.len() < MOST {
            self.downloaded.push((plain(path).to_owned(), name));
        }
    }

    pub(super) fn write(&mut self, path: &str, text: &str, appends: bool) {
        let path = plain(path);
        let is_room = self.written.len() < MOST;
        match self.written.iter_mut().find(|(known, _)| known == path) {
            Some((_, known)) if appends => known.push_str(text),
            Some((_, known)) => text.clone_into(known),
            None if is_room => {
                self.written.push((path.to_owned(), text.to_owned()));
            }
            None => {}
        }
    }
}

pub(super) fn plain(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

//! Finds the file that a text names, and tests globs on it.

use std::borrow::Cow;
use std::cell::Cell;
use std::path::Path;

use crate::builtin::context::Context;
use crate::client::permission_rule::{Anchors, path_hits};
use crate::machine::paths::LONGEST;

const MARKS: [char; 3] = ['*', '?', '['];

/// So many directories are listed for a call, and so many of their names are looked at.
const FOLDERS: usize = 512;
const NAMES: usize = 20_000;
/// A call may work in so many directories.
const CURRENT: usize = 64;

/// A glob that says where it begins: one that does not begins anywhere.
pub(super) fn anchored(glob: &str) -> Cow<'_, str> {
    if glob.starts_with(['/', '~', '@']) { glob.into() } else { format!("//**/{glob}").into() }
}

/// Texts in small letters of which one is in each path that a glob hits, or in what removes it.
pub(super) fn hints(glob: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let (glob, above) = match glob.strip_prefix("@config/") {
        Some(rest) => (rest, Some("claude")),
        None if glob.starts_with("@state") => ("hookman", None),
        None => (glob, None),
    };
    let mut longest = "";
    let mut rest = glob;
    while !rest.is_empty() {
        let end = rest.find(['*', '?', '[', '/', '~', '\\']).unwrap_or(rest.len());
        if end > longest.len() {
            longest = &rest[..end];
        }
        rest = match rest[end..].strip_prefix('[') {
            Some(class) => class.split_once(']').map_or("", |(_, rest)| rest),
            None => rest.get(end + 1..).unwrap_or_default(),
        };
    }
    let is_upper = longest.contains(char::is_uppercase);
    let longest = if is_upper { longest.to_lowercase().into() } else { Cow::Borrowed(longest) };
    above.map(Cow::Borrowed).into_iter().chain([longest])
}

/// The directories in which globs and paths begin.
pub(super) struct Folders<'a> {
    context: &'a Context<'a>,
    home: String,
    project: String,
    config: String,
    state: String,
    /// The directories in which the call may work: the session's, and those that it goes to.
    current: Vec<String>,
    /// The number of directories and names that may still be looked at.
    left: Cell<(usize, usize)>,
}

impl<'a> Folders<'a> {
    pub(super) fn new(context: &'a Context<'a>) -> Self {
        let host = context.host;
        let home = host.variable("HOME").unwrap_or_default();
        let cwd = context.payload.cwd.to_string();
        let config = host.variable("CLAUDE_CONFIG_DIR").unwrap_or(format!("{home}/.claude"));
        Self {
            context,
            project: host.variable("CLAUDE_PROJECT_DIR").unwrap_or_else(|| cwd.clone()),
            home,
            config,
            state: state(context),
            current: vec![cwd],
            left: Cell::new((FOLDERS, NAMES)),
        }
    }

    /// Counts the directories in which the call may work.
    pub(super) fn count(&self) -> usize {
        self.current.len()
    }

    /// Notes that the call goes to a directory.
    pub(super) fn go(&mut self, to: &str) {
        if self.current.len() >= CURRENT || to.len() > LONGEST {
            return self.left.set((0, 0));
        }
        let to = self.expanded(to);
        for at in 0..self.current.len().min(4) {
            let next = absolute(&to, &self.current[at]);
            if !self.current.contains(&next) {
                self.current.push(next);
            }
        }
    }

    /// Returns whether a text names a directory, which is there or is written as one.
    pub(super) fn is_folder(&self, text: &str) -> bool {
        let last = text.rsplit('/').next().unwrap_or_default();
        matches!(last, "" | "." | "..")
            || self.paths(text).iter().any(|path| {
                self.context.host.look(Path::new(path)).is_some_and(|facts| facts.is_directory)
            })
    }

    /// The path without links that a text means.
    pub(super) fn real(&self, text: &str) -> String {
        let path = absolute(&self.expanded(text), &self.current[0]);
        self.context.host.real(Path::new(&path)).to_string_lossy().into_owned()
    }

    /// The absolute paths that a word can mean; one with a pattern means those that are
    /// there, for itself and for what is left of it without its marks.
    pub(super) fn paths(&self, text: &str) -> Vec<String> {
        if text.len() > LONGEST {
            // A pattern that is longer than a path is not compared with what is there.
            if text.contains(MARKS) {
                self.left.set((0, 0));
            }
            return Vec::new();
        }
        let text = self.expanded(text);
        let mut paths = Vec::new();
        for folder in &self.current {
            let path = absolute(&text, folder);
            if path.contains(MARKS) {
                paths.extend(self.existing(&path));
                paths.push(path.replace(['*', '?', '[', ']'], ""));
            }
            paths.push(path);
        }
        paths
    }

    /// Returns whether a path is in a folder that the line makes with a name of its own.
    pub(super) fn is_new(path: &str) -> bool {
        path.contains("$(mktemp") || path.contains("`mktemp")
    }

    /// Returns whether a path is that of a file, or of one of which that cannot be told.
    pub(super) fn may_hold(&self, path: &str) -> bool {
        path.contains(['$', '`', '~', '{']) || self.context.host.look(Path::new(path)).is_some()
    }

    /// Returns whether there was more to look at than there may be, so that something may have been missed.
    pub(super) fn is_cut(&self) -> bool {
        self.left.get().0 == 0
    }

    /// Lists the names in a directory, as long as there is time for one.
    pub(super) fn names(&self, folder: &str) -> Vec<String> {
        let (folders, names) = self.left.get();
        if folders == 0 {
            return Vec::new();
        }
        let found = self.context.host.names(Path::new(&format!("{folder}/"))).unwrap_or_default();
        let rest = names.checked_sub(found.len());
        self.left.set(rest.map_or((0, 0), |names| (folders - 1, names)));
        found
    }

    /// Lists the paths that a pattern hits, part by part as a shell does.
    fn existing(&self, pattern: &str) -> Vec<String> {
        let mut found = vec![String::new()];
        let mut is_listed = false;
        for part in pattern.split('/').filter(|part| !part.is_empty()) {
            let glob = format!("//{}", without_classes(part));
            let is_hit = |name: &String| {
                (part.starts_with('.') || !name.starts_with('.'))
                    && path_hits(&glob, &format!("/{name}"), Anchors::default())
            };
            let below = |folder: &String| {
                if !part.contains(MARKS) {
                    let path = format!("{folder}/{part}");
                    let is_there = || self.context.host.look(Path::new(&path)).is_some();
                    return if !is_listed || is_there() { vec![path] } else { Vec::new() };
                }
                let names = self.names(folder).into_iter().filter(is_hit);
                names.map(|name| format!("{folder}/{name}")).collect()
            };
            found = found.iter().flat_map(below).collect();
            is_listed |= part.contains(MARKS);
        }
        found
    }

    fn expanded<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let folders = [
            ("~", &self.home),
            ("$HOME", &self.home),
            ("${HOME}", &self.home),
            ("$PWD", &self.current[0]),
            ("${PWD}", &self.current[0]),
            ("$CLAUDE_PROJECT_DIR", &self.project),
            ("${CLAUDE_PROJECT_DIR}", &self.project),
            ("$CLAUDE_CONFIG_DIR", &self.config),
        ];
        for (name, folder) in folders {
            if let Some(rest) = text.strip_prefix(name)
                && (rest.is_empty() || rest.starts_with('/'))
            {
                return format!("{folder}{rest}").into();
            }
        }
        text.into()
    }

    /// Returns whether one of the globs, with `|` between them, hits an absolute path.
    pub(super) fn hit(&self, globs: &str, path: &str) -> bool {
        let anchors = Anchors { cwd: &self.current[0], project: &self.project, home: &self.home };
        let lower = path.to_lowercase();
        globs.split('|').filter(|glob| !glob.is_empty()).any(|glob| match self.special(glob) {
            Some(glob) => path_hits(&glob, path, anchors),
            None => {
                hints(glob).any(|hint| lower.contains(&*hint)) && path_hits(glob, path, anchors)
            }
        })
    }

    /// Returns whether a path is a directory in which one of the globs is that say where they begin: what is
    /// the client's or hookman's, and else what is there.
    pub(super) fn holds(&self, globs: &str, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let begins = |whole: &str, start: &str| {
            whole.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let has = |(folder, file): (&str, &str)| {
            let below = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
            (begins(folder, path) || below.is_some_and(|below| begins(file, below)))
                && !folder.contains(MARKS)
                && !file.contains(MARKS)
                && self.context.host.look(Path::new(&format!("{folder}/{file}"))).is_some()
        };
        globs.split('|').any(|glob| {
            (glob.starts_with("@config/") && begins(&self.config, path))
                || (glob == "@state" && begins(&self.state, path))
                || self.place(glob).is_some_and(has)
        })
    }

    /// The one file that a glob means which has no other marks, with the directory in which it begins: the
    /// project where it may be anywhere.
    fn place<'g>(&'g self, glob: &'g str) -> Option<(&'g str, &'g str)> {
        Some(match (glob.strip_prefix("//"), glob.strip_prefix("~/")) {
            (Some(rest), _) => match rest.strip_prefix("**/") {
                Some(rest) => (&*self.project, rest.contains('/').then_some(rest)?),
                None => ("", rest),
            },
            (None, Some(rest)) => (&*self.home, rest),
            (None, None) => (&*self.project, glob.strip_prefix('/')?),
        })
    }

    /// A glob that begins with `@`, from the root.
    fn special(&self, glob: &str) -> Option<String> {
        match glob.strip_prefix("@config/") {
            Some(rest) => Some(format!("/{}/{rest}", self.config)),
            None if self.state.is_empty() => None,
            None => (glob == "@state").then(|| format!("/{}", self.state)),
        }
    }
}

/// A part of a pattern in which each class that globs do not know, such as `[!a]` and `[[:alpha:]]`, is
/// any character.
pub(super) fn without_classes(part: &str) -> String {
    let mut plain = String::new();
    let mut rest = part;
    // Where no end follows, none does further on.
    let last = |end: &str| part.rfind(end).unwrap_or_default();
    let (named, any) = (last(":]]"), last("]"));
    while let Some((before, class)) = rest.split_once('[') {
        plain.push_str(before);
        let at = part.len() - class.len();
        let end = if class.starts_with("[:") { ":]]" } else { "]" };
        // A bracket that comes first is one of the class.
        let from = usize::from(class.starts_with(['!', '^']));
        let from = from + usize::from(class[from..].starts_with(']'));
        let is_closed = at + from <= if end == "]" { any } else { named };
        let length = if is_closed { class[from..].find(end) } else { None };
        let Some(length) = length else {
            plain.push_str("\\[");
            rest = class;
            continue;
        };
        let (inside, after) = class.split_at(from + length);
        if inside.starts_with(['!', '^', '[', ']']) {
            plain.push('?');
        } else {
            plain.extend(["[", inside, "]"]);
        }
        rest = &after[end.len()..];
    }
    plain + rest
}

/// The parts of which one is in the name of each protected file.
pub(super) struct Parts<'a> {
    /// With `|` between them; none where that is not known.
    hints: Option<&'a str>,
    state: String,
}

impl<'a> Parts<'a> {
    pub(super) fn new(context: &Context<'a>) -> Self {
        let state = state(context).to_lowercase();
        Self {
            hints: context.first_option("hints").map(|(hints, _)| hints),
            state: state.rsplit('/').next().unwrap_or_default().to_owned(),
        }
    }

    /// Returns whether a text may name a protected file.
    pub(super) fn may_be_in(&self, text: &str) -> bool {
        let Some(hints) = self.hints else { return true };
        let text = text.to_lowercase();
        hints.split('|').any(|hint| text.contains(hint))
            || (!self.state.is_empty() && text.contains(&self.state))
    }
}

/// hookman's state directory, above that of the session.
pub(super) fn state(context: &Context<'_>) -> String {
    let folder = context.host.session_folder().ancestors().nth(2);
    folder.unwrap_or(Path::new("")).to_string_lossy().into_owned()
}

/// A path from the root, without `.` and `..`.
fn absolute(path: &str, folder: &str) -> String {
    let is_drive = path.as_bytes().get(1) == Some(&b':');
    let whole = if path.starts_with('/') || is_drive {
        path.replace('\\', "/")
    } else {
        format!("{folder}/{path}")
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    if is_drive { parts.join("/") } else { format!("/{}", parts.join("/")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_that_a_glob_hits_has_its_hint() {
        let rows = [
            (".env.*", ".env."),
            ("*.PEM", ".pem"),
            ("~/.aws/credentials", "credentials"),
            ("id_[rd]sa*", "id_"),
            ("//**/x/**", "x"),
            ("@config/settings.json", "claude|settings.json"),
            ("@state", "hookman"),
            ("*", ""),
        ];
        for (glob, expected) in rows {
            assert_eq!(hints(glob).collect::<Vec<_>>().join("|"), expected, "{glob}");
        }
    }
}

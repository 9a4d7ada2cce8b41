//! A package as it is typed: `git:URL[@REV]`, `gh:owner/repo`, a URL or a path, with `//sub/folder`.

use crate::machine::repository::is_address;
use crate::manifest::package::Provenance;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed {
    pub from: Provenance,
    /// The directory in it; empty for its root.
    pub folder: String,
    /// The tag, branch or commit.
    pub rev: Option<String>,
}

/// A text that names no package.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} names no package: it takes git:URL[@REV], gh:OWNER/REPO[@REV] or a path, each with \
     //FOLDER where the package is not its root; protocols are https, ssh and file"
)]
pub struct NoSource(String);

/// Returns whether a word is meant as a package, and not as the name of a hook.
pub fn is_source(word: &str) -> bool {
    word.starts_with("git:")
        || word.starts_with("gh:")
        || word.contains("://")
        || word.starts_with(['.', '/', '~'])
        || (word.contains('@') && word.contains(':'))
}

impl Typed {
    pub fn read(word: &str) -> Result<Self, NoSource> {
        let wrong = || NoSource(word.to_owned());
        let is_path = word.starts_with(['.', '/', '~']);
        if is_path {
            let (path, folder) = split_folder(word, 0);
            let from = Provenance::Path(path.to_owned());
            return Ok(Self { from, folder: checked(folder).ok_or_else(wrong)?, rev: None });
        }
        let url = match (word.strip_prefix("git:"), word.strip_prefix("gh:")) {
            // That is the protocol of the same name, of which nobody knows who answers.
            (Some(url), _) if url.starts_with("//") => return Err(wrong()),
            (Some(url), _) => url.to_owned(),
            (_, Some(path)) if path.split('/').filter(|it| !it.is_empty()).count() < 2 => {
                return Err(wrong());
            }
            (_, Some(path)) => format!("https://github.com/{path}"),
            _ => word.to_owned(),
        };
        let path = path_of(&url);
        let (rest, rev) = match url[path..].rsplit_once('@') {
            Some((before, rev)) if !rev.is_empty() => (&url[..path + before.len()], Some(rev)),
            _ => (&*url, None),
        };
        let (address, folder) = split_folder(rest, path);
        let is_known = match address.split_once("://") {
            Some((scheme, _)) => ["https", "ssh", "file"].contains(&scheme),
            // `host:path` is ssh, and what begins with a slash is a directory; `ext::` is neither.
            None => {
                !address.contains("::")
                    && (address.contains(':') || address.starts_with(['/', '.']))
            }
        };
        let is_rev =
            |rev: &str| is_address(rev) && !rev.contains([' ', '~', '^', ':', '?', '*', '[', '\\']);
        if !is_known || !is_address(address) || rev.is_some_and(|rev| !is_rev(rev)) {
            return Err(wrong());
        }
        Ok(Self {
            from: Provenance::Git(address.to_owned()),
            folder: checked(folder).ok_or_else(wrong)?,
            rev: rev.map(str::to_owned),
        })
    }

    /// A name for the package: that of its folder, or of its repository.
    pub fn name(&self) -> String {
        let (Provenance::Git(path) | Provenance::Path(path)) = &self.from;
        let whole = if self.folder.is_empty() { path } else { &self.folder };
        let last = whole.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
        let name = last.strip_suffix(".git").unwrap_or(last);
        let plain = name
            .chars()
            .map(|it| if it.is_alphanumeric() || "-_.".contains(it) { it } else { '-' });
        let name: String = plain.take(64).collect();
        let name = name.trim_matches(['-', '.']);
        if name.is_empty() { "package".to_owned() } else { name.to_owned() }
    }
}

/// The beginning of a URL's path, behind its host.
fn path_of(url: &str) -> usize {
    match url.find("://") {
        Some(at) => url[at + 3..].find('/').map_or(url.len(), |slash| at + 3 + slash),
        None if url.starts_with(['/', '.']) => 0,
        None => url.find(':').map_or(0, |colon| colon + 1),
    }
}

fn split_folder(text: &str, from: usize) -> (&str, &str) {
    match text[from..].find("//").filter(|at| from + at > 0) {
        Some(at) => (&text[..from + at], &text[from + at + 2..]),
        None => (text, ""),
    }
}

/// A folder without slashes at its ends; `None` where it leads elsewhere.
fn checked(folder: &str) -> Option<String> {
    let folder = folder.trim_matches('/');
    let is_plain = folder.is_empty() || crate::machine::trees::check_path(folder).is_ok();
    is_plain.then(|| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_read_as_it_is_typed() {
        let git = |url: &str| Provenance::Git(url.to_owned());
        let path = |path: &str| Provenance::Path(path.to_owned());
        let rows = [
            ("git:https://h.org/t/hooks.git", git("https://h.org/t/hooks.git"), "", None, "hooks"),
            (
                "git:https://h.org/t/hooks@v1.4",
                git("https://h.org/t/hooks"),
                "",
                Some("v1.4"),
                "hooks",
            ),
            (
                "https://me@h.org/t/hooks@a/b",
                git("https://me@h.org/t/hooks"),
                "",
                Some("a/b"),
                "hooks",
            ),
            ("gh:o/r//sub/dir@v1", git("https://github.com/o/r"), "sub/dir", Some("v1"), "dir"),
            ("git:git@h.org:o/r.git@main", git("git@h.org:o/r.git"), "", Some("main"), "r"),
            ("git@h.org:o/r.git", git("git@h.org:o/r.git"), "", None, "r"),
            ("ssh://git@h.org:22/o/r//x", git("ssh://git@h.org:22/o/r"), "x", None, "x"),
            ("file:///srv/r@v1", git("file:///srv/r"), "", Some("v1"), "r"),
            ("git:/srv/r.git//a", git("/srv/r.git"), "a", None, "a"),
            ("../team//hooks", path("../team"), "hooks", None, "hooks"),
            ("/srv/team", path("/srv/team"), "", None, "team"),
            (".", path("."), "", None, "package"),
        ];
        for (word, from, folder, rev, name) in rows {
            assert!(is_source(word), "{word}");
            let found = Typed::read(word).unwrap();
            let expected = Typed { from, folder: folder.to_owned(), rev: rev.map(str::to_owned) };
            assert_eq!(found, expected, "{word}");
            assert_eq!(found.name(), name, "{word}");
        }
        for word in [
            "git:ext::sh -c id",
            "git:http://h.org/r",
            "git:git://h.org/r",
            "git://h.org/r",
            "git:--upload-pack=x",
            "git:https://h.org/r//../x",
            "git:https://h.org/r//.git",
            "git:https://h.org/r@-x",
            "git:https://h.org/r\n",
            "gh:",
            "gh:o/",
            "../x//..",
        ] {
            assert!(is_source(word), "{word}");
            let found = Typed::read(word);
            assert!(found.is_err(), "{word}: {found:?}");
        }
        assert!(!is_source("protect") && !is_source("team/no-secrets"));
    }
}

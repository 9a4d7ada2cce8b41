//! `hookman.lock`: the commit and the content of each package, and of each hook what it runs.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::client::event::Event;
use crate::manifest::edit::string;
use crate::manifest::package::{Package, Provenance, version};
use crate::manifest::{Absent, OnError};

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Lock {
    pub package: Vec<Locked>,
    /// The manifest's own hooks, each in a line.
    pub own: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Locked {
    pub name: String,
    /// The repository; empty for a path.
    pub git: String,
    /// The directory; empty for a repository.
    pub path: String,
    /// The directory in it.
    pub folder: String,
    /// The tag, branch or commit that the manifest names.
    pub rev: String,
    pub commit: String,
    /// The SHA-256 of its files.
    pub tree: String,
    /// Each hook with the hashes of its definition and of the files that it runs.
    pub hooks: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
#[error("{0}; `hookman lock` makes it again")]
pub struct Unreadable(String);

const HEAD: &str = "\
# What the packages of hookman.toml were when somebody looked at them. It is made by hookman, and
# belongs in git with the manifest; `hookman lock` settles a merge.
";

pub fn next_to(manifest: &Path) -> PathBuf {
    manifest.with_extension("lock")
}

impl Lock {
    pub fn parse(text: &str) -> Result<Self, Unreadable> {
        toml::from_str(text).map_err(|error| Unreadable(error.message().trim().to_owned()))
    }

    /// Reads a lock that a merge left in two minds: both sides' packages, and those with different commits.
    pub fn merged(text: &str) -> (Self, Vec<Locked>) {
        let side = |kept: bool| {
            let mut within = None;
            let lines = text.lines().filter(|line| {
                let mark = line.get(..7).unwrap_or_default();
                match mark {
                    "<<<<<<<" => within = Some(true),
                    "|||||||" => within = None,
                    "=======" => within = Some(false),
                    ">>>>>>>" => {}
                    _ => return within.is_none_or(|ours| ours == kept),
                }
                if mark == ">>>>>>>" {
                    within = None;
                }
                false
            });
            Self::parse(&lines.collect::<Vec<_>>().join("\n")).unwrap_or_default()
        };
        let both = [side(true), side(false)];
        let all = both.iter().flat_map(|it| &it.package);
        let differs =
            |one: &Locked, other: &Locked| one.is_like(other) && one.commit != other.commit;
        let (disputed, package) =
            all.clone().cloned().partition(|it| all.clone().any(|other| differs(it, other)));
        (Self { package, own: both[0].own.clone() }, disputed)
    }

    /// The text of a lock; nothing where it locks nothing.
    pub fn text(&self) -> Option<String> {
        if self.package.is_empty() && self.own.is_empty() {
            return None;
        }
        let mut text = HEAD.to_owned();
        if !self.own.is_empty() {
            text.push_str("\nown = [\n");
            list(&mut text, &self.own);
        }
        for package in &self.package {
            text.push_str("\n[[package]]\n");
            let rows = [
                ("name", &package.name),
                ("git", &package.git),
                ("path", &package.path),
                ("folder", &package.folder),
                ("rev", &package.rev),
                ("commit", &package.commit),
                ("tree", &package.tree),
            ];
            for (key, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{key:6} = {}", string(value));
            }
            text.push_str("hooks  = [\n");
            list(&mut text, &package.hooks);
        }
        Some(text)
    }

    pub fn of(&self, package: &Package) -> Option<&Locked> {
        self.package.iter().find(|it| it.is_of(package))
    }

    pub fn with_name(&self, name: &str) -> Option<&Locked> {
        self.package.iter().find(|it| it.name == name)
    }

    pub fn has(&self, line: &str) -> bool {
        self.package.iter().flat_map(|it| &it.hooks).chain(&self.own).any(|it| it == line)
    }

    /// The `on_error` of the hook with this name; `None` if the lock has no such hook.
    pub fn on_error(&self, name: &str) -> Option<Option<&str>> {
        let mut lines = self.package.iter().flat_map(|it| &it.hooks).chain(&self.own);
        let line = lines.find(|line| line.split(' ').next() == Some(name))?;
        Some(line.split(' ').find_map(|word| word.strip_prefix("on_error=")))
    }

    /// Both locks in one; of two entries of a package the second's.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        if *other == Self::default() {
            return self.clone();
        }
        let kept =
            self.package.iter().filter(|it| !other.package.iter().any(|new| new.is_like(it)));
        let package = kept.chain(&other.package).cloned().collect();
        Self { package, own: other.own.clone() }
    }
}

impl Locked {
    /// Its name with its revision, such as `team@v1.4.0`.
    pub fn version(&self) -> String {
        version(&self.name, &self.rev)
    }

    pub fn named(package: &Package) -> Self {
        let (git, path) = match &package.from {
            Provenance::Git(url) => (url.clone(), String::new()),
            Provenance::Path(path) => (String::new(), path.clone()),
        };
        let Package { name, folder, rev, .. } = package.clone();
        Self { name, git, path, folder, rev: rev.unwrap_or_default(), ..Self::default() }
    }

    pub fn is_of(&self, package: &Package) -> bool {
        self.is_like(&Self::named(package))
    }

    pub fn absent(&self) -> Vec<Absent> {
        let hook = |line: &String| {
            let value = |key: &str| line.split(' ').find_map(|word| word.strip_prefix(key));
            let events = value("events=")?.split(',').filter_map(Event::from_name).collect();
            let on_error = value("on_error=").and_then(OnError::from_name).unwrap_or_default();
            Some(Absent { name: line.split(' ').next()?.to_owned(), events, on_error })
        };
        self.hooks.iter().filter_map(hook).collect()
    }

    /// Returns whether it is about the same package in the same revision.
    pub fn is_like(&self, other: &Self) -> bool {
        let what = |it: &Self| [&it.name, &it.git, &it.path, &it.folder, &it.rev].map(Clone::clone);
        what(self) == what(other)
    }
}

fn list(text: &mut String, lines: &[String]) {
    for line in lines {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    {},", string(line));
    }
    text.push_str("]\n");
}

//! The place of a new hook in a manifest, and the values that are set in it.

use anyhow::{Result, bail};

use crate::manifest::edit::{self, Place};

#[derive(Clone, Debug, Default)]
pub(crate) struct Placement {
    pub(crate) place: Option<Place>,
    pub(crate) settings: String,
}

impl Placement {
    /// Reads the words of a user: a hook to come before or after, and keys with values.
    pub(crate) fn of(before: Option<&str>, after: Option<&str>, set: &[String]) -> Result<Self> {
        let before = before.map(|name| Place::Before(name.to_owned()));
        let after = after.map(|name| Place::After(name.to_owned()));
        let mut settings = String::new();
        for typed in set {
            match edit::setting(typed) {
                Some(line) => settings.push_str(&line),
                None => bail!(
                    "`--set {typed}` is no `KEY=VALUE`, such as `level=block` or `levels.rm=block`"
                ),
            }
        }
        Ok(Self { place: before.or(after), settings })
    }

    /// The block of a ready-made hook, with the options that it gets besides.
    pub(crate) fn block(&self, builtin: &str, more: &str) -> String {
        let (own, options): (Vec<&str>, Vec<&str>) =
            self.settings.split_inclusive('\n').partition(|line| is_own(line));
        let block = format!("[[hook]]\nbuiltin = \"{builtin}\"\n{}", own.concat());
        match options.concat() + more {
            options if options.is_empty() => block,
            options => format!("{block}[hook.options]\n{options}"),
        }
    }

    /// The lines of the settings, each with the whole path of its key in the hook.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        let whole =
            |line: &str| if is_own(line) { line.to_owned() } else { format!("options.{line}") };
        self.settings.lines().map(whole)
    }

    pub(crate) fn add(&self, text: &str, block: &str) -> Result<String> {
        match &self.place {
            None => Ok(edit::add_block(text, block)),
            Some(place) => Ok(edit::add_at(text, block, place)?),
        }
    }
}

/// Returns whether a line sets a key of every hook's, and no option of a ready-made one.
fn is_own(line: &str) -> bool {
    ["mode = ", "on_error = ", "timeout = "].iter().any(|key| line.starts_with(key))
}

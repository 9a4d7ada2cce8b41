//! Switching a hook for good: its key `enabled`, as text.

use std::ops::Range;

use toml::Spanned;
use toml::de::DeTable;

/// The reason why a manifest's text cannot be edited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unclear {
    #[error("{0}")]
    Syntax(String),
    #[error("it declares no hook `{0}`")]
    Undeclared(String),
    #[error("the hook `{0}` is written in one line; change it by hand")]
    OneLine(String),
    #[error("it is written in a form that is not edited; change it by hand")]
    Edited,
    /// This entry of `project_not` hits more than the project.
    #[error("`project_not = \"{0}\"` is about more than this project; change it by hand")]
    Wider(String),
}

/// The text with the hook `name`, of a package `PACKAGE/NAME`, switched on or off for good by a line
/// `enabled = false`. Fails when the text is not TOML, has no such hook, or has it in a form that cannot be
/// edited surely.
pub fn set_enabled(text: &str, name: &str, on: bool) -> Result<String, Unclear> {
    let document = parsed(text)?;
    let table = hook(document.get_ref(), name)?;
    let edited = match (table.get_key_value("enabled"), on) {
        (Some((_, value)), _) if value.get_ref().as_bool() == Some(on) => {
            return Ok(text.to_owned());
        }
        (None, true) => return Ok(text.to_owned()),
        (Some((key, value)), true) => without(text, &key.span(), &value.span(), "true"),
        (Some((_, value)), false) => {
            [&text[..value.span().start], "false", &text[value.span().end..]].concat()
        }
        (None, false) => with_line(text, table, name, "enabled = false")?,
    };
    if DeTable::parse(&edited).is_err() {
        return Err(Unclear::Edited);
    }
    Ok(edited)
}

/// The text without the line of a flag; where more is on it, with the `usual` value instead.
pub(super) fn without(text: &str, key: &Range<usize>, value: &Range<usize>, usual: &str) -> String {
    let line = line_of(text, key.start);
    let is_alone = text[line.start..key.start].trim().is_empty()
        && text[value.end..line.end].trim().is_empty();
    if is_alone {
        return [&text[..line.start], &text[line.end..]].concat();
    }
    [&text[..value.start], usual, &text[value.end..]].concat()
}

pub(super) fn parsed(text: &str) -> Result<Spanned<DeTable<'_>>, Unclear> {
    DeTable::parse(text).map_err(|error| Unclear::Syntax(error.message().to_owned()))
}

pub(super) fn hook<'t, 'i>(
    document: &'t DeTable<'i>,
    name: &str,
) -> Result<&'t DeTable<'i>, Unclear> {
    let hooks = document.get("hook").and_then(|hooks| hooks.get_ref().as_array());
    let is_it = |table: &&DeTable<'_>| is_named(name, |key| table.get(key)?.get_ref().as_str());
    hooks
        .and_then(|hooks| hooks.iter().filter_map(|hook| hook.get_ref().as_table()).find(is_it))
        .ok_or_else(|| Unclear::Undeclared(name.to_owned()))
}

/// Returns whether a name is that of the hook with these values, of which a package's is `PACKAGE/NAME`, too.
pub(super) fn is_named<'t>(name: &str, value: impl Fn(&str) -> Option<&'t str>) -> bool {
    let (own, package) = (value("name").or_else(|| value("builtin")), value("package"));
    own == Some(name) || package.zip(own).is_some_and(|it| name.split_once('/') == Some(it))
}

/// The text with one more line behind the hook's first key.
pub(super) fn with_line(
    text: &str,
    table: &DeTable<'_>,
    name: &str,
    added: &str,
) -> Result<String, Unclear> {
    let (key, value) = ["name", "builtin"]
        .iter()
        .find_map(|key| table.get_key_value(*key))
        .ok_or_else(|| Unclear::Undeclared(name.to_owned()))?;
    let (line, end) = (line_of(text, key.span().start), line_of(text, value.span().end));
    let indent = &text[line.start..key.span().start];
    if !indent.trim().is_empty() {
        return Err(Unclear::OneLine(name.to_owned()));
    }
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let before = &text[..end.end];
    let open = if before.ends_with('\n') { "" } else { newline };
    Ok([before, open, indent, added, newline, &text[end.end..]].concat())
}

/// The line around a place, with its end.
pub(super) fn line_of(text: &str, at: usize) -> Range<usize> {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_for_good_touches_one_line() {
        let off =
            "[[hook]]\nname = \"a\" # the first\nenabled = false\n\n[[hook]]\nbuiltin = \"b\"\n";
        let on = "[[hook]]\nname = \"a\" # the first\n\n[[hook]]\nbuiltin = \"b\"\n";
        let unsure = "the hook `a` is written in one line; change it by hand";
        let rows: &[(&str, &str, bool, Result<&str, &str>)] = &[
            (on, "a", false, Ok(off)),
            (off, "a", true, Ok(on)),
            (on, "a", true, Ok(on)),
            (off, "a", false, Ok(off)),
            (
                "[[hook]]\n  builtin=\"b\"",
                "b",
                false,
                Ok("[[hook]]\n  builtin=\"b\"\n  enabled = false\n"),
            ),
            (
                "[[hook]]\r\nname='a'\r\n",
                "a",
                false,
                Ok("[[hook]]\r\nname='a'\r\nenabled = false\r\n"),
            ),
            (
                "[[hook]]\nname = \"a\"\nenabled = false # loud\n",
                "a",
                true,
                Ok("[[hook]]\nname = \"a\"\nenabled = true # loud\n"),
            ),
            (
                "hook = [{ name = \"a\", enabled = true }]\n",
                "a",
                false,
                Ok("hook = [{ name = \"a\", enabled = false }]\n"),
            ),
            ("hook = [{ name = \"a\" }]\n", "a", false, Err(unsure)),
            (on, "c", false, Err("it declares no hook `c`")),
        ];
        for (text, name, on, expected) in rows {
            let found = set_enabled(text, name, *on).map_err(|unclear| unclear.to_string());
            let found = found.as_deref().map_err(String::as_str);
            assert_eq!(found, *expected, "{text:?} {name} {on}");
        }
    }
}

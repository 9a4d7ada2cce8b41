//! Changing the `[[package]]`s of a manifest as text, so that comments and layout stay.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::edit::{lines, list, of_rows, string};
use super::enabled::line_of;
use super::package::{PLUGIN, Package, Provenance};

pub fn block(package: &Package) -> String {
    let Package { name, from, folder, rev, hooks, .. } = package;
    let mut rows = vec![("name", string(name))];
    match from {
        Provenance::Git(url) => rows.push(match url.strip_prefix(PLUGIN) {
            Some(plugin) => ("plugin", string(plugin)),
            None => ("git", string(url)),
        }),
        Provenance::Path(path) => rows.push(("path", string(path))),
    }
    rows.extend((!folder.is_empty()).then(|| ("folder", string(folder))));
    rows.extend(rev.as_deref().map(|rev| ("rev", string(rev))));
    rows.extend(hooks.as_deref().map(|hooks| ("hooks", list(hooks))));
    of_rows("[[package]]", &rows)
}

pub fn hook_block(package: &str, name: &str) -> String {
    format!("[[hook]]\npackage = {}\nname = {}\n", string(package), string(name))
}

/// The text without a package and the hooks that change it; `None` where that cannot be done.
pub fn remove(text: &str, name: &str) -> Option<String> {
    let (document, _) = DeTable::parse_recoverable(text);
    let items = |key: &str| document.get_ref().get(key).and_then(|it| it.get_ref().as_array());
    let says = |item: &&Spanned<DeValue<'_>>, key: &str| {
        let table = item.get_ref().as_table();
        table.and_then(|it| it.get(key)?.get_ref().as_str()).is_some_and(|it| it == name)
    };
    let package = items("package")?.iter().find(|it| says(it, "name"))?;
    let hooks = items("hook").into_iter().flatten().filter(|it| says(it, "package"));
    let mut ranges: Vec<Range<usize>> = hooks.map(|it| lines(text, it)).collect();
    ranges.push(lines(text, package));
    ranges.sort_by_key(|range| range.start);
    let mut kept = String::new();
    let mut from = 0;
    for Range { start, end } in ranges {
        kept.push_str(text.get(from..start.max(from))?);
        from = end.max(from);
    }
    kept.push_str(&text[from..]);
    Some(kept)
}

/// The text with another revision of a package; `None` where it has no such package.
pub fn set_rev(text: &str, name: &str, rev: &str) -> Option<String> {
    replaced(text, name, &[("rev", Some(format!("rev = {}", string(rev))))])
}

/// The text with other hooks of a package that names its hooks; `None` where it has no such package.
pub fn set_hooks(text: &str, name: &str, hooks: &[String]) -> Option<String> {
    replaced(text, name, &[("hooks", Some(format!("hooks = {}", list(hooks))))])
}

/// The text with a directory in the place of a package's repository; `None` where it has no such package.
pub fn set_path(text: &str, name: &str, path: &str) -> Option<String> {
    let path = format!("path = {}", string(path));
    let (git, plugin) = (("git", Some(path.clone())), ("plugin", Some(path)));
    replaced(text, name, &[git, plugin, ("rev", None), ("folder", None)])
}

/// The text with other words in the place of some of a package's keys, or without their lines.
fn replaced(text: &str, name: &str, keys: &[(&str, Option<String>)]) -> Option<String> {
    let (document, _) = DeTable::parse_recoverable(text);
    let packages = document.get_ref().get("package")?.get_ref().as_array()?;
    let is_it =
        |table: &&DeTable<'_>| table.get("name").and_then(|it| it.get_ref().as_str()) == Some(name);
    let table = packages.iter().filter_map(|it| it.get_ref().as_table()).find(is_it)?;
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for (key, words) in keys {
        let Some((found, value)) = table.get_key_value(*key) else { continue };
        let whole = found.span().start..value.span().end;
        match words {
            Some(words) => {
                // The equals sign stays where the layout of the table has it, if there is room.
                let between = &text[found.span().end..value.span().start];
                let width = found.span().len() + between.find('=')?;
                let (key, value) = words.split_once(" = ")?;
                let width = width.max(key.len() + usize::from(between.starts_with(' ')));
                edits.push((whole, format!("{key:width$}{}{value}", between.trim_start())));
            }
            None => {
                let lines = line_of(text, whole.start).start..line_of(text, whole.end).end;
                edits.push((lines, String::new()));
            }
        }
    }
    edits.sort_by_key(|(range, _)| range.start);
    // In a table on one line the keys have no lines of their own.
    if edits.windows(2).any(|pair| pair[0].0.end > pair[1].0.start) {
        return None;
    }
    let mut after = text.to_owned();
    for (range, words) in edits.into_iter().rev() {
        after.replace_range(range, &words);
    }
    toml::from_str::<toml::Table>(&after).is_ok().then_some(after)
}

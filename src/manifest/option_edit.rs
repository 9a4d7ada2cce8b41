//! Setting an option of a hook that a manifest declares, as text.

use toml::de::DeTable;
use toml::{Spanned, Table, Value};

use super::edit;
use super::enabled::{Unclear, hook, is_named, line_of, parsed, with_line};

/// The text with an option of the hook `name` set by `line`, such as `options.levels.rm = "block"`. Fails
/// when the text is not TOML, has no such hook, or its options take no further line.
pub fn set_option(text: &str, name: &str, line: &str) -> Result<String, Unclear> {
    let document = parsed(text)?;
    let table = hook(document.get_ref(), name)?;
    let (path, value) = line.trim().split_once(" = ").ok_or(Unclear::Edited)?;
    let path: Vec<&str> = path.split('.').collect();
    let wanted = with(text, name, &path, value)?;
    let is_wanted = |text: &String| toml::from_str(text).is_ok_and(|it: Table| it == wanted);
    candidates(text, name, table, (&path, value)).into_iter().find(is_wanted).ok_or(Unclear::Edited)
}

/// Texts of which one may have the value: in the place of the old one, or behind another on its path.
fn candidates(
    text: &str,
    name: &str,
    hook: &DeTable<'_>,
    (path, value): (&[&str], &str),
) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = hook;
    for (depth, key) in path.iter().enumerate() {
        let Some(inner) = at.get(*key) else { break };
        if depth + 1 == path.len() {
            let span = inner.span();
            found.push([&text[..span.start], value, &text[span.end..]].concat());
        }
        let Some(table) = inner.get_ref().as_table() else { break };
        at = table;
        let mut ends: Vec<usize> = table.values().map(last).collect();
        ends.push(inner.span().end);
        ends.sort_unstable();
        for end in ends.into_iter().rev() {
            let line = line_of(text, end);
            let newline = if text[line.clone()].ends_with("\r\n") { "\r\n" } else { "\n" };
            let before = &text[..line.end];
            let open = if before.ends_with('\n') { "" } else { newline };
            // The table is one of its own, or its keys are written with dots in one further out.
            found.extend((0..=depth + 1).rev().map(|from| {
                let key = path[from..].join(".");
                [before, open, &key, " = ", value, newline, &text[line.end..]].concat()
            }));
        }
    }
    let line = format!("{} = {value}", path.join("."));
    found.extend(with_line(text, hook, name, &line));
    found
}

fn last(value: &Spanned<toml::de::DeValue<'_>>) -> usize {
    edit::last(value).max(value.span().end)
}

/// The document as it is to be read afterwards.
fn with(text: &str, name: &str, path: &[&str], value: &str) -> Result<Table, Unclear> {
    let syntax = |error: toml::de::Error| Unclear::Syntax(error.message().to_owned());
    let mut document: Table = toml::from_str(text).map_err(syntax)?;
    let set: Table = toml::from_str(&format!("x = {value}")).map_err(syntax)?;
    let hooks = document.get_mut("hook").and_then(Value::as_array_mut).into_iter().flatten();
    let is_it = |hook: &&mut Table| is_named(name, |key| hook.get(key).and_then(Value::as_str));
    let mut table = hooks.filter_map(Value::as_table_mut).find(is_it).ok_or(Unclear::Edited)?;
    let (key, above) = path.split_last().ok_or(Unclear::Edited)?;
    for part in above {
        let inner = table.entry(*part).or_insert_with(|| Value::Table(Table::new()));
        table = inner.as_table_mut().ok_or(Unclear::Edited)?;
    }
    table.insert((*key).to_owned(), set["x"].clone());
    Ok(document)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_set_where_a_person_would_write_it() {
        let hook = "[[hook]]\nbuiltin = \"a\"";
        let behind = "\n[[hook]]\nbuiltin = \"b\"\n";
        let rows = [
            ("\n", "level = 1", "\noptions.level = 1\n"),
            ("", "levels.rm = 1", "\noptions.levels.rm = 1\n"),
            (" # first\r\n", "level = 1", " # first\r\noptions.level = 1\r\n"),
            ("\noptions.level = 2 # why\n", "level = 1", "\noptions.level = 1 # why\n"),
            ("\noptions.x = 2\n", "level = 1", "\noptions.x = 2\noptions.level = 1\n"),
            ("\n[hook.options]\nx = 2\n", "l.y = 1", "\n[hook.options]\nx = 2\nl.y = 1\n"),
            ("\n[hook.options]\nl.x = 2\n", "l.y = 1", "\n[hook.options]\nl.x = 2\nl.y = 1\n"),
            ("\n[hook.options.l]\nx = 2\n", "l.y = 1", "\n[hook.options.l]\nx = 2\ny = 1\n"),
            (
                "\n[hook.options]\nx = 2\n[hook.options.l]\ny = 3\n",
                "z = 1",
                "\n[hook.options]\nx = 2\nz = 1\n[hook.options.l]\ny = 3\n",
            ),
            ("\n[hook.options]\n# none yet\n", "x = 1", "\n[hook.options]\nx = 1\n# none yet\n"),
            ("\n[hook.options.l]\nx = [\n 2,\n]\n", "l.x = 1", "\n[hook.options.l]\nx = 1\n"),
        ];
        for (before, line, after) in rows {
            for (behind, is_last) in [("", true), (behind, false)] {
                if !is_last && !before.ends_with('\n') {
                    continue;
                }
                let found =
                    set_option(&format!("{hook}{before}{behind}"), "a", &format!("options.{line}"));
                assert_eq!(found.as_deref(), Ok(&*format!("{hook}{after}{behind}")), "{before}");
            }
        }
        let inline = format!("{hook}\noptions = {{ x = 2 }}\n");
        assert_eq!(set_option(&inline, "a", "options.y = 1"), Err(Unclear::Edited));
        let replaced = format!("{hook}\noptions = {{ x = 1 }}\n");
        assert_eq!(set_option(&inline, "a", "options.x = 1"), Ok(replaced));
        assert_eq!(set_option(hook, "b", "timeout = 1"), Err(Unclear::Undeclared("b".to_owned())));
    }
}

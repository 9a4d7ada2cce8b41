//! Switching a hook in one project for good: `project` and `project_not` of its `when`, as text.

use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table};

use super::edit;
use super::enabled::{Unclear, hook, is_named, line_of, parsed, set_enabled, with_line};

pub struct Project<'a> {
    pub name: &'a str,
    pub is_hit: &'a dyn Fn(&str) -> bool,
}

/// The text with the hook `name` switched on or off in one project; comments and layout stay. Off names the
/// project in `project_not`. On takes it out of there, and has a hook that is off everywhere, or named for
/// other projects, run in this one too.
pub fn set_in_project(
    text: &str,
    name: &str,
    project: &Project<'_>,
    on: bool,
) -> Result<String, Unclear> {
    let document = parsed(text)?;
    let table = hook(document.get_ref(), name)?;
    let is_off = table.get("enabled").and_then(|value| value.get_ref().as_bool()) == Some(false);
    let mut only = list(table, "project");
    let mut never = list(table, "project_not");
    let is_among = |globs: &[String]| globs.iter().any(|glob| (project.is_hit)(glob));
    let is_elsewhere = !only.is_empty() && !is_among(&only);
    if !on {
        if is_off || is_elsewhere || is_among(&never) {
            return Ok(text.to_owned());
        }
        never.push(project.name.to_owned());
        return with_list(text, name, "project_not", &never);
    }
    let mut edited = text.to_owned();
    if is_among(&never) {
        never.retain(|glob| glob != project.name);
        if let Some(wider) = never.iter().find(|glob| (project.is_hit)(glob)) {
            return Err(Unclear::Wider(wider.clone()));
        }
        edited = with_list(&edited, name, "project_not", &never)?;
    }
    if is_off {
        edited = set_enabled(&edited, name, true)?;
    }
    if is_elsewhere || (is_off && only.is_empty()) {
        only.push(project.name.to_owned());
        edited = with_list(&edited, name, "project", &only)?;
    }
    Ok(edited)
}

fn list(table: &DeTable<'_>, key: &str) -> Vec<String> {
    let when = table.get("when").and_then(|when| when.get_ref().as_table());
    match when.and_then(|when| when.get(key)).map(Spanned::get_ref) {
        Some(DeValue::String(text)) => vec![text.to_string()],
        Some(DeValue::Array(texts)) => {
            texts.iter().filter_map(|text| text.get_ref().as_str()).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// The text with a list in the hook's `when`, or without it where it is empty.
fn with_list(text: &str, name: &str, key: &str, wanted: &[String]) -> Result<String, Unclear> {
    let document = parsed(text)?;
    let table = hook(document.get_ref(), name)?;
    let value = edit::list(wanted);
    let edited = match table.get_key_value("when") {
        None => with_line(text, table, name, &format!("when = {{ {key} = {value} }}"))?,
        Some((when_key, when)) => {
            let inner = when.get_ref().as_table().ok_or(Unclear::Edited)?;
            let is_inline = text[when.span()].starts_with('{');
            let first = inner.keys().map(|key| key.span().start).min();
            match inner.get_key_value(key) {
                Some((_, old)) if !wanted.is_empty() => {
                    if text[old.span()].contains(['\n', '#']) {
                        return Err(Unclear::Edited);
                    }
                    [&text[..old.span().start], &value, &text[old.span().end..]].concat()
                }
                Some(_) if is_inline && inner.len() == 1 => {
                    without_line(text, when_key.span().start, when.span().end)?
                }
                Some((key, old)) if is_inline => {
                    let ends = inner.values().map(|value| value.span().end);
                    let before = ends.filter(|end| *end <= key.span().start).max();
                    let starts = inner.keys().map(|key| key.span().start);
                    let after = starts.filter(|start| *start >= old.span().end).min();
                    let (from, to) = match (before, after) {
                        (Some(before), _) => (before, old.span().end),
                        (None, after) => (key.span().start, after.ok_or(Unclear::Edited)?),
                    };
                    [&text[..from], &text[to..]].concat()
                }
                Some((key, old)) => without_line(text, key.span().start, old.span().end)?,
                None if is_inline => {
                    let last = inner.values().map(|value| value.span().end).max();
                    let (at, comma) = last.map_or((when.span().start + 1, " "), |at| (at, ", "));
                    format!("{}{comma}{key} = {value}{}", &text[..at], &text[at..])
                }
                None => {
                    let at = line_of(text, first.ok_or(Unclear::Edited)?).start;
                    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
                    format!("{}{key} = {value}{newline}{}", &text[..at], &text[at..])
                }
            }
        }
    };
    if is_change(text, &edited, name, key, wanted) { Ok(edited) } else { Err(Unclear::Edited) }
}

fn without_line(text: &str, start: usize, end: usize) -> Result<String, Unclear> {
    let (line, last) = (line_of(text, start), line_of(text, end));
    let is_alone =
        text[line.start..start].trim().is_empty() && text[end..last.end].trim().is_empty();
    if !is_alone {
        return Err(Unclear::Edited);
    }
    Ok([&text[..line.start], &text[last.end..]].concat())
}

/// Returns whether the edit changed this list and nothing else; a `when` that it leaves empty may go.
fn is_change(before: &str, after: &str, name: &str, key: &str, wanted: &[String]) -> bool {
    let read = |text: &str, wanted: Option<&[String]>| {
        let mut manifest: Table = text.parse().ok()?;
        let hooks = manifest.get_mut("hook")?.as_array_mut()?;
        let mut hooks = hooks.iter_mut().filter_map(|hook| hook.as_table_mut());
        let hook = hooks.find(|hook| is_named(name, |key| hook.get(key)?.as_str()))?;
        let when = hook.entry("when").or_insert_with(|| Table::new().into()).as_table_mut()?;
        match wanted {
            Some([]) => drop(when.remove(key)),
            Some(wanted) => drop(when.insert(key.to_owned(), wanted.to_vec().into())),
            None => {}
        }
        Some(manifest)
    };
    let after = read(after, None);
    after.is_some() && read(before, Some(wanted)) == after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_in_a_project_touches_one_list() {
        let hook = |rest: &str| format!("[[hook]]\nname = \"a\" # one\n{rest}event = \"Stop\"\n");
        let header =
            |rest: &str| format!("{}[hook.when]\n{rest}[[hook]]\nname = \"b\"\n", hook(""));
        let by_hand = "it is written in a form that is not edited; change it by hand";
        let rows: &[(bool, String, Result<String, &str>)] = &[
            (false, hook(""), Ok(hook("when = { project_not = [\"~/p\"] }\n"))),
            (false, hook("when = {}\n"), Ok(hook("when = { project_not = [\"~/p\"]}\n"))),
            (
                false,
                hook("when = { ci = false } # x\n"),
                Ok(hook("when = { ci = false, project_not = [\"~/p\"] } # x\n")),
            ),
            (
                false,
                hook("when = { project_not = \"/q\" }\n"),
                Ok(hook("when = { project_not = [\"/q\", \"~/p\"] }\n")),
            ),
            (false, header("ci = true\n"), Ok(header("project_not = [\"~/p\"]\nci = true\n"))),
            (false, hook("when.ci = true\n"), Err(by_hand)),
            (false, hook("when = { project_not = [\n\"/q\"] }\n"), Err(by_hand)),
            (false, hook("enabled = false\n"), Ok(hook("enabled = false\n"))),
            (
                false,
                hook("when = { project = \"/q\" }\n"),
                Ok(hook("when = { project = \"/q\" }\n")),
            ),
            (true, hook("when = { project_not = [\"~/p\"] }\n"), Ok(hook(""))),
            (
                true,
                hook("when = { project_not = [\"~/p\", \"/q\"], ci = true }\n"),
                Ok(hook("when = { project_not = [\"/q\"], ci = true }\n")),
            ),
            (
                true,
                hook("when = { project_not = \"~/p\", ci = true }\n"),
                Ok(hook("when = { ci = true }\n")),
            ),
            (
                true,
                hook("when = { ci = true, project_not = \"~/p\" }\n"),
                Ok(hook("when = { ci = true }\n")),
            ),
            (true, header("project_not = [\"~/p\"]\nci = true\n"), Ok(header("ci = true\n"))),
            (true, hook("enabled = false\n"), Ok(hook("when = { project = [\"~/p\"] }\n"))),
            (
                true,
                hook("when = { project = \"/q\" }\n"),
                Ok(hook("when = { project = [\"/q\", \"~/p\"] }\n")),
            ),
            (
                true,
                hook("when = { project_not = \"~/*\" }\n"),
                Err("`project_not = \"~/*\"` is about more than this project; change it by hand"),
            ),
            (true, hook(""), Ok(hook(""))),
        ];
        let project = Project { name: "~/p", is_hit: &|glob| matches!(glob, "~/p" | "~/*") };
        for (on, text, expected) in rows {
            let found =
                set_in_project(text, "a", &project, *on).map_err(|unclear| unclear.to_string());
            let expected = expected.clone().map_err(str::to_owned);
            assert_eq!(found, expected, "{text:?} {on}");
        }
    }
}

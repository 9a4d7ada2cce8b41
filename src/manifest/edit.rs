//! Changing a manifest as text, so that comments and layout stay.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::enabled::{hook, line_of, parsed, without};
use super::model::{Action, Manner, OnError, seconds};
use crate::client::Event;

/// The text with a hook added at its end, whose lines are `block`.
pub fn add_block(text: &str, block: &str) -> String {
    let mut text = text.to_owned();
    append(&mut text, block);
    text
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Above a hook and the comment on it.
    Before(String),
    After(String),
}

/// The hooks that a document declares, each with its name.
fn declared<'d, 't>(
    document: &'d DeTable<'t>,
) -> impl Iterator<Item = (&'d str, &'d Spanned<DeValue<'t>>)> {
    let hooks = document.get("hook").and_then(|hooks| hooks.get_ref().as_array());
    hooks.into_iter().flatten().filter_map(|hook| {
        let table = hook.get_ref().as_table()?;
        Some((table.get("name").or_else(|| table.get("builtin"))?.get_ref().as_str()?, hook))
    })
}

/// The text with a hook added at a place, whose lines are `block`.
pub fn add_at(text: &str, block: &str, place: &Place) -> Result<String, Undeclared> {
    let (Place::Before(name) | Place::After(name)) = place;
    let (document, _) = DeTable::parse_recoverable(text);
    let found = declared(document.get_ref()).find(|(declared, _)| declared == name);
    let (_, hook) = found.ok_or_else(|| Undeclared(name.clone()))?;
    let header = line_of(text, hook.span().start).start;
    let crlf = text.find('\n').is_some_and(|at| text[..at].ends_with('\r'));
    let (at, added) = match place {
        Place::Before(_) => {
            let mut at = header;
            for line in text[..header].split_inclusive('\n').rev() {
                if !line.starts_with('#') {
                    break;
                }
                at -= line.len();
            }
            (at, format!("{block}\n"))
        }
        Place::After(_) => (lines(text, hook).end, format!("\n{block}")),
    };
    let (before, after) = text.split_at(at);
    let open = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    let added = format!("{open}{added}");
    let added = if crlf { added.replace('\n', "\r\n") } else { added };
    Ok(format!("{before}{added}{after}"))
}

/// The line that sets a key, given as `KEY=VALUE`: the value as TOML, else as a text.
pub fn setting(typed: &str) -> Option<String> {
    let (key, value) = typed.split_once('=')?;
    let is_bare = |part: &str| {
        let mut letters = part.chars();
        !part.is_empty() && letters.all(|it| it.is_ascii_alphanumeric() || "_-".contains(it))
    };
    let (key, value) = (key.trim(), value.trim());
    if !key.split('.').all(is_bare) {
        return None;
    }
    let is_toml =
        !value.contains('\n') && toml::from_str::<toml::Table>(&format!("x = {value}")).is_ok();
    let value = if is_toml { value.to_owned() } else { string(value) };
    Some(format!("{key} = {value}\n"))
}

/// The reason why a key of `[defaults]` was not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unset {
    IsSet,
    /// `defaults` is written in a form to which no line can be added.
    Inline,
}

/// The text with `line`, which sets `key`, added to its `[defaults]`.
pub fn add_default(text: &str, key: &str, line: &str) -> Result<String, Unset> {
    let (document, _) = DeTable::parse_recoverable(text);
    let Some(defaults) = document.get_ref().get("defaults") else {
        return Ok(add_block(text, &format!("[defaults]\n{line}\n")));
    };
    let table = defaults.get_ref().as_table().ok_or(Unset::Inline)?;
    if table.contains_key(key) {
        return Err(Unset::IsSet);
    }
    let start = defaults.span().start;
    if !text[start..].starts_with('[') {
        return Err(Unset::Inline);
    }
    let end = last(defaults).max(defaults.span().end);
    let crlf = text[end..].find('\n').is_some_and(|at| text[..end + at].ends_with('\r'));
    let newline = if crlf { "\r\n" } else { "\n" };
    Ok(match text[end..].find('\n') {
        Some(at) => {
            let (before, behind) = text.split_at(end + at + 1);
            format!("{before}{line}{newline}{behind}")
        }
        None => format!("{text}{newline}{line}{newline}"),
    })
}

#[derive(Clone, Copy, Debug)]
pub struct NewHook<'a> {
    pub name: &'a str,
    /// Its events; one is written as a string, several as a list.
    pub events: &'a [Event],
    pub matcher: Option<&'a str>,
    /// Its action; a ready-made hook has a line of its own and is not written here.
    pub action: &'a Action,
    pub timeout_ms: Option<u64>,
    pub on_error: Option<OnError>,
    pub manner: &'a Manner,
    pub in_project: bool,
    /// The globs of its files; empty for all.
    pub paths: &'a [String],
    pub user_only: bool,
    /// The programs that it runs in; all that call the manifest's hooks where there is none.
    pub hosts: &'a [&'a str],
}

/// Adds a hook at the end of a text; gives exactly what was added.
pub fn add(text: &mut String, hook: &NewHook<'_>) -> String {
    append(text, &block(hook))
}

pub fn block(hook: &NewHook<'_>) -> String {
    let mut rows: Vec<(&str, String)> = vec![("name", string(hook.name))];
    rows.push(("event", events(hook.events)));
    rows.extend(hook.matcher.map(|matcher| ("matcher", string(matcher))));
    rows.extend(hook.manner.condition.as_deref().map(|condition| ("if", string(condition))));
    match hook.action {
        Action::Builtin { name, .. } => rows.push(("builtin", string(name))),
        Action::Command(line) => rows.push(("command", string(line))),
        Action::Argv(words) => rows.push(("argv", list(words))),
        Action::Passed(passed) => rows.push((passed.handler.name(), string(&passed.summary()))),
    }
    rows.extend(hook.timeout_ms.map(|limit| ("timeout", seconds(limit).to_string())));
    rows.extend(hook.on_error.map(|it| ("on_error", string(it.name()))));
    if !hook.paths.is_empty() {
        rows.push(("when", format!("{{ paths = {} }}", list(hook.paths))));
    }
    rows.extend(hook.in_project.then(|| ("cwd", string("project"))));
    rows.extend(hook.manner.parallel.then(|| ("parallel", "true".to_owned())));
    rows.extend(hook.manner.background.then(|| ("async", "true".to_owned())));
    let message = hook.manner.status_message.as_deref();
    rows.extend(message.map(|message| ("status_message", string(message))));
    rows.extend(hook.manner.adopted.then(|| ("adopted", "true".to_owned())));
    rows.extend(hook.user_only.then(|| ("switch", string("user"))));
    rows.extend((!hook.hosts.is_empty()).then(|| ("hosts", list(hook.hosts))));
    of_rows("[[hook]]", &rows)
}

/// A table with its head and its keys, whose values begin in one column.
pub(super) fn of_rows(head: &str, rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(key, _)| key.len()).max().unwrap_or_default();
    let mut table = format!("{head}\n");
    for (key, value) in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(table, "{key:width$} = {value}");
    }
    table
}

fn events(events: &[Event]) -> String {
    match events {
        [one] => string(one.name()),
        several => list(&Event::names(several)),
    }
}

/// Adds a block behind an empty line; gives what was added.
fn append(text: &mut String, block: &str) -> String {
    let crlf = text.find('\n').is_some_and(|at| text[..at].ends_with('\r'));
    let mut added = match text.as_str() {
        "" => String::new(),
        _ if text.ends_with("\n\n") || text.ends_with("\n\r\n") => String::new(),
        _ if text.ends_with('\n') => "\n".to_owned(),
        _ => "\n\n".to_owned(),
    };
    added.push_str(block);
    if crlf {
        added = added.replace('\n', "\r\n");
    }
    text.push_str(&added);
    added
}

/// The text with `hosts` at its top; nothing where it is `None`.
pub fn set_hosts(text: &str, hosts: Option<&[&str]>) -> String {
    let (document, _) = DeTable::parse_recoverable(text);
    let list = hosts.map(list);
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    match (document.get_ref().get("hosts"), list) {
        (None, None) => text.to_owned(),
        (Some(value), Some(list)) => {
            let Range { start, end } = value.span();
            format!("{}{list}{}", &text[..start], &text[end..])
        }
        (Some(value), None) => {
            let Range { start, end } = value.span();
            let (start, end) = (line_of(text, start).start, line_of(text, end).end);
            let rest = &text[end..];
            let is_apart = start == 0 || text[..start].ends_with(&newline.repeat(2));
            let rest = rest.strip_prefix(newline).filter(|_| is_apart).unwrap_or(rest);
            format!("{}{rest}", &text[..start])
        }
        (None, Some(list)) => {
            // Behind the comment on the file, which an empty line ends.
            let mut at = 0;
            for line in text.split_inclusive('\n') {
                if !line.starts_with('#') {
                    at += if line.trim().is_empty() { line.len() } else { 0 };
                    break;
                }
                at += line.len();
            }
            let is_head = text[..at].ends_with(&newline.repeat(2));
            let (before, behind) = text.split_at(if is_head { at } else { 0 });
            format!("{before}hosts = {list}{newline}{newline}{behind}")
        }
    }
}

/// The line of hooks written as one value, `hook = [{ … }]`, to which no `[[hook]]` can be added.
pub fn inline_hooks(text: &str) -> Option<usize> {
    let (document, _) = DeTable::parse_recoverable(text);
    let hooks = document.get_ref().get("hook")?;
    let start = hooks.span().start;
    let is_inline = text[start..].starts_with('[') && !text[start..].starts_with("[[");
    is_inline.then(|| text[..start].matches('\n').count() + 1)
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not declared in the manifest itself")]
pub struct Undeclared(String);

/// The text without hooks, each by its name and the block that was added for it or, changed, its table.
pub fn remove(text: &str, hooks: &[(&str, Option<&str>)]) -> Result<String, Undeclared> {
    let (document, _) = DeTable::parse_recoverable(text);
    let mut tables = BTreeMap::new();
    for (name, hook) in declared(document.get_ref()) {
        tables.entry(name).or_insert(hook);
    }
    let mut found = Vec::new();
    for (name, block) in hooks {
        let hook = tables.get(name).ok_or_else(|| Undeclared((*name).to_owned()))?;
        found.push((*hook, *block));
    }
    found.sort_by_key(|(hook, _)| hook.span().start);
    // From the end, as they were added. Of blocks that share an empty line, the later has it.
    let (mut kept, mut end) = (Vec::new(), text.len());
    for (hook, block) in found.into_iter().rev() {
        let exact = block.and_then(|block| exact(text, hook, block));
        let range = exact.filter(|it| it.end <= end).unwrap_or_else(|| lines(text, hook));
        kept.push(text.get(range.end..end).unwrap_or_default());
        end = range.start.min(end);
    }
    kept.push(&text[..end]);
    kept.reverse();
    Ok(kept.concat())
}

/// Finds the block that was added for a hook, if nobody changed it.
fn exact(text: &str, hook: &Spanned<DeValue<'_>>, block: &str) -> Option<Range<usize>> {
    let start = hook.span().start.checked_sub(block.find("[[hook]]")?)?;
    text.get(start..)?.starts_with(block).then(|| start..start + block.len())
}

/// From the empty line before a hook's header to the end of the line of its last value.
pub(super) fn lines(text: &str, hook: &Spanned<DeValue<'_>>) -> Range<usize> {
    let mut start = line_of(text, hook.span().start).start;
    let end = line_of(text, last(hook).max(hook.span().end)).end;
    for blank in ["\n\r\n", "\n\n"] {
        if text[..start].ends_with(blank) {
            start -= blank.len() - 1;
        }
    }
    start..end
}

/// Finds the end of the last value inside a value.
pub(super) fn last(value: &Spanned<DeValue<'_>>) -> usize {
    match value.get_ref() {
        DeValue::Table(table) => table.values().map(last).max().unwrap_or(value.span().end),
        _ => value.span().end,
    }
}

/// A TOML list of strings, on one line.
pub fn list(texts: &[impl AsRef<str>]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| string(text.as_ref())).collect();
    format!("[{}]", texts.join(", "))
}

/// A TOML string: literal where that spares backslashes.
pub fn string(text: &str) -> String {
    let control = |c: char| c.is_control();
    if text.contains(['"', '\\']) && !text.contains('\'') && !text.contains(control) {
        return format!("'{text}'");
    }
    // TOML has JSON's escapes, and asks for one more.
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

/// The text after an edit with the hooks that were moved past others they ran side by side with: each
/// without `parallel`, so that it runs where the person put it. Gives their names too.
pub fn settled(before: &str, after: &str) -> (String, Vec<String>) {
    let (old, mut now) = (side_by_side(before), side_by_side(after));
    now.retain(|name| old.contains(name));
    let mut moved = Vec::new();
    let mut text = after.to_owned();
    let place = |name: &String| old.iter().position(|it| it == name);
    loop {
        let crossed = |at: usize| {
            let is_crossed =
                |other: &usize| (*other < at) != (place(&now[*other]) < place(&now[at]));
            (0..now.len()).filter(|other| *other != at).filter(is_crossed).count()
        };
        // Of those that crossed as many, the first.
        let most = (0..now.len()).rev().max_by_key(|at| crossed(*at)).filter(|at| crossed(*at) > 0);
        let Some(at) = most else { return (text, moved) };
        let name = now.remove(at);
        // A form that cannot be edited stays as the person wrote it.
        if let Some(edited) = without_parallel(&text, &name) {
            text = edited;
            moved.push(name);
        }
    }
}

fn without_parallel(text: &str, name: &str) -> Option<String> {
    let document = parsed(text).ok()?;
    let (key, value) = hook(document.get_ref(), name).ok()?.get_key_value("parallel")?;
    Some(without(text, &key.span(), &value.span(), "false"))
}

/// The names of the hooks that are marked so, in their order.
fn side_by_side(text: &str) -> Vec<String> {
    let (document, _) = DeTable::parse_recoverable(text);
    let is_marked = |(_, hook): &(&str, &Spanned<DeValue<'_>>)| {
        let mark = hook.get_ref().get("parallel");
        mark.and_then(|it| it.get_ref().as_bool()) == Some(true)
    };
    declared(document.get_ref()).filter(is_marked).map(|(name, _)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook<'a>(action: &'a Action, manner: &'a Manner) -> NewHook<'a> {
        NewHook {
            name: "guard",
            events: &[Event::PreToolUse],
            matcher: Some("Bash"),
            action,
            timeout_ms: Some(2_500),
            on_error: Some(OnError::Open),
            manner,
            in_project: false,
            paths: &[],
            user_only: false,
            hosts: &[],
        }
    }

    #[test]
    fn a_hook_is_added_behind_an_empty_line_and_comes_out_again() {
        let action = Action::Command("echo \"it\" | tee 'x'\n".to_owned());
        let manner = Manner { parallel: true, ..Manner::default() };
        for text in ["", "# mine\n", "# mine", "[defaults]\r\ntimeout = 5\r\n", "x = 1\n\n"] {
            let mut with = text.to_owned();
            let block = add(&mut with, &hook(&action, &manner));
            assert!(with.starts_with(text));
            let without = remove(&with, &[("guard", Some(&block))]);
            assert_eq!(without.as_deref(), Ok(text), "{with}");
            assert_eq!(with.contains('\r'), text.contains('\r'));
        }
        let mut with = "# mine\n".to_owned();
        add(&mut with, &hook(&action, &manner));
        assert_eq!(
            with,
            "# mine\n\n[[hook]]\nname     = \"guard\"\nevent    = \"PreToolUse\"\nmatcher  = \
             \"Bash\"\ncommand  = \"echo \\\"it\\\" | tee 'x'\\n\"\ntimeout  = 2.5\non_error = \
             \"open\"\nparallel = true\n"
        );
    }

    #[test]
    fn a_hook_says_what_it_was_given_and_no_more() {
        let action = Action::Argv(vec!["ruff".to_owned(), "format".to_owned()]);
        let manner = Manner::default();
        let least = NewHook { timeout_ms: None, on_error: None, ..hook(&action, &manner) };
        let several =
            NewHook { events: &[Event::Stop, Event::SubagentStop], in_project: true, ..least };
        let rows = [
            (
                least,
                "name    = \"guard\"\nevent   = \"PreToolUse\"\nmatcher = \"Bash\"\nargv    = \
                 [\"ruff\", \"format\"]\n",
            ),
            (
                NewHook { matcher: None, ..several },
                "name  = \"guard\"\nevent = [\"Stop\", \"SubagentStop\"]\nargv  = [\"ruff\", \
                 \"format\"]\ncwd   = \"project\"\n",
            ),
        ];
        for (hook, expected) in rows {
            assert_eq!(add(&mut String::new(), &hook), format!("[[hook]]\n{expected}"));
        }
    }

    #[test]
    fn a_hook_that_was_edited_goes_with_its_lines() {
        let text = "# top\n\n[[hook]]\nname = \"a\"\n[hook.options]\nx = [\n 1,\n] # last\n\n# \
                    of b\n[[hook]]\nname = \"guard\" # kept short\nargv = [\"x\"]\n\n# end\n";
        assert_eq!(
            remove(text, &[("guard", None)]).unwrap(),
            "# top\n\n[[hook]]\nname = \"a\"\n[hook.options]\nx = [\n 1,\n] # last\n\n# of b\n\n# end\n"
        );
        assert_eq!(
            remove(text, &[("a", Some("not there"))]).unwrap(),
            "# top\n\n# of b\n[[hook]]\nname = \"guard\" # kept short\nargv = [\"x\"]\n\n# end\n"
        );
        let both = remove(text, &[("guard", None), ("a", None)]);
        assert_eq!(both.as_deref(), Ok("# top\n\n# of b\n\n# end\n"));
        assert_eq!(remove(text, &[("c", None)]), Err(Undeclared("c".to_owned())));
    }

    #[test]
    fn a_default_is_added_behind_those_there_are() {
        let added = |text: &str| add_default(text, "a", "a = 1");
        for (text, expected) in [
            ("", Ok("[defaults]\na = 1\n")),
            (
                "# mine\n[[hook]]\nname = \"x\"\n",
                Ok("# mine\n[[hook]]\nname = \"x\"\n\n[defaults]\na = 1\n"),
            ),
            ("[defaults] # all\n\n[[hook]]\n", Ok("[defaults] # all\na = 1\n\n[[hook]]\n")),
            (
                "[defaults]\r\nb = 1 # b\r\n# c\r\n",
                Ok("[defaults]\r\nb = 1 # b\r\na = 1\r\n# c\r\n"),
            ),
            ("[defaults]\nb = [\n 1,\n]", Ok("[defaults]\nb = [\n 1,\n]\na = 1\n")),
            ("[defaults]\na = 2\n", Err(Unset::IsSet)),
            ("defaults = { b = 1 }\n", Err(Unset::Inline)),
            ("defaults.b = 1\n", Err(Unset::Inline)),
        ] {
            assert_eq!(added(text), expected.map(str::to_owned), "{text}");
        }
    }

    #[test]
    fn a_list_of_hooks_in_one_value_is_found() {
        let one = "name = \"a\", event = \"Stop\"";
        for (text, line) in [
            (format!("# top\nhook = [{{ {one} }}]\n"), Some(2)),
            (format!("hook = [\n  {{ {one} }},\n]\n"), Some(1)),
            ("[defaults]\ntimeout = 1\n".to_owned(), None),
            ("\n[[hook]]\nname = \"a\"\n\n[[hook]]\nname = \"b\"\n".to_owned(), None),
            ("hook = []\n".to_owned(), Some(1)),
        ] {
            assert_eq!(inline_hooks(&text), line, "{text}");
        }
    }

    #[test]
    fn strings_are_read_back_as_they_were() {
        for text in ["plain", "a \"b\"", "it's", "it's \"b\"", "C:\\x", "a\nb\tc\r", "\u{1}", ""] {
            let line = format!("x = {}\n", string(text));
            let (table, errors) = DeTable::parse_recoverable(&line);
            assert!(errors.is_empty(), "{line}");
            assert_eq!(table.get_ref().get("x").unwrap().get_ref().as_str(), Some(text), "{line}");
        }
    }
}

#[cfg(test)]
mod order_tests {
    use super::*;

    #[test]
    fn what_was_moved_runs_by_itself() {
        let text = |names: &str| {
            let hook = |name: &str| match name.strip_suffix('!') {
                Some(name) => format!("[[hook]]\nname = \"{name}\"\n"),
                None => {
                    format!("[[hook]]\nname = \"{name}\"\nparallel = true # so\nparallel2 = 1\n")
                }
            };
            names.split(' ').map(hook).collect::<String>().replace("# so\nparallel2 = 1\n", "\n")
        };
        for (before, after, expected) in [
            ("a b c", "a b c", "a b c"),
            ("a b c", "a c", "a c"),
            ("a b c", "a d b c", "a d b c"),
            ("a b c", "c a b", "c! a b"),
            ("a b c", "b c a", "b c a!"),
            ("a b", "b a", "b! a"),
            ("a b c d", "d c b a", "d! c! b! a"),
            ("a! b! c", "b! a! c", "b! a! c"),
            ("a b", "b a!", "b a!"),
        ] {
            let (found, _) = settled(&text(before), &text(after));
            assert_eq!(found, text(expected), "{before} to {after}");
        }
        let line =
            "hook = [{ name = \"b\", parallel = true }, { name = \"a\", parallel = true }]\n";
        let (found, moved) = settled(&text("a b"), line);
        assert_eq!((found.matches("false").count(), moved.len()), (1, 1));
    }
}

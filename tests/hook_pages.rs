//! The pages of the ready-made hooks, `docs/hooks/`, which are made from the catalogue.
//! `UPDATE_CASES=1` writes them.

#![cfg(test)]

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use hookman::builtin::{
    catalogue::{self, Entry},
    command_guard,
    outline::{self, OptionRow, SHOWN},
};

use crate::expected;

const MADE: &str =
    "<!-- Made from templates/hooks by `UPDATE_CASES=1 cargo test hook_pages`. -->\n";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/hooks")
}

fn fires(entry: &Entry) -> String {
    let events: Vec<String> = entry.events.iter().map(|event| format!("`{event}`")).collect();
    let matcher = entry.matcher.as_ref().map(|matcher| format!(" with the matcher `{matcher}`"));
    format!("{}{}", events.join(", "), matcher.unwrap_or_default())
}

/// Markdown that a cell of a table can hold.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn index(entries: &[&Entry]) -> String {
    let mut page = format!(
        "{MADE}# Ready-made hooks\n\n`hookman list --available` lists them, `hookman show NAME` \
         explains one, and `hookman install NAME…` adds\nthem to the manifest. Each is there to be \
         configured: the page of a hook has its options.\n"
    );
    for group in entries.chunk_by(|one, next| one.group == next.group) {
        write!(
            page,
            "\n## {}\n\n| name | what it does | page |\n| --- | --- | --- |\n",
            group[0].group
        )
        .unwrap();
        for Entry { name, summary, .. } in group.iter().copied() {
            writeln!(page, "| `{name}` | {} | [{name}]({name}.md) |", cell(summary)).unwrap();
        }
    }
    page
}

fn page(entry: &Entry) -> String {
    let Entry { name, summary, description, kind, .. } = entry;
    let can: Vec<&str> = kind.can.iter().map(|can| can.name()).collect();
    let can = match can.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        one => one.concat(),
    };
    let mut page = format!(
        "{MADE}# {name}\n\n{summary}.\n\n{}\n\nIt runs on {}, and is of the kind `{}`, which can {}.\n\n\
         ```toml\n{}```\n",
        description.trim(),
        fires(entry),
        kind.name,
        can,
        outline::manifest(entry)
    );
    page.push_str(&rules(entry));
    let rows = outline::options(kind);
    if !rows.is_empty() {
        page.push_str("\n## Options\n\n");
    }
    for row in &rows {
        page.push_str(&option(entry, row));
    }
    page
}

/// The rules of a guard, as `hookman show NAME --rules` lists them.
fn rules(entry: &Entry) -> String {
    let finds = match entry.kind.name {
        "command-guard" => "a command that it finds",
        "protect" => "files",
        _ => return String::new(),
    };
    let mut table = format!(
        "\n## Rules\n\n`hookman show {} --rules WORD` finds them by a word, and `hookman install {} \
         --set levels.ID=LEVEL` sets the level of one.\n\
         [Guards compared](../guards.md) has the lines that guards miss.\n\n\
         | id | category | level | {finds} | what that does |\n\
         | --- | --- | --- | --- | --- |\n",
        entry.name, entry.name,
    );
    for rule in command_guard::rules(&entry.options) {
        let command_guard::Listed { id, category, level, what, example, .. } = rule;
        let level = level.name();
        writeln!(
            table,
            "| `{id}` | {category} | {level} | `{}` | {} |",
            cell(&example),
            cell(&what)
        )
        .unwrap();
    }
    table
}

fn option(entry: &Entry, row: &OptionRow) -> String {
    let depth = row.path.matches('.').count();
    let default = outline::value(entry, row).map(|value| outline::in_toml(&value));
    let default = match default {
        Some(value) if value.chars().count() <= SHOWN => format!("; by default `{value}`"),
        _ => String::new(),
    };
    let indent = "  ".repeat(depth);
    let mut lines = format!("{indent}* `{}`: {}{default}. {}\n", row.path, row.shape, row.help);
    for (value, help) in &row.values {
        writeln!(lines, "{indent}  * `{value}`: {help}").unwrap();
    }
    lines
}

#[test]
fn pages_of_hooks_are_as_the_catalogue_says() {
    let entries = catalogue::entries();
    let mut wanted: BTreeMap<PathBuf, String> = entries
        .iter()
        .map(|entry| (folder().join(format!("{}.md", entry.name)), page(entry)))
        .collect();
    wanted.insert(folder().join("README.md"), index(&entries));
    let found: BTreeMap<PathBuf, String> = fs::read_dir(folder())
        .into_iter()
        .flatten()
        .map(|file| file.unwrap().path())
        .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
        .collect();
    let paths: BTreeSet<&PathBuf> = wanted.keys().chain(found.keys()).collect();
    let difference =
        |path: &&PathBuf| expected::difference(path, wanted.get(*path).map(|it| &**it));
    expected::none(paths.iter().filter_map(difference).collect());
}

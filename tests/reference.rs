//! The pages that are made from the program itself: the commands, the events, the keys of the manifest and
//! its JSON schema. `UPDATE_CASES=1 cargo test reference` writes them.

#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet};
use std::{fmt::Write as _, fs, path::Path};

use hookman::{
    builtin::catalogue,
    cli::args::help,
    client::event::Event,
    client::host::files::{FILES, Files, Form, Trust},
    manifest::schema::{self, KEYS, ReadyMade},
    state::catalogue::{Catalogue, ready_made},
};
use serde_json::Value;

use crate::expected;

const MADE: &str = "<!-- Made from the program by `UPDATE_CASES=1 cargo test reference`. -->\n";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_page_of_commands_is_the_help() {
    let mut command = help::command().max_term_width(80);
    command.build();
    let mut page = format!(
        "{MADE}# Commands\n\nEach command prints the same with `--help`. Exit codes: 0 done, 1 found something, 2 a \
         wrong call or an\nerror; [In scripts](scripts.md) says more.\n"
    );
    let is_shown = |it: &&clap::Command| !it.is_hide_set() && it.get_name() != "help";
    for verb in command.get_subcommands().filter(is_shown) {
        let help = verb.clone().render_help().to_string();
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        write!(page, "\n## {}\n\n```text\n{}\n```\n", verb.get_name(), help.join("\n").trim_end())
            .unwrap();
    }
    expected::expect("docs/commands.md", &page);
}

#[test]
fn help_texts_fit_eighty_columns() {
    let mut command = help::command();
    command.build();
    let texts = command.get_subcommands().filter_map(|verb| verb.get_after_help());
    let texts: Vec<String> = texts.map(ToString::to_string).collect();
    assert!(texts.len() > 30, "{}", texts.len());
    let wide = texts.iter().flat_map(|text| text.lines()).filter(|line| line.chars().count() > 80);
    assert_eq!(wide.collect::<Vec<&str>>(), [""; 0]);
}

#[test]
fn the_page_of_events_is_the_table() {
    let mut page = format!(
        "{MADE}# Events\n\nWhat the client does with each event, as `hookman events` and `hookman events EVENT` \
         print it. *Since* is\nthe first version of the client that knows the event, and *matcher* the field that a \
         matcher is tested\nagainst. A hook stops what is going on where the last column says how.\n\n\
         | event | fires | since | matcher | a hook says no |\n| --- | --- | --- | --- | --- |\n"
    );
    let mut notes = String::new();
    for event in Event::ALL {
        let facts = event.facts();
        let matcher = facts.subject.field().map_or("–".to_owned(), |field| format!("`{field}`"));
        writeln!(
            page,
            "| `{}` | {} | {} | {matcher} | {} |",
            facts.name,
            event.occasion(),
            facts.since,
            hookman::cli::events::stops(*event)
        )
        .unwrap();
        for note in facts.note.iter().chain(&facts.catch_all_risk) {
            writeln!(notes, "* `{}`: {note}.", facts.name).unwrap();
        }
    }
    expected::expect("docs/events.md", &format!("{page}\n## Notes\n\n{notes}"));
}

/// The head of a table with a column for each agent.
fn head(first: &str) -> String {
    let names: Vec<&str> = FILES.iter().map(|of| of.title).collect();
    format!("| {first} | {} |\n|{}\n", names.join(" | "), " --- |".repeat(names.len() + 1))
}

fn row(first: &str, of: impl Fn(&Files) -> String) -> String {
    let cells: Vec<String> = FILES.iter().map(of).collect();
    format!("| {first} | {} |\n", cells.join(" | "))
}

/// The table of what the last run of the real programs showed.
fn results() -> String {
    let text = fs::read_to_string(root().join("tests/agents/results.toml")).unwrap();
    let found: BTreeMap<String, BTreeMap<String, String>> = toml::from_str(&text).unwrap();
    let run: Vec<_> = FILES.iter().filter(|of| found.contains_key(of.host.name)).collect();
    let of = |of: &Files, case: &str| found[of.host.name].get(case).map_or("–", String::as_str);
    let line = |first: &str, cells: Vec<String>| format!("| {first} | {} |\n", cells.join(" | "));
    let mut table =
        line("", run.iter().map(|it| format!("{} {}", it.title, of(it, "version"))).collect());
    writeln!(table, "|{}", " --- |".repeat(run.len() + 1)).unwrap();
    let cases: BTreeSet<&String> = found.values().flat_map(BTreeMap::keys).collect();
    for case in cases.into_iter().filter(|case| *case != "version") {
        table += &line(case, run.iter().map(|it| of(it, case).to_owned()).collect());
    }
    table
}

#[test]
fn the_page_of_other_agents_is_the_tables() {
    let text = fs::read_to_string(root().join("tests/reference/hosts.md")).unwrap();
    let yes_or = |is: bool, no: &str| if is { "yes" } else { no }.to_owned();
    let mut files = head("");
    files += &row("yours", |of| match of.variable {
        "" => format!("`~/{}/{}`", of.folder, of.user),
        variable => format!("`~/{}/{}`, or in `${variable}`", of.folder, of.user),
    });
    files += &row("a project's", |of| format!("`{}`", of.project));
    files += &row("form", |of| {
        match of.form {
            Form::Own => "a file for hookman alone",
            Form::Bare => "events at the root; where the settings have `hooks`, there",
            Form::Groups { .. } => "groups below `hooks`",
            Form::Plugin => "a plugin for hookman alone",
        }
        .to_owned()
    });
    files += &row("your commands", |of| {
        let file = |path: &str| format!("`~/{}/{}`", of.folder, path.replace('@', "disable"));
        if of.commands.is_empty() { "–".to_owned() } else { file(of.commands) }
    });
    files += &row("comments", |of| yes_or(of.comments, "no"));
    files += &row("time limit written", |of| {
        let is_ms = of.milliseconds_from.is_some_and(|from| of.limit >= from);
        format!("{} {}", of.limit, if is_ms { "ms" } else { "s" })
    });
    files += &row("before they run", |of| {
        match of.trust {
            Trust::None => "nothing",
            Trust::Entries => "a person trusts each entry",
            Trust::Folder => "the project's directory is trusted",
        }
        .to_owned()
    });
    let mut events = head("event");
    let known = |event: &Event| FILES.iter().any(|of| of.has(*event));
    for event in Event::ALL.iter().copied().filter(|event| known(event)) {
        events += &row(&format!("`{event}`"), |of| match of.host.event_name(event) {
            _ if !of.has(event) => "–".to_owned(),
            key if key == event.name() => "yes".to_owned(),
            key => format!("`{key}`"),
        });
    }
    let mut honours = head("a hook that");
    let rare = "hookman's denial with a reason";
    for (at, (what, _)) in FILES[0].host.heeds.words().into_iter().enumerate() {
        honours += &row(what, |of| of.host.heeds.words()[at].1.to_owned());
        if what == "refuses a result" {
            honours += &row("ends the turn before a call", |_| rare.to_owned());
        }
    }
    honours += &row("has the shell say the session", |of| match of.host.session {
        "" => "by the process above".to_owned(),
        variable => format!("`{variable}`"),
    });
    let page = text
        .replace("@RESULTS@\n", &results())
        .replace("@FILES@\n", &files)
        .replace("@EVENTS@\n", &events)
        .replace("@HONOURS@\n", &honours);
    expected::expect("docs/hosts.md", &format!("{MADE}{page}"));
}

fn cell(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" {text}") }
}

#[test]
fn the_table_of_keys_is_that_of_the_schema() {
    let page = fs::read_to_string(root().join("docs/manifest.md")).unwrap();
    let head = "| key | value | default |\n| --- | --- | --- |\n";
    let (before, rest) = page.split_once(head).expect("docs/manifest.md has no table of keys");
    let after = rest.split_once("\n\n").unwrap().1;
    let mut rows = String::new();
    for key in KEYS {
        writeln!(rows, "| `{}` | {} |{} |", key.name, key.about, cell(key.default)).unwrap();
    }
    expected::expect("docs/manifest.md", &format!("{before}{head}{rows}\n{after}"));
}

fn made() -> Value {
    schema::schema(&ready_made())
}

#[test]
fn the_schema_is_that_of_the_program() {
    let text = serde_json::to_string_pretty(&made()).unwrap() + "\n";
    expected::expect("docs/hookman.schema.json", &text);
}

/// What is wrong with a value by a schema, as far as the schema of the manifest needs it.
fn wrong(whole: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    if let Some(Value::String(place)) = schema.get("$ref") {
        let schema = whole.pointer(place.trim_start_matches('#')).unwrap();
        return wrong(whole, schema, value, at);
    }
    let wrong = |schema: &Value, value: &Value, at: &str| wrong(whole, schema, value, at);
    let mut found = Vec::new();
    if let Some(kind) = schema.get("type") {
        let is = |kind: &str| match kind {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            _ => false,
        };
        let kinds = kind.as_array().cloned().unwrap_or_else(|| vec![kind.clone()]);
        if !kinds.iter().any(|kind| is(kind.as_str().unwrap())) {
            found.push(format!("{at}: not {kind}"));
        }
    }
    for (key, is_met) in [
        ("enum", schema["enum"].as_array().is_none_or(|values| values.contains(value))),
        ("const", schema.get("const").is_none_or(|only| only == value)),
        ("minimum", value.as_f64().is_none_or(|it| it >= schema["minimum"].as_f64().unwrap_or(it))),
        ("maximum", value.as_f64().is_none_or(|it| it <= schema["maximum"].as_f64().unwrap_or(it))),
    ] {
        if !is_met {
            found.push(format!("{at}: {key} {}", schema[key]));
        }
    }
    let none = Vec::new();
    for key in ["anyOf", "oneOf"] {
        let any = schema[key].as_array().unwrap_or(&none);
        if !any.is_empty() && any.iter().all(|one| !wrong(one, value, at).is_empty()) {
            found.push(format!("{at}: none of {key}"));
        }
    }
    for one in schema["allOf"].as_array().unwrap_or(&none) {
        match one.get("if") {
            Some(condition) if wrong(condition, value, at).is_empty() => {
                found.extend(wrong(&one["then"], value, at));
            }
            Some(_) => {}
            None => found.extend(wrong(one, value, at)),
        }
    }
    for (index, item) in value.as_array().unwrap_or(&none).iter().enumerate() {
        found.extend(wrong(&schema["items"], item, &format!("{at}[{index}]")));
    }
    let Some(object) = value.as_object() else { return found };
    for key in schema["required"].as_array().unwrap_or(&none) {
        if !object.contains_key(key.as_str().unwrap()) {
            found.push(format!("{at}: no {key}"));
        }
    }
    for (key, value) in object {
        let place = format!("{at}.{key}");
        match (schema["properties"].get(key), schema.get("additionalProperties")) {
            (Some(schema), _) => found.extend(wrong(schema, value, &place)),
            (None, Some(Value::Bool(false))) => found.push(format!("{place}: unknown")),
            (None, Some(more)) => found.extend(wrong(more, value, &place)),
            (None, None) => {}
        }
    }
    found
}

fn problems(manifest: &str) -> Vec<String> {
    let table: toml::Table = manifest.parse().unwrap();
    let schema = made();
    wrong(&schema, &schema, &serde_json::to_value(table).unwrap(), "")
}

#[test]
fn what_hookman_reads_is_valid_by_the_schema() {
    let mut manifests = vec![
        include_str!("../templates/hookman.toml").to_owned(),
        include_str!("../templates/hookman.local.toml").to_owned(),
    ];
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let text = fs::read_to_string(path).unwrap();
        let blocks = text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
        manifests.extend(blocks.map(str::to_owned));
    }
    assert!(manifests.len() > 5, "only {} manifests were found", manifests.len());
    for manifest in manifests {
        assert_eq!(problems(&manifest), Vec::<String>::new(), "{manifest}");
    }
}

#[test]
fn what_hookman_refuses_is_not_valid_by_the_schema() {
    for (manifest, expected) in [
        ("[[hook]]\nnmae = \"a\"", ".hook[0].nmae: unknown"),
        ("[[hook]]\nname = 1", ".hook[0].name: not \"string\""),
        ("[[hook]]\nevent = \"Stopp\"", ".hook[0].event: none of anyOf"),
        ("[[hook]]\non_error = \"shut\"", ".hook[0].on_error: enum"),
        ("[[hook]]\ntimeout = 0", ".hook[0].timeout: minimum"),
        ("[[hook]]\nbuiltin = \"one-stroke\"", ".hook[0].builtin: enum"),
        ("[[hook]]\nbuiltin = \"one-strike\"\noptions = { skpi = [] }", ".options.skpi: unknown"),
        ("[[hook]]\nwhen = { brunch = \"main\" }", ".when.brunch: unknown"),
        ("[default]\ntimeout = 1", ".default: unknown"),
        ("[sessions]\nkeep_days = 0", ".sessions.keep_days: minimum"),
    ] {
        let found = problems(manifest);
        assert!(found.iter().any(|it| it.contains(expected)), "{manifest}: {found:?}");
    }
}

#[test]
fn the_schema_has_every_key_and_no_other() {
    let read = |text: &str| {
        let source = hookman::manifest::Source { file: "it", text };
        hookman::manifest::read(
            Some(source),
            None,
            &Catalogue { known: hookman::package::known::Known::nothing(), is_whole: true },
        )
    };
    let told = read("[[hook]]\nno-such-key = 1").unwrap_err().to_string();
    let keys = told.split_once("[[hook]] takes ").unwrap().1.lines().next().unwrap();
    let mut expected: Vec<&str> = keys.split(", ").collect();
    let mut found: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
    let ready = ready_made();
    let named = |it: &ReadyMade| catalogue::find(&it.name).is_some();
    assert!(!ready.is_empty() && ready.iter().all(named));
}

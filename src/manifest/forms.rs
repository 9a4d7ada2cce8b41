//! The forms of values: how each is read, and how an editor is told of it.

use jiff::civil::Date;
use serde_json::{Map, Value, json};
use toml::de::DeValue;

use super::model::{ContextBudget, KeepDays, OnChange, OnError, milliseconds};
use super::reader::{Item, NEWER, Reader, object};
use super::table::{Form, Key, Table, keys};
use crate::client::Event;
use crate::client::host::HOSTS as PROGRAMS;
use crate::client::settings_schema::is_one_rule;
use crate::syntax::escaped::escaped;
use crate::syntax::suggestion::{did_you_mean, nearest};

pub(super) const TEXT: Form<String> = Form { read: text, schema: || json!({"type": "string"}) };

/// A text that is not blank, of a hook that the client runs.
pub(super) const ACTION: Form<String> = Form { read: said, schema: TEXT.schema };

pub(super) const COMMAND: Form<String> = Form {
    read: |reader, key, item| {
        let line = said(reader, key, item)?;
        if line.contains('\0') {
            let message = "`command` has a NUL character, which no shell can be given";
            return reader.refuse(item, message.to_owned());
        }
        Some(line)
    },
    schema: TEXT.schema,
};

pub(super) const ARGV: Form<Vec<String>> = Form {
    read: |reader, key, item| {
        if item.get_ref().as_array().is_none() {
            return reader.wrong_type(key, item, "a list of strings");
        }
        let words = reader.texts(key, item, "a list of strings")?;
        if let Some((at, _)) = words.iter().find(|(_, word)| word.contains('\0')) {
            let message = "this word has a NUL character, which no program can be given";
            reader.problem(*at, message.to_owned());
            return None;
        }
        if words.first().is_none_or(|(_, program)| program.is_empty()) {
            return reader.refuse(item, "`argv` names no program".to_owned());
        }
        Some(words.into_iter().map(|(_, word)| word).collect())
    },
    schema: || json!({"type": "array", "items": {"type": "string"}, "minItems": 1}),
};

pub(super) const FLAG: Form<bool> = Form {
    read: |reader, key, item| match item.get_ref().as_bool() {
        None => reader.wrong_type(key, item, "true or false"),
        found => found,
    },
    schema: || json!({"type": "boolean"}),
};

pub(super) const WHOLE: Form<i64> = Form { read: whole, schema: || json!({"type": "integer"}) };

/// Seconds, as milliseconds.
pub(super) const SECONDS: Form<u64> = Form {
    read: |reader, key, item| {
        let number = match item.get_ref() {
            DeValue::Integer(it) => {
                i32::from_str_radix(it.as_str(), it.radix()).ok().map(f64::from)
            }
            DeValue::Float(float) => float.as_str().parse().ok(),
            _ => return reader.wrong_type(key, item, "a number of seconds"),
        };
        let found = number.and_then(milliseconds);
        found.or_else(|| reader.refuse(item, format!("`{key}` takes seconds from 0.001 to 600")))
    },
    schema: || json!({"type": "number", "minimum": 0.001, "maximum": 600}),
};

pub(super) const NAMES: Form<Vec<String>> = Form {
    read: |reader, key, item| {
        let names = reader.texts(key, item, "a name or a list of names")?;
        Some(names.into_iter().map(|(_, name)| name).collect())
    },
    schema: || json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
};

pub(super) const EVENTS: Form<Vec<Event>> = Form {
    read: events,
    schema: || {
        let one = json!({"type": "string", "enum": Event::names(Event::ALL)});
        json!({"anyOf": [one, {"type": "array", "items": one, "minItems": 1}]})
    },
};

pub(super) const HOSTS: Form<Vec<&'static str>> = Form {
    read: |reader, key, item| {
        let mut hosts = Vec::new();
        for (offset, name) in reader.texts(key, item, "a name or a list of names")? {
            let known = || PROGRAMS.iter().map(|host| host.name);
            match known().find(|host| *host == name) {
                Some(host) => hosts.push(host),
                None => {
                    let all = || format!("; there are {}", known().collect::<Vec<_>>().join(", "));
                    let hint = nearest(&name, known()).map_or_else(all, did_you_mean);
                    reader.problem(offset, format!("hookman knows no program `{name}`{hint}"));
                }
            }
        }
        Some(hosts)
    },
    schema: || {
        let names: Vec<&str> = PROGRAMS.iter().map(|host| host.name).collect();
        let one = json!({"type": "string", "enum": names});
        json!({"anyOf": [one, {"type": "array", "items": one}]})
    },
};

pub(super) const PATH: Form<Vec<String>> = Form {
    read: |reader, key, item| {
        let mut places = Vec::new();
        for (offset, directory) in
            reader.texts(key, item, "a directory or a list of directories")?
        {
            if directory.is_empty() || directory.contains([':', '\0']) {
                let message = format!(
                    "`{}` is no directory for `path`: give each its own string, without `:`",
                    escaped(&directory)
                );
                reader.problem(offset, message);
            } else {
                places.push(directory);
            }
        }
        Some(places)
    },
    schema: NAMES.schema,
};

pub(super) const RULE: Form<String> = Form {
    read: |reader, key, item| {
        // An empty one is none to the client.
        let rule = text(reader, key, item).filter(|rule| !rule.is_empty())?;
        if !is_one_rule(&rule) {
            let message = format!(
                "`{rule}` is not one permission rule, and the client never runs a hook with it"
            );
            return reader.refuse(item, message);
        }
        Some(rule)
    },
    schema: TEXT.schema,
};

pub(super) const DAY: Form<String> = Form {
    read: |reader, _, item| {
        let text = match item.get_ref() {
            DeValue::Datetime(date) => date.to_string(),
            DeValue::String(text) => text.to_string(),
            _ => String::new(),
        };
        // A time would be read as its day.
        let day = text.parse::<Date>().ok().map(|day| day.to_string()).filter(|day| *day == text);
        day.or_else(|| {
            let message = "`observe_until` takes the last day of watching, such as 2026-12-31";
            reader.refuse(item, message.to_owned())
        })
    },
    schema: TEXT.schema,
};

pub(super) const DAYS: Form<KeepDays> = Form {
    read: |reader, key, item| {
        let origin = reader.origin(item.span().start);
        match whole(reader, key, item).map(u64::try_from)? {
            Ok(days @ 1..=3650) => Some(KeepDays { days, origin }),
            _ => reader.refuse(item, format!("`{key}` takes days from 1 to 3650")),
        }
    },
    schema: || json!({"type": "integer", "minimum": 1, "maximum": 3650}),
};

pub(super) const TOKENS: Form<u64> = Form {
    read: |reader, key, item| {
        let tokens = whole(reader, key, item)?;
        match u64::try_from(tokens) {
            Ok(0) => {
                let message = format!(
                    "`{key}` of 0 would keep all that hooks say from the model; leave it out for no limit"
                );
                reader.refuse(item, message)
            }
            Err(_) => reader.refuse(item, format!("`{key}` is a number of tokens, not {tokens}")),
            Ok(tokens) => Some(tokens),
        }
    },
    schema: || json!({"type": "integer", "minimum": 1}),
};

keys! {
BudgetKeys in "context_budget" {
    call: u64 = "call", TOKENS, "tokens in one call of the client", "";
    session: u64 = "session", TOKENS, "tokens in a session", "";
}

ToolKeys in "mcp_tool" {
    server: String = "server", ACTION, "", "";
    tool: String = "tool", ACTION, "", "";
    input: Map<String, Value> = "input", TABLE, "", "";
}
}

pub(super) const BUDGET: Form<ContextBudget> = Form {
    read: |reader, key, item| {
        let Some(table) = item.get_ref().as_table() else {
            return reader.wrong_type(
                key,
                item,
                "a table such as { call = 2000, session = 40000 }",
            );
        };
        if table.is_empty() {
            let message = "`context_budget` limits nothing; give it `call`, `session` or both";
            return reader.refuse(item, message.to_owned());
        }
        let BudgetKeys { call, session } = BudgetKeys::of(reader, table);
        Some(ContextBudget { call, session })
    },
    schema: BudgetKeys::schema,
};

/// A tool of a server, as the handler of the client has it.
pub(super) const TOOL: Form<Map<String, Value>> = Form {
    read: |reader, key, item| {
        const WANTED: &str = "a table such as { server = \"github\", tool = \"search\" }";
        let DeValue::Table(table) = item.get_ref() else {
            return reader.wrong_type(key, item, WANTED);
        };
        let keys = ToolKeys::of(reader, table);
        if let Some(key) = ["server", "tool"].iter().find(|key| !table.contains_key(**key)) {
            return reader.refuse(item, format!("`mcp_tool` has no `{key}`; it takes {WANTED}"));
        }
        let mut tool = Map::new();
        tool.insert("server".to_owned(), keys.server?.into());
        tool.insert("tool".to_owned(), keys.tool?.into());
        tool.extend(keys.input.map(|input| ("input".to_owned(), input.into())));
        Some(tool)
    },
    schema: || {
        let mut tool = ToolKeys::schema();
        tool["required"] = json!(["server", "tool"]);
        tool
    },
};

/// A table as JSON; dates become their text.
pub(super) const TABLE: Form<Map<String, Value>> = Form {
    read: |reader, key, item| reader.inner(key, item).map(object),
    schema: || json!({"type": "object"}),
};

pub(super) const HEADERS: Form<Map<String, Value>> = Form {
    read: |reader, key, item| {
        let DeValue::Table(table) = item.get_ref() else {
            return reader.wrong_type(key, item, "a table of strings");
        };
        let mut headers = Map::new();
        for (name, item) in table {
            let header = text(reader, name.get_ref(), item)?;
            headers.insert(name.get_ref().to_string(), header.into());
        }
        Some(headers)
    },
    schema: || json!({"type": "object", "additionalProperties": {"type": "string"}}),
};

pub(super) const TEXTS: Form<Vec<String>> = Form {
    read: |reader, key, item| {
        conditions(reader, key, item, |text| {
            text.is_empty().then(|| format!("an empty text in `{key}` hits nothing"))
        })
    },
    schema: NAMES.schema,
};

pub(super) const AGENTS: Form<Vec<String>> = Form {
    read: |reader, key, item| {
        conditions(reader, key, item, |text| {
            let is_none = text.is_empty() || text.contains(['\t', '\n', '\r', ',']);
            is_none.then(|| format!("`{}` is no type of agent", escaped(text)))
        })
    },
    schema: NAMES.schema,
};

/// The client's permission modes, as it names them in payloads.
pub(super) const MODES: Form<Vec<String>> = Form {
    read: |reader, key, item| {
        let known = ["acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"];
        conditions(reader, key, item, |text| {
            let there = known.join(", ");
            let message = format!("the client has no permission mode `{text}`; there are {there}");
            (!known.contains(&text)).then_some(message)
        })
    },
    schema: NAMES.schema,
};

pub(super) const OS: Form<Vec<String>> = Form {
    read: |reader, key, item| {
        conditions(reader, key, item, |text| {
            let message =
                format!("no system is called `{}`; there are linux, macos", escaped(text));
            (!matches!(text, "linux" | "macos")).then_some(message)
        })
    },
    schema: NAMES.schema,
};

pub(super) const PROJECTS: Form<Vec<String>> = Form {
    read: |reader, key, item| {
        conditions(reader, key, item, |text| {
            let is_one = text == "~" || ["/", "~/", "*"].iter().any(|it| text.starts_with(it));
            let message = format!(
                "`{}` is no directory of a project: begin with `/`, `~/` or `*`",
                escaped(text)
            );
            (!is_one).then_some(message)
        })
    },
    schema: NAMES.schema,
};

pub(super) const fn table<T: Table>() -> Form<T> {
    Form {
        read: |reader, key, item| {
            let table = reader.inner(key, item)?;
            Some(T::of(reader, table))
        },
        schema: T::schema,
    }
}

macro_rules! words {
    ($($name:ident: $type:ty = $($word:literal => $value:expr),+;)*) => {$(
        pub(super) const $name: Form<$type> = Form {
            read: |reader, key, item| word(reader, key, item, &[$(($word, $value)),+]),
            schema: || json!({"type": "string", "enum": [$($word),+]}),
        };
    )*};
}

words! {
    ON_ERROR: OnError =
        "open" => OnError::Open, "ask" => OnError::Ask, "closed" => OnError::Closed;
    ON_CHANGE: OnChange =
        "run" => OnChange::Run, "ask" => OnChange::Ask, "hold" => OnChange::Hold;
    MODE: bool = "enforce" => false, "observe" => true;
    CWD: bool = "session" => false, "project" => true;
    SWITCH: bool = "anyone" => false, "user" => true;
    ON_FAILURE: &'static str = "block" => "block", "continue" => "continue";
}

fn word<T: Copy>(
    reader: &mut Reader<'_>,
    key: &str,
    item: &Item<'_>,
    words: &[(&str, T)],
) -> Option<T> {
    let given = text(reader, key, item)?;
    let found = words.iter().find(|(word, _)| *word == given).map(|(_, meaning)| *meaning);
    found.or_else(|| {
        let mut known: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        let last = known.pop().unwrap_or_default();
        let message = format!("`{key}` is {} or {last}, not \"{given}\"", known.join(", "));
        reader.refuse(item, message)
    })
}

fn text(reader: &mut Reader<'_>, key: &str, item: &Item<'_>) -> Option<String> {
    match item.get_ref().as_str() {
        Some(text) => Some(text.to_owned()),
        None => reader.wrong_type(key, item, "a string"),
    }
}

fn said(reader: &mut Reader<'_>, key: &str, item: &Item<'_>) -> Option<String> {
    let text = text(reader, key, item)?;
    if text.trim().is_empty() {
        return reader.refuse(item, format!("`{key}` is empty"));
    }
    Some(text)
}

fn whole(reader: &mut Reader<'_>, key: &str, item: &Item<'_>) -> Option<i64> {
    let found = match item.get_ref() {
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix()).ok(),
        _ => None,
    };
    found.or_else(|| reader.wrong_type(key, item, "a whole number"))
}

fn events(reader: &mut Reader<'_>, key: &str, item: &Item<'_>) -> Option<Vec<Event>> {
    let names = reader.texts(key, item, "a string or a list of strings")?;
    if names.is_empty() {
        reader.problem(item.span().start, "`event` names no event".to_owned());
    }
    let mut events = Vec::new();
    for (offset, name) in names {
        match Event::from_name(&name) {
            Some(event) => events.push(event),
            None => {
                let known = Event::ALL.iter().map(|event| event.name());
                let hint = nearest(&name, known).map_or_else(|| NEWER.to_owned(), did_you_mean);
                reader.problem(offset, format!("the client has no event `{name}`{hint}"));
            }
        }
    }
    events.sort_unstable();
    events.dedup();
    Some(events)
}

/// Reads the texts of a condition, of which `problem` names what can never be met.
fn conditions(
    reader: &mut Reader<'_>,
    key: &str,
    item: &Item<'_>,
    problem: impl Fn(&str) -> Option<String>,
) -> Option<Vec<String>> {
    let found = reader.texts(key, item, "a string or a list of strings")?;
    if found.is_empty() {
        reader.problem(item.span().start, format!("`{key}` is empty; leave it out"));
    }
    let mut texts = Vec::new();
    for (offset, text) in found {
        match problem(&text) {
            Some(message) => reader.problem(offset, message),
            None => texts.push(text),
        }
    }
    Some(texts)
}

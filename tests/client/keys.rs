//! The types of the keys in a settings file, asked of the client: a file with a value of the wrong
//! type is dropped as a whole, and the hook that is in it does not fire.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    thread,
};

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use similar::TextDiff;

use crate::{
    sandbox::Sandbox,
    session::{quiet, variable, version},
};

const QUESTIONS: &str = include_str!("keys.txt");

/// How many clients run at once.
const WORKERS: usize = 2;

/// The files that one client reads, each of which it drops or not whatever is in the others.
const FILES: [&str; 3] = [
    "home/.claude/settings.json",
    "project/.claude/settings.json",
    "project/.claude/settings.local.json",
];

/// What is asked where numbers could be taken.
const NUMBERS: [f64; 6] = [-1.0, 0.0, 0.5, 2.5, 5.0, 100_000.0];

#[test]
#[ignore = "needs the client: tests/client/install"]
fn keys() {
    let path = table(&version());
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let found = ask().unwrap();
    if found == expected {
        return;
    }
    if variable("UPDATE_CASES").is_some() {
        fs::write(&path, found).unwrap();
        return;
    }
    let diff = TextDiff::from_lines(&expected, &found);
    panic!("{}\n{}", path.display(), diff.unified_diff());
}

fn table(version: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/client/settings_schema/keys");
    folder.join(format!("{version}.txt"))
}

/// One key.
struct Question {
    path: String,
    base: Option<Value>,
    /// What a string may be, or examples of its form.
    words: Vec<String>,
    is_form: bool,
}

/// A file to be tried, and what it is tried for.
struct Trial {
    question: usize,
    token: String,
    settings: Value,
}

/// The answers to all questions, a line each.
fn ask() -> Result<String> {
    let questions = questions()?;
    let bases: Bases<'_> =
        questions.iter().filter_map(|it| Some((it.path.as_str(), it.base.as_ref()?))).collect();
    let mut taken: Vec<Vec<String>> = questions.iter().map(|_| Vec::new()).collect();
    for round in [Question::first, Question::second] {
        let mut trials = Vec::new();
        for (index, question) in questions.iter().enumerate() {
            let values = round(question, &taken[index]);
            trials.extend(values.into_iter().map(|(token, value)| {
                let settings = placed(&question.path, value, &bases);
                Trial { question: index, token, settings }
            }));
            if let Some(settings) =
                without(&question.path, &bases).filter(|_| taken[index].is_empty())
            {
                trials.push(Trial { question: index, token: "absent".to_owned(), settings });
            }
        }
        for (trial, is_loaded) in trials.iter().zip(try_all(&trials)?) {
            taken[trial.question].extend(is_loaded.then(|| trial.token.clone()));
        }
    }
    let mut lines = format!(
        "# What each key of a settings file may hold; anything else drops the file. Asked of the client\n\
         # {} by `tests/client/keys.rs`.\n\n",
        version()
    );
    let mut rows: Vec<_> = questions.iter().zip(&taken).collect();
    // A table is searched by the order of its bytes.
    rows.sort_by_key(|(question, _)| &question.path);
    for (question, taken) in rows {
        writeln!(lines, "{} {}", question.path, shape(question, taken))?;
    }
    Ok(lines)
}

/// The values that stand for those around a key, by their paths.
type Bases<'q> = BTreeMap<&'q str, &'q Value>;

impl Question {
    /// What is tried at first: a value of each type, each under the name that the table has for it.
    fn first(&self, _: &[String]) -> Vec<(String, Value)> {
        let mut values = vec![
            ("null".to_owned(), Value::Null),
            ("boolean".to_owned(), json!(false)),
            ("1".to_owned(), json!(1)),
            ("string".to_owned(), json!("x")),
            ("array".to_owned(), json!([])),
            ("object".to_owned(), json!({})),
        ];
        values.extend(self.words.iter().map(|word| (format!("\"{word}\""), json!(word))));
        values.extend(self.base.clone().map(|base| ("object".to_owned(), base)));
        values
    }

    /// What is tried where the first round leaves something open.
    fn second(&self, accepted: &[String]) -> Vec<(String, Value)> {
        let takes = |token: &str| accepted.iter().any(|it| it == token);
        let mut values = Vec::new();
        if takes("1") {
            values.extend(NUMBERS.iter().map(|number| (number.to_string(), json!(number))));
        }
        if takes("string") {
            values.push(("text".to_owned(), json!("")));
        }
        if !takes("array") && self.base.is_none() {
            values.push(("array+".to_owned(), json!(["x"])));
        }
        values
    }
}

fn questions() -> Result<Vec<Question>> {
    let lines = QUESTIONS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let question = |line: &str| -> Result<Question> {
        let (path, rest) = line.split_once(' ').unwrap_or((line, ""));
        let is_form = rest.starts_with("~ ");
        let words = rest.strip_prefix(['=', '~']).unwrap_or_default();
        let base = rest.starts_with(['{', '[']).then(|| serde_json::from_str(rest));
        Ok(Question {
            path: path.to_owned(),
            base: base.transpose().with_context(|| format!("no JSON in `{line}`"))?,
            words: words.split_whitespace().map(str::to_owned).collect(),
            is_form,
        })
    };
    lines.map(question).collect()
}

/// What a key may hold, from what was taken.
fn shape(question: &Question, accepted: &[String]) -> String {
    let takes = |token: &str| accepted.iter().any(|it| it == token);
    let mut tokens: Vec<String> = Vec::new();
    let kinds = ["null", "boolean", "string", "array", "object"];
    let numbers: Vec<f64> = accepted.iter().filter_map(|token| token.parse().ok()).collect();
    if kinds.iter().all(|kind| takes(kind)) && numbers.len() > NUMBERS.len() {
        return "any".to_owned();
    }
    for kind in ["null", "boolean"] {
        tokens.extend(takes(kind).then(|| kind.to_owned()));
    }
    if !numbers.is_empty() {
        tokens.push(number(&numbers));
    }
    if takes("string") {
        tokens.push(if takes("text") { "string" } else { "text" }.to_owned());
    } else if question.is_form && accepted.iter().any(|token| token.starts_with('"')) {
        tokens.push("form".to_owned());
    } else {
        let words = accepted.iter().filter(|token| token.starts_with('"'));
        tokens.extend(words.cloned());
    }
    if takes("array") {
        tokens.push("array".to_owned());
    } else if takes("array+") {
        tokens.push("array+".to_owned());
    }
    tokens.extend(takes("object").then(|| "object".to_owned()));
    let is_asked_without = question.path.contains('.') && !question.path.ends_with(['}', ']']);
    if is_asked_without && !takes("absent") {
        tokens.push("!".to_owned());
    }
    if tokens.is_empty() { "nothing".to_owned() } else { tokens.join(" ") }
}

/// The numbers that are taken: whole ones or all, and between which bounds.
fn number(accepted: &[f64]) -> String {
    let takes = |number: f64| accepted.iter().any(|it| it.to_bits() == number.to_bits());
    let kind = if takes(2.5) || takes(0.5) { "number" } else { "integer" };
    let least = match () {
        () if takes(-1.0) => "",
        () if takes(0.0) => ">=0",
        () if takes(0.5) => ">0",
        () => ">=1",
    };
    let most = if takes(100_000.0) { "" } else { "<=1" };
    format!("{kind}{least}{most}")
}

/// Whole settings with a value at a path, and around it what the client asks for.
fn placed(path: &str, value: Value, bases: &Bases<'_>) -> Value {
    if path == "group" {
        return json!({ "hooks": { "PreToolUse": [value] } });
    }
    if path.strip_prefix("handler.").is_some_and(|kind| !kind.contains(['.', '[', '{'])) {
        return json!({ "hooks": { "PreToolUse": [{ "hooks": [value] }] } });
    }
    let around =
        |parent: &str, empty: Value| bases.get(parent).map_or(empty, |base| (*base).clone());
    if let Some(parent) = path.strip_suffix("[]") {
        return placed(parent, json!([value]), bases);
    }
    if let Some(parent) = path.strip_suffix("{}") {
        return placed(parent, json!({ "x": value }), bases);
    }
    let (parent, key) = path.rsplit_once('.').unwrap_or(("", path));
    let mut object = around(parent, json!({}));
    object[key] = value;
    if parent.is_empty() { object } else { placed(parent, object, bases) }
}

/// Whole settings in which a key is missing from an object that is otherwise as it should be.
fn without(path: &str, bases: &Bases<'_>) -> Option<Value> {
    let (parent, key) = path.rsplit_once('.').filter(|_| !path.ends_with(['}', ']']))?;
    let mut object = bases.get(parent).map_or_else(|| json!({}), |base| (*base).clone());
    object.as_object_mut()?.shift_remove(key);
    Some(placed(parent, object, bases))
}

/// Which of the settings the client loads.
fn try_all(trials: &[Trial]) -> Result<Vec<bool>> {
    let chunks: Vec<&[Trial]> = trials.chunks(FILES.len()).collect();
    let share = chunks.len().div_ceil(WORKERS);
    let shares: Vec<Result<Vec<bool>>> = thread::scope(|scope| {
        let workers: Vec<_> = chunks
            .chunks(share)
            .map(|chunks| scope.spawn(move || Worker::new()?.try_chunks(chunks)))
            .collect();
        workers.into_iter().map(|it| it.join().expect("a worker panicked")).collect()
    });
    Ok(shares.into_iter().collect::<Result<Vec<_>>>()?.concat())
}

struct Worker(Sandbox);

impl Worker {
    fn new() -> Result<Self> {
        let built = Path::new(env!("CARGO_BIN_EXE_hookman"));
        Ok(Self(Sandbox::new(built, &BTreeMap::new())?))
    }

    fn try_chunks(&self, chunks: &[&[Trial]]) -> Result<Vec<bool>> {
        let mut loaded = Vec::new();
        for chunk in chunks {
            let settings: Vec<&Value> = chunk.iter().map(|trial| &trial.settings).collect();
            match self.try_together(&settings)? {
                Some(fired) => loaded.extend(fired),
                // One of them keeps all hooks from firing. The one that does has been loaded.
                None => {
                    for one in settings {
                        loaded.push(self.try_together(&[one])?.is_none_or(|fired| fired[0]));
                    }
                }
            }
        }
        Ok(loaded)
    }

    /// Which of up to three files fire their hook; nothing where not even a good one would.
    fn try_together(&self, settings: &[&Value]) -> Result<Option<Vec<bool>>> {
        for (index, file) in FILES.iter().enumerate() {
            let mut text = "{}".to_owned();
            if let Some(settings) = settings.get(index) {
                let mut settings = Value::clone(settings);
                let root = settings.as_object_mut().context("settings are an object")?;
                let hooks = root.entry("hooks").or_insert_with(|| Map::new().into());
                hooks["SessionStart"] = recorder(&index.to_string());
                text = settings.to_string();
            }
            self.0.write(file, &text)?;
        }
        let log = self.0.fill("@TMP@/log");
        drop(fs::remove_file(&log));
        let control = json!({ "hooks": { "SessionStart": recorder("control") } }).to_string();
        let mut command = quiet(&self.0, "http://127.0.0.1:9")?;
        command
            .args(["-p", "--init-only", "--settings", &self.0.fill(&control)])
            .stdin(Stdio::null())
            .output()
            .context("failed to run the client")?;
        let log = fs::read_to_string(&log).unwrap_or_default();
        let fired = |name: &str| log.lines().any(|line| line == name);
        Ok(fired("control")
            .then(|| (0..settings.len()).map(|index| fired(&index.to_string())).collect()))
    }
}

fn recorder(name: &str) -> Value {
    json!([{ "hooks": [{ "type": "command", "command": format!("echo {name} >> @TMP@/log") }] }])
}

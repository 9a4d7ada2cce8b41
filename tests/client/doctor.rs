//! The broken settings of `tests/doctor`, asked of the client: where it runs no hook of a file, or not
//! the one that is meant, the doctor has a finding.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    thread,
};

use anyhow::{Context, Result};
use serde_json::{Value, json};
use similar::TextDiff;

use crate::{
    sandbox::Sandbox,
    script::{Block, Turn},
    session::{DEFAULT_VERSION, Extent, Session, extent, variable, version},
};

/// How many clients run at once.
const WORKERS: usize = 2;

const FILES: [&str; 3] = ["settings.txt", "matchers.txt", "clean.txt"];

#[test]
#[ignore = "needs the client: tests/client/install"]
fn doctor() {
    let mut wrong = Vec::new();
    for name in FILES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/doctor").join(name);
        wrong.extend(compare(&path).unwrap());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A case, as its lines.
struct Case {
    lines: Vec<String>,
}

impl Case {
    fn title(&self) -> &str {
        &self.lines[0]
    }

    fn behind<'a>(&'a self, mark: &'a str) -> impl Iterator<Item = &'a str> {
        self.lines.iter().filter_map(move |line| line.strip_prefix(mark))
    }

    fn settings(&self) -> String {
        let is_text = |line: &&String| {
            !["# ", "= ", "~ ", "$ ", "@ ", "! ", "- "].iter().any(|mark| line.starts_with(mark))
        };
        let lines: Vec<&str> = self.lines.iter().filter(is_text).map(String::as_str).collect();
        lines.join("\n")
    }

    /// What the client of this version does, by the file.
    fn expected(&self) -> Option<&str> {
        let mut words = self.behind("~ ").next()?.split(' ');
        let newest = words.next();
        if version() == DEFAULT_VERSION { newest } else { words.next().or(newest) }
    }

    fn expect(&mut self, came: &str) {
        let newest = self.behind("~ ").next().and_then(|words| words.split(' ').next());
        let words = match newest {
            Some(newest) if version() != DEFAULT_VERSION && newest != came => {
                format!("~ {newest} {came}")
            }
            Some(newest) if version() != DEFAULT_VERSION => format!("~ {newest}"),
            _ => format!("~ {came}"),
        };
        self.lines.retain(|line| !line.starts_with("~ "));
        self.lines.push(words);
    }

    /// Whether the client does otherwise than its newest version.
    fn tells_versions_apart(&self) -> bool {
        self.behind("~ ").next().is_some_and(|words| words.contains(' '))
    }

    /// What the doctor would have to say and does not.
    fn unsaid(&self, came: &str) -> Option<String> {
        let levels: Vec<&str> = self.behind("= ").filter_map(|it| it.split(' ').next()).collect();
        let has = |level: &str| levels.contains(&level);
        let is_said = match came {
            "nothing" => has("error") || has("warning") && version() != DEFAULT_VERSION,
            "silent" => !levels.is_empty(),
            _ => true,
        };
        (!is_said).then(|| format!("{}: {came}, and the doctor says {levels:?}", self.title()))
    }
}

fn compare(path: &PathBuf) -> Result<Vec<String>> {
    let text = fs::read_to_string(path)?;
    let (head, cases) = text.split_once("\n# ").context("no case")?;
    let mut cases: Vec<Case> = cases
        .split("\n# ")
        .map(|case| Case {
            lines: format!("# {}", case.trim_end()).lines().map(str::to_owned).collect(),
        })
        .collect();
    let is_chosen = |at: usize| match extent() {
        Extent::Few => cases[at].tells_versions_apart(),
        Extent::Most => at.is_multiple_of(4) || cases[at].tells_versions_apart(),
        Extent::All => true,
    };
    let is_asked = |at: &usize| cases[*at].behind("$ ").next().is_some() && is_chosen(*at);
    let asked: Vec<usize> = (0..cases.len()).filter(is_asked).collect();
    let share = asked.len().div_ceil(WORKERS).max(1);
    let answers: Vec<Result<Vec<&str>>> = thread::scope(|scope| {
        let cases = &cases;
        let ask_all = |asked: &[usize]| asked.iter().map(|at| ask(&cases[*at])).collect();
        let workers: Vec<_> =
            asked.chunks(share).map(|asked| scope.spawn(move || ask_all(asked))).collect();
        workers.into_iter().map(|it| it.join().expect("a worker panicked")).collect()
    });
    let answers = answers.into_iter().collect::<Result<Vec<_>>>()?.concat();
    let mut wrong = Vec::new();
    for (at, answer) in asked.into_iter().zip(answers) {
        let case = &mut cases[at];
        wrong.extend(case.unsaid(answer));
        if case.expected() != Some(answer) {
            case.expect(answer);
        }
    }
    let cases: Vec<String> = cases.iter().map(|case| case.lines.join("\n") + "\n").collect();
    let written = format!("{}\n\n{}", head.trim_end(), cases.join("\n"));
    if written != text {
        if variable("UPDATE_CASES").is_some() {
            fs::write(path, written)?;
        } else {
            wrong.push(TextDiff::from_lines(&text, &written).unified_diff().to_string());
        }
    }
    Ok(wrong)
}

/// What the client does with the settings of a case where the model calls the tool that it names.
fn ask(case: &Case) -> Result<&'static str> {
    let sandbox = Sandbox::new(Path::new(env!("CARGO_BIN_EXE_hookman")), &BTreeMap::new())?;
    let settings = case.settings();
    let log = |word: &str| format!("echo {word} >> @TMP@/log");
    let settings = settings.replace("<mark>", &log("fired")).replace("<also>", &log("also"));
    sandbox.write("home/.claude/settings.json", &settings)?;
    sandbox.write(
        "project/a.ipynb",
        r#"{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":5}"#,
    )?;
    let tool = case.behind("$ ").next().context("no tool")?;
    let input: Value = serde_json::from_str(&sandbox.fill(&input(tool).to_string()))?;
    let mut turns = Vec::new();
    if tool == "NotebookEdit" {
        // The client edits no file that was not read.
        let input = serde_json::from_str(&sandbox.fill(r#"{"file_path":"@PROJECT@/a.ipynb"}"#))?;
        turns.push(Turn(vec![Block::Call { tool: "Read".to_owned(), input }]));
    }
    if tool != "none" {
        turns.push(Turn(vec![Block::Call { tool: tool.to_owned(), input }]));
    }
    turns.push(Turn(vec![Block::Text("done".to_owned())]));
    let args = ["--allowedTools", "Bash", "Read", "Write", "WebFetch", "NotebookEdit"];
    let mut session = Session::new()?;
    session.api.queue(turns);
    session.say("go on", &args.map(str::to_owned), &sandbox)?;
    session.hear().with_context(|| case.title().to_owned())?;
    session.end()?;
    let log = fs::read_to_string(sandbox.fill("@TMP@/log")).unwrap_or_default();
    let has = |word: &str| log.lines().any(|line| line == word);
    Ok(match (has("fired"), has("also")) {
        (true, _) => "fired",
        (false, true) => "silent",
        (false, false) => "nothing",
    })
}

fn input(tool: &str) -> Value {
    match tool {
        "Bash" => json!({ "command": "true" }),
        "Write" => json!({ "file_path": "@PROJECT@/a.txt", "content": "x" }),
        "NotebookEdit" => json!({
            "notebook_path": "@PROJECT@/a.ipynb", "new_source": "x", "edit_mode": "insert",
            "cell_type": "code",
        }),
        "WebFetch" => json!({ "url": "http://127.0.0.1:9/", "prompt": "x" }),
        _ => json!({}),
    }
}

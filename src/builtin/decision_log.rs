//! The kind `decision-log`: writes down what the user was asked and what the answer was.
//!
//! The file is readable by its owner alone, keys and tokens are masked, and by default it goes with the
//! session's state.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::kind::{self, Kind};
use super::masking::masked;
use super::options::unfilled;
use super::silence::Silence;
use super::workflow::{Source, Workflow, place};
use super::{Can, Context, Failure, OptionProblem, transcript};
use crate::client::Answer;

pub(super) static KIND: Kind =
    Kind::of::<Options>("decision-log", &[Can::ReadFiles, Can::WriteFiles], run);

/// The form of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Form {
    /// A section for people.
    Markdown,
    /// One line of JSON for programs.
    Jsonl,
}

/// The file of decisions, and their form.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Options {
    /// The file: `{date}`, `{session}`, `{cwd}`, `{project}`, `{home}`, `{state}`, the session's own
    /// directory, and `{folder}`, that of the workflow's state file, are filled in. `~/` is the home directory. Further in the path `{project}` and
    /// `{cwd}` are the directory's name alone, as in `~/decisions/{project}-{date}.md`.
    file: String,
    /// The form of a decision.
    form: Form,
    /// The most characters that are kept of what the model said before the question.
    premise: usize,
    /// The workflow's state file, for `{folder}`; without one nothing is written there.
    state: Source,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            file: "{state}/decisions.md".to_owned(),
            form: Form::Markdown,
            premise: 2000,
            state: Source::default(),
        }
    }
}

const FIELDS: [&str; 7] = ["date", "session", "cwd", "project", "home", "state", "folder"];

/// The most characters of a question or a plan, and of an answer.
const LONGEST: usize = 20_000;

impl kind::Options for Options {
    fn check(&self) -> Result<(), OptionProblem> {
        let at = |why: String| Err(OptionProblem::at(&["file"], why));
        if matches!(self.file.rsplit('/').next(), None | Some("" | "." | "..")) {
            return at(format!("expected the path of a file, found `{}`", self.file));
        }
        if self.file.contains(['*', '?']) {
            return at(format!(
                "expected one file, found `{}`; `{{folder}}` is the directory of the workflow's session, \
                 which the option `state` names",
                self.file
            ));
        }
        if self.file.contains("{folder}") && !self.state.is_file() {
            return at("`{folder}` needs the option `state`".to_owned());
        }
        unfilled(&self.file, FIELDS).map_or(Ok(()), at)
    }
}

/// A question, or a plan, and what was decided.
struct Decision {
    header: String,
    question: String,
    options: Vec<String>,
    is_multiple: bool,
    answer: String,
}

impl Decision {
    /// Takes keys and tokens out, before quotes and line starts come between their parts.
    fn mask(&mut self) {
        let own = [&mut self.header, &mut self.question, &mut self.answer];
        for text in own.into_iter().chain(&mut self.options) {
            *text = masked(text);
        }
    }
}

fn run(context: &Context<'_>) -> Result<Answer, Failure> {
    let options: Options = context.options()?;
    let input: Option<Value> = context.tool_input()?;
    let input = input.unwrap_or_default();
    let response = context.payload.tool_response.map_or("null", |response| response.get());
    let response: Value = serde_json::from_str(response).unwrap_or_default();
    let mut decisions = match &*context.payload.tool_name {
        "ExitPlanMode" => plan(&input).into_iter().collect(),
        _ => questions(&input, &response),
    };
    for decision in &mut decisions {
        cut(&mut decision.question, LONGEST);
        cut(&mut decision.answer, LONGEST);
        decision.mask();
    }
    if decisions.is_empty() {
        return Ok(Answer::default());
    }
    let premise = masked(&premise(context, options.premise));
    let text = match options.form {
        Form::Markdown => untagged(&markdown(context, &premise, &decisions)),
        Form::Jsonl => jsonl(context, &premise, &decisions),
    };
    let Some(path) = path(context, &options)? else { return Ok(Silence::NoSession.answer()) };
    let real = |path: &Path| context.host.real(path);
    let leaves = |folder: &Path| path.starts_with(folder) && !real(&path).starts_with(real(folder));
    if context.anchored(|anchors| leaves(Path::new(anchors.project))) {
        let (path, real) = (path.display(), real(&path));
        return Err(Failure::Machine(format!(
            "`{path}` is {} by a link that leads out of the project",
            real.display()
        )));
    }
    let doing = Failure::of(format!("append to `{}`", path.display()));
    context.host.append(&path, &text).map_err(doing)?;
    Ok(Silence::Noted.answer())
}

/// Gives the words of the model before its question, cut to `most` characters.
fn premise(context: &Context<'_>, most: usize) -> String {
    if most == 0 {
        return String::new();
    }
    let mut said = match &*context.payload.last_assistant_message {
        // A decision is written down without what was said where that cannot be read.
        "" => transcript::last_text(context).ok().flatten().unwrap_or_default(),
        said => said.to_owned(),
    };
    cut(&mut said, most);
    said.trim().to_owned()
}

fn cut(text: &mut String, most: usize) {
    if let Some((end, _)) = text.char_indices().nth(most) {
        text.truncate(end);
    }
}

fn plan(input: &Value) -> Option<Decision> {
    Some(Decision {
        header: "Plan".to_owned(),
        question: input["plan"].as_str()?.to_owned(),
        options: Vec::new(),
        is_multiple: false,
        answer: "approved".to_owned(),
    })
}

fn questions(input: &Value, response: &Value) -> Vec<Decision> {
    let answers = [&response["answers"], &input["answers"]].into_iter().find(|it| it.is_object());
    let decision = |question: &Value| {
        let text = question["question"].as_str()?;
        let labels = question["options"].as_array().into_iter().flatten();
        let given = match answers {
            Some(answers) => &answers[text],
            None => response,
        };
        Some(Decision {
            header: question["header"].as_str().unwrap_or("Q&A").to_owned(),
            question: text.to_owned(),
            options: labels.filter_map(|it| it["label"].as_str()).map(str::to_owned).collect(),
            is_multiple: question["multiSelect"] == true,
            answer: as_text(given),
        })
    };
    input["questions"].as_array().into_iter().flatten().filter_map(decision).collect()
}

fn as_text(answer: &Value) -> String {
    match answer {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(as_text).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => {
            let line = |(key, value): (&String, &Value)| format!("{key}: {}", as_text(value));
            fields.iter().map(line).collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

fn markdown(context: &Context<'_>, premise: &str, decisions: &[Decision]) -> String {
    let time = context.host.local_time("%Y-%m-%d %H:%M:%S");
    let first = &decisions[0];
    let title: String =
        first.question.lines().next().unwrap_or_default().chars().take(60).collect();
    // Writing to a string cannot fail.
    let mut text = format!("## {time} {}: {title}\n\n_Recorded by hookman._\n\n", first.header);
    if !premise.is_empty() {
        let _ = writeln!(text, "{}\n", quoted(premise));
    }
    for (index, decision) in decisions.iter().enumerate() {
        let number = if decisions.len() > 1 { format!("Q{}: ", index + 1) } else { String::new() };
        let question = decision.question.trim();
        // What has paragraphs of its own, such as a plan, is not one bold line.
        let bold = if question.contains('\n') { "" } else { "**" };
        let _ = writeln!(text, "{bold}{number}{question}{bold}\n");
        if !decision.options.is_empty() {
            let several = if decision.is_multiple { " (several)" } else { "" };
            let _ = writeln!(text, "Options{several}: {}\n", decision.options.join(" / "));
        }
        if !decision.answer.is_empty() {
            let _ = writeln!(text, "{}\n", quoted(&decision.answer));
        }
    }
    text
}

/// A text whose tags, such as `#done`, are quoted, so that only the file's own are found.
fn untagged(text: &str) -> String {
    let quoted = |word: &str| {
        let Some(name) = word.strip_prefix('#').filter(|it| it.starts_with(char::is_alphabetic))
        else {
            return word.to_owned();
        };
        let end = name.find(|it: char| !it.is_alphanumeric() && !"-_/".contains(it));
        let (name, behind) = name.split_at(end.unwrap_or(name.len()));
        format!("`#{name}`{behind}")
    };
    text.split_inclusive(char::is_whitespace).map(quoted).collect()
}

fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
}

fn jsonl(context: &Context<'_>, premise: &str, decisions: &[Decision]) -> String {
    let mut lines = String::new();
    for decision in decisions {
        let mut line = Map::new();
        line.insert("time".to_owned(), json!(context.host.now()));
        line.insert("session".to_owned(), json!(context.payload.session_id));
        line.insert("by".to_owned(), json!("hookman"));
        line.insert("header".to_owned(), json!(decision.header));
        line.insert("question".to_owned(), json!(decision.question));
        line.insert("options".to_owned(), json!(decision.options));
        line.insert("answer".to_owned(), json!(decision.answer));
        line.insert("premise".to_owned(), json!(premise));
        let _ = writeln!(lines, "{}", Value::Object(line));
    }
    lines
}

/// The file; `None` where it lies with the workflow's session and there is none.
fn path(context: &Context<'_>, options: &Options) -> Result<Option<PathBuf>, Failure> {
    let mut filled = options
        .file
        .replace("{date}", &context.host.local_time("%Y-%m-%d"))
        .replace("{state}", &context.host.session_folder().display().to_string());
    if filled.contains("{folder}") {
        let workflow = Workflow::new(context, &options.state);
        let Some(folder) = workflow.path()?.and_then(Path::parent) else { return Ok(None) };
        filled = filled.replace("{folder}", &folder.display().to_string());
    }
    Ok(Some(place(context, &filled)))
}

//! The kind `compaction-guard`: keeps what the work was about over an automatic compaction.
//!
//! Nothing but a block is printed on `PreCompact`, as the client takes it for instructions.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::host::Program;
use super::kind::{self, Kind};
use super::masking::masked;
use super::silence::Silence;
use super::template::one_line;
use super::workflow::{Source, Workflow};
use super::{Can, Context, Failure, Period, transcript};
use crate::client::{Answer, Event};

pub(super) static KIND: Kind = Kind::of::<Options>(
    "compaction-guard",
    &[Can::Decide, Can::Advise, Can::Remember, Can::ReadFiles, Can::StartProcesses],
    run,
);

/// The most characters of one prompt, and of one text of the state.
const LONGEST: [usize; 2] = [400, 2_000];

/// Control over compactions that the client starts by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Block {
    /// It compacts.
    Never,
    /// It is kept from it the first time in a session, and compacts when it tries again.
    Once,
    /// It never compacts by itself; `/compact` still does.
    Always,
}

/// Something that is kept over a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Part {
    /// `handover` in the state, which the workflow writes for this.
    Handover,
    /// `task` in the state, else the first prompt that is found.
    Task,
    /// `skill` and `phase` in the state.
    Phase,
    /// `note` in the state, the last progress note.
    Note,
    /// The files that were written last, and those that were read last.
    Files,
    /// The items of the todo list that are not done.
    Todos,
    /// The first `.md` files of the folder that the workflow's state file is in.
    Notes,
    /// The directives that are still to be read.
    Directives,
    /// The last prompts.
    Prompts,
}

/// The texts that are kept, and the reaction to an automatic compaction.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Options {
    /// Control over compactions that the client starts by itself.
    block: Block,
    /// The message to the user when a compaction is blocked.
    message: String,
    /// The texts that are kept and told again, in this order.
    keep: Vec<Part>,
    /// The number of last prompts that are kept.
    prompts: usize,
    /// The most files of each sort, and the most todo items.
    most: usize,
    /// A program to start when the client is about to compact, and its arguments, never through a shell:
    /// `{session}`, `{cwd}` and `{snapshot}`, a file with what was kept, are filled in. With a state file it is
    /// started only where the file is there.
    restart: Vec<String>,
    /// The time that this program may take.
    restart_limit: Period,
    /// The state that `keep` reads.
    state: Source,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            block: Block::Never,
            message:
                "Automatic compaction is blocked by a hook. Finish or save what is open, then \
                      run /compact, or start a new session."
                    .to_owned(),
            keep: vec![
                Part::Handover,
                Part::Task,
                Part::Phase,
                Part::Note,
                Part::Files,
                Part::Todos,
                Part::Notes,
                Part::Directives,
                Part::Prompts,
            ],
            prompts: 3,
            most: 20,
            restart: Vec::new(),
            restart_limit: Period::seconds(60),
            state: Source::default(),
        }
    }
}

impl kind::Options for Options {}

fn run(context: &Context<'_>) -> Result<Answer, Failure> {
    match context.event {
        Event::PreCompact if context.payload.trigger == "auto" => before(context),
        Event::SessionStart if matches!(&*context.payload.source, "compact" | "resume") => {
            restored(context)
        }
        _ => Ok(Answer::default()),
    }
}

fn before(context: &Context<'_>) -> Result<Answer, Failure> {
    let options: Options = context.options()?;
    let done = prepared(context, &options);
    let blocks = match options.block {
        Block::Never => false,
        Block::Once => {
            let tries = context.store.count(&context.key("blocked"), 1)?;
            tries == 1
        }
        Block::Always => true,
    };
    if blocks {
        // What could not be kept is one more reason for it.
        return Ok(Answer::deny(options.message));
    }
    done.map(Silence::answer)
}

/// Saves the text for after the compaction, and restarts the session if the options ask for it.
fn prepared(context: &Context<'_>, options: &Options) -> Result<Silence, Failure> {
    let snapshot = masked(&snapshot(context, options)?);
    let name = context.key("snapshot");
    let kept = Some(snapshot.clone()).filter(|snapshot| snapshot.contains('\n'));
    context.store.change(&name, &mut |_| kept.clone())?;
    let state = &options.state;
    if options.restart.is_empty() {
        return Ok(Silence::Noted);
    }
    if state.is_file() && !Workflow::new(context, state).is_there()? {
        return Ok(Silence::NotRestarted);
    }
    restart(context, options, &snapshot).map(|()| Silence::Noted)
}

/// Gives back what was kept, once.
fn restored(context: &Context<'_>) -> Result<Answer, Failure> {
    let name = context.key("snapshot");
    let mut kept = None;
    let mut take = |old: Option<&str>| {
        kept = old.map(str::to_owned);
        None
    };
    context.store.change(&name, &mut take)?;
    Ok(kept.map(Answer::context).unwrap_or_default())
}

fn snapshot(context: &Context<'_>, options: &Options) -> Result<String, Failure> {
    // A transcript that cannot be read takes nothing from what the state tells.
    let story = transcript::story(context).unwrap_or_default();
    let workflow = Workflow::new(context, &options.state);
    let state = |name: &str| workflow.get(name).map(|text| one_line(&text, LONGEST[1]));
    let prompt = |prompt: &String| one_line(prompt, LONGEST[0]);
    let latest = |list: &[String]| {
        let from = list.len().saturating_sub(options.most);
        list[from..].to_vec()
    };
    let task = match state("task")? {
        task if task.is_empty() => story.prompts.first().map(prompt).unwrap_or_default(),
        task => task,
    };
    let mut text = format!(
        "What was going on when the context was compacted ({}):",
        context.host.local_time("%Y-%m-%d %H:%M")
    );
    for part in &options.keep {
        let rows = match part {
            Part::Handover => vec![("Handover", vec![state("handover")?])],
            Part::Task => vec![("Task", vec![task.clone()])],
            Part::Phase => {
                vec![("Skill", vec![state("skill")?]), ("Phase", vec![state("phase")?])]
            }
            Part::Note => vec![("Last note", vec![state("note")?])],
            Part::Files => {
                let only_read = |file: &&String| !story.written.contains(file);
                let read: Vec<String> = story.read.iter().filter(only_read).cloned().collect();
                vec![("Files written", latest(&story.written)), ("Files read", latest(&read))]
            }
            Part::Todos => {
                let most = story.todos.len().min(options.most);
                vec![("Still to be done", story.todos[..most].to_vec())]
            }
            Part::Notes => vec![("Notes of the session", notes(context, &workflow)?)],
            Part::Directives => {
                let pending = context.store.text("pending_directives")?;
                let pending = pending.unwrap_or_default().lines().map(str::to_owned).collect();
                vec![("Directives still to be read", pending)]
            }
            Part::Prompts => {
                let from = story.prompts.len().saturating_sub(options.prompts);
                let mut last: Vec<String> = story.prompts[from..].iter().map(prompt).collect();
                last.retain(|prompt| *prompt != task || !options.keep.contains(&Part::Task));
                vec![("Last prompts", last)]
            }
        };
        for (name, values) in rows {
            write_row(&mut text, name, &values);
        }
    }
    Ok(text)
}

/// The paths of the notes that lie next to the workflow's state file.
fn notes(context: &Context<'_>, workflow: &Workflow<'_>) -> Result<Vec<String>, Failure> {
    let Some(folder) = workflow.path()?.and_then(Path::parent) else { return Ok(Vec::new()) };
    let names = context.host.names(folder).unwrap_or_default();
    let notes = names
        .iter()
        .filter(|name| Path::new(name).extension().is_some_and(|it| it == "md"))
        .take(NOTES);
    Ok(notes.map(|name| folder.join(name).display().to_string()).collect())
}

/// The number of notes of a session's folder are named.
const NOTES: usize = 8;

fn write_row(text: &mut String, name: &str, values: &[String]) {
    let values: Vec<&String> = values.iter().filter(|value| !value.is_empty()).collect();
    if let [value] = values.as_slice() {
        text.extend(["\n", name, ": ", value]);
    } else if !values.is_empty() {
        text.extend(["\n", name, ":"]);
        text.extend(values.iter().flat_map(|value| ["\n- ", value]));
    }
}

fn restart(context: &Context<'_>, options: &Options, snapshot: &str) -> Result<(), Failure> {
    let file = context.host.session_folder().join("before-compaction.md");
    context.host.replace(&file, snapshot).map_err(Failure::of("write the snapshot"))?;
    let filled = |word: &String| {
        word.replace("{session}", &context.payload.session_id)
            .replace("{cwd}", &context.payload.cwd)
            .replace("{snapshot}", &file.display().to_string())
    };
    let argv: Vec<String> = options.restart.iter().map(filled).collect();
    let started = context.host.start(Program::new(&argv), options.restart_limit.duration());
    started.map_err(Failure::of(format!("start `{}`", argv[0])))
}

//! The kind `protect`: files that may not be read or changed, by file tools or by commands.

mod files;
mod options;
mod uses;

use std::time::Duration;

use crate::client::answer::Answer;
use crate::syntax::shell;

use super::context::{Context, Failure};
use super::finding::{self, Finding, Manner};
use super::hiding;
use super::kind::{Can, Kind};
use super::tool_input::ToolInput;

use files::Folders;
use options::{Compiled, Protected};
use uses::Use;

/// The kind as the catalogue knows it.
pub(super) static KIND: Kind = Kind::of::<options::Options>(
    "protect",
    &[Can::Decide, Can::Advise, Can::Remember, Can::ReadFiles],
    run,
);

/// Judges what a call reads or changes; one that names no file is none of its business.
///
/// # Errors
///
/// When the call's input has another shape, a command that may name a protected file cannot be read
/// to its end, or the store fails while nothing but a warning of this session decides.
fn run(context: &Context<'_>) -> Result<Answer, Failure> {
    let Some(input) = context.tool_input::<ToolInput<'_>>()? else { return Ok(Answer::default()) };
    if input.command.is_empty() { of_tool(context, &input) } else { of_command(context, &input) }
}

/// Whether a text may name a protected file, told by the parts that all of their names have.
fn may_name(text: &str, context: &Context<'_>) -> bool {
    let Some((hints, _)) = context.first_option("hints") else { return true };
    let text = text.to_lowercase();
    let state = files::state(context).to_lowercase();
    let state = state.rsplit('/').next().unwrap_or_default();
    hints.split('|').any(|hint| text.contains(hint)) || (!state.is_empty() && text.contains(state))
}

/// A rule, and what it protects from.
struct Hit<'r, 'o> {
    rule: &'r Protected<'o>,
    what: Use,
    file: String,
    subject: String,
}

struct Judge<'r, 'o> {
    options: &'r Compiled<'o>,
    folders: Folders<'r>,
    /// The text that is written, for rules that ask for words in it.
    text: &'r str,
    hits: Vec<Hit<'r, 'o>>,
}

impl Judge<'_, '_> {
    /// Notes the rules that one of the paths hits, under the name by which the call has the file.
    fn look(&mut self, file: &str, paths: &[String], what: Use, subject: &dyn Fn() -> String) {
        for rule in &self.options.rules {
            let known = self.hits.iter().any(|hit| hit.rule.id == rule.id);
            let counts = match what {
                Use::Read => rule.reads && rule.contains.is_empty(),
                Use::Change | Use::Into => {
                    rule.contains.is_empty()
                        || rule.contains.split('|').any(|word| self.text.contains(word))
                }
                Use::Remove | Use::Shut => rule.contains.is_empty(),
            };
            let is_hit = |path: &String| {
                let folders = &self.folders;
                (folders.hit(&rule.files, path)
                    || (matches!(what, Use::Remove | Use::Shut)
                        && folders.holds(&rule.files, path)))
                    && !folders.hit(&rule.except, path)
                    && !folders.hit(&self.options.allow, path)
            };
            if !known && counts && paths.iter().any(is_hit) {
                let (file, subject) = (finding::shown(file), subject());
                self.hits.push(Hit { rule, what, file, subject });
            }
        }
    }

    fn answer(self, context: &Context<'_>) -> Result<Answer, Failure> {
        let manner = Manner {
            careful: self.options.careful,
            forget_after: Duration::from_secs(self.options.forget_after),
            per_agent: self.options.per_agent,
        };
        let findings = self.hits.into_iter().map(|Hit { rule, what, file, subject }| {
            let verb = match what {
                Use::Read => "reads",
                Use::Change | Use::Into | Use::Shut => "changes",
                Use::Remove => "removes",
            };
            let what = if subject.contains(&*file) {
                format!("{verb} a file that {}", rule.what)
            } else {
                format!("{verb} `{file}`, which {}", rule.what)
            };
            Finding {
                id: &rule.id,
                level: rule.level,
                subject,
                what,
                instead: &rule.instead,
                legacy: "",
            }
        });
        finding::answer(context, &manner, findings.collect())
    }
}

fn of_tool(context: &Context<'_>, input: &ToolInput<'_>) -> Result<Answer, Failure> {
    let paths = [&input.file_path, &input.notebook_path, &input.path];
    let file = paths.into_iter().find(|path| !path.is_empty()).map_or("", |path| &**path);
    let tool = &*context.payload.tool_name;
    let mut names = vec![file.to_owned()];
    if tool == "Grep" && !input.glob.is_empty() {
        names.push(format!("{}/{}", if file.is_empty() { "." } else { file }, input.glob));
    }
    let folders = Folders::new(context);
    // A link may lead to a protected file by any name.
    let real: Vec<String> = names.iter().map(|name| folders.real(name)).collect();
    if names.iter().all(String::is_empty)
        || !real.iter().chain(&names).any(|name| may_name(name, context))
    {
        return Ok(Answer::default());
    }
    let text = input.written();
    let options: Compiled<'_> = context.options()?;
    let mut judge = Judge { options: &options, folders, text: &text, hits: Vec::new() };
    for (name, real) in names.iter().zip(real) {
        let mut paths = judge.folders.paths(name);
        paths.push(real);
        judge.look(name, &paths, use_of(tool), &|| finding::shown(&format!("{tool} {name}")));
    }
    judge.answer(context)
}

/// What a tool does with its file; one that is not known goes by its name.
fn use_of(tool: &str) -> Use {
    let name = tool.to_ascii_lowercase();
    let reads = ["read", "grep", "glob", "list", "search", "view", "get"];
    if reads.iter().any(|word| name.contains(word)) { Use::Read } else { Use::Change }
}

fn of_command(context: &Context<'_>, input: &ToolInput<'_>) -> Result<Answer, Failure> {
    let command = &*input.command;
    let is_patterned =
        command.contains(['*', '?', '[']) || (command.contains('{') && command.contains(','));
    if !is_patterned
        && !hiding::hides_a_name(command)
        && !uses::may_take_folders(command)
        && !may_name(command, context)
        && !may_name(&context.payload.cwd, context)
    {
        return Ok(Answer::default());
    }
    let options: Compiled<'_> = context.options()?;
    let folders = Folders::new(context);
    let mut judge = Judge { options: &options, folders, text: command, hits: Vec::new() };
    let mut visit = |invocation: &shell::Invocation<'_>| {
        if matches!(invocation.program, "cd" | "pushd" | "Set-Location")
            && let Some(to) = invocation.arguments.iter().find(|word| !word.text.starts_with('-'))
        {
            judge.folders.go(&to.text);
        }
        uses::each(invocation, &mut |file, what| {
            let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
            if what == Use::Into && !judge.folders.is_folder(folder) {
                return;
            }
            let paths = judge.folders.paths(file);
            judge.look(file, &paths, what, &|| match invocation.source {
                "" => finding::shown(command),
                source => finding::shown(source),
            });
        });
    };
    let complete = shell::each_invocation(command, &mut visit);
    if !complete {
        shell::each_suspect(command, &mut visit);
    }
    if judge.hits.is_empty() && !complete && may_name(command, context) {
        return Err(Failure::Payload("the command could not be read to its end".to_owned()));
    }
    judge.answer(context)
}

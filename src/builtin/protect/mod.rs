//! The kind `protect`: files that may not be read or changed, by file tools or by commands.

mod files;
mod options;
mod search;
mod uses;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::time::Duration;

use crate::client::answer::Answer;
use crate::machine::paths::LONGEST;
use crate::syntax::glance::hides_a_name;
use crate::syntax::shell;

use super::context::{Context, Failure};
use super::finding::{self, Finding, Manner};
use super::kind::{Can, Kind};
use super::tool_input::ToolInput;

use super::values::Level;

use files::{Folders, Parts};
use options::{Compiled, Protected};

pub(super) use options::rules;
use search::{Found, Search};
use uses::Use;

/// The safer way to change what may not even be read.
const PROPOSE: &str = "propose the change to the user, who can make it";

/// So many paths that a command may mean are looked at, and so many names are read, known ones among them.
const PATHS: usize = 1024;
const NAMES: usize = 16_384;

/// A dot that a quote or a variable cuts off from the rest of a name.
const CUT: [&str; 4] = [".\"", ".'", ".\\", ".$"];

pub(super) static KIND: Kind = Kind::of::<options::Options>(
    "protect",
    &[Can::Decide, Can::Advise, Can::Remember, Can::ReadFiles],
    run,
);

/// Judges what a call reads or changes; one that names no file is none of its business.
///
/// Fails when the call's input has another shape, a command that may name a protected file cannot be read
/// to its end, or the store fails while nothing but a warning of this session decides.
fn run(context: &Context<'_>) -> Result<Answer, Failure> {
    let Some(input) = context.tool_input::<ToolInput<'_>>()? else { return Ok(Answer::default()) };
    let line = if input.command.is_some() { context.command()? } else { None };
    let Some(line) = line.map(|line| &*line.line).filter(|line| !line.is_empty()) else {
        return of_tool(context, &input);
    };
    // A tool of files takes a command for a field that it does not know, and does its work.
    if [&input.file_path, &input.notebook_path, &input.path].iter().any(|path| !path.is_empty()) {
        let answer = of_tool(context, &input)?;
        if answer != Answer::default() {
            return Ok(answer);
        }
    }
    of_command(context, line)
}

/// A rule, and what it protects from.
struct Hit<'r, 'o> {
    rule: &'r Protected<'o>,
    what: Use,
    file: String,
    subject: String,
    level: Level,
}

struct Judge<'r, 'o> {
    options: &'r Compiled<'o>,
    folders: Folders<'r>,
    parts: &'r Parts<'r>,
    /// The text that is written, for rules that ask for words in it.
    text: &'r str,
    hits: Vec<Hit<'r, 'o>>,
    printed: Vec<(&'r Protected<'o>, Found)>,
    /// The number of paths that may still be looked at.
    left: usize,
    /// The number of names that may still be read.
    names: usize,
    /// The files that were looked at, with the use of each and the number of directories then known.
    looked: BTreeSet<(String, Use, usize)>,
    /// The names that `find` looks for, which come in the place of `{}`.
    sought: Vec<String>,
}

impl<'r, 'o> Judge<'r, 'o> {
    fn new(
        options: &'r Compiled<'o>,
        folders: Folders<'r>,
        parts: &'r Parts<'r>,
        text: &'r str,
    ) -> Self {
        let (hits, printed, looked, sought) = Default::default();
        Self {
            options,
            folders,
            parts,
            text,
            hits,
            printed,
            left: PATHS,
            names: NAMES,
            looked,
            sought,
        }
    }

    /// Notes the rules that one of the paths hits, under the name by which the call has the file.
    fn look(&mut self, file: &str, paths: &[String], what: Use, subject: &dyn Fn() -> String) {
        let may_hit: Vec<bool> = paths.iter().map(|path| self.parts.may_be_in(path)).collect();
        let removes = matches!(what, Use::Remove | Use::Shut);
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let may_be_there = removes || may_hit.contains(&true);
        if !may_be_there || (what == Use::Into && !self.folders.is_folder(folder)) {
            return;
        }
        for rule in &self.options.rules {
            let known = self.hits.iter().any(|hit| hit.rule.id == rule.id);
            let counts = match what {
                Use::Read => rule.reads && rule.contains.is_empty(),
                Use::Change | Use::Copy | Use::Into => {
                    rule.contains.is_empty()
                        || rule.contains.split('|').any(|word| self.text.contains(word))
                }
                Use::Remove => rule.removes && rule.contains.is_empty(),
                // A secret that only its owner can use is as it should be.
                Use::Tighten => !rule.reads && !file.contains(".ssh/") && rule.contains.is_empty(),
                Use::Shut => rule.contains.is_empty(),
            };
            let is_made = |path: &str| {
                rule.reads
                    && (what != Use::Read && Folders::is_new(path)
                        || what == Use::Copy && !self.folders.may_hold(path))
            };
            let is_hit = |(path, may_hit): (&String, &bool)| {
                let folders = &self.folders;
                ((*may_hit && folders.hit(&rule.files, path) && !is_made(path))
                    || (removes && folders.holds(&rule.files, path)))
                    && !self.is_spared(rule, path)
            };
            if !known && counts && paths.iter().zip(&may_hit).any(is_hit) {
                let (file, subject) = (finding::shown(file), subject());
                self.hits.push(Hit { rule, what, file, subject, level: rule.level });
            }
        }
    }

    fn is_spared(&self, rule: &Protected<'_>, path: &str) -> bool {
        self.folders.hit(&rule.except, path) || self.folders.hit(&self.options.allow, path)
    }

    /// Notes the protected files that a search would print.
    fn search(&mut self, search: &Search<'_>, source: &str) {
        let folders = &self.folders;
        // The same search finds the same files.
        if !self.looked.insert((source.to_owned(), Use::Read, folders.count())) {
            return;
        }
        for folder in search.folders.iter().flat_map(|folder| folders.paths(folder)) {
            for (name, path) in search.files(&folder, |folder| folders.names(folder)) {
                if !self.parts.may_be_in(&path) {
                    continue;
                }
                let is_hit = |rule: &&Protected<'_>| {
                    rule.reads
                        && rule.contains.is_empty()
                        && folders.hit(&rule.files, &path)
                        && !self.is_spared(rule, &path)
                };
                let Some(rule) = self.options.rules.iter().find(is_hit) else { continue };
                let source = source.to_owned();
                let found = Found { source, name, is_wanted: search.includes };
                if !self.printed.iter().any(|(_, known)| *known == found) {
                    self.printed.push((rule, found));
                }
            }
        }
    }

    /// Decides about searches: they leave the files out, or the user is asked.
    fn searched(&mut self, rewritten: impl Fn(&[Found]) -> Option<Answer>) -> Option<Answer> {
        let printed = std::mem::take(&mut self.printed);
        let (rules, found): (Vec<_>, Vec<_>) = printed.into_iter().unzip();
        if found.is_empty() {
            return None;
        }
        if self.hits.is_empty()
            && !self.options.careful
            && let Some(answer) = rewritten(&found)
        {
            return Some(answer);
        }
        for (rule, Found { source, name, .. }) in rules.into_iter().zip(found) {
            if !self.hits.iter().any(|hit| hit.rule.id == rule.id) {
                let (what, level) = (Use::Read, rule.level.min(Level::Ask));
                self.hits.push(Hit {
                    rule,
                    what,
                    file: name,
                    subject: finding::shown(&source),
                    level,
                });
            }
        }
        None
    }

    fn answer(self, context: &Context<'_>) -> Result<Answer, Failure> {
        let manner = Manner {
            careful: self.options.careful,
            forget_after: Duration::from_secs(self.options.forget_after),
            per_agent: self.options.per_agent,
            asker: context.name,
        };
        let findings = self.hits.into_iter().map(|Hit { rule, what, file, subject, level }| {
            let is_read = what == Use::Read;
            let verb = match what {
                Use::Read => "reads",
                Use::Change | Use::Copy | Use::Into | Use::Tighten | Use::Shut => "changes",
                Use::Remove => "removes",
            };
            let what = if subject.contains(&*file) {
                format!("{verb} a file that {}", rule.what)
            } else {
                format!("{verb} `{file}`, which {}", rule.what)
            };
            let instead = if is_read || !rule.reads { &rule.instead } else { PROPOSE };
            Finding { id: &rule.id, level, subject, what, instead, legacy: "" }
        });
        finding::answer(context, &manner, findings.collect())
    }
}

fn of_tool(context: &Context<'_>, input: &ToolInput<'_>) -> Result<Answer, Failure> {
    let paths = [&input.file_path, &input.notebook_path, &input.path];
    let file = paths.into_iter().find(|path| !path.is_empty()).map_or("", |path| &**path);
    if file.len().max(input.glob.len()) > LONGEST {
        return Err(Failure::Payload("a path or a glob is longer than a system takes".to_owned()));
    }
    let tool = &*context.payload.tool_name;
    let parts = Parts::new(context);
    let mut names = vec![file.to_owned()];
    let folders = Folders::new(context);
    let folder = if file.is_empty() { "." } else { file };
    let globs = search::globs(&input.glob);
    let search = Search::by_globs(folder, &globs);
    let is_narrow = tool == "Grep" && !search.takes_all();
    let has_pattern = is_narrow && input.glob.contains(['*', '?', '[', '{']);
    let prints_all = tool == "Grep"
        && search.takes_all()
        && input.output_mode == "content"
        && input.kind.is_empty();
    if is_narrow {
        names.extend(globs.iter().map(|glob| format!("{folder}/{glob}")));
        let found = folders.paths(folder).into_iter();
        let files = found.flat_map(|folder| search.files(&folder, |it| folders.names(it)));
        names.extend(files.map(|(_, path)| path).filter(|path| parts.may_be_in(path)));
    }
    // A link may lead to a protected file by any name.
    let real: Vec<String> = names.iter().map(|name| folders.real(name)).collect();
    let may_hit =
        has_pattern || prints_all || real.iter().chain(&names).any(|name| parts.may_be_in(name));
    if !prints_all && names.iter().all(String::is_empty) || !may_hit {
        return Ok(Answer::default());
    }
    let text = input.written();
    let options: Compiled<'_> = context.options()?;
    let mut judge = Judge::new(&options, folders, &parts, &text);
    for (name, real) in names.iter().zip(real) {
        let mut paths = judge.folders.paths(name);
        paths.push(real);
        judge.look(name, &paths, use_of(tool), &|| finding::shown(&format!("{tool} {name}")));
    }
    if prints_all {
        judge.search(&search, tool);
    }
    match judge.searched(|found| search::rewritten_glob(context, &input.glob, found)) {
        Some(answer) => Ok(answer),
        None => judge.answer(context),
    }
}

/// Names the use that a tool makes of its file; an unknown tool goes by its name.
fn use_of(tool: &str) -> Use {
    let name = tool.to_ascii_lowercase();
    let reads = ["read", "grep", "glob", "list", "search", "view", "get"];
    if reads.iter().any(|word| name.contains(word)) { Use::Read } else { Use::Change }
}

fn of_command(context: &Context<'_>, line: &str) -> Result<Answer, Failure> {
    let command = shell::can_run(line);
    let is_cut = command.len() < line.len();
    let parts = Parts::new(context);
    let is_patterned = command.contains(['*', '?', '['])
        || (command.contains('{') && command.contains(','))
        || (command.contains('%') && command.contains("://"));
    if !is_cut
        && !is_patterned
        && !hides_a_name(command)
        && !CUT.iter().any(|cut| command.contains(cut))
        && !uses::may_take_folders(command)
        && !search::may_be_in(command)
        && !parts.may_be_in(command)
        && !parts.may_be_in(&context.payload.cwd)
    {
        return Ok(Answer::default());
    }
    let options: Compiled<'_> = context.options()?;
    let mut judge = Judge::new(&options, Folders::new(context), &parts, command);
    let hidden = Cell::new(false);
    let mut visit = |invocation: &shell::Invocation<'_>| {
        hidden.set(hidden.get() || invocation.program == "hidden-program");
        if matches!(invocation.program, "cd" | "pushd" | "Set-Location")
            && let Some(to) = invocation.arguments.iter().find(|word| !word.text.starts_with('-'))
        {
            judge.folders.go(&to.text);
        }
        if invocation.program == "find" {
            judge.sought = uses::sought(invocation.arguments);
        }
        if let Some(search) = search::of(invocation) {
            judge.search(&search, invocation.source);
        }
        uses::each(invocation, &mut |file, what| {
            if judge.left == 0 || judge.names == 0 {
                return judge.left = 0;
            }
            judge.names -= 1;
            let is_sought = file.contains("{}");
            let key = (file.to_owned(), what, judge.folders.count());
            let is_idle =
                || what == Use::Copy && uses::is_for_missing(command, invocation.source, file);
            if !(is_sought || judge.looked.insert(key)) || is_idle() {
                return;
            }
            // What `find` hands on is what it was told to look for.
            let sought = if is_sought { judge.sought.clone() } else { Vec::new() };
            for file in sought.iter().map(String::as_str).chain([file]) {
                let paths = judge.folders.paths(file);
                judge.left = judge.left.saturating_sub(paths.len());
                judge.look(file, &paths, what, &|| match invocation.source {
                    "" => finding::shown(command),
                    source => finding::shown(source),
                });
            }
        });
    };
    let complete = shell::each_invocation(line, &mut visit) && !hidden.get();
    if !complete {
        shell::each_suspect(command, &mut visit);
    }
    let rewrites = |found: &[_]| search::rewritten(context, command, found).filter(|_| !is_cut);
    let searched = judge.searched(rewrites);
    if judge.hits.is_empty() && !complete && (is_cut || parts.may_be_in(command)) {
        return Err(Failure::Payload("the command could not be read to its end".to_owned()));
    }
    if judge.hits.is_empty() && (judge.left == 0 || judge.folders.is_cut()) {
        let text = "the command names more files than can be looked at in time";
        return Err(Failure::Payload(text.to_owned()));
    }
    match searched {
        Some(answer) => Ok(answer),
        None => judge.answer(context),
    }
}

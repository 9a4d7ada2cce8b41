//! The kind `command-guard`: rules about shell commands that warn, ask, stop once or stop always.
//!
//! The command line is read and not searched for patterns: quoted text and here-documents are data,
//! wrappers and substitutions are looked into, and every command of a line is judged.

mod branches;
mod listing;
mod made;
mod naming;
mod operands;
mod options;
mod own;
mod places;
mod prefilter;
mod repositories;
mod rule;

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::client::answer::Answer;
use crate::syntax::shell::{self, Word};

use super::context::{Context, Failure};
use super::finding::{self, Finding, Manner};
use super::kind::{Can, Kind};
use super::values::Level;

use made::{Made, Moves};
use rule::{Head, Rule, Rules};

pub use super::finding::Listed;
pub use listing::rules;

pub(super) static KIND: Kind = Kind::of::<options::Options>(
    "command-guard",
    &[Can::Decide, Can::Advise, Can::Remember, Can::ReadFiles],
    run,
);

/// The name under which warnings are kept: of several command guards the first asks for all.
const ASKER: &str = "guard";

/// So many files are looked for; of more it is taken that they are there.
const LOOKS: usize = 64;

/// Judges the command of a shell tool's call; a call without one is none of its business.
///
/// Fails when the call's command is no text, when the options are not in the form that resolving gives,
/// or the store fails while nothing but a warning of this session decides.
fn run(context: &Context<'_>) -> Result<Answer, Failure> {
    let Some(line) = context.command()? else { return Ok(Answer::default()) };
    let calls = context.options.strip_prefix("{\"programs\":\"");
    if calls.is_some_and(|calls| prefilter::rules_out(calls, line)) {
        return Ok(Answer::default());
    }
    let command = match &*context.payload.tool_name {
        "PowerShell" => shell::from_powershell(&line.line),
        _ => Cow::Borrowed(&*line.line),
    };
    let command = &*command;
    let unreadable = || Failure::Options("they were compiled by another version".to_owned());
    let (_, rest) = context.first_option("programs").ok_or_else(unreadable)?;
    let late = match rest.strip_prefix(",\"late\":") {
        Some(late) => Cow::Borrowed(late),
        None => (context.late)().map_err(|error| Failure::Options(error.to_string()))?.into(),
    };
    let head = late.strip_prefix("{\"head\":").ok_or_else(unreadable)?;
    let mut reader = serde_json::Deserializer::from_str(head).into_iter();
    let options: Head<'_> = reader.next().and_then(Result::ok).ok_or_else(unreadable)?;
    let rules = head[reader.byte_offset()..].strip_prefix(",\"rules\":[").ok_or_else(unreadable)?;
    let rules = Rules::new(&options, rules);
    let (findings, complete) = judge(command, &options, &rules, context)?;
    let manner = Manner {
        careful: options.careful,
        forget_after: Duration::from_secs(options.forget_after),
        per_agent: options.per_agent,
        asker: ASKER,
    };
    let answer = finding::answer(context, &manner, findings)?;
    // A warning that was given says nothing of what could not be read.
    if !complete && answer.is_silent() {
        return Err(Failure::Payload("the command could not be read to its end".to_owned()));
    }
    Ok(answer)
}

/// The first command that each rule found, or the worst where a rule has forms of several levels,
/// in their order, and whether the line was read to its end. What was not is
/// looked through word by word.
fn judge<'r>(
    command: &str,
    options: &Head<'_>,
    rules: &'r Rules<'_>,
    context: &Context<'_>,
) -> Result<(Vec<Finding<'r>>, bool), Failure> {
    let mut found: Vec<Finding<'r>> = Vec::new();
    let mut all_are_read = true;
    let globals = &options.globals;
    let looks = Cell::new(LOOKS);
    let known_folder = OnceCell::new();
    let folder = || known_folder.get_or_init(|| folder(command, &context.payload.cwd)).as_deref();
    let may_exist = |word: &&Word<'_>| {
        looks.set(looks.get().saturating_sub(1));
        looks.get() == 0 || may_exist(word, folder(), context)
    };
    let known_made = OnceCell::new();
    let made = || known_made.get_or_init(|| Made::by(command, &context.payload.cwd));
    let known_need = OnceCell::new();
    let needs_all = || *known_need.get_or_init(|| needs_all_before(command));
    let has_places = places::may_have(command);
    let mut calls = 0;
    let mut moves = Moves::default();
    let mut own = own::Inside::default();
    let mut visit = |invocation: &shell::Invocation<'_>| {
        calls += 1;
        if has_places && own.has(calls, invocation, &made, &needs_all, context) {
            return;
        }
        let mut outside = operands::from_folder(invocation);
        match invocation.program {
            "mv" | "Move-Item" => moves.keep(invocation.arguments),
            "rm" | "Remove-Item" => {
                let own = outside.as_deref().unwrap_or(invocation.arguments);
                let below: Vec<String> = moves.below(own).collect();
                if !below.is_empty() {
                    let below = below.into_iter().map(Word::literal);
                    outside = Some(own.iter().cloned().chain(below).collect());
                }
            }
            _ => {}
        }
        let invocation = &shell::Invocation {
            arguments: outside.as_deref().unwrap_or(invocation.arguments),
            ..*invocation
        };
        let is_made = |path: &str| {
            // That something was not there before, only the command that made it can tell.
            if let Some(name) = path.strip_prefix("&&") {
                return places::is_output(name)
                    || made().has_before(calls, name)
                        && (naming::is_new(name)
                            || needs_all()
                            || (invocation.program == "git"
                                && made().is_new_reference(name, context)));
            }
            let own = path.strip_prefix(invocation.folder).and_then(|rest| rest.strip_prefix('/'));
            made().has(path, context) || own.is_some_and(|path| made().has(path, context))
        };
        for rule in rules.about(invocation) {
            let Some(rule) = rule else {
                all_are_read = false;
                continue;
            };
            let level = rule.level.unwrap_or(options.level);
            let known = found.iter().position(|finding| finding.id == &*rule.id);
            if known.is_some_and(|known| found[known].level >= level)
                || !rule.matches(invocation, globals, &is_made)
                || (invocation.program == "hidden-program"
                    && !rules.may_be_about(invocation, globals, &is_made))
                || (invocation.program == "git" && made().is_in_own(invocation, context))
                || (rule.default_branch
                    && !branches::is_about_default(rule, invocation, globals, context))
                || (rule.existing
                    && !rule
                        .operands_of(invocation, globals)
                        .iter()
                        .any(|word| rule.is_wanted(word) && may_exist(word)))
                || (rule.file
                    && !folder().is_some_and(|folder| {
                        branches::names_a_file(rule, invocation, globals, folder, context)
                    }))
            {
                continue;
            }
            // A redirection without a program has no text of its own.
            let source = if invocation.source.is_empty() { command } else { invocation.source };
            let finding = of_rule(rule, level, source);
            match known {
                Some(known) => found[known] = finding,
                None => found.push(finding),
            }
        }
    };
    let complete = shell::each_invocation(command, &mut visit);
    if !complete {
        shell::each_suspect(command, &mut visit);
    }
    if all_are_read {
        Ok((found, complete))
    } else {
        Err(Failure::Options("a rule cannot be read".to_owned()))
    }
}

fn of_rule<'r>(rule: &'r Rule<'_>, level: Level, source: &str) -> Finding<'r> {
    Finding {
        id: &rule.id,
        level,
        subject: finding::shown(source),
        what: rule.what.to_string(),
        instead: &rule.instead,
        legacy: &rule.legacy,
    }
}

/// Returns whether each command of a line runs only if all before it did what they were to do.
fn needs_all_before(line: &str) -> bool {
    // An assignment does not fail.
    let is_assignment = |part: &str| {
        let (name, value) = part.trim().split_once('=').unwrap_or(("", ""));
        let is_name = name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_');
        is_name && !name.is_empty() && !value.contains(['&', '|', '`'])
    };
    let part = line.split_once([';', '\n']).filter(|(part, _)| is_assignment(part));
    if let Some((_, rest)) = part {
        return needs_all_before(rest);
    }
    let set = line.trim_start().strip_prefix("set -").and_then(|it| it.split_once([';', '\n']));
    let (line, ends) = match set {
        Some((options, rest)) if options.starts_with('e') || options.starts_with("uo e") => {
            (rest, &['|'][..])
        }
        _ => (line, &[';', '|', '\n'][..]),
    };
    !line.contains(ends) && !line.replace("&&", "").contains('&')
}

/// The folder that a line works in: the session's, or that of a `cd` at its beginning; `None` where it
/// goes to others as well.
fn folder(line: &str, cwd: &str) -> Option<PathBuf> {
    let moves = |line: &str| line.contains("cd ") || line.contains("pushd ");
    let target = line.trim_start().strip_prefix("cd ").and_then(|rest| {
        let (folder, rest) = rest.split_once(['&', ';', '\n'])?;
        let folder = folder.trim().trim_matches(['"', '\'']);
        (!moves(rest) && !folder.starts_with(['~', '-']) && !folder.contains(['$', '`', '*', ' ']))
            .then_some(folder)
    });
    match target {
        Some(folder) => Some(Path::new(cwd).join(folder)),
        None if moves(line) || cwd.is_empty() => None,
        None => Some(PathBuf::from(cwd)),
    }
}

/// Returns whether a word names a file that is there and not temporary, or one of which that cannot be told.
fn may_exist(word: &Word<'_>, folder: Option<&Path>, context: &Context<'_>) -> bool {
    let path = word.text.strip_prefix("of=").unwrap_or(&word.text);
    let is_file = |path: &Path| context.host.look(path).is_some_and(|it| it.is_file);
    if operands::is_temporary(path) {
        return false;
    }
    if word.expanded || path.starts_with('~') || path.contains(['$', '`', '*', '?', '{']) {
        return true;
    }
    match folder {
        Some(folder) => is_file(&folder.join(path)),
        None => !path.starts_with('/') || is_file(Path::new(path)),
    }
}

#[cfg(test)]
mod tests;

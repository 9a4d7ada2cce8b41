//! Does a directory's name reach the program whole, and are the variables of a line ones that the
//! client sets?

use std::path::Path;

use regress::Regex;

use super::calls::{self, known};
use super::command::{Around, Command, Fault, Weight};
use crate::client::fields::OF_PAYLOADS;
use crate::machine::{environment, files};
use crate::syntax::shell;
use crate::syntax::suggestion::nearest;

/// The variables that the client gives, which hold a directory.
const DIRECTORIES: &[&str] = &["CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT"];

pub(super) const HEAD: &str = "CLAUDE_";

/// The client's variables for a hook, behind that head, by its hooks reference up to client 2.1.329;
/// `CODE_…` and `PLUGIN_OPTION_…` are not looked at, and `PLUGIN_ROOT` is for plugins.
const SET: &[&str] =
    &["CONFIG_DIR", "EFFORT", "ENV_FILE", "PID", "PLUGIN_DATA", "PROJECT_DIR", "SKILL_DIR"];

pub(super) fn of(command: &Command, around: &Around) -> Vec<Fault> {
    let Some(line) = command.text() else { return Vec::new() };
    let mut faults = Vec::new();
    let split = shell::split(line);
    if split.has_condition && around.sh_is_dash {
        faults.extend(Fault::known("condition-of-bash", &[]));
    }
    let words = split.commands.iter().filter(|one| one.each.is_none()).flat_map(|one| &one.words);
    for word in words {
        let bare = |name: &&&str| is_bare(&word.written, name);
        faults.extend(DIRECTORIES.iter().find(bare).and_then(|name| unquoted(name, around)));
    }
    faults.extend(folders(line, around));
    faults.extend(unset(line, around));
    faults
}

/// The variables of the client that a text for a shell uses, and that nobody sets.
pub(super) fn unset(text: &str, around: &Around) -> Vec<Fault> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let names = code.flat_map(variables).filter(|name| !is_set(name, text, around));
    names.filter_map(|name| unset_fault(name, around)).collect()
}

/// The files that a line writes to where it may not, or whose folders nothing makes.
pub(super) fn folders(line: &str, around: &Around) -> Vec<Fault> {
    let mut faults = Vec::new();
    if line.contains("mkdir") || line.contains("install -d") {
        return faults;
    }
    shell::each_invocation(line, &mut |call| {
        let written = call.redirections.iter().filter(|it| [">", ">>"].contains(&it.operator));
        for target in written.filter_map(|it| known(&it.target, around)) {
            let file = Path::new(&target.text);
            let Some(folder) = file.parent().filter(|_| file.is_absolute()) else { continue };
            let existing = if file.exists() { file } else { folder };
            let is_held = !line.contains("||") && !folder.starts_with("/dev");
            let name = match folder.is_dir() {
                false => "folder-missing",
                true if is_held && !files::is_writable(existing) => "unwritable",
                true => continue,
            };
            faults.extend(Fault::known(name, &[&target.shown]));
        }
    });
    faults
}

fn unquoted(name: &str, around: &Around) -> Option<Fault> {
    let is_of_project = name == DIRECTORIES[0];
    let value = if is_of_project { &around.project } else { &around.plugin };
    let has_blank = value.as_ref().is_some_and(|it| it.display().to_string().contains(' '));
    // Of plugins few are installed where there are blanks, and many say it so.
    let fault = (is_of_project || has_blank).then(|| Fault::known("unquoted", &[&name]))??;
    let weight = if has_blank { Weight::Breaks } else { fault.weight };
    Some(Fault { weight, ..fault })
}

/// Returns whether a word has a variable outside of all quotes, before any `$( )`.
fn is_bare(written: &str, name: &str) -> bool {
    let before = written.split("$(").next().unwrap_or_default();
    let quoted =
        Regex::new(r#"\\.|'[^']*'?|"(?:[^"\\]|\\.)*"?"#).ok().filter(|_| before.contains(name));
    let bare = quoted.map(|it| it.replace_all_with(before, |_| String::new())).unwrap_or_default();
    bare.split('$').skip(1).any(|part| part.trim_start_matches('{').starts_with(name))
}

/// The names of a line that have that head and no value of their own for where there is none.
fn variables(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices('$').filter_map(|(at, _)| {
        let rest = &line[at + 1..];
        let braced = rest.strip_prefix('{');
        let name = braced.unwrap_or(rest);
        let (name, behind) = name.split_at(calls::name(name).len());
        let has_default = braced.is_some() && behind.starts_with([':', '-', '+', '=']);
        let is_plain = !line[..at].ends_with('\\') && !has_default;
        Some(name).filter(|name| is_plain && name.starts_with(HEAD))
    })
}

pub(super) fn is_set(name: &str, line: &str, around: &Around) -> bool {
    let tail = &name[HEAD.len()..];
    let is_asked = |test: &&str| {
        line.contains(&format!("{test} \"${name}\""))
            || line.contains(&format!("{test} \"${{{name}}}\""))
    };
    SET.contains(&tail)
        || tail == "PLUGIN_ROOT" && around.plugin.is_some()
        || tail.starts_with("CODE_")
        || tail.starts_with("PLUGIN_OPTION_")
        || around.variables.iter().any(|it| it == name)
        || environment::raw(name).is_some()
        || ["-n", "-z"].iter().any(is_asked)
        // The line, or what it reads, may set it.
        || line.contains(&format!("{name}="))
        || line.contains("read ") && [";", "\n", " <"].iter().any(|end| line.contains(&format!("{name}{end}")))
}

fn unset_fault(name: &str, around: &Around) -> Option<Fault> {
    let tail = &name[HEAD.len()..];
    let meant = match tail {
        "SESSION_ID" => Some("CODE_SESSION_ID"),
        _ if tail.starts_with("PROJECT") => Some("PROJECT_DIR"),
        _ => nearest(tail, SET.iter().copied()),
    };
    if tail == "PLUGIN_ROOT" && around.plugin.is_none() {
        return Fault::known("plugin-root", &[]);
    }
    let field = tail.to_lowercase();
    let is_field = OF_PAYLOADS.contains(&field.as_str());
    let field = if is_field { &field } else { "tool_input.file_path" };
    let finding = if meant.is_some() { "unset-misspelled" } else { "unset-field" };
    Fault::known(finding, &[&name, &HEAD, &meant.unwrap_or_default(), &field])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::install::command_faults::command::{Caller, Line};

    #[test]
    fn a_line_is_read_as_the_shell_reads_it() {
        let rows = [
            ("[[ a == b ]] && exit 2", Some("write `[ … ]`")),
            ("bash -c '[[ a ]]'; [ a ]", None),
            ("$CLAUDE_PROJECT_DIR/x", Some("write `\"$CLAUDE_PROJECT_DIR\"`")),
            ("a\"b\"${CLAUDE_PROJECT_DIR}", Some("write `\"$CLAUDE_PROJECT_DIR\"`")),
            ("\"${CLAUDE_PROJECT_DIR}/a b\" \\$CLAUDE_PROJECT_DIR '$CLAUDE_PROJECT_DIR/x'", None),
            ("echo \"in $(basename \"$CLAUDE_PROJECT_DIR\") $CLAUDE_PROJECT_DIR\"", None),
            ("echo \"$(ls $CLAUDE_PROJECT_DIR)\"", Some("write `\"$CLAUDE_PROJECT_DIR\"`")),
            ("prettier --write $CLAUDE_FILE_PATHS", Some("jq -r")),
            ("\"$CLAUDE_PROJET_DIR\"/x.sh", Some("$CLAUDE_PROJECT_DIR")),
            ("log $CLAUDE_SESSION_ID", Some("$CLAUDE_CODE_SESSION_ID")),
            ("log $CLAUDE_CODE_ENTRYPOINT $CLAUDE_PLUGIN_OPTION_KEY", None),
            ("log ${CLAUDE_FILE_PATHS:-none} '\\$CLAUDE_FILE_PATHS'", None),
            ("CLAUDE_X=$(cat); echo $CLAUDE_X", None),
            ("read -r CLAUDE_X; echo $CLAUDE_X", None),
            ("echo $CLAUDE_OWN $HOME", None),
        ];
        for (line, expected) in rows {
            let command = Command {
                line: Line::Shell(line.to_owned()),
                caller: Caller::Client,
                events: Vec::new(),
                is_closed: false,
                matcher: None,
                is_async: false,
            };
            let variables = vec!["CLAUDE_OWN".to_owned()];
            let around = Around { variables, sh_is_dash: true, ..Around::default() };
            let found: Vec<String> = of(&command, &around).into_iter().map(|it| it.fix).collect();
            assert_eq!(found.len(), usize::from(expected.is_some()), "{line}: {found:?}");
            let has = expected.is_none_or(|expected| found[0].contains(expected));
            assert!(has, "{line}: {found:?}");
        }
    }
}

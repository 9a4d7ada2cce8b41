//! Scripts that another program than their interpreter is given, or that name none.

use std::path::{Path, PathBuf};

use super::calls::{Call, Known, is_shell};
use super::fault::{Fault, Kind, Weight};

/// The ends of the names of scripts for JavaScript.
const OF_JAVASCRIPT: &[&str] = &[".js", ".mjs", ".cjs", ".ts", ".mts"];

/// Programs, the word behind which a script may come, and how its name ends.
const RUNNERS: &[(&str, &str, &[&str])] = &[
    ("uv", "run", &[".py"]),
    ("bun", "run", OF_JAVASCRIPT),
    ("deno", "run", OF_JAVASCRIPT),
    ("npx", "tsx", OF_JAVASCRIPT),
    ("npx", "ts-node", OF_JAVASCRIPT),
];

/// Options of such programs that change where a relative script is, or what is run.
const ELSEWHERE: &[&str] = &["--directory", "--project", "--cwd", "-m", "--module"];

/// The script that such a program is given; none where it is given another program's arguments.
pub(super) fn script<'c>(program: &str, arguments: &'c [Option<Known>]) -> Option<&'c Known> {
    let name = program.rsplit('/').next()?;
    let (_, word, ends) = RUNNERS.iter().find(|(runner, ..)| *runner == name)?;
    let mut words = arguments.iter().map(Option::as_ref);
    words.by_ref().find(|it| it.is_some_and(|it| it.text == *word))?;
    for argument in words {
        let argument = argument?;
        if ELSEWHERE.contains(&&*argument.text) {
            return None;
        }
        if ends.iter().any(|end| argument.text.ends_with(end)) {
            return Some(argument);
        }
        let is_interpreter = argument.text.starts_with("python");
        if !argument.text.starts_with('-') && !is_interpreter {
            return None;
        }
    }
    None
}

/// Returns whether `node` finds a script that was named without its ending, or a folder.
pub(super) fn is_found_by_node(call: &Call, file: &Path) -> bool {
    let name = call.program.as_ref().and_then(|it| it.text.rsplit('/').next());
    let endings = ["js", "json", "cjs", "mjs", "ts"];
    let with = |ending: &str| PathBuf::from(format!("{}.{ending}", file.display()));
    matches!(name, Some("node" | "nodejs" | "bun"))
        && (endings.iter().any(|ending| with(ending).is_file()) || file.join("index.js").is_file())
}

/// Options of interpreters after which no script comes.
const WITHOUT_SCRIPT: &[&str] = &["-c", "-e", "-m", "-E", "-p", "-n", "--eval", "--print"];

/// Returns whether an interpreter with this argument is given no file: alone or at the end of several
/// letters.
pub(super) fn is_instead(program: &str, argument: &str) -> bool {
    let letters = argument.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    match letters {
        None => WITHOUT_SCRIPT.contains(&argument),
        Some("") => true,
        Some(letters) if is_shell(program) => letters.contains(['c', 's']),
        Some(letters) => WITHOUT_SCRIPT
            .iter()
            .filter_map(|option| option.strip_prefix('-'))
            .any(|option| option.len() == 1 && letters.ends_with(option)),
    }
}

/// Names the fault of a path in which quotes keep the shell from putting a value in.
pub(super) fn unexpanded(text: &str) -> Option<Fault> {
    let (what, fix) = if let Some(rest) = text.strip_prefix("~/") {
        ("`~` in quotes", format!("write `\"$HOME\"/{rest}`"))
    } else if text.starts_with('$') {
        ("a variable in single quotes", format!("write `\"{text}\"`"))
    } else {
        return None;
    };
    let message = format!("`{text}`: the shell puts no value in for {what}");
    Some(Fault::new(Kind::Quoting, Weight::Breaks, message, fix))
}

/// Names the fault of a script of another language that names no interpreter, so that the shell reads
/// it as one of its own.
pub(super) fn unmarked(file: &Path, shown: &str) -> Option<Fault> {
    let language = match file.extension()?.to_str()? {
        "py" => "python3",
        "js" | "mjs" | "cjs" => "node",
        "rb" => "ruby",
        "pl" => "perl",
        "php" => "php",
        _ => return None,
    };
    Some(Fault::new(
        Kind::Interpreter,
        Weight::Breaks,
        format!("`{shown}` names no interpreter in its first line, so a shell reads it"),
        format!("begin it with `#!/usr/bin/env {language}`"),
    ))
}

/// Names the fault of a script whose first line the system does not see.
pub(super) fn marked(shown: &str) -> Fault {
    Fault::new(
        Kind::Interpreter,
        Weight::Risks,
        format!(
            "`{shown}` begins with a byte order mark, so the system does not see its first line"
        ),
        "save it as UTF-8 without a byte order mark",
    )
}

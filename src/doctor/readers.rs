//! Other programs on this machine that run the same entries, by rules of their own.

use std::path::{Path, PathBuf};

use super::check::Check;
use super::facts::Facts;
use super::finding::{Findings, Level};
use super::settings_file::SettingsFile;
use crate::machine::files;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "other-readers",
        about: "no other program on this machine runs the entries of a settings file",
        notice: "the hooks run there too, for other calls or with other answers than in Claude Code",
        run: readers,
    },
    Check {
        id: "imported",
        about: "no other program has a copy of hookman entries that does not work there",
        notice: "the gate is open in that program, and nothing says so",
        run: imported,
    },
];

/// A program that reads a settings file of the client.
struct Reader {
    name: &'static str,
    /// Its folders below the home directory.
    folders: &'static [&'static str],
    scopes: &'static [&'static str],
    otherwise: &'static str,
}

/// Source: VS Code's and Cursor's documentation, and runs of Copilot 1.0.102.
const READERS: &[Reader] = &[
    Reader {
        name: "VS Code",
        folders: &[".config/Code", ".vscode", "Library/Application Support/Code"],
        scopes: &["user", "project", "local"],
        otherwise: "by its documentation it ignores matchers and drops `args`",
    },
    Reader {
        name: "Cursor",
        folders: &[".cursor", ".config/Cursor", "Library/Application Support/Cursor"],
        scopes: &["user", "project", "local"],
        otherwise: "by its documentation it can load them, with other names of tools",
    },
    Reader {
        name: "GitHub Copilot's CLI",
        folders: &[".copilot", ".config/github-copilot"],
        scopes: &["project", "local"],
        otherwise: "it runs them unasked, with other fields, and takes a failure for a denial",
    },
];

fn readers(facts: &Facts, findings: &mut Findings) {
    let Some(home) = &facts.paths.home else { return };
    for reader in READERS {
        let Some(folder) = reader.folders.iter().map(|it| home.join(it)).find(|it| it.is_dir())
        else {
            continue;
        };
        let reads = |file: &&SettingsFile| {
            reader.scopes.contains(&file.scope) && !file.handlers().is_empty()
        };
        for file in facts.settings.iter().filter(reads) {
            findings.add(
                Level::Info,
                &file.shown,
                format!(
                    "{} is on this machine ({}) and may run these entries too: {}",
                    reader.name,
                    facts.paths.shown(&folder),
                    reader.otherwise
                ),
                "nothing, if it is meant so; else switch the import of hooks off there",
            );
        }
    }
}

/// A file of another program, what marks a hookman entry in it that does not work, why it does
/// not, and the way out.
fn copies(facts: &Facts) -> Vec<(PathBuf, &'static str, &'static str, &'static str)> {
    let folders = facts.paths.home.iter().map(PathBuf::as_path).chain(facts.project.as_deref());
    let mut copies = Vec::new();
    for folder in folders {
        copies.push((
            folder.join(".codex/hooks.json"),
            "$CLAUDE_PROJECT_DIR",
            "Codex does not set that variable, so the entry fails, and the call goes on",
            "import them again after `hookman apply --project`, whose entries need no variable",
        ));
        copies.push((
            folder.join(".gemini/settings.json"),
            "hookman",
            "Gemini has other names of tools and answers, and counts milliseconds",
            "take the entry out there",
        ));
    }
    copies
}

fn imported(facts: &Facts, findings: &mut Findings) {
    for (path, mark, why, fix) in copies(facts) {
        let Some(line) = line_of(&path, mark) else { continue };
        findings.add(
            Level::Warning,
            format!("{}:{line}:1", facts.paths.shown(&path)),
            format!("it has a copy of an entry that calls hookman: {why}"),
            fix,
        );
    }
}

/// The first line of a file that calls hookman and has a mark.
fn line_of(path: &Path, mark: &str) -> Option<usize> {
    let text = files::read_text(path).ok()??;
    // An entry for that program names it.
    let is_it =
        |line: &str| line.contains("hookman") && line.contains(mark) && !line.contains("--host");
    Some(text.lines().position(is_it)? + 1)
}

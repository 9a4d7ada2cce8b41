//! Is the program there that settings.json has the client run?

use std::path::Path;

use super::check::Check;
use super::facts::Facts;
use super::finding::{Findings, Level, Mend};
use crate::install::target::binary::{self, program};
use crate::machine::files;
use crate::settings::Handler;
use crate::settings::wanted::LAUNCHER;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "binary-present",
        about: "the registered path of hookman is a program",
        notice: "none of the hooks runs, and the client reports a failed hook at each call",
        run: present,
    },
    Check {
        id: "binary-answers",
        about: "the registered program is a hookman",
        notice: "none of the hooks runs",
        run: answers,
    },
    Check {
        id: "launcher-present",
        about: "a registered project has its launcher, as hookman writes it",
        notice: "the project's hooks do not run",
        run: launcher,
    },
    Check {
        id: "slash-commands",
        about: "the slash commands call a hookman that is there",
        notice: "/hook:disable, /hook:enable and /hook:status fail",
        run: slash_commands,
    },
];

fn present(facts: &Facts, findings: &mut Findings) {
    for file in facts.registered() {
        for handler in file.handlers().iter().filter(|handler| handler.ours) {
            let Some(command) = program(&handler.value) else { continue };
            let path = binary::file(&command);
            let shared = match file.scope {
                "user" if command.is_absolute() && !path.exists() => {
                    "; `--binary '$HOME/.local/bin/hookman'` fits settings that several machines share"
                }
                _ => "",
            };
            let problem = if !path.is_absolute() {
                "it is not an absolute path, and the client's PATH may not have it"
            } else if !path.exists() {
                "there is no such file"
            } else if !files::is_executable(&path) {
                "it may not be run"
            } else {
                continue;
            };
            findings.add(
                Level::Error,
                file.at_key(handler, "command"),
                format!("{} is registered as `{}`: {problem}", handler.event, command.display()),
                format!(
                    "run `hookman apply{}` with the hookman that should run{shared}",
                    file.flag()
                ),
            );
        }
    }
}

fn answers(facts: &Facts, findings: &mut Findings) {
    let calls = |handler: &Handler, path: &Path| {
        handler.ours && program(&handler.value).map(|it| binary::file(&it)).as_deref() == Some(path)
    };
    for (path, _) in facts.binaries.iter().filter(|(_, answer)| !answer.starts_with("hookman ")) {
        for file in facts.registered() {
            let handlers = file.handlers();
            let Some(first) = handlers.iter().find(|it| calls(it, path)) else { continue };
            findings.add(
                Level::Error,
                file.at_key(first, "command"),
                format!(
                    "{} is registered, and does not answer to --version as hookman does",
                    facts.paths.shown(path)
                ),
                format!(
                    "run `hookman apply{} --binary \"$(command -v hookman)\"`, where that is the one \
                     that should run",
                    file.flag()
                ),
            );
        }
    }
}

fn launcher(facts: &Facts, findings: &mut Findings) {
    let Some(project) = &facts.project else { return };
    let uses = |file: &super::settings_file::SettingsFile| {
        file.scope != "user"
            && file
                .handlers()
                .iter()
                .any(|handler| handler.ours && handler.value.get("args").is_none())
    };
    let launcher = project.join(".claude/hookman");
    if !facts.settings.iter().any(uses) {
        return;
    }
    if !files::is_executable(&launcher) {
        let finding = findings.add(
            Level::Error,
            facts.paths.shown(&launcher),
            "the project's entries call this launcher, and it is missing or may not be run",
            "run `hookman install --project`, and commit the file",
        );
        if launcher.is_file() {
            finding.mend(Mend::MakeExecutable(launcher));
        }
    } else if files::read_text(&launcher).ok().flatten().as_deref() != Some(LAUNCHER) {
        findings.add(
            Level::Warning,
            facts.paths.shown(&launcher),
            "the project's entries call this launcher, and it is not hookman's as it was written",
            "run `hookman apply --project`, which shows what it would change in it, or the \
             project's hooks may not run",
        );
    }
}

fn slash_commands(facts: &Facts, findings: &mut Findings) {
    for name in ["disable.md", "enable.md", "status.md"] {
        let file = facts.paths.config.join("commands/hook").join(name);
        let Ok(Some(text)) = files::read_text(&file) else { continue };
        let called = text.lines().find_map(|line| line.strip_prefix("!`")?.split(' ').next());
        let Some(called) = called.filter(|called| called.ends_with("/hookman")) else { continue };
        // The shell expands the home directory, and only at the start of the word.
        let in_home = called.strip_prefix("~/").zip(facts.paths.home.as_ref());
        let path =
            in_home.map_or_else(|| Path::new(called).to_owned(), |(rest, home)| home.join(rest));
        if !files::is_executable(&path) {
            findings.add(
                Level::Warning,
                facts.paths.shown(&file),
                format!("it calls `{called}`, where there is no program"),
                "remove it, and have `hookman install` of the hookman that should run write it again",
            );
        }
    }
}

//! Are there hooks that the client never reads, as they are in another place than it looks in?

use std::path::{Path, PathBuf};

use super::check::Check;
use super::facts::Facts;
use super::finding::{Findings, Level};
use super::settings_file::SettingsFile;
use crate::client::event::Event;
use crate::machine::paths::real;
use crate::machine::{environment, files};
use crate::syntax::json::{Document, Node};
use crate::syntax::quoting::quoted;

pub(super) const CHECKS: &[Check] = &[Check {
    id: "settings-elsewhere",
    about: "hooks are in files and under keys that the client reads",
    notice: "none of these hooks ever runs, and nothing says so",
    run: elsewhere,
}];

/// Names of files in the client's directories that it reads no hooks from.
const NEVER_READ: &[&str] =
    &["hooks.json", "hooks/hooks.json", "settings.jsonc", "settings.json5", "config.json"];

fn elsewhere(facts: &Facts, findings: &mut Findings) {
    for file in facts.writable_files() {
        if let Some(document) = file.document() {
            other_keys(file, &document, findings);
        }
    }
    let mut folders = vec![(facts.paths.config.clone(), facts.paths.user_settings())];
    let project = facts.project.as_ref().map(|project| project.join(".claude"));
    if let Some(folder) = project.filter(|folder| real(folder) != real(&facts.paths.config)) {
        folders.push((folder.clone(), folder.join("settings.json")));
    }
    for (folder, settings) in folders.into_iter().filter(|_| facts.is_whole) {
        let settings = facts.paths.shown(&settings);
        for name in NEVER_READ {
            if let Some(place) = hooks_of(facts, &folder.join(name)) {
                let message = "it has hooks, and the client reads none from a file of that name";
                let fix = format!("move what is in it to `hooks` in {settings}");
                findings.add(Level::Warning, place, message, fix);
            }
        }
    }
    if facts.is_whole {
        above(facts, findings);
        of_home(facts, findings);
    }
    let of_home = facts.paths.config.join("settings.local.json");
    let is_local = facts.settings.iter().any(|file| real(&file.path) == real(&of_home));
    if facts.is_whole
        && !is_local
        && let Some(place) = hooks_of(facts, &of_home)
    {
        let message = "it has hooks, and the client reads it in sessions alone that start in the \
                       home directory: local settings are a project's";
        let fix =
            format!("move what is in it to {}", facts.paths.shown(&facts.paths.user_settings()));
        findings.add(Level::Warning, place, message, fix);
    }
}

/// The client's file of its own, and the user's directory where a variable names another one.
fn of_home(facts: &Facts, findings: &mut Findings) {
    let Some(home) = &facts.paths.home else { return };
    let settings = facts.paths.shown(&facts.paths.user_settings());
    let fix = format!("move what is in it to `hooks` in {settings}");
    if let Some(place) = hooks_of(facts, &home.join(".claude.json")) {
        let message = "it has hooks, and the client reads none from a file of that name";
        findings.add(Level::Warning, place, message, fix.clone());
    }
    let usual = home.join(".claude");
    if real(&usual) != real(&facts.paths.config)
        && let Some(place) = hooks_of(facts, &usual.join("settings.json"))
    {
        let message = "it has hooks, and a client that is started here reads none of them, as \
                       `CLAUDE_CONFIG_DIR` names another directory";
        let finding = findings.add(Level::Info, place, message, fix);
        finding.notice("these hooks run in sessions alone that are started without the variable");
    }
}

/// Settings of folders above the one in which a session is started.
///
/// Source: the clients 2.1.329 and 2.1.197, which read those of that folder alone, in git or not.
fn above(facts: &Facts, findings: &mut Findings) {
    let Some(project) = facts.project.as_deref() else { return };
    let given = environment::raw("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    let here = given.or_else(|| environment::current_directory().ok());
    let start = here.filter(|it| it.starts_with(project)).unwrap_or_else(|| project.to_owned());
    let is_below_home = |folder: &&Path| Some(*folder) != facts.paths.home.as_deref();
    for folder in start.ancestors().skip(1).take_while(is_below_home) {
        let own = folder.join(".claude");
        if real(&own) == real(&facts.paths.config) {
            continue;
        }
        let is_project = folder == project;
        for name in ["settings.json", "settings.local.json"] {
            let path = own.join(name);
            // Newer clients read the local settings of the git root.
            let is_read = facts.of_git_root.as_ref().is_some_and(|it| it.path == path);
            if is_read || is_project && name != "settings.json" {
                continue;
            }
            let Some(place) = hooks_of(facts, &path) else { continue };
            let message = format!(
                "it has hooks, and a session that starts in {} reads none of them: the client looks \
                 in the directory alone that it is started in",
                facts.paths.shown(&start)
            );
            let folder = quoted(&folder.display().to_string());
            let fix = format!("run `cd {folder} && claude`, which starts a session that reads it");
            let level = if is_project { Level::Info } else { Level::Warning };
            findings.add(level, place, message, fix);
        }
    }
}

/// The place of the hooks in a file, if it has any.
fn hooks_of(facts: &Facts, path: &Path) -> Option<String> {
    let text = files::is_there(path).then(|| files::read_text(path).ok())??;
    let document = Document::parse(text.as_deref()?).ok()?;
    let hooks = document.get(document.root(), "hooks").unwrap_or(document.root());
    let at = document.position(events(&document, hooks).next()?.span.start);
    Some(format!("{}:{}:{}", facts.paths.shown(path), at.line, at.column))
}

/// Lists the entries under the names of events, where there are some.
fn events<'d>(document: &'d Document<'_>, node: &'d Node) -> impl Iterator<Item = &'d Node> {
    node.members().unwrap_or_default().iter().filter_map(|member| {
        let is_event = Event::from_name(&document.key(member)).is_some();
        let groups = member.value.elements().filter(|groups| is_event && !groups.is_empty());
        groups.map(|_| &member.value)
    })
}

/// Names that mean `hooks` and are another key to the client.
fn other_keys(file: &SettingsFile, document: &Document<'_>, findings: &mut Findings) {
    for member in document.root().members().unwrap_or_default() {
        let key = document.key(member);
        let is_meant = key != "hooks" && matches!(&*key.to_lowercase(), "hook" | "hooks");
        if is_meant && events(document, &member.value).next().is_some() {
            findings.add(
                Level::Warning,
                file.at(document.position(member.value.span.start)),
                format!("`{key}` is no key of the client"),
                "write `hooks`",
            );
        }
    }
    for node in events(document, document.root()) {
        findings.add(
            Level::Warning,
            file.at(document.position(node.span.start)),
            "an event at the top of the file: the client reads those in `hooks` alone",
            "move it into `hooks`",
        );
    }
    let inner = document.lookup("/hooks/hooks");
    for node in inner.into_iter().flat_map(|inner| events(document, inner)) {
        findings.add(
            Level::Warning,
            file.at(document.position(node.span.start)),
            "an event in a `hooks` that is in `hooks` itself: the client reads those of the outer one",
            "take one of the two away",
        );
    }
}

//! The files in which other programs look for hooks, as they are on this machine.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::client::host::files::{Files, Form};
use crate::client::host::{CLAUDE, commands};
use crate::machine::{Paths, environment, files, folders};
use crate::manifest::{Hook, Manifest};
use crate::settings::{Record, has_marks, own_file};
use crate::syntax::json::{BOM, Document, is_blank, strip_bom, without_comments};

/// The directory of a program's user files; `None` without a home directory.
pub fn folder(paths: &Paths, of: &Files) -> Option<PathBuf> {
    let named = (!of.variable.is_empty()).then(|| environment::raw(of.variable)).flatten();
    named.map(PathBuf::from).or_else(|| Some(paths.home.as_ref()?.join(of.folder)))
}

/// The file for the hooks of a project, or else of the user.
pub fn file(paths: &Paths, project: Option<&Path>, of: &Files) -> Option<PathBuf> {
    let file = match project {
        Some(project) => project.join(of.project),
        None => folder(paths, of)?.join(of.user),
    };
    Some(if of.form == Form::Bare { or_settings(file) } else { file })
}

/// The files that an installation for a project, or else the user, can write for a program.
pub fn written(paths: &Paths, project: Option<&Path>, of: &Files) -> Vec<PathBuf> {
    let folder = folder(paths, of).filter(|_| project.is_none());
    let below = |folder: PathBuf| commands::files(of).into_iter().map(move |it| folder.join(it.0));
    folder.into_iter().flat_map(below).chain(file(paths, project, of)).collect()
}

/// The file for the hooks, or settings with some, which the program would pass over next to it.
fn or_settings(file: PathBuf) -> PathBuf {
    let settings = file.with_file_name("settings.json");
    let text = files::read_text(&settings).ok().flatten().unwrap_or_default();
    if !files::is_there(&file) && text.contains("\"hooks\"") { settings } else { file }
}

/// The record of a file where there is none yet.
pub fn form(of: &Files, file: &Path) -> Record {
    let bare = of.form == Form::Bare && !file.ends_with("settings.json");
    Record { comments: of.comments, bare, flat: of.form == Form::Own, ..Record::default() }
}

/// The lines by which a program's file calls hookman.
pub fn lines(of: &Files, file: &Path) -> Vec<String> {
    let text = files::read_text(file).ok().flatten().unwrap_or_default();
    match of.form {
        Form::Own | Form::Plugin => own_file::lines(of.form, &text),
        _ => form(of, file).lines(&text),
    }
}

/// The files in which a program looks for hooks of a project, or else of the user.
pub fn all(paths: &Paths, project: Option<&Path>, of: &Files) -> Vec<PathBuf> {
    let Some(main) = file(paths, project, of) else { return Vec::new() };
    let mut all = more(paths, project, &main, of);
    all.retain(|it| *it != main);
    all.insert(0, main);
    all
}

/// The other files in which a program looks for hooks, besides `main`.
pub fn more(paths: &Paths, project: Option<&Path>, main: &Path, of: &Files) -> Vec<PathBuf> {
    let (folder, names) = match project {
        Some(project) => (Some(project.to_owned()), of.more_of_project),
        None => (folder(paths, of), of.more),
    };
    let mut more: Vec<PathBuf> =
        folder.iter().flat_map(|folder| names.iter().map(|name| folder.join(name))).collect();
    if !of.extensions.is_empty() && project.is_none() {
        let all = folders::entries(&main.with_file_name(of.extensions)).unwrap_or_default();
        more.extend(all.iter().flat_map(|it| of_extension(it)).filter(|it| files::is_there(it)));
        more.sort();
    }
    if of.form == Form::Own
        && let Some(folder) = main.parent()
    {
        // Copilot runs those of its folders too, and none whose name begins with a dot (1.0.102).
        more.extend(folders::shown_below(folder, "json"));
        more.sort();
    }
    if of.form == Form::Plugin
        && let Some(folder) = main.parent().and_then(Path::parent)
    {
        let all = ["plugin", "plugins"].map(|name| folders::entries(&folder.join(name)));
        let is_code = |it: &PathBuf| it.extension().is_some_and(|it| it == "js" || it == "ts");
        more.extend(all.into_iter().flatten().flatten().filter(is_code));
        more.sort();
    }
    more
}

/// The files with hooks of an extension, those that its own file names too (Qwen Code 0.24.4).
fn of_extension(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let own = folder.join("qwen-extension.json");
    let text = files::read_text(&own).ok().flatten().unwrap_or_default();
    let named = match &value(&own, &text)["hooks"] {
        Value::Object(_) => Some(own),
        Value::String(path) => Some(folder.join(path).components().collect()),
        _ => None,
    };
    std::iter::once(folder.join("hooks/hooks.json")).chain(named)
}

/// A file's value, as far as it can be read.
pub fn value(file: &Path, text: &str) -> Value {
    let text = without_comments(strip_bom(text));
    match file.extension().and_then(|it| it.to_str()) {
        Some("toml") => toml::from_str(&text).unwrap_or_default(),
        _ => serde_json::from_str(&text).unwrap_or_default(),
    }
}

/// Explains why Copilot runs no hook of a file, or why hookman could not give it back.
pub fn unloaded(text: &str) -> Option<String> {
    if is_blank(text) {
        return None;
    }
    if text.starts_with(BOM) {
        return Some("it begins with a byte order mark".to_owned());
    }
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => return Some(format!("{}: {}", error.position, error.message)),
    };
    let is = |key: &str, value: Value| {
        document.get(document.root(), key).is_some_and(|node| document.value(node) == value)
    };
    let has_version = document.get(document.root(), "version").is_some();
    if has_version && !is("version", 1.into()) {
        return Some("`version` is not 1".to_owned());
    }
    if is("disableAllHooks", true.into()) {
        return Some("`disableAllHooks` is true".to_owned());
    }
    has_marks(text).then(|| "it has the blanks by which hookman knows its own marks".to_owned())
}

/// Returns whether a program calls a hook, where it has the events: some kinds are Claude Code's alone.
pub fn calls(of: &Files, hook: &Hook) -> bool {
    let is_claudes = hook.passed().is_some() || hook.manner.background;
    hook.audience.includes(of.host.name) && !is_claudes
}

/// Returns whether a program calls the hooks by entries of its own.
pub fn has_file(manifest: &Manifest, in_project: bool, of: &Files) -> bool {
    manifest.is_for(of.host.name) && !runs_claudes(manifest, in_project, of)
}

/// Returns whether a program calls the hooks by Claude Code's entries, as Copilot does a project's.
pub fn runs_claudes(manifest: &Manifest, in_project: bool, of: &Files) -> bool {
    let is_for_both = manifest.is_for(CLAUDE.name) && manifest.is_for(of.host.name);
    of.form == Form::Own && in_project && is_for_both
}

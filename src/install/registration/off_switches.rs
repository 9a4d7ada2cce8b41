//! The switches for all hooks that are on, in settings files and in this environment.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::client::off_switch::{self, File, Off, PREFIX};
use crate::install::target::binary;
use crate::machine::paths::Paths;
use crate::machine::{environment, files, program};
use crate::runtime::overrides::{OFF, Overrides, SKIP};
use crate::syntax::json::Document;

/// The switches that are on in all these files; `text` gives what one holds, or will.
pub(crate) fn on(
    paths: &Paths,
    writable: &[PathBuf],
    text: &dyn Fn(&Path) -> Option<String>,
) -> Vec<Off> {
    let managed = paths.managed_settings();
    let of = |path: &PathBuf, is_managed| Some((path.clone(), text(path)?, is_managed));
    let texts = writable.iter().map(|path| of(path, false));
    let texts: Vec<_> = texts.chain(managed.iter().map(|path| of(path, true))).flatten().collect();
    // To read a file costs more than to see that it says nothing of the kind; an escape may hide a key.
    let may_switch =
        |text: &str| ["disableAllHooks", "CLAUDE_CODE_", "\\u"].iter().any(|it| text.contains(it));
    let is_asked =
        environment::raw(PREFIX).is_some() || texts.iter().any(|(_, it, _)| may_switch(it));
    let mut found = Vec::new();
    for (path, text, is_managed) in texts.iter().filter(|_| is_asked) {
        let Ok(document) = Document::parse(text) else { continue };
        let (shown, is_managed) = (paths.shown(path), *is_managed);
        let is_of_project = !is_managed && *path != paths.user_settings();
        found.push(File { shown, document, is_managed, is_of_project });
    }
    let path = found.iter().rev().find_map(|file| {
        let node = file.document.lookup("/env/PATH")?;
        file.document.value(node).as_str().map(Into::into)
    });
    let path = path.or_else(|| environment::raw("PATH")).unwrap_or_default();
    let is_there = |name: &str| {
        if name.contains('/') {
            files::is_executable(Path::new(name))
        } else {
            program::on_path(name, &path).is_some()
        }
    };
    off_switch::all(&found, &|name| environment::text(name), &is_there)
}

/// A cause that keeps hookman's hooks from running, and is no switch for all hooks.
#[derive(Debug)]
pub(crate) struct Own {
    pub(crate) line: String,
    /// The names and patterns of the hooks that it keeps; all hooks where it names none.
    skipped: Option<Overrides>,
}

impl Own {
    pub(crate) fn is_of_all(&self) -> bool {
        self.skipped.is_none()
    }

    pub(crate) fn keeps(&self, hook: &str) -> bool {
        self.skipped.as_ref().is_none_or(|it| it.skips(hook))
    }
}

/// Says what keeps hookman's hooks from running: `allowManagedHooksOnly`, and own variables in `env`.
pub(crate) fn of_hookman(paths: &Paths, writable: &[PathBuf]) -> Vec<Own> {
    let found = |path: &PathBuf, pointer: &str| {
        let name = pointer.rsplit('/').next().unwrap_or_default();
        let text = read(path).filter(|text| text.contains(name) || text.contains("\\u"))?;
        let document = Document::parse(&text).ok()?;
        let value = document.value(document.lookup(pointer)?);
        Some((paths.shown(path), value))
    };
    let mut lines = Vec::new();
    for path in paths.managed_settings() {
        if let Some((shown, Value::Bool(true))) = found(&path, "/allowManagedHooksOnly") {
            let what = "`allowManagedHooksOnly`, so only the administrator's own hooks run";
            lines.push(Own { line: format!("{shown}: {what}"), skipped: None });
        }
    }
    for path in writable {
        if let Some((shown, Value::String(value))) = found(path, &format!("/env/{OFF}"))
            && value == "0"
        {
            let line = format!("{shown}: `env` has {OFF}=0, so hookman runs no hook");
            lines.push(Own { line, skipped: None });
        }
        if let Some((shown, Value::String(names))) = found(path, &format!("/env/{SKIP}")) {
            let line = format!("{shown}: `env` has {SKIP}={names}, so these do not run");
            lines.push(Own { line, skipped: Some(Overrides::skipping(&names)) });
        }
    }
    lines
}

/// Says which program the entries of settings files call that is not there any more.
pub(crate) fn gone(paths: &Paths, files: &[PathBuf]) -> Option<String> {
    let lacks = |path: &PathBuf| {
        let named = binary::named(path).into_iter().map(|it| binary::file(&it));
        let gone = named.into_iter().find(|it| !files::is_executable(it))?;
        Some(format!(
            "{} calls {}, which is not there; `hookman install` writes where hookman is now",
            paths.shown(path),
            paths.shown(&gone)
        ))
    };
    files.iter().find_map(lacks)
}

/// The files of a user and of the project around a client that is started here, the most local last.
pub(crate) fn files_of(paths: &Paths, project: Option<&Path>) -> Vec<PathBuf> {
    let mut files = vec![paths.user_settings()];
    let is_home = |it: &PathBuf| it.join(".claude") == paths.config;
    let project = project.map(Path::to_owned).filter(|it| !is_home(it));
    if let Some(project) = project.or_else(|| environment::current_directory().ok()) {
        files.push(project.join(".claude/settings.json"));
        // At home they are one.
        files.dedup();
        files.push(project.join(".claude/settings.local.json"));
    }
    files
}

/// Reads a settings file, where there is one that can be read.
pub(crate) fn read(path: &Path) -> Option<String> {
    files::read_text(path).ok().flatten()
}

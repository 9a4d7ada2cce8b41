//! The folder that a call touches, and the directive files in it and above.

use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

use super::known::Known;
use super::options::Options;
use crate::builtin::workflow::project;
use crate::builtin::{Context, Failure};
use crate::syntax::lent::Lent;

/// The number of folders above the touched one that are looked at.
const DEEPEST: usize = 40;

#[derive(Default, Deserialize)]
#[serde(default, bound = "'de: 'a")]
struct Input<'a> {
    file_path: Option<Lent<'a>>,
    notebook_path: Option<Lent<'a>>,
    path: Option<Lent<'a>>,
}

/// The path of a file tool's call.
pub(super) struct Touched {
    /// The file; nothing for a search.
    pub file: Option<PathBuf>,
    folder: PathBuf,
}

/// Gives the path that a call touches; `None` for a call that names no file or folder.
pub(super) fn touched(context: &Context<'_>) -> Result<Option<Touched>, Failure> {
    let is_search = matches!(&*context.payload.tool_name, "Glob" | "Grep");
    let names_file = matches!(
        &*context.payload.tool_name,
        "Read" | "Write" | "Edit" | "MultiEdit" | "NotebookEdit"
    );
    if !is_search && !names_file {
        return Ok(None);
    }
    let input = context.tool_input::<Input<'_>>()?.unwrap_or_default();
    if is_search {
        let path = absolute(context, input.path.as_deref().unwrap_or_default());
        let is_file = context.host.look(&path).is_some_and(|facts| facts.is_file);
        let folder = if is_file { path.parent().map(Path::to_owned) } else { Some(path) };
        return Ok(folder.map(|folder| Touched { file: None, folder }));
    }
    let Some(path) = input.file_path.or(input.notebook_path).filter(|path| !path.is_empty()) else {
        return Ok(None);
    };
    let file = absolute(context, &path);
    Ok(file.parent().map(Path::to_owned).map(|folder| Touched { file: Some(file), folder }))
}

/// A path from the root, without `.` and `..`.
pub(super) fn absolute(context: &Context<'_>, path: &str) -> PathBuf {
    let joined = Path::new(&*context.payload.cwd).join(path);
    let mut plain = PathBuf::new();
    for part in joined.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// The directive files that a call makes known, the nearest first; the folders are noted in `known`.
pub(super) fn found(
    context: &Context<'_>,
    options: &Options,
    names: &[&str],
    touched: &Touched,
    known: &mut Known,
) -> Vec<PathBuf> {
    let root = root(context, &touched.folder);
    let below = touched.folder.strip_prefix(&root).unwrap_or(Path::new(""));
    let is_excluded =
        |part: Component<'_>| options.exclude.iter().any(|name| part.as_os_str() == name.as_str());
    if below.components().any(is_excluded) {
        return Vec::new();
    }
    let reads = context.payload.tool_name == "Read";
    let project = project(context);
    let mut found = Vec::new();
    for folder in touched.folder.ancestors().take(DEEPEST) {
        if !folder.starts_with(&root) {
            break;
        }
        if !known.is_new_folder(folder) {
            continue;
        }
        let is_loaded = Path::new(&*context.payload.cwd).starts_with(folder)
            || reads && folder.starts_with(&project);
        for name in names.iter().filter(|name| !(is_loaded && **name == "CLAUDE.md")) {
            let inner = Some(folder.join(&options.subfolder).join(name))
                .filter(|_| !options.subfolder.is_empty());
            let mut places = inner.into_iter().chain([folder.join(name)]);
            let file = places.find(|path| context.host.look(path).is_some_and(|it| it.is_file));
            found.extend(file.filter(|file| known.is_new_file(file)));
        }
    }
    // The model is about to see what it reads itself.
    found.retain(|file| !(reads && touched.file.as_ref() == Some(file)));
    found
}

/// The folder at which the search ends: the project's, else a repository's, else the folder itself.
pub(super) fn root(context: &Context<'_>, folder: &Path) -> PathBuf {
    let project = context.host.variable("CLAUDE_PROJECT_DIR");
    let home = context.host.variable("HOME").map(|home| Path::new(&home).join(".claude"));
    let own = [project.map(PathBuf::from), Some(PathBuf::from(&*context.payload.cwd)), home];
    let mut own = own.into_iter().flatten();
    if let Some(root) = own.find(|root| folder.starts_with(root)) {
        return root;
    }
    let mut above = folder.ancestors().take(DEEPEST);
    let repository = above.find(|above| context.host.look(&above.join(".git")).is_some());
    repository.unwrap_or(folder).to_owned()
}

/// Returns whether a file is in the project, and not a link to one elsewhere, which may be nobody's to tell.
pub(in crate::builtin) fn is_of_project(context: &Context<'_>, file: &Path) -> bool {
    let root = root(context, file.parent().unwrap_or(file));
    context.host.real(file).starts_with(context.host.real(&root))
}

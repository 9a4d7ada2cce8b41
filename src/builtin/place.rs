//! The place that a path of an option names.

use std::path::{Path, PathBuf};

use super::context::Context;

/// The path with `{cwd}`, `{project}`, `{home}` and `{session}` filled in; `~/` begins in the home
/// directory, and what else begins at no root in the session's. Where a path does not begin with a
/// directory, it gets the directory's name.
pub(super) fn place(context: &Context<'_>, template: &str) -> PathBuf {
    let cwd = &*context.payload.cwd;
    let project = context.host.variable("CLAUDE_PROJECT_DIR");
    let home = context.host.variable("HOME").unwrap_or_default();
    let template = match template.strip_prefix("~/") {
        Some(rest) if !home.is_empty() => format!("{home}/{rest}"),
        _ => template.to_owned(),
    };
    let template = directory(&template, "{cwd}", cwd);
    let template = directory(&template, "{project}", project.as_deref().unwrap_or(cwd));
    let filled = template
        .replace("{home}", &home)
        .replace("{session}", &context.payload.session_id.replace(['/', '\\', '.'], "_"));
    Path::new(cwd).join(filled)
}

/// The template with a directory filled in: whole where it begins with it, elsewhere by its name.
fn directory(template: &str, field: &str, path: &str) -> String {
    let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
    match template.strip_prefix(field) {
        Some(rest) => format!("{path}{}", rest.replace(field, &name)),
        None => template.replace(field, &name),
    }
}

//! Where a path that an option names is.

use std::path::{Path, PathBuf};

use super::context::Context;

/// The path with `{cwd}`, `{project}`, `{home}` and `{session}` filled in; `~/` begins in the home
/// directory, and what else begins at no root in the session's.
pub(super) fn place(context: &Context<'_>, template: &str) -> PathBuf {
    let cwd = &*context.payload.cwd;
    let project = context.host.variable("CLAUDE_PROJECT_DIR");
    let home = context.host.variable("HOME").unwrap_or_default();
    let template = match template.strip_prefix("~/") {
        Some(rest) if !home.is_empty() => format!("{home}/{rest}"),
        _ => template.to_owned(),
    };
    let filled = template
        .replace("{cwd}", cwd)
        .replace("{project}", project.as_deref().unwrap_or(cwd))
        .replace("{home}", &home)
        .replace("{session}", &context.payload.session_id.replace(['/', '\\', '.'], "_"));
    Path::new(cwd).join(filled)
}

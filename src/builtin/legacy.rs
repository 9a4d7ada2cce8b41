//! Files by which scripts note that they warned, looked for and never written, for who switches over.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::options::suggestion;
use super::{Context, OptionProblem};

const FIELDS: [&str; 5] = ["cwd", "project", "home", "session", "transcript"];

/// Checks the option `legacy_file`: an absolute path with fields, some of them the kind's own, or nothing.
pub(super) fn check(template: &str, more: &[&'static str]) -> Result<(), OptionProblem> {
    let at = |why: String| Err(OptionProblem::at(&["legacy_file"], why));
    if !(template.is_empty() || template.starts_with(['/', '{'])) {
        return at(format!("expected a path that begins with `/` or a field, found `{template}`"));
    }
    let known = || FIELDS.iter().chain(more).copied();
    let is_known = |name: &str| is_variable(name) || known().any(|it| it == name);
    let mut names = template.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    match names.find(|(name, _)| !is_known(name)) {
        Some((name, _)) => {
            at(format!("`{{{name}}}` is not filled in{}", suggestion(name, known())))
        }
        None => Ok(()),
    }
}

/// Returns whether the file is there and was changed less than `lasts` ago.
pub(super) fn is_recent(template: &str, lasts: Duration, context: &Context<'_>) -> bool {
    let Some(facts) = path(template, context).and_then(|path| context.host.look(&path)) else {
        return false;
    };
    let age = context.host.now().saturating_sub(facts.modified);
    facts.is_file && u64::try_from(age).is_ok_and(|age| age < lasts.as_secs())
}

/// The path that a template means; `None` where a field has no value, or one that would lead elsewhere.
fn path(template: &str, context: &Context<'_>) -> Option<PathBuf> {
    let mut parts = template.split('{');
    let mut path = parts.next()?.to_owned();
    for part in parts {
        let (name, rest) = part.split_once('}')?;
        path.push_str(&value(name, context).filter(|value| !value.is_empty())?);
        path.push_str(rest);
    }
    Path::new(&path).is_absolute().then(|| path.into())
}

fn value(name: &str, context: &Context<'_>) -> Option<String> {
    let payload = context.payload;
    let cwd = || payload.cwd.to_string();
    match name {
        "cwd" => Some(cwd()),
        "project" => context.host.variable("CLAUDE_PROJECT_DIR").or_else(|| Some(cwd())),
        "home" => context.host.variable("HOME"),
        "session" if payload.session_id.contains('/') => None,
        "session" => Some(payload.session_id.to_string()),
        "transcript" => {
            Some(Path::new(&*payload.transcript_path).with_extension("").display().to_string())
        }
        name if is_variable(name) => context.host.variable(name),
        _ => None,
    }
}

fn is_variable(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    !name.is_empty() && name.bytes().all(fits)
}

//! True if a call of git is about the default branch.

use std::path::Path;

use super::rule::{Rule, Text};
use crate::builtin::context::Context;
use crate::syntax::shell::Invocation;

/// The time that git's note of the default branch may be.
const LONGEST: u64 = 1024;

/// Returns whether a call that the rule matches pushes to the default branch or deletes it: that of the
/// remote `origin` where git has noted it, else `main` or `master`. A push that names no branch
/// is about the one that is checked out.
pub(super) fn is_about_default(
    rule: &Rule<'_>,
    invocation: &Invocation<'_>,
    globals: &[Text<'_>],
    context: &Context<'_>,
) -> bool {
    let folder = Path::new(&*context.payload.cwd);
    let default = default(folder, context);
    let is_default = |name: &str| match &default {
        Some(default) => name == default,
        None => matches!(name, "main" | "master"),
    };
    let current_is_default = || context.host.branch(folder).is_some_and(|name| is_default(&name));
    let operands = rule.operands_of(invocation, globals);
    let pushes = invocation.arguments.iter().any(|word| word.text == "push");
    // The first operand of a push is the remote.
    let names = operands.get(usize::from(pushes)..).unwrap_or_default();
    if names.is_empty() {
        return pushes && current_is_default();
    }
    names.iter().any(|word| {
        let target = word.text.rsplit(':').next().unwrap_or_default().trim_start_matches('+');
        let name = target.strip_prefix("refs/heads/").unwrap_or(target);
        is_default(name) || (name == "HEAD" && current_is_default())
    })
}

fn default(folder: &Path, context: &Context<'_>) -> Option<String> {
    folder.ancestors().find_map(|folder| {
        let note = folder.join(".git/refs/remotes/origin/HEAD");
        let text = context.host.read(&note, LONGEST).ok()??;
        let name = text.trim().strip_prefix("ref: refs/remotes/origin/")?;
        Some(name.to_owned())
    })
}

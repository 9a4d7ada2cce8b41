//! The branches and tags that a call of git is about.

use std::path::{Path, PathBuf};

use super::rule::Rule;
use crate::builtin::context::Context;
use crate::syntax::lent::Lent;
use crate::syntax::shell::Invocation;

/// The time that git's note of the default branch may be.
const LONGEST: u64 = 1024;
/// The size that its list of branches and tags may have.
const PACKED: u64 = 4 << 20;

/// Returns whether a call that the rule matches pushes to the default branch or deletes it: that of the
/// remote `origin` where git has noted it, else `main` or `master`. A push that names no branch
/// is about the one that is checked out.
pub(super) fn is_about_default(
    rule: &Rule<'_>,
    invocation: &Invocation<'_>,
    globals: &[Lent<'_>],
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
    let note = repository(folder, context)?.join("refs/remotes/origin/HEAD");
    let text = context.host.read(&note, LONGEST).ok()??;
    let name = text.trim().strip_prefix("ref: refs/remotes/origin/")?;
    Some(name.to_owned())
}

/// Returns whether the only operand of a call in this folder is something that is there, and neither a
/// branch nor a tag, which git would take it for first.
pub(super) fn names_a_file(
    rule: &Rule<'_>,
    invocation: &Invocation<'_>,
    globals: &[Lent<'_>],
    folder: &Path,
    context: &Context<'_>,
) -> bool {
    let operands = rule.operands_of(invocation, globals);
    let [word] = operands[..] else { return false };
    !word.text.is_empty()
        && context.host.look(&folder.join(&*word.text)).is_some()
        && !repository(folder, context).is_some_and(|git| has_reference(&git, &word.text, context))
}

pub(super) fn has_reference(git: &Path, name: &str, context: &Context<'_>) -> bool {
    let lists = ["refs/heads", "refs/tags"];
    lists.iter().any(|list| context.host.look(&git.join(list).join(name)).is_some())
        || context.host.read(&git.join("packed-refs"), PACKED).ok().flatten().is_some_and(
            |packed| {
                let mut names = packed.lines().filter_map(|line| Some(line.split_once(' ')?.1));
                names.any(|known| lists.iter().any(|list| known == format!("{list}/{name}")))
            },
        )
}

/// The directory in which git keeps the branches of the work tree around a folder.
pub(super) fn repository(folder: &Path, context: &Context<'_>) -> Option<PathBuf> {
    folder.ancestors().find_map(|folder| {
        let git = folder.join(".git");
        if context.host.look(&git)?.is_directory {
            return Some(git);
        }
        let text = context.host.read(&git, LONGEST).ok()??;
        let own = folder.join(text.trim().strip_prefix("gitdir: ")?);
        let shared = own.to_str()?.split_once("/worktrees/").map(|(shared, _)| shared.into());
        Some(shared.unwrap_or(own))
    })
}

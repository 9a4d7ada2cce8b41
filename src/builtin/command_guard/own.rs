//! Places that a line has for itself: containers, projects, namespaces, clusters, databases, servers and
//! repositories that it makes. What is done there takes nothing from anybody.

use std::path::PathBuf;

use super::branches::{has_reference, repository};
use super::made::Made;
use super::naming::{is_in, is_new, is_unique, plain};
use super::operands::{has_word, is_temporary};
use super::places::{CLUSTER, PLACES, cluster, container, is_output, mounted, mounts, values};
use super::repositories::work_tree;
use crate::builtin::context::Context;
use crate::syntax::shell::Invocation;

/// Ports at which somebody else's server may be.
const USUAL: &str = "1433 3306 5432 6379 9042 27017";

/// The container or other place in which what is judged now runs.
#[derive(Default)]
pub(super) struct Inside {
    /// The call that runs it, as it was written.
    source: String,
    /// The places where something else is mounted; none in a place of the line's own.
    targets: Vec<String>,
}

impl Inside {
    /// Returns whether a call takes nothing from anybody, as it works in a place of the line's own or in the
    /// part of a container that goes with it. What runs in a container has the text of the call that runs it.
    pub(super) fn has<'m>(
        &mut self,
        at: usize,
        call: &Invocation<'_>,
        made: &dyn Fn() -> &'m Made,
        all: &dyn Fn() -> bool,
        context: &Context<'_>,
    ) -> bool {
        if self.source.is_empty() || self.source != call.source {
            self.source.clear();
            self.targets.clear();
            let is_own = made().is_in_place(at, call, all, context);
            self.targets.extend(mounts(call).iter().filter(|_| !is_own).map(|it| it.1.to_owned()));
            if is_own || !self.targets.is_empty() {
                call.source.clone_into(&mut self.source);
            }
        }
        !self.source.is_empty() && (self.targets.is_empty() || is_outside(call, &self.targets))
    }
}

impl Made {
    /// Returns whether a call of git changes files or branches of a work tree that the line makes itself, or
    /// pushes to a repository of its own.
    pub(super) fn is_in_own(&self, call: &Invocation<'_>, context: &Context<'_>) -> bool {
        const LOCAL: &str = "checkout checkout-index clean read-tree reset restore rm switch";
        const WHOLE: &str = "branch filter-branch filter-repo gc prune reflog stash tag update-ref";
        let words = || call.arguments.iter().map(|word| &*word.text);
        let has = |list: &str| words().take(6).any(|it| has_word(list, it));
        let to = words().skip_while(|it| *it != "push").skip(1).find(|it| !it.starts_with('-'));
        if to.is_some_and(|it| {
            self.git.is_own_address(it) || self.git.remotes.iter().any(|own| own == it)
        }) {
            return true;
        }
        let pushes =
            !self.git.is_linked && has("push") && !to.is_some_and(|it| it.contains(['@', '/']));
        (has(LOCAL) || (!self.git.shares && (pushes || has(WHOLE))))
            && work_tree(call).is_some_and(|folder| {
                folder.starts_with("$(mktemp")
                    || self.git.own.iter().any(|made| is_in(plain(&folder), made))
                        && (is_temporary(&folder) || self.has(&folder, context))
            })
    }

    /// Returns whether no repository to which the line goes has such a branch or tag.
    pub(super) fn is_new_reference(&self, name: &str, context: &Context<'_>) -> bool {
        let is_there = |folder: &PathBuf| {
            let git = repository(folder, context);
            git.is_some_and(|git| has_reference(&git, name, context))
        };
        !self.folders.is_empty() && !self.folders.iter().any(is_there)
    }

    /// Returns whether a call works in a place of the line's own; `all` tells whether each of its commands
    /// runs only if all before it did what they were to do.
    pub(super) fn is_in_place(
        &self,
        at: usize,
        call: &Invocation<'_>,
        all: &dyn Fn() -> bool,
        context: &Context<'_>,
    ) -> bool {
        let owns =
            |name: &str| is_output(name) || ((is_new(name) || all()) && self.has_before(at, name));
        if let Some(name) = container(call) {
            let has_mount = is_output(name) && (name.contains(" -v") || name.contains(" --mount"));
            return owns(name) && !has_mount && !self.has_before(at, &mounted(name));
        }
        if let Some(name) = cluster(call) {
            return self.has_before(at, &format!("{}-{name}", call.program));
        }
        let mounts = mounts(call);
        if !mounts.is_empty() {
            let is_own =
                |it: &&str| owns(it) || is_unique(it) || is_temporary(it) || self.has(it, context);
            return mounts.iter().map(|(from, _)| *from).all(|it| is_own(&it));
        }
        let Some(place) = PLACES.iter().find(|it| it.name == call.program) else { return false };
        if place.options == "file" {
            let file = call.arguments.iter().find(|it| !it.text.starts_with('-'));
            return file
                .is_some_and(|it| self.has_before(at, &it.text) && self.has(&it.text, context));
        }
        if place.options.is_empty() {
            let owns_port = |it: &str| {
                let is_port = it.len() > 3 && it.bytes().all(|byte| byte.is_ascii_digit());
                is_port && (!has_word(USUAL, it) || all()) && self.has_before(at, &format!(":{it}"))
            };
            return call.arguments.iter().any(|word| {
                let text = word.text.trim_start_matches(['-', 'p', 'P', 'd', 'D']);
                let parts = [&*word.text, text, text.split_once('=').map_or("", |it| it.1)];
                let is_address = text.contains("://");
                parts.iter().any(|it| owns(it) || owns_port(it))
                    || (is_address
                        && text.split(['/', ':', '?']).any(|it| owns(it) || owns_port(it)))
            });
        }
        let given = values(call, place.options, place.name);
        let of_docker = place.options.starts_with("-p");
        let is_compose = call.program.ends_with("compose")
            || call.arguments.first().is_some_and(|it| it.text == "compose");
        if of_docker {
            // A project of which nobody else has the name has only what the line makes in it.
            return is_compose && given.iter().any(|it| is_new(it) && !it.contains("$(date +%F"));
        }
        given.iter().any(|it| owns(it))
            || (values(call, "--context --kube-context", place.name).is_empty()
                && self.has_before(at, CLUSTER)
                && !call.arguments.iter().any(|it| it.text.starts_with("--kubeconfig")))
    }
}

/// Returns whether a call deletes only what is in a container and not mounted there.
pub(super) fn is_outside(call: &Invocation<'_>, targets: &[String]) -> bool {
    let deletes = has_word("rm rmdir unlink shred truncate find", call.program);
    let mut operands = call.arguments.iter().filter(|word| !word.text.starts_with('-')).peekable();
    let is_in = |path: &str, folder: &str| format!("{path}/").starts_with(&format!("{folder}/"));
    deletes
        && operands.peek().is_some()
        && operands.all(|word| {
            let path = word.text.trim_end_matches(['/', '*']);
            path.starts_with('/')
                && !path.contains(['$', '`', '*', '?', '{'])
                && !path.contains("..")
                && !targets.iter().any(|it| is_in(path, it) || is_in(it, path))
        })
}

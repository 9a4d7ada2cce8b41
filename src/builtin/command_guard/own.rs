//! Places that a line has for itself: containers, projects, namespaces, clusters, databases and servers that
//! it makes. What is done there takes nothing from anybody.

use super::made::{Made, container, is_new, is_unique};
use super::operands::{has_word, is_temporary};
use crate::builtin::context::Context;
use crate::syntax::shell::Invocation;

/// So many mounts of a container are read.
const MOUNTS: usize = 16;
/// The name under which the cluster is kept to which a line goes when it makes it.
const CLUSTER: &str = "the current cluster";
/// Ports at which somebody else's server may be.
const USUAL: &str = "1433 3306 5432 6379 9042 27017";

static SERVERS: &[&str] = include!(concat!(env!("OUT_DIR"), "/SERVERS.rs"));
pub(super) static CLUSTERS: &[&str] = include!(concat!(env!("OUT_DIR"), "/CLUSTERS.rs"));
static PLACES: &[Place] = include!(concat!(env!("OUT_DIR"), "/Place.rs"));

/// A client and the options that tell where it works.
struct Place {
    name: &'static str,
    options: &'static str,
}

/// Returns whether a line may have places of its own.
pub(super) fn may_have(line: &str) -> bool {
    const MAKERS: &[&str] = &[
        "create", "-server", "initdb", "minikube", "mongod", "mysqld", "sqlite3", "pg_ctl", "run ",
        "-p", "CREATE",
    ];
    MAKERS.iter().any(|it| line.contains(it))
}

/// The names of places that a call makes: the ports of its servers, a cluster, a project.
pub(super) fn made_by(call: &Invocation<'_>) -> Vec<String> {
    let words = || call.arguments.iter().map(|word| &*word.text);
    let is_port = |it: &&str| it.len() > 3 && it.bytes().all(|byte| byte.is_ascii_digit());
    let port = |it: &str| format!(":{it}");
    if SERVERS.contains(&call.program) {
        return words()
            .flat_map(|it| it.split([' ', '=', ':']))
            .filter(is_port)
            .map(port)
            .collect();
    }
    if words().any(|it| matches!(it, "create" | "start"))
        && let Some(name) = cluster(call)
    {
        return vec![CLUSTER.to_owned(), name.to_owned(), format!("{}-{name}", call.program)];
    }
    match values(call, "-dp -p --publish", "docker podman nerdctl") {
        published if words().next() == Some("run") => {
            let of_host = |it: &str| it.rsplit(':').nth(1).map(port);
            let volumes = mounts(call).into_iter().map(|it| it.0).filter(|it| is_unique(it));
            published.into_iter().filter_map(of_host).chain(volumes.map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    }
}

/// The name of the cluster that a call makes or deletes, which may be none.
fn cluster<'c>(call: &'c Invocation<'_>) -> Option<&'c str> {
    const VERBS: &str = "cluster clusters create delete start";
    let given = values(call, "-n --name -p --profile", call.program);
    let mut words = call.arguments.iter().map(|word| &*word.text);
    let is_number = |it: &str| it.bytes().all(|byte| byte.is_ascii_digit());
    let other = words.find(|it| !it.starts_with('-') && !has_word(VERBS, it) && !is_number(it));
    let known = CLUSTERS.contains(&call.program);
    known.then(|| given.first().copied().or(other).unwrap_or_default())
}

/// Returns whether a name is what a command prints of a container that it starts.
pub(super) fn is_output(name: &str) -> bool {
    let starts = [
        "$(docker run",
        "$(docker create",
        "$(docker volume create",
        "$(kubectl create",
        "$(podman run",
        "$(mktemp",
    ];
    let name = name.replace("$(sudo ", "$(");
    starts.iter().any(|it| name.starts_with(it))
}

/// The values of some options of a call, if its program is one of a list.
fn values<'c>(call: &'c Invocation<'_>, options: &str, programs: &str) -> Vec<&'c str> {
    let texts: Vec<&str> = call.arguments.iter().map(|word| &*word.text).collect();
    let mut values = Vec::new();
    if has_word(programs, call.program) {
        for (at, text) in texts.iter().enumerate() {
            match text.split_once('=') {
                Some((name, value)) if has_word(options, name) => values.push(value),
                _ if has_word(options, text) => values.extend(texts.get(at + 1)),
                _ => {}
            }
        }
    }
    values
}

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
            return owns(name);
        }
        if let Some(name) = cluster(call) {
            return self.has_before(at, &format!("{}-{name}", call.program));
        }
        let mounted = mounts(call);
        if !mounted.is_empty() {
            let is_own =
                |it: &&str| owns(it) || is_unique(it) || is_temporary(it) || self.has(it, context);
            return mounted.iter().map(|(from, _)| *from).all(|it| is_own(&it));
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

/// The sources and targets of what a call of `docker run` mounts.
pub(super) fn mounts<'c>(call: &'c Invocation<'_>) -> Vec<(&'c str, &'c str)> {
    let mounts = values(call, "-v --volume --mount", "docker podman nerdctl");
    let part = |mount: &'c str| {
        let key = |names: [&str; 2]| {
            let mut parts = mount.split(',').filter_map(|it| it.split_once('='));
            parts.find(|it| names.contains(&it.0)).map(|it| it.1)
        };
        match (key(["source", "src"]), key(["target", "dst"])) {
            (Some(from), Some(to)) => Some((from, to)),
            _ => mount.split_once(':').map(|(from, to)| (from, to.split(':').next().unwrap_or(to))),
        }
    };
    mounts.into_iter().take(MOUNTS).filter_map(part).collect()
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

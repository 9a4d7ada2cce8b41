//! The places that a call makes or works in: containers, projects, clusters and servers.

use super::naming::is_unique;
use super::operands::{has_word, is_temporary};
use crate::syntax::shell::Invocation;

/// So many mounts of a container are read.
const MOUNTS: usize = 16;
/// The name under which the cluster is kept to which a line goes when it makes it.
pub(super) const CLUSTER: &str = "the current cluster";

static SERVERS: &[&str] = include!(concat!(env!("OUT_DIR"), "/SERVERS.rs"));
pub(super) static CLUSTERS: &[&str] = include!(concat!(env!("OUT_DIR"), "/CLUSTERS.rs"));
pub(super) static PLACES: &[Place] = include!(concat!(env!("OUT_DIR"), "/Place.rs"));

/// A client and the options that tell where it works.
pub(super) struct Place {
    pub(super) name: &'static str,
    pub(super) options: &'static str,
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
            let is_inside = |from: &str| is_unique(from) || is_temporary(from);
            let has_outside = mounts(call).iter().any(|it| !is_inside(it.0));
            let named = values(call, "--name", call.program).into_iter().filter(|_| has_outside);
            published
                .into_iter()
                .filter_map(of_host)
                .chain(volumes.map(str::to_owned))
                .chain(named.map(mounted))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The name under which a container is kept that has something of outside mounted.
pub(super) fn mounted(container: &str) -> String {
    format!("mounted {container}")
}

/// The name of the cluster that a call makes or deletes, which may be none.
pub(super) fn cluster<'c>(call: &'c Invocation<'_>) -> Option<&'c str> {
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
pub(super) fn values<'c>(call: &'c Invocation<'_>, options: &str, programs: &str) -> Vec<&'c str> {
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

/// The container in which `docker exec` runs something.
pub(super) fn container<'c>(call: &'c Invocation<'_>) -> Option<&'c str> {
    const VALUES: &str = "-e -u -w --env --env-file --user --workdir --detach-keys";
    let is_docker = matches!(call.program, "docker" | "podman" | "nerdctl");
    let mut words = call.arguments.iter().map(|word| &*word.text);
    if !is_docker || words.next() != Some("exec") {
        return None;
    }
    while let Some(word) = words.next() {
        if !word.starts_with('-') {
            return Some(word);
        }
        if has_word(VALUES, word) {
            words.next();
        }
    }
    None
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

//! The meaning of an operand: a name that a rule gives, or one of the sets that begin with `@`.

use std::borrow::Cow;

use crate::syntax::shell::programs::writes_to_device;
use crate::syntax::shell::{Invocation, Word};
use crate::syntax::suggestion;

/// No path is longer.
const LONGEST: usize = 4096;
/// So many arguments are read from another folder.
const MOST: usize = 4096;

/// Returns whether a word is what a rule wants: the text itself, any that begins as what comes before a
/// `*` at the end, or one of a set.
pub(super) fn is(word: &Word<'_>, wanted: &str) -> bool {
    let text = &*word.text;
    match wanted {
        "@any" => true,
        "@mutation" => is_mutation(text),
        _ if text.len() > LONGEST => false,
        "@here" => is_here(text),
        "@system" => is_system(text),
        "@home" => is_home(text),
        "@git" => is_git(text),
        "@secret" => is_secret(text),
        "@sent" => is_secret_sent(text),
        "@database" => is_database(text),
        "@device" => writes_to_device(text.strip_prefix("of=").unwrap_or(text)),
        "@path" => is_path(text),
        "@pattern" => word.expanded && text.contains(['*', '?', '[']),
        "@temporary" => is_temporary(text),
        "@output" => is_output(word),
        _ => suggestion::hits(wanted, text),
    }
}

/// The arguments of a call that deletes in a folder to which the line has gone, as they are outside of it.
pub(super) fn from_folder<'c>(call: &Invocation<'c>) -> Option<Vec<Word<'c>>> {
    let is_find = call.program == "find";
    let is_long = call.arguments.len() > MOST;
    if call.folder.is_empty()
        || is_long
        || !(is_find || has_word("rm rmdir unlink shred", call.program))
    {
        return None;
    }
    let mut is_start = true;
    let outside = |word: &Word<'c>| {
        let text = &*word.text;
        is_start &= !is_find || !text.starts_with(['-', '(', '!']);
        if !is_start || text.starts_with(['-', '/', '~', '$', '`', '{']) {
            return word.clone();
        }
        Word { text: format!("{}/{text}", call.folder).into(), ..word.clone() }
    };
    Some(call.arguments.iter().map(outside).collect())
}

/// Returns whether a path is spared: it ends in the name, or is of the set that the name is.
pub(super) fn is_spared(word: &Word<'_>, name: &str) -> bool {
    if name.starts_with('@') {
        is(word, name)
    } else {
        word.text.len() <= LONGEST && is_within(&word.text, name)
    }
}

/// Returns whether a path has this name in it, but directly below the root, and no way up that could
/// lead out of it.
fn is_within(path: &str, name: &str) -> bool {
    let path = &*straight(path);
    let path = path.trim_end_matches(['/', '*']);
    let parts = path.split('/').skip(if path.starts_with('/') { 2 } else { 0 });
    let has = || format!("{path}/").contains(&format!("{name}/"));
    !goes_up(path)
        && (parts.into_iter().any(|part| suggestion::hits(name, part))
            || (name.contains('/') && path.starts_with('/') <= name.starts_with('/') && has()))
}

/// The texts of a list with blanks between them.
pub(super) fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split(' ').filter(|word| !word.is_empty())
}

pub(super) fn has_word(list: &str, text: &str) -> bool {
    words(list).any(|word| word == text)
}

/// A path without the ways up that only take back a part of it.
fn straight(path: &str) -> Cow<'_, str> {
    if !goes_up(path) {
        return Cow::Borrowed(path);
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| *part != ".") {
        let is_name =
            |it: &&&str| !it.is_empty() && !it.contains(['$', '`', '*', '?', '[', '{', '~']);
        match parts.last().filter(is_name) {
            Some(last) if part == ".." && *last != ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    Cow::Owned(parts.join("/"))
}

fn goes_up(path: &str) -> bool {
    path.split('/').any(|part| part == "..")
}

/// A path without what leaves it the same or takes all that is in it.
fn base(path: &str) -> &str {
    let mut base = path;
    while let Some(shorter) =
        ["/", "/.", "/*", "/.*", "/**", "/{*,.*}"].iter().find_map(|end| base.strip_suffix(end))
    {
        base = shorter;
    }
    base
}

/// All of the working directory, or what is above it.
fn is_here(text: &str) -> bool {
    if text.starts_with('/') || text.is_empty() {
        return false;
    }
    let known = "* .* ** *.* : :(top) :(glob) :(top,glob) $PWD ${PWD} $(pwd) `pwd`";
    let base = base(text);
    has_word(known, base) || base.split('/').all(|part| matches!(part, "." | ".." | "*" | ""))
}

/// Directories whose every part belongs to the system.
const SYSTEM: &str = "bin boot dev etc lib lib32 lib64 proc sbin sys usr System Library";
/// Directories that are the system's themselves, but not what is deeper in them.
const SHARED: &str = "Applications Users Volumes home media mnt opt private root run srv var";
/// Directories whose contents belong to the system, too.
const DEEPER: &[&str] =
    &["var/lib", "var/log", "var/www", "var/spool", "var/backups", "var/db", "private/etc"];

/// The root, the system's directories, and the home of some user.
fn is_system(text: &str) -> bool {
    let slashed = text.replace('\\', "/");
    let bytes = slashed.as_bytes();
    if bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' {
        let path = base(&slashed[2..]).to_ascii_lowercase();
        let first = path.trim_start_matches('/').split('/').next().unwrap_or_default().to_owned();
        return first.is_empty()
            || matches!(&*first, "windows" | "program files" | "programdata")
            || path == "/users";
    }
    if !text.starts_with('/') || text == "/dev/null" {
        return false;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in base(text).split('/').filter(|part| !matches!(*part, "" | ".")) {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    let Some(first) = parts.first() else { return true };
    let is_glob = first.contains(['*', '?', '[', '{']);
    let whole = parts.join("/");
    match parts.len() {
        1 => is_glob || has_word(SYSTEM, first) || has_word(SHARED, first),
        2 if matches!(*first, "home" | "Users") => true,
        _ if *first == "usr" && parts[1] == "local" => parts.len() < 4,
        _ => has_word(SYSTEM, first) || DEEPER.contains(&whole.as_str()),
    }
}

/// A home directory, or what in it matters most.
fn is_home(text: &str) -> bool {
    let base = base(text.strip_suffix("/{}").unwrap_or(text));
    let rest = ["$HOME", "${HOME}", "$env:USERPROFILE", "%USERPROFILE%", "$Env:UserProfile"]
        .iter()
        .find_map(|home| base.strip_prefix(home))
        .or_else(|| {
            let user = base.strip_prefix('~')?;
            Some(user.find('/').map_or("", |at| &user[at..]))
        });
    let Some(rest) = rest else { return false };
    let kept = "/.ssh /.gnupg /.aws /.kube /.config /.local /Documents /Desktop /Downloads \
                /Pictures /Library /* /.";
    (rest.is_empty() || has_word(kept, rest)) && !goes_up(rest)
}

/// Recognises the paths that git keeps in a work tree, but for its locks.
fn is_git(text: &str) -> bool {
    let is_lock = || text.rsplit('.').next() == Some("lock");
    text.replace('\\', "/").split('/').any(|part| part == ".git") && !is_lock()
}

fn is_secret(text: &str) -> bool {
    let name = text.trim_end_matches(['/', '*']).rsplit(['/', '\\']).next().unwrap_or_default();
    let is_sample =
        [".example", ".sample", ".template", ".dist", ".pub"].iter().any(|end| name.ends_with(end));
    let is_key = name.starts_with("id_rsa") || name.starts_with("id_ed25519");
    let ends = [".pem", ".key", ".p12", ".pfx", ".keystore", ".jks"];
    let names = ".env .netrc .pgpass .npmrc .pypirc .git-credentials credentials secrets.yml \
                 secrets.yaml secrets.json authorized_keys known_hosts";
    !is_sample
        && (has_word(names, name)
            || name.starts_with(".env.")
            || is_key
            || ends.iter().any(|end| name.len() > end.len() && name.ends_with(end)))
}

/// The same behind an `@`, which means the file's content, and a folder that holds such files.
fn is_secret_sent(text: &str) -> bool {
    let folders = ["/.ssh", "/.gnupg", "/.aws", "/.kube", "/.kube/config", "/.docker/config.json"];
    let path = text.trim_end_matches('/');
    folders.iter().any(|folder| path.ends_with(folder) || path == &folder[1..])
        || path.contains("/.ssh/id_")
        || text.rsplit_once('@').is_some_and(|(_, file)| is_secret(file))
}

fn is_database(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or_default();
    let ends = [".db", ".sqlite", ".sqlite3", ".db3", ".mdb", ".duckdb", ".rdb"];
    ends.iter().any(|end| name.len() > end.len() && name.ends_with(end))
}

/// A text that is written as a path is, and as no name of a branch.
fn is_path(text: &str) -> bool {
    text.ends_with('/') || ["/", "./", "../", "~/"].iter().any(|start| text.starts_with(start))
}

/// Something in a directory for what is temporary.
pub(super) fn is_temporary(text: &str) -> bool {
    let folders = [
        "/tmp/",
        "/var/tmp/",
        "/private/tmp/",
        "/dev/shm/",
        "$TMPDIR/",
        "${TMPDIR}/",
        "$env:TEMP/",
        "$env:TMP/",
        "%TEMP%/",
        "$RUNNER_TEMP/",
        "${RUNNER_TEMP}/",
    ];
    let made = [
        "$(mktemp",
        "`mktemp",
        "$TMPDIR",
        "${TMPDIR",
        "$(go env GOCACHE)",
        "$(go env GOMODCACHE)",
        "$(npm config get cache)",
        "$(pip cache dir)",
        "$(pnpm store path)",
        "$(yarn cache dir)",
        "$(ccache -k cache_dir)",
    ];
    let inside = |folder: &str| {
        text.strip_prefix(folder)
            .is_some_and(|rest| !matches!(base(rest), "" | "*" | "." | ".*" | "{}"))
    };
    !goes_up(text)
        && (folders.into_iter().any(inside) || made.iter().any(|it| text.starts_with(it)))
}

/// The output of a command, if that may be many names.
fn is_output(word: &Word<'_>) -> bool {
    let inside = word.text.strip_prefix("$(").and_then(|it| it.strip_suffix(')'));
    let inside = inside.or_else(|| word.text.strip_prefix('`')?.strip_suffix('`'));
    let is_one = |text: &str| {
        let first = text.split_whitespace().next().unwrap_or_default();
        has_word("basename command date hostname mktemp pwd readlink realpath which", first)
    };
    !word.quoted && inside.is_some_and(|text| !is_one(text))
}

/// A field of a call of a GraphQL API that changes something, or may do so.
fn is_mutation(text: &str) -> bool {
    let query = text.strip_prefix("query=").unwrap_or_default();
    // A query that is in a file, or that another command prints, nobody has read.
    if ["@", "$(", "`", "${"].iter().any(|start| query.starts_with(start)) {
        return true;
    }
    let mut lines = query.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    lines.find(|line| !line.is_empty()).is_some_and(|line| line.starts_with("mutation"))
        || query.split('}').skip(1).any(|rest| rest.trim_start().starts_with("mutation"))
}

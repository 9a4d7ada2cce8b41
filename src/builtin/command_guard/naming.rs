//! The names of what a line makes, as it writes them.

/// So many of them are kept.
pub(super) const NAMES: usize = 64;

/// The name that what an address leads to gets in this folder.
pub(super) fn of_address(address: &str) -> Option<&str> {
    let path = address.split(['?', '#']).next()?.trim_end_matches('/');
    let name = path.rsplit('/').next()?;
    Some(name.strip_suffix(".git").unwrap_or(name))
}

pub(super) fn is_in(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder);
    rest.is_some_and(|rest| rest.is_empty() || (rest.starts_with('/') && !rest.contains("..")))
}

/// Returns whether nobody else has such a name, as it holds the number of the process, the time or the like.
pub(super) fn is_new(name: &str) -> bool {
    ["$$", "$RANDOM", "${RANDOM", "$random", "$BASHPID", "$(date", "$(uuidgen", "$(openssl rand"]
        .iter()
        .any(|it| name.contains(it))
}

/// Returns whether a name in which only such a part is not written out is one.
pub(super) fn is_unique(name: &str) -> bool {
    is_new(name)
        && is_plain(&name.replace("$$", "").replace("$RANDOM", "").replace("${RANDOM}", ""))
}

/// Returns whether a shell takes a path as it is written.
pub(super) fn is_plain(path: &str) -> bool {
    !path.is_empty()
        && !path.starts_with(['~', '-'])
        && !path.contains(['$', '`', '*', '?', '[', '{'])
}

pub(super) fn plain(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path).trim_end_matches('/')
}

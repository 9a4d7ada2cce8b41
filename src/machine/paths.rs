//! The paths that hookman and the client use.

use std::path::{Component, Path, PathBuf};

use directories::ProjectDirs;
use sha2::{Digest, Sha256};

use super::environment;
use super::files::Facts;
use super::folders;

#[derive(Clone, Debug)]
pub struct Paths {
    /// The user's home directory, where `HOME` says which it is.
    pub home: Option<PathBuf>,
    /// The client's configuration directory: `CLAUDE_CONFIG_DIR`, else `~/.claude`.
    pub config: PathBuf,
    /// hookman's own state: `HOOKMAN_STATE_DIR`, else the platform's state or local data directory.
    pub state: PathBuf,
}

/// `HOME` is not set, so neither the client's settings nor hookman's state can be found.
#[derive(Debug, thiserror::Error)]
#[error(
    "HOME is not set, so the client's settings cannot be found; \
     set HOME, or both CLAUDE_CONFIG_DIR and HOOKMAN_STATE_DIR"
)]
pub struct NoHome;

impl Paths {
    /// Finds the directories from the environment; nothing is created.
    pub fn from_environment() -> Result<Self, NoHome> {
        let home = environment::raw("HOME").map(PathBuf::from);
        let config = match environment::raw("CLAUDE_CONFIG_DIR") {
            Some(config) => from_here(PathBuf::from(config)),
            None => home.as_deref().ok_or(NoHome)?.join(".claude"),
        };
        let state = match environment::raw("HOOKMAN_STATE_DIR") {
            Some(state) => from_here(PathBuf::from(state)),
            None => platform_state(home.as_deref().ok_or(NoHome)?),
        };
        Ok(Self { home, config, state })
    }

    pub fn user_manifest(&self) -> PathBuf {
        self.config.join("hookman.toml")
    }

    pub fn user_settings(&self) -> PathBuf {
        self.config.join("settings.json")
    }

    /// The directory of an administrator's settings, by the client's reference or `HOOKMAN_MANAGED_DIR`.
    pub fn managed_folder(&self) -> PathBuf {
        environment::raw("HOOKMAN_MANAGED_DIR")
            .map_or_else(|| PathBuf::from(MANAGED), PathBuf::from)
    }

    /// An administrator's settings files that are there, in the order in which the client reads them.
    pub fn managed_settings(&self) -> Vec<PathBuf> {
        let folder = self.managed_folder();
        let mut more = folders::entries(&folder.join("managed-settings.d")).unwrap_or_default();
        more.retain(|path| path.extension().is_some_and(|it| it == "json"));
        more.sort();
        more.insert(0, folder.join("managed-settings.json"));
        more.retain(|path| path.exists());
        more
    }

    /// A path for people: the home directory becomes `~`.
    pub fn shown(&self, path: &Path) -> String {
        match self.home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Some(rest) => format!("~/{}", rest.display()),
            None => path.display().to_string(),
        }
    }

    pub fn journal(&self) -> PathBuf {
        self.state.join("journal.jsonl")
    }

    /// The file for what interpreters said of scripts.
    pub fn remembered(&self) -> PathBuf {
        self.state.join("read.json")
    }

    /// The directory of one session's state, from its safe name.
    pub fn session(&self, safe_id: &str) -> PathBuf {
        self.state.join("sessions").join(safe_id)
    }

    /// A cache of the state directory, in `kind`, for another file, by a hash of its path as it is spelled.
    pub fn cache_for(&self, kind: &str, file: &Path) -> PathBuf {
        self.state.join(kind).join(path_hash(file))
    }

    /// The record about another file, such as a lock: as [`Paths::cache_for`], by the [`real`] path.
    pub fn kept(&self, kind: &str, file: &Path) -> PathBuf {
        self.cache_for(kind, &real(file))
    }
}

const MANAGED: &str = if cfg!(target_os = "macos") {
    "/Library/Application Support/ClaudeCode"
} else {
    "/etc/claude-code"
};

pub const LONGEST: usize = 4096;

/// The absolute path without links; of what is not there yet, over the deepest directory that is.
pub fn real(path: &Path) -> PathBuf {
    let whole = from_here(path.to_owned());
    let found =
        |it: &Path| Some((it.canonicalize().ok()?, whole.strip_prefix(it).ok()?.to_owned()));
    // A system knows no longer path.
    let is_short = |it: &&Path| it.as_os_str().len() <= LONGEST;
    let mut above = whole.ancestors().filter(is_short);
    let Some((mut real, rest)) = above.find_map(found) else { return whole };
    for component in rest.components() {
        match component {
            // A missing path is not a link, so its parent is simply the path without the last part.
            Component::ParentDir => {
                real.pop();
            }
            component => real.push(component),
        }
    }
    real
}

// The working directory is asked for only where it matters: a run has no system call to spare.
fn from_here(path: PathBuf) -> PathBuf {
    if path.is_absolute() { path } else { std::path::absolute(&path).unwrap_or(path) }
}

// `directories` asks the password database when HOME is missing, which must not happen in a
// statically linked binary, so it is only called after HOME was seen.
fn platform_state(home: &Path) -> PathBuf {
    ProjectDirs::from("", "", "hookman").map_or_else(
        || home.join(".local/state/hookman"),
        |directories| {
            directories.state_dir().unwrap_or_else(|| directories.data_local_dir()).to_owned()
        },
    )
}

/// The file below a state directory that is there while a project's guards are careful.
pub fn careful(state: &Path, project: &Path) -> PathBuf {
    state.join("careful").join(path_hash(project))
}

/// The file below a state directory that says whether a project's own programs may run.
pub fn project_tools(state: &Path, project: &Path) -> PathBuf {
    state.join("project-tools").join(path_hash(project))
}

pub fn project_answer(
    is_yes: bool,
    project: &Path,
    look: impl Fn(&Path) -> Option<Facts>,
) -> String {
    let word = if is_yes { "yes" } else { "no" };
    format!("{word} {} {}\n", mark(project, look), project.display())
}

/// The answer in such a file; `None` where it was given for another repository that was at this place.
pub fn answer_for(
    text: &str,
    project: &Path,
    look: impl Fn(&Path) -> Option<Facts>,
) -> Option<bool> {
    let mut words = text.split_whitespace();
    let is_yes = words.next() == Some("yes");
    let then = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
    let is_it = then == 0 || [then, 0].contains(&mark(project, look));
    is_it.then_some(is_yes)
}

/// The mark of a repository, or of a directory that is none; 0 where nothing tells.
fn mark(project: &Path, look: impl Fn(&Path) -> Option<Facts>) -> u128 {
    let facts = look(&project.join(".git")).or_else(|| look(project));
    facts.map_or(0, |facts| facts.mark)
}

/// A short hash of a path for file names: FNV-1a, as SHA-256 asks the processor for its features first.
pub fn path_hash(path: &Path) -> String {
    let hash =
        path.as_os_str().as_encoded_bytes().iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3_u64)
        });
    format!("{hash:016x}")
}

/// The first 16 hexadecimal digits of the content's SHA-256.
pub fn content_hash(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    let head = digest.iter().take(8).fold(0_u64, |head, byte| head << 8 | u64::from(*byte));
    format!("{head:016x}")
}

/// Returns whether the content's SHA-256 is this one, in hexadecimal digits.
#[cfg(feature = "self-update")]
pub fn has_hash(content: &[u8], hash: &str) -> bool {
    let digits = hash.as_bytes().chunks(2).map(|pair| {
        std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok())
    });
    digits.eq(Sha256::digest(content).iter().copied().map(Some))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_file_has_one_name_whatever_leads_to_it_and_before_it_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("dotfiles/claude")).unwrap();
        symlink("dotfiles/claude", root.join("link")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        let cases = [
            ("dotfiles/claude/settings.json", "dotfiles/claude/settings.json"),
            ("link/settings.json", "dotfiles/claude/settings.json"),
            ("link/../claude/./settings.json", "dotfiles/claude/settings.json"),
            ("link/new/../settings.json", "dotfiles/claude/settings.json"),
            ("new/below/settings.json", "new/below/settings.json"),
            ("dangling/settings.json", "dangling/settings.json"),
        ];
        let names = |when: &str| {
            for (path, name) in cases {
                assert_eq!(real(&root.join(path)), root.join(name), "{path} {when}");
            }
        };
        names("before");
        fs::create_dir_all(root.join("new/below")).unwrap();
        fs::write(root.join("new/below/settings.json"), "").unwrap();
        fs::write(root.join("link/settings.json"), "").unwrap();
        names("after");
        let here = environment::current_directory().unwrap().canonicalize().unwrap();
        assert_eq!(real(Path::new("no-such/file")), here.join("no-such/file"));
    }
}

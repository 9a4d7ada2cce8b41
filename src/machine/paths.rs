//! Where things are.

use std::fmt;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;
use sha2::{Digest, Sha256};

use super::environment;

/// The directories hookman works in.
#[derive(Clone, Debug)]
pub struct Paths {
    /// The user's home directory, where `HOME` says which it is.
    pub home: Option<PathBuf>,
    /// The client's configuration directory: `CLAUDE_CONFIG_DIR`, else `~/.claude`.
    pub config: PathBuf,
    /// hookman's own state: `HOOKMAN_STATE_DIR`, else the platform's state directory, else its
    /// local data directory.
    pub state: PathBuf,
}

/// `HOME` is not set, so neither the client's settings nor hookman's state can be found.
#[derive(Debug)]
pub struct NoHome;

impl fmt::Display for NoHome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(
            "HOME is not set, so the client's settings cannot be found; \
             set HOME, or both CLAUDE_CONFIG_DIR and HOOKMAN_STATE_DIR",
        )
    }
}

impl std::error::Error for NoHome {}

impl Paths {
    /// Finds the directories from the environment; nothing is created.
    ///
    /// # Errors
    ///
    /// When `HOME` is missing and needed.
    pub fn from_environment() -> Result<Self, NoHome> {
        let home = environment::raw("HOME").map(PathBuf::from);
        let config = match environment::raw("CLAUDE_CONFIG_DIR") {
            Some(config) => PathBuf::from(config),
            None => home.as_deref().ok_or(NoHome)?.join(".claude"),
        };
        let state = match environment::raw("HOOKMAN_STATE_DIR") {
            Some(state) => PathBuf::from(state),
            None => platform_state(home.as_deref().ok_or(NoHome)?),
        };
        Ok(Self { home, config, state })
    }

    /// The user's manifest.
    pub fn user_manifest(&self) -> PathBuf {
        self.config.join("hookman.toml")
    }

    /// The client's settings of the user.
    pub fn user_settings(&self) -> PathBuf {
        self.config.join("settings.json")
    }

    /// A path for people: the home directory becomes `~`.
    pub fn shown(&self, path: &Path) -> String {
        match self.home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Some(rest) => format!("~/{}", rest.display()),
            None => path.display().to_string(),
        }
    }

    /// The journal.
    pub fn journal(&self) -> PathBuf {
        self.state.join("journal.jsonl")
    }

    /// The directory of one session's state, from its safe name.
    pub fn session(&self, safe_id: &str) -> PathBuf {
        self.state.join("sessions").join(safe_id)
    }

    /// A file of the state directory that belongs to another file, such as a lock or a cache.
    ///
    /// `kind` names the sub-directory; the name is a hash of the other file's path.
    pub fn beside(&self, kind: &str, file: &Path) -> PathBuf {
        self.state.join(kind).join(path_hash(file))
    }
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

/// A short hash of a path, for file names.
///
/// FNV-1a, because a run needs it and SHA-256 asks the processor for its features first, which is
/// slow in a virtual machine.
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

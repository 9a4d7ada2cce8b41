//! The published releases of hookman: what is there, whether it is genuine, and putting it in place.
//!
//! A release is a folder with one archive for each platform, `SHA256SUMS`, and `SHA256SUMS.sig`,
//! the list's signature by `ssh-keygen -Y sign`. `install.sh` reads the same files.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use ring::signature::{ED25519, UnparsedPublicKey};
use self_update::Download;
use ssh_key::public::Ed25519PublicKey;
use ssh_key::{PublicKey, SshSig};

use crate::machine::archive::Packed;
use crate::machine::environment;
use crate::machine::paths::has_hash;

/// The variable that names another place for releases than the repository's.
pub const VARIABLE: &str = "HOOKMAN_RELEASES";

/// The key that signs releases; a build for tests, or of a fork, may be given another one.
const KEY: &str = match option_env!("HOOKMAN_RELEASE_KEY") {
    Some(key) => key,
    None => include_str!("../../packaging/release-key.pub"),
};
const NAMESPACE: &str = "hookman-release";
/// The address of the repository; empty in a build that knows none.
const REPOSITORY: &str = env!("HOOKMAN_ADDRESS");
const PATIENCE: Duration = Duration::from_secs(300);
const LIST_BYTES: u64 = 1 << 20;
const ARCHIVE_BYTES: u64 = 1 << 28;

const TARGET: &str = if cfg!(all(target_os = "macos", target_arch = "aarch64")) {
    "aarch64-apple-darwin"
} else if cfg!(all(target_os = "macos", target_arch = "x86_64")) {
    "x86_64-apple-darwin"
} else if cfg!(all(target_os = "linux", target_arch = "aarch64")) {
    "aarch64-unknown-linux-musl"
} else if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
    "x86_64-unknown-linux-musl"
} else {
    "unknown"
};

#[derive(Clone, Debug)]
pub struct Releases {
    address: String,
    key: Ed25519PublicKey,
}

/// A release that is signed, with an archive for this platform.
#[derive(Clone, Debug)]
pub struct Found {
    pub version: String,
    archive: String,
    checksum: String,
    releases: Releases,
}

impl Releases {
    pub fn of_this_build() -> Result<Self> {
        let line = KEY.lines().find(|line| line.starts_with("ssh-"));
        let Some(line) = line else {
            bail!(
                "this hookman was built from a checkout: update it there with `git pull && ./install.sh`"
            );
        };
        let key = PublicKey::from_openssh(line).context("the release key cannot be read")?;
        let key = key.key_data().ed25519().context("the release key is no ed25519 key")?;
        let address = match environment::text(VARIABLE) {
            Some(address) => address.trim_end_matches('/').to_owned(),
            None if REPOSITORY.is_empty() => {
                bail!("this hookman knows no address of releases; {VARIABLE} names one")
            }
            None => format!("{REPOSITORY}/releases"),
        };
        Ok(Self { address, key: *key })
    }

    /// The release of a version, or the newest, if it is signed and has an archive for this platform.
    pub fn find(&self, version: Option<&str>) -> Result<Found> {
        let folder = match version {
            Some(version) => format!("{}/download/v{version}", self.address),
            None => format!("{}/latest/download", self.address),
        };
        let sums = text(&format!("{folder}/SHA256SUMS"))?;
        let signature = text(&format!("{folder}/SHA256SUMS.sig"))?;
        self.check(&sums, &signature).with_context(|| {
            format!("the signature of {folder}/SHA256SUMS is not that of the release key, so nothing was changed")
        })?;
        let suffix = format!("-{TARGET}.tar.gz");
        let mut rows = sums.lines().filter_map(|line| line.split_once("  "));
        let listed = rows.find_map(|(checksum, archive)| {
            let found = archive.strip_prefix("hookman-")?.strip_suffix(&suffix)?;
            // Names have the version in them, so an old release cannot pass for another one.
            version.is_none_or(|wanted| wanted == found).then_some((checksum, archive, found))
        });
        let Some((checksum, archive, version)) = listed else {
            bail!("{folder}/SHA256SUMS lists no archive for {TARGET}");
        };
        Ok(Found {
            version: version.to_owned(),
            archive: archive.to_owned(),
            checksum: checksum.to_owned(),
            releases: self.clone(),
        })
    }

    fn check(&self, sums: &str, signature: &str) -> Result<()> {
        let signature = SshSig::from_pem(signature)?;
        ensure!(signature.namespace() == NAMESPACE, "it was not made for a release");
        ensure!(signature.public_key().ed25519() == Some(&self.key), "another key made it");
        let signed = SshSig::signed_data(NAMESPACE, signature.hash_alg(), sums.as_bytes())?;
        let key = UnparsedPublicKey::new(&ED25519, self.key.as_ref());
        let is_genuine = key.verify(&signed, signature.signature_bytes()).is_ok();
        ensure!(is_genuine, "the list of checksums is another one than was signed");
        Ok(())
    }
}

impl Found {
    /// Puts the release's program in the place of `program`, in one step. Where the archive is not whole
    /// and genuine, or its program does not run, the file is as it was.
    pub fn install(&self, program: &Path) -> Result<()> {
        let inner = format!("{}/hookman", self.archive.trim_end_matches(".tar.gz"));
        let packed = Packed { archive: &self.download()?, inner: &inner };
        packed.replace(program, &|new| runs(new, &self.version))
    }

    /// The archive's bytes, which the signed list vouches for.
    fn download(&self) -> Result<Vec<u8>> {
        let Self { version, archive, checksum, releases } = self;
        let address = format!("{}/download/v{version}/{archive}", releases.address);
        let bytes = bytes(&address, ARCHIVE_BYTES)?;
        if !has_hash(&bytes, checksum) {
            bail!(
                "{address} has not the checksum that SHA256SUMS lists for it, so nothing was changed"
            );
        }
        Ok(bytes)
    }
}

fn bytes(address: &str, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    Download::from_url(address)
        .timeout(PATIENCE)
        .max_download_size(most)
        .download_to(&mut bytes)
        .with_context(|| format!("{address} cannot be downloaded"))?;
    Ok(bytes)
}

fn text(address: &str) -> Result<String> {
    let bytes = bytes(address, LIST_BYTES)?;
    String::from_utf8(bytes).with_context(|| format!("{address} is not text"))
}

fn runs(program: &Path, version: &str) -> Result<()> {
    let output = Command::new(program).arg("--version").output();
    let said = output.map(|output| output.stdout).unwrap_or_default();
    if said.trim_ascii() != format!("hookman {version}").as_bytes() {
        bail!("the program in the archive does not run here, so nothing was changed");
    }
    Ok(())
}

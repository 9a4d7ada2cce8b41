//! Putting a program that came in an archive in the place of another one.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result};
use self_update::{ArchiveKind, Compression, Extract, Move};

/// A program in the bytes of a `.tar.gz`.
#[derive(Debug)]
pub struct Packed<'a> {
    pub archive: &'a [u8],
    pub inner: &'a str,
}

impl Packed<'_> {
    /// Puts the program in the place of `program`, in one step, once `check` accepts the unpacked file.
    /// Where anything fails, the file is as it was.
    pub fn replace(&self, program: &Path, check: &dyn Fn(&Path) -> Result<()>) -> Result<()> {
        let failed = || format!("{} cannot be replaced", program.display());
        // In the program's own folder, the new file can be renamed into place.
        let folder = tempfile::Builder::new()
            .prefix(".hookman-")
            .tempdir_in(program.parent().unwrap_or(program))
            .with_context(failed)?;
        let archive = folder.path().join("archive");
        fs::write(&archive, self.archive).with_context(failed)?;
        Extract::from_source(&archive)
            .archive(ArchiveKind::Tar(Some(Compression::Gz)))
            .extract_file(folder.path(), self.inner)
            .context("the archive cannot be unpacked")?;
        let new = folder.path().join(self.inner);
        fs::set_permissions(&new, Permissions::from_mode(0o755)).with_context(failed)?;
        check(&new)?;
        File::open(&new).and_then(|file| file.sync_all()).with_context(failed)?;
        Move::from_source(&new).to_dest(program).with_context(failed)
    }
}

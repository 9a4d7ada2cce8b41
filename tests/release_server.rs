//! Releases for tests: made and signed as `scripts/release` does, and served on the loopback.

#![cfg(test)]

use std::{
    fmt::Write as _,
    fs,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// The platform's name in releases.
pub(crate) fn target() -> String {
    let system = if cfg!(target_os = "macos") { "apple-darwin" } else { "unknown-linux-musl" };
    format!("{}-{system}", std::env::consts::ARCH)
}

/// Makes a key pair and gives the path of the private half; the public one has `.pub` behind it.
pub(crate) fn key(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    let file = path.to_str().unwrap();
    succeeds(
        Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file]),
    );
    path
}

fn succeeds(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A folder that is laid out as the releases of the public forge are.
pub(crate) struct Releases {
    root: TempDir,
}

impl Releases {
    pub(crate) fn new() -> Self {
        Self { root: tempfile::tempdir().unwrap() }
    }

    /// The folder of a release's files.
    pub(crate) fn folder(&self, version: &str) -> PathBuf {
        self.root.path().join(format!("download/v{version}"))
    }

    /// The name of a release's archive for this machine.
    pub(crate) fn archive(version: &str) -> String {
        format!("hookman-{version}-{}.tar.gz", target())
    }

    /// Publishes a program as a release, the newest from now on.
    pub(crate) fn publish(&self, version: &str, program: &[u8], key: &Path) {
        let folder = self.folder(version);
        let name = Self::archive(version);
        let inner = name.trim_end_matches(".tar.gz").to_owned();
        let staged = tempfile::tempdir().unwrap();
        fs::create_dir_all(staged.path().join(&inner)).unwrap();
        fs::create_dir_all(&folder).unwrap();
        let file = staged.path().join(&inner).join("hookman");
        fs::write(&file, program).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        succeeds(
            Command::new("tar")
                .arg("-C")
                .arg(staged.path())
                .arg("-czf")
                .arg(folder.join(&name))
                .arg(inner),
        );
        self.seal(version, key);
        let latest = self.root.path().join("latest");
        let _ = fs::remove_file(latest.join("download"));
        fs::create_dir_all(&latest).unwrap();
        std::os::unix::fs::symlink(folder, latest.join("download")).unwrap();
    }

    /// Lists the archive's checksum and signs the list.
    pub(crate) fn seal(&self, version: &str, key: &Path) {
        let folder = self.folder(version);
        let name = Self::archive(version);
        let bytes = fs::read(folder.join(&name)).unwrap();
        let sum = Sha256::digest(bytes).iter().fold(String::new(), |mut sum, byte| {
            write!(sum, "{byte:02x}").unwrap();
            sum
        });
        let sums = folder.join("SHA256SUMS");
        fs::write(&sums, format!("{sum}  {name}\n")).unwrap();
        let _ = fs::remove_file(folder.join("SHA256SUMS.sig"));
        succeeds(
            Command::new("ssh-keygen")
                .args(["-q", "-Y", "sign", "-n", "hookman-release", "-f"])
                .arg(key)
                .arg(&sums),
        );
    }

    /// Serves the folder until the process ends; gives the address.
    ///
    /// A file whose name ends in `.cut` beside the one that is asked for makes the answer break off
    /// half-way.
    pub(crate) fn serve(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let root = self.root.path().to_owned();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = answer(&stream, &root);
            }
        });
        format!("http://{address}")
    }
}

fn answer(mut stream: &TcpStream, root: &Path) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let request = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let path = request.split(' ').nth(1).unwrap_or_default().trim_start_matches('/');
    let file = root.join(path);
    let Ok(body) = fs::read(&file) else {
        return stream.write_all(
            b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        );
    };
    let is_cut =
        file.with_file_name(format!("{}.cut", file.file_name().unwrap().display())).exists();
    let sent = if is_cut { body.len() / 2 } else { body.len() };
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(&body[..sent])
}

//! The client that is installed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::client::Version;
use crate::machine::child::{self, Program, Spec};
use crate::machine::{Paths, Scratch, environment, files};
use crate::syntax::named::words;

const ANSWER_TIME: Duration = Duration::from_secs(5);

pub struct Installed {
    pub program: PathBuf,
    pub version: Option<Version>,
}

/// Finds the client, and its version by its file or package, or else by asking it once.
pub fn installed(paths: &Paths) -> Option<Installed> {
    let program = find(paths)?;
    let real = program.canonicalize().unwrap_or_else(|_| program.clone());
    let named = || Version::parse(real.file_name()?.to_str()?);
    let version = named().or_else(|| packaged(&real)).or_else(|| asked(paths, &real));
    Some(Installed { program, version })
}

fn packaged(program: &Path) -> Option<Version> {
    let folders = program.ancestors().skip(1).take(3);
    folders.map(|folder| folder.join("package.json")).find_map(|path| {
        let package: serde_json::Value =
            serde_json::from_str(&files::read_text(&path).ok()??).ok()?;
        let is_client = package["name"].as_str()?.starts_with("@anthropic-ai/claude-code");
        is_client.then(|| Version::parse(package["version"].as_str()?)).flatten()
    })
}

/// Asks the client about itself; the answer is kept until its file is another.
fn asked(paths: &Paths, program: &Path) -> Option<Version> {
    let stamp = files::stamp(program).ok()??;
    let key = format!("{} {} {}", program.display(), stamp.size, stamp.modified);
    let kept = paths.state.join("client-version");
    if let Ok(Some(text)) = files::read_text(&kept)
        && let Some((version, of)) = text.split_once(' ')
        && of == key
    {
        return Version::parse(version);
    }
    let version = Version::parse(&said(program, ANSWER_TIME)?)?;
    // Where it cannot be kept, it is asked for again.
    let _ = files::replace_private(&kept, &format!("{version} {key}"));
    Some(version)
}

/// The variables of a client that runs in a home of its own, in which there are `home` and `tmp`.
pub(super) fn variables(scratch: &Scratch) -> Vec<(&'static str, OsString)> {
    const OFF: [&str; 4] = words(
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC DISABLE_AUTOUPDATER DISABLE_ERROR_REPORTING \
         DISABLE_TELEMETRY",
    );
    let path = environment::raw("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    let [home, tmp] = ["home", "tmp"].map(|folder| scratch.path(folder).into_os_string());
    let own = [("HOME", home), ("TMPDIR", tmp), ("PATH", path), ("LANG", "C.UTF-8".into())];
    own.into_iter().chain(OFF.map(|name| (name, "1".into()))).collect()
}

/// The answer of a program to `--version`.
pub(super) fn said(program: &Path, time: Duration) -> Option<String> {
    let words = [program.to_str()?.to_owned(), "--version".to_owned()];
    let spec = Spec::new(Program::Argv(&words), time);
    let finished = child::run(&[spec], None).pop()?.ok()?;
    Some(String::from_utf8_lossy(&finished.stdout).into_owned())
}

/// The directories of installers where `PATH` does not lead to them.
const USUAL: &[&str] = &["/usr/local/bin/claude", "/opt/homebrew/bin/claude"];

/// The program of the client: where `PATH` leads to, else in one of the usual places.
pub fn find(paths: &Paths) -> Option<PathBuf> {
    let on_path = environment::raw("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&on_path).map(|folder| folder.join("claude"));
    let home = paths.home.iter();
    let in_home =
        home.flat_map(|home| [".local/bin/claude", ".claude/local/claude"].map(|it| home.join(it)));
    let usual = USUAL.iter().map(PathBuf::from);
    on_path
        .chain(in_home)
        .chain(usual)
        .find(|path| path.is_absolute() && files::is_executable(path))
}

//! The runs that are watched: a home, a manifest and the payloads of a session.

use std::error::Error;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use crate::image::Image;
use crate::map::Map;
use crate::trace::{self, Touched};

const MANIFEST: &str = include_str!("hookman.toml");

struct Run {
    event: &'static str,
    payload: &'static str,
}

/// The most frequent first, because what they touch comes first in the program.
const RUNS: &[Run] = &[
    Run { event: "PreToolUse", payload: include_str!("bash.json") },
    Run { event: "PreToolUse", payload: include_str!("edit.json") },
    Run { event: "PostToolUse", payload: include_str!("edited.json") },
    Run { event: "UserPromptSubmit", payload: include_str!("prompt.json") },
    Run { event: "Stop", payload: include_str!("stop.json") },
    Run { event: "SessionStart", payload: include_str!("start.json") },
];

/// What each run writes to standard output, in a new home.
///
/// # Errors
///
/// When the program cannot be run, or a run fails.
pub(crate) fn answers(program: &Path, home: &Path) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    prepare(home)?;
    let answer = |run| {
        let output = command(program, home, run)?.stdout(Stdio::piped()).output()?;
        if !output.status.success() {
            return Err(format!("a run for {} fails", run.event).into());
        }
        Ok(output.stdout)
    };
    RUNS.iter().map(answer).collect()
}

/// What all runs together touch, in a home that has seen each of them: the first of them makes the
/// plan of the manifest, which the later ones read.
///
/// # Errors
///
/// When the program cannot be run or watched.
pub(crate) fn watch(program: &Path, home: &Path, map: &Map) -> Result<Touched, Box<dyn Error>> {
    let image = Image::read(program)?;
    let mut touched = Touched::default();
    for run in RUNS {
        trace::watch(command(program, home, run)?, map, &image, &mut touched)?;
    }
    Ok(touched)
}

fn prepare(home: &Path) -> io::Result<()> {
    let _ = fs::remove_dir_all(home);
    let config = home.join(".claude");
    fs::create_dir_all(&config)?;
    let manifest = config.join("hookman.toml");
    fs::write(&manifest, MANIFEST)?;
    // The plan of a manifest that was written a moment ago is not trusted.
    File::open(manifest)?.set_modified(SystemTime::now() - Duration::from_secs(60))?;
    for (number, run) in RUNS.iter().enumerate() {
        fs::write(home.join(number.to_string()), run.payload)?;
    }
    Ok(())
}

fn command(program: &Path, home: &Path, run: &Run) -> io::Result<Command> {
    let number = RUNS.iter().position(|other| std::ptr::eq(other, run)).unwrap_or_default();
    let mut command = Command::new(program);
    command
        .args(["run", run.event])
        .env_clear()
        .envs([("HOME", home.as_os_str()), ("PATH", "/usr/bin:/bin".as_ref())])
        .env("HOOKMAN_STATE_DIR", home.join("state"))
        .current_dir(home)
        .stdin(File::open(home.join(number.to_string()))?)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Ok(command)
}

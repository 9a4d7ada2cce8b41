//! The runs that are watched: homes with a manifest each, and the payloads of a session.

use std::error::Error;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use crate::image::Image;
use crate::map::Map;
use crate::trace::{self, Touched};

/// The manifests of the homes that runs have.
const MANIFESTS: [(&str, &str); 2] =
    [("plain", include_str!("hookman.toml")), ("workflow", include_str!("workflow.toml"))];

/// The session of the payloads.
const SESSION: &str = "77850d98-4378-4282-9d8f-d2b7113deb20";

struct Run {
    home: &'static str,
    event: &'static str,
    payload: &'static str,
}

/// The most frequent first, because what they touch comes first in the program.
const RUNS: &[Run] = &[
    Run { home: "plain", event: "PreToolUse", payload: include_str!("bash.json") },
    Run { home: "plain", event: "PreToolUse", payload: include_str!("edit.json") },
    Run { home: "plain", event: "PostToolUse", payload: include_str!("edited.json") },
    Run { home: "plain", event: "UserPromptSubmit", payload: include_str!("prompt.json") },
    Run { home: "plain", event: "Stop", payload: include_str!("stop.json") },
    Run { home: "plain", event: "SessionStart", payload: include_str!("start.json") },
    Run { home: "workflow", event: "PreToolUse", payload: include_str!("bash.json") },
    Run { home: "workflow", event: "PreToolUse", payload: include_str!("edit.json") },
];

/// What each run writes to standard output, in new homes.
///
/// # Errors
///
/// When the program cannot be run, or a run fails.
pub(crate) fn answers(program: &Path, folder: &Path) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    prepare(folder)?;
    let answer = |run| {
        let output = command(program, folder, run)?.stdout(Stdio::piped()).output()?;
        if !output.status.success() {
            return Err(format!("a run for {} fails", run.event).into());
        }
        Ok(output.stdout)
    };
    RUNS.iter().map(answer).collect()
}

/// What all runs together touch, in homes that have seen each of them: the first of them makes the
/// plan of the manifest, which the later ones read.
///
/// # Errors
///
/// When the program cannot be run or watched.
pub(crate) fn watch(program: &Path, folder: &Path, map: &Map) -> Result<Touched, Box<dyn Error>> {
    let image = Image::read(program)?;
    let mut touched = Touched::default();
    for run in RUNS {
        trace::watch(command(program, folder, run)?, map, &image, &mut touched)?;
    }
    Ok(touched)
}

fn prepare(folder: &Path) -> io::Result<()> {
    let _ = fs::remove_dir_all(folder);
    for (home, text) in MANIFESTS {
        let config = folder.join(home).join(".claude");
        fs::create_dir_all(&config)?;
        let manifest = config.join("hookman.toml");
        fs::write(&manifest, text)?;
        // The plan of a manifest that was written a moment ago is not trusted.
        File::open(manifest)?.set_modified(SystemTime::now() - Duration::from_secs(60))?;
    }
    let texts = folder.join("workflow/state/sessions").join(SESSION).join("texts");
    fs::create_dir_all(&texts)?;
    fs::write(texts.join("lifecycle"), "active")?;
    for (number, run) in RUNS.iter().enumerate() {
        fs::write(folder.join(number.to_string()), run.payload)?;
    }
    Ok(())
}

fn command(program: &Path, folder: &Path, run: &Run) -> io::Result<Command> {
    let home = folder.join(run.home);
    let number = RUNS.iter().position(|other| std::ptr::eq(other, run)).unwrap_or_default();
    let mut command = Command::new(program);
    command
        .args(["run", run.event])
        .env_clear()
        .envs([("HOME", home.as_os_str()), ("PATH", "/usr/bin:/bin".as_ref())])
        .env("HOOKMAN_STATE_DIR", home.join("state"))
        .current_dir(&home)
        .stdin(File::open(folder.join(number.to_string()))?)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Ok(command)
}

//! Programs that call hooks and are not Claude Code, known by having done so.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use super::{Paths, clients, environment, files, folders};

/// The programs that a program may put between itself and its hooks or its tools.
const BETWEEN: &[&str] =
    &["ash", "bash", "busybox", "dash", "fish", "hookman", "ksh", "mksh", "sh", "tcsh", "zsh"];

/// The variables that agents set for their shell tools. They are left where the shell of a line that
/// ends in `&` has ended, and no agent is above its command any more.
pub const MARKS: [&str; 6] = [
    "CLAUDECODE",
    "CLAUDE_CODE_SESSION_ID",
    "CODEX_SESSION_ID",
    "COPILOT_AGENT_SESSION_ID",
    "GEMINI_CLI",
    "QWEN_CODE_SESSION_ID",
];

/// Notes the program that calls this process as a hook: the nearest one above that is no shell.
pub fn note(paths: &Paths) -> Option<u32> {
    if io::stdout().is_terminal() || io::stderr().is_terminal() {
        return None;
    }
    let above = clients::ancestors().processes;
    let process = above.into_iter().find(|process| !is_between(*process))?;
    let started = clients::started(process)?;
    if is_one(&paths.state, process) {
        return Some(process);
    }
    let folder = folder(&paths.state);
    for file in folders::entries(&folder).unwrap_or_default() {
        let number = file.file_name().and_then(|name| name.to_str()?.parse().ok());
        if number.is_none_or(|number| !is_one(&paths.state, number)) {
            let _ = files::remove(&file);
        }
    }
    // What cannot be written is noted by the next call.
    let _ = files::replace_private(&folder.join(process.to_string()), &started);
    Some(process)
}

/// Returns whether a process that runs was noted in a state directory as such a program.
pub fn is_one(state: &Path, process: u32) -> bool {
    let mut noted = String::new();
    let file = folder(state).join(process.to_string());
    // The number of a process that ended goes to another one.
    files::read_own(&file, &mut noted).is_ok()
        && !noted.is_empty()
        && clients::started(process).as_deref() == Some(&*noted)
}

pub fn are_any(paths: &Paths) -> bool {
    folders::entries(&folder(&paths.state)).is_ok_and(|files| !files.is_empty())
}

/// Returns whether a person called this, and not an agent's tool, as far as that can be seen: no client or
/// noted program is above, no variable of one is set, and nothing hides or traces the processes.
pub fn is_person() -> bool {
    let above = clients::ancestors();
    above.are_all
        && clients::are_legible(&above.processes)
        && !is_below_agent(&above.processes)
        && !clients::is_walled_off()
        && !clients::is_traced()
}

/// Returns whether an agent's tool is seen to have called this.
pub fn is_agent() -> bool {
    is_below_agent(&clients::ancestors().processes)
}

fn is_below_agent(above: &[u32]) -> bool {
    let paths = Paths::from_environment().ok();
    let is_agent = |process: u32| {
        clients::is_any_client(process)
            || paths.as_ref().is_some_and(|paths| is_one(&paths.state, process))
            // A line in its shell may name another state directory than its hooks have.
            || !is_between(process)
                && clients::state(process).is_some_and(|state| is_one(&state, process))
    };
    MARKS.iter().any(|mark| environment::raw(mark).is_some()) || above.iter().copied().any(is_agent)
}

fn folder(state: &Path) -> PathBuf {
    state.join("agents")
}

fn is_between(process: u32) -> bool {
    let program = std::fs::read_link(format!("/proc/{process}/exe"));
    let name = |program: &Path| program.file_name()?.to_str().map(str::to_owned);
    let name = program.ok().and_then(|program| name(&program)).unwrap_or_default();
    BETWEEN.contains(&name.trim_end_matches(" (deleted)"))
}

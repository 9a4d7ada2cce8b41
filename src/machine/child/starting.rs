//! Starting children, several at once.

use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::panic::resume_unwind;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{io, thread};

use rustix::process::Pid;

use super::outputs::{Input, Output};
use super::running::Running;
use super::spec::{Program, Spec};

/// The number of threads that start children in addition to the process's own.
const STARTERS: usize = 5;

/// The number of children that are started at once.
pub(super) const AT_ONCE: usize = STARTERS + 1;

/// The stack of each thread, in bytes; the child that is started has one of its own.
const STACK: usize = 128 * 1024;

// A start lasts until the system has loaded the program, so several are made at once.
pub(super) fn start_all<'a>(specs: &[Spec<'a>]) -> Vec<io::Result<Running<'a>>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut started = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(spec) = specs.get(place) else { break started };
            started.push((place, start(spec)));
        }
    };
    let more = specs.len().saturating_sub(1).min(STARTERS);
    let mut all = thread::scope(|scope| {
        let starter = || thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        // Where there is no room for a thread, the others do its work.
        let others: Vec<_> = (0..more).filter_map(|_| starter().ok()).collect();
        let mut all = work();
        for other in others {
            all.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        all
    });
    all.sort_unstable_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, started)| started).collect()
}

pub(super) fn command(spec: &Spec<'_>) -> io::Result<Command> {
    let mut command = match spec.program {
        Program::Shell(line) => {
            let mut command = Command::new("/bin/sh");
            command.arg("-c").arg(line);
            command
        }
        Program::Argv([program, arguments @ ..]) => {
            let mut command = Command::new(program);
            command.args(arguments);
            command
        }
        Program::Argv([]) => return Err(io::Error::other("the list of arguments is empty")),
    };
    if let Some(directory) = spec.directory {
        command.current_dir(directory);
    }
    command.envs(spec.variables.iter().copied());
    Ok(command)
}

pub(super) fn start<'a>(spec: &Spec<'a>) -> io::Result<Running<'a>> {
    let mut command = command(spec)?;
    command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let started = Instant::now();
    let mut child = command.spawn()?;
    let group = Pid::from_child(&child);
    let input = Input::of(child.stdin.take(), spec.stdin);
    let stdout = child.stdout.take().map(OwnedFd::from);
    let stderr = child.stderr.take().map(OwnedFd::from);
    Ok(Running {
        exit: exit_notice(group),
        child,
        group,
        input,
        outputs: [stdout, stderr].map(Output::of),
        started,
        took: Duration::ZERO,
        deadline: Instant::now() + spec.timeout,
        told: None,
        timed_out: false,
        interrupted: None,
        goes_on_alone: spec.goes_on_alone,
        goes_on: false,
        is_whole: spec.is_whole,
        status: None,
        over: false,
    })
}

#[cfg(target_os = "linux")]
fn exit_notice(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn exit_notice(_pid: Pid) -> Option<OwnedFd> {
    None
}

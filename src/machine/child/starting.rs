//! Starting children, several at once.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::input::Input;
use super::outputs::Output;
use super::running::Running;
use super::{Program, Spec};

// A start lasts until the system has loaded the program, so several are made at once.
pub(super) fn start_all<'a>(specs: &[Spec<'a>]) -> Vec<io::Result<Running<'a>>> {
    let Some((first, others)) = specs.split_first() else { return Vec::new() };
    if others.is_empty() {
        return vec![start(first)];
    }
    thread::scope(|scope| {
        let others: Vec<_> = others
            .iter()
            .map(|spec| thread::Builder::new().spawn_scoped(scope, || start(spec)))
            .collect();
        let mut started = vec![start(first)];
        started.extend(others.into_iter().zip(&specs[1..]).map(|(other, spec)| match other {
            Ok(other) => {
                other.join().unwrap_or_else(|_| Err(io::Error::other("its start was cut short")))
            }
            // Where there is no room for a thread, there may be for the child.
            Err(_) => start(spec),
        }));
        started
    })
}

pub(super) fn start<'a>(spec: &Spec<'a>) -> io::Result<Running<'a>> {
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

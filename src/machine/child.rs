//! Running other people's commands.
//!
//! A child has its own process group and its own pipes, so neither it nor what it leaves behind can
//! hold hookman's: the client waits for the end of file on both of those.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::signals::Endings;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, getpgid, kill_process, kill_process_group};

/// How much of each of a child's outputs is kept, in bytes. The client keeps all of it (3 MB were
/// tried on 2.1.329 and 2.1.197), and an answer that is cut is none.
pub const KEPT: usize = 16 * 1024 * 1024;

/// How long a child that was told to terminate may take before it is killed, and then to be gone.
pub const GRACE: Duration = Duration::from_millis(1500);

/// How long the output of a child that has exited is waited for while another process holds it.
pub const LINGER: Duration = Duration::from_secs(1);

/// What to run.
#[derive(Clone, Copy, Debug)]
pub enum Program<'a> {
    /// A line for `sh -c`.
    Shell(&'a str),
    /// A program and its arguments.
    Argv(&'a [String]),
}

/// One child to be run.
#[derive(Clone, Copy, Debug)]
pub struct Spec<'a> {
    /// The program.
    pub program: Program<'a>,
    /// Its standard input.
    pub stdin: &'a [u8],
    /// Its working directory; hookman's own if absent.
    pub directory: Option<&'a Path>,
    /// The variables that it has otherwise than hookman.
    pub variables: &'a [(&'a str, &'a OsStr)],
    /// How long it may take.
    pub timeout: Duration,
    /// Whether what it has written so far says that nobody should wait for it; it is left to
    /// itself then.
    pub goes_on_alone: fn(&[u8]) -> bool,
    /// Whether what it has written is all that it could say, so that nothing need come after it.
    pub is_whole: fn(&[u8]) -> bool,
}

impl<'a> Spec<'a> {
    /// A child without input that is waited for.
    pub fn new(program: Program<'a>, timeout: Duration) -> Self {
        let (goes_on_alone, is_whole) = (|_: &[u8]| false, |_: &[u8]| false);
        let (stdin, variables) = (b"", &[]);
        Self { program, stdin, directory: None, variables, timeout, goes_on_alone, is_whole }
    }
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With this code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// By us, after its time was up.
    TimedOut,
    /// Not yet: it goes on alone.
    GoesOn,
}

/// What a child did.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub ended: Ended,
    /// Its standard output, up to [`KEPT`] bytes.
    pub stdout: Vec<u8>,
    /// Its standard error, up to [`KEPT`] bytes.
    pub stderr: Vec<u8>,
    /// Bytes of its standard output and its standard error that were read and not kept.
    pub dropped: [u64; 2],
    /// Whether its standard output and its standard error were waited for in vain after its exit,
    /// because another process held them.
    pub held: [bool; 2],
    /// How long it ran, with the wait for its output.
    pub took: Duration,
}

struct Running<'a> {
    child: Child,
    group: Pid,
    exit: Option<OwnedFd>,
    input: Option<(ChildStdin, &'a [u8])>,
    outputs: [Output; 2],
    started: Instant,
    took: Duration,
    deadline: Instant,
    /// The last signal that it was sent to end it.
    told: Option<Signal>,
    timed_out: bool,
    /// The signal that hookman was to end by.
    interrupted: Option<i32>,
    goes_on_alone: fn(&[u8]) -> bool,
    goes_on: bool,
    is_whole: fn(&[u8]) -> bool,
    /// Set once it has exited.
    status: Option<ExitStatus>,
    /// Whether it is waited for no longer.
    over: bool,
}

struct Output {
    pipe: Option<OwnedFd>,
    kept: Vec<u8>,
    dropped: u64,
}

/// Runs children side by side until each has exited or was killed; the results are in their order.
///
/// A child whose time is up gets SIGTERM for its whole group, and SIGKILL after [`GRACE`]; one that
/// is still there after another is left alone, as it may belong to another user or wait in the
/// system.
///
/// The client reads both outputs to their end, which a process that the child left behind may write
/// or only hold. Here such a process is waited for during [`LINGER`] at most, within the child's
/// time, and only while something could come that counts: more of an output that is not whole yet,
/// or the words to a code other than 0. What it writes later is thrown away.
///
/// A signal that `endings` tells of ends the children in the same way, and none is started after it.
///
/// # Errors
///
/// Per child, why it could not be started.
pub fn run(specs: &[Spec<'_>], endings: Option<&Endings>) -> Vec<io::Result<Finished>> {
    let come = || endings.and_then(Endings::come);
    if let Some(signal) = come() {
        let refusal = || io::Error::other(format!("hookman was ended by signal {signal}"));
        return specs.iter().map(|_| Err(refusal())).collect();
    }
    let mut started = start_all(specs);
    loop {
        let now = Instant::now();
        let signal = come();
        // A notice that was heard would end every later wait at once.
        let notice = endings.filter(|_| signal.is_none());
        let mut wake: Option<Instant> = None;
        for running in started.iter_mut().flatten() {
            if !running.over {
                if let Some(signal) = signal {
                    running.interrupt(signal, now);
                }
                running.enforce(now);
            }
            if !running.over {
                wake = Some(wake.map_or(running.deadline, |wake| wake.min(running.deadline)));
            }
        }
        let Some(wake) = wake else { break };
        wait(&started, notice, wake.saturating_duration_since(now));
        for running in started.iter_mut().flatten() {
            running.step();
        }
    }
    started.into_iter().map(|running| running.map(Running::finish)).collect()
}

// A start lasts until the system has loaded the program, so several are made at once.
fn start_all<'a>(specs: &[Spec<'a>]) -> Vec<io::Result<Running<'a>>> {
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

fn start<'a>(spec: &Spec<'a>) -> io::Result<Running<'a>> {
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
    let input = child.stdin.take().map(|pipe| (pipe, spec.stdin));
    if let Some((pipe, _)) = &input {
        set_blocking(pipe.as_fd(), false);
    }
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

fn set_blocking(pipe: BorrowedFd<'_>, blocking: bool) {
    // The pipe is ours and new, so this cannot fail in a way that matters: a blocking pipe is
    // still served by poll, only less smoothly.
    if let Ok(mut flags) = fcntl_getfl(pipe) {
        flags.set(OFlags::NONBLOCK, !blocking);
        let _ = fcntl_setfl(pipe, flags);
    }
}

#[cfg(target_os = "linux")]
fn exit_notice(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn exit_notice(_pid: Pid) -> Option<OwnedFd> {
    None
}

fn wait(started: &[io::Result<Running<'_>>], notice: Option<&Endings>, mut left: Duration) {
    let mut polled: Vec<PollFd<'_>> =
        notice.iter().map(|notice| PollFd::new(*notice, PollFlags::IN)).collect();
    for running in started.iter().flatten().filter(|running| !running.over) {
        match &running.exit {
            // It would tell of the exit again and again.
            _ if running.status.is_some() => {}
            Some(exit) => polled.push(PollFd::new(exit, PollFlags::IN)),
            // Without a descriptor that tells of the exit, the exit has to be asked for.
            None => left = left.min(Duration::from_millis(5)),
        }
        if let Some((pipe, _)) = &running.input {
            polled.push(PollFd::new(pipe, PollFlags::OUT));
        }
        for output in &running.outputs {
            if let Some(pipe) = &output.pipe {
                polled.push(PollFd::new(pipe, PollFlags::IN));
            }
        }
    }
    // One extra millisecond, because a timeout that is rounded down would spin before a deadline.
    let left = left + Duration::from_millis(1);
    let timeout =
        Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
    let _ = poll(&mut polled, Some(&timeout));
}

impl Running<'_> {
    fn enforce(&mut self, now: Instant) {
        if now < self.deadline {
            return;
        }
        if self.status.is_some() {
            self.leave();
            return;
        }
        self.timed_out |= self.interrupted.is_none();
        self.deadline = now + GRACE;
        let signal = match self.told {
            None => Signal::TERM,
            Some(Signal::TERM) => Signal::KILL,
            Some(_) => {
                self.leave();
                return;
            }
        };
        self.told = Some(signal);
        let _ = kill_process_group(self.group, signal);
        // A child may have gone over to another group.
        if getpgid(Some(self.group)) != Ok(self.group) {
            let _ = kill_process(self.group, signal);
        }
    }

    /// Waits for it no longer.
    fn leave(&mut self) {
        self.over = true;
        self.took = self.started.elapsed();
    }

    fn interrupt(&mut self, signal: i32, now: Instant) {
        if self.status.is_some() {
            self.deadline = now;
        } else if self.interrupted.is_none() && self.told.is_none() {
            self.interrupted = Some(signal);
            self.deadline = now;
        }
    }

    fn step(&mut self) {
        if self.over {
            return;
        }
        self.feed();
        self.drain();
        if self.input.is_none() && (self.goes_on_alone)(&self.outputs[0].kept) {
            self.goes_on = self.status.is_none();
            self.leave();
            return;
        }
        if self.status.is_none()
            && let Ok(Some(status)) = self.child.try_wait()
        {
            self.status = Some(status);
            self.deadline = self.deadline.min(Instant::now() + LINGER);
            self.drain();
        }
        if self.status.is_some() && (self.told.is_some() || self.awaited() == [false; 2]) {
            self.leave();
        }
    }

    fn drain(&mut self) {
        for output in &mut self.outputs {
            output.drain();
        }
    }

    /// Which outputs of a child that has exited are held by another that could add what counts.
    fn awaited(&self) -> [bool; 2] {
        let [stdout, stderr] = &self.outputs;
        let counts = !self.status.unwrap_or_default().success();
        [stdout.pipe.is_some() && !(self.is_whole)(&stdout.kept), stderr.pipe.is_some() && counts]
    }

    fn feed(&mut self) {
        let Some((pipe, rest)) = &mut self.input else { return };
        let done = loop {
            if rest.is_empty() {
                break true;
            }
            match rustix::io::write(&*pipe, rest) {
                Ok(written) => *rest = &rest[written..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break false,
                // A child that closes its input without reading it is within its rights.
                Err(_) => break true,
            }
        };
        if done {
            self.input = None;
        }
    }

    fn finish(self) -> Finished {
        if self.told.is_some() {
            // The child may have gone on SIGTERM while others of its group stayed.
            let _ = kill_process_group(self.group, Signal::KILL);
        }
        let held = if self.status.is_some() { self.awaited() } else { [false; 2] };
        let status = self.status.unwrap_or_default();
        let ended = match (self.interrupted, status.code(), status.signal()) {
            _ if self.timed_out => Ended::TimedOut,
            // Whatever it made of it, it was not done.
            (Some(signal), ..) => Ended::Signalled(signal),
            _ if self.goes_on => Ended::GoesOn,
            (None, Some(code), _) => Ended::Exited(code),
            (None, None, signal) => Ended::Signalled(signal.unwrap_or_default()),
        };
        let [mut stdout, mut stderr] = self.outputs;
        if self.told.is_none() {
            stdout.leave();
            stderr.leave();
        }
        Finished {
            ended,
            dropped: [stdout.dropped, stderr.dropped],
            held,
            took: self.took,
            stdout: stdout.kept,
            stderr: stderr.kept,
        }
    }
}

impl Output {
    fn of(pipe: Option<OwnedFd>) -> Self {
        if let Some(pipe) = &pipe {
            set_blocking(pipe.as_fd(), false);
        }
        Self { pipe, kept: Vec::new(), dropped: 0 }
    }

    /// Lets another process read what those who still hold the pipe write: a write to a pipe
    /// without a reader would end them.
    fn leave(&mut self) {
        let Some(pipe) = self.pipe.take() else { return };
        // Who reads it waits for what comes.
        set_blocking(pipe.as_fd(), true);
        let mut reader = Command::new("/bin/cat");
        reader.stdin(pipe).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        // Where there is no `cat`, they find out for themselves.
        let _ = reader.spawn();
    }

    fn drain(&mut self) {
        let Some(pipe) = &self.pipe else { return };
        let mut piece = [0_u8; 16 * 1024];
        // The number of reads is bounded, so that a child that never stops writing cannot keep us
        // from looking at the clock.
        for _ in 0..64 {
            match rustix::io::read(pipe, piece.as_mut_slice()) {
                Ok(0) => {
                    self.pipe = None;
                    return;
                }
                Ok(length) => {
                    let room = KEPT.saturating_sub(self.kept.len()).min(length);
                    self.kept.extend_from_slice(&piece[..room]);
                    self.dropped += (length - room) as u64;
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => {
                    self.pipe = None;
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECONDS: Duration = Duration::from_secs(10);

    fn shell(line: &str, stdin: &[u8], timeout: u64) -> Finished {
        let timeout = Duration::from_millis(timeout);
        let spec = Spec { stdin, ..Spec::new(Program::Shell(line), timeout) };
        run(&[spec], None).remove(0).unwrap()
    }

    #[test]
    fn a_child_reads_its_input_and_is_heard_on_both_outputs() {
        let finished = shell("cat; echo no >&2; exit 3", b"payload", 10_000);
        assert_eq!(finished.ended, Ended::Exited(3));
        assert_eq!(finished.stdout, b"payload");
        assert_eq!(finished.stderr, b"no\n");
    }

    #[test]
    fn a_large_input_is_fed_while_the_output_is_read() {
        let input = vec![b'x'; KEPT + 3 * 1024 * 1024];
        let finished = shell("cat", &input, 10_000);
        assert_eq!(finished.stdout.len(), KEPT);
        assert_eq!(finished.dropped, [(input.len() - KEPT) as u64, 0]);
    }

    #[test]
    fn a_child_that_ignores_its_input_or_closes_it_is_fine() {
        let input = vec![b'x'; 1024 * 1024];
        assert_eq!(shell("exec <&-; echo done", &input, 10_000).stdout, b"done\n");
        assert_eq!(shell("true", &input, 10_000).ended, Ended::Exited(0));
    }

    #[test]
    fn a_process_left_behind_does_not_hold_the_caller() {
        let started = Instant::now();
        let finished = shell("sleep 30 & echo done", b"", 20_000);
        assert_eq!((&*finished.stdout, finished.held), (b"done\n".as_slice(), [true, false]));
        assert_eq!(shell("sleep 30 >&2 & exit 2", b"", 20_000).held, [false, true]);
        assert!(started.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn what_a_process_left_behind_writes_is_heard() {
        // The other process begins once the child has exited.
        let after =
            |rest: &str| format!("p=$$; (while kill -0 $p; do :; done 2>&-; {rest}) & exit 2");
        let finished = shell(&after("echo late; echo why >&2"), b"", 10_000);
        assert_eq!(
            (&*finished.stdout, &*finished.stderr),
            (b"late\n".as_slice(), b"why\n".as_slice())
        );
        assert_eq!((finished.ended, finished.held), (Ended::Exited(2), [false; 2]));
    }

    #[test]
    fn nothing_is_awaited_that_would_not_count() {
        let directory = tempfile::tempdir().unwrap();
        let hold = |outputs: &str| format!("mkfifo fifo; (read go < fifo) {outputs} & echo whole");
        let run_in = |line: &str| {
            let _ = std::fs::remove_file(directory.path().join("fifo"));
            let line = hold(line);
            let spec = Spec {
                directory: Some(directory.path()),
                is_whole: |written| written == b"whole\n",
                ..Spec::new(Program::Shell(&line), SECONDS)
            };
            let finished = run(&[spec], None).remove(0).unwrap();
            std::fs::write(directory.path().join("fifo"), "go\n").unwrap();
            finished
        };
        for outputs in ["", ">&2", "2>&1"] {
            let finished = run_in(outputs);
            assert_eq!((&*finished.stdout, finished.held), (b"whole\n".as_slice(), [false; 2]));
        }
    }

    #[test]
    fn what_is_left_behind_can_write_to_the_end() {
        let directory = tempfile::tempdir().unwrap();
        let fifo = directory.path().join("fifo");
        let line = format!(
            "mkfifo {0}; ((read go < {0}; echo late && echo >&2); echo $? > {0}) & echo done",
            fifo.display()
        );
        assert_eq!(shell(&line, b"", 10_000).stdout, b"done\n");
        std::fs::write(&fifo, "go\n").unwrap();
        assert_eq!(std::fs::read_to_string(&fifo).unwrap(), "0\n");
    }

    #[test]
    fn a_child_that_says_so_is_left_to_itself() {
        let directory = tempfile::tempdir().unwrap();
        let fifo = directory.path().join("fifo");
        let line = format!(
            "mkfifo {0}; cat; echo; (read go < {0}; echo more); echo $? > {0}",
            fifo.display()
        );
        let spec = Spec {
            stdin: b"alone",
            goes_on_alone: |written| written == b"alone\n",
            ..Spec::new(Program::Shell(&line), SECONDS)
        };
        let finished = run(&[spec], None).remove(0).unwrap();
        assert_eq!((finished.ended, &*finished.stdout), (Ended::GoesOn, b"alone\n".as_slice()));
        std::fs::write(&fifo, "go\n").unwrap();
        assert_eq!(std::fs::read_to_string(&fifo).unwrap(), "0\n");
    }

    #[test]
    fn time_that_is_up_ends_the_whole_group() {
        let finished = shell("sleep 30 | cat", b"", 50);
        assert_eq!(finished.ended, Ended::TimedOut);
        let stubborn = shell("trap '' TERM; echo here; sleep 30", b"", 300);
        assert_eq!(stubborn.ended, Ended::TimedOut);
        assert_eq!(stubborn.stdout, b"here\n");
    }

    #[test]
    fn time_that_is_up_ends_a_child_in_another_group() {
        let line = "exec perl -e 'setpgrp(0, getpgrp(getppid)); sleep 20; print \"late\"'";
        let finished = shell(line, b"", 500);
        assert_eq!((finished.ended, &*finished.stdout), (Ended::TimedOut, b"".as_slice()));
    }

    #[test]
    fn a_child_that_no_signal_ends_is_left_alone() {
        let mut gone = Command::new("true").spawn().unwrap();
        let nobody = Pid::from_child(&gone);
        gone.wait().unwrap();
        let line = Program::Shell("exec sleep 60");
        let mut running = start(&Spec::new(line, Duration::ZERO)).unwrap();
        let child = std::mem::replace(&mut running.group, nobody);
        let mut now = Instant::now();
        for waited_for in [true, true, false] {
            running.enforce(now);
            assert_eq!(!running.over, waited_for);
            now += 2 * GRACE;
        }
        kill_process(child, Signal::KILL).unwrap();
        assert_eq!(running.finish().ended, Ended::TimedOut);
    }

    #[test]
    fn a_child_that_never_stops_writing_is_ended_in_time() {
        let finished = shell("yes", b"", 100);
        assert_eq!(finished.ended, Ended::TimedOut);
        assert!((1..=KEPT).contains(&finished.stdout.len()));
    }

    #[test]
    fn signals_and_missing_programs_are_told_apart() {
        assert_eq!(shell("kill -9 $$", b"", 10_000).ended, Ended::Signalled(9));
        let argv = ["/no/such/program".to_owned()];
        let spec = Spec::new(Program::Argv(&argv), SECONDS);
        assert_eq!(run(&[spec], None).remove(0).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn children_run_side_by_side() {
        let directory = tempfile::tempdir().unwrap();
        let fifo = directory.path().join("fifo");
        let spec = |line| Spec {
            directory: Some(directory.path()),
            ..Spec::new(Program::Shell(line), SECONDS)
        };
        assert_eq!(
            shell(&format!("mkfifo {}", fifo.display()), b"", 10_000).ended,
            Ended::Exited(0)
        );
        let finished =
            run(&[spec("read line < fifo; echo \"got $line\""), spec("echo it > fifo")], None);
        assert_eq!(finished[0].as_ref().unwrap().stdout, b"got it\n");
    }
}

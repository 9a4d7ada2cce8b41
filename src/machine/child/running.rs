//! A child that runs: fed, heard, ended when its time is up.

use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getpgid, kill_process, kill_process_group};

use super::outputs::{Input, Output};
use super::spec::{Ended, Finished, GRACE, LINGER};

pub(super) struct Running<'a> {
    pub(super) child: Child,
    pub(super) group: Pid,
    pub(super) exit: Option<OwnedFd>,
    pub(super) input: Input<'a>,
    pub(super) outputs: [Output; 2],
    pub(super) started: Instant,
    pub(super) took: Duration,
    pub(super) deadline: Instant,
    pub(super) told: Option<Signal>,
    pub(super) timed_out: bool,
    /// The signal that hookman was to end by.
    pub(super) interrupted: Option<i32>,
    pub(super) goes_on_alone: fn(&[u8]) -> bool,
    pub(super) goes_on: bool,
    pub(super) is_whole: fn(&[u8]) -> bool,
    /// Set once it has exited.
    pub(super) status: Option<ExitStatus>,
    /// True if it is waited for no longer.
    pub(super) over: bool,
}

impl Running<'_> {
    pub(super) fn enforce(&mut self, now: Instant) {
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

    fn leave(&mut self) {
        self.over = true;
        self.took = self.started.elapsed();
    }

    pub(super) fn interrupt(&mut self, signal: i32, now: Instant) {
        if self.status.is_some() {
            self.deadline = now;
        } else if self.interrupted.is_none() && self.told.is_none() {
            self.interrupted = Some(signal);
            self.deadline = now;
        }
    }

    pub(super) fn step(&mut self) {
        if self.over {
            return;
        }
        self.input.feed();
        self.drain();
        if (self.goes_on_alone)(&self.outputs[0].kept) {
            self.goes_on = self.status.is_none();
            if self.goes_on {
                // It need not wait for others that are still waited for.
                self.input.leave();
                self.outputs.iter_mut().for_each(Output::leave);
            }
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

    /// Tells for each output of a child that has exited whether another process still holds it.
    fn awaited(&self) -> [bool; 2] {
        let [stdout, stderr] = &self.outputs;
        let counts = !self.status.unwrap_or_default().success();
        [stdout.pipe.is_some() && !(self.is_whole)(&stdout.kept), stderr.pipe.is_some() && counts]
    }

    pub(super) fn finish(self) -> Finished {
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
            unread: [stdout.unread, stderr.unread],
            held,
            took: self.took,
            stdout: stdout.kept,
            stderr: stderr.kept,
        }
    }
}

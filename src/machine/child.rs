//! Running other people's commands.
//!
//! A child has its own process group and its own pipes, so neither it nor what it leaves behind can
//! hold hookman's: the client waits for the end of file on both of those.

mod alone;
mod outputs;
mod running;
mod spec;
mod starting;

use std::io;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Resource, getrlimit};

use super::signals::Endings;
pub use alone::start_alone;
use running::Running;
pub use spec::{Ended, Finished, KEPT, Program, Spec};
use starting::{AT_ONCE, start_all};

/// Runs children side by side, as many as descriptors allow; the results are in their order.
///
/// A child whose time is up, or to which a signal of `endings` came, gets SIGTERM for its group, and
/// SIGKILL after [`GRACE`]; one that still stays is left alone. Outputs are read to their end as the client
/// does, but for what a process left behind holds at most [`LINGER`], and only while more could matter.
pub fn run(specs: &[Spec<'_>], endings: Option<&Endings>) -> Vec<io::Result<Finished>> {
    specs.chunks(at_once()).flat_map(|specs| run_at_once(specs, endings)).collect()
}

/// A time limit for programs that were not asked for by name. A build for tests has more patience, as its
/// machine may be full of others: what comes late there is no finding.
pub const fn patience(seconds: u64) -> Duration {
    Duration::from_secs(if cfg!(debug_assertions) { 10 * seconds } else { seconds })
}

/// Counts how many children can run side by side.
fn at_once() -> usize {
    // Three pipes and the notice of its exit.
    const EACH: u64 = 4;
    // While it is started, the other ends of the pipes and a pipe that tells whether it was found.
    const MORE: u64 = 4;
    // The process's own, and what it opens while children run.
    const OWN: u64 = 32;
    let most = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let free = most.saturating_sub(OWN + AT_ONCE as u64 * MORE);
    usize::try_from(free / EACH).unwrap_or(usize::MAX).max(1)
}

fn run_at_once(specs: &[Spec<'_>], endings: Option<&Endings>) -> Vec<io::Result<Finished>> {
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
        if let Some(pipe) = &running.input.pipe {
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

#[cfg(test)]
mod tests;

use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};

use super::spec::GRACE;
use super::starting::start;
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

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_read_is_not_taken_for_an_empty_one() {
    // A read of this file fails with EIO where nothing is mapped.
    let memory = std::fs::File::open("/proc/self/mem").unwrap();
    let mut output = super::outputs::Output::of(Some(memory.into()));
    output.drain();
    assert!(output.unread && output.pipe.is_none());
}

#[test]
fn what_a_process_left_behind_writes_is_heard() {
    // The other process begins once the child has exited.
    let after = |rest: &str| format!("p=$$; (while kill -0 $p; do :; done 2>&-; {rest}) & exit 2");
    let finished = shell(&after("echo late; echo why >&2"), b"", 10_000);
    assert_eq!((&*finished.stdout, &*finished.stderr), (b"late\n".as_slice(), b"why\n".as_slice()));
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
fn what_is_left_behind_does_not_write_for_ever() {
    let directory = tempfile::tempdir().unwrap();
    let fifo = directory.path().join("fifo");
    let line = format!("mkfifo {0}; (yes; echo $? > {0}) & echo done", fifo.display());
    assert_eq!(shell(&line, b"", 10_000).ended, Ended::Exited(0));
    let of_a_broken_pipe = "141\n";
    assert_eq!(std::fs::read_to_string(&fifo).unwrap(), of_a_broken_pipe);
}

#[test]
fn a_child_that_says_so_is_left_to_itself() {
    let directory = tempfile::tempdir().unwrap();
    let fifo = directory.path().join("fifo");
    let line =
        format!("mkfifo {0}; cat; echo; (read go < {0}; echo more); echo $? > {0}", fifo.display());
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
fn a_child_that_goes_on_alone_reads_its_input_to_the_end() {
    let directory = tempfile::tempdir().unwrap();
    let fifo = directory.path().join("fifo");
    let line = format!("mkfifo {0}; echo alone; read go < {0}; wc -c > {0}", fifo.display());
    let input = vec![b'x'; 3 * 1024 * 1024];
    let spec = Spec {
        stdin: &input,
        goes_on_alone: |written| written == b"alone\n",
        ..Spec::new(Program::Shell(&line), SECONDS)
    };
    let finished = run(&[spec], None).remove(0).unwrap();
    assert_eq!(finished.ended, Ended::GoesOn);
    drop(input);
    std::fs::write(&fifo, "go\n").unwrap();
    assert_eq!(std::fs::read_to_string(&fifo).unwrap().trim(), "3145728");
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
    assert_eq!(shell(&format!("mkfifo {}", fifo.display()), b"", 10_000).ended, Ended::Exited(0));
    let finished =
        run(&[spec("read line < fifo; echo \"got $line\""), spec("echo it > fifo")], None);
    assert_eq!(finished[0].as_ref().unwrap().stdout, b"got it\n");
}

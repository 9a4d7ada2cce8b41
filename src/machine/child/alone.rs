//! Programs that nobody waits for.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Stdio;

use super::Spec;
use super::starting::command;

/// Starts a program that nobody waits for, in a session of its own without streams; SIGALRM ends it after
/// its timeout, unless it chose otherwise.
pub fn start_alone(spec: &Spec<'_>) -> io::Result<()> {
    let mut command = command(spec)?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let seconds = u32::try_from(spec.timeout.as_secs()).unwrap_or(u32::MAX).max(1);
    #[expect(unsafe_code, reason = "there is no safe way to prepare a child of one's own")]
    // SAFETY: both calls are safe between fork and exec, and neither takes a pointer.
    unsafe {
        command.pre_exec(move || {
            libc::setsid();
            // It goes on over the exec, and a new program has no handler for it.
            libc::alarm(seconds);
            Ok(())
        });
    }
    command.spawn().map(drop)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, Instant};

    use super::super::{Program, Spec};
    use super::*;

    #[test]
    fn a_program_is_left_alone_and_ends_by_itself_or_by_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("told");
        // The shell is ended by the limit, and the line after it is never run.
        let line = format!(
            "echo $$ $(ps -o sid= -p $$) > {0}.new; mv {0}.new {0}; cat; read never < {1}; echo late >> {0}",
            file.display(),
            folder.path().join("pipe").display()
        );
        let words = ["mkfifo".to_owned(), folder.path().join("pipe").display().to_string()];
        let made = std::process::Command::new(&words[0]).arg(&words[1]).status();
        assert!(made.unwrap().success());
        let argv = ["/bin/sh".to_owned(), "-c".to_owned(), line];
        let begun = Instant::now();
        start_alone(&Spec::new(Program::Argv(&argv), Duration::from_secs(1))).unwrap();
        let wait_for = |done: &dyn Fn() -> bool| {
            while !done() {
                assert!(begun.elapsed() < Duration::from_secs(60), "it never came");
                std::thread::yield_now();
            }
        };
        wait_for(&|| file.exists());
        let text = fs::read_to_string(&file).unwrap();
        let (pid, session) = text.trim().split_once(' ').unwrap();
        assert_eq!(pid, session.trim(), "it leads a session of its own");
        // A zombie is over; it is this process's child and nobody waits for it.
        wait_for(&|| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            !cfg!(target_os = "linux") || stat.is_empty() || stat.contains(") Z ")
        });
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        let none = Spec::new(Program::Argv(&[]), Duration::from_secs(1));
        assert!(start_alone(&none).is_err());
    }
}

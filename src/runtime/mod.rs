//! `hookman run`: one process that runs a chain and answers the client.
//!
//! Nothing here may end with exit code 2 but a verdict, because the client takes a 2 for a block.

mod answering;
pub mod arguments;
mod budget;
mod builtins;
pub mod call;
pub mod children;
pub mod debug;
mod gates;
mod launch;
mod load;
pub mod overrides;
mod pins;
mod prompt_command;
mod received;
pub mod rehearse;
mod selection;
pub mod steps;
mod stop_limit;

use std::ffi::OsString;
use std::io::{self, Write};
use std::panic;
use std::time::{Duration, Instant};

use crate::client::Decision;
use crate::client::host::Encoded;
use crate::client::output::Said;
use crate::machine::{files, input, memory, signals, terminal};
use crate::state::journal::Entry;
use crate::state::plans;
use arguments::Arguments;
use call::Call;
use overrides::Overrides;
use received::Received;

/// The time that the payload may take to arrive.
pub const INPUT_DEADLINE: Duration = Duration::from_secs(5);

/// Runs a chain and gives the exit code; the payload is on standard input.
pub fn main(arguments: &[OsString]) -> u8 {
    signals::ignore_failed_writes();
    panic::set_hook(Box::new(|panic| {
        let _ = writeln!(io::stderr(), "hookman: internal error, please report it: {panic}");
        // An abort would be read as a hook that failed, and let the call through.
        std::process::exit(say(&gates::after_panic(), true).into());
    }));
    memory::when_short(|| {
        let _ = io::stderr().write_all(b"hookman: there is no memory for this call\n");
        std::process::exit(say(&gates::after_panic(), true).into());
    });
    let started = Instant::now();
    let arguments = Arguments::parse(arguments);
    let paths = match arguments.paths() {
        Ok(paths) => paths,
        Err(problem) => return silent(&problem.to_string()),
    };
    let input = input::read_value(INPUT_DEADLINE);
    let received = Received::of(&arguments, &input);
    let host = received.host;
    let Some(event) = received.event else {
        let unknown = "neither the arguments nor the payload name an event of the client; `hookman \
                       --help` lists the commands";
        return silent(arguments.wrong.as_deref().unwrap_or(unknown));
    };
    let chain = arguments.chain(&paths);
    let overrides = Overrides::of_process(&chain);
    let call =
        Call { paths: &paths, chain, event, hook: arguments.hook, overrides, host, kept: None };
    let mut entry = Entry::new(event, &call.chain);
    entry.only = call.hook.as_deref().unwrap_or_default().to_owned().into();
    received.describe(&paths, &mut entry);
    let wrong = arguments.wrong.as_deref();
    let verdict = answering::decide(&call, &received, wrong, &mut entry);
    let is_misused = !call.overrides.off && host.is_served();
    if let Some(wrong) = wrong.filter(|_| is_misused && verdict.answer.decision.is_none()) {
        silent(wrong);
    }
    let Encoded { said, left_out, decision } = verdict.encoded(host, event);
    for part in left_out {
        entry.note(format!("{} does not heed {part}, so it was left out", host.name));
    }
    let holds = verdict.answer.decision.is_some_and(|it| it != Decision::Allow);
    let code = say(&said, holds);
    gates::answered(code);
    entry.finish(decision, said.code, started.elapsed());
    if call.overrides.debug {
        debug::tell(&call, code, &mut entry);
    }
    // The answer is given; a journal that cannot be written must not change it, and doctor
    // reports one that is not.
    let _ = files::append_line(&paths.journal(), &entry.line());
    plans::after(&paths, &call.chain, event);
    code
}

fn silent(problem: &str) -> u8 {
    let _ = writeln!(io::stderr(), "hookman: {}", terminal::harmless(problem));
    0
}

fn say(said: &Said, holds: bool) -> u8 {
    let written = terminal::answer(&said.stdout);
    let _ = io::stderr().write_all(terminal::harmless(&said.stderr).as_bytes());
    if written.is_err() && holds {
        // What holds back and does not arrive by standard output still has another way, if only that
        // of a block.
        let _ = io::stderr().write_all(said.stdout.as_bytes());
        return 2;
    }
    said.code
}

/// The event of a bare call with a payload, as clients before the exec form (2.1.139) drop the arguments.
pub fn is_bare_call(arguments: &[OsString]) -> bool {
    arguments.is_empty() && !io::IsTerminal::is_terminal(&io::stdin())
}

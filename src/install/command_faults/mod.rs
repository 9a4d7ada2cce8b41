//! The causes that keep a command from doing its work, as far as they can be seen without running it.

mod calls;
mod command;
mod fault;
mod guard;
pub(crate) mod places;
mod programs;
mod quoting;
mod runners;
mod script;
mod syntax;
mod variables;

pub(crate) use command::{Around, Command};
pub use fault::Layer;
pub(crate) use fault::{Fault, Kind, Weight};
use syntax::Script;

/// Lists the faults of a command, each once, in the order of its words.
pub(crate) fn of(command: &Command<'_>, around: &Around) -> Vec<Fault> {
    // Where the shell cannot read a line, its words mean nothing.
    if let Some(fault) = quoting::refused(command) {
        return vec![fault];
    }
    let mut faults = quoting::of(command, around);
    faults.extend(variables::of(command, around));
    for call in calls::of(command, around) {
        programs::examine(command, around, &call, &mut faults);
        script::examine(command, around, &call, &mut faults);
    }
    faults.extend(guard::of_line(command));
    let mut seen: Vec<Fault> = Vec::new();
    for fault in faults {
        if !seen.contains(&fault) {
            seen.push(fault);
        }
    }
    seen
}

fn scripts(command: &Command<'_>, around: &Around) -> Vec<Script> {
    let calls = calls::of(command, around);
    calls.iter().filter_map(|call| syntax::script(command, call)).collect()
}

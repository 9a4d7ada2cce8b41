//! The causes that keep a command from doing its work, as far as they can be seen without running it.

mod calls;
mod command;
mod fault;
mod lines;
mod parsed;
pub(crate) mod places;
mod programs;

pub(crate) use command::{Around, Command};
pub use fault::Layer;
pub(crate) use fault::{Fault, Kind, Weight};

/// Lists the faults of commands, each with the number of its command and once.
pub(crate) fn of(commands: &[(Command<'_>, Around)]) -> Vec<(usize, Fault)> {
    let mut found = parsed::lines(commands.iter().map(|(command, _)| command));
    // Where the shell cannot read a line, its words mean nothing.
    let refused: Vec<usize> = found.iter().map(|(at, _)| *at).collect();
    let mut scripts = Vec::new();
    for (at, (command, around)) in commands.iter().enumerate() {
        if refused.contains(&at) {
            continue;
        }
        let mut faults = lines::of(command, around);
        for call in calls::of(command, around) {
            programs::examine(command, around, &call, &mut faults);
            scripts.extend(parsed::script(at, command, &call));
        }
        found.extend(faults.into_iter().map(|fault| (at, fault)));
    }
    let sh_is_dash = commands.iter().any(|(_, around)| around.sh_is_dash);
    found.extend(parsed::scripts(&scripts, sh_is_dash));
    found.sort_by_key(|(at, _)| *at);
    found.dedup();
    found
}

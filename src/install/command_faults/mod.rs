//! The causes that keep a command from doing its work, as far as they can be seen without running it.

mod answers;
mod calls;
mod command;
mod denials;
mod lines;
mod mistakes;
#[allow(clippy::manual_is_multiple_of, reason = "a pair of quotes is two")]
mod parsed;
pub(crate) mod places;
mod programs;
mod scripts;

pub use command::Layer;
pub(crate) use command::{Around, Command, Fault, Kind, Line, Weight};

use crate::machine::asking::Asking;

/// Lists the faults of commands, each with the number of its command and once.
pub(crate) fn of(commands: &[(Command, Around)]) -> Vec<(usize, Fault)> {
    let remembered = commands.iter().find_map(|(_, around)| around.remembered.as_deref());
    let asking = Asking::of(remembered);
    let (mut found, mut scripts) = (Vec::new(), Vec::new());
    let mistakes = mistakes::Mistakes::new();
    for (at, (command, around)) in commands.iter().enumerate() {
        let mut faults = lines::of(command, around);
        scripts.extend(scripts::of_line(at, command));
        let mut texts: Vec<String> = command.text().map(str::to_owned).into_iter().collect();
        let mut others = Vec::new();
        for call in calls::of(command, around) {
            faults.extend(programs::examine(command, around, &call));
            // What a script cannot be read for in the first place is its one cause.
            if faults.iter().all(|fault| fault.kind != Kind::Interpreter) {
                scripts.extend(scripts::script(at, command, around, &call));
            }
            faults.extend(denials::path(command, &call, &command.events));
            scripts.extend(scripts::filter(at, &call));
            let Some(text) = programs::text(&call) else { continue };
            faults.extend(denials::hidden(command, &call, &text));
            let inner = programs::inside(command, around, &call, &text);
            faults.extend(denials::elsewhere(&call, around, &text, inner.is_some()));
            if let Some(inner) = inner {
                faults.extend(programs::needs(around, &call, &text, &inner));
                faults.extend(lines::folders(&text, around));
                faults.extend(lines::unset(&text, around));
                let is_of_several = text.contains("hook_event_name");
                let events = if is_of_several { &[] } else { &*command.events };
                faults.extend(inner.iter().filter_map(|call| denials::path(command, call, events)));
                scripts.extend(inner.iter().filter_map(|call| scripts::filter(at, call)));
                let script = Command { line: Line::Shell(text.clone()), ..command.clone() };
                let hidden = |call| denials::hidden(&script, call, &programs::text(call)?);
                faults.extend(inner.iter().find_map(hidden));
                texts.push(text);
            } else {
                others.push(text);
            }
        }
        for text in &texts {
            faults.extend(answers::fault(&command.events, text, &answers::of_shell(text)));
        }
        if others.is_empty() {
            faults.extend(denials::unread(command, &texts));
        }
        texts.extend(others);
        faults.extend(texts.iter().flat_map(|text| mistakes.of(command, around, text)));
        faults.extend(denials::unawaited(command, &texts));
        found.extend(faults.into_iter().map(|fault| (at, fault)));
    }
    let sh_is_dash = commands.iter().any(|(_, around)| around.sh_is_dash);
    let read = parsed::scripts(scripts, sh_is_dash, &asking);
    asking.keep();
    // Where the shell cannot read a line, its words mean nothing.
    let refused = read.iter().filter(|(_, fault)| fault.kind == Kind::Quoting);
    let refused: Vec<&str> = refused.filter_map(|(at, _)| commands[*at].0.text()).collect();
    found.retain(|(at, _)| commands[*at].0.text().is_none_or(|line| !refused.contains(&line)));
    found.extend(read);
    found.sort_by_key(|(at, _)| *at);
    found.dedup();
    found
}

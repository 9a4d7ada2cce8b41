//! The last long line that was walked, so that the second guard of a call need not walk it again.

use std::cell::RefCell;
use std::rc::Rc;

use super::super::{Redirection, Word};
use super::state::{Invocation, SHOWN};

/// Of shorter lines a walk costs less than to keep what it shows.
pub(super) const LEAST: usize = 4 << 10;
/// So many bytes are kept.
const MOST: usize = 4 << 20;

thread_local! {
    static LAST: RefCell<Option<Rc<Recording>>> = const { RefCell::new(None) };
}

/// Walks a line and shows what it runs.
type Walked = fn(&str, &mut dyn FnMut(&Invocation<'_>)) -> bool;

#[derive(Default)]
struct Recording {
    line: String,
    calls: Vec<Call>,
    complete: bool,
    room: usize,
}

struct Call {
    program: String,
    called: Option<Word<'static>>,
    arguments: Vec<Word<'static>>,
    source: Rc<str>,
    redirections: Vec<Redirection<'static>>,
    folder: String,
    input: Option<Rc<str>>,
}

/// Shows the programs that a line runs, as its walk did if it was the last one. What a walk shows is kept
/// first, so that who is shown it may ask for the same line.
pub(super) fn each(line: &str, walked: Walked, visit: &mut dyn FnMut(&Invocation<'_>)) -> bool {
    let known = LAST.take().filter(|known| known.line == line);
    let recording = known.unwrap_or_else(|| {
        let mut recording = Recording { room: MOST, ..Recording::default() };
        recording.complete = walked(line, &mut |call| {
            let is_kept = recording.room > 0;
            if is_kept && recording.keep(call) {
                return;
            }
            if is_kept {
                recording.show(visit);
                recording.calls.clear();
            }
            visit(call);
        });
        recording.line.push_str(if recording.room == 0 { "" } else { line });
        Rc::new(recording)
    });
    LAST.set(Some(Rc::clone(&recording)));
    recording.show(visit);
    recording.complete
}

impl Recording {
    fn show(&self, visit: &mut dyn FnMut(&Invocation<'_>)) {
        for call in &self.calls {
            visit(&Invocation {
                program: &call.program,
                called: call.called.as_ref(),
                arguments: &call.arguments,
                source: &call.source,
                redirections: &call.redirections,
                folder: &call.folder,
                input: call.input.as_deref(),
            });
        }
    }

    /// Keeps a call, and tells whether there is room for it.
    fn keep(&mut self, call: &Invocation<'_>) -> bool {
        let texts = |word: &Word<'_>| word.text.len() + word.written.len() + 4 * SHOWN;
        let words = call.arguments.iter().chain(call.redirections.iter().map(|it| &it.target));
        let inputs = call.input.map_or(0, str::len);
        let size = words.map(texts).sum::<usize>() + call.source.len() + inputs + 16 * SHOWN;
        self.room = self.room.saturating_sub(size);
        if self.room == 0 {
            return false;
        }
        let last = self.calls.last();
        let kept = |text: &str, known: Option<&Rc<str>>| match known {
            Some(known) if **known == *text => Rc::clone(known),
            _ => Rc::from(text),
        };
        let source = kept(call.source, last.map(|it| &it.source));
        let input = call.input.map(|it| kept(it, last.and_then(|it| it.input.as_ref())));
        let owned = |word: &Word<'_>| word.clone().into_owned();
        let redirected =
            |it: &Redirection<'_>| Redirection { operator: it.operator, target: owned(&it.target) };
        self.calls.push(Call {
            program: call.program.to_owned(),
            called: call.called.map(owned),
            arguments: call.arguments.iter().map(owned).collect(),
            source,
            redirections: call.redirections.iter().map(redirected).collect(),
            folder: call.folder.to_owned(),
            input,
        });
        true
    }
}

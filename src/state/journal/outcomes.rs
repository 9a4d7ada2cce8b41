//! The words for what steps come to.

/// The outcomes of steps, with what they say.
pub const OUTCOMES: [(&str, &str); 29] = [
    ("silent", "it had nothing to say"),
    ("spoke", "it had something for the user"),
    ("rang", "it only wrote to the terminal, as a bell or a title does"),
    ("changed", "it changed what it may change, such as the input"),
    ("context", "it had something for the model"),
    ("allow", "it allowed the call without a question"),
    ("ask", "it has the user asked"),
    ("defer", "it left the call to whoever runs the client"),
    ("deny", "it denied or blocked"),
    ("would-spoke", "it only watches, and would have told the user something"),
    ("would-rang", "it only watches, and would have written to the terminal"),
    ("would-changed", "it only watches, and would have changed something, such as the input"),
    ("would-context", "it only watches, and would have told the model something"),
    ("would-allow", "it only watches, and would have allowed the call without a question"),
    ("would-ask", "it only watches, and would have had the user asked"),
    ("would-defer", "it only watches, and would have left the call to whoever runs the client"),
    ("would-deny", "it only watches, and would have denied or blocked"),
    ("answered", "hookman itself answered what was typed"),
    ("overruled", "it blocked the end of a turn once too often"),
    ("off", "it was switched off"),
    ("unmet", "its `when` was not met"),
    ("same", "its command was another hook's, and ran once"),
    (
        "no-payload",
        "it must hold, and the client sent no readable payload, or called in an unknown way",
    ),
    ("not-started", "it could not be started"),
    ("timed-out", "it took too long"),
    ("signal", "a signal ended it"),
    ("exit-code", "it exited with a code other than 0 and 2"),
    ("output", "its output could not be used"),
    ("builtin", "a built-in hook could not decide"),
];

/// The prefix of the outcomes of hooks that only watch.
pub const WOULD: &str = "would-";

/// Gives the outcome of a hook that only watches for that of one that decides.
pub(super) fn would(outcome: &str) -> Option<&'static str> {
    OUTCOMES.iter().map(|(word, _)| *word).find(|it| it.strip_prefix(WOULD) == Some(outcome))
}

//! A row of the table of programs.

use crate::client::event::Event;

/// A pair of names: the program's, and hookman's for the same.
pub type Names = &'static [(&'static str, &'static str)];

/// A program that calls hooks, as data.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// Its name, for `--host` and the journal.
    pub name: &'static str,
    /// The variable that names the session to its shell tool, where it has one.
    pub session: &'static str,
    pub events: &'static [(&'static str, Event)],
    pub tools: Names,
    pub fields: Names,
    pub inputs: Names,
    /// The input of a shell call that names its directory, where the payload's `cwd` is the session's.
    pub directory: &'static str,
    /// Words of fields: the field in hookman's words, the program's word, hookman's.
    pub words: &'static [(&'static str, &'static str, &'static str)],
    pub layout: Layout,
    pub heeds: Heeds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Claude Code's, with all that it knows.
    Claude,
    /// Claude Code's decisions and nothing else.
    Nested,
    /// As `Nested`, with texts for the model and answers to requests at the root.
    Root,
    /// All at the root, in Copilot's own names.
    Flat,
    /// Gemini's `decision` and `reason`.
    Gemini,
    /// A denial by exit code, as nothing else is known to count.
    Code,
}

#[derive(Clone, Copy, Debug)]
pub struct Heeds {
    pub ask: bool,
    /// `allow` spares the question.
    pub allow: bool,
    pub rewrite: bool,
    /// A text before a tool reaches the model.
    pub advice_before: bool,
    /// `continue: false` ends a turn after a tool and at its end.
    pub end: bool,
    pub refuse_result: bool,
    pub refuse_compaction: bool,
    /// The transcript that its payload names is one that hookman reads.
    pub transcript: bool,
    /// A hook can write to the terminal by itself, or by its answer.
    pub terminal: bool,
}

impl Heeds {
    /// The things that a hook may do, and what comes of each.
    pub fn words(&self) -> [(&'static str, &'static str); 8] {
        let or = |is_heeded, otherwise| if is_heeded { "yes" } else { otherwise };
        [
            ("denies a call", "yes"),
            ("asks", or(self.ask, "denies: a person has to allow this")),
            ("rewrites a call", or(self.rewrite, "denies, and names the call to run")),
            ("advises before a call", or(self.advice_before, "left out")),
            ("refuses a result", or(self.refuse_result, "advice instead")),
            ("refuses a compaction", or(self.refuse_compaction, "left out")),
            ("ends the turn elsewhere", or(self.end, "left out")),
            ("reads the transcript", or(self.transcript, "left out")),
        ]
    }
}

//! The reason why a built-in hook says nothing: a word for the journal, and what that word means.

use crate::client::answer::Answer;

/// One reason to say nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// The call passes whatever the rules say.
    Allowed,
    /// It is only there while a variable or the state has a value.
    OnlyWith,
    /// No rule is met.
    NoRule,
    /// It denied such a call in this session before.
    Strike,
    /// It told the model the same in this session before.
    Once,
    /// The call names no file that it is for.
    NoFile,
    Gone,
    /// The project has no tool for the file.
    NoTool,
    /// Nobody allowed the project's programs.
    Unasked,
    /// The project's programs are not allowed.
    Refused,
    /// A program is not installed.
    Missing,
    /// The tools found nothing wrong.
    Passed,
    /// A tool took too long.
    Late,
    /// No file was edited since the tools ran last.
    Unedited,
    /// The tools fail as they did when the model was told.
    Same,
    /// The end of the turn was refused as often as it may be.
    Most,
    /// The workflow has no session.
    NoSession,
    /// A field that the line needs has no value.
    Needs,
    /// The scope is not open.
    Closed,
    /// The workflow's state asks for silence.
    Paused,
    /// The work was too short for a notice.
    Short,
    QuietHours,
    /// The same notice was given a short time ago.
    Repeated,
    /// The project has no index.
    NoIndex,
    /// The index was asked in this turn.
    IndexUsed,
    Known,
    /// No item of the todo list is open.
    Done,
    /// It has asked already in this turn.
    Again,
    /// The context budget has no room.
    NoRoom,
    /// The model has the same text already.
    Told,
    /// A rehearsal starts no program.
    Held,
}

impl Silence {
    pub const ALL: &[Self] = &[
        Self::Allowed,
        Self::OnlyWith,
        Self::NoRule,
        Self::Strike,
        Self::Once,
        Self::NoFile,
        Self::Gone,
        Self::NoTool,
        Self::Unasked,
        Self::Refused,
        Self::Missing,
        Self::Passed,
        Self::Late,
        Self::Unedited,
        Self::Same,
        Self::Most,
        Self::NoSession,
        Self::Needs,
        Self::Closed,
        Self::Paused,
        Self::Short,
        Self::QuietHours,
        Self::Repeated,
        Self::NoIndex,
        Self::IndexUsed,
        Self::Known,
        Self::Done,
        Self::Again,
        Self::NoRoom,
        Self::Told,
        Self::Held,
    ];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::OnlyWith => "only-with",
            Self::NoRule => "no-rule",
            Self::Strike => "strike",
            Self::Once => "once",
            Self::NoFile => "no-file",
            Self::Gone => "gone",
            Self::NoTool => "no-tool",
            Self::Unasked => "unasked",
            Self::Refused => "refused",
            Self::Missing => "missing",
            Self::Passed => "passed",
            Self::Late => "late",
            Self::Unedited => "unedited",
            Self::Same => "same",
            Self::Most => "most",
            Self::NoSession => "no-session",
            Self::Needs => "needs",
            Self::Closed => "closed",
            Self::Paused => "paused",
            Self::Short => "short",
            Self::QuietHours => "quiet-hours",
            Self::Repeated => "repeated",
            Self::NoIndex => "no-index",
            Self::IndexUsed => "index-used",
            Self::Known => "known",
            Self::Done => "done",
            Self::Again => "again",
            Self::NoRoom => "no-room",
            Self::Told => "told",
            Self::Held => "held",
        }
    }

    pub const fn words(self) -> &'static str {
        match self {
            Self::Allowed => "the call is one that it always lets through",
            Self::OnlyWith => "its `only_with` is not met",
            Self::NoRule => "none of its rules is met",
            Self::Strike => {
                "its strike is used up: it denied such a command in this session before"
            }
            Self::Once => "it told the model the same in this session before",
            Self::NoFile => "the call names no file that it is for",
            Self::Gone => "the file is not there any more",
            Self::NoTool => {
                "no tool ran: none is configured for this file in the project, or the file is of no \
                 kind that it has a tool for"
            }
            Self::Unasked => {
                "the project has a tool of its own, and nobody has allowed it yet: `hookman install \
                 --project-tools yes` in the project does"
            }
            Self::Refused => {
                "the project has a tool of its own, which is not allowed: `hookman install \
                 --project-tools yes` in the project allows it, unless its option `project_tools` is false"
            }
            Self::Missing => "the tool that the project configures is not installed",
            Self::Passed => "its tools ran and found nothing",
            Self::Late => "a tool took too long and was ended",
            Self::Unedited => "no file that it is for was edited since its tools ran last",
            Self::Same => "the tools fail as they did when the model was told of it",
            Self::Most => "it refused the end of this turn as often as it may",
            Self::NoSession => "the workflow has no session here",
            Self::Needs => "a field that its line needs has no value",
            Self::Closed => "none of its skills is at work",
            Self::Paused => "the workflow's state asks it to keep quiet",
            Self::Short => "the work was shorter than `after`",
            Self::QuietHours => "it is within its quiet hours",
            Self::Repeated => "it gave the same notice less than `repeat_after` ago",
            Self::NoIndex => "the project has no index that it knows",
            Self::IndexUsed => "the index was asked in this turn",
            Self::Known => "the model knows every directive of the folder, or there is none",
            Self::Done => "no item of the todo list is open",
            Self::Again => "it asked once in this turn already",
            Self::NoRoom => {
                "the context budget had no room for it, so the model was only told in which file it is"
            }
            Self::Told => "the model was told the same text before, and only that was said",
            Self::Held => "it would run a program, which `--run-commands` allows",
        }
    }

    /// Gives the sentence for a word of the journal.
    pub fn of_word(word: &str) -> Option<&'static str> {
        Self::ALL.iter().find(|it| it.word() == word).map(|it| it.words())
    }

    /// The answer that says nothing for this reason.
    pub fn answer(self) -> Answer {
        Answer { quiet: Some(self.word()), ..Answer::default() }
    }
}

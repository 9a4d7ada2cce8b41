//! The reason why a built-in hook says nothing: a word for the journal, and what that word means.

use crate::client::Answer;

macro_rules! silences {
    ($($name:ident $word:literal: $words:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Silence { $($name),* }

        impl Silence {
            pub const ALL: &[Self] = &[$(Self::$name),*];

            pub const fn word(self) -> &'static str {
                match self { $(Self::$name => $word),* }
            }

            pub const fn words(self) -> &'static str {
                match self { $(Self::$name => $words),* }
            }
        }
    };
}

silences! {
    Allowed "allowed": "the call is one that it always lets through",
    OnlyWith "only-with": "its `only_with` is not met",
    NoRule "no-rule": "none of its rules matches",
    Opened "opened":
        "the state opens the gate: a name of it, such as `lifecycle`, has a value that its rule excepts, such \
         as `dehydrating` (`hookman state show`)",
    Strike "strike":
        "its strike is used up: it or another guard already denied such a command in this session",
    Once "once": "it told the model the same in this session before",
    NoFile "no-file": "the call names no file that it is for",
    Gone "gone": "the file is not there any more",
    NoTool "no-tool":
        "no tool ran: it knows none that the project configures for what was edited",
    Unasked "unasked":
        "its tool is a program of the project or runs the project's code, which nobody has allowed yet: \
         `hookman install --project-tools yes` in the project does",
    Refused "refused":
        "its tool is a program of the project or runs the project's code, which is not allowed: `hookman \
         install --project-tools yes` in the project allows it, unless its option `project_tools` is false",
    Missing "missing": "the tool that the project configures is not installed",
    Passed "passed": "its tools ran and succeeded",
    Late "late": "a tool took too long and was ended",
    Unedited "unedited":
        "since its tools last ran, no file that it is for was edited by a tool; what a shell command changes it \
         does not notice",
    Same "same": "the tools fail in the same way as the last time, which the model was told",
    Most "most": "it refused the end of this turn as often as it may",
    NoSession "no-session": "the workflow has no session here",
    Needs "needs": "a field that its line needs has no value",
    Closed "closed": "none of its skills is at work",
    Paused "paused": "the workflow's state asks it to keep quiet",
    Short "short": "the work was shorter than `after`",
    QuietHours "quiet-hours": "it is within its quiet hours",
    Repeated "repeated": "it gave the same notice less than `repeat_after` ago",
    NotRestarted "not-restarted":
        "it kept what it is for, and did not start `restart`, because the workflow has no session here",
    NoIndex "no-index": "the project has no index that it knows",
    IndexUsed "index-used": "the index was asked in this turn",
    Known "known": "the model knows every directive of the folder, or there is none",
    Done "done": "no item of the todo list is open",
    Again "again": "it asked once in this turn already",
    NoRoom "no-room":
        "the context budget of a call (`call`) had no room for it; the model was told in which file it is",
    NoRoomLeft "no-room-left":
        "what is left of the session's context budget (`session`) had no room for it; the model was told in \
         which file it is",
    UsedUp "used-up":
        "the session's context budget (`session`) is used up, as the model has been told",
    Told "told": "the model had read the same text before, so it read only a reference to it",
    Removed "removed": "it removed files that were old enough",
    Noted "noted": "it noted something for later, and had nothing to say about it",
    NoMessage "no-message": "its message is empty, so there was nothing to show",
    NoTerminal "no-terminal": "this agent gives its hooks no terminal to ring",
    LevelOff "level-off": "its `level` for what it found is `off`",
    Marked "marked": "the model had already done what it asks for",
    Unread "unread":
        "it decides by Claude Code's transcript, and hookman does not read that of this agent",
    Held "held": "it would run a program, which `--run-commands` allows",
}

impl Silence {
    pub fn of_word(word: &str) -> Option<&'static str> {
        Self::ALL.iter().find(|it| it.word() == word).map(|it| it.words())
    }

    pub fn answer(self) -> Answer {
        Answer { quiet: Some(self.word()), ..Answer::default() }
    }
}

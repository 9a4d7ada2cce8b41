//! The rows.

use super::column::{Block, ExitTwo, PlainText, Subject, Takes};

/// One row of the table: what the client does with an event.
#[derive(Debug)]
pub struct Facts {
    /// The key in `settings.json`; case matters.
    pub name: &'static str,
    /// First client version that knows the event.
    pub since: &'static str,
    pub subject: Subject,
    pub block: Block,
    /// True if `hookSpecificOutput.additionalContext` reaches the model.
    pub context: bool,
    pub plain_text: PlainText,
    /// The client's own time limit for a command, in milliseconds.
    pub timeout_ms: u64,
    pub exit_two: ExitTwo,
    /// True if a hook that takes too long stops what is going on.
    pub late_blocks: bool,
    pub takes: Takes,
    /// True if the client heeds a handler's `onFailure` (2.1.295 and later).
    pub heeds_on_failure: bool,
    /// The fields at the top of an answer that have an effect.
    pub top: &'static [&'static str],
    /// The fields inside `hookSpecificOutput` that have an effect.
    pub specific: &'static [&'static str],
    /// The risk of an entry for the whole event, whatever its hooks do.
    pub catch_all_risk: Option<&'static str>,
    /// A remark that no other column holds.
    pub note: Option<&'static str>,
}

macro_rules! optional {
    () => {
        None
    };
    ($text:literal) => {
        Some($text)
    };
}

macro_rules! events {
    ($($name:ident $when:literal $since:literal $subject:ident $block:ident $context:literal $text:ident
       $timeout:literal $two:ident $takes:ident $fails:literal [$($top:ident)*] [$($specific:ident)*]
       $(beware $risk:literal)? $(note $note:literal)?;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Event { $($name),* }

        pub(super) static TABLE: &[Facts] = &[$(Facts {
            name: stringify!($name),
            since: $since,
            subject: Subject::$subject,
            block: Block::$block,
            context: $context,
            plain_text: PlainText::$text,
            timeout_ms: $timeout,
            exit_two: ExitTwo::$two,
            late_blocks: matches!(Event::$name, Event::PreModelSwitch),
            takes: Takes::$takes,
            heeds_on_failure: $fails,
            top: &[$(stringify!($top)),*],
            specific: &[$(stringify!($specific)),*],
            catch_all_risk: optional!($($risk)?),
            note: optional!($($note)?),
        }),*];

        impl Event {
            /// Every event, in the order in which registrations are written.
            pub const ALL: &[Event] = &[$(Event::$name),*];

            /// Says in a few words when the event fires.
            pub fn occasion(self) -> &'static str {
                match self { $(Event::$name => $when),* }
            }
        }
    };
}

// If the two clients differ, the row is for 2.1.329, and `note` for 2.1.197.
events! {
    SessionStart "a session begins, or goes on after a resume, /clear or compaction"
        "1.0.62"  Source           Never      true  Context 600_000 TellsUser      CommandAndTool       true
        [systemMessage terminalSequence] [additionalContext initialUserMessage sessionTitle watchPaths reloadSkills]
        beware "plain text that it prints is read by the model"
        note "client 2.1.197 shows nobody what exit code 2 says";
    Setup "Claude Code sets a project up (--init, --maintenance)"
        "2.1.10"  Trigger          Never      false Ignored 600_000 Ignored        Command              true
        [terminalSequence] []
        note "what it says reaches neither the user nor the model";
    SessionEnd "a session ends"
        "1.0.85"  Reason           Never      false Ignored 1_500   TellsUser      NoModel              true
        [terminalSequence] []
        beware "the timeout of an entry lengthens what all hooks of the end may take together, up to 60 s"
        note "every exit code but 0 has the user read standard error";
    UserPromptSubmit "you sent a prompt"
        "1.0.54"  None             Decision   true  Context 30_000  BlocksForUser  All                  true
        [continue stopReason systemMessage terminalSequence decision reason] [additionalContext sessionTitle suppressOriginalPrompt]
        beware "every prompt waits for it, and plain text that it prints is read by the model";
    UserPromptExpansion "a typed command or skill becomes a prompt"
        "2.1.197" CommandName      Decision   true  Context 600_000 BlocksForUser  All                  true
        [continue stopReason systemMessage terminalSequence decision reason] [additionalContext suppressOriginalPrompt]
        beware "plain text that it prints is read by the model";
    PreToolUse "before a tool call"
        "1.0.38"  Tool             Permission true  Ignored 600_000 BlocksForModel All                  true
        [continue stopReason systemMessage terminalSequence decision reason] [permissionDecision permissionDecisionReason updatedInput additionalContext]
        beware "every tool call waits for it, and several may run at once";
    PermissionRequest "you are about to be asked to allow a call"
        "2.0.45"  Tool             Request    false Ignored 600_000 Ignored        All                  true
        [terminalSequence] [decision]
        beware "of several entries the first that decides wins"
        note "client 2.1.197 does not fire it without a terminal";
    PermissionDenied "auto mode denied a call"
        "2.1.88"  Tool             Never      false Ignored 600_000 Ignored        All                  true
        [systemMessage terminalSequence] [retry];
    PostToolUse "after a tool call that worked"
        "1.0.38"  Tool             Decision   true  Ignored 600_000 TellsModel     All                  true
        [continue stopReason systemMessage terminalSequence decision reason] [additionalContext classifierContext updatedToolOutput updatedMCPToolOutput]
        beware "every tool call waits for it, and several may run at once";
    PostToolUseFailure "after a tool call that failed"
        "2.1.17"  Tool             Decision   true  Ignored 600_000 TellsModel     All                  true
        [systemMessage terminalSequence decision reason] [additionalContext];
    PostToolBatch "after all tool calls of one answer"
        "2.1.197" None             Decision   true  Ignored 600_000 BlocksForUser  All                  true
        [continue stopReason systemMessage terminalSequence decision reason] [additionalContext];
    Notification "Claude Code notifies you, as when it waits"
        "1.0.38"  NotificationType Never      false Ignored 600_000 Ignored        NoModel              true
        [terminalSequence] [];
    MessageDisplay "a message is shown"
        "2.1.152" None             Never      false Ignored 10_000  Ignored        NoModel              true
        [terminalSequence] [displayContent]
        beware "the display of every message waits for it";
    SubagentStart "a subagent begins"
        "2.0.43"  AgentType        Never      true  Ignored 600_000 TellsUser      NoModel              true
        [systemMessage terminalSequence] [additionalContext];
    SubagentStop "a subagent ends"
        "1.0.41"  AgentType        Decision   true  Ignored 600_000 BlocksForModel All                  false
        [continue stopReason systemMessage terminalSequence decision reason] [additionalContext]
        beware "the client's own agents, whose agent_type is empty, end with it too";
    TaskCreated "a task is made"
        "2.1.84"  None             Decision   false Ignored 600_000 BlocksForModel All                  true
        [terminalSequence decision reason] [];
    TaskCompleted "a task is marked as done"
        "2.1.33"  None             Decision   false Ignored 600_000 BlocksForModel All                  false
        [continue stopReason systemMessage terminalSequence decision reason] []
        note "continue, stopReason and systemMessage count only where a teammate's turn ends";
    Stop "a turn ends"
        "1.0.38"  None             Decision   true  Ignored 600_000 BlocksForModel All                  false
        [continue stopReason systemMessage terminalSequence decision reason] [additionalContext];
    StopFailure "an error ended a turn"
        "2.1.78"  Error            Never      false Ignored 600_000 Ignored        NoModel              true
        [terminalSequence] [];
    TeammateIdle "a teammate is about to go idle"
        "2.1.33"  None             Decision   false Ignored 600_000 BlocksForModel All                  false
        [continue stopReason systemMessage terminalSequence decision reason] [];
    InstructionsLoaded "a CLAUDE.md or a rule was loaded"
        "2.1.69"  LoadReason       Never      false Ignored 600_000 Ignored        NoModel              true
        [terminalSequence] [];
    ConfigChange "a settings file changed"
        "2.1.49"  Source           Decision   false Ignored 600_000 BlocksSilently NoModel              true
        [terminalSequence decision reason] []
        beware "exit code 2 leaves the session with its old settings, and nobody is told"
        note "client 2.1.197 does not fire it without a terminal";
    CwdChanged "the session changed its directory"
        "2.1.83"  None             Never      false Ignored 600_000 TellsUser      NoModel              true
        [systemMessage terminalSequence] [watchPaths];
    DirectoryAdded "a directory was added to the session"
        "2.1.219" Source           Never      false Ignored 600_000 Ignored        NoModel              true
        [systemMessage terminalSequence] []
        beware "older clients do not know it, and leave it out when they write the file";
    FileChanged "a watched file changed"
        "2.1.83"  FileName         Never      false Ignored 600_000 TellsUser      NoModel              true
        [systemMessage terminalSequence] [watchPaths]
        beware "a matcher names files to watch, and `*` a file of this name";
    WorktreeCreate "a worktree is to be made"
        "2.1.50"  None             ExitCode   false Steers  600_000 Fails          NoModel              true
        [terminalSequence] [worktreePath]
        beware "an entry replaces git's own creation of worktrees, and one that names no path makes it fail";
    WorktreeRemove "a worktree is to be removed"
        "2.1.50"  None             ExitCode   false Ignored 600_000 Fails          NoModel              true
        [terminalSequence] []
        beware "an entry replaces git's own removal of worktrees";
    PreCompact "before the context is compacted"
        "1.0.48"  Trigger          Decision   false Steers  600_000 BlocksForUser  NoModel              true
        [terminalSequence decision reason] []
        beware "whatever is printed becomes instructions for the compaction"
        note "every exit code but 0 and 2 has the user read standard error";
    PostCompact "after the context was compacted"
        "2.1.76"  Trigger          Never      false User    600_000 TellsUser      NoModel              true
        [terminalSequence] []
        beware "whatever is printed is shown to the user";
    PreModelSwitch "before another model is used"
        "2.1.251" Model            Permission false Ignored 30_000  BlocksForUser  NoModel              true
        [systemMessage terminalSequence decision reason] [permissionDecision permissionDecisionReason]
        beware "a hook that takes too long blocks the switch; older clients do not know the event, and leave it out when they write the file";
    PostModelSwitch "after another model was chosen"
        "2.1.251" Model            Never      true  Context 30_000  TellsUser      NoModel              true
        [systemMessage terminalSequence] [additionalContext]
        beware "plain text that it prints is read by the model; older clients do not know the event, and leave it out when they write the file";
    Elicitation "an MCP server asks you something"
        "2.1.76"  McpServer        Action     false Ignored 600_000 BlocksSilently NoModel              true
        [terminalSequence decision reason] [action content]
        note "client 2.1.197 passes over decision";
    ElicitationResult "you answered an MCP server"
        "2.1.76"  McpServer        Action     false Ignored 600_000 BlocksSilently NoModel              true
        [terminalSequence decision reason] [action content]
        note "does not fire where a hook of Elicitation has answered; client 2.1.197 passes over decision";
}

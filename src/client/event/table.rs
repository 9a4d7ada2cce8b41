//! The rows.

use super::{Block, ExitTwo, PlainText, Subject, Takes};

/// One row of the table: what the client does with an event.
#[derive(Debug)]
pub struct Facts {
    /// The key in `settings.json`; case matters.
    pub name: &'static str,
    /// First client version that knows the event.
    pub since: &'static str,
    /// What a matcher is tested against.
    pub subject: Subject,
    /// How a hook says no.
    pub block: Block,
    /// Whether `hookSpecificOutput.additionalContext` reaches the model.
    pub context: bool,
    /// What becomes of plain text on standard output.
    pub plain_text: PlainText,
    /// The client's own time limit for a command, in milliseconds.
    pub timeout_ms: u64,
    /// What exit code 2 means.
    pub exit_two: ExitTwo,
    /// Whether a hook that takes too long stops what is going on.
    pub late_blocks: bool,
    /// The types of handlers it takes.
    pub takes: Takes,
    /// Whether the client heeds a handler's `onFailure` (2.1.295 and later).
    pub heeds_on_failure: bool,
    /// The fields at the top of an answer that have an effect.
    pub top: &'static [&'static str],
    /// The fields inside `hookSpecificOutput` that have an effect.
    pub specific: &'static [&'static str],
    /// Why an entry must not be registered unless a manifest names the event.
    pub catch_all_risk: Option<&'static str>,
}

macro_rules! events {
    ($($name:ident $since:literal $subject:ident $block:ident $context:literal $text:ident
       $timeout:literal $two:ident $takes:ident $fails:literal [$($top:ident)*] [$($specific:ident)*]
       $risk:expr;)*) => {
        /// An event of the client.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "the names are the client's own and the table says the rest")]
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
            catch_all_risk: $risk,
        }),*];

        impl Event {
            /// Every event, in the order in which registrations are written.
            pub const ALL: &[Event] = &[$(Event::$name),*];
        }
    };
}

events! {
    SessionStart        "1.0.62"  Source           Never      true  Context 600_000 TellsUser      CommandAndTool       true
        [continue stopReason systemMessage terminalSequence] [additionalContext initialUserMessage sessionTitle watchPaths reloadSkills] None;
    Setup               "2.1.10"  Trigger          Never      true  Ignored 600_000 Ignored        Command              true
        [systemMessage terminalSequence] [additionalContext] None;
    SessionEnd          "1.0.85"  Reason           Never      false Ignored 1_500   TellsUser      NoModel              true
        [terminalSequence] [] None;
    UserPromptSubmit    "1.0.54"  None             Decision   true  Context 30_000  BlocksForUser  All                  true
        [continue stopReason systemMessage terminalSequence decision reason] [additionalContext sessionTitle suppressOriginalPrompt] None;
    UserPromptExpansion "2.1.197" CommandName      Decision   true  Context 600_000 BlocksForUser  All                  true
        [continue stopReason systemMessage terminalSequence decision reason] [additionalContext suppressOriginalPrompt] None;
    PreToolUse          "1.0.38"  Tool             Permission true  Ignored 600_000 BlocksForModel All                  true
        [continue stopReason systemMessage terminalSequence decision reason] [permissionDecision permissionDecisionReason updatedInput additionalContext] None;
    PermissionRequest   "2.0.45"  Tool             Request    false Ignored 600_000 Ignored        All                  true
        [continue stopReason systemMessage terminalSequence] [decision] None;
    PermissionDenied    "2.1.88"  Tool             Never      false Ignored 600_000 Ignored        All                  true
        [systemMessage terminalSequence] [retry] None;
    PostToolUse         "1.0.38"  Tool             Decision   true  Ignored 600_000 TellsModel     All                  true
        [continue stopReason systemMessage terminalSequence decision reason] [additionalContext classifierContext updatedToolOutput updatedMCPToolOutput] None;
    PostToolUseFailure  "2.1.17"  Tool             Decision   true  Ignored 600_000 TellsModel     All                  true
        [continue stopReason systemMessage terminalSequence decision reason] [additionalContext] None;
    PostToolBatch       "2.1.197" None             Decision   true  Ignored 600_000 BlocksForUser  All                  true
        [continue stopReason systemMessage terminalSequence decision reason] [additionalContext] None;
    Notification        "1.0.38"  NotificationType Never      false Ignored 600_000 Ignored        NoModel              true
        [terminalSequence] [] None;
    MessageDisplay      "2.1.152" None             Never      false Ignored 10_000  Ignored        NoModel              true
        [terminalSequence] [displayContent]
        Some("the display of every message waits for it");
    SubagentStart       "2.0.43"  AgentType        Never      true  Ignored 600_000 TellsUser      NoModel              true
        [systemMessage terminalSequence] [additionalContext] None;
    SubagentStop        "1.0.41"  AgentType        Decision   true  Ignored 600_000 BlocksForModel All                  false
        [continue stopReason systemMessage terminalSequence decision reason] [additionalContext] None;
    TaskCreated         "2.1.84"  None             Decision   false Ignored 600_000 BlocksForModel All                  true
        [systemMessage terminalSequence decision reason] [] None;
    TaskCompleted       "2.1.33"  None             ExitCode   false Ignored 600_000 BlocksForModel All                  false
        [continue stopReason systemMessage terminalSequence] [] None;
    Stop                "1.0.38"  None             Decision   true  Ignored 600_000 BlocksForModel All                  false
        [continue stopReason systemMessage terminalSequence decision reason] [additionalContext] None;
    StopFailure         "2.1.78"  Error            Never      false Ignored 600_000 Ignored        NoModel              true
        [terminalSequence] [] None;
    TeammateIdle        "2.1.33"  None             ExitCode   false Ignored 600_000 BlocksForModel All                  false
        [continue stopReason systemMessage terminalSequence] [] None;
    InstructionsLoaded  "2.1.69"  LoadReason       Never      false Ignored 600_000 Ignored        NoModel              true
        [terminalSequence] [] None;
    ConfigChange        "2.1.49"  Source           Decision   false Ignored 600_000 BlocksSilently NoModel              true
        [terminalSequence decision reason] [] None;
    CwdChanged          "2.1.83"  None             Never      false Ignored 600_000 TellsUser      NoModel              true
        [systemMessage terminalSequence] [watchPaths] None;
    DirectoryAdded      "2.1.219" Source           Never      false Ignored 600_000 Ignored        NoModel              true
        [systemMessage terminalSequence] [] None;
    FileChanged         "2.1.83"  FileName         Never      false Ignored 600_000 TellsUser      NoModel              true
        [systemMessage terminalSequence] [watchPaths] None;
    WorktreeCreate      "2.1.50"  None             ExitCode   false Steers  600_000 Fails          NoModel              true
        [terminalSequence] [worktreePath]
        Some("an entry replaces git's own creation of worktrees, and one that names no path makes it fail");
    WorktreeRemove      "2.1.50"  None             ExitCode   false Ignored 600_000 Fails          NoModel              true
        [terminalSequence] []
        Some("an entry replaces git's own removal of worktrees");
    PreCompact          "1.0.48"  Trigger          Decision   false Steers  600_000 BlocksForUser  NoModel              true
        [terminalSequence decision reason] []
        Some("whatever is printed becomes instructions for the compaction");
    PostCompact         "2.1.76"  Trigger          Never      false User    600_000 TellsUser      NoModel              true
        [terminalSequence] [] None;
    PreModelSwitch      "2.1.251" Model            Permission false Ignored 30_000  BlocksForUser  NoModel              true
        [systemMessage terminalSequence decision reason] [permissionDecision permissionDecisionReason] None;
    PostModelSwitch     "2.1.251" Model            Never      true  Context 30_000  TellsUser      NoModel              true
        [systemMessage terminalSequence] [additionalContext] None;
    Elicitation         "2.1.76"  McpServer        Action     false Ignored 600_000 BlocksForUser  NoModel              true
        [terminalSequence] [action content] None;
    ElicitationResult   "2.1.76"  McpServer        Action     false Ignored 600_000 BlocksForUser  NoModel              true
        [terminalSequence] [action content] None;
}

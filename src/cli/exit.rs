//! The exit codes of the commands.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExitStatus {
    /// Done, or nothing found.
    Done,
    /// Something was found: drift, or findings.
    Found,
    /// A wrong call or an error; the command line parser uses the same code.
    Error,
    /// An error of what hooks call, where the client takes 2 for a block.
    Undecided,
}

impl From<ExitStatus> for u8 {
    fn from(status: ExitStatus) -> Self {
        match status {
            ExitStatus::Done => 0,
            ExitStatus::Found => 1,
            ExitStatus::Error => 2,
            ExitStatus::Undecided => 3,
        }
    }
}

//! The exit codes of the commands.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExitStatus {
    /// Done, or nothing found.
    Done = 0,
    /// Something was found: drift, or findings.
    Found = 1,
    /// A wrong call or an error; the command line parser uses the same code.
    Error = 2,
    /// An error of what hooks call, where the client takes 2 for a block.
    Undecided = 3,
}

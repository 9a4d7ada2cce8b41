//! A chain without consequences, for commands that ask what hooks would do.
//!
//! State is a copy that is thrown away: no line goes into the journal, no strike is used up, no switch
//! is spent. Nothing is started unless that is asked for.

pub mod call;
pub mod cases;
pub mod replay;
pub mod stage;
pub mod tally;
pub mod transcript;

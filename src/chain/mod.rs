//! From payload, manifest and switches to steps, and from outcomes to a verdict.

pub(crate) mod budget;
pub mod condition;
pub mod entries;
pub(crate) mod failing;
pub(crate) mod fields;
pub mod merge;
pub mod outcome;
pub mod plan;
pub(crate) mod relative;

pub use budget::Budget;
pub use merge::Verdict;
pub use outcome::Outcome;
pub use plan::{Plan, Step};

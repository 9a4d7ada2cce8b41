//! From payload, manifest and switches to steps, and from outcomes to a verdict.

pub mod budget;
pub mod condition;
pub mod entries;
pub mod failing;
pub mod fields;
pub mod merge;
pub mod outcome;
pub mod plan;
mod relative;
pub mod room;

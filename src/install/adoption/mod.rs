//! Taking over handlers of others, and giving them back.

pub(crate) mod barred;
pub(crate) mod offers;
pub(crate) mod parts;
pub(crate) mod releasable;
pub(crate) mod state;
pub(crate) mod step;
pub(crate) mod warnings;

//! The real client as the oracle.

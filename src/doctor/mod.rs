//! Checks that turn facts into findings.

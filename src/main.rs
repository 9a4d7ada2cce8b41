//! The `hookman` binary.

fn main() {}

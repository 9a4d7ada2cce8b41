//! The manifest `hookman.toml`: types and reading.

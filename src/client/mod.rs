//! What Claude Code is, as tables and types.

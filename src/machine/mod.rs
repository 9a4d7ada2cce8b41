//! The only room that touches the machine.

//! Writing the client's settings: whatever goes wrong, the file is the old one or the new one.
//!
//! `strace` stops the program at each of its system calls, by SIGKILL or with an error, so no step
//! of a write needs to know that it is tested. `ROUNDS=1000` kills at that many random times, as
//! `.ci/run` does, and the ignored tests go through every system call of every command that writes.

#![cfg(test)]

mod attributes;
mod faults;
mod home;
mod kills;
mod packages;
#[cfg(target_os = "linux")]
mod pieces;
mod races;
mod sessions;

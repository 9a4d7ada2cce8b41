//! A process that is run one instruction or one call at a time.

#![expect(unsafe_code, reason = "the standard library has no way to watch a process")]

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The registers of a processor (`user_regs_struct` of `sys/user.h` on x86-64).
pub(crate) type Registers = [u64; 27];
/// The first ones, which hold what is computed.
pub(crate) const GENERAL: std::ops::Range<usize> = 0..15;
/// The one with the address of the next instruction.
pub(crate) const NEXT: usize = 16;
/// The one with the address of the stack's top.
const STACK: usize = 19;
/// The instruction that stops a process.
const BREAK: u8 = 0xcc;

// The numbers of `sys/ptrace.h` and `sys/wait.h` on Linux.
const TRACE_ME: i64 = 0;
const CONTINUE: i64 = 7;
const SINGLE_STEP: i64 = 9;
const GET_REGISTERS: i64 = 12;
const SET_REGISTERS: i64 = 13;
const SET_OPTIONS: i64 = 0x4200;
const KILL_WITH_PARENT: usize = 0x0010_0000;
const STOP_AT_EXIT: usize = 0x40;
const EXITED: u8 = 0;
const STOPPED: u8 = 0x7f;
const EXITS: u8 = 6;
const SIGTRAP: u8 = 5;

unsafe extern "C" {
    fn ptrace(request: i64, pid: i32, address: usize, data: usize) -> i64;
    safe fn waitpid(pid: i32, status: &mut i32, options: i32) -> i32;
}

/// What a step ended with.
pub(crate) enum Stop {
    Running,
    /// The last moment at which the memory is there.
    Ending,
    /// The exit code, or none where a signal ended it.
    Ended(Option<u8>),
}

/// A process that waits between two steps.
pub(crate) struct Process {
    pub(crate) memory: File,
    pid: i32,
    signal: u8,
}

impl Process {
    /// Starts it and stops at its first instruction.
    ///
    /// # Errors
    ///
    /// When it cannot be started, or the system does not allow that it is watched.
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        stay_here();
        // SAFETY: between fork and exec only one system call is made.
        unsafe {
            command.pre_exec(|| done(ptrace(TRACE_ME, 0, 0, 0)));
        }
        let child = command.spawn()?;
        let pid = i32::try_from(child.id()).map_err(io::Error::other)?;
        // Before it has begun it has the memory of another program.
        wait(pid)?;
        let memory = File::options().read(true).write(true).open(format!("/proc/{pid}/mem"))?;
        let process = Self { memory, pid, signal: 0 };
        // SAFETY: this request points to no memory.
        done(unsafe { ptrace(SET_OPTIONS, pid, 0, KILL_WITH_PARENT | STOP_AT_EXIT) })?;
        Ok(process)
    }

    /// Executes one instruction.
    ///
    /// # Errors
    ///
    /// When the process is gone.
    pub(crate) fn step(&mut self) -> io::Result<Stop> {
        self.go(SINGLE_STEP)
    }

    /// The address that a function goes back to, at whose beginning these registers are.
    ///
    /// # Errors
    ///
    /// When the stack cannot be read.
    pub(crate) fn way_back(&self, registers: &Registers) -> io::Result<u64> {
        let mut back = [0; 8];
        self.memory.read_exact_at(&mut back, registers[STACK])?;
        Ok(u64::from_le_bytes(back))
    }

    /// Runs until the instruction at an address is next.
    ///
    /// # Errors
    ///
    /// When the process is gone, or has nothing at the address.
    pub(crate) fn run_to(&mut self, back: u64) -> io::Result<Stop> {
        let mut instruction = [0];
        self.memory.read_exact_at(&mut instruction, back)?;
        self.memory.write_all_at(&[BREAK], back)?;
        let stop = self.go(CONTINUE)?;
        if let Stop::Running = stop {
            self.memory.write_all_at(&instruction, back)?;
            let mut registers = self.registers()?;
            if registers[NEXT] == back + 1 {
                registers[NEXT] = back;
                let registers = (&raw const registers).expose_provenance();
                // SAFETY: the request reads as many registers as there are.
                done(unsafe { ptrace(SET_REGISTERS, self.pid, 0, registers) })?;
            }
        }
        Ok(stop)
    }

    fn go(&mut self, request: i64) -> io::Result<Stop> {
        // SAFETY: these requests point to no memory; the signal is one that was on its way.
        done(unsafe { ptrace(request, self.pid, 0, self.signal.into()) })?;
        let [kind, code, event, _] = wait(self.pid)?.to_le_bytes();
        self.signal = 0;
        Ok(match (kind, code, event) {
            (EXITED, code, _) => Stop::Ended(Some(code)),
            (STOPPED, SIGTRAP, EXITS) => Stop::Ending,
            (STOPPED, SIGTRAP, _) => Stop::Running,
            (STOPPED, signal, _) => {
                self.signal = signal;
                Stop::Running
            }
            _ => Stop::Ended(None),
        })
    }

    /// # Errors
    ///
    /// When the process is gone.
    pub(crate) fn registers(&self) -> io::Result<Registers> {
        let mut registers = [0; 27];
        // SAFETY: the request writes as many registers as this has room for.
        done(unsafe {
            ptrace(GET_REGISTERS, self.pid, 0, (&raw mut registers).expose_provenance())
        })?;
        Ok(registers)
    }
}

fn wait(pid: i32) -> io::Result<i32> {
    let mut status = 0;
    done(waitpid(pid, &mut status, 0).into())?;
    Ok(status)
}

/// Keeps this process and those it starts on one processor: steps that change it take three times
/// as long.
#[cfg(target_os = "linux")]
fn stay_here() {
    unsafe extern "C" {
        safe fn sched_getcpu() -> i32;
        safe fn sched_setaffinity(pid: i32, size: usize, mask: &[u64; 16]) -> i32;
    }
    let mut mask = [0; 16];
    if let Ok(cpu) = usize::try_from(sched_getcpu())
        && let Some(word) = mask.get_mut(cpu / 64)
    {
        *word = 1 << (cpu % 64);
        // Where it is refused it takes longer and is as right.
        let _ = sched_setaffinity(0, size_of_val(&mask), &mask);
    }
}

#[cfg(not(target_os = "linux"))]
fn stay_here() {}

fn done(result: i64) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

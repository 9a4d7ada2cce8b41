//! Watching a program run, one instruction after the other.

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::os::unix::fs::FileExt;
use std::process::Command;

use crate::image::Image;
use crate::map::{Map, Section};
use crate::process::{GENERAL, NEXT, Process, Registers, Stop};

/// The sections that were touched, as indices into the map, in the order of the first touch.
#[derive(Default)]
pub(crate) struct Touched {
    pub(crate) sections: Vec<usize>,
    /// Those of them that are at the end not as the file has them.
    pub(crate) written: HashSet<usize>,
    seen: HashSet<usize>,
    executed: HashSet<u64>,
}

impl Touched {
    /// Adds the constant or variable at an address, if `counts` says so.
    fn data(&mut self, map: &Map, address: u64, counts: impl Fn(&Section) -> bool) {
        let is_data = |section: &Section| DATA.contains(&&*section.output) && counts(section);
        if let Some(at) = map.find(address).filter(|at| is_data(&map.sections[*at])) {
            self.add(at);
        }
    }

    fn add(&mut self, section: usize) {
        if self.seen.insert(section) {
            self.sections.push(section);
        }
    }
}

/// What may be read without being written.
const DATA: &[&str] = &[".rodata", ".data", ".bss"];
/// An instruction is at most this long.
const LONGEST: usize = 15;
/// Before a distance stands a byte with these bits (`ModRM` of the processor's manual).
const DISTANCE_MASK: u8 = 0b1100_0111;
const DISTANCE: u8 = 0b0000_0101;
/// A run of more instructions is given up: several times what the longest of them takes.
const MOST: usize = 5_000_000;
/// A function is watched at its first calls in a run and then runs to its end by itself: the later
/// calls touch what the first ones did, and to watch all of them takes several times as long.
const WATCHED: usize = 64;

/// Runs the command to its end and adds what it touches: sections of code that it executes,
/// constants that a register or an executed instruction points to, and data that is not at the end
/// as the file has it.
///
/// # Errors
///
/// When the command cannot be started or watched, or is killed.
pub(crate) fn watch(
    mut command: Command,
    map: &Map,
    image: &Image,
    touched: &mut Touched,
) -> Result<(), Box<dyn Error>> {
    let mut process = Process::start(&mut command)?;
    let mut calls: HashMap<u64, usize> = HashMap::new();
    let mut stop = process.step()?;
    for _ in 0..MOST {
        let mut back = None;
        match stop {
            Stop::Running => {
                let registers = process.registers()?;
                look(&registers, map, image, touched);
                if is_known(registers[NEXT], map, &mut calls) {
                    let is_code = |back: &u64| map.find(*back).is_some_and(|at| map.is_code(at));
                    back = process.way_back(&registers).ok().filter(is_code);
                }
            }
            Stop::Ending => written(&process, map, image, touched),
            Stop::Ended(Some(0)) => return Ok(()),
            Stop::Ended(_) => return Err("a run that is watched fails".into()),
        }
        stop = match back {
            Some(back) => process.run_to(back)?,
            None => process.step()?,
        };
    }
    Err("a run does not end".into())
}

/// Whether an address is the beginning of a function that was called often enough; counts the call.
fn is_known(next: u64, map: &Map, calls: &mut HashMap<u64, usize>) -> bool {
    let at = map.find(next).filter(|at| map.sections[*at].start == next && map.is_code(*at));
    let Some(count) = at.map(|_| calls.entry(next).or_default()) else { return false };
    *count += 1;
    *count > WATCHED
}

fn look(registers: &Registers, map: &Map, image: &Image, touched: &mut Touched) {
    for register in &registers[GENERAL] {
        // A loop that counts up to the end of a table holds the address after it.
        for address in [*register, register.wrapping_sub(1)] {
            touched.data(map, address, |_| true);
        }
    }
    let next = registers[NEXT];
    if !touched.executed.insert(next) {
        return;
    }
    if let Some(at) = map.find(next) {
        touched.add(at);
    }
    for address in addresses(next, image) {
        // What only looks like an address seldom is that of a beginning or an end.
        touched.data(map, address, |section| section.start == address);
        let last = address.wrapping_sub(1);
        touched.data(map, last, |section| section.start + section.size == address);
    }
}

/// What may be addresses in an instruction. It is not taken apart: each four bytes of it may be
/// one, or a distance from its end, which up to four bytes may follow.
fn addresses(next: u64, image: &Image) -> Vec<u64> {
    let bytes = image.at(next);
    let bytes = &bytes[..bytes.len().min(LONGEST)];
    let mut found = Vec::new();
    for (at, number) in bytes.windows(4).enumerate().skip(1) {
        let number = i64::from(i32::from_le_bytes([number[0], number[1], number[2], number[3]]));
        found.push(number.cast_unsigned());
        if bytes[at - 1] & DISTANCE_MASK == DISTANCE {
            let ends = [4, 5, 6, 8].map(|more| next + at as u64 + more);
            found.extend(ends.map(|end| end.wrapping_add_signed(number)));
        }
    }
    found
}

fn written(process: &Process, map: &Map, image: &Image, touched: &mut Touched) {
    for (at, section) in map.sections.iter().enumerate() {
        if map.is_code(at) {
            continue;
        }
        let mut now = vec![0; usize::try_from(section.size).unwrap_or_default()];
        // What is not in memory, such as the space of other threads' variables, was not written.
        if process.memory.read_exact_at(&mut now, section.start).is_err() {
            continue;
        }
        let file = image.at(section.start);
        let (from_file, zeros) = now.split_at(now.len().min(file.len()));
        if !file.starts_with(from_file) || zeros.iter().any(|byte| *byte != 0) {
            touched.add(at);
            touched.written.insert(at);
        }
    }
}

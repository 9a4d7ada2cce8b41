//! The program as a file: what stands at an address before it runs.

use std::error::Error;
use std::fs;
use std::path::Path;

/// A 64-bit little-endian program at fixed addresses.
pub(crate) struct Image {
    bytes: Vec<u8>,
    segments: Vec<Segment>,
}

struct Segment {
    offset: usize,
    start: u64,
    size: u64,
}

impl Image {
    /// # Errors
    ///
    /// When the file cannot be read or is no such program.
    pub(crate) fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        let bytes = fs::read(path)?;
        let number = |at: usize, length: usize| -> Option<u64> {
            let mut wide = [0; 8];
            wide[..length].copy_from_slice(bytes.get(at..at + length)?);
            Some(u64::from_le_bytes(wide))
        };
        // The layout of these tables is that of the ELF specification, chapters 4 and 5.
        let fixed = bytes.starts_with(b"\x7fELF\x02\x01") && number(16, 2) == Some(2);
        let table = number(32, 8).and_then(|at| usize::try_from(at).ok());
        let (Some(table), Some(count), true) = (table, number(56, 2), fixed) else {
            return Err("the program is not one of fixed addresses".into());
        };
        let load = |index: u64| {
            let at = table + 56 * usize::try_from(index).ok()?;
            let offset = usize::try_from(number(at + 8, 8)?).ok()?;
            let segment = Segment { offset, start: number(at + 16, 8)?, size: number(at + 32, 8)? };
            (number(at, 4)? == 1).then_some(segment)
        };
        let segments = (0..count).filter_map(load).collect();
        Ok(Self { bytes, segments })
    }

    /// What the file holds from an address on, to the end of the segment; nothing for memory that
    /// starts as zeros.
    pub(crate) fn at(&self, address: u64) -> &[u8] {
        let from = |segment: &Segment| {
            let within = address.checked_sub(segment.start).filter(|within| *within < segment.size);
            let within = usize::try_from(within?).ok()?;
            let end = segment.offset + usize::try_from(segment.size).ok()?;
            self.bytes.get(segment.offset + within..end)
        };
        self.segments.iter().find_map(from).unwrap_or_default()
    }
}

//! The map that LLVM's linker writes: which piece of which object came to stand where.

use std::error::Error;

/// Where the names begin in a line; before them stand two addresses, a size and an alignment.
const NAMES: usize = 49;
/// How much further in an input section stands than an output section.
const INDENT: usize = 8;

/// A section of an object, where it stands in the program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) start: u64,
    pub(crate) size: u64,
    /// The section of the program that it became part of.
    pub(crate) output: String,
    /// The object, as `path/object.o` or `path/archive.a(object.o)`; `<internal>` is what the
    /// linker made itself, such as strings that were merged.
    pub(crate) file: String,
    pub(crate) name: String,
}

/// The sections in the order of their addresses.
pub(crate) struct Map {
    pub(crate) sections: Vec<Section>,
}

impl Map {
    /// # Errors
    ///
    /// When the text is no such map.
    pub(crate) fn parse(text: &str) -> Result<Self, Box<dyn Error>> {
        let mut output = "";
        let mut sections = Vec::new();
        for line in text.lines().skip(1) {
            let (Some(numbers), Some(names)) = (line.get(..NAMES), line.get(NAMES..)) else {
                continue;
            };
            let name = names.trim_start();
            match names.len() - name.len() {
                0 => output = name,
                INDENT => sections.extend(section(numbers, name, output)),
                _ => {}
            }
        }
        if sections.is_empty() {
            return Err("the linker's map is not of the kind that LLVM's linker writes".into());
        }
        sections.sort_by_key(|section| section.start);
        Ok(Self { sections })
    }

    /// The index of the section that an address is in.
    pub(crate) fn find(&self, address: u64) -> Option<usize> {
        let after = self.sections.partition_point(|section| section.start <= address);
        let at = after.checked_sub(1)?;
        let section = &self.sections[at];
        (address - section.start < section.size).then_some(at)
    }

    /// Whether a section is one of code.
    pub(crate) fn is_code(&self, at: usize) -> bool {
        self.sections[at].output.starts_with(".text")
    }
}

/// Reads one line; what takes no room in memory is left out.
fn section(numbers: &str, name: &str, output: &str) -> Option<Section> {
    let mut numbers = numbers.split_whitespace().map(|word| u64::from_str_radix(word, 16));
    let start = numbers.next()?.ok().filter(|start| *start > 0)?;
    let size = numbers.nth(1)?.ok().filter(|size| *size > 0)?;
    let (file, name) = name.strip_suffix(')')?.rsplit_once(":(")?;
    Some(Section {
        start,
        size,
        output: output.to_owned(),
        file: file.to_owned(),
        name: name.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::{Map, Section};

    const TEXT: &str = "\
             VMA              LMA     Size Align Out     In      Symbol
          331b40           331b40   471d18    64 .text
          331b40           331b40       26    16         /lib/crt1.o:(.text)
          331b40           331b40        0     1                 _start
          331b80           331b80       40    16         /lib/libc.a(malloc.o):(.text)
               0                0      5fb     1 .debug_abbrev
               0                0      5fb     1         /a/hookman.o:(.debug_abbrev)
";

    #[test]
    fn sections_of_the_program_are_found_by_their_addresses() {
        let map = Map::parse(TEXT).unwrap();
        let section = |start, size, file: &str| Section {
            start,
            size,
            output: ".text".to_owned(),
            file: file.to_owned(),
            name: ".text".to_owned(),
        };
        let wanted = [
            section(0x33_1b40, 0x26, "/lib/crt1.o"),
            section(0x33_1b80, 0x40, "/lib/libc.a(malloc.o)"),
        ];
        assert_eq!(map.sections, wanted);
        let found = [0x33_1b3f, 0x33_1b40, 0x33_1b65, 0x33_1b66, 0x33_1b80, 0x33_1bc0];
        assert_eq!(
            found.map(|address| map.find(address)),
            [None, Some(0), Some(0), None, Some(1), None]
        );
    }

    #[test]
    fn another_linkers_map_is_refused() {
        assert!(Map::parse("Memory Configuration\n\n.text   0x00331b40   0x26 crt1.o\n").is_err());
    }
}

//! From what was touched to a script for the linker.

use std::collections::BTreeSet;

use crate::map::{Map, Section};
use crate::trace::Touched;

/// A constant or variable of more bytes has pages of its own, and stays where it is.
const LARGE: u64 = 4096;
/// The sections of strings; some compilers have the function's name in between.
const STRINGS: &str = ".rodata.str* .rodata*.str1.*";
/// A linker script that adds to the linker's own layout: it names sections of objects, those first
/// that were touched first.
///
/// Constants come right after the program's headers, which each start reads, and functions right
/// before all others. Data that is written lies at the end of what the file holds and at the start
/// of what begins as zeros, because the kernel copies the page where these meet in any case; the
/// data that is protected after start-up has such a page, too.
pub(crate) fn write(map: &Map, touched: &Touched) -> String {
    let layout = Layout { map, touched };
    [
        output(".hot.rodata", &layout.constants(), "AFTER .rela.dyn"),
        output(".hot.strings", &layout.strings(true), "BEFORE .hot.rodata"),
        // The start-up code of the compiler reads the first word.
        output(".eh_frame", &["*(.eh_frame)".to_owned()], "AFTER .hot.rodata"),
        output(".hot.text", &layout.code(), "BEFORE .text"),
        // Calls of memcpy and its like go through these jumps.
        output(".iplt", &["*(.iplt)".to_owned()], "BEFORE .hot.text"),
        output(".data.rel.ro", &layout.protected(), "AFTER .init_array"),
        output(".hot.data", &layout.data(), "BEFORE .bss"),
        output(".hot.bss", &layout.zeros(), "BEFORE .bss"),
    ]
    .concat()
}

fn output(name: &str, inputs: &[String], place: &str) -> String {
    let inputs = inputs.join("\n    ");
    format!("SECTIONS {{\n  {name} : {{\n    {inputs}\n  }}\n}} INSERT {place};\n")
}

/// What names sections of one object; of paths only the last part, which says enough.
fn pattern(file: &str, sections: &str) -> String {
    let file = file.rsplit('/').next().unwrap_or_default();
    match file.strip_suffix(')').and_then(|file| file.split_once('(')) {
        Some((archive, object)) => format!("*{archive}:{object}({sections})"),
        None => format!("*{file}({sections})"),
    }
}

fn patterns(sections: &[&Section]) -> Vec<String> {
    sections.iter().map(|section| pattern(&section.file, &section.name)).collect()
}

struct Layout<'t> {
    map: &'t Map,
    touched: &'t Touched,
}

impl<'t> Layout<'t> {
    /// What was touched of an output section, in the order of the first touch.
    fn of(&self, output: &str) -> Vec<&'t Section> {
        let touched = self.touched.sections.iter().map(|at| &self.map.sections[*at]);
        touched.filter(|section| section.output == output).collect()
    }

    fn code(&self) -> Vec<String> {
        patterns(&self.of(".text"))
    }

    fn constants(&self) -> Vec<String> {
        let mut front = self.of(".rodata");
        front.retain(|it| !it.file.starts_with('<') && it.size <= LARGE);
        let mut inputs = patterns(&front);
        inputs.push("*(.rodata.cst*)".to_owned());
        inputs.extend(self.strings(false));
        inputs
    }

    /// Equal numbers and strings of all objects of an output section are merged, so the map does not
    /// tell whose they are. Those of C's library are few, and apart from the compiler's many.
    fn strings(&self, of_archives: bool) -> Vec<String> {
        let code = self.of(".text");
        let files: BTreeSet<&str> = code
            .iter()
            .map(|it| &*it.file)
            .filter(|file| file.ends_with(')') == of_archives)
            .collect();
        files.iter().map(|file| pattern(file, STRINGS)).collect()
    }

    /// Those that nothing writes first, then the others on as few pages as they need.
    fn protected(&self) -> Vec<String> {
        let output = ".data.rel.ro";
        let written = self.of(output);
        let others = self.map.sections.iter().filter(|it| it.output == output);
        let others: Vec<&Section> = others.filter(|it| !written.contains(it)).collect();
        let mut inputs = patterns(&others);
        inputs.extend([". = ALIGN(4096);".to_owned(), "*(.data.rel.ro .data.rel.ro.*)".to_owned()]);
        inputs
    }

    fn data(&self) -> Vec<String> {
        let mut inputs = patterns(&self.variables(".data"));
        inputs.push(". = ALIGN(4096);".to_owned());
        inputs.reverse();
        inputs
    }

    fn zeros(&self) -> Vec<String> {
        patterns(&self.variables(".bss"))
    }

    /// Those that are written before those that are read, and the small before the large.
    fn variables(&self, output: &str) -> Vec<&'t Section> {
        let touched = self.touched.sections.iter();
        let mut all: Vec<(bool, &Section)> = touched
            .map(|at| (!self.touched.written.contains(at), &self.map.sections[*at]))
            .filter(|(_, section)| section.output == output && section.size <= LARGE)
            .collect();
        all.sort_by_key(|(only_read, section)| (*only_read, section.size));
        all.into_iter().map(|(_, section)| section).collect()
    }
}

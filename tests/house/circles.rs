//! Files of a room that need each other in a circle.

use std::collections::{BTreeMap, BTreeSet};

use super::File;

/// A file that names something of another one.
#[derive(Clone, Copy)]
pub(crate) struct Arrow<'a> {
    pub(crate) from: &'a File,
    to: &'a File,
    /// The line of the name in `from`.
    line: usize,
}

/// The files by the path of their modules, tests left out.
type Modules<'a> = BTreeMap<Vec<String>, &'a File>;

/// The arrows of each circle; a circle lies in one room, because rooms have an order.
pub(crate) fn of(files: &[File]) -> Vec<Vec<Arrow<'_>>> {
    let modules: Modules<'_> =
        files.iter().filter(|file| !file.is_test()).map(|file| (module(file), file)).collect();
    let arrows: Vec<Arrow<'_>> =
        modules.values().flat_map(|file| arrows_of(file, &modules)).collect();
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        modules.values().map(|file| (&*file.path, reached(&file.path, &arrows))).collect();
    let mut circles: BTreeMap<BTreeSet<&str>, Vec<Arrow<'_>>> = BTreeMap::new();
    for arrow in &arrows {
        let (from, to) = (&*arrow.from.path, &*arrow.to.path);
        if reach[to].contains(from) {
            let members = reach[from].iter().filter(|other| reach[**other].contains(from));
            circles.entry(members.copied().collect()).or_default().push(*arrow);
        }
    }
    circles.into_values().collect()
}

/// A circle in words.
pub(crate) fn told(circle: &[Arrow<'_>]) -> String {
    let arrow = |arrow: &Arrow<'_>| {
        format!("src/{}:{} needs src/{}", arrow.from.path, arrow.line, arrow.to.path)
    };
    format!("a circle:\n  {}", circle.iter().map(arrow).collect::<Vec<_>>().join("\n  "))
}

/// The path of a file's module from the crate's root; `a/mod.rs` and `a.rs` are both `a`.
fn module(file: &File) -> Vec<String> {
    let path = file.path.trim_end_matches(".rs");
    path.trim_end_matches("/mod").split('/').map(str::to_owned).collect()
}

fn arrows_of<'a>(from: &'a File, modules: &Modules<'a>) -> Vec<Arrow<'a>> {
    let here = module(from);
    let mut arrows: BTreeMap<&str, Arrow<'a>> = BTreeMap::new();
    // What a module hands on it does not need itself.
    let needed = from.source.paths.iter().filter(|named| !named.handed_on);
    for named in needed.filter(|named| !from.is_in_tests(named.line)) {
        let Some(path) = absolute(&here, &named.path, modules) else { continue };
        let Some(to) = owner(&path, modules) else { continue };
        if to.path != from.path && to.room() == from.room() {
            arrows.entry(&to.path).or_insert(Arrow { from, to, line: named.line });
        }
    }
    arrows.into_values().collect()
}

/// A path from the crate's root, if it leads into the crate.
fn absolute(here: &[String], path: &[String], modules: &Modules<'_>) -> Option<Vec<String>> {
    let (first, rest) = path.split_first()?;
    // `pub(super)` names nothing.
    if path.iter().all(|part| part == "super" || part == "self") {
        return None;
    }
    match first.as_str() {
        "crate" | "hookman" => Some(rest.to_vec()),
        "self" | "super" => {
            let ups = path.iter().take_while(|part| *part == "super").count();
            let names = path.iter().filter(|part| *part != "super" && *part != "self");
            Some(
                [&here[..here.len().checked_sub(ups)?], &names.cloned().collect::<Vec<_>>()]
                    .concat(),
            )
        }
        _ => {
            let below = [here, path].concat();
            let is_child = modules.contains_key(&below[..=here.len()]);
            (is_child && !rest.is_empty()).then_some(below)
        }
    }
}

/// The file that a path from the crate's root leads to, through what modules hand on.
fn owner<'a>(path: &[String], modules: &Modules<'a>) -> Option<&'a File> {
    let length = (1..=path.len()).rev().find(|length| modules.contains_key(&path[..*length]))?;
    let (here, file) = modules.get_key_value(&path[..length])?;
    let handed_on = path.get(length).and_then(|name| {
        let mut paths = file.source.paths.iter().filter(|named| named.handed_on);
        paths.find(|named| named.path.last() == Some(name) && named.path.len() > 1)
    });
    handed_on
        .and_then(|named| owner(&absolute(here, &named.path, modules)?, modules))
        .or(Some(file))
}

fn reached<'a>(from: &str, arrows: &[Arrow<'a>]) -> BTreeSet<&'a str> {
    let mut reached: BTreeSet<&str> = BTreeSet::new();
    let mut next = vec![from];
    while let Some(at) = next.pop() {
        for arrow in arrows.iter().filter(|arrow| arrow.from.path == at) {
            if reached.insert(&arrow.to.path) {
                next.push(&arrow.to.path);
            }
        }
    }
    reached
}

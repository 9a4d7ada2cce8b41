//! Warnings of a linter about scripts.

use super::fault::{Fault, Kind, Layer, Weight};
use super::scripts::{Language, Run, Script, on_own_path};
use crate::machine::child::Finished;

/// Codes of `ShellCheck` for what other shells than `sh` have.
const OF_OTHERS: &[&str] = &[
    "SC3001", "SC3005", "SC3006", "SC3010", "SC3011", "SC3014", "SC3015", "SC3018", "SC3020",
    "SC3024", "SC3030", "SC3039", "SC3040", "SC3044", "SC3046", "SC3047", "SC3050", "SC3053",
    "SC3054", "SC3057", "SC3059", "SC3060",
];

/// Codes for what never does what it is for: conditions and patterns that are always or never met,
/// values that are lost in a subshell, functions that come later, blanks that are missing or too many,
/// and exit codes that are none.
const OF_MISTAKES: &[&str] = &[
    "SC1017", "SC1020", "SC1035", "SC1039", "SC1044", "SC1066", "SC1068", "SC1069", "SC2031",
    "SC2049", "SC2050", "SC2055", "SC2071", "SC2076", "SC2078", "SC2081", "SC2157", "SC2160",
    "SC2161", "SC2170", "SC2193", "SC2195", "SC2218", "SC2242", "SC2252", "SC2283",
];

/// Codes for variables that nobody sets, and for exit codes that something hides.
const OF_ALL: &[&str] = &["SC2153", "SC2154", "SC2155", "SC2319", "SC2320"];

/// The runs of `ShellCheck`, where it is installed: one for what `sh` runs, whatever its first line
/// says, and one for the rest.
pub(super) fn runs<'s>(scripts: &'s [Script], sh_is_dash: bool) -> Vec<Run<'s>> {
    let is_read = |it: &&Script| it.language == Language::Shell && !it.program.ends_with("zsh");
    let is_of_sh = |it: &&Script| it.program.ends_with("sh") || it.program.ends_with("dash");
    let (of_sh, others): (Vec<&Script>, Vec<&Script>) =
        scripts.iter().filter(is_read).partition(is_of_sh);
    let Some(program) = on_own_path("shellcheck") else { return Vec::new() };
    let others_codes = if sh_is_dash { OF_OTHERS } else { &[] };
    let codes = [others_codes, OF_MISTAKES, OF_ALL].concat().join(",");
    let run = |(of, shell): (Vec<&'s Script>, &[&str])| {
        let mut words = vec![program.display().to_string()];
        words.extend(["--norc", "-f", "gcc", "-i", &codes].map(str::to_owned));
        words.extend(shell.iter().map(|word| (*word).to_owned()));
        words.push("--".to_owned());
        words.extend(of.iter().map(|script| script.file.display().to_string()));
        Run { words, of, read }
    };
    let groups = [(of_sh, ["-s", "sh"].as_slice()), (others, &[])];
    groups.into_iter().filter(|(of, _)| !of.is_empty()).map(run).collect()
}

fn read(of: &[&Script], finished: &Finished) -> Vec<(usize, Fault)> {
    let stdout = String::from_utf8_lossy(&finished.stdout);
    of.iter().filter_map(|script| Some((script.of, linted(script, &stdout)?))).collect()
}

/// The worst that `ShellCheck` says of a script, and how much more of it there is.
fn linted(script: &Script, stdout: &str) -> Option<Fault> {
    let start = format!("{}:", script.file.display());
    let rows = stdout.lines().filter_map(|row| {
        let (text, code) = row.strip_prefix(&start)?.strip_suffix(']')?.rsplit_once(" [")?;
        let weight = if OF_ALL.contains(&code) { Weight::Hints } else { Weight::Risks };
        Some((weight, code, text))
    });
    let rows: Vec<(Weight, &str, &str)> = rows.collect();
    let worst = rows.iter().map(|(weight, ..)| *weight).max()?;
    let (weight, code, text) = rows.iter().find(|(weight, ..)| *weight == worst)?;
    let mut parts = text.splitn(4, ':');
    let line = parts.next().unwrap_or_default();
    let says = parts.nth(2).unwrap_or_default().trim().trim_end_matches('.');
    let more = match rows.len() {
        1 => String::new(),
        several => format!(", and {} more of its kind", several - 1),
    };
    let mut fault = Fault::new(
        Kind::Lint,
        *weight,
        format!("line {line} of `{}`: {says} ({code}{more})", script.shown),
        format!("see <https://www.shellcheck.net/wiki/{code}>"),
    );
    fault.layer = Layer::Linted;
    Some(fault)
}

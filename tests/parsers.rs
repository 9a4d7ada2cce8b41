//! hookman's reader of shell lines against `brush-parser`, an implementation of the grammar of bash.
//!
//! What hookman reads has to be found in lines of any kind, so it refuses nothing and is quick;
//! `brush-parser` is a second opinion on what a line runs. Where the two differ, a row in
//! `parsers/disagreements.tsv` says why.

#![cfg(test)]

mod brush;
mod generated;

use generated::Generator;
use hookman::syntax::shell::split;

const DISAGREEMENTS: &str = include_str!("parsers/disagreements.tsv");
const CORPORA: [&str; 2] = [include_str!("guard/commands.tsv"), include_str!("guard/files.tsv")];
/// How many scripts are made up, and how many of them `brush-parser` must accept at least.
const SCRIPTS: usize = 400;
const ACCEPTED: usize = 280;

/// The words of each simple command, as they were written, and whether all could be read.
fn commands(script: &str) -> (Vec<String>, bool) {
    let split = split(script);
    let is_word = |word: &String| !word.starts_with("<(") && !word.starts_with(">(");
    let words = split.commands.iter().map(|command| {
        let written = command.words.iter().map(|word| word.written.replace("\\\n", ""));
        written.filter(is_word).collect::<Vec<_>>().join(" ")
    });
    (words.filter(|words| !words.is_empty()).collect(), split.complete)
}

fn sorted(mut commands: Vec<String>) -> Vec<String> {
    commands.sort();
    commands
}

/// The first words alone; `brush-parser` leaves comments out of the text of a substitution.
fn programs(commands: &[String]) -> Vec<String> {
    let first = |command: &String| command.split(' ').next().unwrap_or_default().to_owned();
    sorted(commands.iter().map(first).collect())
}

fn agree(script: &str) -> bool {
    let (ours, complete) = commands(script);
    match brush::commands(script) {
        Some(theirs) => complete && sorted(ours) == sorted(theirs),
        None => !complete,
    }
}

#[test]
fn two_parsers_see_the_same_commands_in_the_corpus() {
    let known: Vec<(&str, String)> = super::guard::rows(DISAGREEMENTS).collect();
    let rows = CORPORA.into_iter().flat_map(super::guard::rows);
    let new: Vec<String> = rows
        .map(|(_, command)| command)
        .filter(|command| !agree(command) && !known.iter().any(|(_, it)| it == command))
        .collect();
    assert!(new.is_empty(), "they differ on:\n{}", new.join("\n"));
    let gone: Vec<_> = known.iter().filter(|(_, command)| agree(command)).collect();
    assert!(gone.is_empty(), "they no longer differ on: {gone:#?}");
}

#[test]
fn two_parsers_see_the_same_programs_in_made_up_scripts() {
    let mut generator = Generator::new(0x9E37_79B9_7F4A_7C15);
    let mut accepted = 0;
    for _ in 0..SCRIPTS {
        let script = generator.script();
        let (ours, complete) = commands(&script);
        let Some(theirs) = brush::commands(&script) else { continue };
        accepted += 1;
        assert!(complete, "only hookman refuses\n{script}");
        assert_eq!(programs(&ours), programs(&theirs), "in\n{script}");
    }
    assert!(accepted >= ACCEPTED, "brush-parser accepts only {accepted} of {SCRIPTS}");
}

//! Words that the project does not use, because a reader has to translate them.

#![cfg(test)]

use std::fs;
use std::path::{Path, PathBuf};

/// The words, in lower case, with what to say instead.
const WORDS: &[(&str, &str)] = &[
    ("anew", "again"),
    ("beside", "next to, with, apart from"),
    ("by the look of", "probably"),
    ("comes now", "say who does what"),
    ("of a like", "with a similar"),
    ("of hookman's", "hookman's own, a hookman entry"),
    ("of ours", "a hookman entry"),
    ("stands", "is, means, follows"),
    ("stood", "was, meant"),
    ("whose end", "say who ends what"),
];

/// What is read: all text that a user or a maintainer meets.
const PLACES: &[&str] =
    &["CHANGELOG.md", "CONTRIBUTING.md", "README.md", "docs", "src", "templates"];

fn files(place: &Path) -> Vec<PathBuf> {
    if !place.is_dir() {
        return vec![place.to_owned()];
    }
    let entries = fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.flat_map(|path| files(&path)).collect();
    files.sort();
    files
}

/// Whether the word is in the line, and not as a part of a longer one.
fn has(line: &str, word: &str) -> bool {
    let is_letter = |it: char| it.is_alphanumeric() || it == '_';
    line.match_indices(word).any(|(at, _)| {
        !line[..at].ends_with(is_letter) && !line[at + word.len()..].starts_with(is_letter)
    })
}

#[test]
fn texts_are_in_plain_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for path in PLACES.iter().flat_map(|place| files(&root.join(place))) {
        let shown = path.strip_prefix(root).unwrap();
        let text = fs::read_to_string(&path).unwrap().to_lowercase();
        for (index, line) in text.lines().enumerate() {
            for (word, instead) in WORDS.iter().filter(|(word, _)| has(line, word)) {
                let place = format!("{}:{}", shown.display(), index + 1);
                found.push(format!("{place}: `{word}`; say instead: {instead}"));
            }
        }
    }
    assert!(found.is_empty(), "words that the project does not use:\n{}", found.join("\n"));
}

/// Words with which a comment asks a question in the place of saying what a thing is or does.
const QUESTIONS: &[&str] = &["How", "What", "Where", "Whether", "Which", "Why"];

#[test]
fn comments_say_what_a_thing_is_or_does() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut asking = Vec::new();
    for path in files(&root.join("src")) {
        let text = fs::read_to_string(&path).unwrap();
        let mut before = false;
        for (index, line) in text.lines().enumerate() {
            let comment = line.trim_start().strip_prefix("///");
            let comment = comment.or_else(|| line.trim_start().strip_prefix("//!"));
            let first = comment.filter(|_| !before).map(str::trim_start).unwrap_or_default();
            if QUESTIONS.contains(&first.split([' ', ',', ':']).next().unwrap_or_default()) {
                let shown = path.strip_prefix(root).unwrap().display();
                asking.push(format!("{shown}:{}: {first}", index + 1));
            }
            before = comment.is_some();
        }
    }
    assert!(asking.is_empty(), "comments that ask:\n{}", asking.join("\n"));
}

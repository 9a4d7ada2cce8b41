//! Other ways than `git checkout` by which git's version of a file takes the place of what is there.

use super::super::{Word, split};
use super::state::{Place, Walk, base_name};
use super::written::plain;

impl Walk<'_> {
    /// Shows as `git-overwrite` a file that a command writes, where git prints its own version of that file.
    pub(super) fn written_back(&mut self, words: &[Word<'_>], target: &Word<'_>, place: Place<'_>) {
        let fed = self.feeders(place);
        let printed = version(words).or_else(|| fed.iter().find_map(|it| version(&it.words)));
        let Some(path) = printed else { return };
        let (path, to) = (plain(path), plain(&target.text));
        if path == to {
            self.show("git-overwrite", std::slice::from_ref(target), place);
        } else if path.strip_suffix(to).is_some_and(|folder| folder.ends_with('/')) {
            // Where the line works below the root of the work tree it is the same file.
            self.show("git-overwrite", &[Word::literal("below"), target.clone()], place);
        }
    }

    /// Shows the same of all files where a program takes all uncommitted changes back.
    pub(super) fn taken_back(&mut self, program: &str, arguments: &[Word<'_>], place: Place<'_>) {
        let has = |names: &[&str]| arguments.iter().any(|word| names.contains(&&*word.text));
        let is_back = match program {
            "git" if has(&["--check", "--stat", "--numstat", "--summary"]) => false,
            "git" => has(&["apply"]) && has(&["-R", "--reverse"]),
            "patch" => {
                arguments.iter().any(|word| is_short(&word.text, 'R') || word.text == "--reverse")
            }
            // Elsewhere nothing is overwritten.
            "tar" | "bsdtar" => {
                let first = arguments.first().map_or("", |word| &*word.text);
                let extracts = has(&["--extract"])
                    || arguments.iter().any(|word| is_short(&word.text, 'x'))
                    || (!first.starts_with('-') && first.contains('x'));
                let goes = |at: usize| {
                    let word = &arguments[at].text;
                    let folder = match word.strip_prefix("--directory=") {
                        Some(folder) => folder,
                        None if is_short(word, 'C') || word == "--directory" => {
                            arguments.get(at + 1).map_or("", |it| &it.text)
                        }
                        None => ".",
                    };
                    plain(folder).trim_end_matches('/') != "." && folder != "./"
                };
                extracts && !(0..arguments.len()).any(goes)
            }
            _ => false,
        };
        if !is_back || !self.folder.is_empty() {
            return;
        }
        let prints = |words: &[Word<'_>]| {
            let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
            match (&texts[..], program) {
                (["git", rest @ ..], "tar" | "bsdtar") => rest.contains(&"archive"),
                (["git", rest @ ..], _) => {
                    rest.contains(&"diff")
                        && !rest
                            .iter()
                            .any(|it| matches!(*it, "--cached" | "--staged") || it.contains(".."))
                }
                _ => false,
            }
        };
        let from_text = |text: &str| {
            let inside = text.strip_prefix("<(").map(|it| it.strip_suffix(')').unwrap_or(it));
            inside.is_some_and(|inside| split(inside).commands.iter().any(|it| prints(&it.words)))
        };
        if self.feeders(place).iter().any(|it| prints(&it.words))
            || arguments.iter().any(|word| from_text(&word.text))
            || place.command.redirections.iter().any(|it| from_text(&it.target.text))
        {
            self.show("git-overwrite", &[Word::literal(".")], place);
        }
    }
}

fn is_short(text: &str, letter: char) -> bool {
    text.starts_with('-') && !text.starts_with("--") && text.contains(letter)
}

/// The path of the file whose version of some commit a call of git prints.
fn version<'w>(words: &'w [Word<'_>]) -> Option<&'w str> {
    let (first, arguments) = words.split_first()?;
    let prints = |word: &Word<'_>| matches!(&*word.text, "show" | "cat-file");
    if base_name(&first.text) != "git" || !arguments.iter().any(prints) {
        return None;
    }
    let objects = arguments.iter().filter(|word| !word.text.starts_with('-'));
    let path = objects.filter_map(|word| word.text.split_once(':')).next_back()?.1;
    (!path.is_empty()).then_some(path)
}

//! Commands and directories that a manifest gives relative to itself.

use std::path::Path;

/// The first word of an `argv`, where it is a relative path, under the manifest's `directory`.
pub(super) fn program(word: &str, directory: &Path) -> Option<String> {
    is_relative(word).then(|| under(directory, word))
}

/// A shell line whose first word is a relative path, with that word under the manifest's
/// `directory`.
///
/// Only a word that the shell would take as it stands is looked at; `bash x.sh` is the business of
/// `bash`, and of the directory that it runs in.
pub(super) fn line(line: &str, directory: &Path) -> Option<String> {
    let line = line.trim_start();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_./@+-,".contains(letter);
    let end = line.find(|letter| !plain(letter)).unwrap_or(line.len());
    let (word, rest) = line.split_at(end);
    let ends = rest.is_empty() || rest.starts_with(|it: char| " \t\r\n;|&<>)".contains(it));
    (ends && is_relative(word)).then(|| quoted(&under(directory, word)) + rest)
}

/// A directory of `path`; one in the home directory is left to the run.
pub(super) fn directory(given: &str, directory: &Path) -> String {
    let stays = given.starts_with('/') || given == "~" || given.starts_with("~/");
    if stays { given.to_owned() } else { under(directory, given) }
}

// What begins with `~` or `$` is replaced by somebody else, and a bare name is found on the PATH.
fn is_relative(word: &str) -> bool {
    word.contains('/') && !word.starts_with(['/', '~', '$'])
}

fn under(directory: &Path, word: &str) -> String {
    let word = word.strip_prefix("./").unwrap_or(word);
    directory.join(word).to_string_lossy().into_owned()
}

fn quoted(path: &str) -> String {
    if path.chars().all(|letter| letter.is_ascii_alphanumeric() || "_./@+-".contains(letter)) {
        return path.to_owned();
    }
    format!("'{}'", path.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_relative_stands_beside_the_manifest() {
        let rows = [
            ("hooks/x.sh", Some("/m y/hooks/x.sh"), Some("'/m y/hooks/x.sh'")),
            ("./x.sh", Some("/m y/x.sh"), Some("'/m y/x.sh'")),
            ("../x.sh", Some("/m y/../x.sh"), Some("'/m y/../x.sh'")),
            ("  ./x.sh --all | jq .", None, Some("'/m y/x.sh' --all | jq .")),
            ("./x.sh;./y.sh", None, Some("'/m y/x.sh';./y.sh")),
            ("x.sh", None, None),
            ("/bin/x", None, None),
            ("~/x.sh", None, None),
            ("$HOME/x.sh", None, None),
            ("${CLAUDE_PROJECT_DIR}/x.sh", None, None),
            ("\"$CLAUDE_PROJECT_DIR\"/x.sh", None, None),
            ("bash hooks/x.sh", None, None),
            ("A=./b x", None, None),
            ("./x{1,2}.sh", None, None),
            ("./x$A", None, None),
        ];
        let manifest = Path::new("/m y");
        for (given, argv, shell) in rows {
            if !given.contains(' ') && !given.contains([';', '{', '$', '"']) {
                assert_eq!(program(given, manifest).as_deref(), argv, "{given}");
            }
            assert_eq!(line(given, manifest).as_deref(), shell, "{given}");
        }
        assert_eq!(line("./x", Path::new("/it's")).unwrap(), "'/it'\\''s/x'");
        assert_eq!(line("./x y", Path::new("/m")).unwrap(), "/m/x y");
        assert_eq!(directory("bin", manifest), "/m y/bin");
        assert_eq!(directory("~/bin", manifest), "~/bin");
        assert_eq!(directory("/bin", manifest), "/bin");
    }
}

//! Commands and directories that a manifest gives relative to itself.

use std::path::{Path, PathBuf};

use crate::manifest::Action;
use crate::manifest::package::Membership;
use crate::syntax::escaped::quoted;

/// The first word of an `argv`, where it is a relative path, under the manifest's `directory`.
pub(crate) fn program(word: &str, directory: &Path) -> Option<String> {
    is_relative(word).then(|| under(directory, word))
}

/// A shell line with its first word, if that is a plain relative path, under the manifest's `directory`.
pub(crate) fn line(line: &str, directory: &Path) -> Option<String> {
    let (word, rest) = first_word(line.trim_start())?;
    is_relative(&word).then(|| quoted(&under(directory, &word)) + rest)
}

/// The program of a command, where it is a path that is known without running anything.
pub(crate) fn path(action: &Action, directory: &Path) -> Option<PathBuf> {
    let word = match action {
        Action::Argv(words) => words.first()?.clone(),
        Action::Command(line) => first_word(line.trim_start())?.0,
        Action::Builtin { .. } | Action::Passed(_) => return None,
    };
    let is_path = word.contains('/') && !word.starts_with('~') && !word.contains("${");
    is_path.then(|| under(directory, &word).into())
}

/// The first word of a shell line and what follows it, if nothing is expanded in it.
fn first_word(line: &str) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        let behind = &rest[letter.len_utf8()..];
        rest = match letter {
            '\'' | '"' => {
                let (inner, behind) = behind.split_once(letter)?;
                if letter == '"' && inner.contains(['$', '`', '\\']) {
                    return None;
                }
                word.push_str(inner);
                behind
            }
            '\\' => {
                let escaped = behind.chars().next().filter(|it| *it != '\n')?;
                word.push(escaped);
                &behind[escaped.len_utf8()..]
            }
            _ if is_plain(letter) || !letter.is_ascii() => {
                word.push(letter);
                behind
            }
            _ if " \t\r\n;|&<>)".contains(letter) => break,
            _ => return None,
        };
    }
    Some((word, rest))
}

fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "_./@+-,".contains(letter)
}

/// A directory of `path`; one in the home directory is left to the run.
pub(super) fn directory(given: &str, directory: &Path) -> String {
    let stays = given.starts_with('/') || given == "~" || given.starts_with("~/");
    if stays { given.to_owned() } else { under(directory, given) }
}

const ROOT: &str = "CLAUDE_PLUGIN_ROOT";
const DATA: &str = "CLAUDE_PLUGIN_DATA";

/// A shell line of a package, with the variables for its directories, as of a plugin's.
pub(super) fn in_package(package: &Membership, line: &str) -> String {
    let Membership { root, data, .. } = package;
    if !package.foreign && !line.contains("CLAUDE_PLUGIN_") {
        return line.to_owned();
    }
    let whole = placed(package, line);
    format!("export {ROOT}={} {DATA}={}\n{whole}", quoted(root), quoted(data))
}

/// The words of a package's `argv`, with its directory for its name and for a `./` in front.
pub(super) fn words_in_package(package: &Membership, words: Vec<String>) -> Vec<String> {
    let Membership { root, data, foreign, .. } = package;
    let own = |word: String| match word.strip_prefix("./") {
        Some(path) if !foreign => under(Path::new(&**root), path),
        _ => placed(package, &word),
    };
    let words = words.into_iter().map(own);
    if !foreign {
        return words.collect();
    }
    let known = ["env".to_owned(), format!("{ROOT}={root}"), format!("{DATA}={data}")];
    known.into_iter().chain(words).collect()
}

fn placed(package: &Membership, text: &str) -> String {
    let name = |name: &str| format!("${{{name}}}");
    text.replace(&name(ROOT), &package.root).replace(&name(DATA), &package.data)
}

// What begins with `~` or `$` is replaced by somebody else, and a bare name is found on the PATH.
fn is_relative(word: &str) -> bool {
    word.contains('/') && !word.starts_with(['/', '~', '$'])
}

fn under(directory: &Path, word: &str) -> String {
    let word = word.strip_prefix("./").unwrap_or(word);
    directory.join(word).to_string_lossy().into_owned()
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
            ("./prüfung.sh --x", None, Some("'/m y/prüfung.sh' --x")),
            ("\"./my hooks/x.sh\"", None, Some("'/m y/my hooks/x.sh'")),
            ("'./my hooks'/x.sh --x", None, Some("'/m y/my hooks/x.sh' --x")),
            ("./my\\ hooks/x.sh;y", None, Some("'/m y/my hooks/x.sh';y")),
            ("'./$A/x.sh'", None, Some("'/m y/$A/x.sh'")),
            ("\"./$A/x.sh\"", None, None),
            ("\"./`a`/x.sh\"", None, None),
            ("\"./\\x.sh\"", None, None),
            ("\"./x.sh", None, None),
            ("'./x.sh", None, None),
            ("./x.sh\\", None, None),
            ("./x\\\n.sh", None, None),
            ("'/bin/x y'", None, None),
            ("'x y'", None, None),
            ("./x()", None, None),
            ("", None, None),
        ];
        let manifest = Path::new("/m y");
        for (given, argv, shell) in rows {
            if !given.contains([' ', ';', '{', '$', '"', '\'', '\\', '(']) {
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

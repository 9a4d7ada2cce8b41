//! Asking programs that only read something, and remembering what they said of the same text.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use std::{fs, iter};

use serde::{Deserialize, Serialize};

use super::child::{self, Ended, Finished, Program, Spec};
use super::paths::content_hash;
use super::{environment, files};

const PATIENCE: Duration = child::patience(3);

/// The number of answers that are kept, and the bytes of the longest.
const KEPT: usize = 400;
const LONGEST: usize = 16 * 1024;

/// A word by which a reader says that it looked at more than the script.
const BEYOND: &str = "around\t";

/// Answers of programs about the same words and files at other times.
#[derive(Default)]
pub struct Asking {
    file: Option<PathBuf>,
    known: Vec<(String, Said)>,
    used: Mutex<BTreeMap<String, Said>>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Said {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Asking {
    /// Remembers what is in a file; without one each program is started.
    pub fn of(file: Option<&Path>) -> Self {
        let text = file.and_then(|file| files::read_text(file).ok().flatten());
        let known = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        Self { file: file.map(Path::to_owned), known, used: Mutex::default() }
    }

    /// Runs programs side by side, but for those whose answer is known; the results are in their order.
    pub fn run<'w>(
        &self,
        programs: impl Iterator<Item = &'w [String]>,
    ) -> Vec<io::Result<Finished>> {
        let programs: Vec<&[String]> = programs.collect();
        let keys: Vec<Option<String>> = programs.iter().map(|words| self.key(words)).collect();
        let said = |key: &Option<String>| {
            let known = self.known.iter().find(|(known, _)| Some(known) == key.as_ref());
            known.map(|(_, said)| said.clone())
        };
        let known: Vec<Option<Said>> = keys.iter().map(said).collect();
        let unknown = programs.iter().zip(&known).filter(|(_, known)| known.is_none());
        let mut finished = run(unknown.map(|(words, _)| *words)).into_iter();
        let answer = |(key, known): (Option<String>, Option<Said>)| {
            let is_new = known.is_none();
            let answer = match &known {
                Some(said) => Ok(said.finished()),
                None => finished.next().unwrap_or_else(|| Err(io::ErrorKind::NotFound.into())),
            };
            let said = known.or_else(|| Said::of(answer.as_ref().ok()?));
            if let Some((key, said)) = key.zip(said).filter(|(_, said)| !is_new || said.is_kept()) {
                self.used.lock().unwrap_or_else(PoisonError::into_inner).insert(key, said);
            }
            answer
        };
        keys.into_iter().zip(known).map(answer).collect()
    }

    /// Keeps what was used, and of the rest what was used last.
    pub fn keep(self) {
        let used = self.used.into_inner().unwrap_or_else(PoisonError::into_inner);
        let is_known = |key: &String| self.known.iter().any(|(known, _)| known == key);
        let Some(file) = self.file.filter(|_| !used.keys().all(is_known)) else { return };
        let rest = self.known.into_iter().filter(|(key, _)| !used.contains_key(key));
        let rest: Vec<(String, Said)> = rest.collect();
        let kept: Vec<(String, Said)> = used.into_iter().chain(rest).take(KEPT).collect();
        // Without it the programs are asked again.
        let _ = serde_json::to_string(&kept).map(|text| files::replace_fleeting(&file, &text));
    }

    /// The hash of all that an answer hangs on, where it can be told.
    fn key(&self, words: &[String]) -> Option<String> {
        self.file.as_ref()?;
        let (program, arguments) = words.split_first()?;
        if program.ends_with("jq") && has_definitions() {
            return None;
        }
        let identity = identity(Path::new(program))?;
        let settings = ["SHELLOPTS", "BASHOPTS", "POSIXLY_CORRECT", "RUBYOPT", "RUBYLIB"];
        let settings = settings.map(|name| format!("{:?}", environment::raw(name)));
        let mut all = Vec::new();
        for part in iter::once(&identity).chain(&settings).chain(words) {
            all.extend(format!("{}\0{part}", part.len()).into_bytes());
        }
        for word in arguments.iter().filter(|word| word.starts_with('/')) {
            let text = fs::read(word).unwrap_or_default();
            all.extend(format!("{}\0{}", text.len(), content_hash(&text)).into_bytes());
        }
        Some(content_hash(&all))
    }
}

impl Said {
    fn finished(&self) -> Finished {
        Finished {
            ended: Ended::Exited(self.code),
            stdout: self.stdout.clone().into_bytes(),
            stderr: self.stderr.clone().into_bytes(),
            dropped: [0; 2],
            unread: [false; 2],
            held: [false; 2],
            took: Duration::ZERO,
        }
    }

    fn of(finished: &Finished) -> Option<Self> {
        let Ended::Exited(code) = finished.ended else { return None };
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
        Some(Self { code, stdout: text(&finished.stdout)?, stderr: text(&finished.stderr)? })
    }

    fn is_kept(&self) -> bool {
        self.stdout.len() + self.stderr.len() < LONGEST && !self.stdout.contains(BEYOND)
    }
}

/// The file of a program, its size and its age; none of a script, which may choose another at each call.
fn identity(program: &Path) -> Option<String> {
    let mut start = [0; 2];
    fs::File::open(program).ok()?.read_exact(&mut start).ok()?;
    let facts = program.metadata().ok()?;
    let age = facts.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    (start != *b"#!").then(|| format!("{} {age:?}", facts.len()))
}

/// Returns whether `jq` reads definitions of the user's.
fn has_definitions() -> bool {
    environment::raw("HOME").is_some_and(|home| files::is_there(&Path::new(&home).join(".jq")))
}

fn run<'w>(programs: impl Iterator<Item = &'w [String]>) -> Vec<io::Result<Finished>> {
    let nothing = OsStr::new("");
    let variables = [
        ("LC_ALL", OsStr::new("C")),
        ("BASH_ENV", nothing),
        ("ENV", nothing),
        ("NODE_OPTIONS", nothing),
        ("SHELLCHECK_OPTS", nothing),
    ];
    let spec = |words| Spec { variables: &variables, ..Spec::new(Program::Argv(words), PATIENCE) };
    child::run(&programs.map(spec).collect::<Vec<Spec<'_>>>(), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_known_until_the_script_changes() {
        let folder = tempfile::tempdir().unwrap();
        let (file, script) = (folder.path().join("read.json"), folder.path().join("script"));
        let words = ["/bin/sh", "-n", script.to_str().unwrap()].map(str::to_owned);
        let ask = || {
            let asking = Asking::of(Some(&file));
            let is_known =
                asking.key(&words).is_some_and(|key| asking.known.iter().any(|(it, _)| *it == key));
            let ended = asking.run([words.as_slice()].into_iter()).remove(0).unwrap().ended;
            asking.keep();
            (is_known, ended == Ended::Exited(0))
        };
        for (text, expected) in [
            ("true", (false, true)),
            ("true", (true, true)),
            ("if", (false, false)),
            ("if", (true, false)),
            ("true", (true, true)),
        ] {
            fs::write(&script, text).unwrap();
            assert_eq!(ask(), expected, "{text}");
        }
    }
}

//! The reason why a program does not start.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::files;

/// The bytes of a script's first line that the system reads.
const FIRST_LINE: u64 = 256;

/// The directories of programs that the `PATH` of a desktop or a timer lacks; relative ones are the home's.
const USUAL_PLACES: &[&str] = &[
    ".local/bin",
    ".cargo/bin",
    ".bun/bin",
    ".deno/bin",
    "go/bin",
    "/usr/local/bin",
    "/opt/homebrew/bin",
    "/home/linuxbrew/.linuxbrew/bin",
];

/// The causes that keep a file from being run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    Absent,
    Directory,
    NotExecutable,
    /// Its first line ends in CRLF and names this interpreter, to which the system adds the CR.
    Crlf(String),
    NoInterpreter(String),
    /// It begins with a byte order mark, so that the system does not see its first line.
    Marked,
    /// It is neither a program nor a script that names its interpreter.
    NoFormat,
}

/// Finds the cause that keeps the file at `path` from being run, as far as it can be seen from outside.
pub fn trouble(path: &Path) -> Option<Trouble> {
    match fs::metadata(path) {
        Err(_) => return Some(Trouble::Absent),
        Ok(metadata) if metadata.is_dir() => return Some(Trouble::Directory),
        Ok(metadata) if !metadata.is_file() => return None,
        Ok(_) if !files::is_executable(path) => return Some(Trouble::NotExecutable),
        Ok(_) => {}
    }
    of_script(&head(path)?)
}

/// The interpreter that the first line of a script names, behind `env` too.
pub fn interpreter(path: &Path) -> Option<String> {
    let line = first_line(path)?;
    let is_program = |word: &&str| !word.starts_with('-') && !word.ends_with("/env");
    line.split_whitespace().find(is_program).map(str::to_owned)
}

/// Finds the program that `env` in a script's first line misses; without `-S` the rest is one word.
pub fn not_found_by_env(path: &Path, on: &OsStr) -> Option<String> {
    let line = first_line(path)?;
    let (env, rest) = line.trim().split_once([' ', '\t'])?;
    if !env.ends_with("/env") {
        return None;
    }
    let rest = rest.trim();
    let is_program = |word: &&str| !word.starts_with('-') && !word.contains('=');
    let splits =
        !cfg!(target_os = "linux") || rest.starts_with("-S") || rest.starts_with("--split");
    let words = rest.strip_prefix("-S").unwrap_or(rest);
    let name = if splits { words.split_whitespace().find(is_program)? } else { rest };
    let is_there =
        if name.contains('/') { Path::new(name).exists() } else { on_path(name, on).is_some() };
    (!is_there).then(|| name.to_owned())
}

pub fn has_crlf(path: &Path) -> bool {
    let line = head(path).and_then(|head| Some(head.split(|byte| *byte == b'\n').next()?.to_vec()));
    line.is_some_and(|line| line.ends_with(b"\r"))
}

/// The first line of a script, behind its `#!`; `None` for any other file.
pub fn first_line(path: &Path) -> Option<String> {
    let head = head(path)?;
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    Some(String::from_utf8_lossy(line).into_owned())
}

fn head(path: &Path) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    // Nothing may ever be written into a named pipe.
    fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    File::open(path).ok()?.take(FIRST_LINE).read_to_end(&mut head).ok()?;
    Some(head)
}

fn of_script(head: &[u8]) -> Option<Trouble> {
    const FORMATS: [&[u8]; 6] = [
        b"\x7fELF",
        b"\xfe\xed\xfa",
        b"\xcf\xfa\xed\xfe",
        b"\xce\xfa\xed\xfe",
        b"\xca\xfe\xba\xbe",
        b"MZ",
    ];
    if head.starts_with(b"\xef\xbb\xbf#!") {
        return Some(Trouble::Marked);
    }
    let Some(line) = head.strip_prefix(b"#!") else {
        let known = FORMATS.iter().any(|format| head.starts_with(format));
        return (!known).then_some(Trouble::NoFormat);
    };
    let line = String::from_utf8_lossy(line.split(|byte| *byte == b'\n').next()?).into_owned();
    let interpreter = line.split_whitespace().next()?.to_owned();
    if line.ends_with('\r') {
        let last = line.split_whitespace().last().unwrap_or_default();
        return Some(Trouble::Crlf(last.to_owned()));
    }
    (!Path::new(&interpreter).exists()).then_some(Trouble::NoInterpreter(interpreter))
}

pub fn sh_is_dash() -> bool {
    fs::canonicalize("/bin/sh").is_ok_and(|sh| sh.file_name() == Some(OsStr::new("dash")))
}

pub fn on_path(name: &str, path: &OsStr) -> Option<PathBuf> {
    env::split_paths(path)
        .map(|directory| directory.join(name))
        .find(|file| files::is_executable(file))
}

/// The directory outside of the `PATH` that has a program of this name, if a usual one does.
pub fn usual_place(name: &str, home: &Path) -> Option<PathBuf> {
    USUAL_PLACES
        .iter()
        .map(|place| home.join(place))
        .find(|directory| files::is_executable(&directory.join(name)))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn each_trouble_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.sh");
        assert_eq!(trouble(&file), Some(Trouble::Absent));
        assert_eq!(trouble(folder.path()), Some(Trouble::Directory));
        fs::write(&file, "#!/bin/sh\n").unwrap();
        assert_eq!(trouble(&file), Some(Trouble::NotExecutable));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        let rows = [
            ("#!/bin/sh\n", None),
            ("#!/bin/sh -eu\necho\n", None),
            ("#! /bin/sh", None),
            ("\u{7f}ELF", None),
            ("#!/bin/sh\r\n", Some(Trouble::Crlf("/bin/sh".to_owned()))),
            ("#!/usr/bin/env bash\r\n", Some(Trouble::Crlf("bash".to_owned()))),
            ("#!/nowhere/sh -e\n", Some(Trouble::NoInterpreter("/nowhere/sh".to_owned()))),
            ("\u{feff}#!/bin/sh\n", Some(Trouble::Marked)),
            ("echo hi\n", Some(Trouble::NoFormat)),
            ("", Some(Trouble::NoFormat)),
        ];
        for (text, expected) in rows {
            fs::write(&file, text).unwrap();
            assert_eq!(trouble(&file), expected, "{text:?}");
        }
    }

    #[test]
    fn the_interpreter_of_a_script_is_the_program_behind_env() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        let rows = [
            ("#!/bin/sh\n", Some("/bin/sh")),
            ("#! /bin/bash -eu\nls", Some("/bin/bash")),
            ("#!/usr/bin/env bash\n", Some("bash")),
            ("#!/usr/bin/env -S bash -e\n", Some("bash")),
            ("\u{7f}ELF", None),
            ("echo hi\n", None),
        ];
        for (text, expected) in rows {
            fs::write(&file, text).unwrap();
            assert_eq!(interpreter(&file).as_deref(), expected, "{text:?}");
        }
        assert_eq!(interpreter(folder.path()), None);
    }

    #[test]
    fn what_env_does_not_find_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        let whole = if cfg!(target_os = "linux") { Some("sh -e") } else { None };
        let rows = [
            ("#!/usr/bin/env sh\n", None),
            ("#!/usr/bin/env nosuch\n", Some("nosuch")),
            ("#!/usr/bin/env -S nosuch -e\n", Some("nosuch")),
            ("#!/usr/bin/env -S A=1 sh -e\n", None),
            ("#!/usr/bin/env sh -e\n", whole),
            ("#!/nowhere/sh\n", None),
        ];
        for (text, expected) in rows {
            fs::write(&file, text).unwrap();
            let found = not_found_by_env(&file, OsStr::new("/usr/bin:/bin"));
            assert_eq!(found.as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn a_name_is_looked_for_where_the_path_says() {
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().join(".local/bin");
        fs::create_dir_all(&bin).unwrap();
        fs::write(bin.join("it"), "#!/bin/sh\n").unwrap();
        assert_eq!(usual_place("it", folder.path()), None);
        fs::set_permissions(bin.join("it"), fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(usual_place("it", folder.path()), Some(bin.clone()));
        assert_eq!(on_path("it", OsStr::new("/nowhere")), None);
        let path = env::join_paths([Path::new("/nowhere"), &bin]).unwrap();
        assert_eq!(on_path("it", &path), Some(bin.join("it")));
    }
}

//! True if a line may call a program at all: a test without reading the line as a shell does.

use std::collections::BTreeMap;

use crate::syntax::glance::{Glance, beginning};

/// The digits of a number.
const DIGITS: usize = 4;

/// The digits of the length of a name, which is in front of it.
const LENGTH: usize = 2;

/// The bits of a digit, which are behind those of `0`.
const BITS: usize = 4;

/// Returns whether a command line makes none of the calls at the beginning of a text; `false` where they
/// cannot be read.
///
/// `calls` are names as [`grouped`] writes them; after a blank a name may have the first word of its
/// subcommand, which must then be somewhere in the line, and `>` is a file that is emptied or a
/// device that is written to by a redirection. What hides a name counts as a call as well.
pub(super) fn rules_out(calls: &str, line: &Glance) -> bool {
    !line.hides && makes_one(calls.as_bytes(), line) == Some(false)
}

fn makes_one(text: &[u8], line: &Glance) -> Option<bool> {
    let (beginnings, rest) = text.split_at_checked(64 / BITS)?;
    let beginnings = number(beginnings)?;
    // The ends of the groups come first.
    let (ends, names) = rest.split_at_checked(DIGITS * (beginnings.count_ones() as usize + 1))?;
    let end = |place: usize| number(ends.get(place * DIGITS..)?.get(..DIGITS)?);
    let makes = |from: u64, to: u64, at: Option<usize>| {
        let mut group = names.get(usize::try_from(from).ok()?..usize::try_from(to).ok()?)?;
        while !group.is_empty() {
            let (length, rest) = group.split_at_checked(LENGTH)?;
            let (call, rest) = rest.split_at_checked(usize::try_from(number(length)?).ok()?)?;
            if at.is_none_or(|at| line.begins_alike(at, call)) && may_make(call, line) {
                return Some(true);
            }
            group = rest;
        }
        Some(false)
    };
    if makes(0, end(0)?, None)? {
        return Some(true);
    }
    // How a name begins decides most calls, without a look at each of them.
    let mut seen = [0_u64; 64];
    for (at, beginning) in line.names() {
        let bit = 1 << beginning;
        // Names that begin with the same two letters make the same calls.
        if beginnings & bit != 0 && line.begins_first(at, &mut seen) {
            let place = (beginnings & (bit - 1)).count_ones() as usize;
            if makes(end(place)?, end(place + 1)?, Some(at))? {
                return Some(true);
            }
        }
    }
    Some(false)
}

fn may_make(call: &[u8], line: &Glance) -> bool {
    let text = &*line.line;
    match call {
        b">" => line.may_write(),
        b"?" => text.split_whitespace().any(|it| {
            it.starts_with('/') && it.contains(['?', '['])
                || it.contains("bin/") && it.contains('*')
        }),
        b"(" => {
            // To prepare a search for a text costs more than to look for one byte.
            text.as_bytes().contains(&b'(') && text.contains("()")
                || line.may_have(b"function") && text.contains("function ")
        }
        _ => match call.iter().position(|byte| *byte == b' ') {
            Some(blank) => line.has_word(&call[blank + 1..]) && line.has_name(&call[..blank]),
            None => line.has_name(call),
        },
    }
}

fn number(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0, |number, digit| {
        let digit = digit.wrapping_sub(b'0');
        (digit < 1 << BITS).then_some((number << BITS) | u64::from(digit))
    })
}

/// The names in the form of [`rules_out`]: a bit for each beginning, the end of each group, and
/// the groups of names that begin alike, first of those that no beginning tells apart. Nothing,
/// which rules no line out, where a name would be another text in JSON or they are too many.
pub(super) fn grouped(names: &[String]) -> String {
    let digits = |number: u64, count: usize| -> String {
        let bits = |at: usize| u8::try_from((number >> (at * BITS)) & 15).unwrap_or_default();
        (0..count).rev().map(|at| char::from(b'0' + bits(at))).collect()
    };
    let mut groups: BTreeMap<Option<u8>, String> = BTreeMap::from([(None, String::new())]);
    for name in names {
        let group = groups.entry(beginning(name.as_bytes())).or_default();
        group.push_str(&(digits(name.len() as u64, LENGTH) + name));
    }
    let beginnings = groups.keys().flatten().fold(0, |all, it| all | (1_u64 << it));
    let (mut ends, mut texts) = (digits(beginnings, 64 / BITS), String::new());
    for group in groups.values() {
        texts.push_str(group);
        ends += &digits(texts.len() as u64, DIGITS);
    }
    let is_plain = texts.len() < 1 << (BITS * DIGITS)
        && names.iter().all(|name| name.len() < 1 << (BITS * LENGTH))
        && !texts.contains(|it: char| matches!(it, '"' | '\\') || it.is_control());
    if is_plain { ends + &texts } else { String::new() }
}

/// The names, in the form of [`rules_out`], that a line has where it makes a call of a program, or one
/// that is shown as such; `subcommand` is the first word of a subcommand, or several.
pub(super) fn names(program: &str, subcommand: &str) -> Vec<String> {
    // What PowerShell calls by a type, as `[IO.File]::Delete`.
    let program = program.trim_start_matches('[');
    let alike = match program {
        "rm" => "rm rmtree rm_* rmSync rmdir* remove* rimraf emptyDir* unlink*",
        "unlink" => "rm rmSync remove* unlink* delete",
        "rmdir" => "rmdir* remove*",
        "truncate" => "truncate* ftruncate* open write* file_put_contents >",
        "dd" => "dd >",
        "tee" => "tee etc",
        "chmod" => "chmod* lchmod",
        "secret-send" => "env printenv export environ _ENV",
        "file-send" => {
            "curl wget fetch http https iwr irm invoke* nc ncat netcat socat aria2c post* urlopen upload* put* send* request* mail* mutt sendmail telnet ssh"
        }
        "orm" => "tinker rails manage.py django-admin",
        "fork-bomb" => "( while until for",
        // Other lines that hide a name are read in any case.
        "hidden-program" => "?",
        "foreign-script" if subcommand.starts_with("base64") => "atob fromhex decode64 unpack",
        _ => "",
    };
    // Libraries that do the same as the program, or the methods of such.
    let of_library = match program {
        "aws" => "boto* aiobot* aws-sdk*",
        "az" => "azure",
        "curl" => "indices delete_by* deleteBy*",
        "docker" => "dockerode APIClient",
        "git" if subcommand == "reset" => {
            "simple-git* simpleGit* isomorphic-git nodegit rugged Repo reset_hard"
        }
        "gsutil" => "google*",
        "kafka-topics" => "delete_topics deleteTopics",
        "kill" => "psutil",
        "kubectl|k|oc" | "kubectl" => "kubernetes*",
        "manage.py" => "call_command",
        "cp" => "copy*",
        "gh" => "get_repo repos",
        "mv" => "rename* replace",
        "mongo" => "drop_* delete_many delete_collection recursiveDelete dropC*",
        "redis-cli" => "flush*",
        "rm" => "deleteAsync deleteSync deleteDir* deleteRecursively removeItem del dir_delete",
        "sql" => {
            "drop_* dropT* dropI* dropA* dropS* dbRemove* destroy* delete_all call_command sync synchronize del"
        }
        _ => "",
    };
    let of_words = match program {
        "sql" | "mongo" | "foreign-script" => subcommand,
        _ => "",
    };
    if program == "git-overwrite" {
        let calls = ["git apply", "git archive", "git cat-file", "git show", "patch"];
        return calls.map(str::to_owned).to_vec();
    }
    let mut names: Vec<String> = alike.split_whitespace().map(str::to_owned).collect();
    names.extend(of_words.split('|').filter(|word| !word.is_empty()).map(str::to_owned));
    if names.is_empty() {
        let calls = subcommand.split('|').map(|word| format!("{program} {word}"));
        names.extend(calls.map(|call| call.trim_end().to_owned()));
    }
    names.extend(of_library.split_whitespace().map(str::to_owned));
    names
}

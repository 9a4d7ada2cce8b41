//! Calls of functions that delete files, empty them or change what may be done with them.

use super::call::{Call, TREES};

pub(super) struct Equal {
    pub(super) name: &'static str,
    pub(super) option: &'static str,
}

/// Returns whether names in a call end a process of the program's own, as `child.pid` does.
fn ends_child(names: &[&str]) -> bool {
    names.windows(2).any(|two| two[1] == "pid" && two[0] != "int")
}

/// Returns whether a call leaves nothing of what a file held, and names the file elsewhere.
pub(super) fn empties(name: &str, call: &Call<'_>) -> bool {
    match (name, &call.texts[..]) {
        ("open", [mode]) => mode == "w" && call.closes,
        ("open", [_, mode]) => mode == "w" && call.closes && !call.names.is_empty(),
        ("write_text" | "write_bytes", [text]) => text.is_empty() && call.names.is_empty(),
        _ => false,
    }
}

pub(super) fn deletes(name: &str, call: &Call<'_>) -> Option<Equal> {
    let of_files = || {
        let owners =
            ["os", "fs", "path", "File", "Dir", "Files", "FileUtils", "file", "Deno", "promises"];
        owners.contains(&call.receiver) || call.receiver.ends_with("fs")
    };
    let equal = |name, option| Some(Equal { name, option });
    match name {
        _ if empties(name, call) => equal("truncate", "-s0"),
        _ if TREES.contains(&name) => equal("rm", "-rf"),
        "sync" if matches!(call.receiver, "rimraf" | "del") => equal("rm", "-rf"),
        "rm" if call.texts.first().is_some_and(|text| text.starts_with('-')) => equal("rm", ""),
        "rm" | "rmSync" | "rmdir" | "rmdirSync" | "unlink" | "unlinkSync" | "remove"
        | "removeSync"
            if call.recursive =>
        {
            equal("rm", "-rf")
        }
        "unlink" | "unlinkSync" | "rmSync" => equal("unlink", ""),
        "rm_f" => equal("rm", "-f"),
        "rm" if !call.receiver.is_empty() || call.texts.len() == 1 => equal("unlink", ""),
        "removeSync" | "remove" | "Remove" | "delete" | "delete_if_exists" | "deleteIfExists"
            if of_files() =>
        {
            equal("unlink", "")
        }
        "rmdir" | "rmdirSync" | "removedirs" => equal("rmdir", ""),
        "truncate" | "truncateSync" if of_files() || call.receiver.is_empty() => {
            equal("truncate", "-s0")
        }
        "chmod" | "chmodSync" | "lchmod" => equal("chmod", ""),
        "kill" | "killpg" | "posix_kill"
            if matches!(call.receiver, "os" | "process" | "Process" | "")
                && !ends_child(&call.names)
                && (call.names.contains(&"SIGKILL")
                    || call.names.contains(&"KILL")
                    || call.numbers.contains(&"9")
                    || call.texts.iter().any(|text| matches!(&**text, "KILL" | "SIGKILL"))) =>
        {
            equal("kill", "-9")
        }
        _ => None,
    }
}

//! The answer after a mistake of hookman itself, for the hooks that must hold.

use std::ffi::OsString;
use std::sync::atomic::{AtomicU8, Ordering};

use super::arguments::Arguments;
use crate::chain::failing;
use crate::client::Block;
use crate::client::host::{CLAUDE, Host};
use crate::client::output::Said;
use crate::machine::{Paths, environment};
use crate::manifest::OnError;
use crate::state::chains;

/// The progress of the run, for the panic hook: one of [`Standing`], as its number.
static STANDING: AtomicU8 = AtomicU8::new(Standing::Unknown as u8);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Standing {
    Unknown,
    /// None of those that run must hold.
    Open,
    Ask,
    Closed,
    /// The answer was given, without a block by exit code.
    Answered,
    /// The answer was given, and the exit code blocks.
    Blocked,
}

/// Notes the strictest `on_error` of the hooks that run.
pub(super) fn chosen(on_error: OnError) {
    let standing = match on_error {
        OnError::Open => Standing::Open,
        OnError::Ask => Standing::Ask,
        OnError::Closed => Standing::Closed,
    };
    STANDING.store(standing as u8, Ordering::Relaxed);
}

/// Notes that the answer was given, with this exit code.
pub(super) fn answered(code: u8) {
    let standing = if code == 0 { Standing::Answered } else { Standing::Blocked };
    STANDING.store(standing as u8, Ordering::Relaxed);
}

/// The words when hookman panics: those of a hook that failed, the strictest of those that run.
pub(super) fn after_panic() -> Said {
    let standing = STANDING.load(Ordering::Relaxed);
    // What was parsed of the arguments is out of reach; a bare call has none.
    let arguments = environment::arguments().get(2..).unwrap_or_default();
    let paths = Arguments::parse(arguments).paths().ok();
    said(standing, arguments, paths.as_ref())
}

fn said(standing: u8, arguments: &[OsString], paths: Option<&Paths>) -> Said {
    let arguments = Arguments::parse(arguments);
    let on_error = match standing {
        it if it == Standing::Answered as u8 => return Said::default(),
        it if it == Standing::Blocked as u8 => return by_code(),
        it if it == Standing::Open as u8 => OnError::Open,
        it if it == Standing::Ask as u8 => OnError::Ask,
        it if it == Standing::Closed as u8 => OnError::Closed,
        // Where it is not known which hooks run, the words of all of them count.
        _ => paths.map_or(OnError::Open, |it| chains::strictest(it, &arguments.chain(it))),
    };
    let host = arguments.host.as_deref().map_or(&CLAUDE, |name| Host::named(name, false));
    match (on_error, arguments.event.map(|event| (event, event.facts().block))) {
        (OnError::Open, _) | (_, Some((_, Block::Never))) => Said::default(),
        (_, Some((event, block))) if needs_words(host, block, on_error) => {
            let message = "hookman: an internal error, please report it".to_owned();
            host.encode(event, &failing::answer(event, on_error, message)).said
        }
        // The code needs the least that can go wrong once more.
        _ => by_code(),
    }
}

/// Returns whether a block by exit code would not be heeded, or would hold more than is wanted.
fn needs_words(host: &Host, block: Block, on_error: OnError) -> bool {
    block == Block::Request
        || block == Block::Permission && on_error == OnError::Ask
        || host.is_served() && !host.is_claude()
}

/// A block whose reason is the panic's own message on standard error.
fn by_code() -> Said {
    Said { code: 2, ..Said::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_opens_no_gate() {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths {
            home: None,
            config: folder.path().to_owned(),
            state: folder.path().join("state"),
        };
        let manifest = paths.user_manifest();
        let closed = "[[hook]]\non_error = \"closed\"\n";
        let ask = "[[hook]]\non_error = \"ask\"\n";
        let rows = [
            // What the manifest says counts as long as nothing else is known.
            (Standing::Unknown, None, "PreToolUse", "", 0),
            (Standing::Unknown, Some("[[hook]]"), "PreToolUse", "", 0),
            (Standing::Unknown, Some(closed), "PreToolUse", "", 2),
            (Standing::Unknown, Some(closed), "Stop", "", 2),
            (Standing::Unknown, Some(closed), "", "", 2),
            (Standing::Unknown, Some(closed), "SessionStart", "", 0),
            (Standing::Unknown, Some(closed), "PermissionRequest", "deny", 0),
            (Standing::Unknown, Some(ask), "PreToolUse", "ask", 0),
            (Standing::Unknown, Some(ask), "PermissionRequest", "", 0),
            (Standing::Unknown, Some(ask), "Stop", "", 2),
            (Standing::Unknown, Some(ask), "", "", 2),
            (Standing::Open, Some(closed), "PreToolUse", "", 0),
            (Standing::Ask, Some(closed), "PreToolUse", "ask", 0),
            (Standing::Closed, None, "PreToolUse", "", 2),
            (Standing::Closed, None, "SessionStart", "", 0),
            // What was said stays.
            (Standing::Answered, Some(closed), "PreToolUse", "", 0),
            (Standing::Blocked, None, "PreToolUse", "", 2),
        ];
        for (standing, text, event, words, code) in rows {
            let _ = std::fs::remove_file(&manifest);
            if let Some(text) = text {
                std::fs::write(&manifest, text).unwrap();
            }
            let arguments: Vec<OsString> =
                Some(event).filter(|it| !it.is_empty()).map(Into::into).into_iter().collect();
            let found = said(standing as u8, &arguments, Some(&paths));
            assert_eq!(found.code, code, "{standing:?} {text:?} {event}");
            assert!(found.stdout.contains(words), "{standing:?} {event}: {}", found.stdout);
            assert_eq!(found.stdout.is_empty(), words.is_empty(), "{standing:?} {event}");
        }
        chosen(OnError::Ask);
        assert_eq!(STANDING.load(Ordering::Relaxed), Standing::Ask as u8);
        answered(2);
        assert_eq!(STANDING.load(Ordering::Relaxed), Standing::Blocked as u8);
    }
}

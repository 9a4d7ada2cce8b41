//! Simple commands.

use super::Reader;
use super::declaration::{self, DECLARES};
use super::redirection::{Body, Redirected};
use super::word::{Place, Word};

/// Words that may not stand behind an assignment or a redirection where a program would.
const MISPLACED: &[&str] = &[
    "!", "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac",
    "select", "function",
];

/// Programs that run, read or declare what they are given; next to an expansion, and inside one, the
/// client does not look at it. Measured, word by word.
const OPAQUE: &[&str] = &[
    ".",
    ":",
    "alias",
    "arch",
    "awk",
    "bash",
    "bind",
    "break",
    "builtin",
    "bun",
    "busybox",
    "caffeinate",
    "chroot",
    "chrt",
    "cmd",
    "command",
    "compgen",
    "complete",
    "continue",
    "coproc",
    "dash",
    "declare",
    "deno",
    "doas",
    "enable",
    "env",
    "eval",
    "exec",
    "exit",
    "expect",
    "export",
    "fc",
    "find",
    "firejail",
    "fish",
    "flock",
    "gawk",
    "getopts",
    "hash",
    "ionice",
    "jobs",
    "ksh",
    "let",
    "local",
    "logout",
    "ltrace",
    "lua",
    "mapfile",
    "mawk",
    "nawk",
    "nice",
    "node",
    "noglob",
    "nohup",
    "parallel",
    "perl",
    "php",
    "pkexec",
    "powershell",
    "printf",
    "pwsh",
    "python",
    "python3",
    "read",
    "readarray",
    "readonly",
    "return",
    "ruby",
    "runuser",
    "screen",
    "script",
    "set",
    "setsid",
    "sh",
    "shift",
    "shopt",
    "socat",
    "source",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "taskset",
    "test",
    "time",
    "timeout",
    "tmux",
    "toybox",
    "trap",
    "typeset",
    "unset",
    "unshare",
    "valgrind",
    "wait",
    "watch",
    "xargs",
    "zsh",
];

impl Reader<'_> {
    pub(super) fn simple(&mut self) -> Option<()> {
        let mut words: Vec<String> = Vec::new();
        let mut assigned: Vec<&str> = Vec::new();
        let (mut redirected, mut late) = (false, false);
        let before = self.expanded;
        self.expanded = false;
        let quoted_before = std::mem::take(&mut self.quoted);
        let start = self.at;
        loop {
            self.blanks()?;
            match self.peek() {
                None | Some(b'\n' | b';' | b'|' | b')') => break,
                Some(b'&') if !self.rest().starts_with("&>") => break,
                Some(b'(') => return None,
                _ => {}
            }
            match self.redirection()? {
                Redirected::Not => {}
                // Words behind a redirection are read as if they belonged to it.
                Redirected::FromText if late => return None,
                Redirected::FromText => continue,
                Redirected::FromDocument(Body::Braced) => return None,
                Redirected::FromDocument(Body::Plain) => {
                    self.plain = false;
                    break;
                }
                Redirected::File => {
                    redirected = true;
                    late = !words.is_empty();
                    self.plain = false;
                    continue;
                }
            }
            if late || (words.is_empty() && self.assigns_element()) {
                return None;
            }
            let is_first = words.is_empty() && !redirected && assigned.is_empty();
            if words.is_empty() && !is_first && MISPLACED.contains(&self.bare_word()) {
                return None;
            }
            let name = self.assigned_name();
            let declares = words.first().is_some_and(|word| DECLARES.contains(&&**word));
            if let Some(name) = name.filter(|_| words.is_empty() || declares) {
                if matches!(name, "IFS" | "PS4") || (words.is_empty() && redirected) {
                    return None;
                }
                let word = self.word(Place::Assignment)?;
                if declares {
                    words.push(word.text);
                } else {
                    assigned.push(name);
                }
                self.plain = false;
                continue;
            }
            if !words.is_empty() && !declaration::is_read(&words[0], self.rest()) {
                return None;
            }
            let found = self.texts.len();
            let Word { text, starts_expanded } = self.word(Place::Argument)?;
            let substituted = starts_expanded || self.texts.len() > found;
            let is_odd_option = declares && declaration::is_odd_option(&words[0], &text);
            if (words.is_empty() && substituted) || is_odd_option {
                return None;
            }
            self.expanded |= starts_expanded;
            words.push(text);
        }
        if words.is_empty() {
            if self.at == start {
                return None;
            }
            let own = ["PATH", "HOME"].iter().any(|name| assigned.contains(name));
            return ((assigned.len() < 2 || redirected) && !own).then_some(());
        }
        // Next to an expansion the client reads words and plain quotes and nothing else.
        let program = words[0].rsplit('/').next().unwrap_or_default();
        if (self.expanded || self.inside) && (OPAQUE.contains(&program) || self.quoted) {
            return None;
        }
        self.quoted |= quoted_before;
        self.expanded |= before;
        self.texts.push(words.join(" "));
        Some(())
    }
}

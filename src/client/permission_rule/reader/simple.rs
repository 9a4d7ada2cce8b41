//! Simple commands.

use super::Reader;
use super::declaration::{self, DECLARES};
use super::redirection::Redirected;
use super::word::{Place, Word};

/// Words that may not stand behind an assignment or a redirection where a program would.
const MISPLACED: &[&str] = &[
    "!", "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac",
    "select", "function",
];

/// Programs that run, read or declare what they are given; beside an expansion the client does not
/// look at it. Measured, word by word.
const OPAQUE: &[&str] = &[
    ".",
    ":",
    "alias",
    "awk",
    "bash",
    "bind",
    "break",
    "builtin",
    "chroot",
    "command",
    "compgen",
    "complete",
    "continue",
    "coproc",
    "declare",
    "doas",
    "enable",
    "env",
    "eval",
    "exec",
    "exit",
    "export",
    "fc",
    "find",
    "flock",
    "getopts",
    "hash",
    "ionice",
    "jobs",
    "let",
    "local",
    "logout",
    "mapfile",
    "nice",
    "node",
    "noglob",
    "nohup",
    "parallel",
    "printf",
    "python3",
    "read",
    "readarray",
    "readonly",
    "return",
    "script",
    "set",
    "setsid",
    "sh",
    "shift",
    "shopt",
    "source",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "test",
    "time",
    "timeout",
    "trap",
    "typeset",
    "unset",
    "unshare",
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
        self.quoted = false;
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
                Redirected::FromDocument => {
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
        // Beside an expansion the client reads words and plain quotes and nothing else.
        if self.expanded && (OPAQUE.contains(&&*words[0]) || self.quoted) {
            return None;
        }
        self.expanded |= before;
        self.texts.push(words.join(" "));
        Some(())
    }
}

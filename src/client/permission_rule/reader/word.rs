//! Words and what expands in them.

use super::redirection::{Reader, document_text};

/// A document in a string, as in `git commit -m "$(cat <<'END' …"`.
const DOCUMENT: &str = "$(cat <<'";

/// The letter in the place of a usual variable, which no rule spells out.
const KNOWN: char = '\0';

/// Variables that every shell has, which the client minds only as a word of their own.
const USUAL: &str = "BASHPID BASH_VERSION EUID HOSTNAME IFS LINENO LOGNAME OLDPWD PATH PPID PWD \
    RANDOM SECONDS SHELL SHLVL TMPDIR UID USER";

/// Words that begin no simple command.
const RESERVED: &str = "! { } if then else elif fi for while until do done case esac select function \
    declare export local readonly typeset unset";

/// Programs that run, read or declare what they are given; next to an expansion, and inside one, the
/// client does not look at it. Measured, word by word.
const OPAQUE: &str = ". : alias arch awk bash bind break builtin bun busybox caffeinate chroot chrt \
    cmd command compgen complete continue coproc dash declare deno doas enable env eval exec exit \
    expect export fc find firejail fish flock gawk getopts hash ionice jobs ksh let local logout \
    ltrace lua mapfile mawk nawk nice node noglob nohup parallel perl php pkexec powershell printf \
    pwsh python python3 read readarray readonly return ruby runuser screen script set setsid sh \
    shift shopt socat source stdbuf strace su sudo systemd-run taskset test time timeout tmux toybox \
    trap typeset unset unshare valgrind wait watch xargs zsh";

fn lists(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|it| it == word)
}

pub(super) fn is_opaque(program: &str) -> bool {
    lists(OPAQUE, program.rsplit('/').next().unwrap_or_default())
}

pub(super) fn is_reserved(program: &str) -> bool {
    lists(RESERVED, program)
}

pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn substitution(text: &str) -> Option<(&str, &str)> {
    match text.strip_prefix('`') {
        Some(rest) => rest.split_once('`'),
        None => text.strip_prefix("$(")?.split_once(')'),
    }
}

impl Reader<'_> {
    /// Gives the text of an argument, or of the program.
    pub(super) fn word(&mut self, written: &str) -> Option<String> {
        let unquoted = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        // As good as bare.
        let is_lone = |text: &&str| substitution(text).is_some_and(|(_, rest)| rest.is_empty());
        let lone = unquoted.filter(is_lone).filter(|text| !text.starts_with(DOCUMENT));
        let written = lone.unwrap_or(written);
        if let Some(name) = written.strip_prefix('$')
            && (is_name(name) && name != "HOME" || name.len() == 1)
        {
            self.expanded = true;
            let is_sign = |sign: u8| sign.is_ascii_digit() || b"?@$#*!-".contains(&sign);
            return (is_name(name) || is_sign(name.as_bytes()[0])).then(String::new);
        }
        let mut text = String::with_capacity(written.len());
        let (mut rest, mut braces) = (written, false);
        while let Some(letter) = rest.chars().next() {
            let behind = &rest[letter.len_utf8()..];
            rest = match letter {
                '\'' => {
                    let (inside, behind) = behind.split_once('\'')?;
                    self.quoted = true;
                    text.push_str(inside);
                    behind
                }
                '"' => self.string(behind, &mut text)?,
                '$' if is_home(rest) => self.home(rest, &mut text),
                '$' | '`' => {
                    let (inside, behind) = substitution(rest)?;
                    self.expanded = true;
                    self.inner(inside, true)?;
                    // A quote next to it makes the client give up.
                    if written.contains(['\'', '"', '\\']) {
                        return None;
                    }
                    behind
                }
                '\\' => {
                    let next = behind.chars().next().filter(|next| !next.is_whitespace())?;
                    self.quoted = true;
                    braces |= next == '{';
                    text.push(next);
                    if next == ',' && braces {
                        return None;
                    }
                    &behind[next.len_utf8()..]
                }
                '(' | ')' | '<' | '>' => return None,
                ',' if braces => return None,
                '.' if braces && behind.starts_with('.') => return None,
                letter => {
                    braces |= letter == '{';
                    text.push(letter);
                    behind
                }
            };
        }
        Some(text)
    }

    /// `NAME=value`, of which the name is left.
    pub(super) fn assignment(&mut self, written: &str) -> Option<String> {
        let (name, value) = written.split_once('=')?;
        if !is_name(name) || matches!(name, "IFS" | "PS4") {
            return None;
        }
        self.plain = false;
        let mut text = format!("{name}=");
        if let Some((inside, "")) = substitution(value) {
            self.inner(inside, false)?;
        } else if value.contains(['~', '`']) || value.starts_with('$') {
            return None;
        } else if !value.is_empty() {
            let expanded = self.expanded;
            text.push_str(&self.word(value)?);
            if self.expanded != expanded {
                return None;
            }
        }
        Some(text)
    }

    /// `"…"` behind its first quote; gives the rest. An expansion next to a text makes no difference.
    fn string<'a>(&mut self, inside: &'a str, text: &mut String) -> Option<&'a str> {
        let (mut rest, mut letters, mut expands) = (inside, String::new(), false);
        loop {
            let letter = rest.chars().next()?;
            let behind = &rest[letter.len_utf8()..];
            rest = match letter {
                '"' => break rest = behind,
                '\\' => {
                    let next = behind.chars().next().filter(|next| *next != '\n')?;
                    if !matches!(next, '"' | '\\' | '$' | '`') {
                        text.push('\\');
                    }
                    text.push(next);
                    letters.push('\\');
                    &behind[next.len_utf8()..]
                }
                '$' if is_home(rest) => {
                    self.quoted = true;
                    self.home(rest, text)
                }
                '$' if rest.starts_with(DOCUMENT) => document_text(&rest[DOCUMENT.len()..])?,
                '$' | '`' => {
                    if let Some((inside, behind)) = substitution(rest) {
                        expands = true;
                        self.inner(inside, false)?;
                        behind
                    } else if let Some(length) = usual(behind) {
                        let behind = &behind[length..];
                        // `:x` means something to some shells.
                        let is_changed = behind
                            .strip_prefix(':')
                            .is_some_and(|it| it.starts_with(|c: char| c.is_ascii_alphabetic()));
                        if is_changed || behind.starts_with('[') {
                            return None;
                        }
                        (expands, self.plain) = (true, false);
                        text.push(KNOWN);
                        behind
                    } else if letter == '$' && behind.starts_with(is_literal_behind_dollar) {
                        text.push('$');
                        behind
                    } else {
                        return None;
                    }
                }
                letter => {
                    text.push(letter);
                    letters.push(letter);
                    behind
                }
            };
        }
        // The client does not see a single character.
        let is_texty = letters.chars().count() > 1 && !letters.trim().is_empty();
        (!expands || is_texty).then_some(rest)
    }

    /// Reads bare commands in `$( … )`; where `alone`, the client looks into one that runs nothing else.
    fn inner(&mut self, inside: &str, alone: bool) -> Option<()> {
        let is_bare =
            |letter: char| letter.is_ascii_alphanumeric() || " ./_-:,@%+=*?~|&".contains(letter);
        if !inside.chars().all(is_bare) {
            return None;
        }
        let commands =
            inside.split("&&").flat_map(|it| it.split("||")).flat_map(|it| it.split('|'));
        for (at, command) in commands.enumerate() {
            let words: Vec<&str> = command.split_ascii_whitespace().collect();
            let program = *words.first()?;
            let is_odd = words.iter().any(|word| word.starts_with('=') || word.contains('&'));
            if is_odd || program.contains('=') || is_reserved(program) {
                return None;
            }
            if alone && (at > 0 || is_opaque(program)) {
                return None;
            }
            self.plain &= at == 0;
            self.texts.push(words.join(" "));
        }
        Some(())
    }

    /// Puts in the value of `$HOME` as the client does, and gives what follows it.
    fn home<'a>(&self, rest: &'a str, text: &mut String) -> &'a str {
        match self.home {
            "" => text.push(KNOWN),
            home => text.push_str(home),
        }
        &rest["$HOME".len()..]
    }
}

fn is_home(text: &str) -> bool {
    text.strip_prefix("$HOME")
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
}

fn is_literal_behind_dollar(next: char) -> bool {
    !next.is_ascii_alphanumeric() && !"_{([?@*#!-$".contains(next)
}

/// Gives the length of a usual variable's name, or of a sign such as `?`, at the start of a text.
fn usual(text: &str) -> Option<usize> {
    if text.starts_with(['?', '!', '#', '$', '-']) {
        return Some(1);
    }
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    lists(USUAL, &text[..end]).then_some(end)
}

//! Programs that are written on the line: what they delete, and what they have a shell run.

use super::super::Word;
use super::super::programs::{self, Language, names, writes_to_device};
use super::options::{Argument, Options};
use super::state::{Place, Walk};
use super::tokens::{Token, tokens};

/// So many names that a program gives to others are read.
const RENAMES: usize = 32;
/// So many tokens of a call's arguments are read.
const READ: usize = 256;
/// Ends of the names of functions that decode a text.
const DECODING: &[&str] = &["64decode", "64_decode", "decode64", "atob", "fromhex", "unpack"];
/// The number of programs that may be written inside each other.
const NESTED: usize = 4;

impl Walk<'_> {
    pub(super) fn interpreter(&mut self, program: &str, arguments: &[Word<'_>], place: Place<'_>) {
        let Some(interpreter) = programs::interpreter(program) else { return };
        let mut texts: Vec<String> = Vec::new();
        let mut operands: Vec<&Word<'_>> = Vec::new();
        for argument in Options::new(arguments, interpreter.values) {
            match argument {
                Argument::Option { name, value: Some(value) } => {
                    if name == "-m" || name == "-f" {
                        return;
                    }
                    if interpreter.programs.contains(&&*name) {
                        if value.trim_start().starts_with(['$', '`']) {
                            self.foreign_text(&value, place);
                        }
                        texts.push(value.into_owned());
                    }
                }
                Argument::Operand(word) => operands.push(word),
                _ => {}
            }
        }
        let first = operands.first().map(|word| &*word.text);
        match (interpreter.language, first) {
            (Language::Awk, Some(text)) if texts.is_empty() => texts.push(text.to_owned()),
            (Language::JavaScript, Some("eval")) if program == "deno" => {
                texts.extend(operands[1..].iter().map(|word| word.text.to_string()));
            }
            (_, None | Some("-" | "/dev/stdin")) if texts.is_empty() => {
                self.foreign_input(place);
                texts.extend(self.input(place));
            }
            (_, Some(file)) if texts.is_empty() => {
                self.foreign_text(file, place);
                self.foreign_file(file, place);
            }
            _ => {}
        }
        for text in texts {
            self.program_text(&text, interpreter.language, place, NESTED);
        }
    }

    fn program_text(&mut self, text: &str, language: Language, place: Place<'_>, nested: usize) {
        if !self.spend(text.len()) {
            return;
        }
        let has = |part: &str| text.contains(part);
        if has("connect(") && (has("dup2(") || has("pty.spawn(")) {
            self.foreign("pty", &place.command.source, place);
        }
        if has("fetch(") && has("then(eval)") {
            self.foreign("fetch", &place.command.source, place);
        }
        let tokens = tokens(text, language);
        self.complete &= tokens.len() < super::tokens::MOST;
        // `import x as y`
        let aliases: Vec<(&str, &str)> = tokens
            .windows(3)
            .filter_map(|three| match three {
                [Token::Name(old), Token::Name("as"), Token::Name(new)] => Some((*new, *old)),
                _ => None,
            })
            .take(RENAMES)
            .collect();
        let renamed = |name| aliases.iter().find(|(new, _)| *new == name).map(|(_, old)| *old);
        for (at, token) in tokens.iter().enumerate() {
            let name = match token {
                Token::Shell(script) if language != Language::Other => {
                    self.script(script, place.depth + 1);
                    continue;
                }
                Token::Name(name) => renamed(*name).unwrap_or(name),
                // `getattr(os, "unlink")(…)` and `fs["unlink"](…)`
                Token::Text(name) if is_selector(&tokens, at) => name,
                _ => continue,
            };
            let call = Call::at(&tokens, at, name);
            if !call.calls {
                continue;
            }
            if let Some(origin) = call.origin
                && (matches!(name, "eval" | "exec") || runs_shell(name, &call))
            {
                self.foreign(origin, &place.command.source, place);
            }
            if matches!(name, "eval" | "exec") && nested > 0 && call.texts.len() == 1 {
                self.program_text(&call.texts[0], language, place, nested - 1);
            }
            if matches!(name, "execute" | "executescript") {
                for text in &call.texts {
                    if self.spend(text.len()) {
                        self.statements(text, place);
                    }
                }
            }
            let before = matches!(name, "write_bytes" | "write_text").then(|| &tokens[..at]);
            let path = before.and_then(|before| match before {
                [.., Token::Text(path), Token::Sign(')'), Token::Sign('.')] => Some(path),
                _ => None,
            });
            let opened = match (name, &call.texts[..]) {
                ("open", [file, rest @ ..]) => Some(file).filter(|_| {
                    call.writes || rest.first().is_some_and(|mode| mode.contains(['w', 'a', '+']))
                }),
                _ => None,
            };
            if let Some(file) = path.or(opened).filter(|file| writes_to_device(file)) {
                self.show("dd", &[Word::literal(format!("of={file}"))], place);
            } else if runs_shell(name, &call) {
                self.run_by_program(&call, place);
            } else if let Some(program) = deletes(name, &call) {
                let mut words = vec![Word::literal(program.option)];
                words.retain(|word| !word.text.is_empty());
                words.extend(call.arguments().map(Word::literal));
                if call.texts.is_empty() {
                    words.extend(looped(&tokens, at, call.receiver).into_iter().map(Word::literal));
                }
                self.show(program.name, &words, place);
            }
        }
    }

    /// One text is read by a shell; of several the first is the program.
    fn run_by_program(&mut self, call: &Call<'_>, place: Place<'_>) {
        match &call.texts[..] {
            [] => {}
            [script] => self.script(script, place.depth + 1),
            // `' '.join([…])`
            [between, words @ ..] if between.trim().is_empty() => {
                self.script(&words.join(" "), place.depth + 1);
            }
            [script, ..] if script.contains(' ') => self.script(script, place.depth + 1),
            words => {
                let words: Vec<Word<'_>> =
                    words.iter().map(|text| Word::literal(text.as_str())).collect();
                self.call_deeper(&words, place);
            }
        }
    }
}

/// Returns whether a text names a function that is called with what follows its bracket.
fn is_selector(tokens: &[Token<'_>], at: usize) -> bool {
    matches!(tokens.get(at + 1), Some(Token::Sign(')' | ']')))
        && matches!(tokens.get(at + 2), Some(Token::Sign('(')))
}

/// The texts that a `for` goes over whose variable a call is given: those of a list, or the folder of a listing.
fn looped(tokens: &[Token<'_>], at: usize, receiver: &str) -> Vec<String> {
    let variable = match tokens.get(at + 2) {
        Some(Token::Name(name)) => *name,
        _ => receiver,
    };
    let begins = |three: &[Token<'_>]| match three {
        [Token::Name("for"), Token::Name(name), Token::Name("in")] => *name == variable,
        _ => false,
    };
    let before = &tokens[at.saturating_sub(READ)..at];
    let Some(start) = before.windows(3).rposition(begins) else { return Vec::new() };
    let over = &before[start + 3..];
    let is_list = matches!(over.first(), Some(Token::Sign('[' | '(')));
    let head = over.iter().take_while(|token| !matches!(token, Token::Sign(':')));
    let texts = head.filter_map(|token| match token {
        Token::Text(text) => Some(text.clone()),
        _ => None,
    });
    texts.take(if is_list { READ } else { 1 }).collect()
}

struct Call<'t> {
    calls: bool,
    /// The name in front of its dot.
    receiver: &'t str,
    texts: Vec<String>,
    numbers: Vec<&'t str>,
    recursive: bool,
    /// The way by which an argument is decoded or fetched first.
    origin: Option<&'static str>,
    /// True if a file is opened to write to it, by an argument with a name.
    writes: bool,
}

impl<'t> Call<'t> {
    fn at(tokens: &'t [Token<'t>], at: usize, name: &str) -> Self {
        let sign = |at: Option<usize>| match at.and_then(|at| tokens.get(at)) {
            Some(Token::Sign(sign)) => *sign,
            _ => ' ',
        };
        let dotted = matches!(sign(at.checked_sub(1)), '.' | ':' | '>');
        let before = (1..=3).filter_map(|back| tokens.get(at.checked_sub(back)?));
        let receiver = before.filter(|_| dotted).find_map(|token| match token {
            Token::Name(name) => Some(*name),
            _ => None,
        });
        let selects = matches!(tokens.get(at), Some(Token::Text(_)));
        let start = if selects { at + 2 } else { at + 1 };
        // `script` is the last word of `do shell script "…"`.
        let calls = match tokens.get(start) {
            Some(Token::Sign(',')) => sign(at.checked_sub(1)) == ':',
            Some(Token::Text(_) | Token::Sign('(' | '$' | '<')) => true,
            Some(Token::Name(next)) => *next == "glob" && name == "unlink",
            _ => false,
        };
        let mut call = Self {
            calls,
            receiver: receiver.unwrap_or_default(),
            texts: Vec::new(),
            numbers: Vec::new(),
            recursive: false,
            origin: None,
            writes: false,
        };
        if calls {
            call.read(&tokens[start..]);
        }
        // What is called on a path, as in `Path("x").unlink()`.
        if dotted && call.texts.is_empty() {
            let before = tokens[..at].iter().rev().take(4);
            call.texts.extend(before.filter_map(|token| match token {
                Token::Text(text) => Some(text.clone()),
                _ => None,
            }));
        }
        call
    }

    /// Reads the arguments up to the bracket or the end of the statement that closes them.
    fn read(&mut self, tokens: &'t [Token<'t>]) {
        let mut depth = 0_i32;
        let mut joins = false;
        for (at, token) in tokens.iter().enumerate().take(READ) {
            match token {
                Token::Sign('(' | '[' | '{') => depth += 1,
                Token::Sign(')' | ']' | '}') => {
                    depth -= 1;
                    if depth <= 0 {
                        return;
                    }
                }
                Token::Sign(';') if depth == 0 => return,
                Token::Sign('+') => joins = true,
                Token::Text(text) => {
                    let is_value =
                        at > 0 && matches!(tokens[at - 1], Token::Sign('=' | ':')) && depth > 0;
                    match self.texts.last_mut().filter(|_| joins) {
                        Some(last) => last.push_str(text),
                        None if is_value => {
                            let is_mode = at > 1 && matches!(tokens[at - 2], Token::Name("mode"));
                            self.writes |= is_mode && text.contains(['w', 'a', '+']);
                        }
                        None => self.texts.push(text.clone()),
                    }
                    joins = false;
                }
                Token::Name(name) => {
                    self.recursive |= name.eq_ignore_ascii_case("recursive");
                    self.writes |= matches!(*name, "O_WRONLY" | "O_RDWR");
                    let fetches = matches!(*name, "urlopen" | "requests").then_some("fetch");
                    let decodes = DECODING.iter().any(|it| name.ends_with(it)).then_some("base64");
                    self.origin = self.origin.or(fetches).or(decodes);
                    let is_number = name.starts_with(|first: char| first.is_ascii_digit());
                    self.numbers.extend(is_number.then_some(*name));
                }
                _ => {}
            }
        }
    }

    fn arguments(&self) -> impl Iterator<Item = String> {
        let mode = self.numbers.first().map(|mode| mode.trim_start_matches("0o").to_owned());
        mode.into_iter().chain(self.texts.iter().cloned())
    }
}

fn runs_shell(name: &str, call: &Call<'_>) -> bool {
    match name {
        "script" | "system" | "popen" | "Popen" | "exec" | "execSync" | "execFile"
        | "execFileSync" | "spawn" | "spawnSync" | "shell_exec" | "passthru" | "proc_open"
        | "getoutput" | "getstatusoutput" | "check_call" | "check_output" | "execvp" | "execv"
        | "execl" | "execlp" | "execve" | "spawnv" | "spawnl" | "posix_spawn" | "execute"
        | "popen2" | "popen3" | "capture2" | "capture3" | "cmd" => true,
        "run" | "call" => call.receiver != "app",
        _ => false,
    }
}

struct Equal {
    name: &'static str,
    option: &'static str,
}

/// Functions that delete a directory with all that is in it.
const TREES: &[&str] = names!(
    "rmtree" "rm_rf" "rm_r" "remove_tree" "remove_dir" "remove_entry" "remove_entry_secure" "rimraf"
    "emptyDirSync" "emptyDir" "rm_tree" "remove_dir_all"
);

fn deletes(name: &str, call: &Call<'_>) -> Option<Equal> {
    let of_files = || {
        let owners =
            ["os", "fs", "path", "File", "Dir", "Files", "FileUtils", "file", "Deno", "promises"];
        owners.contains(&call.receiver) || call.receiver.ends_with("fs")
    };
    let equal = |name, option| Some(Equal { name, option });
    match name {
        _ if TREES.contains(&name) => equal("rm", "-rf"),
        "rm" | "rmSync" | "rmdir" | "rmdirSync" | "unlink" | "unlinkSync" | "remove"
        | "removeSync"
            if call.recursive =>
        {
            equal("rm", "-rf")
        }
        "unlink" | "unlinkSync" | "rmSync" => equal("unlink", ""),
        "rm" if !call.receiver.is_empty() || call.texts.len() == 1 => equal("unlink", ""),
        "removeSync" | "remove" | "delete" | "delete_if_exists" | "deleteIfExists"
            if of_files() =>
        {
            equal("unlink", "")
        }
        "rmdir" | "rmdirSync" | "removedirs" => equal("rmdir", ""),
        "truncate" | "truncateSync" if of_files() => equal("truncate", "-s0"),
        "chmod" | "chmodSync" | "lchmod" => equal("chmod", ""),
        _ => None,
    }
}

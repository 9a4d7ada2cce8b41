//! Programs that are written on the line: what they delete, and what they have a shell run.

use super::super::Word;
use super::super::programs::{self, Language, writes_to_device};
use super::bound::{Bound, aliases, bound, is_selector};
use super::listings::{listed, variables};
use super::options::{Argument, Options};
use super::output::printed;
use super::state::{Place, Walk, base_name};
use super::tokens::{READ, Token, tokens};
use super::variables::{Value, Values};
use crate::syntax::named::listed;

static RUNS_SHELL: &[&str] = listed!("RUNS_SHELL");
static STATEMENTS: &[&str] = listed!("STATEMENTS");
static DECODING: &[&str] = listed!("DECODING");
/// The work that it takes to look at a token for what is listed.
const LOOKED: usize = 8;
/// The number of programs that may be written inside each other.
const NESTED: usize = 4;
/// So many words of a program are looked for among the files that the line has written.
const MODULES: usize = 32;

impl Walk<'_> {
    pub(super) fn interpreter(&mut self, program: &str, arguments: &[Word<'_>], place: Place<'_>) {
        let Some(interpreter) = programs::interpreter(program) else { return };
        let mut texts: Vec<String> = Vec::new();
        let mut operands: Vec<&Word<'_>> = Vec::new();
        for argument in Options::new(arguments, interpreter.values) {
            match argument {
                Argument::Option { name, value: Some(value) } => {
                    if name == "-m"
                        && let Some(text) = self.files.text(&format!("{value}.py"))
                        && self.spend(text.len())
                    {
                        texts.push(text);
                        continue;
                    }
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
                let inside = file.strip_prefix("<(").and_then(|it| it.strip_suffix(')'));
                texts.extend(match inside {
                    Some(inside) => printed(inside, &self.files),
                    None => self.files.text(file),
                });
            }
            _ => {}
        }
        let may_import = interpreter.language == Language::Python && !self.files.is_empty();
        if let Some(text) = texts.first().filter(|_| may_import) {
            let mut words = text.split([' ', ',', ';', '\n']).take(MODULES);
            texts.extend(words.find_map(|name| self.files.text(&format!("{name}.py"))));
        }
        for text in texts {
            self.program_text(&text, interpreter.language, place, NESTED);
            let runs = ["system", "subprocess", "exec"].iter().any(|it| text.contains(it));
            if interpreter.language == Language::Awk {
                self.awk(&text, arguments, place);
            } else if runs && (text.contains("argv") || text.contains("ARGV")) {
                for word in operands.iter().filter(|word| word.text.contains(' ')) {
                    self.script(&word.text, place.depth + 1);
                }
                let own = arguments.iter().position(|word| *word.text == *text);
                let given = arguments.get(own.map_or(arguments.len(), |at| at + 1)..);
                self.call_deeper(given.unwrap_or_default(), place);
            }
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
        let aliases = aliases(&tokens);
        let bound = bound(&tokens);
        let variables = variables(&tokens);
        for (at, token) in tokens.iter().enumerate() {
            if let Token::Shell(script) = token {
                if language != Language::Other {
                    self.script(script, place.depth + 1);
                }
                continue;
            }
            let Some(name) = called(&tokens, at, &aliases, &bound) else { continue };
            let mut call = Call::at(&tokens, at, name, &bound);
            if !call.calls {
                continue;
            }
            if !self.spend(LOOKED * call.names.len()) {
                return;
            }
            if let Some(origin) = call.origin
                && (matches!(name, "eval" | "exec") || runs_shell(name, &call))
            {
                self.foreign(origin, &place.command.source, place);
            }
            if matches!(name, "eval" | "exec") && nested > 0 && call.texts.len() == 1 {
                self.program_text(&call.texts[0], language, place, nested - 1);
            }
            if STATEMENTS.contains(&name) && !has(":memory:") {
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
            let is_nothing = match (name, &call.texts[..]) {
                ("open", [_, mode]) => {
                    mode == "w" && tokens.get(at + 7) == Some(&Token::Name("close"))
                }
                ("writeFileSync" | "file_put_contents", [_, text]) => {
                    text.is_empty() && call.names.is_empty()
                }
                _ => false,
            };
            if is_nothing {
                self.show("truncate", &["-s0", &call.texts[0]].map(Word::literal), place);
            } else if let Some(file) = path.or(opened).filter(|file| writes_to_device(file)) {
                self.show("dd", &[Word::literal(format!("of={file}"))], place);
            } else if runs_shell(name, &call) {
                let given = self.given(&tokens, (at, &call.names), &variables, &bound);
                self.run_by_program(call, given, &bound, place);
            } else if let Some(program) = deletes(name, &call) {
                let mut words = vec![Word::literal(program.option)];
                words.retain(|word| !word.text.is_empty());
                words.extend(call.arguments().map(Word::literal));
                let hits = self
                    .spend(LOOKED * tokens.len())
                    .then(|| listed(&tokens, &call.texts, &call.names, call.receiver))
                    .flatten();
                if let Some(hits) = hits {
                    words.truncate(usize::from(!program.option.is_empty()));
                    words.extend(hits.into_iter().map(Word::literal));
                } else if call.texts.is_empty() {
                    call.names.push(call.receiver);
                    let given = self.given(&tokens, (at, &call.names), &variables, &bound);
                    words.extend(given.into_iter().map(Word::literal));
                }
                self.show(program.name, &words, place);
            }
        }
    }

    /// One text is read by a shell; of several the first is the program.
    fn run_by_program(
        &mut self,
        mut call: Call<'_>,
        given: Vec<String>,
        bound: &Bound<'_>,
        place: Place<'_>,
    ) {
        let length = self.variables.len();
        for (name, texts) in bound {
            let value = Value { text: texts.concat(), expanded: false };
            self.variables.push(name, Values::OneOf(vec![value]));
        }
        if call.texts.is_empty() {
            let complete = self.complete;
            for text in given {
                self.script(&text, place.depth + 1);
            }
            // Not each text is a script after all.
            self.complete = complete;
        } else if !call.texts.iter().any(|text| text.contains(' ')) {
            call.texts.extend(given);
        }
        match &call.texts[..] {
            [] => {}
            [script] => self.script(script, place.depth + 1),
            // `' '.join([…])`
            [between, words @ ..] if between.trim().is_empty() => {
                self.script(&words.join(between), place.depth + 1);
            }
            [script, ..] if script.contains(' ') => self.script(script, place.depth + 1),
            words => {
                // `execvp` takes the program's name once more.
                let is_named = matches!(words, [path, name, ..] if base_name(path) == name);
                let words = &words[usize::from(is_named)..];
                let words: Vec<Word<'_>> =
                    words.iter().map(|text| Word::literal(text.as_str())).collect();
                self.call_deeper(&words, place);
            }
        }
        self.variables.truncate(length);
    }
}

/// The name of the function that a token may call.
fn called<'t>(
    tokens: &'t [Token<'t>],
    at: usize,
    aliases: &[(&'t str, &'t str)],
    bound: &'t Bound<'t>,
) -> Option<&'t str> {
    let is_before = |sign| tokens.get(at + 1) == Some(&Token::Sign(sign));
    match &tokens[at] {
        Token::Name(name) => {
            let renamed = aliases.iter().find(|(new, _)| new == name).map(|(_, old)| *old);
            let may_call = is_selector(tokens, at) || is_before('(');
            let text = bound.iter().rfind(|(known, _)| may_call && known == name);
            let text = text.and_then(|(_, texts)| texts.first()).map(String::as_str);
            Some(renamed.or(text).unwrap_or(name))
        }
        // `getattr(os, "unlink")(…)` and `fs["unlink"](…)`
        Token::Text(name) if is_selector(tokens, at) => Some(name),
        // `call_user_func("system", …)`
        Token::Text(name) => {
            let passes = matches!(
                tokens.get(at.wrapping_sub(2)),
                Some(Token::Name("call_user_func" | "array_map"))
            );
            (passes && is_before(',')).then_some(name)
        }
        _ => None,
    }
}

/// The folder that a whole argument is: the user's home, or the one that the program works in.
fn known_folder(tokens: &[Token<'_>], at: usize) -> Option<&'static str> {
    let before: Vec<_> = tokens[..at].iter().rev().take(2).collect();
    let (folder, ends) = match (&tokens[at], &before[..]) {
        (Token::Name("HOME"), [Token::Sign('.'), Token::Name("env")]) => ("~", ""),
        (Token::Name("HOME"), [Token::Sign('{'), Token::Name("ENV")]) => ("~", "}"),
        (Token::Name("home" | "homedir"), [Token::Sign('.'), ..]) => ("~", "()"),
        (Token::Name("cwd" | "getcwd" | "pwd"), [Token::Sign('.'), ..]) => (".", "()"),
        _ => return None,
    };
    let mut after = tokens[at + 1..].iter().peekable();
    for end in ends.chars() {
        after.next_if(|token| **token == Token::Sign(end));
    }
    matches!(after.next(), Some(Token::Sign(')' | ',' | '/' | '+')) | None).then_some(folder)
}

struct Call<'t> {
    calls: bool,
    /// The name in front of its dot.
    receiver: &'t str,
    texts: Vec<String>,
    names: Vec<&'t str>,
    numbers: Vec<&'t str>,
    recursive: bool,
    /// The way by which an argument is decoded or fetched first.
    origin: Option<&'static str>,
    /// True if a file is opened to write to it, by an argument with a name.
    writes: bool,
}

impl<'t> Call<'t> {
    fn at(tokens: &'t [Token<'t>], at: usize, name: &str, bound: &Bound<'_>) -> Self {
        let sign = |at: Option<usize>| match at.and_then(|at| tokens.get(at)) {
            Some(Token::Sign(sign)) => *sign,
            _ => ' ',
        };
        let dotted = matches!(sign(at.checked_sub(1)), '.' | ':' | '>');
        let before = (1..=3).filter_map(|back| tokens.get(at.checked_sub(back)?));
        let receiver = before.filter(|_| dotted).find_map(|token| match token {
            Token::Name(name) => Some(*name),
            // `require('x').name(…)`
            Token::Text(name) => Some(name.as_str()),
            Token::Shell(_) | Token::Sign(_) => None,
        });
        let passes = matches!(tokens.get(at), Some(Token::Text(_))) && sign(Some(at + 1)) == ',';
        let selects = is_selector(tokens, at) && !passes;
        // `map(os.remove, …)`
        let is_mapped = [2, 4]
            .iter()
            .any(|back| at.checked_sub(*back).is_some_and(|at| tokens[at] == Token::Name("map")));
        let is_marked = sign(Some(at + 1)) == '!';
        let start = if selects || is_marked { at + 2 } else { at + 1 };
        // `script` is the last word of `do shell script "…"`.
        let calls = match tokens.get(start) {
            Some(Token::Sign(',')) if is_mapped => true,
            Some(Token::Sign(',')) => passes || sign(at.checked_sub(1)) == ':',
            Some(Token::Text(_) | Token::Sign('(' | '$' | '<')) => true,
            Some(Token::Name(next)) => {
                (matches!(*next, "glob" | "for") && name == "unlink")
                    || (receiver == Some("File") && matches!(name, "unlink" | "delete"))
                    || (*next == "join" && matches!(name, "exec" | "system"))
                    || receiver == Some("FileUtils")
            }
            _ => false,
        };
        let mut call = Self {
            calls,
            receiver: receiver.unwrap_or_default(),
            texts: Vec::new(),
            names: Vec::new(),
            numbers: Vec::new(),
            recursive: false,
            origin: None,
            writes: false,
        };
        if calls {
            let runs = runs_shell(name, &call);
            call.read(&tokens[start..], runs, bound);
        }
        // What is called on a path, as in `Path("x").unlink()`.
        if dotted && call.texts.is_empty() {
            let before = tokens[..at].iter().enumerate().rev().take(4);
            let is_module =
                |at: usize| at > 1 && matches!(tokens[at - 2], Token::Name("require" | "import"));
            call.texts.extend(before.filter_map(|(at, token)| match token {
                Token::Text(text) if !is_module(at) => Some(text.clone()),
                _ => None,
            }));
        }
        call
    }

    /// Reads the arguments up to the bracket or the end of the statement that closes them.
    /// To a text that a shell reads an unknown one is joined by a name in its place.
    fn read(&mut self, tokens: &'t [Token<'t>], runs: bool, bound: &Bound<'_>) {
        let mut depth = 0_i32;
        let mut joins = false;
        // The depth in a call that joins the parts of a path, and whether one follows.
        let (mut path, mut part_follows) = (i32::MAX, false);
        let is_sign = |at: usize, sign| at > 0 && tokens[at - 1] == Token::Sign(sign);
        let is_value = |at: usize| is_sign(at, '=') || is_sign(at, ':');
        for (at, token) in tokens.iter().enumerate().take(READ) {
            match token {
                Token::Sign('(' | '[' | '{') => depth += 1,
                Token::Sign(')' | ']' | '}') => {
                    depth -= 1;
                    path = if depth < path { i32::MAX } else { path };
                    if depth <= 0 {
                        return;
                    }
                }
                Token::Sign(';') if depth == 0 => return,
                Token::Sign('+') => joins = true,
                Token::Sign(',') if depth == path => part_follows = !self.texts.is_empty(),
                Token::Sign('/') => part_follows = !self.texts.is_empty(),
                Token::Sign('.')
                    if match tokens.get(at + 1) {
                        Some(Token::Text(_)) => true,
                        // PHP
                        Some(Token::Sign('$')) => runs,
                        _ => false,
                    } =>
                {
                    joins = true;
                }
                // `[::-1]`
                Token::Sign('-')
                    if is_sign(at, ':') && at > 1 && tokens[at - 2] == Token::Sign(':') =>
                {
                    self.origin = self.origin.or(Some("base64"));
                }
                Token::Text(text) => {
                    if let Some(last) = self.texts.last_mut().filter(|_| part_follows) {
                        last.push('/');
                        joins = true;
                    }
                    part_follows = false;
                    let is_value = is_value(at) && depth > 0;
                    self.origin = self.origin.or((text == "base64").then_some("base64"));
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
                    let known = known_folder(tokens, at).filter(|_| self.texts.is_empty());
                    let is_whole = depth == 1 + i32::from(is_sign(at, '{')) || depth == path;
                    let is_path =
                        *name == "join" && matches!(tokens[..at], [.., Token::Name(_), _]);
                    path = if is_path { depth + 1 } else { path };
                    self.texts.extend(known.filter(|_| is_whole).map(str::to_owned));
                    let is_keyword = tokens.get(at + 1) == Some(&Token::Sign('='));
                    let is_free = depth <= 1 + i32::from(runs)
                        && !is_keyword
                        && !is_value(at)
                        && !is_sign(at, '.');
                    let texts = bound.iter().rfind(|(known, _)| is_free && known == name);
                    match (texts, self.texts.last_mut().filter(|_| joins)) {
                        (Some((_, texts)), Some(last)) => {
                            last.push_str(&texts.join(" "));
                            joins = false;
                        }
                        (Some((_, texts)), None) => self.texts.extend(texts.iter().cloned()),
                        _ => {}
                    }
                    if let Some(last) = self.texts.last_mut().filter(|_| runs && joins) {
                        last.push_str("$it");
                        joins = false;
                    }
                    self.names.push(name);
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
    RUNS_SHELL.contains(&name) || matches!(name, "run" | "call") && call.receiver != "app"
}

struct Equal {
    name: &'static str,
    option: &'static str,
}

static TREES: &[&str] = listed!("TREES");

fn deletes(name: &str, call: &Call<'_>) -> Option<Equal> {
    let of_files = || {
        let owners =
            ["os", "fs", "path", "File", "Dir", "Files", "FileUtils", "file", "Deno", "promises"];
        owners.contains(&call.receiver) || call.receiver.ends_with("fs")
    };
    let equal = |name, option| Some(Equal { name, option });
    match name {
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

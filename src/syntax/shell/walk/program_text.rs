//! Programs that are written on the line: what they delete, and what they have a shell run.

use std::borrow::Cow;

use super::super::Word;
use super::super::programs::{self, Language, writes_to_device};
use super::bound::{aliases, attributes, bound, is_selector};
use super::call::{Call, runs_shell};
use super::deletions::{deletes, empties};
use super::given::{Given, given, names_of, values};
use super::items::{Bound, Known, filled, items, known};
use super::keys::keyed;
use super::libraries::Methods;
use super::listings::listed;
use super::options::{Argument, Options};
use super::simulated::{TEMPORARY, has_no_files, is_simulated, mocked, only_says};
use super::state::{Place, Walk, base_name};
use super::tokens::{READ, Token, tokens};
use crate::syntax::named::listed;

static STATEMENTS: &[&str] = listed!("STATEMENTS");
static WRITES: &[&str] = listed!("WRITES");
/// The work that it takes to look at a token for what is listed.
const LOOKED: usize = 8;
/// The number of programs that may be written inside each other.
pub(super) const NESTED: usize = 4;
/// So many words of a program are looked for among the files that the line has written.
const MODULES: usize = 32;

/// A program and its language.
struct Program<'p> {
    /// True if nothing is left of what it does to servers.
    is_simulated: bool,
    tokens: &'p [Token<'p>],
    language: Language,
    /// So many programs may be written in it inside each other.
    nested: usize,
}

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
            (Language::JavaScript, Some("run")) => {
                let behind = arguments.iter().position(|word| word.text == "run");
                let skips = |word: &&Word<'_>| word.text.starts_with('-') && word.text.len() > 1;
                let rest = &arguments[behind.map_or(0, |at| at + 1)..];
                let options = rest.iter().take_while(skips).count();
                return self.interpreter("node", &rest[options..], place);
            }
            (_, None | Some("-" | "/dev/stdin")) if texts.is_empty() => {
                self.foreign_input(place);
                texts.extend(self.input(place));
            }
            (_, Some(file)) if texts.is_empty() => {
                self.foreign_text(file, place);
                self.foreign_file(file, place);
                texts.extend(self.text_of_file(file));
            }
            _ => {}
        }
        let may_import = interpreter.language == Language::Python && !self.files.is_empty();
        if let Some(text) = texts.first().filter(|_| may_import) {
            let mut words = text.split([' ', ',', ';', '\n']).take(MODULES);
            texts.extend(words.find_map(|name| self.files.text(&format!("{name}.py"))));
        }
        for text in texts {
            let behind = arguments.iter().position(|word| *word.text == *text);
            let file = first.and_then(|file| arguments.iter().position(|it| it.text == file));
            let of_line = given_words(interpreter.language, arguments, behind, file);
            self.program_text(&text, (interpreter.language, NESTED), of_line, place);
            if interpreter.language == Language::Awk {
                self.awk(&text, arguments, place);
            }
        }
    }

    /// Looks at what `go run` runs, with `main.go` for the folder.
    pub(super) fn go_run(&mut self, arguments: &[Word<'_>], place: Place<'_>) {
        if let Some((first, rest)) = arguments.split_first()
            && first.text == "run"
        {
            let named = |it: &Word<'_>| match &*it.text {
                "." => Word::literal("main.go".to_owned()),
                text => Word::literal(text.to_owned()),
            };
            let words: Vec<Word<'static>> = rest.iter().map(named).collect();
            self.interpreter("node", &words, place);
        }
    }

    pub(super) fn program_text(
        &mut self,
        text: &str,
        (language, nested): (Language, usize),
        of_line: Bound<'_>,
        place: Place<'_>,
    ) {
        if !self.spend(text.len()) {
            return;
        }
        let has = |part: &str| text.contains(part);
        self.fetches(text, place);
        let tokens = tokens(text, language);
        self.complete &= tokens.len() < super::tokens::MOST;
        let tokens = attributes(tokens);
        let aliases = aliases(&tokens);
        let mut bound = bound(&tokens, of_line);
        let given = given(&tokens);
        let keyed = keyed(&tokens, &bound);
        let is_simulated = is_simulated(text);
        let program = Program { is_simulated, tokens: &tokens, language, nested };
        if language == Language::Perl {
            self.found_by_perl(&tokens, &bound, place);
        }
        let (mocked, says) = (mocked(text), only_says(text) || has_no_files(text));
        let goes = has("cwd") && TEMPORARY.iter().any(|it| has(it));
        let mut methods = Methods::new(text);
        let outside = self.folder.clone();
        self.sent(&tokens, place);
        for (at, token) in tokens.iter().enumerate() {
            if !is_simulated {
                self.library(&mut methods, (&tokens, at), &bound, place);
            }
            if let Token::Shell(script) = token {
                if language != Language::Other {
                    self.shell_text((&tokens, at), script, &given, &mut bound, place);
                }
                continue;
            }
            let Some(name) = called(&tokens, at, &aliases, &bound) else { continue };
            // It is followed to where the program says what it does, and where.
            let is_own = goes && given.iter().any(|it| it.is_function(&name));
            if is_own || mocked.iter().any(|it| it.rsplit('.').next() == Some(&*name)) {
                continue;
            }
            let Some(call) = Call::at(&tokens, at, &name, &bound) else { continue };
            if matches!(&*name, "chdir" | "cd") {
                self.goes_to(&call, &outside);
            }
            if !self.spend(LOOKED * call.names.len() + call.length()) {
                return;
            }
            let names = names_of(&tokens, at, &call, &given, &bound);
            if says {
                continue;
            }
            let rehearses = |it: &&str| matches!(*it, "noop" | "dryRun" | "dry_run" | "DryRun");
            if call.names.iter().any(rehearses) {
                continue;
            }
            let deletes = deletes(&name, &call).is_some() && self.spend(LOOKED * tokens.len());
            // `open(f, "w").close()` and `p.write_text("")`
            let texts = match &call.texts[..] {
                [path @ .., _] if deletes && empties(&name, &call) => path,
                texts => texts,
            };
            let hits = deletes.then(|| listed(&tokens, texts, &names, call.receiver, &bound));
            let hits = hits.flatten();
            let may_vary = hits.is_none() && (deletes || runs_shell(&name, &call));
            let mut values = if may_vary && !given.is_empty() && self.spend(tokens.len()) {
                values(&tokens, (at, &names), &given, &mut bound)
            } else {
                Vec::new()
            };
            let is_used = |it: &Known<'_>| {
                call.names.contains(&it.name)
                    || call.texts.iter().any(|text| text.contains(it.name))
            };
            if may_vary && self.spend(keyed.len() * LOOKED) {
                values.extend(keyed.iter().filter(|it| it.iter().any(is_used)).cloned());
            }
            if values.is_empty() {
                self.called(&program, (at, &name), &call, hits, place);
            }
            let (length, complete) = (bound.len(), self.complete);
            for value in values {
                let more: usize = value.iter().flat_map(Known::texts).map(String::len).sum();
                if !self.spend(4 * READ + call.length() + more) {
                    return;
                }
                bound.extend(value);
                let again: Vec<Known<'_>> = names
                    .iter()
                    .filter_map(|name| known(&bound, name, at).filter(|it| !it.parts.is_empty()))
                    .map(|it| it.again(&tokens, &bound))
                    .collect();
                bound.extend(again);
                if let Some(call) = Call::at(&tokens, at, &name, &bound) {
                    let is_pattern = deletes && call.texts.iter().any(|text| text.contains('*'));
                    let hits = is_pattern.then(|| listed(&tokens, &call.texts, &[], "", &bound));
                    self.called(&program, (at, &name), &call, hits.flatten(), place);
                }
                bound.truncate(length);
            }
            // Not each text is a script after all.
            self.complete = complete && self.work > 0;
        }
        self.folder = outside;
    }

    /// Shows that a program runs what another machine sends.
    fn fetches(&mut self, text: &str, place: Place<'_>) {
        let has = |part: &str| text.contains(part);
        if has("connect(") && (has("dup2(") || has("pty.spawn(")) {
            self.foreign("pty", &place.command.source, place);
        }
        if has("fetch(") && has("then(eval)") {
            self.foreign("fetch", &place.command.source, place);
        }
    }

    /// Follows a program to its temporary folder, and back to where it began.
    fn goes_to(&mut self, call: &Call<'_>, outside: &str) {
        let to = call.texts.first().filter(|it| it.starts_with("/tmp/"));
        to.map_or(outside, String::as_str).clone_into(&mut self.folder);
    }

    /// Reads a text that a shell runs, with each value that a loop gives to the names in it.
    fn shell_text<'t>(
        &mut self,
        (tokens, at): (&'t [Token<'t>], usize),
        script: &str,
        given: &[Given<'t>],
        bound: &mut Bound<'t>,
        place: Place<'_>,
    ) {
        let names = given.iter().flat_map(Given::names).filter(|name| script.contains(name));
        let names: Vec<&str> = names.collect();
        let mut found = Vec::new();
        if !names.is_empty() && self.spend(tokens.len()) {
            found = values(tokens, (at, &names), given, bound);
        }
        let length = bound.len();
        for value in found.is_empty().then(Vec::new).into_iter().chain(found) {
            bound.extend(value);
            let text = in_shell(&filled(script, at, bound)).into_owned();
            bound.truncate(length);
            if !self.spend(text.len()) {
                return;
            }
            self.script(&text, place.depth + 1);
        }
    }

    /// Shows the folders of which Perl's `find` deletes all that is in them.
    fn found_by_perl(&mut self, tokens: &[Token<'_>], bound: &Bound<'_>, place: Place<'_>) {
        let finds = |it: &Token<'_>| matches!(it, Token::Name("find" | "finddepth"));
        let deletes = |it: &Token<'_>| matches!(it, Token::Name("unlink" | "rmtree"));
        // A pattern chooses some.
        let chooses = |it: &Token<'_>| *it == Token::Sign('/');
        if !tokens.iter().any(deletes) || tokens.iter().any(chooses) {
            return;
        }
        for at in (1..tokens.len()).filter(|at| finds(&tokens[at - 1])).take(NESTED) {
            if let (Token::Sign('('), Some(folders)) =
                (&tokens[at], items(tokens, at, bound, false).last())
            {
                let words = ["-r".to_owned()].into_iter().chain(folders.iter().cloned());
                let words: Vec<Word<'_>> = words.map(Word::literal).collect();
                self.show("rm", &words, place);
            }
        }
    }

    /// Shows what a call of a function does.
    fn called(
        &mut self,
        program: &Program<'_>,
        (at, name): (usize, &str),
        call: &Call<'_>,
        hits: Option<Vec<String>>,
        place: Place<'_>,
    ) {
        let &Program { is_simulated, tokens, language, nested } = program;
        if let Some(origin) = call.origin
            && (matches!(name, "eval" | "exec") || runs_shell(name, call))
        {
            self.foreign(origin, &place.command.source, place);
        }
        if matches!(name, "eval" | "exec") && nested > 0 && call.texts.len() == 1 {
            self.program_text(&call.texts[0], (language, nested - 1), Vec::new(), place);
        }
        if let ("Function", [.., last]) = (name, &call.texts[..])
            && nested > 0
        {
            self.program_text(last, (language, nested - 1), Vec::new(), place);
        }
        if STATEMENTS.contains(&name) && !is_simulated {
            for text in call.texts.iter().filter(|text| text.contains(' ')) {
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
            // Perl
            ("open", [mode, _]) if mode == ">" => {
                tokens[at..].iter().skip(8).take(5).any(|it| *it == Token::Name("close"))
            }
            ("open" | "fopen", [_, mode]) => {
                let mut behind = tokens[at..].iter().skip(6).take(5);
                let is_block = tokens.get(at + 7) == Some(&Token::Sign('}'));
                let ends = |it: &Token<'_>| matches!(it, Token::Name("close" | "fclose" | "pass"));
                mode == "w" && (is_block || behind.any(ends))
            }
            (name, [_, text]) if WRITES.contains(&name) => text.is_empty() && call.names.is_empty(),
            _ => false,
        };
        if is_nothing {
            let file = call.texts.iter().find(|text| *text != ">").map_or("", |it| it);
            self.show("truncate", &["-s0", file].map(Word::literal), place);
        } else if let Some(file) = path.or(opened).filter(|file| writes_to_device(file)) {
            self.show("dd", &[Word::literal(format!("of={file}"))], place);
        } else if let ("open", [mode, words @ ..]) = (name, &call.texts[..])
            && mode.starts_with(['|', '-'])
        {
            // Perl
            let script = [&mode.replace(['|', '-'], ""), &*words.join(" ")].join(" ");
            self.script(&script, place.depth + 1);
        } else if runs_shell(name, call) {
            let own = call.folder.clone().filter(|it| it.starts_with("/tmp/"));
            let outside = own.map(|own| std::mem::replace(&mut self.folder, own));
            self.run_by_program(call, place);
            if let Some(outside) = outside {
                self.folder = outside;
            }
        } else if let Some(program) = deletes(name, call) {
            let mut words = vec![program.option.to_owned()];
            let is_mode = program.name == "chmod";
            let is_open = call.mode().is_some_and(|mode| mode.ends_with(['7', '6']));
            words.extend(hits.as_ref().filter(|_| is_mode && is_open).map(|_| "-R".to_owned()));
            words.extend(call.mode().filter(|_| is_mode).map(str::to_owned));
            words.extend(hits.unwrap_or_else(|| call.texts.clone()));
            words.retain(|word| !word.is_empty());
            let words: Vec<Word<'_>> = words.into_iter().map(Word::literal).collect();
            self.show(program.name, &words, place);
        }
    }

    /// One text is read by a shell; of several the first is the program.
    fn run_by_program(&mut self, call: &Call<'_>, place: Place<'_>) {
        match &call.texts[..] {
            [] => {}
            texts if let Some(input) = call.input => {
                let script = format!("{} <<'EOF'\n{input}\nEOF\n", texts.join(" "));
                self.script(&script, place.depth + 1);
            }
            [between, words @ ..] if call.joins && between.trim().is_empty() => {
                self.script(&words.join(between), place.depth + 1);
            }
            texts if call.joins => self.script(&texts.join(" "), place.depth + 1),
            [script] => self.script(&in_shell(script), place.depth + 1),
            [script, ..] if script.contains(' ') => {
                self.script(&in_shell(script), place.depth + 1);
            }
            words => {
                // `execvp` takes the program's name once more.
                let is_named = matches!(words, [path, name, ..] if base_name(path) == name);
                let words = &words[usize::from(is_named)..];
                let words: Vec<Word<'_>> =
                    words.iter().map(|text| Word::literal(text.as_str())).collect();
                self.call_deeper(&words, place);
            }
        }
    }
}

/// A text with variables of a shell in the place of Ruby's `#{name}`, of which no value is known.
fn in_shell(text: &str) -> Cow<'_, str> {
    if text.contains("#{") { text.replace("#{", "${").into() } else { text.into() }
}

/// The words behind a program, by the names that it has for them.
fn given_words(
    language: Language,
    arguments: &[Word<'_>],
    text: Option<usize>,
    file: Option<usize>,
) -> Bound<'static> {
    // The program itself comes first in these languages.
    let own = match language {
        Language::JavaScript => 1 + usize::from(text.is_none()),
        Language::Python | Language::Php => 1,
        _ => 0,
    };
    let start = text.or(file).map_or(arguments.len(), |at| at + 1);
    let words = arguments.get(start..).unwrap_or_default().iter().take(READ);
    let words: Vec<String> = words.map(|word| word.text.to_string()).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let words = words.into_iter().skip_while(|word| word == "--").map(|word| vec![word]);
    let words: Vec<_> = words.collect();
    // `Args` is of Go.
    let names: &[_] = if own > 0 {
        &[("argv", own), ("Args", 1)]
    } else {
        &[("argv", 0), ("ARGV", 0), ("ARGS", 0), ("shift", 0)]
    };
    let of = |own: usize| [vec![Vec::new(); own], words.clone()].concat();
    names.iter().map(|(name, own)| Known::new(name, of(*own))).collect()
}

/// The name of the function that a token may call.
fn called<'t>(
    tokens: &'t [Token<'t>],
    at: usize,
    aliases: &[(&'t str, &'t str)],
    bound: &Bound<'_>,
) -> Option<Cow<'t, str>> {
    let is_before = |sign| tokens.get(at + 1) == Some(&Token::Sign(sign));
    match &tokens[at] {
        Token::Name(name) => {
            let renamed = aliases.iter().find(|(new, _)| new == name).map(|(_, old)| *old);
            let may_call = is_selector(tokens, at) || is_before('(');
            let text = may_call.then(|| known(bound, name, at)).flatten();
            let text = text.and_then(|it| it.texts().next()).map(|it| Cow::Owned(it.clone()));
            renamed.map(Cow::Borrowed).or(text).or(Some(Cow::Borrowed(name)))
        }
        // `getattr(os, "unlink")(…)` and `fs["unlink"](…)`
        Token::Text(name) if is_selector(tokens, at) => Some(name.into()),
        // `call_user_func("system", …)`
        Token::Text(name) => {
            let passes = matches!(
                tokens.get(at.wrapping_sub(2)),
                Some(Token::Name("call_user_func" | "array_map"))
            );
            (passes && is_before(',')).then(|| name.into())
        }
        _ => None,
    }
}

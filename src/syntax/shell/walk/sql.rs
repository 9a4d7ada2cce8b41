//! Statements that clients of databases are given.

use super::super::Word;
use super::super::programs::{CLIENTS, DOCUMENTS, Language, names};
use super::program_text::NESTED;
use super::state::{Place, Walk};
use super::variables::Values;

/// So many methods of a text, and words of its statements, are read.
const METHODS: usize = 256;
const WORDS: usize = 16_384;
/// So many bytes may be in front of a statement that is joined with its options.
const JOINED: usize = 5;
/// So many tables that a text makes are kept.
const MADE: usize = 32;
/// Clients whose databases are files.
const FILES: &[&str] = names!("sqlite3" "sqlite" "duckdb" "litecli");
/// The subcommands by which a framework reads a script, or statements.
const CONSOLES: &[&str] =
    names!("c" "console" "db" "dbconsole" "dbshell" "r" "runner" "shell" "shell_plus" "tinker");
/// Other programs that pass statements on, and their subcommands that do so.
const PASSERS: &[&str] = names!("aws" "fly" "flyctl" "gcloud" "prisma" "supabase" "wp");
const PASSING: &[&str] =
    names!("athena" "db" "mpg" "pg" "postgres" "rds-data" "redshift-data" "spanner");
/// Words that begin a statement which deletes or changes.
const VERBS: &[&str] = &["alter", "delete", "drop", "truncate", "update"];
/// Words that begin what holds such a statement, and those that say that a text is run as one.
const HOLDERS: &[&str] = names!("begin" "declare" "do" "explain" "if" "use" "while");
const RUNNERS: &[&str] = &["exec", "prepare", "foreachtable"];
/// So many statements are read that a text holds, and so much of each.
const HELD: usize = 16;
const LONGEST: usize = 512;
const BEGINNING: usize = 64;

impl Walk<'_> {
    /// Returns whether a framework works on the database of its tests, or a client on a server that is made up.
    pub(super) fn is_for_tests(&self, program: &str, arguments: &[Word<'_>]) -> bool {
        const FRAMEWORKS: &[&str] = names!(
            "alembic" "artisan" "bundle" "flask" "knex" "mix" "php" "prisma" "rails" "rake" "sequelize" "sequelize-cli"
        );
        const VARIABLES: &[&str] = names!("APP_ENV" "MIX_ENV" "NODE_ENV" "RACK_ENV" "RAILS_ENV");
        let is_test = |text: &str| matches!(text, "test" | "testing");
        let is_here = |text: &str| {
            ["http://localhost:", "http://127.0.0.1:"].iter().any(|it| text.starts_with(it))
        };
        let is_temporary = |text: &str| {
            (text.starts_with("sqlite:") || text.starts_with("file:"))
                && ["/tmp/", "$(mktemp"].iter().any(|it| text.contains(it))
        };
        let has = |name: &str, is: &dyn Fn(&str) -> bool| match self.variables.get(name) {
            Some(Values::OneOf(values)) => {
                !values.is_empty() && values.iter().all(|it| is(&it.text))
            }
            _ => false,
        };
        let says = |word: &Word<'_>, names: &[&str], is: &dyn Fn(&str) -> bool| {
            word.text
                .split_once('=')
                .is_some_and(|(name, value)| names.contains(&name) && is(value))
        };
        let is_new = |text: &str| text.contains("$$") || text.contains("RANDOM");
        match program {
            "aws" => {
                has("AWS_ENDPOINT_URL", &is_here)
                    || arguments.iter().any(|it| says(it, &["--endpoint-url"], &is_here))
                    || arguments
                        .windows(2)
                        .any(|two| two[0].text == "--endpoint-url" && is_here(&two[1].text))
            }
            "docker" | "docker-compose" => {
                let has_compose = arguments.first().is_some_and(|it| it.text == "compose");
                (has_compose || program != "docker") && has("COMPOSE_PROJECT_NAME", &is_new)
            }
            "psql" => has("PGDATABASE", &is_new),
            "kubectl" | "helm" => has("KUBECONFIG", &|it| it.starts_with("$(mktemp")),
            "terraform" | "tofu" => {
                let is_made = |it: &str| it.starts_with("/tmp/") || it.starts_with("$(mktemp");
                arguments.iter().any(|it| says(it, &["-chdir"], &is_made))
            }
            program if FRAMEWORKS.contains(&program) => {
                arguments
                    .iter()
                    .any(|it| says(it, &["--env"], &is_test) || says(it, VARIABLES, &is_test))
                    || VARIABLES.iter().any(|name| has(name, &is_test))
                    || has("DATABASE_URL", &|it| {
                        is_temporary(it) || is_new(it) || self.is_published(it)
                    })
            }
            _ => false,
        }
    }

    /// Shows the input of a framework's console: its statements, and all of it as a call of `orm`.
    pub(super) fn console(&mut self, program: &str, arguments: &[Word<'_>], place: Place<'_>) {
        let is_console = |word: &Word<'_>| CONSOLES.contains(&&*word.text);
        let is_python = program.strip_prefix("python").is_some();
        let language = match program {
            "rails" => Language::Ruby,
            "php" | "artisan" => Language::Php,
            _ => Language::Python,
        };
        if !(is_python
            || matches!(
                program,
                "rails" | "php" | "artisan" | "manage.py" | "django-admin" | "flask"
            ))
            || !arguments.iter().take(3).any(is_console)
            || self.is_for_tests(program, arguments)
        {
            return;
        }
        let mut texts: Vec<String> = self.input(place).into_iter().collect();
        let given = arguments.iter().filter_map(|word| word.text.strip_prefix("--execute="));
        texts.extend(given.map(str::to_owned));
        let takes = |word: &Word<'_>| {
            matches!(&*word.text, "--execute" | "runner" | "r")
                || (language == Language::Python && word.text == "-c")
        };
        let behind = arguments.windows(2).filter(|two| takes(&two[0]));
        texts.extend(behind.map(|two| two[1].text.to_string()));
        for text in texts {
            if !self.spend(text.len()) {
                return;
            }
            self.statements(&text, place);
            self.program_text(&text, (language, NESTED), Vec::new(), place);
            self.show("orm", &[Word::literal(text)], place);
        }
    }

    pub(super) fn database(&mut self, program: &str, arguments: &[Word<'_>], place: Place<'_>) {
        // Those that take commands line by line, and what sends such to a port.
        let is_port = |word: &Word<'_>| matches!(&*word.text, "6379" | "6380");
        let reader = match program {
            "redis-cli" | "valkey-cli" | "keydb-cli" | "nft" => Some(program),
            "nc" | "ncat" | "netcat" | "telnet" if arguments.iter().any(is_port) => {
                Some("redis-cli")
            }
            _ => None,
        };
        if program == "wp" && arguments.first().is_some_and(|it| it.text == "eval") {
            let text = arguments.get(1).map_or("", |it| &it.text);
            return self.program_text(text, (Language::Php, NESTED), Vec::new(), place);
        }
        if let Some(reader) = reader {
            for line in self.input(place).unwrap_or_default().lines() {
                let words: Vec<_> = line.split_whitespace().map(Word::literal).collect();
                self.show(reader, &words, place);
            }
            return;
        }
        let passes = |word: &Word<'_>| PASSING.contains(&&*word.text);
        let is_sql = CLIENTS.contains(&program)
            || (PASSERS.contains(&program) && arguments.iter().take(2).any(passes));
        // In memory, or in a file that is temporary, nothing is kept.
        let is_passing = |word: &Word<'_>| {
            word.text == ":memory:"
                || ["/tmp/", "/var/tmp/", "$(mktemp"].iter().any(|it| word.text.starts_with(it))
        };
        let is_for_tests =
            |word: &Word<'_>| word.text.starts_with('$') && word.text.contains("TEST_");
        if self.is_for_tests(program, arguments) || arguments.iter().any(is_for_tests) {
            return;
        }
        let is = |word: &Word<'_>, text: &str| word.text.eq_ignore_ascii_case(text);
        let rolls_back = arguments.iter().any(|it| is(it, "begin"))
            && arguments.last().is_some_and(|it| is(it, "rollback"))
            && !arguments.iter().any(|it| is(it, "commit"));
        if rolls_back {
            return;
        }
        let attaches = |word: &Word<'_>| word.text.to_ascii_lowercase().contains("attach");
        if FILES.contains(&program)
            && !arguments.iter().any(attaches)
            && arguments.iter().find(|it| !it.text.starts_with('-')).is_some_and(is_passing)
        {
            return;
        }
        let changes =
            |word: &Word<'_>| !matches!(&*word.text, "-readonly" | "--readonly" | "--dry_run");
        if (!is_sql && !DOCUMENTS.contains(&program)) || !arguments.iter().all(changes) {
            return;
        }
        let mut texts: Vec<String> = arguments.iter().map(|word| word.text.to_string()).collect();
        // Joined with its option, as in `-c'…'`, `-Ne'…'` and `--execute='…'`.
        for text in arguments.iter().map(|word| &*word.text).filter(|it| it.starts_with('-')) {
            if let Some(long) = text.strip_prefix("--") {
                texts.extend(long.split_once('=').map(|(_, value)| value.to_owned()));
            } else {
                texts.extend((2..JOINED).filter_map(|at| text.get(at..)).map(str::to_owned));
            }
        }
        // One word is the name of a database, a user or a host.
        texts.retain(|text| text.contains(|letter| !is_word(letter)));
        // A statement whose quotes were forgotten, or that is one by its words.
        let is_verb = |at: usize| {
            let text = |at: usize| arguments.get(at).map_or("-", |word| &*word.text);
            let before = if at == 0 { "" } else { text(at - 1) };
            let is_statement = match before.strip_prefix("--") {
                Some(long) => matches!(long, "command" | "execute" | "query"),
                None => !before.starts_with('-') || before.ends_with(['c', 'e', 'q', 'Q']),
            };
            VERBS.iter().any(|verb| text(at).eq_ignore_ascii_case(verb))
                && is_statement
                && !text(at + 1).starts_with('-')
                && !text(at + 1).contains(' ')
        };
        if let Some(at) = (0..arguments.len()).find(|at| is_verb(*at)) {
            let words: Vec<&str> = arguments[at..].iter().map(|word| &*word.text).collect();
            texts.push(words.join(" "));
        }
        texts.extend(arguments.iter().filter_map(|word| self.text_of_file(&word.text)));
        texts.extend(self.input(place));
        for mut text in texts {
            if !self.spend(2 * text.len()) {
                return;
            }
            if is_sql {
                let lower = text.to_ascii_lowercase();
                if text.starts_with("$(") || RUNNERS.iter().any(|it| lower.contains(it)) {
                    let held = held(&text);
                    text.extend([";", &*held]);
                }
                self.statements(&text, place);
            } else {
                self.methods(&text, place);
            }
        }
    }

    /// Shows each statement of a text as a call of `sql`.
    pub(super) fn statements(&mut self, text: &str, place: Place<'_>) {
        let statements = split(text);
        let begins = |it: &Vec<String>, word: &str| it.first().is_some_and(|first| first == word);
        let is_undone = statements.iter().rfind(|it| !it.is_empty()).is_some_and(|it| {
            begins(it, "rollback") && !statements.iter().any(|other| begins(other, "commit"))
        });
        let whole = |it: &Word<'_>| matches!(&*it.text, "cockroach" | "psql" | "sqlite3");
        let is_whole = place.command.words.iter().any(whole);
        // In what the text itself has made nothing was before.
        let mut made: Vec<&String> = Vec::new();
        for statement in &statements {
            if begins(statement, "create") && !statement.iter().any(|word| word == "exists") {
                let is_kind = |word: &String| matches!(&**word, "database" | "schema" | "table");
                let table = statement.iter().position(is_kind);
                let name = table.and_then(|at| statement.get(at + 1));
                made.extend(name.filter(|_| made.len() < MADE));
            }
            let changes_rows = begins(statement, "delete") || begins(statement, "update");
            if (is_undone && (changes_rows || is_whole))
                || statement.iter().skip(1).any(|word| made.contains(&word))
            {
                continue;
            }
            // A client's own commands and `EXPLAIN`, `BEGIN` and the like are none.
            let is_verb = |word: &String| VERBS.contains(&word.as_str());
            let has = |wanted: &str| statement.iter().any(|word| word == wanted);
            let start = match statement.first().map_or("", String::as_str) {
                "with" => statement.iter().position(|word| word == "delete"),
                "explain" if !has("analyze") => None,
                first if HOLDERS.contains(&first) => statement.iter().position(is_verb),
                first => VERBS.contains(&first).then_some(0),
            };
            if let Some(start) = start {
                let words = without_idle_condition(&statement[start..]).iter();
                let words: Vec<_> = words.map(|word| Word::literal(word.as_str())).collect();
                self.show("sql", &words, place);
            }
        }
    }

    /// Shows the methods that a script of a document store calls as calls of `mongo`.
    fn methods(&mut self, text: &str, place: Place<'_>) {
        let mut rest = text;
        for _ in 0..METHODS {
            let Some((before, after)) = rest.split_once('(') else { break };
            let name = before.rsplit(|letter: char| !letter.is_ascii_alphanumeric()).next();
            let arguments = after.split_once(')').map_or(after, |(inside, _)| inside);
            let mut words = vec![name.unwrap_or_default(), arguments.trim()];
            words.retain(|word| !word.is_empty());
            if before.contains('.') {
                let words: Vec<Word<'_>> = words.into_iter().map(Word::literal).collect();
                self.show("mongo", &words, place);
            }
            rest = after;
        }
        // A shell takes brackets without quotes away.
        if rest.starts_with("db.") && !rest.contains(char::is_whitespace) {
            let name = rest.rsplit('.').next().unwrap_or_default();
            self.show("mongo", &[Word::literal(name)], place);
        }
    }
}

/// The statements that the texts in a query or a filter are, which it prints or runs, with a `;` behind each.
pub(super) fn held(text: &str) -> String {
    let starts = text.match_indices(['\'', '"']).map(|(at, _)| at + 1);
    let begins = |at: &usize| {
        let near: String = text[*at..].chars().take(BEGINNING).collect();
        let mut words = near.split_whitespace();
        let verb = words.next().unwrap_or_default();
        let next = words.next().unwrap_or_default();
        VERBS.iter().any(|it| verb.eq_ignore_ascii_case(it))
            && (!verb.eq_ignore_ascii_case("delete") || next.eq_ignore_ascii_case("from"))
    };
    let mut made = String::new();
    for at in [0].into_iter().chain(starts).filter(begins).take(HELD) {
        made.extend(text[at..].chars().take(LONGEST));
        made.push_str(";\n");
    }
    made
}

/// A statement without a condition that every row meets, such as `WHERE 1 = 1`.
fn without_idle_condition(words: &[String]) -> &[String] {
    let Some(at) = words.iter().position(|word| word == "where") else { return words };
    let is_idle = match &words[at + 1..] {
        [one] => matches!(&**one, "true" | "1"),
        [one, other] => one == other,
        _ => false,
    };
    if is_idle { &words[..at] } else { words }
}

/// The statements of a text, each as its words in small letters, without comments; a quoted text is
/// one word.
fn split(text: &str) -> Vec<Vec<String>> {
    let mut statements = vec![Vec::new()];
    // `\c app`, `.headers on` and `GO` are a client's own.
    let is_own =
        |line: &str| line.starts_with(['\\', '.']) || line.trim().eq_ignore_ascii_case("go");
    let lines = text.split_inclusive('\n').map(|line| if is_own(line) { ";" } else { line });
    let text: String = lines.collect();
    let mut rest = &*text;
    let mut words = 0;
    while let Some(first) = rest.chars().next()
        && words < WORDS
    {
        words += 1;
        let quoted = matches!(first, '\'' | '"' | '`').then(|| {
            let inside = &rest[1..];
            inside.find(first).map_or(rest.len(), |length| length + 2)
        });
        if rest.starts_with("--") {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
        } else if rest.starts_with("/*") {
            rest = rest.split_once("*/").map_or("", |(_, after)| after);
        } else if let Some(length) = quoted {
            push(&mut statements, rest[..length].trim_matches(first));
            rest = &rest[length..];
        } else if first == ';' {
            statements.push(Vec::new());
            rest = &rest[1..];
        } else if is_word(first) {
            let end = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
            push(&mut statements, &rest[..end]);
            rest = &rest[end..];
        } else {
            rest = &rest[first.len_utf8()..];
        }
    }
    statements
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '.' | '$')
}

fn push(statements: &mut [Vec<String>], word: &str) {
    if let Some(statement) = statements.last_mut() {
        statement.push(word.to_lowercase());
    }
}

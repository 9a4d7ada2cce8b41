//! Programs that change nothing: on databases in memory, on servers that are made up, in tests, or that only
//! say what they would do.

/// So many places are looked at in a text.
const PLACES: usize = 4;
/// Databases that end with the program, and the words by which one is in a file of its own.
const IN_MEMORY: &[&str] =
    &[":memory:", "\"sqlite://\"", "'sqlite://'", "duckdb.connect()", "sqlite3.connect(\"\")"];
/// Libraries that take the place of servers, of which nothing is left.
const SIMULATED: &[&str] = &[
    "MongoMemory",
    "mongomock",
    "fakeredis",
    "ioredis-mock",
    "redis-mock",
    "pg-mem",
    "pgmock",
    "estcontainers",
    "botocore.stub",
    "mock_aws",
    "mock_s3",
    "mock_ec2",
    "aws-sdk-client-mock",
];
pub(super) const TEMPORARY: &[&str] =
    &["mkdtemp", "mkstemp", "TemporaryDirectory", "TemporaryFile", "gettempdir", "tmpdir()"];

/// Libraries that keep files in memory, as a program names them.
const FILES: &[&str] = &[
    "'memfs'",
    "\"memfs\"",
    "'mock-fs'",
    "\"mock-fs\"",
    "pyfakefs",
    "require 'fakefs",
    "MemoryFileSystem",
];

/// Returns whether the files of a program are in memory alone.
pub(super) fn has_no_files(text: &str) -> bool {
    FILES.iter().any(|it| text.contains(it))
}

/// Returns whether nothing is left of the only database that a program opens.
fn is_passing(text: &str) -> bool {
    let opens = text.matches("connect(").count();
    let is_file = text.contains("sqlite3.connect(") || text.contains("duckdb.connect(");
    IN_MEMORY.iter().any(|it| text.contains(it))
        || (is_file && opens == 1 && TEMPORARY.iter().any(|it| text.contains(it)))
}

/// Returns whether nothing is left of what a program does to servers.
pub(super) fn is_simulated(text: &str) -> bool {
    is_passing(text) || SIMULATED.iter().any(|it| text.contains(it))
}

/// The functions in whose place a test puts one that does nothing, as by `mock.patch("shutil.rmtree")`,
/// `jest.spyOn(fs, "rmSync")` and `fs.rmSync = (...it) => calls.push(it)`.
pub(super) fn mocked(text: &str) -> Vec<&str> {
    let named = |(at, patch): (usize, &str)| {
        let inside = text[at + patch.len()..].split(')').next()?;
        inside.split(['"', '\'']).nth(1)
    };
    let puts = ["patch(", "mock.method(", "spyOn(", "stub("];
    let given = [" = (", " = lambda", " = function", " = jest.fn"];
    let assigned = |(at, _): (usize, &str)| {
        let (owner, name) = text[..at].rsplit_once('.')?;
        let is_method = owner.ends_with(|it: char| it.is_alphanumeric());
        Some(name).filter(|it| is_method && it.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    };
    let given = given.iter().flat_map(|it| text.match_indices(it).take(PLACES));
    let named = puts.iter().flat_map(|it| text.match_indices(it).take(PLACES)).filter_map(named);
    named.chain(given.filter_map(assigned)).collect()
}

/// Returns whether a program only says what it would do, by a switch that it sets itself and nobody else can.
pub(super) fn only_says(text: &str) -> bool {
    let switches = ["DRY_RUN = True", "dry_run = True", "DRY_RUN = true", "dryRun = true"];
    switches.iter().any(|switch| {
        let name = switch.split(' ').next().unwrap_or_default();
        text.contains(switch)
            && text.matches(&format!("{name} = ")).count() == 1
            && [
                format!("if {name}"),
                format!("if ({name}"),
                format!("if not {name}"),
                format!("if (!{name}"),
            ]
            .iter()
            .any(|it| text.contains(&**it))
    })
}

/// Returns whether a function of a shell only prints what it is given, because of a variable that the line
/// has set, as in `if [ "$DRY_RUN" = 1 ]; then echo "$@"; else "$@"; fi`.
pub(super) fn only_prints(body: &str, value: impl Fn(&str) -> Option<String>) -> bool {
    let mut text = body.replace(['"', '\''], "").replace(">&2", "").replace('\n', ";");
    if text.contains(['>', '`']) || text.contains("$(") {
        return false;
    }
    for (long, short) in [("[[", "["), ("]]", "]"), ("==", "="), ("-eq", "="), (":-}", "}")] {
        text = text.replace(long, short);
    }
    let words: Vec<&str> = text.split([' ', '\t']).filter(|it| !it.is_empty()).collect();
    let text = words.join(" ");
    let text = text.trim_start_matches([';', '{', ' ']);
    let text = text.strip_prefix("if ").unwrap_or(text);
    let Some(end) = ["&&", ";"].iter().filter_map(|it| text.find(it)).min() else { return false };
    let (condition, rest) = text.split_at(end);
    let variable = |written: &str| {
        let name = written.trim_matches(['$', '{', '}', ' ', '(', ')']);
        value(name.split(":-").next().unwrap_or(name))
    };
    let condition: Vec<&str> = condition.split_whitespace().collect();
    let is_met = match condition[..] {
        ["[", name, "=", expected, "]"] => variable(name).is_some_and(|it| it == expected),
        ["[", "-n", name, "]"] => variable(name).is_some_and(|it| !it.is_empty()),
        [name] if name.starts_with('$') => variable(name).is_some_and(|it| it == "true"),
        _ if condition.first().is_some_and(|it| it.starts_with("((")) => {
            variable(&condition.concat()).is_some_and(|it| it == "1")
        }
        _ => false,
    };
    let rest = rest.trim_start_matches(['&', ';', ' ', '{']);
    let rest = rest.strip_prefix("then").unwrap_or(rest).trim_start_matches([';', ' ']);
    let prints = ["echo ", "printf "].iter().any(|it| rest.starts_with(it));
    let after = rest.find(';').into_iter().chain(rest.find("||")).min();
    let after = after.map_or("", |at| rest[at..].trim_start_matches([';', ' ']));
    is_met && prints && ["else", "return", "||"].iter().any(|it| after.starts_with(it))
}

//! Programs by what they do with their arguments, as `programs.toml` lists them: one table for the walk and
//! for whoever asks.

use crate::syntax::named::listed;

/// A list of names, which the formatter leaves as it is written.
macro_rules! names {
    ($($name:literal)*) => { &[$($name),*] };
}
pub(crate) use names;

/// A language as far as its comments and quotes differ.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    JavaScript,
    Perl,
    Ruby,
    Php,
    Lua,
    Awk,
    Other,
}

pub(super) struct Interpreter {
    pub(super) name: &'static str,
    pub(super) language: Language,
    /// Options that take the next word.
    pub(super) values: &'static str,
    /// Options whose value is a program.
    pub(super) programs: &'static [&'static str],
}

/// A program that runs a command in its arguments.
pub(super) struct Wrapper {
    /// The program and, where only one of its subcommands runs something, that.
    pub(super) name: &'static str,
    /// Options that take the next word.
    pub(super) values: &'static str,
    /// Options with which nothing is run.
    pub(super) inert: &'static [&'static str],
    /// Options whose value is read by a shell, or by `env -S`.
    pub(super) scripts: &'static [&'static str],
    /// The number of operands that come before the command.
    pub(super) operands: usize,
    /// True if `NAME=value` may come before the command.
    pub(super) assigns: bool,
    /// True if the words are joined and read by a shell.
    pub(super) joins: bool,
    /// Without one of these options nothing that it runs leaves a trace; none where it always may.
    pub(super) needs: &'static [&'static str],
    /// The only programs that it runs by their names; none where it runs any.
    pub(super) only: &'static [&'static str],
}

/// A program that is no wrapper and has a shell read the values of some options.
pub(super) struct Embedded {
    pub(super) name: &'static str,
    pub(super) options: &'static str,
}

/// A program with commands of its own, of which some have a shell run what follows.
pub(super) struct Escape {
    pub(super) name: &'static str,
    pub(super) marks: &'static [&'static str],
}

/// A program that takes options before its subcommand, of which some take the next word.
struct Leading {
    name: &'static str,
    values: &'static str,
}

static LEADING: &[Leading] = listed!("Leading");
pub(super) static INTERPRETERS: &[Interpreter] = listed!("Interpreter");
pub(super) static WRAPPERS: &[Wrapper] = listed!("Wrapper");
pub(super) static ESCAPES: &[Escape] = listed!("Escape");
pub(super) static EMBEDDED: &[Embedded] = listed!("Embedded");
/// Clients of databases that take SQL.
pub static CLIENTS: &[&str] = listed!("CLIENTS");
pub(super) static DOCUMENTS: &[&str] = listed!("DOCUMENTS");
static OF_SYSTEM: &[&str] = listed!("OF_SYSTEM");
/// The ends of the names of images, each with the program that they run.
pub(super) static IMAGES: &[(&str, &str)] = listed!("IMAGES");
pub(super) static OUTWARD: &[&str] = listed!("OUTWARD");
pub(super) static NETWORK: &[&str] = listed!("NETWORK");
/// Programs that run commands in another place than the folder that the line has gone to.
pub static REMOTE: &[&str] = listed!("REMOTE");
pub(super) static DECODERS: &[&str] = listed!("DECODERS");
pub(super) static READ_SCRIPTS: &[&str] = listed!("READ_SCRIPTS");
static POSIX: &[&str] = listed!("POSIX");
static SHELLS: &[&str] = listed!("SHELLS");
static BUILT_IN: &[&str] = listed!("BUILT_IN");
static ELSEWHERE: &[&str] = listed!("ELSEWHERE");

pub(super) fn interpreter(program: &str) -> Option<&'static Interpreter> {
    let is_version = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    INTERPRETERS.iter().find(|it| program.strip_prefix(it.name).is_some_and(is_version))
}

/// Returns whether a program runs a script that it is given.
pub fn is_interpreter(program: &str) -> bool {
    is_shell(program) || matches!(program, "." | "source") || interpreter(program).is_some()
}

/// Returns whether the word after this option is the text of a program, as after `perl -ne`.
pub fn takes_text(program: &str, option: &str) -> bool {
    let is_bundle = || {
        let letters = option.strip_prefix('-').and_then(|it| it.strip_suffix('e'));
        letters.is_some_and(|it| it.bytes().all(|it| it.is_ascii_lowercase()))
    };
    interpreter(program).is_some_and(|it| {
        it.programs.contains(&option) || it.programs.contains(&"-e") && is_bundle()
    })
}

/// The options before the subcommand of a program that take the next word; `None` where it takes no such.
pub fn before_subcommand(program: &str) -> Option<&'static str> {
    LEADING.iter().find(|it| it.name == program).map(|it| it.values)
}

/// Returns whether an option before the subcommand of a program takes the next word.
pub(super) fn takes_word_first(program: &str, option: &str) -> bool {
    before_subcommand(program).is_some_and(|values| values.split(' ').any(|it| it == option))
}

/// Returns whether a shell runs a word by itself, without a program of that name.
pub fn is_built_in(word: &str) -> bool {
    BUILT_IN.contains(&word)
}

pub(super) fn is_powershell(program: &str) -> bool {
    program.eq_ignore_ascii_case("pwsh") || program.eq_ignore_ascii_case("powershell")
}

/// Returns whether a program is a shell that reads scripts of `sh`.
pub fn is_posix_shell(program: &str) -> bool {
    POSIX.contains(&program)
}

pub fn is_shell(program: &str) -> bool {
    is_posix_shell(program)
        || SHELLS.contains(&program)
        || is_powershell(program)
        || program.eq_ignore_ascii_case("cmd")
}

/// The programs that run what is in their arguments: shells, interpreters and wrappers.
pub fn runners() -> impl Iterator<Item = &'static str> {
    let interpreters = INTERPRETERS.iter().map(|it| it.name);
    let shells = POSIX.iter().copied().chain(interpreters);
    shells.chain(WRAPPERS.iter().map(|it| it.name).filter(|name| !name.contains(' ')))
}

/// Returns whether a file is one of which a copy or a redirection that takes its place is shown as `tee`.
pub fn is_of_system(path: &str) -> bool {
    OF_SYSTEM.contains(&path)
}

pub fn writes_to_device(path: &str) -> bool {
    if path == "/proc/sysrq-trigger" || path.starts_with(r"\\.\") {
        return true;
    }
    let Some(device) = path.strip_prefix("/dev/") else { return false };
    let harmless = ["null", "zero", "full", "random", "urandom", "tty", "ptmx", "console", "shm"];
    let folders = ["std", "fd/", "tcp/", "udp/", "shm/", "pts/", "tty", "mqueue/"];
    !harmless.contains(&device) && !folders.iter().any(|folder| device.starts_with(folder))
}

/// Returns whether a program runs commands where other programs and files are found: for another user,
/// on another machine, in a container or with a tool's own places.
pub fn runs_elsewhere(program: &str) -> bool {
    let is_tool = |it: &Wrapper| it.name.split_once(' ').is_some_and(|(name, _)| name == program);
    ELSEWHERE.contains(&program) || WRAPPERS.iter().any(is_tool)
}

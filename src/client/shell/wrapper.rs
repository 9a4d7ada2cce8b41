//! Programs that run the command in their arguments, and shells that are given a script.

use super::{Command, Word, split, word};

/// How many wrappers may stand inside each other, scripts included.
const DEPTH: usize = 12;

/// A program with its arguments, as it is called in the end.
#[derive(Debug)]
pub struct Invocation<'c> {
    /// The program's name without its folder and without `.exe`.
    pub program: &'c str,
    /// Its arguments.
    pub arguments: &'c [Word<'c>],
    /// The simple command that it is part of, as it was written.
    pub source: &'c str,
}

/// A program that runs the words after its own options.
struct Wrapper {
    name: &'static str,
    /// Options that take the next word.
    values: &'static [&'static str],
    /// Options with which nothing is run.
    inert: &'static [&'static str],
    /// How many operands stand before the command.
    operands: usize,
}

const fn wrapper(name: &'static str, values: &'static [&'static str], operands: usize) -> Wrapper {
    Wrapper { name, values, inert: &[], operands }
}

static WRAPPERS: &[Wrapper] = &[
    wrapper(
        "sudo",
        &[
            "-C",
            "-D",
            "-g",
            "-h",
            "-p",
            "-R",
            "-r",
            "-T",
            "-t",
            "-U",
            "-u",
            "--chdir",
            "--chroot",
            "--close-from",
            "--command-timeout",
            "--group",
            "--host",
            "--other-user",
            "--prompt",
            "--role",
            "--type",
            "--user",
        ],
        0,
    ),
    wrapper("doas", &["-C", "-u"], 0),
    wrapper("env", &["-C", "-u", "--chdir", "--unset"], 0),
    Wrapper { name: "command", values: &[], inert: &["-v", "-V"], operands: 0 },
    wrapper("exec", &["-a"], 0),
    wrapper("builtin", &[], 0),
    wrapper("busybox", &[], 0),
    wrapper("nohup", &[], 0),
    wrapper("setsid", &[], 0),
    wrapper("time", &["-f", "-o", "--format", "--output"], 0),
    wrapper("nice", &["-n", "--adjustment"], 0),
    wrapper("ionice", &["-c", "-n", "--class", "--classdata"], 0),
    wrapper("timeout", &["-k", "-s", "--kill-after", "--signal"], 1),
    wrapper("stdbuf", &["-e", "-i", "-o", "--error", "--input", "--output"], 0),
    wrapper(
        "xargs",
        &[
            "-a",
            "-d",
            "-E",
            "-I",
            "-L",
            "-n",
            "-P",
            "-s",
            "--arg-file",
            "--delimiter",
            "--max-args",
            "--max-chars",
            "--max-lines",
            "--max-procs",
        ],
        0,
    ),
];

static SHELLS: &[&str] = &["ash", "bash", "dash", "ksh", "mksh", "powershell", "pwsh", "sh", "zsh"];

/// Shows every program that a command line runs: those of its simple commands, and what wrappers
/// such as `sudo`, `xargs`, `find -exec`, `eval` or `bash -c` run in turn.
///
/// Gives `false` where some of the line could not be read; what could be was shown all the same.
pub fn each_invocation(line: &str, visit: &mut dyn FnMut(&Invocation<'_>)) -> bool {
    let mut walk = Walk { visit, budget: 8 * line.len() + 4096, complete: true };
    walk.script(line, 0);
    walk.complete
}

struct Walk<'v> {
    visit: &'v mut dyn FnMut(&Invocation<'_>),
    /// How many bytes of scripts may still be split. A substitution in a script is read with the
    /// line around it and again with the script, which nested scripts would double each time.
    budget: usize,
    complete: bool,
}

impl Walk<'_> {
    fn script(&mut self, text: &str, depth: usize) {
        let Some(rest) = self.budget.checked_sub(text.len()) else {
            return self.complete = false;
        };
        self.budget = rest;
        let line = split(text);
        self.complete &= line.complete;
        for command in &line.commands {
            self.command(command, &command.words, depth);
        }
    }

    fn command(&mut self, command: &Command<'_>, words: &[Word<'_>], depth: usize) {
        let Some((first, arguments)) = words.split_first() else {
            return;
        };
        if depth >= DEPTH {
            return self.complete = false;
        }
        let program = base_name(&first.text);
        (self.visit)(&Invocation { program, arguments, source: &command.source });
        if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == program) {
            return self.command(command, wrapped(wrapper, arguments), depth + 1);
        }
        if SHELLS.contains(&program) {
            if let Some(text) = shell_script(arguments).or(command.input.as_deref()) {
                self.script(text, depth + 1);
            }
            return;
        }
        match program {
            "eval" => {
                let text: Vec<&str> = arguments.iter().map(|word| &*word.text).collect();
                self.script(&text.join(" "), depth + 1);
            }
            "find" => {
                for words in find_commands(arguments) {
                    self.command(command, words, depth + 1);
                }
            }
            _ => {}
        }
    }
}

/// The program's name in a path such as `/bin/rm` or `C:\Git\git.exe`.
fn base_name(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    match name.len().checked_sub(4).and_then(|at| name.split_at_checked(at)) {
        Some((stem, extension)) if extension.eq_ignore_ascii_case(".exe") => stem,
        _ => name,
    }
}

/// The command in a wrapper's arguments.
fn wrapped<'w, 'c>(wrapper: &Wrapper, mut arguments: &'w [Word<'c>]) -> &'w [Word<'c>] {
    let mut operands = wrapper.operands;
    while let Some((word, rest)) = arguments.split_first() {
        let text = &*word.text;
        if wrapper.inert.contains(&text) {
            return &[];
        }
        if text.starts_with('-') && text.len() > 1 {
            let skipped = usize::from(wrapper.values.contains(&text));
            arguments = rest.get(skipped..).unwrap_or_default();
        } else if operands > 0 {
            operands -= 1;
            arguments = rest;
        } else if word::is_assignment(text) {
            arguments = rest;
        } else {
            break;
        }
    }
    arguments
}

/// The script that a shell is given as an argument: the text after `-c`, also in a cluster such
/// as `-lc`, or nothing where a file is named; `None` where it reads its standard input.
fn shell_script<'w>(arguments: &'w [Word<'_>]) -> Option<&'w str> {
    let is_command = |word: &Word<'_>| word.text.eq_ignore_ascii_case("-command");
    if let Some(at) = arguments.iter().position(is_command) {
        return arguments.get(at + 1).map(|word| &*word.text);
    }
    let mut words = arguments.iter().map(|word| &*word.text);
    let mut wanted = false;
    while let Some(word) = words.next() {
        if !word.starts_with(['-', '+']) {
            return Some(if wanted { word } else { "" });
        }
        if word.starts_with("--") {
            if matches!(word, "--rcfile" | "--init-file") {
                words.next();
            }
            continue;
        }
        wanted |= word.starts_with('-') && word.contains('c');
        if word.ends_with(['o', 'O']) {
            words.next();
        }
    }
    None
}

/// What `find` runs for its hits.
fn find_commands<'w, 'c>(arguments: &'w [Word<'c>]) -> impl Iterator<Item = &'w [Word<'c>]> {
    let mut rest = arguments;
    std::iter::from_fn(move || {
        let runs = |word: &Word<'_>| matches!(&*word.text, "-exec" | "-execdir" | "-ok" | "-okdir");
        let start = rest.iter().position(runs)? + 1;
        let words = &rest[start..];
        let end = words.iter().position(|word| matches!(&*word.text, ";" | "+"));
        let end = end.unwrap_or(words.len());
        rest = &words[end..];
        Some(&words[..end])
    })
}

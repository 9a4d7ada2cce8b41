//! Readable names for other people's commands.

use std::collections::HashSet;

use super::Program;
use crate::client::Event;
use crate::syntax::shell;

/// Commands that set the stage for another one on the same line.
const PREPARING: &[&str] =
    &["cd", "set", "export", "source", ".", "test", "[", "[[", ":", "true", "umask", "pushd"];

/// File names that say nothing without their directory.
const BLAND: &[&str] = &["hook", "hooks", "index", "main", "run", "cli", "script", "start"];

const EXTENSIONS: &[&str] = &[
    "sh", "bash", "zsh", "fish", "py", "js", "mjs", "cjs", "ts", "mts", "rb", "pl", "php", "lua",
    "exe", "ps1", "cmd", "bat",
];

const LONGEST: usize = 40;

/// A name for a hook that runs `program`: its file's stem, with the sub-command where it has one.
pub fn suggest(program: &Program) -> String {
    let of_line = |line: &str| -> Vec<Vec<String>> {
        let commands = shell::split(line).commands.into_iter();
        commands.map(|it| it.words.iter().map(|word| word.text.to_string()).collect()).collect()
    };
    let lines = match program {
        Program::Command(line) => of_line(line),
        Program::Argv(words) => match words.as_slice() {
            [shell, flag, line] if shell == "bash" && flag == "-c" => of_line(line),
            words => vec![words.to_vec()],
        },
    };
    let worded = |words: &&Vec<String>| {
        words.first().is_some_and(|word| !PREPARING.contains(&word.as_str()))
    };
    let words = lines.iter().find(worded).or_else(|| lines.first());
    let name = words.map(|words| of_words(words)).unwrap_or_default();
    if name.is_empty() { "hook".to_owned() } else { name }
}

/// The names that are taken.
#[derive(Debug, Default)]
pub struct Names(HashSet<String>);

impl Names {
    /// None that is `taken` is given.
    pub fn without(taken: impl IntoIterator<Item = String>) -> Self {
        Self(taken.into_iter().collect())
    }

    /// The name, made different from those taken with the event, then with a number.
    pub fn give(&mut self, name: &str, event: Event) -> String {
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let mut names = [name.to_owned(), format!("{name}-{}", kebab(event.name()))]
            .into_iter()
            .chain(numbered);
        let free = names.find(|it| !self.0.contains(it)).unwrap_or_default();
        self.0.insert(free.clone());
        free
    }
}

fn of_words(words: &[String]) -> String {
    let mut rest = words;
    while let [program, after @ ..] = rest {
        let base = base(program);
        let Some(own) = own_words(&base) else { break };
        let skipped = after
            .iter()
            .position(|word| !is_aside(word) && !own.contains(&word.as_str()))
            .unwrap_or(after.len());
        let inline = after[..skipped].iter().any(|word| matches!(word.as_str(), "-c" | "-e"));
        if skipped == after.len() || inline {
            return plain(&base);
        }
        rest = &after[skipped..];
    }
    let [program, after @ ..] = rest else { return String::new() };
    let name = stem(program);
    let bare = stem(program) == base(program);
    match after.first() {
        Some(word) if bare && is_subcommand(word) => plain(&format!("{name}-{word}")),
        _ => plain(&name),
    }
}

/// The words of a program that runs another one, which names the hook better; `None` for others.
fn own_words(program: &str) -> Option<&'static [&'static str]> {
    Some(match program {
        "env" | "exec" | "nohup" | "time" | "timeout" | "sudo" | "command" | "bash" | "sh"
        | "zsh" | "dash" | "fish" | "python" | "python3" | "node" | "ruby" | "perl" | "php"
        | "npx" | "bunx" | "uvx" | "tsx" | "ts-node" => &[],
        "deno" | "uv" | "poetry" | "pipx" => &["run"],
        "bun" => &["run", "x"],
        "npm" => &["run", "exec"],
        "pnpm" => &["run", "exec", "dlx"],
        "yarn" => &["run", "dlx"],
        "bundle" => &["exec"],
        _ => return None,
    })
}

/// A flag, an assignment or a duration.
fn is_aside(word: &str) -> bool {
    word.starts_with('-')
        || word.contains('=')
        || word.trim_end_matches(['s', 'm', 'h']).parse::<f64>().is_ok()
}

fn is_subcommand(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

fn base(path: &str) -> String {
    let name = path.trim_end_matches('/').rsplit(['/', '\\']).next().unwrap_or(path);
    name.strip_suffix(".exe").unwrap_or(name).to_owned()
}

fn stem(path: &str) -> String {
    // A package of a registry may carry its version.
    let path =
        path.rsplit_once('@').map_or(path, |(name, _)| if name.is_empty() { path } else { name });
    let base = base(path);
    let stem = match base.rsplit_once('.') {
        Some((stem, ending)) if EXTENSIONS.contains(&ending) && !stem.is_empty() => stem.to_owned(),
        _ => base,
    };
    if !BLAND.contains(&stem.as_str()) {
        return stem;
    }
    let folders = path.rsplit(['/', '\\']).skip(1);
    let telling = |folder: &&str| {
        !folder.is_empty()
            && !BLAND.contains(folder)
            && !matches!(*folder, "bin" | "dist" | "src" | "scripts" | "build" | ".claude" | "~")
            && !folder.contains('$')
    };
    folders.into_iter().find(telling).map_or(stem, str::to_owned)
}

/// Nothing but what a hook's name may hold.
fn plain(name: &str) -> String {
    let mut plain = String::new();
    for character in name.chars() {
        if character.is_alphanumeric() || matches!(character, '_' | '.') {
            plain.push(character);
        } else if !plain.is_empty() && !plain.ends_with('-') {
            plain.push('-');
        }
    }
    let short: String = plain.chars().take(LONGEST).collect();
    short.trim_matches(['-', '.']).to_owned()
}

fn kebab(event: &str) -> String {
    let mut kebab = String::new();
    for character in event.chars() {
        if character.is_ascii_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.push(character.to_ascii_lowercase());
    }
    kebab
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_readable() {
        for (line, name) in [
            ("ruff format", "ruff-format"),
            ("ruff format --quiet -", "ruff-format"),
            ("~/.claude/hooks/guard.sh", "guard"),
            ("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh check", "guard"),
            ("python3 x/check_todos.py --fast", "check_todos"),
            ("uv run --quiet \"$CLAUDE_PROJECT_DIR/hooks/pre tool.py\"", "pre-tool"),
            ("bash -c 'echo hi'", "bash"),
            ("node ~/.claude/plugins/memory/index.js", "memory"),
            ("~/.claude/hooks/hook.sh", "hook"),
            ("npx -y @scope/prettier@3 --write", "prettier"),
            ("npm run lint", "lint"),
            ("cd /x && cargo fmt", "cargo-fmt"),
            ("FOO=1 notify-send done", "notify-send-done"),
            ("jq -r .tool_input.command >> ~/log", "jq"),
            ("timeout 5s /opt/bin/audit", "audit"),
            ("python3 -m mypy src", "mypy-src"),
            ("C:/tools/guard.exe", "guard"),
            ("", "hook"),
            ("$X", "X"),
            ("echo \u{e9}t\u{e9}", "echo"),
        ] {
            assert_eq!(suggest(&Program::Command(line.to_owned())), name, "{line}");
        }
        let argv = ["/usr/bin/python3", "${CLAUDE_PROJECT_DIR}/x.py", "--y"];
        let argv = Program::Argv(argv.map(str::to_owned).to_vec());
        assert_eq!(suggest(&argv), "x");
    }

    #[test]
    fn names_are_unique() {
        let mut names = Names::without(["audit".to_owned(), "guard-3".to_owned()]);
        let given: Vec<String> = (0..4).map(|_| names.give("guard", Event::PreToolUse)).collect();
        assert_eq!(given, ["guard", "guard-pre-tool-use", "guard-2", "guard-4"]);
        assert_eq!(names.give("audit", Event::Stop), "audit-stop");
    }
}

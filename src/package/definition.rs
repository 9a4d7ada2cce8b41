//! The definition of a hook in lines that a person reads, and the files that it runs.

use std::path::{Path, PathBuf};

use crate::client::event::Event;
use crate::machine::paths::Paths;
use crate::machine::trees;
use crate::manifest::edit::string;
use crate::manifest::{Action, Hook, Observe, OnError, seconds};
use crate::syntax::shell;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFile {
    /// Its path from the package, the project or the manifest; the whole path where it is in none of them.
    pub name: String,
    pub path: PathBuf,
    pub hash: String,
}

/// The directories of the system, whose programs are known by their paths alone.
const SYSTEM: [&str; 10] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/nix", "/System", "/Library", "/dev"];

/// The definition of a hook, a key in each line, without its name and its switch.
pub fn text(hook: &Hook) -> String {
    let texts = |texts: &[String]| {
        let texts: Vec<String> = texts.iter().map(|it| string(it)).collect();
        format!("[{}]", texts.join(", "))
    };
    // What a ready-made hook brings along is hookman's own, and another one after an update of it.
    let is_said = |key: &str| {
        let is_in = |said: &String| {
            said.strip_prefix(key).is_some_and(|it| it.is_empty() || it.starts_with('.'))
        };
        !matches!(hook.action, Action::Builtin { .. }) || hook.origins.keys().any(is_in)
    };
    let events: Vec<String> = Event::names(&hook.events).iter().map(|it| string(it)).collect();
    let mut rows = Vec::new();
    let mut add = |key: &str, value: Option<String>| {
        rows.extend(value.map(|value| (key.to_owned(), value)));
    };
    add("event", is_said("event").then(|| format!("[{}]", events.join(", "))));
    add("matcher", hook.matcher.as_deref().filter(|_| is_said("matcher")).map(string));
    add("if", hook.manner.condition.as_deref().map(string));
    match &hook.action {
        Action::Builtin { name, .. } => add("builtin", Some(string(name))),
        Action::Command(line) => add("command", Some(string(line))),
        Action::Argv(words) => add("argv", Some(texts(words))),
        Action::Passed(passed) => {
            let keys = serde_json::Value::Object(passed.keys.clone());
            add("handler", Some(keys.to_string()));
        }
    }
    for (key, value) in &*hook.options {
        let key = format!("options.{key}");
        add(&key, is_said(&key).then(|| value.to_string()));
    }
    add("timeout", is_said("timeout").then(|| seconds(hook.timeout_ms).to_string()));
    add("on_error", (hook.on_error != OnError::Open).then(|| string(hook.on_error.name())));
    add(
        "mode",
        match &hook.manner.observe {
            Observe::Never => None,
            Observe::Always => Some(string("observe")),
            Observe::Until(day) => Some(string(&format!("observe until {day}"))),
        },
    );
    add("async", hook.manner.background.then(|| "true".to_owned()));
    add("always", hook.manner.always.then(|| "true".to_owned()));
    add("cwd", hook.surroundings.in_project.then(|| string("project")));
    add("path", (!hook.surroundings.path.is_empty()).then(|| texts(&hook.surroundings.path)));
    let when = serde_json::to_string(&hook.audience.when).ok().filter(|it| it != "{}");
    add("when", when);
    add("switch", hook.audience.user_only.then(|| string("user")));
    rows.into_iter().fold(String::new(), |text, (key, value)| text + &key + " = " + &value + "\n")
}

/// The files that a hook runs: its program, the scripts behind interpreters, and whatever else its words
/// name that is a file, but for the system's own. `manifest` is what declares it.
pub fn files(paths: &Paths, hook: &Hook, manifest: &Path) -> Vec<RunFile> {
    let folder = manifest.parent().unwrap_or(manifest);
    let project = folder.parent().unwrap_or(folder);
    let root = hook.package.as_ref().map(|package| Path::new(&*package.root));
    let bases: Vec<&Path> = root.map_or_else(|| vec![folder, project], |root| vec![root]);
    let words: Vec<String> = match &hook.action {
        Action::Command(line) => words(line),
        Action::Argv(argv) => {
            argv.iter().flat_map(|word| [vec![word.clone()], words(word)].concat()).collect()
        }
        Action::Builtin { .. } | Action::Passed(_) => Vec::new(),
    };
    let known = [
        ("CLAUDE_PLUGIN_ROOT", root),
        ("CLAUDE_PROJECT_DIR", Some(project)),
        ("HOME", paths.home.as_deref()),
    ];
    let top = project.ancestors().find(|it| it.join(".git").exists()).unwrap_or(project);
    let whole = |word: String| {
        let mut whole = word.replace("$(git rev-parse --show-toplevel)", &top.to_string_lossy());
        for (name, value) in known.iter().filter_map(|(name, value)| Some((name, (*value)?))) {
            let value = value.to_string_lossy();
            whole =
                whole.replace(&format!("${{{name}}}"), &value).replace(&format!("${name}"), &value);
        }
        match (whole.strip_prefix("~/"), &paths.home) {
            (Some(rest), Some(home)) => home.join(rest).to_string_lossy().into_owned(),
            _ => whole,
        }
    };
    let words: Vec<String> = words.into_iter().map(whole).collect();
    let at = |word: &String| bases.iter().map(|base| base.join(word)).collect::<Vec<_>>();
    // A line may go into a directory first.
    let inner: Vec<PathBuf> = words.iter().flat_map(at).filter(|it| it.is_dir()).collect();
    let mut found: Vec<RunFile> = Vec::new();
    for word in words {
        let inner = inner.iter().map(|folder| folder.join(&word));
        let Some(path) = at(&word).into_iter().chain(inner).find(|path| path.is_file()) else {
            continue;
        };
        let name = bases.iter().find_map(|base| path.strip_prefix(base).ok());
        if name.is_none() && SYSTEM.iter().any(|folder| path.starts_with(folder)) {
            continue;
        }
        let Some(hash) = trees::hash_of(&path) else { continue };
        let name = name.unwrap_or(&path).to_string_lossy().into_owned();
        if !found.iter().any(|file| file.path == path) {
            found.push(RunFile { name, path, hash });
        }
    }
    found
}

/// The words of a line, also of the lines that it hands to other shells.
fn words(line: &str) -> Vec<String> {
    let commands = shell::split(line).commands;
    let all = commands.iter().flat_map(|it| &it.words);
    // An interpreter may read its script as its input.
    let inputs = commands.iter().flat_map(|it| &it.redirections).filter(|it| it.operator == "<");
    let all = all.chain(inputs.map(|it| &it.target));
    let mut words: Vec<String> = all.map(|word| word.text.to_string()).collect();
    shell::each_invocation(line, &mut |call| {
        words.extend(
            call.called.iter().copied().chain(call.arguments).map(|it| it.text.to_string()),
        );
    });
    words
}

pub fn line(paths: &Paths, hook: &Hook, manifest: &Path) -> String {
    let name = hook.package.as_ref().map_or(&hook.name, |package| &package.name);
    let mut line = format!("{name} events={}", Event::names(&hook.events).join(","));
    if hook.on_error != OnError::Open {
        line.extend([" on_error=", hook.on_error.name()]);
    }
    line.extend([" definition=", &trees::hash(text(hook).as_bytes())]);
    for file in files(paths, hook, manifest) {
        line.extend([" ", &file.name.replace(' ', "%20"), "=", &file.hash]);
    }
    line
}

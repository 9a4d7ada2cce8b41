//! The three forms of a package, each as the text of a manifest.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::adoption::{self, Candidate, Names, Program, Wrapped};
use crate::machine::{folders, foreign, trees};
use crate::manifest::edit::{NewHook, block, string};
use crate::manifest::{Action, Manner, OnError};
use crate::syntax::json::Document;
use crate::syntax::shell;

/// The file that makes a directory a package in its own form.
pub const MANIFEST: &str = "hookman.toml";
const PLUGIN: &str = ".claude-plugin/plugin.json";
const MARKETPLACE: &str = ".claude-plugin/marketplace.json";
const PLUGIN_HOOKS: &str = "hooks/hooks.json";
const SETTINGS: &str = ".claude/settings.json";
const ENTRIES: &str = "hooks";

/// The longest time limit that a manifest takes, in seconds.
const LONGEST: f64 = 600.0;

/// The name by which a plugin's commands know where they are.
pub const ROOT: &str = "${CLAUDE_PLUGIN_ROOT}";

/// A package's hooks as the text of a manifest.
#[derive(Debug)]
pub struct Reading {
    pub file: String,
    pub text: String,
    /// Its catalogue entries, each a hook of its own: the file and its text.
    pub entries: Vec<(String, String)>,
    /// True if its commands were written for the client itself.
    pub foreign: bool,
    /// Remarks on handlers that hookman does not run, or otherwise than the client.
    pub notes: Vec<String>,
    /// The name of the plugin, by which the client knows it too.
    pub plugin: Option<String>,
}

impl Reading {
    pub fn said(&self, key: &str) -> Option<String> {
        let (document, _) = toml::de::DeTable::parse_recoverable(&self.text);
        let head = document.get_ref().get("package")?.get_ref().as_table()?;
        head.get(key)?.get_ref().as_str().map(str::to_owned)
    }

    pub fn names(&self) -> Vec<String> {
        let (document, _) = toml::de::DeTable::parse_recoverable(&self.text);
        let hooks = document.get_ref().get("hook").and_then(|it| it.get_ref().as_array());
        let name = |hook: &toml::Spanned<toml::de::DeValue<'_>>| {
            hook.get_ref().get("name")?.get_ref().as_str().map(str::to_owned)
        };
        let entry = |(file, _): &(String, String)| {
            Some(file.rsplit('/').next()?.strip_suffix(".toml")?.to_owned())
        };
        let named = hooks.into_iter().flatten().filter_map(name);
        named.chain(self.entries.iter().filter_map(entry)).collect()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum NoPackage {
    #[error(
        "it has neither `{MANIFEST}` with a `[package]` table, nor `{PLUGIN}`, nor `{SETTINGS}`, so it is \
         no package of hooks; `//FOLDER` behind the address names a directory in it"
    )]
    Nothing,
    /// It has these plugins, each with what is to be typed for it.
    #[error(
        "it is a marketplace; type `//FOLDER` of one of its plugins behind the address, or the address of \
         one that is elsewhere: {}",
        .0.join(", ")
    )]
    Marketplace(Vec<String>),
    #[error("its `{0}` cannot be read: {1}")]
    Broken(String, String),
}

/// Reads one file of a package, if it is there and a text.
type Files<'a> = &'a dyn Fn(&str) -> Option<String>;

pub fn read(place: &Path) -> Result<Reading, NoPackage> {
    let files: Files<'_> = &|path| {
        trees::check_path(path).ok()?;
        let bytes = foreign::read(&place.join(path)).ok().flatten()?;
        let text = String::from_utf8_lossy(&bytes);
        // Editors of Windows begin a file so, and the client passes over it.
        Some(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
    };
    if let Some(text) = files(MANIFEST).filter(|text| has_head(text)) {
        let mut all = folders::entries(&place.join(ENTRIES)).unwrap_or_default();
        all.sort();
        let entry = |path: PathBuf| {
            let name =
                path.file_name()?.to_str().filter(|it| it.strip_suffix(".toml").is_some())?;
            let file = format!("{ENTRIES}/{name}");
            Some((file.clone(), files(&file)?))
        };
        let entries = all.into_iter().filter_map(entry).collect();
        let (file, foreign, notes, plugin) = (MANIFEST.to_owned(), false, Vec::new(), None);
        return Ok(Reading { file, text, entries, foreign, notes, plugin });
    }
    let mut reading = of_clients(place, files).map_err(|why| match (&why, files(MANIFEST)) {
        (NoPackage::Nothing, Some(text)) => mistake(&text).unwrap_or(why),
        _ => why,
    })?;
    if let (true, list @ NoPackage::Marketplace(_)) = (reading.names().is_empty(), nothing(files)) {
        reading.notes.push(list.to_string());
    }
    Ok(reading)
}

/// The files that say which hooks the package in a directory has, some of which may not be there.
pub fn definitions(place: &Path) -> Vec<PathBuf> {
    let own = place.join(MANIFEST);
    if !own.exists() {
        return [MANIFEST, PLUGIN, PLUGIN_HOOKS, SETTINGS].map(|file| place.join(file)).into();
    }
    let entries = place.join(ENTRIES);
    let mut files = folders::entries(&entries).unwrap_or_default();
    files.retain(|file| file.extension().is_some_and(|it| it == "toml"));
    files.extend([own, entries]);
    files
}

/// Reads the package in a directory in one of the two forms that are the client's.
fn of_clients(place: &Path, files: Files<'_>) -> Result<Reading, NoPackage> {
    match (files(PLUGIN), files(PLUGIN_HOOKS), files(SETTINGS)) {
        (None, None, None) => Err(nothing(files)),
        (None, None, Some(settings)) => of_handlers(vec![(SETTINGS, settings)], None, files),
        (head, hooks, _) => {
            let head = head.unwrap_or_else(|| "{}".to_owned());
            let broken =
                |why: serde_json::Error| NoPackage::Broken(PLUGIN.to_owned(), why.to_string());
            let head: Value = serde_json::from_str(&head).map_err(broken)?;
            let mut texts: Vec<(&str, String)> = Vec::new();
            texts.extend(hooks.map(|text| (PLUGIN_HOOKS, text)));
            let named = match head.get("hooks") {
                Some(Value::Array(list)) => list.iter().collect(),
                Some(one) => vec![one],
                None => Vec::new(),
            };
            for hooks in named {
                match hooks {
                    Value::String(path) => {
                        let path = path.strip_prefix("./").unwrap_or(path);
                        if path != PLUGIN_HOOKS {
                            let missing = || {
                                NoPackage::Broken(
                                    PLUGIN.to_owned(),
                                    format!("it names `{path}`, which is no file of the package"),
                                )
                            };
                            texts.push((PLUGIN, files(path).ok_or_else(missing)?));
                        }
                    }
                    inline => {
                        let hooks = inline.get("hooks").unwrap_or(inline);
                        texts.push((PLUGIN, serde_json::json!({"hooks": hooks}).to_string()));
                    }
                }
            }
            let mut reading = of_handlers(texts, Some(&head), files)?;
            let mut skills = folders::entries(&place.join("skills")).unwrap_or_default();
            skills.sort();
            for skill in skills {
                let file =
                    format!("skills/{}/SKILL.md", skill.file_name().unwrap_or_default().display());
                if files(&file).is_some_and(|text| has_hooks(&text)) {
                    reading
                        .notes
                        .push(format!("not run by hookman: the hooks at the head of `{file}`"));
                }
            }
            Ok(reading)
        }
    }
}

fn has_hooks(text: &str) -> bool {
    let head = text.strip_prefix("---").and_then(|rest| rest.split_once("\n---"));
    head.is_some_and(|(head, _)| head.lines().any(|line| line.starts_with("hooks:")))
}

/// The reason why a directory without any of the files is no package.
fn nothing(files: Files<'_>) -> NoPackage {
    let list: Option<Value> = files(MARKETPLACE).and_then(|it| serde_json::from_str(&it).ok());
    let plugins = list.as_ref().and_then(|list| list.get("plugins")?.as_array());
    let base = list.as_ref().and_then(|list| list.get("metadata")?.get("pluginRoot")?.as_str());
    let base = base.unwrap_or(".").trim_end_matches('/');
    let typed = |plugin: &Value| {
        let (name, source) = (plugin.get("name")?.as_str()?, plugin.get("source")?);
        let text = |key: &str| source.get(key).and_then(Value::as_str);
        let address = if let Some(path) = source.as_str() {
            // The client looks for a bare name, and for nothing else, below that directory (2.1.330).
            let whole = if path.starts_with('.') { path } else { &format!("{base}/{path}") };
            let parts = whole.split('/').filter(|part| !matches!(*part, "" | "."));
            let path = parts.collect::<Vec<_>>().join("/");
            if path.is_empty() {
                return None;
            }
            format!("//{path}")
        } else if let Some(repository) = text("repo") {
            format!("gh:{repository}")
        } else {
            let inner = text("path").map(|path| format!("//{path}")).unwrap_or_default();
            format!("git:{}{inner}", text("url")?)
        };
        Some(format!("{name} `{address}`"))
    };
    let plugins: Vec<String> = plugins.into_iter().flatten().filter_map(typed).collect();
    if plugins.is_empty() { NoPackage::Nothing } else { NoPackage::Marketplace(plugins) }
}

fn has_head(text: &str) -> bool {
    let (document, _) = toml::de::DeTable::parse_recoverable(text);
    document.get_ref().get("package").is_some_and(|head| head.get_ref().as_array().is_none())
}

/// The reason why a text is no TOML; `None` where it is.
fn mistake(text: &str) -> Option<NoPackage> {
    let error = toml::de::DeTable::parse_recoverable(text).1.into_iter().next()?;
    let line = text[..error.span()?.start].matches('\n').count() + 1;
    let why = format!("line {line} is not valid TOML: {}", error.message().trim());
    Some(NoPackage::Broken(MANIFEST.to_owned(), why))
}

/// Writes the handlers of files of the client's as hooks.
fn of_handlers(
    texts: Vec<(&str, String)>,
    head: Option<&Value>,
    files: Files<'_>,
) -> Result<Reading, NoPackage> {
    let mut text = String::from("[package]\n");
    for key in ["name", "version", "description"] {
        let value = head.and_then(|head| head.get(key)?.as_str()).map(string);
        if let Some(value) = value {
            let key = if key == "description" { "summary" } else { key };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{key} = {value}");
        }
    }
    let (mut names, mut notes) = (Names::default(), Vec::new());
    // A plugin's relative path is one from the session's directory, as under the client.
    let place = |text: &str| if head.is_none() { placed(text, files) } else { text.to_owned() };
    let mut file = head.map_or(SETTINGS, |_| PLUGIN).to_owned();
    for (name, json) in texts {
        name.clone_into(&mut file);
        let broken = |why: String| NoPackage::Broken(name.to_owned(), why);
        let json = with_shorter_limits(&json, &mut notes);
        let document = Document::parse(&json).map_err(|error| broken(error.to_string()))?;
        if !matches!(document.lookup("/hooks").map(|it| document.value(it)), Some(Value::Object(_)))
        {
            notes
                .push(format!("`{name}` has no object `hooks` with events, so nothing of it runs"));
        }
        for Candidate { event, summary, wrapped, .. } in adoption::candidates(&document, None) {
            let wrapped = match wrapped.map_err(|why| why.to_string()).and_then(plain) {
                Ok(wrapped) => wrapped,
                Err(why) => {
                    notes.push(format!("not run by hookman: {event} `{summary}`: {why}"));
                    continue;
                }
            };
            let name = names.give(&adoption::suggest(&wrapped.program), wrapped.event);
            let action = match wrapped.program {
                Program::Command(line) => Action::Command(place(&line)),
                Program::Argv(words) => {
                    Action::Argv(words.iter().map(|word| place(word)).collect())
                }
            };
            let manner = Manner {
                parallel: true,
                condition: wrapped.condition,
                background: wrapped.background,
                status_message: wrapped.status_message,
                ..Manner::default()
            };
            let hook = block(&NewHook {
                name: &name,
                events: &[wrapped.event],
                matcher: wrapped.matcher.as_deref().filter(|it| !it.is_empty()),
                action: &action,
                timeout_ms: Some(wrapped.timeout_ms),
                on_error: wrapped.closed.then_some(OnError::Closed),
                manner: &manner,
                in_project: false,
                paths: &[],
                user_only: false,
                hosts: &[],
            });
            text.push('\n');
            text.push_str(&hook);
        }
    }
    let plugin = head.and_then(|head| head.get("name")?.as_str()).map(str::to_owned);
    if text.matches("[[hook]]").count() == 0 && notes.is_empty() {
        notes.push(format!(
            "it has no hooks, neither in `{PLUGIN_HOOKS}` nor as `hooks` in `{PLUGIN}`"
        ));
    }
    Ok(Reading { file, text, entries: Vec::new(), foreign: true, notes, plugin })
}

/// Refuses a command with a value of the plugin's configuration, which the client alone knows.
fn plain(wrapped: Wrapped) -> Result<Wrapped, String> {
    let (line, words) = match &wrapped.program {
        Program::Command(line) => (Some(line), [].as_slice()),
        Program::Argv(words) => (None, words.as_slice()),
    };
    if line.into_iter().chain(words).any(|text| text.contains("${user_config.")) {
        return Err("it takes `${user_config.…}`, which the client alone knows".to_owned());
    }
    Ok(wrapped)
}

/// The text of a file with time limits that hookman has, too; a limit in milliseconds is a common mistake.
fn with_shorter_limits(json: &str, notes: &mut Vec<String>) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(json) else { return json.to_owned() };
    let mut is_other = false;
    let groups = value["hooks"].as_object_mut().into_iter().flat_map(|it| it.values_mut());
    for group in groups.filter_map(Value::as_array_mut).flatten() {
        let handlers = group.get_mut("hooks").and_then(Value::as_array_mut);
        for limit in handlers.into_iter().flatten().filter_map(|it| it.get_mut("timeout")) {
            if limit.as_f64().is_some_and(|seconds| seconds > LONGEST) {
                notes.push(format!("a time limit of {limit} s becomes {LONGEST} s"));
                *limit = LONGEST.into();
                is_other = true;
            }
        }
    }
    if is_other { value.to_string() } else { json.to_owned() }
}

/// A line with the package's root for the project's, where it names a file that the package has.
fn placed(line: &str, files: Files<'_>) -> String {
    const PROJECT: [&str; 4] = [
        "\"$CLAUDE_PROJECT_DIR\"",
        "\"${CLAUDE_PROJECT_DIR}\"",
        "${CLAUDE_PROJECT_DIR}",
        "$CLAUDE_PROJECT_DIR",
    ];
    let path_at = |rest: &str| -> Option<String> {
        let ends = |it: char| it.is_whitespace() || "\"';|&<>()`".contains(it);
        let path = rest.strip_prefix('/')?.split(ends).next()?;
        files(path).is_some().then(|| path.to_owned())
    };
    let mut placed = line.to_owned();
    for name in PROJECT {
        let mut from = 0;
        while let Some(at) = placed[from..].find(name).map(|at| at + from) {
            let end = at + name.len();
            if path_at(&placed[end..]).is_some() {
                let quote = if name.starts_with('"') { "\"" } else { "" };
                placed.replace_range(at..end, &format!("{quote}{ROOT}{quote}"));
            }
            from = at + 1;
        }
    }
    // A relative path was one from the project.
    let split = shell::split(&placed);
    let words: Vec<String> = split
        .commands
        .iter()
        .flat_map(|command| &command.words)
        .map(|word| word.text.to_string())
        .filter(|word| word.contains('/') && !word.starts_with(['/', '~', '$']))
        .collect();
    for word in words {
        let path = word.strip_prefix("./").unwrap_or(&word);
        if files(path).is_some() && placed.matches(&*word).count() == 1 {
            placed = placed.replace(&word, &format!("\"{ROOT}\"/{path}"));
        }
    }
    placed
}

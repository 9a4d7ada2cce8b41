//! The plugins that the client loads here, what of theirs are hooks, and the MCP servers there are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::settings_file::{self, SettingsFile, Unreadable};
use crate::machine::{Paths, environment, files, folders, foreign};
use crate::package::plugin as installations;
use crate::syntax::frontmatter;

/// The file of a plugin's hooks that it does not have to name.
pub(super) const HOOKS: &str = "hooks/hooks.json";

pub struct Plugin {
    /// Its name, with that of its marketplace where it has one.
    pub name: String,
    pub root: PathBuf,
    /// The place: a settings file that switches it on or off, or a directory.
    pub origin: String,
    /// True if the client loads it.
    pub is_on: bool,
    pub files: Vec<SettingsFile>,
    pub modules: Vec<PathBuf>,
}

impl Plugin {
    pub fn off(&self) -> String {
        if self.name.contains('@') {
            let name = &self.name;
            return format!(
                "run `claude plugin disable {name}`, which also takes its commands and skills"
            );
        }
        format!("take it out of {}", self.origin)
    }
}

/// The plugins that the client knows here, those that are off too.
pub fn known(paths: &Paths, project: Option<&Path>) -> Vec<Plugin> {
    plugins(paths, project, &settings_file::all(paths, project, |_| true))
}

/// The plugins that the client installed, and those that lie where it looks for them.
pub(super) fn plugins(
    paths: &Paths,
    project: Option<&Path>,
    settings: &[SettingsFile],
) -> Vec<Plugin> {
    let mut found = installed(paths, project, settings);
    let mut folders = vec![paths.config.join("skills"), paths.config.join("dev-mods")];
    folders.extend(project.map(|project| project.join(".claude/skills")));
    folders.extend(named(settings));
    for folder in folders {
        let mut roots = folders::entries(&folder).unwrap_or_default();
        roots.sort();
        roots.insert(0, folder.clone());
        for root in roots.into_iter().filter(|root| is_plugin(root)) {
            let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if found.iter().all(|plugin| plugin.root != root) {
                found.push(plugin(paths, name, root, paths.shown(&folder)));
            }
        }
    }
    found
}

fn is_plugin(root: &Path) -> bool {
    root.join(".claude-plugin/plugin.json").is_file() || root.join(HOOKS).is_file()
}

fn named(settings: &[SettingsFile]) -> Vec<PathBuf> {
    const NAME: &str = "CLAUDE_CODE_PLUGIN_DIRS";
    let of_user = settings.iter().find(|file| file.scope == "user");
    let of_user = of_user.and_then(|file| file.value(&format!("/env/{NAME}")));
    let of_user = of_user.and_then(|(folders, _)| Some(folders.as_str()?.to_owned()));
    let all = environment::text(NAME).into_iter().chain(of_user);
    all.flat_map(|text| std::env::split_paths(&text).collect::<Vec<_>>()).collect()
}

fn installed(paths: &Paths, project: Option<&Path>, settings: &[SettingsFile]) -> Vec<Plugin> {
    let mut on: BTreeMap<String, (bool, String)> = BTreeMap::new();
    for file in settings {
        if let Some((Value::Object(plugins), place)) = file.value("/enabledPlugins") {
            for (name, value) in plugins {
                on.insert(name, (value != Value::Bool(false), place.clone()));
            }
        }
    }
    let of_list = paths.shown(&installations::file(paths));
    let found = installations::installed(paths).into_iter().filter_map(|(name, entries)| {
        let root = installations::root(&entries, project)?;
        let (is_on, place) = on.get(&name).cloned().unwrap_or((false, of_list.clone()));
        Some(Plugin { is_on, ..plugin(paths, name, root, place) })
    });
    found.collect()
}

fn plugin(paths: &Paths, name: String, root: PathBuf, origin: String) -> Plugin {
    let own = root.join(".claude-plugin/plugin.json");
    let usual = root.join(HOOKS);
    let mut hooks = vec![usual.clone()];
    match &json(&own)["hooks"] {
        Value::Object(_) => hooks.push(own),
        Value::Array(list) => hooks.extend(list.iter().filter_map(|it| below(&root, it))),
        file => hooks.extend(below(&root, file)),
    }
    let mut whole: Vec<PathBuf> = Vec::new();
    for path in hooks {
        let path: PathBuf = path.components().collect();
        // One that the plugin names is missed where it is not there.
        if (path != usual || files::is_there(&path)) && !whole.contains(&path) {
            whole.push(path);
        }
    }
    let mut files: Vec<SettingsFile> =
        whole.iter().map(|path| SettingsFile::read_foreign(paths, "plugin", path)).collect();
    files.extend(frontmatters(paths, &root, true));
    let modules = files.iter().flat_map(modules).collect();
    Plugin { name, root, origin, is_on: true, files, modules }
}

fn below(root: &Path, file: &Value) -> Option<PathBuf> {
    Some(root.join(file.as_str()?.trim_start_matches("${CLAUDE_PLUGIN_ROOT}/")))
}

fn json(path: &Path) -> Value {
    let text = files::read_text(path).ok().flatten();
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// The modules that a file of hooks names, relative to itself.
fn modules(file: &SettingsFile) -> Vec<PathBuf> {
    let Some((Value::Array(names), _)) = file.value("/modules") else { return Vec::new() };
    let folder = file.path.parent().unwrap_or(&file.path);
    let names = names.iter().filter_map(Value::as_str);
    names.map(|name| folder.join(name).components().collect()).collect()
}

/// The names of all MCP servers, as the names of their tools have them. Source: the client's documentation;
/// what is no ASCII letter or digit, `_` or `-` becomes `_`.
pub(super) fn server_names(
    paths: &Paths,
    project: Option<&Path>,
    plugins: &[Plugin],
) -> Vec<String> {
    let home = paths.home.as_ref().filter(|home| home.join(".claude") == paths.config);
    let of_user = json(&home.unwrap_or(&paths.config).join(".claude.json"));
    let mut names = Vec::new();
    let mut add = |prefix: &str, servers: &Value| {
        let servers = servers.as_object().into_iter().flatten();
        names.extend(servers.map(|(name, _)| format!("{prefix}{}", in_tools(name))));
    };
    add("", &of_user["mcpServers"]);
    for folder in project.into_iter().flat_map(Path::ancestors) {
        add("", &of_user["projects"][&*folder.to_string_lossy()]["mcpServers"]);
        add("", &json(&folder.join(".mcp.json"))["mcpServers"]);
    }
    for path in paths.managed_settings() {
        let of_administrator = path.parent().map(|folder| folder.join("managed-mcp.json"));
        add("", &json(&of_administrator.unwrap_or_default())["mcpServers"]);
    }
    for plugin in plugins {
        let name = plugin.name.split('@').next().unwrap_or_default();
        let prefix = format!("plugin_{}_", in_tools(name));
        let own = json(&plugin.root.join(".mcp.json"));
        add(&prefix, own.get("mcpServers").unwrap_or(&own));
        let declared = &json(&plugin.root.join(".claude-plugin/plugin.json"))["mcpServers"];
        match declared.as_str() {
            Some(file) => add(&prefix, &json(&plugin.root.join(file))["mcpServers"]),
            None => add(&prefix, declared),
        }
    }
    names.sort();
    names.dedup();
    names
}

pub(super) fn in_tools(name: &str) -> String {
    let is_kept = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    name.chars().map(|letter| if is_kept(letter) { letter } else { '_' }).collect()
}

const MOST: u64 = 64 * 1024;

/// The depth to which directories of agents and commands are looked into.
const DEPTH: usize = 4;

/// The files in a directory of the client's, or a plugin's, whose front matter has hooks: 2.1.329 runs
/// those of skills, agents and commands, but not of a plugin's agents.
pub(super) fn frontmatters(paths: &Paths, folder: &Path, is_plugin: bool) -> Vec<SettingsFile> {
    let mut found = Vec::new();
    for skill in folders::entries(&folder.join("skills")).unwrap_or_default() {
        found.extend(read(paths, "skill", &skill.join("SKILL.md")));
    }
    for scope in ["agent", "command"].into_iter().filter(|scope| !is_plugin || *scope != "agent") {
        let files = markdown(&folder.join(format!("{scope}s")), DEPTH);
        found.extend(files.iter().filter_map(|path| read(paths, scope, path)));
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

pub(super) fn agents(folder: &Path) -> Vec<String> {
    let name = |path: &PathBuf| {
        let text = foreign::read_start(path, MOST).ok()??;
        let line = text.lines().find_map(|line| line.strip_prefix("name:"))?;
        Some(line.trim().trim_matches(['"', '\'']).to_owned())
    };
    markdown(&folder.join("agents"), DEPTH).iter().filter_map(name).collect()
}

fn markdown(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in folders::entries(folder).unwrap_or_default() {
        if path.extension().is_some_and(|it| it == "md") {
            found.push(path);
        } else if depth > 1 && path.is_dir() {
            found.extend(markdown(&path, depth - 1));
        }
    }
    found
}

fn read(paths: &Paths, scope: &'static str, path: &Path) -> Option<SettingsFile> {
    let text = foreign::read_start(path, MOST).ok()??;
    let text = frontmatter::as_json(&text, "hooks")?.map(Some).map_err(Unreadable::Yaml);
    Some(SettingsFile::of_text(paths, scope, path, text))
}

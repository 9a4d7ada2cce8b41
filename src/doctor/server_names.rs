//! The MCP servers that are configured here.

use std::path::Path;

use serde_json::Value;

use super::plugin::Plugin;
use crate::machine::files;
use crate::machine::paths::Paths;

/// The names of the servers of the user, the project, the administrator and the plugins, as the
/// names of their tools have them.
///
/// Source: the client's documentation; in names of tools a character that is no ASCII letter or
/// digit, `_` or `-` is `_`.
pub(super) fn server_names(
    paths: &Paths,
    project: Option<&Path>,
    plugins: &[Plugin],
) -> Vec<String> {
    let read = |path: &Path| -> Value {
        let text = files::read_text(path).ok().flatten();
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    };
    let home = paths.home.as_ref().filter(|home| home.join(".claude") == paths.config);
    let of_user = read(&home.unwrap_or(&paths.config).join(".claude.json"));
    let mut names = Vec::new();
    let mut add = |prefix: &str, servers: &Value| {
        let servers = servers.as_object().into_iter().flatten();
        names.extend(servers.map(|(name, _)| format!("{prefix}{}", in_tools(name))));
    };
    add("", &of_user["mcpServers"]);
    for folder in project.into_iter().flat_map(Path::ancestors) {
        add("", &of_user["projects"][&*folder.to_string_lossy()]["mcpServers"]);
        add("", &read(&folder.join(".mcp.json"))["mcpServers"]);
    }
    for path in paths.managed_settings() {
        let of_administrator = path.parent().map(|folder| folder.join("managed-mcp.json"));
        add("", &read(&of_administrator.unwrap_or_default())["mcpServers"]);
    }
    for plugin in plugins {
        let name = plugin.name.split('@').next().unwrap_or_default();
        let prefix = format!("plugin_{}_", in_tools(name));
        let own = read(&plugin.root.join(".mcp.json"));
        add(&prefix, own.get("mcpServers").unwrap_or(&own));
        let declared = &read(&plugin.root.join(".claude-plugin/plugin.json"))["mcpServers"];
        match declared.as_str() {
            Some(file) => add(&prefix, &read(&plugin.root.join(file))["mcpServers"]),
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

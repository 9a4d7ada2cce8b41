//! The keys of a manifest, each a row for its reading, unknown keys, the JSON schema and the documentation.

use serde_json::{Map, Value};

use super::forms::{
    ACTION, AGENTS, ARGV, BUDGET, COMMAND, CWD, DAY, DAYS, EVENTS, FLAG, HEADERS, HOSTS, MODE,
    MODES, NAMES, ON_CHANGE, ON_ERROR, ON_FAILURE, OS, PATH, PROJECTS, RULE, SECONDS, SWITCH,
    TABLE, TEXT, TEXTS, TOOL, WHOLE, table,
};
use super::model::{ContextBudget, KeepDays, OnChange, OnError};
use super::reader::{Item, Reader};
use super::table::{Form, Key, Table, keys};
use crate::client::Event;

/// The keys that say what a hook runs; a hook has exactly one of them.
pub(super) const ACTIONS: &[&str] =
    &["builtin", "command", "argv", "prompt", "agent", "http", "mcp_tool"];

/// Keys that an overlay may set for a hook that the manifest under it declares.
pub(super) const OVERRIDABLE: &[&str] =
    &["enabled", "timeout", "on_error", "mode", "observe_until", "options"];

keys! {
HookKeys in "[[hook]]" {
    name: String = "name", TEXT, "unique in the file; what switches, reports and messages call it", "the name of the `builtin`, else required";
    builtin: String = "builtin", TEXT, "the name of a ready-made hook", "";
    command: String = "command", COMMAND, "a line for `sh -c`", "";
    argv: Vec<String> = "argv", ARGV, "a program and its arguments, without a shell; `{file}` is the file of the call", "";
    prompt: String = "prompt", ACTION, "a question that the client asks a model, see [Hooks that the client runs](#hooks-that-the-client-runs)", "";
    agent: String = "agent", ACTION, "a task that the client gives to an agent", "";
    http: String = "http", ACTION, "the URL that the client posts the event to", "";
    mcp_tool: Map<String, Value> = "mcp_tool", TOOL, "`{ server = \"…\", tool = \"…\", input = { … } }`, a tool that the client calls", "";
    package: String = "package", TEXT, "the package whose hook `name` is placed or changed here, see [Packages](packages.md)", "";
    events: Vec<Event> = "event", EVENTS, "an event of the client, or a list of them", "the built-in's, else required";
    matcher: String = "matcher", TEXT, "the client's matcher: names joined by `\\|`, or a JavaScript regular expression", "the built-in's, else everything";
    enabled: bool = "enabled", FLAG, "`false` switches it off for good", "`true`";
    timeout_ms: u64 = "timeout", SECONDS, "seconds, 0.001 to 600", "`[defaults]`, else 10";
    on_error: OnError = "on_error", ON_ERROR, "`\"open\"`, `\"ask\"` or `\"closed\"`, see below", "`[defaults]`, else `\"open\"`";
    observes: bool = "mode", MODE, "`\"observe\"`: it runs and is journalled, and nothing of its answer reaches the client, see [Watching first](#watching-first)", "`[defaults]`, else `\"enforce\"`";
    observe_until: String = "observe_until", DAY, "the last day on which `mode = \"observe\"` holds, such as `2026-12-31`", "`[defaults]`, else no end";
    parallel: bool = "parallel", FLAG, "`true`: it runs at the same time as its neighbours that are marked so too", "`false`";
    always: bool = "always", FLAG, "`true`: it also runs after a denial ended the chain", "`false`";
    after: Vec<String> = "after", NAMES, "hooks that it is to come after; the file's order stays the order, and `hookman doctor` says where the two differ", "none";
    in_project: bool = "cwd", CWD, "where a command runs: `\"session\"`, the session's current directory, or `\"project\"`, the directory the session was started in", "`\"session\"`";
    path: Vec<String> = "path", PATH, "directories added to the end of a command's `PATH`; `~/` and paths relative to the manifest work", "`[defaults]`, else none";
    condition: String = "if", RULE, "a permission rule of the client such as `Edit(*.py)`, see [Conditions](#conditions)", "";
    background: bool = "async", FLAG, "`true`: the client goes on without waiting; an entry of its own", "`false`";
    status_message: String = "status_message", TEXT, "what the client shows while the hook runs; an entry of its own", "";
    when: WhenKeys = "when", table(), "further conditions such as `{ branch = \"main\" }`, see [Conditions](#conditions)", "always";
    user_only: bool = "switch", SWITCH, "`\"user\"`: an agent's tools may not switch it off, see [Switches](switches.md)", "`\"anyone\"`";
    hosts: Vec<&'static str> = "hosts", HOSTS, "the programs that it runs in, such as `[\"claude\", \"codex\"]`, see [Other agents](hosts.md)", "every one that calls the manifest's hooks";
    context_priority: i64 = "context_priority", WHOLE, "a whole number; the lower it is, the sooner the hook gets room in the [context budget](#context-budget)", "0";
    adopted: bool = "adopted", FLAG, "`true`: it came from `settings.json` or the file of another agent, and `hookman release` puts it back there", "`false`";
    model: String = "model", ACTION, "the model of a `prompt` or `agent`", "the client's";
    continue_on_block: bool = "continue_on_block", FLAG, "`true`: a `prompt` that says no lets the turn go on with its reason", "`false`";
    headers: Map<String, Value> = "headers", HEADERS, "a table of headers for `http`; `$NAME` means a variable that `allowed_env_vars` names", "none";
    allowed_env_vars: Vec<String> = "allowed_env_vars", NAMES, "the variables that `headers` may name", "none";
    on_failure: &'static str = "on_failure", ON_FAILURE, "of `http` and `mcp_tool`: `\"block\"` blocks where the call fails, `\"continue\"` does not; clients before 2.1.295 do not know it", "`\"continue\"`";
    options: Map<String, Value> = "options", TABLE, "a table of options of the built-in; `hookman show HOOK` explains and lists them", "the built-in's";
}

/// The values for all hooks of a file that do not say otherwise.
DefaultKeys in "[defaults]" {
    timeout_ms: u64 = "timeout", SECONDS, "seconds, 0.001 to 600", "10";
    on_error: OnError = "on_error", ON_ERROR, "`\"open\"`, `\"ask\"` or `\"closed\"`", "`\"open\"`";
    path: Vec<String> = "path", PATH, "directories added to the end of a command's `PATH`; `~/` and paths relative to the manifest work", "none";
    observes: bool = "mode", MODE, "`\"observe\"`: the hooks run and are journalled, and nothing of their answers reaches the client", "`\"enforce\"`";
    observe_until: String = "observe_until", DAY, "the last day on which `mode = \"observe\"` holds, such as `2026-12-31`", "no end";
    on_change: OnChange = "on_change", ON_CHANGE, "in your own manifest: the meaning of a change of a hook that you have seen: `\"run\"`, `\"ask\"` or `\"hold\"`, see [Packages](packages.md#what-has-to-be-seen-by-a-person)", "`\"ask\"` for packages, projects and adopted hooks, `\"run\"` for your own";
    budget: ContextBudget = "context_budget", BUDGET, "How many tokens all hooks together may add to the model's context", "no limit";
}

WhenKeys in "`when`" {
    agent: Vec<String> = "agent", AGENTS, "types of agents that it runs for", "";
    agent_not: Vec<String> = "agent_not", AGENTS, "types of agents that it does not run for", "";
    branch: Vec<String> = "branch", TEXTS, "branches that may be checked out, with stars", "";
    ci: bool = "ci", FLAG, "`true`: only in continuous integration, `false`: only outside of it", "";
    headless: bool = "headless", FLAG, "`true`: only where nobody sits before the session, `false`: only where somebody does", "";
    host: Vec<String> = "host", TEXTS, "names of machines that it runs on, with stars", "";
    host_not: Vec<String> = "host_not", TEXTS, "names of machines that it does not run on", "";
    os: Vec<String> = "os", OS, "systems that it runs on: `linux`, `macos`", "";
    paths: Vec<String> = "paths", TEXTS, "globs for the file that the event is about, as in a permission rule", "";
    permission_mode: Vec<String> = "permission_mode", MODES, "permission modes of the client", "";
    project: Vec<String> = "project", PROJECTS, "directories of projects that it runs in, with stars", "";
    project_not: Vec<String> = "project_not", PROJECTS, "directories of projects that it does not run in", "";
}

PackageKeys in "[[package]]" {
    name: String = "name", TEXT, "the name that the package has here", "";
    git: String = "git", TEXT, "a repository, as `git` understands it", "";
    path: String = "path", TEXT, "a directory instead; it may be relative to the manifest", "";
    plugin: String = "plugin", TEXT, "a plugin instead that the client installed: `NAME@MARKETPLACE`", "";
    folder: String = "folder", TEXT, "the directory in it that is the package", "";
    rev: String = "rev", TEXT, "a tag, a branch or a commit of the repository", "";
    hooks: Vec<String> = "hooks", TEXTS, "the hooks that are wanted; `\"*\"` is all of them", "those that the package names";
}

/// The head of a package's own manifest.
HeadKeys in "[package]" {
    name: String = "name", TEXT, "its name", "";
    version: String = "version", TEXT, "its version", "";
    summary: String = "summary", TEXT, "what it is for, in a line", "";
    hookman: String = "hookman", TEXT, "the versions of hookman that it is for, such as `>=0.2`", "";
    default: Vec<String> = "default", TEXTS, "the hooks that who names none gets", "all";
}

JournalKeys in "[journal]" {
    reasons: bool = "reasons", FLAG, "false keeps the reasons of denials out of it", "";
}

ProfileKeys in "a profile" {
    disable: Vec<String> = "disable", NAMES, "The hooks, by name or pattern", "";
}

SessionKeys in "[sessions]" {
    keep: KeepDays = "keep_days", DAYS, "the days that the state of a session is kept after its last use", "";
}
}

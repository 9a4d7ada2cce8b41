//! On what, besides its matcher, it depends whether a hook runs: its `if` and its `when`.

use std::borrow::Cow;
use std::iter;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::client::permission_rule::{Anchors, Input, path_hits};
use crate::client::{Payload, Rule};
use crate::manifest::{Hook, When};
use crate::syntax::suggestion;

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Condition<'a> {
    #[serde(borrow, rename = "if", default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<When>,
    /// The programs that it runs in; every one without any.
    #[serde(borrow, default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<&'a str>,
}

/// The subjects of conditions; each is asked for only where a condition needs it.
pub trait Scene {
    fn host(&self) -> &str;

    /// A variable of the environment; `None` for an empty one.
    fn variable(&self, name: &str) -> Option<String>;

    fn directory(&self) -> Option<String> {
        None
    }

    /// The name of this machine; empty where it is not known.
    fn machine(&self) -> String;

    fn system(&self) -> &str;

    fn branch(&self, directory: &str) -> Branch;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Branch {
    Named(String),
    /// There is no work tree, or no branch is checked out.
    Absent,
    Unclear,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmet {
    /// Its `if` does not hit the call.
    If,
    When(&'static str),
    /// Its `hosts` does not name the program that calls.
    Hosts,
}

impl<'a> Condition<'a> {
    pub fn of(hook: &'a Hook) -> Option<Self> {
        let when = Some(&hook.audience.when).filter(|when| **when != When::default()).cloned();
        let rule = hook.manner.condition.as_deref().map(Cow::Borrowed);
        let hosts = hook.audience.hosts.clone();
        let is_none = rule.is_none() && when.is_none() && hosts.is_empty();
        (!is_none).then_some(Self { rule, when, hosts })
    }

    /// Reads conditions out of a plan; `None` if the text is none.
    pub fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The first condition that is not met; `None` if the hook runs.
    pub fn unmet(&self, payload: &Payload<'_>, scene: &dyn Scene) -> Option<Unmet> {
        if !self.hosts.is_empty() && !self.hosts.contains(&scene.host()) {
            return Some(Unmet::Hosts);
        }
        let project = scene.variable("CLAUDE_PROJECT_DIR");
        let home = scene.variable("HOME").unwrap_or_default();
        let anchors = Anchors {
            cwd: &payload.cwd,
            project: project.as_deref().unwrap_or(&payload.cwd),
            home: &home,
        };
        if self.rule.as_ref().is_some_and(|rule| !falls_under(payload, rule, anchors)) {
            return Some(Unmet::If);
        }
        let when = self.when.as_ref()?;
        let unmet_at = |project: &str| unmet(when, payload, scene, Anchors { project, ..anchors });
        let unmet = unmet_at(anchors.project);
        // Not every agent names the project, and a `cd` of its shell is to leave no gate behind.
        let is_place = matches!(unmet, Some("project" | "project_not")) && project.is_none();
        let started_in = scene.directory().filter(|_| is_place);
        started_in.map_or(unmet, |directory| unmet_at(&directory)).map(Unmet::When)
    }
}

/// Returns whether a tool call falls under a permission rule, also by the tool that it is taken for.
pub fn falls_under(payload: &Payload<'_>, rule: &str, anchors: Anchors<'_>) -> bool {
    let mut tools = iter::once(&*payload.tool_name).chain(payload.stand_in());
    let hits = |rule: Rule<'_>| tools.any(|tool| rule.matches(tool, payload.tool_input, anchors));
    Rule::parse(rule).is_some_and(hits)
}

fn unmet(
    when: &When,
    payload: &Payload<'_>,
    scene: &dyn Scene,
    anchors: Anchors<'_>,
) -> Option<&'static str> {
    let is_type = |agent: &String| agent.eq_ignore_ascii_case(&payload.agent_type);
    if !when.agent.is_empty() && !when.agent.iter().any(is_type) {
        return Some("agent");
    }
    if when.agent_not.iter().any(is_type) {
        return Some("agent_not");
    }
    let modes = &when.permission_mode;
    if !modes.is_empty() && !modes.iter().any(|mode| *mode == *payload.permission_mode) {
        return Some("permission_mode");
    }
    if let Some(key) = elsewhere(when, anchors, scene) {
        return Some(key);
    }
    if when.headless.is_some_and(|wanted| wanted != is_headless(scene)) {
        return Some("headless");
    }
    if when.ci.is_some_and(|wanted| wanted != is_ci(scene)) {
        return Some("ci");
    }
    if !when.paths.is_empty() && !is_about(&when.paths, payload, anchors) {
        return Some("paths");
    }
    if !when.branch.is_empty() {
        let is_met = match scene.branch(&payload.cwd) {
            Branch::Named(branch) => when.branch.iter().any(|glob| suggestion::hits(glob, &branch)),
            Branch::Absent => false,
            // No gate is passed over for what somebody put in the way.
            Branch::Unclear => true,
        };
        if !is_met {
            return Some("branch");
        }
    }
    None
}

/// The key of `when` by which a hook runs in no call of this project, on this machine.
pub fn elsewhere(when: &When, anchors: Anchors<'_>, scene: &dyn Scene) -> Option<&'static str> {
    let is_project = |glob: &String| is_within(glob, anchors);
    if !when.project.is_empty() && !when.project.iter().any(is_project) {
        return Some("project");
    }
    if when.project_not.iter().any(is_project) {
        return Some("project_not");
    }
    if !when.os.is_empty() && !when.os.iter().any(|os| os == scene.system()) {
        return Some("os");
    }
    if !when.host.is_empty() || !when.host_not.is_empty() {
        let machine = scene.machine().to_lowercase();
        let short = machine.split('.').next().unwrap_or_default();
        let is_it = |glob: &String| {
            let glob = glob.to_lowercase();
            suggestion::hits(&glob, &machine) || suggestion::hits(&glob, short)
        };
        if !when.host.is_empty() && !when.host.iter().any(is_it) {
            return Some("host");
        }
        if when.host_not.iter().any(is_it) {
            return Some("host_not");
        }
    }
    None
}

/// Returns whether the project is a directory that a glob names, or below one.
pub fn is_within(glob: &str, anchors: Anchors<'_>) -> bool {
    let glob = glob.strip_suffix('/').filter(|rest| !rest.is_empty()).unwrap_or(glob);
    let glob = match glob.strip_prefix('~') {
        Some(rest) => Cow::Owned(format!("{}{rest}", anchors.home)),
        None => Cow::Borrowed(glob),
    };
    let mut places = Path::new(anchors.project).ancestors().filter_map(Path::to_str);
    places.any(|directory| suggestion::hits(&glob, directory))
}

/// Returns whether the session has no user: `-p` says `sdk-cli`, and newer clients (2.1.329) say so too.
fn is_headless(scene: &dyn Scene) -> bool {
    match scene.variable("CLAUDE_CODE_SESSION_ATTENDED").as_deref() {
        Some("0") => true,
        Some(_) => false,
        None => scene
            .variable("CLAUDE_CODE_ENTRYPOINT")
            .is_some_and(|entry| entry.starts_with("sdk") || entry.ends_with("github-action")),
    }
}

fn is_ci(scene: &dyn Scene) -> bool {
    let is_set = |name: &str| {
        scene.variable(name).is_some_and(|value| !matches!(value.as_str(), "0" | "false"))
    };
    is_set("CI") || is_set("GITHUB_ACTIONS") || is_set("TF_BUILD")
}

/// Returns whether a glob hits the call's file; an input that cannot be read passes no gate over.
fn is_about(globs: &[String], payload: &Payload<'_>, anchors: Anchors<'_>) -> bool {
    let hits = |path: &str| globs.iter().any(|glob| path_hits(glob, path, anchors));
    if !payload.file_path.is_empty() {
        return hits(&payload.file_path);
    }
    match Input::read(payload.tool_input) {
        Some(input) => input.file().is_some_and(hits),
        None => payload.tool_input.is_some() || !payload.tool_name.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed<'a>(&'a [(&'a str, &'a str)]);

    impl Scene for Fixed<'_> {
        fn host(&self) -> &'static str {
            "codex"
        }

        fn variable(&self, name: &str) -> Option<String> {
            self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        }

        fn machine(&self) -> String {
            "Den.example.org".to_owned()
        }

        fn system(&self) -> &'static str {
            "linux"
        }

        fn branch(&self, directory: &str) -> Branch {
            match self.variable(directory).as_deref() {
                None => Branch::Absent,
                Some("?") => Branch::Unclear,
                Some(name) => Branch::Named(name.to_owned()),
            }
        }
    }

    #[test]
    fn a_hook_runs_where_all_its_conditions_are_met() {
        let here: &[(&str, &str)] = &[
            ("/p", "release/1.2"),
            ("CLAUDE_CODE_ENTRYPOINT", "sdk-cli"),
            ("CI", "true"),
            ("HOME", "/h"),
        ];
        let payload = r#"{"cwd":"/p","tool_name":"Edit","agent_type":"Explore",
            "permission_mode":"plan","tool_input":{"file_path":"/p/src/a.py"}}"#;
        let rows = [
            ("{}", None),
            (r#"{"if":"Edit(src/**)"}"#, None),
            (r#"{"if":"Edit(lib/**)"}"#, Some(Unmet::If)),
            (r#"{"if":"Edit("}"#, Some(Unmet::If)),
            (r#"{"when":{"agent":["explore"]}}"#, None),
            (r#"{"hosts":["codex"]}"#, None),
            (r#"{"hosts":["claude"]}"#, Some(Unmet::Hosts)),
            (r#"{"when":{"agent":["Plan"]}}"#, Some(Unmet::When("agent"))),
            (r#"{"when":{"agent_not":["Explore"]}}"#, Some(Unmet::When("agent_not"))),
            (r#"{"when":{"headless":true,"ci":true}}"#, None),
            (r#"{"when":{"headless":false}}"#, Some(Unmet::When("headless"))),
            (r#"{"when":{"ci":false}}"#, Some(Unmet::When("ci"))),
            (r#"{"when":{"branch":["main","release/*"]}}"#, None),
            (r#"{"when":{"branch":["rel*1*2"]}}"#, None),
            (r#"{"when":{"branch":["main","*.3"]}}"#, Some(Unmet::When("branch"))),
            (r#"{"when":{"project":["/q","/p"],"host":["den"],"host_not":["lab*"]}}"#, None),
            (r#"{"when":{"project":["~"]}}"#, Some(Unmet::When("project"))),
            (r#"{"when":{"project":["/p/src"]}}"#, Some(Unmet::When("project"))),
            (r#"{"when":{"project_not":["/p/"]}}"#, Some(Unmet::When("project_not"))),
            (r#"{"when":{"host":["DEN.*.org"],"host_not":["den.lab"]}}"#, None),
            (r#"{"when":{"host":["lab*"]}}"#, Some(Unmet::When("host"))),
            (r#"{"when":{"host_not":["d*"]}}"#, Some(Unmet::When("host_not"))),
            (r#"{"when":{"os":["linux","macos"]}}"#, None),
            (r#"{"when":{"os":["plan9"]}}"#, Some(Unmet::When("os"))),
            (r#"{"when":{"paths":["*.py"]}}"#, None),
            (r#"{"when":{"paths":["/lib/**"]}}"#, Some(Unmet::When("paths"))),
            (r#"{"when":{"permission_mode":["plan","default"]}}"#, None),
            (r#"{"when":{"permission_mode":["auto"]}}"#, Some(Unmet::When("permission_mode"))),
        ];
        let payload = Payload::parse(payload).unwrap();
        for (text, unmet) in rows {
            let condition = Condition::parse(text).unwrap();
            assert_eq!(condition.unmet(&payload, &Fixed(here)), unmet, "{text}");
        }
    }

    #[test]
    fn what_is_below_a_directory_is_within_it() {
        for (glob, project, expected) in [
            ("/w/app", "/w/app", true),
            ("/w/app/", "/w/app/src", true),
            ("/w/app", "/w/apple", false),
            ("/w/*", "/w", false),
            ("/w/*", "/w/a/b", true),
            ("~/a", "/h/a", true),
            ("~", "/h/a", true),
            ("~", "/home", false),
            ("*/a", "/x/a", true),
            ("/", "/x", true),
        ] {
            let anchors = Anchors { cwd: "/elsewhere", project, home: "/h" };
            assert_eq!(is_within(glob, anchors), expected, "{glob} {project}");
        }
    }

    #[test]
    fn a_branch_that_cannot_be_told_passes_over_no_hook() {
        let condition = Condition::parse(r#"{"when":{"branch":["main"]}}"#).unwrap();
        let payload = Payload::parse(r#"{"cwd":"/p"}"#).unwrap();
        assert_eq!(condition.unmet(&payload, &Fixed(&[("/p", "?")])), None);
        assert_eq!(condition.unmet(&payload, &Fixed(&[])), Some(Unmet::When("branch")));
    }

    #[test]
    fn an_input_that_cannot_be_read_passes_over_no_hook() {
        let condition = Condition::parse(r#"{"when":{"paths":["*.py"]}}"#).unwrap();
        let rows = [
            (r#""tool_input":{"file_path":"/p/a.py"}"#, None),
            (r#""tool_input":{"file_path":"/p/a.rs"}"#, Some(Unmet::When("paths"))),
            (r#""tool_input":{"command":"ls"}"#, Some(Unmet::When("paths"))),
            (r#""tool_input":{"file_path":"/p/a.rs","file_path":"/p/a.py"}"#, None),
            (r#""tool_input":{"file_path":["/p/a.py"]}"#, None),
            (r#""tool_input":{"file_path":null,"path":5}"#, None),
            (r#""tool_input":"/p/a.py""#, None),
            (r#""tool_input":null"#, None),
            (r#""file_path":"/p/a.rs","tool_input":5"#, Some(Unmet::When("paths"))),
        ];
        for (fields, unmet) in rows {
            let text = format!(r#"{{"cwd":"/p","tool_name":"Edit",{fields}}}"#);
            let payload = Payload::parse(&text).unwrap();
            assert_eq!(condition.unmet(&payload, &Fixed(&[])), unmet, "{fields}");
        }
        // What is no tool's event has no input to be read.
        let payload = Payload::parse(r#"{"cwd":"/p"}"#).unwrap();
        assert_eq!(condition.unmet(&payload, &Fixed(&[])), Some(Unmet::When("paths")));
    }

    #[test]
    fn the_newer_sign_of_a_session_without_a_user_goes_first() {
        for (variables, headless) in [
            (&[][..], false),
            (&[("CLAUDE_CODE_ENTRYPOINT", "cli")], false),
            (&[("CLAUDE_CODE_ENTRYPOINT", "sdk-ts")], true),
            (&[("CLAUDE_CODE_ENTRYPOINT", "sdk-ts"), ("CLAUDE_CODE_SESSION_ATTENDED", "1")], false),
            (&[("CLAUDE_CODE_ENTRYPOINT", "cli"), ("CLAUDE_CODE_SESSION_ATTENDED", "0")], true),
        ] {
            assert_eq!(is_headless(&Fixed(variables)), headless, "{variables:?}");
        }
    }
}

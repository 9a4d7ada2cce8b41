//! The guard's verdicts on single commands, as a table, and on sequences of calls.

use std::path::Path;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::*;
use crate::builtin::catalogue;
use crate::builtin::real_host::RealHost;
use crate::client::answer::Decision;
use crate::client::event::Event;
use crate::client::host::CLAUDE;
use crate::client::payload::Payload;
use crate::session::memory::MemoryStore;
use crate::session::store::{CAREFUL, Store};
use crate::syntax::glance::Glance;

fn resolved(overrides: &Value) -> Map<String, Value> {
    let entry = catalogue::find("one-strike").unwrap();
    let options = entry.compile(&entry.resolve(overrides.as_object().unwrap()).unwrap());
    Map::clone(&options.unwrap())
}

fn compiled(overrides: &Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(&resolved(overrides)).unwrap()
}

struct Session {
    store: MemoryStore,
    name: &'static str,
    options: Box<RawValue>,
    agent: &'static str,
}

impl Session {
    fn new(overrides: &Value) -> Self {
        let options = compiled(overrides);
        Self { store: MemoryStore::default(), name: "one-strike", options, agent: "" }
    }

    fn run(&self, command: &str) -> Result<Answer, Failure> {
        self.run_input(&json!({"command": command, "description": "d"}))
    }

    fn run_input(&self, input: &Value) -> Result<Answer, Failure> {
        let payload =
            json!({"agent_id": self.agent, "cwd": "/", "tool_name": "Bash", "tool_input": input});
        // No work tree: in one on its default branch a push is another rule's.
        let payload = payload.to_string();
        run(&Context {
            name: self.name,
            fence: None,
            event: Event::PreToolUse,
            payload: &Payload::parse(&payload).unwrap(),
            caller: &CLAUDE,
            text: &payload,
            options: self.options.get(),
            late: &crate::builtin::context::no_late_options,
            watches: false,
            store: &self.store,
            host: &RealHost::new(Path::new(""), Duration::ZERO),
        })
    }

    /// The rules of which a denial says that they pass when run again, or what else happened.
    fn say(&self, command: &str) -> String {
        let answer = match self.run(command) {
            Ok(answer) => answer,
            Err(failure) => return format!("{failure:?}"),
        };
        if answer.is_silent() {
            return "silent".to_owned();
        }
        assert_eq!(answer.decision, Some(Decision::Deny), "{answer:?}");
        let reason = answer.reason.unwrap();
        let once = reason.split("Run it again: ").nth(1).unwrap();
        once.split(" then passes").next().unwrap().to_owned()
    }
}

#[track_caller]
fn check(overrides: &Value, rows: &[(&str, &str)]) {
    let found = rows.iter().map(|(command, expected)| {
        let found = match Session::new(overrides).say(command) {
            silent if silent == "silent" => String::new(),
            found => found,
        };
        (*command, *expected, found)
    });
    let wrong: Vec<_> = found.filter(|(_, expected, found)| found != expected).collect();
    assert!(wrong.is_empty(), "command, expected, found: {wrong:#?}");
}

#[test]
fn what_is_always_stopped_is_not_said_to_pass() {
    let session = Session::new(&json!({}));
    let reason = session.run("rm -rf a; rm -rf /").unwrap().reason.unwrap();
    assert!(reason.contains("Run again, rm passes; only the user can allow what rm-system stops, by typing `/hook:disable one-strike`."));
    let reason = session.run("rm -rf / *").unwrap().reason.unwrap();
    assert!(
        reason.contains(
            "Trying again will not help: only the user can allow what rm-system stops, by typing `/hook:disable one-strike`.\n"
        ),
        "{reason}"
    );
}

#[test]
fn careful_mode_of_a_session_stops_retries_too() {
    let session = Session::new(&json!({}));
    assert_eq!(session.say("rm -rf a"), "rm");
    assert_eq!(session.say("rm -rf a"), "silent");
    session.store.raise(CAREFUL, Duration::from_secs(60)).unwrap();
    let reason = session.run("rm -rf a").unwrap().reason.unwrap();
    assert!(
        reason.contains("while careful mode is on: only the user can allow what rm stops"),
        "{reason}"
    );
    assert_eq!(session.say("ls"), "silent");
}

#[test]
fn rules_of_the_user_use_every_key() {
    let rule = json!({
        "id": "k8s", "program": "kubectl|oc", "subcommand": "delete ns",
        "all_flags": ["--now|--force", "-A"], "operands": ["prod-*", "live"],
        "values": ["-n"], "except_flags": ["--dry-run"], "except_operands": ["prod-tmp"],
        "what": "w",
    });
    let options = json!({
        "rules": [rule], "globals": {"kubectl": ["--context"], "oc": []},
    });
    let rows = [
        ("kubectl delete ns prod-1 --now -A", "k8s"),
        ("oc delete --wait ns live --force -A", "k8s"),
        ("kubectl --context x delete ns prod-1 --now -A", "k8s"),
        ("oc --context x delete ns prod-1 --now -A", ""),
        ("kubectl delete ns prod-1 --now", ""),
        ("kubectl delete ns prod-1 -A", ""),
        ("kubectl delete pod prod-1 --now -A", ""),
        ("kubectl delete ns dev --now -A", ""),
        ("kubectl delete ns -n live dev --now -A", ""),
        ("kubectl delete ns prod-1 --now -A --dry-run=client", ""),
        ("kubectl delete ns prod-tmp --now -A", ""),
        ("kubectl delete ns a/prod-tmp/ prod-tmp --now -A", ""),
        ("kubectl delete ns prod-tmp prod-1 --now -A", "k8s"),
        ("kubectl delete ns prod-tmp/../prod-1 --now -A", "k8s"),
        ("rm -rf a", ""),
    ];
    check(&options, &rows);
}

#[test]
fn rules_can_be_left_out_and_added() {
    let extra = json!([{"id": "killall", "program": "killall", "what": "ends other programs"}]);
    let options = json!({"skip": ["git-stash", "rm"], "extra_rules": extra});
    let rows = [
        ("git stash", ""),
        ("rm -rf a", ""),
        ("find . -delete", "find-delete"),
        ("git reset --hard", "git-reset-hard"),
        ("killall node", "killall"),
    ];
    check(&options, &rows);
}

#[test]
fn what_cannot_be_read_is_looked_through_and_else_left_undecided() {
    let nested = |inside: &str| format!("{}{inside}{}", "( ".repeat(60), " )".repeat(60));
    let rows = [
        (nested("rm -rf a"), "rm"),
        ("ls 'rm -rf a".to_owned(), "rm"),
        ("git reset --hard 'open".to_owned(), "git-reset-hard"),
    ];
    for (command, expected) in rows {
        assert_eq!(Session::new(&json!({})).say(&command), expected, "{command}");
    }
    let expected = "Payload(\"the command could not be read to its end\")";
    for command in [nested("rm a"), "echo \"$(rm a".to_owned()] {
        assert_eq!(Session::new(&json!({})).say(&command), expected, "{command}");
    }
}

#[test]
fn a_retry_passes_and_other_rules_still_deny() {
    let session = Session::new(&json!({}));
    let sequence = [
        ("rm -rf a", "rm"),
        ("rm -rf a", "silent"),
        ("sudo rm -r b", "silent"),
        ("rm -rf b && git push -f", "git-push-force"),
        ("git push -f", "silent"),
        ("git stash; git clean -f", "git-stash, git-clean"),
        ("git clean -f; git stash", "silent"),
    ];
    for (command, expected) in sequence {
        assert_eq!(session.say(command), expected, "{command}");
    }
}

#[test]
fn a_warning_is_forgotten_after_a_while() {
    let session = Session::new(&json!({"forget_after": "8h"}));
    assert_eq!(session.say("rm -rf a"), "rm");
    session.store.set_now(8 * 60 * 60 - 1);
    assert_eq!(session.say("rm -rf a"), "silent");
    session.store.set_now(8 * 60 * 60);
    assert_eq!(session.say("rm -rf a"), "rm");
}

#[test]
fn command_guards_share_warnings_and_agents_only_when_told() {
    let mut session = Session::new(&json!({}));
    assert_eq!(session.say("rm -rf a"), "rm");
    session.agent = "agent-1";
    assert_eq!(session.say("rm -rf a"), "silent");
    session.name = "second";
    assert_eq!(session.say("rm -rf a"), "silent");

    let mut session = Session::new(&json!({"per_agent": true}));
    assert_eq!(session.say("rm -rf a"), "rm");
    session.agent = "agent-1";
    assert_eq!(session.say("rm -rf a"), "rm");
    assert_eq!(session.say("rm -rf a"), "silent");
    let flags = session.store.flags();
    // A test is no call of the client's.
    let flags: Vec<_> = flags.iter().map(|flag| flag.trim_end_matches(" by hand")).collect();
    assert_eq!(flags, ["guard.rm", "guard.rm@agent-1"]);
}

#[test]
fn a_broken_store_is_a_failure_only_where_it_decides() {
    let session = Session::new(&json!({"levels": {"git-stash": "block"}}));
    session.store.set_broken(true);
    assert_eq!(session.say("ls"), "silent");
    assert_eq!(session.say("rm a"), "silent");
    assert!(matches!(session.run("rm -rf a"), Err(Failure::Store(_))));
    let answer = session.run("git stash && rm -rf a").unwrap();
    assert_eq!(answer.decision, Some(Decision::Deny));
}

#[test]
fn a_call_without_a_command_is_none_of_its_business_and_one_that_is_no_text_a_failure() {
    let session = Session::new(&json!({}));
    for input in [json!({}), json!(null)] {
        assert!(session.run_input(&input).unwrap().is_silent(), "{input}");
    }
    for input in [json!({"command": 5}), json!({"command": null}), json!("rm -rf a")] {
        assert!(matches!(session.run_input(&input), Err(Failure::Payload(_))), "{input}");
    }
}

#[test]
fn options_that_were_not_resolved_are_a_failure() {
    let mut session = Session::new(&json!({}));
    session.options = RawValue::from_string("{}".to_owned()).unwrap();
    assert!(matches!(session.run("ls"), Err(Failure::Options(_))));
}

#[test]
fn reasons_say_what_happened_why_and_what_to_do() {
    let rules = json!([
        {"id": "a", "program": "a", "what": "does A", "instead": "do A'"},
        {"id": "b", "program": "b", "what": "does B", "level": "block"},
        {"id": "c", "program": "c", "what": "does C", "level": "ask"},
        {"id": "d", "program": "d", "what": "does D", "level": "warn"},
    ]);
    let session = Session::new(&json!({"rules": rules}));
    let long = format!("a {}", "ä".repeat(200));
    let cut = format!("a {}…", "ä".repeat(58));
    let cases = [
        (
            "b x\\\n  y; a 'z'; c; d",
            Answer::deny(
                "`b x\\ y` (rule b): it does B.\n\
                 Run again, a passes; only the user can allow what b stops, by typing `/hook:disable one-strike`.\n\
                 Nothing of this call has run.\n\
                 Also `a 'z'` (rule a): it does A. Safer: do A'.",
            ),
        ),
        (
            "a; b",
            Answer::deny(
                "`b` (rule b): it does B.\nTrying again will not help: only the user can allow what b stops, by typing `/hook:disable one-strike`.\nNothing of this call has run.",
            ),
        ),
        (
            "a; d; c",
            Answer {
                context: vec!["one-strike warns: `d` (rule d): it does D.".to_owned()],
                ..Answer::ask("`c` (rule c): it does C.")
            },
        ),
        ("d", Answer::context("one-strike warns: `d` (rule d): it does D.")),
    ];
    for (command, expected) in cases {
        let answer = Answer { rule: None, ..session.run(command).unwrap() };
        assert_eq!(answer, expected, "{command}");
    }
    let session = Session::new(&json!({"rules": rules}));
    assert_eq!(session.run("d; a; b").unwrap().rule.as_deref(), Some("rule b, a"));
    let session = Session::new(&json!({"rules": rules}));
    let reason = session.run(&long).unwrap().reason.unwrap();
    assert!(reason.contains(&format!("`{cut}` (rule a)")), "{reason}");
}

#[test]
fn problems_with_options_name_the_place() {
    let entry = catalogue::find("one-strike").unwrap();
    let cases = [
        (json!({"skipp": []}), "`skipp`: unknown option; did you mean `skip`?"),
        (
            json!({"skip": ["git-stsh"]}),
            "`skip.0`: no rule has the id `git-stsh`; did you mean `git-stash`?",
        ),
        (
            json!({"levels": {"git-push": "ask"}}),
            "`levels.git-push`: no rule has the id `git-push`; did you mean `git-stash`?",
        ),
        (
            json!({"level": "deny"}),
            "`level`: expected one of `off`, `advise`, `ask`, `one-strike`, `block`, found `deny`",
        ),
        (
            json!({"extra_rules": [{"id": "x", "program": "x"}]}),
            "`extra_rules.0`: `what` is missing",
        ),
        (
            json!({"extra_rules": [{"id": "x.y", "program": "x", "what": "y"}]}),
            "`extra_rules.0.id`: expected letters, digits, `-` and `_`, found `x.y`",
        ),
        (
            json!({"rules": [{"id": "x", "program": "x", "what": "y", "flag": ["-f"]}]}),
            "`rules.0.flag`: unknown option; did you mean `flags`?",
        ),
        (
            json!({"rules": [{"id": "x", "program": "x", "what": "y", "flags": "-f"}]}),
            "`rules.0.flags`: expected a list, found `-f`",
        ),
    ];
    for (overrides, expected) in cases {
        let problem = entry.resolve(overrides.as_object().unwrap()).unwrap_err();
        assert_eq!(problem.to_string(), expected);
    }
}

#[test]
fn what_the_runtime_reads_is_compact() {
    let rule =
        json!({"id": "x", "program": "x|y", "flags": ["-a", "-b"], "operands": [], "what": "z"});
    let globals = json!({"x": ["-C", "--git-dir"], "gh": ["-R"]});
    let overrides = json!({
        "rules": [rule], "forget_after": "2h", "per_agent": true, "globals": globals,
    });
    let expected = json!({
        "programs": "0000000000000000000601x01y",
        "late": {
            "head": {
                "level": "one-strike",
                "forget_after": 7200,
                "per_agent": true,
                "globals": ["x -C --git-dir"],
                "index": ["x :0", "y :0"],
            },
            "rules": [{"id": "x", "flags": "-a -b", "what": "z"}],
        },
    });
    assert_eq!(compiled(&overrides).get(), expected.to_string());
}

fn may_call(line: &str, names: &[&str]) -> bool {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    !prefilter::rules_out(&prefilter::grouped(&names), &Glance::new(line.to_owned()))
}

#[test]
fn a_line_that_cannot_call_a_program_is_not_split() {
    let rows = [
        ("rm -rf a", true),
        ("/bin/rm a", true),
        ("x;rm a", true),
        ("(rm a)", true),
        ("RM a", true),
        ("git.exe push", true),
        ("\"rm\" a", true),
        ("r\\m", true),
        ("'r'm", true),
        ("$'rm'", true),
        ("r\\\nm", true),
        ("cargo test", false),
        ("echo format term", false),
        ("docker run --rm x", false),
        ("rm-all a; farm; rms; rm_x; my_rm", false),
        ("echo 'some text' \"more text\" | sed 's/a/b/'", false),
        ("printf 'a\\n'", true),
        ("", false),
    ];
    for (line, expected) in rows {
        assert_eq!(may_call(line, &["rm", "git"]), expected, "{line}");
    }
    let rows = [
        ("git status", false),
        ("git push", true),
        ("git -C x push", true),
        ("git status; echo push", true),
        ("push", false),
        ("git pu\"sh\"", true),
    ];
    for (line, expected) in rows {
        assert_eq!(may_call(line, &["git push", "git reset"]), expected, "{line}");
    }
}

/// The names of a ready-made guard's rules.
fn names_of(guard: &str) -> Vec<String> {
    let rules = &catalogue::find(guard).unwrap().options["rules"];
    let names = rules.as_array().unwrap().iter().flat_map(|rule| {
        let word = rule["subcommand"].as_str().unwrap_or_default().split_whitespace().next();
        let programs = rule["program"].as_str().unwrap().split('|');
        programs.flat_map(move |program| prefilter::names(program, word.unwrap_or_default()))
    });
    names.collect()
}

#[test]
fn no_name_of_a_guard_is_ruled_out_and_no_other_is_taken_for_it() {
    let names: Vec<String> = ["one-strike", "destructive-guard", "work-item-gate"]
        .into_iter()
        .flat_map(names_of)
        .collect();
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    // As a line has it: a name that nothing continues, and its word at the beginning of another.
    let is_in = |line: &str, call: &str| {
        let (line, call) = (line.to_lowercase(), call.to_lowercase());
        let (name, word) = call.split_once(' ').unwrap_or((&call, ""));
        let start = name.strip_suffix('*');
        let has = |text: &str, may_go_on: bool| {
            line.match_indices(text).any(|(at, _)| {
                let bytes = line.as_bytes();
                let next = bytes.get(at + text.len()).copied().unwrap_or_default();
                (at == 0 || !is_part(bytes[at - 1]))
                    && is_part(bytes[at])
                    && (may_go_on || !is_part(next))
            })
        };
        has(start.unwrap_or(name), start.is_some()) && (word.is_empty() || has(word, true))
    };
    let is_call = |it: &&str| is_part(it.as_bytes()[0]) && !it.contains('<');
    let calls: Vec<&str> = all.iter().copied().filter(is_call).collect();
    assert!(calls.len() > 500);
    for call in &calls {
        let line = format!("ls -l;/x/{} y", call.replace('*', "x"));
        let lines = [line.to_uppercase(), line.replace(' ', "\n-é "), line];
        for line in &lines {
            assert!(may_call(line, &all), "{line}");
            assert!(may_call(line, &[call]), "{line}");
        }
        if Glance::new(lines[2].clone()).hides {
            continue;
        }
        for other in calls.iter().step_by(11) {
            let expected = is_in(&lines[2], other);
            assert_eq!(may_call(&lines[2], &[other]), expected, "{} {other}", lines[2]);
        }
    }
    // A name of one letter tells nothing of the second one, and a name that JSON would write in
    // another way leaves nothing ruled out.
    for (line, name, expected) in
        [("kubectl x", "k*", true), ("k x", "k*", true), ("k", "k", true), ("kk", "k", false)]
    {
        assert_eq!(may_call(line, &[name]), expected, "{line}");
    }
    assert!(may_call("ls", &["a\"b"]) && may_call("ls", &[&"x".repeat(1 << 16)]));
    assert!(!may_call("ls", &[]));
}

#[test]
fn the_first_denial_reads_well() {
    let answer = Session::new(&json!({})).run("cd app && git reset --hard HEAD~1").unwrap();
    let expected = "`git reset --hard HEAD~1` (rule git-reset-hard): it throws away every \
                    uncommitted change in the index and the working tree, and git keeps no copy.\n\
                    On purpose? Run it again: git-reset-hard then passes. Safer: commit the \
                    changes on a branch first, or `git reset --keep`, which refuses to lose local \
                    changes.\n\
                    Nothing of this call has run.";
    assert_eq!(answer, Answer { rule: answer.rule.clone(), once: true, ..Answer::deny(expected) });
}

#[test]
fn rule_deed_and_way_on_are_in_what_a_person_sees_of_a_denial() {
    let rules = |name: &str| {
        let rules = catalogue::find(name).unwrap().options["rules"].as_array().unwrap().clone();
        rules.into_iter().map(move |mut rule| {
            rule["level"] = "one-strike".into();
            rule["category"] = "".into();
            rule
        })
    };
    let long = "x".repeat(200);
    for rule in rules("one-strike").chain(rules("destructive-guard")).chain(rules("work-item-gate"))
    {
        let id = rule["id"].as_str().unwrap().to_owned();
        let rule = json!({"id": id, "program": "x", "what": rule["what"]});
        let session = Session::new(&json!({"rules": [rule]}));
        let reason = session.run(&format!("x {long}")).unwrap().reason.unwrap();
        let seen: String = format!("one-strike: {reason}").chars().take(230).collect();
        let seen: Vec<&str> = seen.lines().take(3).collect();
        assert!(seen[0].contains(&format!("(rule {id}): it ")), "{seen:?}");
        assert!(seen[1].contains("Run it again"), "{seen:?}");
    }
}

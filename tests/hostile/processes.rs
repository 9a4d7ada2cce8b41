//! The same with real processes: random children under random payloads.
//!
//! `HOSTILE_RUNS` says how many; a full round is 10,000.

use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use proptest::{
    collection::vec,
    prelude::*,
    sample::select,
    test_runner::{Config, TestRunner},
};
use serde_json::Value;
use tempfile::TempDir;

use super::{PIECES, on_error, payload, verdict::allows};

/// More than any chain here may take: five seconds for the payload, and for each of at most three
/// hooks its time, the time until it is killed, and patience with a busy machine.
const SECONDS: &str = "60";

const EVENTS: &[&str] = &[
    "PreToolUse",
    "PreToolUse",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "SessionStart",
    "Stop",
    "TaskCompleted",
    "UserPromptSubmit",
];

/// What children do before they answer, and instead of it; `$$` is the child itself.
const DEEDS: &[&str] = &[
    "",
    "",
    "",
    "cat >/dev/null",
    "cat",
    "head -c 5 >/dev/null",
    "exec <&-",
    "exec >&-",
    "exec 2>&-",
    "sleep 2 &",
    "(sleep 1; echo late; echo late >&2) &",
    "setsid sleep 1 &",
    "echo '{\"async\":true}'",
    "echo '{\"async\":true}'; sleep 1",
    "yes | head -c 1500000",
    "yes >&2 | head -c 1",
    "head -c 3000 /dev/urandom",
    "kill -TERM $$",
    "kill -SEGV $$",
    "kill -KILL 0",
    "sleep 2",
    "cd /; rm -rf \"$HOME/nothing\"",
    "python3 no-such-script.py",
    "no-such-program",
    "exec no-such-program",
    "case",
];

const CODES: &[i32] = &[0, 0, 0, 1, 2, 2, 126, 127, 255];

#[derive(Clone, Debug)]
struct Hook {
    deed: &'static str,
    stdout: Vec<&'static str>,
    stderr: &'static str,
    code: i32,
    on_error: hookman::manifest::OnError,
    parallel: bool,
    always: bool,
    argv: bool,
}

#[derive(Clone, Debug)]
struct Scene {
    event: &'static str,
    hooks: Vec<Hook>,
    payload: Vec<u8>,
    ends: bool,
}

fn hook() -> impl Strategy<Value = Hook> {
    let manner = (on_error(), any::<bool>(), any::<bool>(), any::<bool>());
    let answer = (vec(select(PIECES), 0..3), select(PIECES), select(CODES));
    (select(DEEDS), answer, manner).prop_map(
        |(deed, (stdout, stderr, code), (on_error, parallel, always, argv))| Hook {
            deed,
            stdout,
            stderr,
            code,
            on_error,
            parallel,
            always,
            argv,
        },
    )
}

fn scene() -> impl Strategy<Value = Scene> {
    let good = select(EVENTS).prop_map(|event| {
        let text = format!(
            r#"{{"session_id":"one","cwd":"/","hook_event_name":"{event}","tool_name":"Bash","tool_input":{{"command":"ls"}}}}"#
        );
        text.into_bytes()
    });
    let payload = prop_oneof![5 => good, 1 => payload()];
    let ends = prop_oneof![30 => Just(true), 1 => Just(false)];
    (select(EVENTS), vec(hook(), 1..4), payload, ends)
        .prop_map(|(event, hooks, payload, ends)| Scene { event, hooks, payload, ends })
}

fn check(home: &Path, scene: &Scene) -> Result<(), TestCaseError> {
    let mut manifest = String::new();
    for (number, hook) in scene.hooks.iter().enumerate() {
        let (out, err) = (home.join(format!("out{number}")), home.join(format!("err{number}")));
        fs::write(&out, hook.stdout.concat()).unwrap();
        fs::write(&err, hook.stderr).unwrap();
        let (out, err) = (out.display(), err.display());
        let deed = hook.deed;
        let line = format!("{deed}\ncat {out}\ncat {err} >&2\nexit {}", hook.code);
        let run = if hook.argv {
            format!("argv = [\"sh\", \"-c\", '''{line}''']")
        } else {
            format!("command = '''{line}'''")
        };
        let name = format!("name = \"hook{number}\"\nevent = \"{}\"", scene.event);
        let on_error = format!("on_error = \"{}\"\ntimeout = 0.3", hook.on_error.name());
        let manner = format!("parallel = {}\nalways = {}\n", hook.parallel, hook.always);
        manifest += &["[[hook]]", &name, &run, &on_error, &manner].join("\n");
    }
    fs::create_dir_all(home.join(".claude")).unwrap();
    fs::write(home.join(".claude/hookman.toml"), manifest).unwrap();
    let mut child = Command::new("timeout")
        .args(["-s", "KILL", SECONDS, env!("CARGO_BIN_EXE_hookman"), "run", scene.event])
        .env_clear()
        .env("HOME", home)
        .env("HOOKMAN_STATE_DIR", home.join("state"))
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .current_dir(home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A chain that does not look at its payload may be gone before it is written.
    let _ = stdin.write_all(&scene.payload);
    let open = (!scene.ends).then_some(stdin);
    let output = child.wait_with_output().unwrap();
    drop(open);
    let stderr = String::from_utf8_lossy(&output.stderr);
    prop_assert_eq!(output.status.signal(), None, "it hung or crashed");
    prop_assert!(!stderr.contains("internal error"), "{}", stderr);
    let code = output.status.code();
    prop_assert!(matches!(code, Some(0 | 2)), "{:?} {}", code, stderr);
    let journal = fs::read_to_string(home.join("state/journal.jsonl")).unwrap_or_default();
    let last: Value = serde_json::from_str(journal.lines().last().unwrap_or("{}")).unwrap();
    if code == Some(2) {
        prop_assert_eq!(&last["verdict"], "deny");
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let json = serde_json::from_str::<Value>(said.trim()).unwrap_or_default();
    if allows(&json) {
        let hook_allows = |hook: &Hook| {
            let said = hook.stdout.concat();
            serde_json::from_str(said.trim()).is_ok_and(|said| allows(&said))
        };
        prop_assert!(scene.hooks.iter().any(hook_allows), "an `allow` that no hook said: {}", said);
    }
    fs::remove_file(home.join("state/journal.jsonl")).ok();
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the switch is the test's own")]
fn runs() -> u32 {
    std::env::var("HOSTILE_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(60)
}

#[test]
fn no_child_makes_a_run_hang_panic_or_lie() {
    const THREADS: u32 = 4;
    let work = || {
        let home = TempDir::with_prefix("hookman-hostile-").unwrap();
        let cases = runs().div_ceil(THREADS);
        let config = Config { cases, failure_persistence: None, ..Config::default() };
        TestRunner::new(config).run(&scene(), |scene| check(home.path(), &scene)).unwrap();
    };
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(work);
        }
    });
}

//! What `hookman run` asks of the system, counted: a call more at every tool call is seen here.
//! Instructions are counted by `benches/count`, as they need a release build.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// How many system calls a run with ten hooks that say nothing may make.
const LIMIT: usize = 16;

#[test]
fn a_run_makes_few_system_calls() {
    if Command::new("strace").arg("-V").stdout(Stdio::null()).status().is_err() {
        eprintln!("SKIPPED: strace is not installed");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join(".claude");
    fs::create_dir(&config).unwrap();
    let hooks: Vec<String> = (0..10)
        .map(|number| format!("[[hook]]\nname = \"guard-{number}\"\nbuiltin = \"one-strike\"\n"))
        .collect();
    let manifest = config.join("hookman.toml");
    fs::write(&manifest, hooks.join("\n")).unwrap();
    // The plan of a manifest that was written a moment ago is not trusted.
    let settled = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    fs::File::open(&manifest).unwrap().set_modified(settled).unwrap();
    let trace = home.path().join("trace");
    let calls = |trace: &Path| {
        let payload =
            fs::File::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/payload.json"));
        let status = Command::new("strace")
            .args(["-o".as_ref(), trace.as_os_str()])
            .args([env!("CARGO_BIN_EXE_hookman"), "run", "PreToolUse"])
            .env_clear()
            .env("HOME", home.path())
            .stdin(payload.unwrap())
            .status()
            .unwrap();
        assert!(status.success());
        fs::read_to_string(trace).unwrap().lines().filter(|line| line.contains('(')).count()
    };
    calls(&trace);
    // The dynamic loader's calls are the build's and not the program's.
    let all = calls(&trace);
    let text = fs::read_to_string(&trace).unwrap();
    let loading =
        text.lines().position(|line| line.starts_with("poll(") || line.starts_with("ppoll("));
    let own = all - loading.expect("the payload is waited for");
    assert!(own <= LIMIT, "{own} system calls, {LIMIT} are allowed:\n{text}");
}

//! What is asked on a terminal: `script` of util-linux lends one.

#![cfg(test)]

use std::fs;
use std::io::{BufReader, Read, Write};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

/// A bound for a hang, not a measurement.
const PATIENCE: Duration = Duration::from_secs(60);

const DOWN: &str = "\u{1b}[B";
const ENTER: &str = "\r";
const ESCAPE: &str = "\u{1b}";
const INTERRUPT: &str = "\u{3}";

const HIDE_CURSOR: &str = "\u{1b}[?25l";
const SHOW_CURSOR: &str = "\u{1b}[?25h";

/// A program on a terminal of its own.
struct Screen {
    child: Child,
    keys: ChildStdin,
    output: Receiver<u8>,
    shown: String,
}

impl Screen {
    /// Runs hookman on a terminal of this kind.
    fn of(home: &Path, terminal: &str, arguments: &str) -> Self {
        Self::with(home, terminal, arguments, "")
    }

    /// The same with variables for it, written as for a shell.
    fn with(home: &Path, terminal: &str, arguments: &str, variables: &str) -> Self {
        // Whoever presses Ctrl-C before keys are read would be passed over, and the terminal does not
        // show when that is; without signals it waits among the keys.
        let line = format!("stty -isig; {variables} {} {arguments}", env!("CARGO_BIN_EXE_hookman"));
        let mut child = Command::new("script")
            .args(["-q", "-e", "-f", "-c", &line, "/dev/null"])
            .current_dir(home)
            .env_clear()
            .envs([("TERM", terminal), ("PATH", "/usr/bin:/bin"), ("LANG", "C.UTF-8")])
            .env("HOME", home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, output) = mpsc::channel();
        let stdout = child.stdout.take().unwrap();
        thread::spawn(move || {
            for byte in BufReader::new(stdout).bytes().map_while(Result::ok) {
                let _ = sender.send(byte);
            }
        });
        let keys = child.stdin.take().unwrap();
        Self { child, keys, output, shown: String::new() }
    }

    /// Waits until `words` are shown.
    fn until(&mut self, words: &str) {
        let mut bytes = Vec::new();
        while !String::from_utf8_lossy(&bytes).contains(words) {
            match self.output.recv_timeout(PATIENCE) {
                Ok(byte) => bytes.push(byte),
                Err(error) => {
                    panic!("no `{words}` ({error}) in {:?}", String::from_utf8_lossy(&bytes))
                }
            }
        }
        self.shown += &String::from_utf8_lossy(&bytes);
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits for the end and gives the exit code with everything that was shown.
    fn end(mut self) -> (Option<i32>, String) {
        let mut bytes = Vec::new();
        loop {
            match self.output.recv_timeout(PATIENCE) {
                Ok(byte) => bytes.push(byte),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    let _ = self.child.kill();
                    panic!("no end behind {:?}", String::from_utf8_lossy(&bytes));
                }
            }
        }
        self.shown += &String::from_utf8_lossy(&bytes);
        (self.child.wait().unwrap().code(), self.shown)
    }
}

/// A home with a hook and two sessions that have ended, of which `two` is the newer.
fn home() -> Option<TempDir> {
    let version = Command::new("script").arg("--version").output();
    if !version.is_ok_and(|it| String::from_utf8_lossy(&it.stdout).contains("util-linux")) {
        eprintln!("SKIPPED: script of util-linux is not installed");
        return None;
    }
    let home = TempDir::new().unwrap();
    fs::create_dir(home.path().join(".claude")).unwrap();
    let manifest = "[[hook]]\nname = \"log\"\nevent = \"Stop\"\ncommand = \"true\"\n";
    fs::write(home.path().join(".claude/hookman.toml"), manifest).unwrap();
    fs::create_dir(home.path().join("bin")).unwrap();
    symlink(env!("CARGO_BIN_EXE_hookman"), home.path().join("bin/hookman")).unwrap();
    for session in ["one", "two"] {
        let payload = format!(r#"{{"session_id":"{session}","hook_event_name":"Stop"}}"#);
        let mut run = Command::new(env!("CARGO_BIN_EXE_hookman"))
            .args(["run", "Stop"])
            .env_clear()
            .env("HOME", home.path())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        run.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
        assert!(run.wait().unwrap().success());
    }
    Some(home)
}

fn switched(home: &TempDir) -> Vec<String> {
    let sessions = home.path().join(".local/state/hookman/sessions");
    let Ok(folders) = fs::read_dir(sessions) else { return Vec::new() };
    folders
        .map(|folder| folder.unwrap())
        .filter(|folder| folder.path().join("switches.json").exists())
        .map(|folder| folder.file_name().to_string_lossy().into_owned())
        .collect()
}

fn cursor_is_shown(shown: &str) -> bool {
    shown.rfind(SHOW_CURSOR) >= shown.rfind(HIDE_CURSOR)
}

#[test]
fn a_session_is_chosen_from_those_that_were_seen() {
    let Some(home) = home() else { return };
    for (keys, chosen) in [(ENTER.to_owned(), "two"), (format!("{DOWN}{ENTER}"), "one")] {
        let mut screen = Screen::of(home.path(), "xterm", "disable log");
        screen.until("Which session?");
        screen.until("one");
        screen.press(&keys);
        let (code, shown) = screen.end();
        assert_eq!(code, Some(0), "{shown:?}");
        assert!(shown.contains(&format!("Session: {chosen} (chosen)")), "{shown:?}");
        assert!(shown.contains(HIDE_CURSOR) && cursor_is_shown(&shown), "{shown:?}");
        assert!(switched(&home).contains(&chosen.to_owned()));
    }
    assert_eq!(switched(&home).len(), 2);
}

#[test]
fn whoever_gives_up_choosing_leaves_everything_as_it_was() {
    let Some(home) = home() else { return };
    for key in [ESCAPE, INTERRUPT, "q"] {
        let mut screen = Screen::of(home.path(), "xterm", "disable log");
        screen.until("Which session?");
        screen.until("one");
        screen.press(key);
        let (code, shown) = screen.end();
        assert_eq!(code, Some(2), "{key:?} {shown:?}");
        assert!(shown.contains("This shell does not run inside one"), "{key:?} {shown:?}");
        assert!(shown.contains(HIDE_CURSOR) && cursor_is_shown(&shown), "{key:?} {shown:?}");
        assert!(switched(&home).is_empty(), "{key:?}");
    }
}

#[test]
fn nobody_is_asked_where_there_is_no_choice_or_no_list_can_be_shown() {
    let Some(home) = home() else { return };
    for (terminal, arguments, code, words) in [
        ("dumb", "disable log", 2, "This shell does not run inside one"),
        ("xterm", "status", 0, "Not inside a session"),
        ("xterm", "disable", 0, "Usage: hookman disable"),
        ("xterm", "disable lgo", 2, "Did you mean 'log'?"),
        ("xterm", "disable log --session one", 0, "Session: one"),
    ] {
        let (found, shown) = Screen::of(home.path(), terminal, arguments).end();
        assert_eq!(found, Some(code), "{arguments}: {shown:?}");
        assert!(shown.contains(words) && !shown.contains("Which session?"), "{shown:?}");
        assert!(!shown.contains(HIDE_CURSOR), "{shown:?}");
    }
}

#[test]
fn an_error_is_folded_on_a_terminal() {
    let Some(home) = home() else { return };
    let (code, shown) =
        Screen::with(home.path(), "xterm", "remove another", "PATH=$PWD/bin:$PATH").end();
    let folded = "error: `~/.claude/hookman.toml` declares no hook `another`; --project takes one\r\n\
                  out of a project's manifest, and `hookman list` names all\r\n";
    assert_eq!((code, shown.as_str()), (Some(2), folded));
}

#[test]
fn a_new_hook_is_asked_for_and_added() {
    let Some(home) = home() else { return };
    let manifest = home.path().join(".claude/hookman.toml");
    let installed = fs::read_to_string(&manifest).unwrap() + "[[hook]]\nbuiltin = \"one-strike\"\n";
    fs::write(&manifest, installed).unwrap();
    let mut screen = Screen::of(home.path(), "xterm", "new --no-wait --binary bin/hookman");
    for (question, keys) in [
        ("a word to search for", format!("one-strike{ENTER}")),
        ("no row has `one-strike`", String::new()),
        ("What the hook should do (arrows", ENTER.to_owned()),
        ("client's JSON", format!("/bin/echo 'it is' {{file}}{ENTER}")),
        ("a word to search for", format!("tooluse{ENTER}")),
        ("When it should run (arrows", String::new()),
        ("PostToolUse: after a tool call that worked", format!("{DOWN}{ENTER}")),
        ("For which tools", format!("Edit|Write{ENTER}")),
        ("What follows if it fails", format!("{DOWN}{ENTER}")),
        ("Name [echo]", format!("two words{ENTER}")),
        ("`two words` cannot be the name", String::new()),
        ("Name [echo]", ENTER.to_owned()),
        ("Write this?", format!("y{ENTER}")),
        ("Run echo once with made-up calls", format!("n{ENTER}")),
    ] {
        screen.until(question);
        screen.press(&keys);
    }
    let (code, shown) = screen.end();
    assert_eq!(code, Some(0), "{shown:?}");
    assert!(shown.contains("--on-error ask -- /bin/echo 'it is' '{file}'"), "{shown:?}");
    // A summary that would take two rows is cut, so that the list does not scroll away.
    assert!(shown.contains('…'), "{shown:?}");
    let manifest = fs::read_to_string(manifest).unwrap();
    let added = "[[hook]]\nname     = \"echo\"\nevent    = \"PostToolUse\"\nmatcher  = \
                 \"Edit|Write\"\nargv     = [\"/bin/echo\", \"it is\", \"{file}\"]\non_error = \"ask\"\n";
    assert!(manifest.ends_with(added), "{manifest}");
}

#[test]
fn who_adds_a_hook_may_have_it_run_once() {
    let Some(home) = home() else { return };
    let call = "add no-env --event PreToolUse --matcher Bash --no-wait --binary bin/hookman --command \
                \"grep -q [.]env && { echo blocked >&2; exit 1; }; exit 0\"";
    let mut screen = Screen::of(home.path(), "xterm", call);
    screen.until("Write this?");
    screen.press(&format!("y{ENTER}"));
    screen.until("Run no-env once with made-up calls");
    screen.press(&format!("y{ENTER}"));
    let (code, shown) = screen.end();
    assert_eq!(code, Some(1), "{shown:?}");
    assert!(shown.contains("it says no with exit code 1, which blocks nothing"), "{shown:?}");
    assert!(!shown.contains("`log`"), "{shown:?}");
}

#[test]
fn who_saved_a_mistake_may_go_back_to_the_editor() {
    let Some(home) = home() else { return };
    let editor = home.path().join("editor");
    let script = "if [ -e \"$0.again\" ]; then exec sed -i s/nmae/name/ \"$1\"; fi\n: >\"$0.again\"\n\
                  printf '[[hook]]\\nnmae = \"b\"\\nevent = \"Stop\"\\nargv = [\"true\"]\\n' >>\"$1\"\n";
    fs::write(&editor, script).unwrap();
    let mut screen = Screen::with(
        home.path(),
        "xterm",
        "edit --no-wait --binary bin/hookman",
        "EDITOR='sh ./editor'",
    );
    screen.until("unknown key `nmae`; did you mean `name`?");
    screen.until("Go back to the editor? [Y/n]");
    screen.press(ENTER);
    screen.until("Write this?");
    screen.press(&format!("y{ENTER}"));
    let (code, shown) = screen.end();
    assert_eq!(code, Some(0), "{shown:?}");
    let path = home.path().join(".claude/hookman.toml");
    let manifest = fs::read_to_string(&path).unwrap();
    assert!(manifest.contains("name = \"b\""), "{manifest}");

    let mut screen = Screen::with(home.path(), "xterm", "edit", "EDITOR='echo nonsense >>'");
    screen.until("Go back to the editor? [Y/n]");
    screen.press(&format!("n{ENTER}"));
    let (code, shown) = screen.end();
    assert_eq!(code, Some(2), "{shown:?}");
    assert!(shown.contains("your text is kept in ~/.local/state/hookman/edits/"), "{shown:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), manifest);
}

#[test]
fn a_first_installation_asks_which_recipes() {
    let Some(home) = home() else { return };
    let manifest = home.path().join(".claude/hookman.toml");
    let call = "install --no-wait --binary bin/hookman";
    for (keys, hooks) in [
        (ESCAPE.to_owned(), None),
        (format!(" {DOWN} {ENTER}"), None),
        (ENTER.to_owned(), Some("protect, destructive-guard")),
        (format!(" {DOWN}{DOWN}{DOWN} {ENTER}"), Some("destructive-guard, test-at-stop")),
    ] {
        let _ = fs::remove_file(&manifest);
        let mut screen = Screen::of(home.path(), "xterm", call);
        screen.until("space marks");
        screen.until("notify-stop");
        screen.press(&keys);
        if hooks.is_some() {
            screen.until("Write this?");
            screen.press(&format!("n{ENTER}"));
        }
        let (code, shown) = screen.end();
        assert_eq!(code, Some(0), "{shown:?}");
        let expected =
            hooks.map_or("Nothing was chosen".to_owned(), |hooks| format!("2 hooks: {hooks}"));
        assert!(shown.contains(&expected), "{shown:?}");
        assert!(!manifest.exists());
    }
}

#[test]
fn many_hooks_to_adopt_are_searched() {
    let Some(home) = home() else { return };
    let hook = |at| format!(r#"{{"type": "command", "command": "check-{at} now"}}"#);
    let hooks: Vec<String> = (10..30).map(hook).collect();
    let settings = format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{}]}}]}}}}"#, hooks.join(", "));
    fs::write(home.path().join(".claude/settings.json"), settings).unwrap();
    let mut screen = Screen::of(home.path(), "xterm", "adopt --no-wait --binary bin/hookman");
    screen.until("a word to search for");
    screen.press(&format!("CHECK-2{ENTER}"));
    screen.until("space marks");
    screen.press(&format!("{DOWN} {ENTER}"));
    screen.until("Write this?");
    screen.press(&format!("n{ENTER}"));
    let (_, shown) = screen.end();
    assert!(shown.contains("check-21-now  Stop"), "{shown:?}");
    assert!(!shown.contains("check-11-now  Stop"), "{shown:?}");
}

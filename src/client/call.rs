//! Handlers of the client's that call hookman, told from everybody else's.
//!
//! The client deletes keys that it does not know whenever it rewrites a settings file, so no key
//! can mark a handler as hookman's; its command and arguments do.

use serde_json::Value;

/// The shell line by which a project's entries call its launcher, found upwards where a program that
/// imports them, such as Codex, sets no variable.
pub const LAUNCHER: &str = r#""${CLAUDE_PROJECT_DIR:-$(d=$(pwd -P); until [ -e "$d/.claude/hookman" ] || [ "$d" = "${d%/*}" ]; do d=${d%/*}; done; printf %s "$d")}"/.claude/hookman"#;

/// The same for other agents: Gemini CLI would replace a variable with a default up to its first brace.
pub const HOST_LAUNCHER: &str = r#""$(d=$(pwd -P); until [ -e "$d/.claude/hookman" ] || [ "$d" = "${d%/*}" ]; do d=${d%/*}; done; printf %s "$d")"/.claude/hookman"#;

/// The words after `run` in a hookman handler, the event first; none for others. A `command` handler is
/// ours in exec form, `hookman` or `hookman.exe` with `run` first, or as a line of plain words, a path with
/// that name, `run` and one more, or as [`LAUNCHER`] or [`HOST_LAUNCHER`].
pub fn run_words(handler: &Value) -> Option<Vec<String>> {
    if handler.get("type")?.as_str()? != "command" {
        return None;
    }
    let command = handler.get("command")?.as_str()?;
    let words = match handler.get("args") {
        Some(args) => {
            let args = args.as_array()?.iter().map(|arg| arg.as_str().map(str::to_owned));
            let mut words = vec![command.to_owned()];
            words.extend(args.collect::<Option<Vec<_>>>()?);
            words
        }
        None => {
            // The rest of such a line is what follows a word.
            let rest = [LAUNCHER, HOST_LAUNCHER].iter().find_map(|line| command.strip_prefix(line));
            let rest = rest.filter(|rest| rest.starts_with([' ', '\t']));
            let plain = rest.map(|rest| format!("hookman{rest}"));
            shell_words(plain.as_deref().unwrap_or(command)).filter(|words| words.len() > 2)?
        }
    };
    let (program, rest) = words.split_first()?;
    let (verb, rest) = rest.split_first()?;
    (is_hookman(program) && verb == "run").then(|| rest.to_vec())
}

pub fn is_of_project(handler: &Value) -> bool {
    let command = handler.get("command").and_then(Value::as_str).unwrap_or_default();
    [LAUNCHER, HOST_LAUNCHER].iter().any(|line| command.starts_with(line))
        || run_words(handler).is_some_and(|words| words.iter().any(|word| word == "--project"))
}

/// The program of a line that is nothing but words.
pub fn program(line: &str) -> Option<String> {
    shell_words(line)?.into_iter().next()
}

fn is_hookman(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name == "hookman" || name == "hookman.exe"
}

/// The words of a shell line that is nothing but words, without quotes, variables as they are.
fn shell_words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars().peekable();
    while let Some(character) = chars.next() {
        match character {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        quoted => word.push(quoted),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '"' => break,
                        '`' => return None,
                        '$' if chars.peek() == Some(&'(') => return None,
                        '\\' if matches!(chars.peek(), Some('"' | '$')) => {
                            word.extend(chars.next());
                        }
                        quoted => word.push(quoted),
                    }
                }
            }
            // A backslash before a letter is kept: it is a Windows path that lost its quotes.
            '\\' if matches!(chars.peek(), Some(' ' | '\'')) => {
                word.get_or_insert_default().extend(chars.next());
            }
            '$' if chars.peek() == Some(&'(') => return None,
            '\n' | '\r' | ';' | '&' | '|' | '<' | '>' | '(' | ')' | '`' | '#' | '*' | '?' | '[' => {
                return None;
            }
            plain => word.get_or_insert_default().push(plain),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours(handler: &str) -> Option<String> {
        run_words(&serde_json::from_str(handler).unwrap()).map(|words| words.join(" "))
    }

    fn shell(command: &str) -> Option<String> {
        ours(&serde_json::json!({"type": "command", "command": command}).to_string())
    }

    #[test]
    fn knows_its_own_exec_form() {
        for (command, args) in [
            ("/home/u/.local/bin/hookman", r#"["run","Stop"]"#),
            (r"C:\\Users\\u\\hookman.exe", r#"["run","Stop"]"#),
            ("C:/Program Files/hookman.exe", r#"["run","Stop"]"#),
            ("${CLAUDE_PROJECT_DIR}/.claude/hookman", r#"["run","Stop"]"#),
            ("hookman", r#"["run","Stop"]"#),
        ] {
            let handler = format!(r#"{{"type":"command","command":"{command}","args":{args}}}"#);
            assert_eq!(ours(&handler).as_deref(), Some("Stop"), "{handler}");
        }
    }

    #[test]
    fn knows_its_own_shell_form_in_any_quoting() {
        for command in [
            r#""$CLAUDE_PROJECT_DIR"/.claude/hookman run Stop"#,
            r#""$CLAUDE_PROJECT_DIR/.claude/hookman" run Stop"#,
            r#""${CLAUDE_PROJECT_DIR}/.claude/hookman"  run  Stop "#,
            "$CLAUDE_PROJECT_DIR/.claude/hookman run Stop",
            "'/home/a b/hookman' run Stop",
            r"/home/a\ b/hookman run Stop",
            r"'/home/it'\''s/hookman' run Stop",
            r#""C:\Program Files\hookman.exe" run Stop"#,
            r"C:\bin\hookman.exe run Stop",
            "hookman run 'Stop'",
        ] {
            assert_eq!(shell(command).as_deref(), Some("Stop"), "{command}");
        }
        assert_eq!(shell(&format!("{LAUNCHER} run Stop")).as_deref(), Some("Stop"));
        assert_eq!(shell(&format!("{HOST_LAUNCHER} run Stop")).as_deref(), Some("Stop"));
        assert_eq!(shell("hookman run Stop --async").as_deref(), Some("Stop --async"));
    }

    #[test]
    fn never_takes_what_is_not_its_own() {
        for command in [
            "echo hookman run Stop",
            "/x/not-hookman run Stop",
            "hookman-foo run Stop",
            "/x/hookman/bin run Stop",
            "hookman.sh run Stop",
            "hookman",
            "hookman run",
            "hookman status run",
            "hookman run Stop && rm -rf x",
            "hookman run Stop; true",
            "hookman run Stop | tee log",
            "hookman run $(cat event)",
            "hookman run \"`cat event`\"",
            "hookman run \"$(cat event)\"",
            "hookman run Stop > /dev/null",
            "hookman run Stop # ours",
            "X=1 hookman run Stop",
            "cd x\nhookman run Stop",
            "'hookman run Stop",
            "\"hookman run Stop",
            "'hookman run Stop'",
            &format!("{LAUNCHER}-other run Stop"),
            &format!("{LAUNCHER} run Stop; true"),
            &format!("true; {LAUNCHER} run Stop"),
            "/home/a b/hookman run Stop",
            "",
        ] {
            assert_eq!(shell(command), None, "{command}");
        }
        for handler in [
            r#"{"type":"command","command":"/x/hookman","args":["status"]}"#,
            r#"{"type":"command","command":"/x/hookman","args":[]}"#,
            r#"{"type":"command","command":"/x/hookman","args":["run",1]}"#,
            r#"{"type":"command","command":"/x/hookman run Stop","args":["run","Stop"]}"#,
            r#"{"type":"command","command":"env","args":["hookman","run","Stop"]}"#,
            r#"{"type":"command","command":"hookman run Stop","args":null}"#,
            r#"{"type":"http","command":"hookman run Stop"}"#,
            r#"{"type":"prompt","prompt":"hookman run Stop"}"#,
            r#"{"command":"hookman run Stop"}"#,
            r#"{"type":"command","command":["hookman","run","Stop"]}"#,
            r#""hookman run Stop""#,
        ] {
            assert_eq!(ours(handler), None, "{handler}");
        }
    }
}

//! One entry of hookman's in a settings file, and how it is told from everybody else's.
//!
//! The client deletes keys that it does not know whenever it rewrites a settings file, so no key
//! can mark an entry as ours; its command and arguments do.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An entry that hookman wants in a settings file: one handler in a group of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Registration {
    /// The event, as the client spells it.
    pub event: String,
    /// The matcher of the group; none matches everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    /// The program (exec form) or the shell line (shell form); empty for an entry that the client runs
    /// without hookman.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// The arguments; their presence is what makes it exec form (the client's documentation).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<String>>,
    /// Seconds until the client kills the handler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// Further keys of the handler, such as `async` or `statusMessage`, in the order to write them;
    /// all of them, `type` first, for an entry that the client runs without hookman.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Registration {
    /// Whether the client runs it without hookman, so that only a record can tell it from others.
    pub fn is_passed(&self) -> bool {
        self.command.is_empty() && self.extra.contains_key("type")
    }

    /// What it runs, to find it again among the entries of its event.
    pub(super) fn words(&self) -> Option<Vec<String>> {
        let handler = self.handler();
        if self.is_passed() { Some(passed_words(&handler)) } else { run_words(&handler) }
    }

    /// The handler as it stands in the file.
    pub fn handler(&self) -> Value {
        if self.is_passed() {
            let mut handler = self.extra.clone();
            handler.extend(self.timeout.map(|timeout| ("timeout".to_owned(), timeout.into())));
            return Value::Object(handler);
        }
        let mut handler = Map::new();
        handler.insert("type".to_owned(), "command".into());
        handler.insert("command".to_owned(), self.command.clone().into());
        if let Some(args) = &self.args {
            handler.insert("args".to_owned(), args.clone().into());
        }
        if let Some(timeout) = self.timeout {
            handler.insert("timeout".to_owned(), timeout.into());
        }
        handler.extend(self.extra.clone());
        Value::Object(handler)
    }

    /// The group that holds the handler and nothing else.
    pub fn group(&self) -> Value {
        let mut group = Map::new();
        if let Some(matcher) = &self.matcher {
            group.insert("matcher".to_owned(), matcher.clone().into());
        }
        group.insert("hooks".to_owned(), vec![self.handler()].into());
        Value::Object(group)
    }
}

/// What hookman is told to run by a handler of its own: the words after `run`, the event first.
/// None if the handler is somebody else's.
///
/// Ours is a `command` handler of one of two forms. Exec form: the file name of `command` is
/// `hookman` or `hookman.exe` and the first argument is `run`. Shell form, without `args`: a line
/// of plain words, the first a path with that file name in any quoting, then `run`, then at least
/// one more. A line with any further shell syntax is not ours.
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
        None => shell_words(command).filter(|words| words.len() > 2)?,
    };
    let (program, rest) = words.split_first()?;
    let (verb, rest) = rest.split_first()?;
    (is_hookman(program) && verb == "run").then(|| rest.to_vec())
}

/// What stands for the words of an entry that runs none of hookman's.
pub(super) fn passed_words(handler: &Value) -> Vec<String> {
    vec![String::new(), handler.to_string()]
}

fn is_hookman(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name == "hookman" || name == "hookman.exe"
}

/// The words of a shell line that is nothing but words: quotes are taken off, variables stay as
/// they are. None if the line does anything else, such as chaining, substituting or redirecting.
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
            '\\' if chars.peek() == Some(&' ') => word.get_or_insert_default().extend(chars.next()),
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
            r#""C:\Program Files\hookman.exe" run Stop"#,
            r"C:\bin\hookman.exe run Stop",
            "hookman run 'Stop'",
        ] {
            assert_eq!(shell(command).as_deref(), Some("Stop"), "{command}");
        }
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

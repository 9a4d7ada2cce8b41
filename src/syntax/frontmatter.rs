//! The YAML at the head of a Markdown file, one key of it as JSON.

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span};

/// Gives the value of a key at the top of a file's front matter, as the JSON text of an object with
/// that key. Each line of the file is a line of the JSON, so a place in the one is a place in the
/// other.
///
/// `None` where there is no front matter, or none with that key, or where the key has nothing.
pub fn as_json(text: &str, key: &str) -> Option<Result<String, ScanError>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines();
    let is_fence = |line: &str| line.trim_end() == "---";
    if !lines.next().is_some_and(is_fence) {
        return None;
    }
    let is_key = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':'));
    // Other keys are often no YAML, as a description with a colon, and the client reads on.
    let (mut yaml, mut is_inside) = (String::from("\n"), false);
    for line in lines.take_while(|line| !is_fence(line)) {
        if !line.starts_with([' ', '\t', '#', '-']) && !line.trim().is_empty() {
            is_inside = is_key(line);
        }
        if is_inside {
            yaml.push_str(line);
        }
        yaml.push('\n');
    }
    if yaml.trim().is_empty() {
        return None;
    }
    match json(&yaml) {
        Ok(json) => {
            let value: serde_json::Value = serde_json::from_str(&json).unwrap_or_default();
            (!value[key].is_null()).then_some(Ok(json))
        }
        Err(error) => Some(Err(error)),
    }
}

/// An open bracket, and the count of things in it.
struct Open {
    is_object: bool,
    items: usize,
}

struct Writer {
    json: String,
    line: usize,
    open: Vec<Open>,
}

impl Writer {
    /// Goes on to a place of the YAML, and writes what has to be before the next thing.
    fn go_on(&mut self, place: Span) {
        let start = place.start;
        if let Some(open) = self.open.last_mut() {
            let mark = match (open.items, open.is_object && open.items % 2 == 1) {
                (0, _) => "",
                (_, true) => ":",
                (_, false) => ",",
            };
            self.json.push_str(mark);
            open.items += 1;
        }
        while self.line < start.line() {
            self.json.push('\n');
            self.line += 1;
        }
        let column = self.json.rsplit('\n').next().unwrap_or_default().chars().count();
        self.json.extend(std::iter::repeat_n(' ', start.col().saturating_sub(column)));
    }

    fn open(&mut self, place: Span, is_object: bool) {
        self.go_on(place);
        self.json.push(if is_object { '{' } else { '[' });
        self.open.push(Open { is_object, items: 0 });
    }

    fn close(&mut self) {
        if let Some(open) = self.open.pop() {
            self.json.push(if open.is_object { '}' } else { ']' });
        }
    }

    fn scalar(&mut self, place: Span, text: &str, is_plain: bool) {
        self.go_on(place);
        // Before a value an odd number was written, and this key.
        let is_key = self.open.last().is_some_and(|it| it.is_object && it.items % 2 == 1);
        let value = match text {
            "" | "~" | "null" if is_plain && !is_key => "null".to_owned(),
            _ if is_plain && !is_key && is_literal(text) => text.to_owned(),
            _ => serde_json::Value::from(text).to_string(),
        };
        self.json.push_str(&value);
    }
}

/// Returns whether a plain text is a truth value or a number, written as in JSON.
fn is_literal(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text)
        .is_ok_and(|value| value.is_boolean() || value.is_number())
}

fn json(yaml: &str) -> Result<String, ScanError> {
    let mut writer = Writer { json: String::new(), line: 1, open: Vec::new() };
    for event in Parser::new_from_str(yaml) {
        let (event, place) = event?;
        match event {
            Event::Scalar(text, style, ..) => {
                writer.scalar(place, &text, style == ScalarStyle::Plain);
            }
            Event::Alias(_) => writer.scalar(place, "", true),
            Event::SequenceStart(..) => writer.open(place, false),
            Event::MappingStart(..) => writer.open(place, true),
            Event::SequenceEnd | Event::MappingEnd => writer.close(),
            _ => {}
        }
    }
    Ok(writer.json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_becomes_json_on_the_same_lines() {
        let text = "---\nname: x\ndescription: a: b\nhooks:\n  PreToolUse:\n    - matcher: \"Bash\"\n      \
                    hooks:\n        - type: command\n          command: 'echo \"a\"'\n          \
                    timeout: 30\n          once: true\n        - {type: prompt, prompt: x}\n  Stop: []\n\
                    model: y\n---\nbody\n";
        let json = as_json(text, "hooks").unwrap().unwrap();
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        let expected = serde_json::json!({"hooks": {
            "PreToolUse": [{"matcher": "Bash", "hooks": [
                {"type": "command", "command": "echo \"a\"", "timeout": 30, "once": true},
                {"type": "prompt", "prompt": "x"},
            ]}],
            "Stop": [],
        }});
        assert_eq!(value, expected);
        let line = |word: &str| {
            let of = |text: &str| text.lines().position(|line| line.contains(word));
            (of(&json), of(text))
        };
        for word in ["PreToolUse", "timeout", "prompt", "Stop"] {
            let (found, expected) = line(word);
            assert_eq!(found, expected, "{word}\n{json}");
        }
    }

    #[test]
    fn what_has_no_such_key_or_is_no_yaml_is_told_apart() {
        assert_eq!(as_json("hooks:\n  a: b\n", "hooks"), None);
        assert_eq!(as_json("---\nname: x\n---\nhooks: y\n", "hooks"), None);
        assert_eq!(as_json("---\nhooks:\n---\n", "hooks"), None);
        let error = as_json("---\nname: x\nhooks:\n  a: [\n---\n", "hooks").unwrap().unwrap_err();
        assert!(error.marker().line() > 1, "{error}");
    }
}

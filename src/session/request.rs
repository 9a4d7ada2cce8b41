//! What a user asks for when switching hooks, and how it is typed in a prompt.

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Switch off.
    Disable,
    /// Switch on again.
    Enable,
    /// Show what is on and off.
    Status,
}

impl Verb {
    /// The verb of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Disable, Self::Enable, Self::Status].into_iter().find(|it| it.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Disable => "disable",
            Self::Enable => "enable",
            Self::Status => "status",
        }
    }
}

/// How long a switch is to hold, as it was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Term {
    /// To the session's end.
    #[default]
    Session,
    /// For a time such as `30m`.
    For(String),
    /// Until a time such as `18:00`.
    Until(String),
    /// For the turn that is being worked on, or else the next.
    Turn,
}

/// What is to be switched, and for how long and for whom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Names, parts of names or patterns.
    pub hooks: Vec<String>,
    /// All that are configured.
    pub all: bool,
    /// How long.
    pub term: Term,
    /// The type of subagent it is for; everyone without it.
    pub agent: Option<String>,
}

impl Request {
    /// Reads what stands behind `/hook:disable` or `/hook:enable`.
    ///
    /// Words that begin with `--` and are no option stay names, so that the answer lists the hooks.
    ///
    /// # Errors
    ///
    /// The option that lacks its value.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut request = Self::default();
        let mut words =
            text.split(|it: char| it.is_whitespace() || it == ',').filter(|it| !it.is_empty());
        while let Some(word) = words.next() {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value)),
                _ => (word, None),
            };
            let mut value = || {
                value
                    .or_else(|| words.next())
                    .map(str::to_owned)
                    .ok_or(format!("{name} needs a value"))
            };
            match name {
                "--all" => request.all = true,
                "--turn" => request.term = Term::Turn,
                "--for" => request.term = Term::For(value()?),
                "--until" => request.term = Term::Until(value()?),
                "--agent" => request.agent = Some(value()?),
                _ => request.hooks.push(word.to_owned()),
            }
        }
        Ok(request)
    }
}

/// The command that a prompt is, such as `hookman disable one` in one line and nothing else; a
/// prompt that says more is for the model.
pub fn in_prompt(prompt: &str) -> Option<(Verb, &str)> {
    let line = prompt.trim();
    let rest = line.strip_prefix("hookman ").filter(|_| !line.contains('\n'))?.trim_start();
    let (verb, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    Some((Verb::from_name(verb)?, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn request(hooks: &[&str], term: Term, agent: Option<&str>) -> Request {
        let hooks = hooks.iter().map(|hook| (*hook).to_owned()).collect();
        Request { hooks, all: false, term, agent: agent.map(str::to_owned) }
    }

    #[test]
    fn typed_words_are_read() {
        let until = |time: &str| Term::Until(time.to_owned());
        let rows = [
            ("", Ok(request(&[], Term::Session, None))),
            (" one  two ", Ok(request(&["one", "two"], Term::Session, None))),
            ("one,two", Ok(request(&["one", "two"], Term::Session, None))),
            ("one --for 30m", Ok(request(&["one"], Term::For("30m".to_owned()), None))),
            ("--for=1h one", Ok(request(&["one"], Term::For("1h".to_owned()), None))),
            ("--until 18:00 one", Ok(request(&["one"], until("18:00"), None))),
            ("one --turn --agent Explore", Ok(request(&["one"], Term::Turn, Some("Explore")))),
            ("--help", Ok(request(&["--help"], Term::Session, None))),
            ("one --for", Err("--for needs a value".to_owned())),
        ];
        for (text, expected) in rows {
            assert_eq!(Request::parse(text), expected, "{text:?}");
        }
        assert!(Request::parse("--all").unwrap().all);
    }

    #[test]
    fn only_a_prompt_that_is_a_command_is_one() {
        let rows = [
            ("hookman disable one", Some((Verb::Disable, "one"))),
            ("  hookman  enable  one --turn\n", Some((Verb::Enable, " one --turn"))),
            ("hookman status", Some((Verb::Status, ""))),
            ("hookman", None),
            ("hookman doctor", None),
            ("run hookman disable one", None),
            ("hookman disable one\nand then go on", None),
        ];
        for (prompt, expected) in rows {
            assert_eq!(in_prompt(prompt), expected, "{prompt:?}");
        }
    }

    proptest! {
        #[test]
        fn any_words_are_read_without_a_panic(text in "\\PC{0,60}") {
            if let Ok(request) = Request::parse(&text) {
                let blank = |hook: &String| hook.chars().any(char::is_whitespace);
                prop_assert!(!request.hooks.iter().any(blank));
            }
            let _ = in_prompt(&text);
        }
    }
}

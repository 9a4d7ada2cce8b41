//! The request of a user who switches hooks, and its form in a prompt.

use crate::syntax::named::named;

named! {
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Disable = "disable",
    Enable = "enable",
    Status = "status",
}
}

/// The time that a switch is to hold, as it was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Term {
    #[default]
    Session,
    /// For a time such as `30m`.
    For(String),
    /// Until a time such as `18:00`.
    Until(String),
    /// For the turn that is being worked on, or else the next.
    Turn,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Names, parts of names or patterns.
    pub hooks: Vec<String>,
    pub all: bool,
    pub term: Term,
    /// The type of subagent it is for; everyone without it.
    pub agent: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    #[error("{0} needs a value")]
    Valueless(String),
    #[error(
        "a typed prompt cannot do {0}: it takes --all, --for TIME, --until TIME, --turn and \
         --agent TYPE. In a terminal: `hookman disable HOOK {typed}`",
        typed = in_terminal(.0)
    )]
    Unknown(String),
    #[error("one of --for, --until and --turn at a time")]
    Terms,
    #[error("--agent takes one type of agent; ask once for each")]
    Agents,
    #[error("--agent was given no type of agent")]
    Agentless,
    #[error("enable takes no --for, --until or --turn")]
    Enable,
    #[error("a profile takes --for TIME, --until TIME, --turn or --off")]
    Profile,
    #[error("--for goes with `on`")]
    Period,
    #[error("`{0}` is none of `on`, `off` and `status`")]
    Careful(String),
}

/// An option as a terminal takes it: a switch for all sessions needs an end.
fn in_terminal(option: &str) -> String {
    let end = if option == "--everywhere" { "--for 1h " } else { "" };
    format!("{end}{option}")
}

impl Request {
    /// Returns whether it is for all hooks, or for those that a pattern hits.
    pub fn is_several(&self) -> bool {
        self.all || self.hooks.iter().any(|typed| typed.contains(['*', '?']))
    }

    /// Reads what is behind `/hook:disable` or `/hook:enable`; quotes go, and `--help` lists the hooks.
    pub fn parse(text: &str) -> Result<Self, RequestError> {
        let mut request = Self::default();
        let mut term = None;
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            let (name, value) = match unquoted(word).split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value)),
                _ => (unquoted(word), None),
            };
            let mut value = || {
                let value = value.or_else(|| words.next());
                value
                    .map(|it| unquoted(it).to_owned())
                    .ok_or_else(|| RequestError::Valueless(name.to_owned()))
            };
            let chosen = match name {
                "--turn" => Term::Turn,
                "--for" => Term::For(value()?),
                "--until" => Term::Until(value()?),
                "--all" => {
                    request.all = true;
                    continue;
                }
                "--agent" if request.agent.is_some() => return Err(RequestError::Agents),
                "--agent" => {
                    request.agent = Some(agent(&value()?)?);
                    continue;
                }
                _ if name.starts_with("--") && name != "--help" => {
                    return Err(RequestError::Unknown(name.to_owned()));
                }
                _ => {
                    let names = word.split(',').map(unquoted).filter(|name| !name.is_empty());
                    request.hooks.extend(names.map(str::to_owned));
                    continue;
                }
            };
            if term.replace(chosen).is_some() {
                return Err(RequestError::Terms);
            }
        }
        request.term = term.unwrap_or_default();
        Ok(request)
    }

    /// The request, if all that it says means something to `command`.
    pub fn of(self, command: Command) -> Result<Self, RequestError> {
        let has_term = self.term != Term::Session;
        match command {
            Command::Switch(Verb::Enable) if has_term => Err(RequestError::Enable),
            Command::Profile if self.all || self.agent.is_some() => Err(RequestError::Profile),
            _ => Ok(self),
        }
    }
}

/// The type of agent that a switch is for; refuses none, which would mean the main one, and several.
pub fn agent(typed: &str) -> Result<String, RequestError> {
    match typed.trim() {
        "" => Err(RequestError::Agentless),
        several if several.contains(',') => Err(RequestError::Agents),
        one => Ok(one.to_owned()),
    }
}

fn unquoted(word: &str) -> &str {
    let inside = |quote: char| word.strip_prefix(quote)?.strip_suffix(quote);
    ['\'', '"', '`'].into_iter().find_map(inside).unwrap_or(word)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Careful {
    /// To be on, for a time such as `30m` if one is given.
    On(Option<String>),
    Off,
    Status,
}

impl Careful {
    /// Reads the words behind `careful`; none ask for its status.
    pub fn parse(words: &str, period: Option<&str>) -> Result<Self, RequestError> {
        let mut words: Vec<&str> = words.split_whitespace().map(unquoted).collect();
        words.retain(|word| !word.is_empty());
        match (words.as_slice(), period) {
            (["on"], period) => Ok(Self::On(period.map(str::to_owned))),
            (["on", "--for", period], None) => Ok(Self::On(Some((*period).to_owned()))),
            (["off"], None) => Ok(Self::Off),
            ([] | ["status"], None) => Ok(Self::Status),
            (["off" | "status"] | [], Some(_)) => Err(RequestError::Period),
            _ => Err(RequestError::Careful(words.join(" "))),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// To switch hooks, or to show what is on and off.
    Switch(Verb),
    Profile,
    Careful,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prompt<'a> {
    pub command: Command,
    pub words: &'a str,
    /// True if it is a command for sure, and not only if all of its words name something.
    pub is_sure: bool,
}

/// Reads a one-line prompt such as `hookman disable …`, or `$hook-disable` in Codex. It is a command for
/// sure with at most one word behind it, for `status` with none, or with an option.
pub fn in_prompt(prompt: &str) -> Option<Prompt<'_>> {
    let line = prompt.trim();
    let rest = line.strip_prefix("hookman ").or_else(|| line.strip_prefix("$hook-"));
    let rest = rest.filter(|_| !line.contains('\n'))?.trim_start();
    let (verb, words) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let command = match verb {
        "profile" => Command::Profile,
        "careful" => Command::Careful,
        verb => Command::Switch(Verb::from_name(verb)?),
    };
    let count = words.split_whitespace().count();
    if command == Command::Switch(Verb::Status) && count > 0 {
        return None;
    }
    let is_sure = count < 2 || words.split_whitespace().any(|word| word.starts_with("--"));
    Some(Prompt { command, words, is_sure })
}

/// The seconds that `90s`, `30m`, `8h` or `2d` means; `None` where the text is something else.
pub fn seconds(text: &str) -> Option<u64> {
    let unit = match text.chars().next_back()? {
        's' => 1,
        'm' => 60,
        'h' => 60 * 60,
        'd' => 24 * 60 * 60,
        _ => return None,
    };
    let digits = &text[..text.len() - 1];
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse::<u64>().ok()?.checked_mul(unit)
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
            ("'one' \"two\",`three`", Ok(request(&["one", "two", "three"], Term::Session, None))),
            ("one --for", Err("--for needs a value".to_owned())),
            ("one --agent=", Err("--agent was given no type of agent".to_owned())),
            ("one --agent ''", Err("--agent was given no type of agent".to_owned())),
            ("one --agent Plan,Explore", Err(RequestError::Agents.to_string())),
            ("one --agent Plan --agent Explore", Err(RequestError::Agents.to_string())),
            ("--for 1h --turn", Err("one of --for, --until and --turn at a time".to_owned())),
            ("--for 1h --for=2h", Err("one of --for, --until and --turn at a time".to_owned())),
        ];
        for (text, expected) in rows {
            assert_eq!(
                Request::parse(text).map_err(|error| error.to_string()),
                expected,
                "{text:?}"
            );
        }
        assert!(Request::parse("--all").unwrap().all);
        let told = Request::parse("one --permanent").unwrap_err();
        assert!(told.to_string().starts_with("a typed prompt cannot do --permanent"), "{told}");
    }

    #[test]
    fn what_a_command_does_not_take_is_refused() {
        use Command::{Profile, Switch};
        for (text, command, taken) in [
            ("one --for 1h", Switch(Verb::Disable), true),
            ("one --for 1h", Switch(Verb::Enable), false),
            ("one --all --agent Plan", Switch(Verb::Enable), true),
            ("quiet --turn", Profile, true),
            ("quiet --agent Plan", Profile, false),
            ("quiet --all", Profile, false),
        ] {
            assert_eq!(Request::parse(text).unwrap().of(command).is_ok(), taken, "{text:?}");
        }
    }

    #[test]
    fn careful_mode_is_wished_in_few_words() {
        let rows = [
            ("", None, Ok(Careful::Status)),
            ("''", None, Ok(Careful::Status)),
            (" status ", None, Ok(Careful::Status)),
            ("on", None, Ok(Careful::On(None))),
            ("on", Some("1h"), Ok(Careful::On(Some("1h".to_owned())))),
            ("on --for 1h", None, Ok(Careful::On(Some("1h".to_owned())))),
            ("\"off\"", None, Ok(Careful::Off)),
            ("off", Some("1h"), Err("--for goes with `on`".to_owned())),
        ];
        for (words, period, expected) in rows {
            assert_eq!(
                Careful::parse(words, period).map_err(|error| error.to_string()),
                expected,
                "{words:?}"
            );
        }
        assert!(Careful::parse("of", None).is_err());
    }

    #[test]
    fn only_a_prompt_that_is_a_command_is_one() {
        let rows = [
            ("hookman disable one", Some((Command::Switch(Verb::Disable), "one", true))),
            ("hookman disable", Some((Command::Switch(Verb::Disable), "", true))),
            (
                "  hookman  enable  one two --turn\n",
                Some((Command::Switch(Verb::Enable), " one two --turn", true)),
            ),
            (
                "hookman disable it for me",
                Some((Command::Switch(Verb::Disable), "it for me", false)),
            ),
            ("$hook-disable one", Some((Command::Switch(Verb::Disable), "one", true))),
            ("$hook-on one", None),
            ("hookman profile quiet", Some((Command::Profile, "quiet", true))),
            ("hookman careful on", Some((Command::Careful, "on", true))),
            ("hookman status", Some((Command::Switch(Verb::Status), "", true))),
            ("hookman status of all hooks?", None),
            ("hookman status?", None),
            ("hookman", None),
            ("hookman doctor", None),
            ("run hookman disable one", None),
            ("hookman disable one\nand then go on", None),
        ];
        for (prompt, expected) in rows {
            let read = in_prompt(prompt).map(|it| (it.command, it.words, it.is_sure));
            assert_eq!(read, expected, "{prompt:?}");
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

#[cfg(test)]
mod period_tests {
    use super::*;

    #[test]
    fn a_period_is_a_number_with_a_unit() {
        let rows = [
            ("90s", Some(90)),
            ("30m", Some(1800)),
            ("2h", Some(7200)),
            ("1d", Some(86_400)),
            ("0s", Some(0)),
            ("30", None),
            ("m", None),
            ("-1m", None),
            ("1.5h", None),
            ("30 m", None),
            ("30é", None),
            ("99999999999999999999d", None),
            ("9999999999999999999d", None),
            ("", None),
        ];
        for (text, expected) in rows {
            assert_eq!(seconds(text), expected, "{text:?}");
        }
    }
}

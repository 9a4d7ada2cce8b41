//! The client's events, one row each.
//!
//! Source: the client's hooks reference, and runs of the clients 2.1.197 and 2.1.329.

mod column;
mod table;

use std::fmt;

use crate::syntax::named::words;
use crate::syntax::suggestion;
use table::TABLE;

pub use column::{Block, ExitTwo, Handler, PlainText, Subject, Takes};
pub use table::{Event, Facts};

const NOTIFICATIONS: &[&str] = &words::<17>(
    "permission_prompt idle_prompt auth_success elicitation_dialog elicitation_url_dialog \
     elicitation_complete elicitation_response agent_needs_input agent_completed \
     quota_auto_resume_fired quota_auto_resume_stale quota_auto_resume_disabled \
     worker_permission_prompt push_notification computer_use_enter computer_use_exit \
     model_refusal_fallback",
);

/// The agents that the client brings along, as 2.1.329 and 2.1.197 name them.
pub const AGENTS: &[&str] = &["Explore", "Plan", "claude", "general-purpose", "statusline-setup"];

/// The reasons for which a turn ends early.
const ERRORS: &[&str] = &words::<13>(
    "rate_limit overloaded authentication_failed oauth_org_not_allowed account_on_hold \
     verification_required billing_error invalid_request model_not_found server_error \
     max_output_tokens cloud_credential_error unknown",
);

impl Subject {
    /// Returns whether a matcher is tested as before hyphens, blanks and commas came into lists.
    pub fn is_narrow(self) -> bool {
        matches!(self, Self::Error | Self::FileName)
    }

    /// Lists the possible subjects of an event, by the client's documentation and the code of 2.1.329.
    pub fn words(self, event: Event) -> Option<&'static [&'static str]> {
        Some(match (self, event) {
            (Self::Source, Event::SessionStart) => {
                &["startup", "resume", "clear", "compact", "fork"]
            }
            (Self::Source, Event::ConfigChange) => {
                const {
                    &words::<5>(
                        "user_settings project_settings local_settings policy_settings skills",
                    )
                }
            }
            (Self::Reason, _) => {
                const {
                    &words::<6>(
                        "clear resume logout prompt_input_exit other bypass_permissions_disabled",
                    )
                }
            }
            (Self::NotificationType, _) => NOTIFICATIONS,
            (Self::Error, _) => ERRORS,
            (Self::Trigger, Event::Setup) => &["init", "maintenance"],
            (Self::Trigger, _) => &["manual", "auto"],
            (Self::LoadReason, _) => {
                &["session_start", "nested_traversal", "path_glob_match", "include", "compact"]
            }
            _ => return None,
        })
    }

    /// The payload field in the client's words, or `None` where a matcher has no effect.
    pub fn field(self) -> Option<&'static str> {
        Some(self.name()).filter(|name| !name.is_empty())
    }
}

impl Handler {
    pub fn timeout_ms(self, event: Event) -> u64 {
        match self {
            Self::Command | Self::Http | Self::McpTool => event.facts().timeout_ms,
            Self::Prompt => 30_000,
            Self::Agent => 60_000,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the client has no event `{0}`{hint}", hint = meant(.0))]
pub struct UnknownEvent(String);

fn meant(name: &str) -> String {
    let hint = suggestion::meant(name, &Event::names(Event::ALL));
    hint.unwrap_or_else(|| "; `hookman events` lists them".to_owned())
}

impl Event {
    /// The event of this exact name, as the client compares it.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|event| event.name() == name)
    }

    pub fn names(events: &[Self]) -> Vec<&'static str> {
        events.iter().map(|event| event.name()).collect()
    }

    /// The event that a user means by a name, in which case does not count.
    pub fn meant(name: &str) -> Result<Self, UnknownEvent> {
        let found = Self::ALL.iter().find(|event| event.name().eq_ignore_ascii_case(name));
        found.copied().ok_or_else(|| UnknownEvent(name.to_owned()))
    }

    pub fn facts(self) -> &'static Facts {
        &TABLE[self as usize]
    }

    /// Returns whether a message for the user arrives: in JSON, or as the text that the user reads.
    pub fn shows_messages(self) -> bool {
        let facts = self.facts();
        // Of a task it does at the end of a teammate's turn only.
        let is_shown = self != Self::TaskCompleted && facts.top.contains(&"systemMessage");
        is_shown || facts.plain_text == PlainText::User
    }

    /// Returns whether standard error of another exit code than 0 and 2 is all that the user reads.
    pub fn shows_failures(self) -> bool {
        matches!(self, Self::SessionEnd | Self::PreCompact)
    }

    pub fn name(self) -> &'static str {
        self.facts().name
    }
}

impl fmt::Display for Event {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_finds_its_own_row() {
        assert_eq!(Event::ALL.len(), 33);
        for event in Event::ALL {
            assert_eq!(event.name(), format!("{event:?}"), "a row is in another place");
            assert_eq!(Event::from_name(event.name()), Some(*event));
        }
        assert_eq!(Event::from_name("pretooluse"), None);
    }
}

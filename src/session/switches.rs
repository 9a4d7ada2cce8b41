//! What is switched off in one session.

use serde::{Deserialize, Serialize};

/// A hook that is off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Off {
    /// The hook's name.
    pub hook: String,
    /// When it was switched off.
    pub since: String,
    /// Seconds since 1970 at which it is on again; absent for the rest of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
}

/// The switches of a session, one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Switches {
    /// The session's id as the client gave it.
    pub session_id: String,
    /// The directory the last switch was made in.
    pub working_directory: String,
    /// The session's transcript, where known.
    pub transcript_path: String,
    /// What is off.
    pub disabled: Vec<Off>,
    /// When the file was last written.
    pub timestamp: String,
}

impl Switches {
    /// Reads a switches file.
    ///
    /// # Errors
    ///
    /// When the text is not what hookman wrote; that means that nothing is switched.
    pub fn parse(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// The file's text.
    ///
    /// # Errors
    ///
    /// None in practice: every field is plain text.
    pub fn to_text(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// The entry that has `hook` off at `now`, in seconds since 1970.
    pub fn off(&self, hook: &str, now: i64) -> Option<&Off> {
        self.disabled
            .iter()
            .find(|off| off.hook == hook && off.until.is_none_or(|until| now < until))
    }

    /// Switches `hook` off; `false` if it is off already for as long.
    pub fn disable(&mut self, off: Off, now: i64) -> bool {
        if self.off(&off.hook, now).is_some_and(|already| already.until == off.until) {
            return false;
        }
        self.disabled.retain(|other| other.hook != off.hook);
        self.disabled.push(off);
        true
    }

    /// Switches `hook` on; `false` if it was not off.
    pub fn enable(&mut self, hook: &str, now: i64) -> bool {
        let was_off = self.off(hook, now).is_some();
        self.disabled.retain(|off| off.hook != hook);
        was_off
    }
}

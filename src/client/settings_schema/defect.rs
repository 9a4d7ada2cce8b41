//! The defects of a settings file, and the client's treatment of them.

use std::fmt;

use serde::Serialize;

use crate::syntax::json::Position;

/// The clients that were asked, newest first.
pub const VERSIONS: [&str; 2] = ["2.1.330", "2.1.197"];

/// The treatment of a defect by a client, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// It applies nothing of the file: no hook, permission or environment variable.
    FileDropped,
    /// It ignores the key, or an earlier duplicate of it.
    KeyDropped,
    GroupDropped,
    HandlerDropped,
    /// It loads the handler, which then never does anything.
    NeverFires,
    /// It reads over the key and deletes it when it next rewrites the file.
    Stripped,
    Harmless,
}

impl Effect {
    fn of(self, client: &str) -> String {
        let ignored = match self {
            Self::FileDropped => "the whole file",
            Self::KeyDropped => "this key",
            Self::GroupDropped => "this group",
            Self::HandlerDropped => "this handler",
            Self::NeverFires => return format!("under {client} this handler never fires"),
            Self::Stripped => {
                return format!("{client} deletes this key when it next rewrites the file");
            }
            Self::Harmless => return format!("{client} reads it"),
        };
        format!("{client} ignores {ignored}")
    }
}

/// The effects of a defect, for each of [`VERSIONS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Effects {
    pub newest: Effect,
    pub oldest: Effect,
}

impl Effects {
    pub(super) const DROP: Self = Self::both(Effect::FileDropped);

    pub const fn both(effect: Effect) -> Self {
        Self { newest: effect, oldest: effect }
    }

    /// The same where it applies, by version as in [`VERSIONS`], and nothing elsewhere.
    pub(super) fn only(self, applies: [bool; 2]) -> Self {
        let [newest, oldest] = applies;
        Self {
            newest: if newest { self.newest } else { Effect::Harmless },
            oldest: if oldest { self.oldest } else { Effect::Harmless },
        }
    }

    pub fn worst(self) -> Effect {
        self.newest.min(self.oldest)
    }
}

impl fmt::Display for Effects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [newest, oldest] = VERSIONS.map(|version| format!("client {version}"));
        match (self.newest, self.oldest) {
            (Effect::NeverFires, Effect::NeverFires) => f.write_str("this handler never fires"),
            (newest, oldest) if newest == oldest => f.write_str(&newest.of("the client")),
            (Effect::Harmless, effect) => f.write_str(&effect.of(&oldest)),
            (effect, Effect::Harmless) => f.write_str(&effect.of(&newest)),
            (one, other) => write!(f, "{}, and {}", one.of(&newest), other.of(&oldest)),
        }
    }
}

/// Something in a settings file that does not do what its author meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Defect {
    pub effects: Effects,
    pub pointer: String,
    pub line: usize,
    pub column: usize,
    /// The message. It names no place, so equal defects have equal messages.
    pub message: String,
    pub hint: String,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = Position { line: self.line, column: self.column };
        write!(f, "{position}: {}; {} ({})", self.message, self.effects, self.hint)
    }
}

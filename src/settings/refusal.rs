//! The reason why a settings file is left alone.

use std::fmt;

use crate::client::settings_schema::MAX_BYTES;
use crate::syntax::json::{Position, SyntaxError};

/// The reason why no plan was made. Nothing may be written then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The text is no JSON.
    Syntax(SyntaxError),
    /// A value on the path of the edit has another type than the client asks for.
    WrongType {
        /// The key of the value; none for the file itself.
        key: Option<String>,
        /// The value that is there, with its article.
        found: &'static str,
        /// The value that should be there, with its article.
        wanted: &'static str,
        position: Position,
    },
    /// A key on the path of the edit occurs twice in its object.
    DuplicateKey {
        key: String,
        /// The place of the second one.
        position: Position,
    },
    /// The file would be larger than the client reads.
    TooLarge {
        /// The size after the edit, in bytes.
        bytes: usize,
    },
    /// A wanted registration would not be recognised as ours, so it could not be removed again.
    Unrecognisable { command: String },
    /// The edited text failed the proof; a bug in hookman, caught before anything was written.
    Unproven {
        /// The part of the proof that failed.
        reason: String,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => {
                write!(f, "{error}. Correct that place by hand, then try again")
            }
            Self::WrongType { key: None, found, wanted, position } => write!(
                f,
                "{position}: the file holds {found} instead of {wanted}; the client ignores the \
                 whole file. Make it an object by hand, then try again"
            ),
            Self::WrongType { key: Some(key), found, wanted, position } => write!(
                f,
                "{position}: `{key}` is {found} instead of {wanted}; the client ignores it. \
                 Correct or delete it by hand, then try again"
            ),
            Self::DuplicateKey { key, position } => write!(
                f,
                "{position}: `{key}` occurs here for the second time; the client reads only the \
                 last. Join the two by hand, then try again"
            ),
            Self::TooLarge { bytes } => write!(
                f,
                "the file would have {bytes} bytes, and the client ignores one of more than \
                 {MAX_BYTES}. Make it smaller by hand, then try again"
            ),
            Self::Unrecognisable { command } => write!(
                f,
                "the command `{command}` could not be told from somebody else's afterwards. Call \
                 the program `hookman` and its first argument `run`"
            ),
            Self::Unproven { reason } => write!(
                f,
                "the edited text is not what it should be: {reason}. This is a bug in hookman; \
                 please report it with the file"
            ),
        }
    }
}

// The syntax error is part of the message, so it is no source to be told once more.
impl std::error::Error for Refusal {}

impl From<SyntaxError> for Refusal {
    fn from(error: SyntaxError) -> Self {
        Self::Syntax(error)
    }
}

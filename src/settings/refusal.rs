//! The reason why a settings file is left alone.

use crate::client::settings_schema::MAX_BYTES;
use crate::syntax::json::{Position, SyntaxError};

/// The reason why no plan was made. Nothing may be written then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    // It is part of the message, so it is no source to be told once more.
    #[error("{0}. Correct that place by hand, then try again")]
    Syntax(SyntaxError),
    /// A value on the path of the edit has another type than the client asks for; `key` is none for
    /// the file itself.
    #[error("{}", wrong_type(key.as_deref(), found, wanted, *position))]
    WrongType { key: Option<String>, found: &'static str, wanted: &'static str, position: Position },
    #[error(
        "{position}: `{key}` occurs here for the second time; the client reads only the last. Join \
         the two by hand, then try again"
    )]
    DuplicateKey { key: String, position: Position },
    #[error(
        "the file would have {bytes} bytes, and the client ignores one of more than {MAX_BYTES}. \
         Make it smaller by hand, then try again"
    )]
    TooLarge { bytes: usize },
    #[error(
        "the command `{command}` could not be told from somebody else's afterwards. Call the \
         program `hookman` and its first argument `run`"
    )]
    Unrecognisable { command: String },
    #[error(
        "the edited text is not what it should be: {reason}. This is a bug in hookman; please \
         report it with the file"
    )]
    Unproven { reason: String },
}

fn wrong_type(key: Option<&str>, found: &str, wanted: &str, position: Position) -> String {
    match key {
        None => format!(
            "{position}: the file holds {found} instead of {wanted}; the client ignores the \
             whole file. Make it an object by hand, then try again"
        ),
        Some(key) => format!(
            "{position}: `{key}` is {found} instead of {wanted}; the client ignores it. \
             Correct or delete it by hand, then try again"
        ),
    }
}

impl From<SyntaxError> for Refusal {
    fn from(error: SyntaxError) -> Self {
        Self::Syntax(error)
    }
}

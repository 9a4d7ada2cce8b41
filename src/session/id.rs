//! Session ids, which come from outside and end in file names.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::syntax::escaped::escaped;

/// The id of a session, which may be any text: escaped for people, [`SessionId::file_name`] for paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct SessionId<'a>(Cow<'a, str>);

impl<'a> SessionId<'a> {
    pub fn new(id: impl Into<Cow<'a, str>>) -> Self {
        Self(id.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn file_name(&self) -> Cow<'_, str> {
        safe_name(&self.0)
    }

    /// Returns whether the id itself is the name of its files, and no hash is needed.
    pub fn is_file_name(&self) -> bool {
        self.file_name() == self.0
    }

    /// The id without the text it was read from.
    pub fn into_owned(self) -> SessionId<'static> {
        SessionId(Cow::Owned(self.0.into_owned()))
    }
}

impl fmt::Display for SessionId<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `pad` keeps columns even.
        formatter.pad(&escaped(&self.0))
    }
}

/// A file name for a text from outside: itself if it is 1 to 128 of `[A-Za-z0-9_-]`, else `~` and a hash.
pub fn safe_name(id: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if (1..=128).contains(&id.len()) && id.bytes().all(plain) {
        return Cow::Borrowed(id);
    }
    let digest = Sha256::digest(id.as_bytes());
    let head = digest.iter().take(16).fold(0_u128, |head, byte| head << 8 | u128::from(*byte));
    Cow::Owned(format!("~{head:032x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_id_leaves_the_directory() {
        let plain = SessionId::new("77850d98-4378-4282-9d8f-d2b7113deb20");
        assert_eq!((plain.file_name(), plain.is_file_name()), (plain.as_str().into(), true));
        for id in ["", "..", "../../x", "a/b", "a\0b", "é", "~00", &"x".repeat(129)] {
            let session = SessionId::new(id);
            let name = session.file_name();
            assert!(name.starts_with('~') && name.len() == 33, "{id:?} became {name}");
            assert!(!session.is_file_name());
        }
        assert_ne!(safe_name("../a"), safe_name("../b"));
        assert_eq!(format!("{:6}|", SessionId::new("a\n")), "a\\n   |");
        assert_eq!(SessionId::new("\u{1b}]0;x\u{7}").to_string(), "\\u001b]0;x\\u0007");
    }
}

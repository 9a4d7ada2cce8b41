//! Session ids, which come from outside and end in file names.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

/// A name under which a session's files may be kept: the id itself where it is 1 to 128 of
/// `[A-Za-z0-9_-]`, else a hash with a `~` in front, which no id of that form can be.
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
        assert_eq!(safe_name("77850d98-4378-4282-9d8f-d2b7113deb20").len(), 36);
        for id in ["", "..", "../../x", "a/b", "a\0b", "é", "~00", &"x".repeat(129)] {
            let name = safe_name(id);
            assert!(name.starts_with('~') && name.len() == 33, "{id:?} became {name}");
        }
        assert_ne!(safe_name("../a"), safe_name("../b"));
    }
}

//! Words written for a shell.

/// A word as a POSIX shell reads it back: as it is where that is plain, else in single quotes.
pub fn quoted(word: &str) -> String {
    let is_plain = |it: char| it.is_alphanumeric() || "/._-+@%:,=".contains(it);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_plain_is_quoted() {
        let rows = [
            ("/a/b-c_d.sh", "/a/b-c_d.sh"),
            ("", "''"),
            ("a b", "'a b'"),
            ("$x", "'$x'"),
            ("~", "'~'"),
            ("it's", r"'it'\''s'"),
        ];
        for (word, expected) in rows {
            assert_eq!(quoted(word), expected, "{word}");
        }
    }
}

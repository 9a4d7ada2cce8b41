//! Keys and tokens out of texts that are stored.

/// What takes the place of a secret.
const MASK: &str = "[masked]";

/// Beginnings of keys and tokens that services give out.
const STARTS: &[&str] = &[
    "sk-",
    "pk_live_",
    "sk_live_",
    "rk_live_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xoxs-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "eyJ",
    "npm_",
    "pypi-",
    "hf_",
    "SG.",
];

/// Words before a `=` or `:` whose value is a secret.
const NAMES: &[&str] =
    &["password", "passwd", "secret", "token", "api_key", "apikey", "api-key", "private_key"];

/// The shortest secret that is known by its beginning alone.
const SHORTEST: usize = 12;

/// The text with what looks like a key, a token or a password replaced.
pub(super) fn masked(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut names_secret = false;
    let is_part = |character: char| {
        character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.' | '+' | '/')
    };
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if !is_part(first) {
            names_secret &= matches!(first, '=' | ':' | ' ' | '"' | '\'');
            masked.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let end = rest.find(|character| !is_part(character)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        masked.push_str(if names_secret || is_secret(word) { MASK } else { word });
        let lower = word.to_lowercase();
        let is_name = NAMES.iter().any(|name| lower.ends_with(name));
        names_secret = is_name && behind.trim_start_matches(['"', '\'']).starts_with(['=', ':']);
        rest = behind;
    }
    masked
}

fn is_secret(word: &str) -> bool {
    word.len() >= SHORTEST && STARTS.iter().any(|start| word.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_passwords_are_masked_and_words_stay() {
        for (text, expected) in [
            ("use ghp_0123456789abcdef please", "use [masked] please"),
            ("password: hunter2, user: me", "password: [masked], user: me"),
            ("DB_PASSWORD='hunter2'", "DB_PASSWORD='[masked]'"),
            (r#"{"api_key": "abc", "n": 1}"#, r#"{"api_key": "[masked]", "n": 1}"#),
            ("the token is in the vault", "the token is in the vault"),
            ("sk-short and src/builtin/mod.rs", "sk-short and src/builtin/mod.rs"),
        ] {
            assert_eq!(masked(text), expected);
        }
    }
}

//! Keys and tokens out of texts that are stored.

use regress::{Match, Regex};

/// Private keys; passwords in addresses; and the beginnings of keys and tokens that services give out.
const SECRETS: &str = concat!(
    r"-----BEGIN [^\-]*PRIVATE KEY-----",
    r"(?:[\s\S]*?-----END [^\-]*-----|[A-Za-z0-9+/= \r\n]*)",
    r#"|(:\/\/[^\s/?#"'`<>:]*:)[^\s/?#"'`<>]*(?=@)"#,
    r"|(?<![\w\-.+])(?=[\w\-.+]{12})(?:sk-|[prs]k_live_|sk_test_|gh[pousr]_|github_pat_|glpat-",
    r"|xox[abps]-|xapp-|AKIA|ASIA|AIza|ya29\.|eyJ|npm_|whsec_|pypi-|hf_|SG\.)[\w\-.+/]*",
);

/// The end of a variable's name, in capitals, whose value is a secret.
const KEY_NAME: &str = r"(?<![\w\-.+/])[A-Z0-9_\-.+/]*_KEY";

/// Ends of words before a `=` or `:` whose value is a secret.
const NAMES: &str = "password|passwd|passphrase|secret|token|api_?key|api-key|private_key|access_key\
                     |secret_key|authorization";

/// A value in the quotes that it begins with, or a word without the signs at its end.
const VALUE: &str = r#"(?!\[masked\])("[^"\n]+|'[^'\n]+|`[^`\n]+|[^\s"'`]*[^\s"'`,;.)\]}])"#;

/// A long word behind `Bearer`.
const BEARER: &str = r#"((?<![\w\-.+/])bearer["']*[=:> \t]+)(["'`]?[^\s"'`]{11,}[^\s"'`,;.)\]}])"#;

/// The text with what looks like a key, a token or a password replaced.
pub(super) fn masked(text: &str) -> String {
    let given = |name: &str| {
        format!(r#"((?:{name})["']*[=:][=:> \t]*(?:(?:basic|bearer|token) +)?){VALUE}"#)
    };
    let text = replaced(text, SECRETS, "");
    let text = replaced(&text, &given(KEY_NAME), "");
    replaced(&text, &format!("{}|{BEARER}", given(NAMES)), "i")
}

/// The text with a mask for what a pattern finds, but for groups that come before a secret.
fn replaced(text: &str, pattern: &str, flags: &str) -> String {
    let Ok(pattern) = Regex::with_flags(pattern, flags) else { return "[masked]".to_owned() };
    let mask = |found: &Match| {
        let mut groups = found.groups().skip(1).flatten();
        let before = groups.next().map(|it| &text[it]).unwrap_or_default();
        let quote = groups.next().and_then(|it| text[it].chars().next());
        let quote = quote.filter(|it| matches!(it, '"' | '\'' | '`'));
        format!("{before}{}[masked]", quote.map(String::from).unwrap_or_default())
    };
    pattern.replace_all_with(text, mask)
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
            ("password: hun!ter2 ok", "password: [masked] ok"),
            ("PASSWORD=p@ss,w\\0rd, then", "PASSWORD=[masked], then"),
            ("\"secret\": \"two words\" x", "\"secret\": \"[masked]\" x"),
            ("AWS_SECRET_ACCESS_KEY=wJalr/x+y z", "AWS_SECRET_ACCESS_KEY=[masked] z"),
            ("SIGNING_KEY: abc", "SIGNING_KEY: [masked]"),
            ("primary_key: id", "primary_key: id"),
            ("Authorization: Bearer abc x", "Authorization: Bearer [masked] x"),
            ("curl -H 'Bearer 0123456789ab' x", "curl -H 'Bearer [masked]' x"),
            ("the bearer of the ring", "the bearer of the ring"),
            ("https://joe:s3/cret", "https://joe:s3/cret"),
            ("see https://joe:s3cret@host/x", "see https://joe:[masked]@host/x"),
            ("https://host/ghp_0123456789abcdef", "https://host/[masked]"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nx",
                "[masked]\nx",
            ),
            ("-----BEGIN PRIVATE KEY-----\nMII… x", "[masked]… x"),
            ("-----BEGIN PUBLIC KEY-----\nMII", "-----BEGIN PUBLIC KEY-----\nMII"),
            ("password:\n\nnext", "password:\n\nnext"),
            ("sk-short and src/builtin/mod.rs", "sk-short and src/builtin/mod.rs"),
        ] {
            assert_eq!(masked(text), expected);
        }
    }
}

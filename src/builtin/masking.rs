//! Keys and tokens out of texts that are stored.

/// The text in the place of a secret.
const MASK: &str = "[masked]";

/// Beginnings of keys and tokens that services give out.
const STARTS: &str = "sk- pk_live_ sk_live_ rk_live_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- xoxb- xoxp- \
    xoxa- xoxs- AKIA ASIA AIza ya29. eyJ npm_ sk_test_ whsec_ xapp- pypi- hf_ SG.";

/// Ends of words before a `=` or `:` whose value is a secret.
const NAMES: &str = "password passwd passphrase secret token api_key apikey api-key private_key access_key \
    secret_key authorization";

/// The end of a variable's name, in capitals, whose value is a secret.
const KEY_NAME: &str = "_KEY";

/// Words that come between `Authorization:` and the secret.
const SCHEMES: &[&str] = &["basic", "bearer", "token"];

/// The shortest secret that is known by its beginning alone, or by the word `Bearer` before it.
const SHORTEST: usize = 12;

/// The beginning of the first line of a private key.
const KEY_BEGIN: &str = "-----BEGIN ";
const KEY_END: &str = "-----END ";
const KEY_DASHES: &str = "-----";

/// The text with what looks like a key, a token or a password replaced.
pub(super) fn masked(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(after) = behind_private_key(rest) {
            masked.push_str(MASK);
            rest = after;
            continue;
        }
        if let Some((user, after)) = credentials(rest) {
            masked.extend([user, MASK]);
            rest = after;
            continue;
        }
        if !is_part(first) {
            masked.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let end = rest.find(|character| !is_part(character)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        match secret_in(word) {
            Some(start) => masked.extend([&word[..start], MASK]),
            None => masked.push_str(word),
        }
        rest = behind;
        if let Some((between, after)) = secret_behind(word, rest) {
            masked.extend([between, MASK]);
            rest = after;
        }
    }
    masked
}

fn is_part(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.' | '+' | '/')
}

/// Finds the beginning of a secret in a word, which may be a path.
fn secret_in(word: &str) -> Option<usize> {
    let mut starts = std::iter::once(0).chain(word.match_indices('/').map(|(at, _)| at + 1));
    starts.find(|&start| {
        let part = &word[start..];
        let length = part.find('/').unwrap_or(part.len());
        length >= SHORTEST && STARTS.split(' ').any(|known| part.starts_with(known))
    })
}

/// Gives the text after the private key that it begins with; the key may be cut off.
fn behind_private_key(text: &str) -> Option<&str> {
    let (kind, body) = text.strip_prefix(KEY_BEGIN)?.split_once(KEY_DASHES)?;
    if !kind.ends_with("PRIVATE KEY") {
        return None;
    }
    let end = body.split_once(KEY_END).and_then(|(_, end)| end.split_once(KEY_DASHES));
    let is_key = |it: char| it.is_ascii_alphanumeric() || "+/= \r\n".contains(it);
    Some(end.map_or_else(|| body.trim_start_matches(is_key), |(_, after)| after))
}

/// Of a text that begins with `://user:password@`, what is before the password and what is behind it.
fn credentials(text: &str) -> Option<(&str, &str)> {
    let place = text.strip_prefix("://")?;
    let is_end = |letter: char| letter.is_whitespace() || "/?#\"'`<>".contains(letter);
    let place = &place[..place.find(is_end).unwrap_or(place.len())];
    let (user, _) = place.rsplit_once('@')?;
    let (name, password) = user.split_once(':')?;
    let start = "://".len() + name.len() + 1;
    Some(text.split_at(start)).map(|(before, rest)| (before, &rest[password.len()..]))
}

/// Splits at a word that names the secret behind it: the text between them, and the text after.
fn secret_behind<'t>(word: &str, behind: &'t str) -> Option<(&'t str, &'t str)> {
    let lower = word.to_lowercase();
    let named = behind.trim_start_matches(['"', '\'']);
    let is_name = NAMES.split(' ').any(|name| lower.ends_with(name))
        || (word.ends_with(KEY_NAME) && !word.contains(|it: char| it.is_ascii_lowercase()));
    let is_given = is_name && named.starts_with(['=', ':']);
    if !is_given && lower != "bearer" {
        return None;
    }
    let value = named.trim_start_matches(['=', ':', '>', ' ', '\t']);
    let value = SCHEMES.iter().find_map(|scheme| behind_scheme(value, scheme)).unwrap_or(value);
    let (value, end) = match value.chars().next().filter(|it| matches!(it, '"' | '\'' | '`')) {
        Some(quote) => {
            let value = &value[1..];
            (value, value.find([quote, '\n']).unwrap_or(value.len()))
        }
        None => {
            let is_end = |it: char| it.is_whitespace() || matches!(it, '"' | '\'' | '`');
            let end = value.find(is_end).unwrap_or(value.len());
            (value, value[..end].trim_end_matches([',', ';', '.', ')', ']', '}']).len())
        }
    };
    if end == 0 || (!is_given && end < SHORTEST) {
        return None;
    }
    Some((&behind[..behind.len() - value.len()], &value[end..]))
}

fn behind_scheme<'t>(text: &'t str, scheme: &str) -> Option<&'t str> {
    let (word, rest) = text.split_once(' ')?;
    word.eq_ignore_ascii_case(scheme).then(|| rest.trim_start_matches(' '))
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

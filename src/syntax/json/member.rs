//! A member of an object that is changed in the text, where every other byte stays as it was.

use serde_json::Value;

use super::{Document, Member};

/// Gives the text of a JSON object in which a member has a value, or is not there; `None` where the text holds
/// no object. A new member comes last and is written like the one before it.
pub fn with_member(text: &str, key: &str, value: Option<&Value>) -> Option<String> {
    let document = Document::parse(text).ok()?;
    let root = document.root();
    let members = root.members()?;
    // Of several members with one key, readers take the last.
    let found = members.iter().rposition(|member| document.key(member) == key);
    let mut new = text.to_owned();
    match (found, value) {
        (Some(index), Some(value)) => {
            let span = members[index].value.span;
            new.replace_range(span.start..span.end, &value.to_string());
        }
        (Some(index), None) => {
            let span = members[index].span();
            let (start, end) = match (index.checked_sub(1), members.get(index + 1)) {
                (Some(before), _) => (members[before].span().end, span.end),
                (None, Some(next)) => (span.start, next.span().start),
                (None, None) => (span.start, span.end),
            };
            new.replace_range(start..end, "");
            return with_member(&new, key, None);
        }
        (None, Some(value)) => {
            let key = Value::from(key);
            let before = members.len().checked_sub(2).map(|index| members[index].span().end);
            let from = before.unwrap_or(root.span.start + 1);
            let Some(last) = members.last() else {
                new.replace_range(from..root.span.end - 1, &format!("{key}: {value}"));
                return Some(new);
            };
            let lead = text.get(from..last.span().start)?;
            let lead = lead.split_once(',').map_or(lead, |(_, after)| after);
            let colon = text.get(last.key.end..last.value.span.start)?;
            new.insert_str(Member::span(last).end, &format!(",{lead}{key}{colon}{value}"));
        }
        (None, None) => {}
    }
    Some(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_else_of_the_text_stays() {
        let two = Value::from(2);
        for (text, value, new) in [
            ("{}", Some(&two), Some(r#"{"b": 2}"#)),
            (r#"{"a":1}"#, Some(&two), Some(r#"{"a":1,"b":2}"#)),
            ("{\n\t\"a\": 1e400\n}\n", Some(&two), Some("{\n\t\"a\": 1e400,\n\t\"b\": 2\n}\n")),
            ("{ \"b\" : 1 , \"a\":1 }", Some(&two), Some("{ \"b\" : 2 , \"a\":1 }")),
            (r#"{"b": 1, "b": 1}"#, Some(&two), Some(r#"{"b": 1, "b": 2}"#)),
            (r#"{"b": 1, "a": 1, "b": 1}"#, None, Some(r#"{"a": 1}"#)),
            (r#"{ "b": 1 }"#, None, Some("{  }")),
            (r#"{"a": 1}"#, None, Some(r#"{"a": 1}"#)),
            ("[1]", Some(&two), None),
            ("{", Some(&two), None),
        ] {
            assert_eq!(with_member(text, "b", value).as_deref(), new, "{text}");
        }
    }
}

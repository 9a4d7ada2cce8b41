use super::*;

fn error(text: &str) -> String {
    Document::parse(text).unwrap_err().to_string()
}

#[test]
fn accepts_what_the_client_accepts() {
    for text in [
        "{}",
        "\u{feff}{}",
        " \t\r\n[1, -0, 1.0, 1E400, 12345678901234567890, -0.5e-3]\n",
        r#"{"a":1,"a":2}"#,
        r#""\ud800 \u00e9 \ud83d\ude00 \/""#,
        "null",
        "\"\u{2028}\u{7f}\"",
    ] {
        assert_eq!(Document::parse(text).err(), None, "{text}");
    }
}

#[test]
fn says_what_is_wrong_and_where() {
    let ignored = "; the client ignores the whole file";
    for (text, expected) in [
        ("{\n  // note\n}", "line 2, column 3: a comment, which JSON does not have"),
        ("{\n  \"a\": 1 /* x */\n}", "line 2, column 10: a comment, which JSON does not have"),
        ("# x\n{}", "line 1, column 1: a comment, which JSON does not have"),
        ("{\"a\": 1,\n}", "line 1, column 8: a trailing comma"),
        ("[1, ]", "line 1, column 3: a trailing comma"),
        ("[,1]", "line 1, column 2: a comma too many, a value was expected"),
        ("[1,,1]", "line 1, column 4: a comma too many, a value was expected"),
        ("{'a': 1}", "line 1, column 2: a single quote, JSON strings stand in double quotes"),
        (
            "{\u{201c}a\u{201d}: 1}",
            "line 1, column 2: a typographic quote, JSON strings stand in straight double quotes",
        ),
        ("{\"a\": 1 \"b\": 2}", "line 1, column 9: a missing comma before `\"b\"`"),
        ("{\"a\": {}\n{}}", "line 2, column 1: a missing comma before `{`"),
        ("[true false]", "line 1, column 7: a missing comma before `false`"),
        ("{\"a\": NaN}", "line 1, column 7: `NaN`, which JSON does not have"),
        ("{\"a\": True}", "line 1, column 7: `True`, JSON writes `true`"),
        ("{\"a\": None}", "line 1, column 7: `None`, JSON writes `null`"),
        ("{\"a\": nulls}", "line 1, column 7: `nulls` where a value was expected"),
        ("{a: 1}", "line 1, column 2: `a` where a key in double quotes was expected"),
        ("{\"a\" = 1}", "line 1, column 6: `=` between key and value, JSON has `:`"),
        ("{\"a\" 1}", "line 1, column 6: `1` where `:` was expected"),
        ("{\"a\": 01}", "line 1, column 7: `01` is no JSON number"),
        ("[1.]", "line 1, column 2: `1.` is no JSON number"),
        ("[-]", "line 1, column 2: `-` is no JSON number"),
        ("[1e]", "line 1, column 2: `1e` is no JSON number"),
        ("[0x1F]", "line 1, column 2: `0x1F` is no JSON number"),
        ("[+1]", "line 1, column 2: `+` where a value was expected"),
        (
            "[\"\u{e9}\", \"C:\\Users\"]",
            "line 1, column 10: `\\U` is no escape, a backslash itself is written `\\\\`",
        ),
        (
            "[\"\\u12\"]",
            "line 1, column 3: `\\u` is no escape, a backslash itself is written `\\\\`",
        ),
        ("[\"a\nb\"]", "line 1, column 2: a string that does not end"),
        ("[\"a", "line 1, column 2: a string that does not end"),
        ("[\"\t\"]", "line 1, column 3: a raw control character, write `\\u0009`"),
        ("{} {}", "line 1, column 4: `{` where the end of the file was expected"),
        ("{\"a\": [1", "line 1, column 9: the file ends where `,` or `]` was expected"),
        ("", "line 1, column 1: the file ends where a value was expected"),
        ("{\n<<<<<<< HEAD\n", "line 2, column 1: a merge conflict marker"),
        ("\u{feff}\u{feff}{}", "line 1, column 1: `\\ufeff` where a value was expected"),
        ("\u{feff}[\u{a0}]", "line 1, column 2: `\\u00a0` where a value was expected"),
    ] {
        assert_eq!(error(text), format!("{expected}{ignored}"), "{text}");
    }
}

#[test]
fn nests_to_the_limit_and_no_further() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(Document::parse(&nested(MAX_DEPTH)).is_ok());
    assert!(
        error(&nested(MAX_DEPTH + 1))
            .ends_with("values nest deeper than 512, which is as far as hookman reads")
    );
    assert!(error(&"[".repeat(1 << 20)).contains("values nest deeper than 512"));
}

#[test]
fn the_last_of_duplicate_keys_wins() {
    let document = Document::parse(r#"{"a": {"x": 1}, "a": {"x": 2}, "a/b~": [0, 3]}"#).unwrap();
    let value = |pointer: &str| document.lookup(pointer).map(|node| document.value(node));
    assert_eq!(value("/a/x"), Some(2.into()));
    assert_eq!(value("/a~1b~0/1"), Some(3.into()));
    assert_eq!(value("/a~1b~0/01"), None);
    assert_eq!(value("/a~1b~0/2"), None);
    assert_eq!(value("a"), None);
    assert_eq!(value(""), Some(serde_json::json!({"a": {"x": 2}, "a/b~": [0, 3]})));
}

#[test]
fn spans_count_the_mark_and_positions_do_not() {
    let document = Document::parse("\u{feff}{\n\"\u{e9}\": 1 }").unwrap();
    let member = &document.root().members().unwrap()[0];
    assert_eq!(document.slice(member.span()), "\"\u{e9}\": 1");
    assert_eq!(document.position(3), Position { line: 1, column: 1 });
    assert_eq!(document.position(member.value.span.start), Position { line: 2, column: 6 });
}

#[test]
fn values_that_serde_cannot_hold_are_mapped() {
    let text =
        r#"[1E400, -1E400, "\ud83d", "\ude00\ud83d", "\ud83d\ude00", 18446744073709551616, -0]"#;
    let document = Document::parse(text).unwrap();
    assert_eq!(
        document.value(document.root()),
        serde_json::json!([
            null,
            null,
            "\u{fffd}",
            "\u{fffd}\u{fffd}",
            "\u{1f600}",
            18_446_744_073_709_551_616.0,
            -0.0
        ])
    );
    let infinite = &document.root().elements().unwrap()[0];
    assert_eq!(document.number(infinite), Some(f64::INFINITY));
}

#[test]
fn agrees_with_serde_on_what_both_can_read() {
    for text in [
        r#"{"a": [1, 2.5, -3, true, null, "x\n\"\\\u0041"], "b": {}}"#,
        "[9223372036854775807, 18446744073709551615, -9223372036854775808, 1e3]",
        r#""tab\tb\bf\ff\r\/""#,
    ] {
        let document = Document::parse(text).unwrap();
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(document.value(document.root()), value);
    }
}

#[test]
fn blanks_count_as_an_empty_file() {
    assert!(is_blank("") && is_blank("\u{feff}") && is_blank(" \r\n\t"));
    assert!(!is_blank("{}") && !is_blank("\u{a0}"));
}

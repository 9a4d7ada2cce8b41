use super::*;

#[test]
fn a_rule_is_a_tool_and_what_stands_in_brackets() {
    let rows = [
        ("Bash", Some(("Bash", None))),
        ("Bash()", Some(("Bash", None))),
        ("Bash(*)", Some(("Bash", None))),
        ("Bash(a (b))", Some(("Bash", Some("a (b)")))),
        (r"Write(a\(b\).txt)", Some(("Write", Some("a(b).txt")))),
        (r"Bash(echo \)", None),
        ("Bash(a", None),
        ("Bash (a)", None),
        ("Write|Edit", None),
        ("", None),
    ];
    for (text, expected) in rows {
        let rule = Rule::parse(text);
        let found = rule.as_ref().map(|rule| (rule.tool, rule.content.as_deref()));
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn what_cannot_be_looked_at_lets_a_rule_through() {
    let rule = Rule::parse("Edit(src/**)").unwrap();
    let anchors = Anchors { cwd: "/p", project: "/p", home: "/h" };
    assert!(rule.matches("Edit", None, anchors));
    let input = |text: &'static str| serde_json::from_str::<&RawValue>(text).unwrap();
    assert!(rule.matches("Edit", Some(input(r#"{"file_path":5}"#)), anchors));
    assert!(!rule.matches("Write", Some(input(r#"{"file_path":5}"#)), anchors));
}

#[test]
fn no_line_makes_the_reader_fail() {
    let anchors = Anchors::default();
    let rule = Rule::parse("Bash(a b:*)").unwrap();
    let pieces =
        ["a", " ", "$(", ")", "`", "\"", "'", "\\", "\n", "<<'E'\n", "if ", "$((", "é", "{", ";"];
    for one in pieces {
        for two in pieces {
            for three in pieces {
                for four in pieces {
                    let line = [one, two, three, four].concat();
                    let input = serde_json::json!({ "command": line }).to_string();
                    let input: &RawValue = serde_json::from_str(&input).unwrap();
                    rule.matches("Bash", Some(input), anchors);
                }
            }
        }
    }
}

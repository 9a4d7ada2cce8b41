use super::*;

const EVENTS: [&str; 4] = ["PreToolUse", "SessionStart", "Setup", "Stop"];

fn defects(text: &str) -> Vec<String> {
    let document = Document::parse(text).unwrap();
    let defects = check(&document, &EVENTS);
    defects
        .iter()
        .map(|defect| {
            let Effects { newest, oldest } = defect.effects;
            let effect = if newest == oldest {
                format!("{newest:?}")
            } else {
                format!("{newest:?}/{oldest:?}")
            };
            format!("{effect} {} {}", defect.pointer, defect.message)
        })
        .collect()
}

fn handler_defects(event: &str, handler: &str) -> Vec<String> {
    defects(&format!(r#"{{"hooks":{{"{event}":[{{"hooks":[{handler}]}}]}}}}"#))
}

#[test]
fn tolerates_what_the_client_tolerates() {
    for text in [
        "\u{feff}{\r\n}",
        r#"{"hooks":{}}"#,
        r#"{"unknown":1,"model":"opus","disableAllHooks":true,"permissions":{}}"#,
        r#"{"hooks":{"PreToolUse":[]}}"#,
        r#"{"hooks":{"PreToolUse":[{"hooks":[]},{"matcher":"","hooks":[]}]}}"#,
        r#"{"hooks":{"PreToolUse":[{"matcher":"|Write, Edit","hooks":[]}]}}"#,
        r#"{"hooks":{"PreToolUse":[{"matcher":"mcp__(a|b)__.*(?=x)","hooks":[]}]}}"#,
    ] {
        assert_eq!(defects(text), Vec::<String>::new(), "{text}");
    }
    for handler in [
        r#"{"type":"command","command":"x","timeout":2.5,"args":[],"shell":"bash","async":true}"#,
        r#"{"type":"command","command":"x","if":"Bash(git *)","once":true,"onFailure":"block"}"#,
        r#"{"type":"command","command":"x","if":"Edit(src/(a)/**)"}"#,
        r#"{"type":"http","url":"http://localhost:1/x","headers":{}}"#,
        r#"{"type":"mcp_tool","server":"s","tool":"t","input":{}}"#,
        r#"{"type":"prompt","prompt":"p","model":"m"}"#,
    ] {
        assert_eq!(handler_defects("PreToolUse", handler), Vec::<String>::new(), "{handler}");
    }
}

#[test]
fn names_what_drops_the_file() {
    let guards = "{\"type\":\"command\",\"command\":\"x\"}";
    for (text, expected) in [
        ("[]", "FileDropped  the file holds an array instead of an object"),
        (r#"{"model":5}"#, "FileDropped /model `model` is a number instead of a string"),
        (r#"{"env":null}"#, "FileDropped /env `env` is null instead of an object"),
        (
            r#"{"cleanupPeriodDays":0}"#,
            "FileDropped /cleanupPeriodDays `cleanupPeriodDays` is the number 0 instead of a whole \
             number, 1 or more",
        ),
        (
            r#"{"permissions":{"defaultMode":"ask"}}"#,
            "FileDropped /permissions/defaultMode `permissions.defaultMode` is `ask` instead of \
             `acceptEdits`, `auto`, `bypassPermissions`, `default`, `dontAsk`, `plan` or `manual`",
        ),
        (
            r#"{"statusLine":{"command":"x"}}"#,
            "FileDropped /statusLine/type `statusLine` without `type`",
        ),
        (
            r#"{"enabledMcpjsonServers":["a",1]}"#,
            "FileDropped /enabledMcpjsonServers/1 `enabledMcpjsonServers[]` is a number instead of \
             a string",
        ),
        (
            r#"{"verbose":null,"channelsEnabled":null}"#,
            "FileDropped /verbose `verbose` is null instead of a boolean\n\
             Harmless/FileDropped /channelsEnabled `channelsEnabled` is null instead of a boolean",
        ),
        (
            r#"{"hooks":{"Stop":[1]}}"#,
            "GroupDropped/FileDropped /hooks/Stop/0 a group is a number instead of an object",
        ),
        (
            r#"{"hooks":{"PreToolUse":[{}]}}"#,
            "FileDropped /hooks/PreToolUse/0/hooks a group without `hooks`",
        ),
        (
            r#"{"hooks":{"Stop":[{"hooks":{}}]}}"#,
            "GroupDropped/FileDropped /hooks/Stop/0/hooks `hooks` is an object instead of an array",
        ),
        (
            r#"{"hooks":{"PreToolUse":[{"matcher":null,"hooks":[]}]}}"#,
            "FileDropped /hooks/PreToolUse/0/matcher `matcher` is null instead of a string",
        ),
        (
            r#"{"hooks":{"Stop":[{"type":"command","command":"x"}]}}"#,
            "GroupDropped/FileDropped /hooks/Stop/0 a handler is directly under its event",
        ),
        (
            r#"{"hooks":{"Stop":[{"hooks":[{"type":"command"}]}]}}"#,
            "HandlerDropped/FileDropped /hooks/Stop/0/hooks/0/command a handler of type `command` \
             without `command`",
        ),
        (
            r#"{"hooks":[{"matcher":"Bash"}]}"#,
            "FileDropped/KeyDropped /hooks `hooks` is an array instead of an object",
        ),
        (
            r#"{"hooks":{"PreToolUse":{}}}"#,
            "FileDropped/KeyDropped /hooks/PreToolUse `PreToolUse` is an object instead of an array",
        ),
        (
            r#"{"_hooks":{"PreToolUse":["x"],"Stop":[{"hooks":[1]}]}}"#,
            "FileDropped/Harmless /_hooks/PreToolUse `PreToolUse` outside of `hooks` holds something",
        ),
        (
            r#"{"hooksOff":[{"matcher":"Bash","hooks":[@]}]}"#,
            "FileDropped/Harmless /hooksOff/0/hooks a group of handlers outside of its event in \
             `hooks`",
        ),
        (
            r#"{"hooks":{"Stop":[{"hooks":[],"PermissionRequest":"x"}]}}"#,
            "FileDropped/Harmless /hooks/Stop/0/PermissionRequest `PermissionRequest` outside of \
             `hooks` holds something\nStripped /hooks/Stop/0/PermissionRequest \
             `PermissionRequest` is no key of a group",
        ),
    ] {
        let text = text.replace('@', guards);
        assert_eq!(defects(&text).join("\n"), expected, "{text}");
    }
}

#[test]
fn names_in_other_places_are_no_parked_guards() {
    for text in [
        r#"{"_PreToolUse":["x"],"PermissionRequest":[],"off":{"PreToolUse":null}}"#,
        r#"{"env":{"PreToolUse":"x"},"x":{"mcpServers":{"PreToolUse":{"a":1}}}}"#,
        r#"{"off":{"Stop":[{"hooks":[1]}]},"a":{"hooks":[]},"b":{"hooks":{"c":1}}}"#,
        r#"{"a":{"b":{"c":{"d":{"e":{"PreToolUse":1,"hooks":[1]}}}}}}"#,
    ] {
        assert_eq!(defects(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn names_the_handlers_that_drop_the_file() {
    for (handler, key, message) in [
        ("1", "", "a handler is a number instead of an object"),
        ("{}", "", "a handler without `type`"),
        (r#"{"type":1}"#, "/type", "`type` is a number instead of a string"),
        (r#"{"type":"shell"}"#, "/type", "`shell` is no type of handler"),
        (r#"{"type":"command"}"#, "/command", "a handler of type `command` without `command`"),
        (
            r#"{"type":"command","command":["x"]}"#,
            "/command",
            "`command` is an array instead of a string",
        ),
        (
            r#"{"type":"command","command":"x","timeout":0}"#,
            "/timeout",
            "`timeout` is the number 0 instead of a number above 0",
        ),
        (
            r#"{"type":"command","command":"x","timeout":-1}"#,
            "/timeout",
            "`timeout` is the number -1 instead of a number above 0",
        ),
        (
            r#"{"type":"command","command":"x","timeout":null}"#,
            "/timeout",
            "`timeout` is null instead of a number above 0",
        ),
        (
            r#"{"type":"command","command":"x","timeout":"5"}"#,
            "/timeout",
            "`timeout` is a string instead of a number above 0",
        ),
        (
            r#"{"type":"command","command":"x","args":"y"}"#,
            "/args",
            "`args` is a string instead of an array",
        ),
        (
            r#"{"type":"command","command":"x","args":["a",1]}"#,
            "/args/1",
            "`args[]` is a number instead of a string",
        ),
        (
            r#"{"type":"command","command":"x","shell":"zsh"}"#,
            "/shell",
            "`shell` is `zsh` instead of `bash` or `powershell`",
        ),
        (
            r#"{"type":"command","command":"x","onFailure":"stop"}"#,
            "/onFailure",
            "`onFailure` is `stop` instead of `continue` or `block`",
        ),
        (
            r#"{"type":"command","command":"x","async":1}"#,
            "/async",
            "`async` is a number instead of a boolean",
        ),
        (r#"{"type":"http"}"#, "/url", "a handler of type `http` without `url`"),
        (
            r#"{"type":"http","url":"not a url"}"#,
            "/url",
            "`not a url` is no URL: relative URL without a base",
        ),
        (
            r#"{"type":"mcp_tool","server":"s"}"#,
            "/tool",
            "a handler of type `mcp_tool` without `tool`",
        ),
        (r#"{"type":"prompt"}"#, "/prompt", "a handler of type `prompt` without `prompt`"),
    ] {
        let only = if key == "/onFailure" { "/Harmless" } else { "" };
        let expected = format!("FileDropped{only} /hooks/PreToolUse/0/hooks/0{key} {message}");
        assert_eq!(handler_defects("PreToolUse", handler), [expected], "{handler}");
    }
}

#[test]
fn names_keys_that_are_dropped() {
    for (text, expected) in [
        (r#"{"hooks":[]}"#, "/hooks `hooks` is an array instead of an object"),
        (
            r#"{"hooks":{"preToolUse":"x"}}"#,
            "/hooks/preToolUse `preToolUse` is no event of the client (one older than 2.1.101 \
             drops the whole file)",
        ),
        (r#"{"hooks":{"Stop":{}}}"#, "/hooks/Stop `Stop` is an object instead of an array"),
        (
            r#"{"hooks":{"Stop":[1]},"hooks":{}}"#,
            "/hooks `hooks` is here more than once, and only the last counts",
        ),
        (
            r#"{"hooks":{"Stop":[1],"Stop":[]}}"#,
            "/hooks/Stop `Stop` is here more than once, and only the last counts",
        ),
    ] {
        assert_eq!(defects(text), [format!("KeyDropped {expected}")], "{text}");
    }
}

#[test]
fn names_keys_that_are_stripped() {
    assert_eq!(
        defects(r#"{"hooks":{"Stop":[{"id":1,"hooks":[{"type":"agent","prompt":"","_x":{}}]}]}}"#),
        [
            "Stripped /hooks/Stop/0/id `id` is no key of a group",
            "Stripped /hooks/Stop/0/hooks/0/_x `_x` is no key of a handler of type `agent`",
        ]
    );
}

#[test]
fn names_handlers_that_never_fire() {
    for (event, handler, expected) in [
        (
            "PreToolUse",
            r#"{"type":"command","command":""}"#,
            "NeverFires /hooks/PreToolUse/0/hooks/0/command `command` is empty",
        ),
        (
            "Stop",
            r#"{"type":"command","command":"x","if":"Bash"}"#,
            "NeverFires /hooks/Stop/0/hooks/0/if a handler of Stop with `if`",
        ),
        (
            "PreToolUse",
            r#"{"type":"command","command":"x","if":"Bash(a *), Bash(b *)"}"#,
            "NeverFires /hooks/PreToolUse/0/hooks/0/if the condition `Bash(a *), Bash(b *)` is \
             not one permission rule",
        ),
        (
            "PreToolUse",
            r#"{"type":"command","command":"x","if":"git status"}"#,
            "NeverFires /hooks/PreToolUse/0/hooks/0/if the condition `git status` is not one \
             permission rule",
        ),
        (
            "SessionStart",
            r#"{"type":"http","url":"http://x"}"#,
            "NeverFires /hooks/SessionStart/0/hooks/0 SessionStart takes no `http` handlers",
        ),
        (
            "Setup",
            r#"{"type":"mcp_tool","server":"x","tool":"t"}"#,
            "NeverFires /hooks/Setup/0/hooks/0 Setup takes no `mcp_tool` handlers",
        ),
        (
            "SessionStart",
            r#"{"type":"prompt","prompt":"x"}"#,
            "HandlerDropped /hooks/SessionStart/0/hooks/0 SessionStart takes no `prompt` handlers",
        ),
    ] {
        assert_eq!(handler_defects(event, handler), [expected], "{handler}");
    }
}

#[test]
fn names_matchers_that_match_nothing() {
    for (matcher, expected) in [
        ("(?i)bash", "is no JavaScript expression: "),
        ("Edit(*.py)", "is no JavaScript expression: "),
        ("Bash(git *)", "is a permission rule, not a tool name"),
        ("Bash(npm:test)", "is a permission rule, not a tool name"),
    ] {
        let text =
            format!(r#"{{"hooks":{{"PreToolUse":[{{"matcher":"{matcher}","hooks":[]}}]}}}}"#);
        let found = defects(&text);
        let start = format!("NeverFires /hooks/PreToolUse/0/matcher the matcher `{matcher}` ");
        assert!(found.len() == 1 && found[0].starts_with(&(start + expected)), "{found:?}");
    }
}

#[test]
fn reads_as_a_line_of_a_report() {
    let text = "{\n  \"model\": 5,\n  \"hooks\": {\n    \"stop\": []\n  }\n}";
    let document = Document::parse(text).unwrap();
    let lines: Vec<String> = check(&document, &EVENTS).iter().map(Defect::to_string).collect();
    assert_eq!(
        lines,
        [
            "line 2, column 12: `model` is a number instead of a string; the client ignores the \
             whole file (make it a string, or delete the key)",
            "line 4, column 13: `stop` is no event of the client (one older than 2.1.101 drops \
             the whole file); the client ignores this key (write `Stop`)",
        ]
    );
}

#[test]
fn a_file_above_two_mebibytes_is_dropped() {
    let text = format!("{{}}{}", " ".repeat(MAX_BYTES));
    assert_eq!(defects(&text), ["FileDropped  the file is larger than 2 MiB"]);
}

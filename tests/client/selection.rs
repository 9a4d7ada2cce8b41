//! Matchers and `if` rules side by side with the client: every row of `selection.txt`, and beyond
//! the rows every rule with every call.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use anyhow::{Context, Result};
use serde_json::json;

use crate::{
    sandbox::Sandbox,
    script::{Block, Turn},
    session::{DEFAULT_VERSION, Extent, Session, extent, version},
    table::{Call, Chooser, Row, hookman_runs, rows},
};

/// So many calls go into one prompt.
const BATCH: usize = 40;

/// An MCP server with one tool.
const SERVER: &str = r#"#!/bin/sh
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  [ -n "$id" ] || continue
  case $line in
  *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
  *'"tools/list"'*) result='{"tools":[{"name":"store","description":"d","inputSchema":{"type":"object"}}]}' ;;
  *) result='{}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

#[test]
#[ignore = "needs the client: tests/client/install"]
fn selection() {
    let differences = compare().unwrap();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// Where the client of this version does otherwise than the table says, or than hookman.
fn compare() -> Result<Vec<String>> {
    let table = rows();
    let mut calls: Vec<Call> = Vec::new();
    for row in &table {
        if !calls.contains(&row.call) {
            calls.push(row.call.clone());
        }
    }
    if extent() == Extent::Most {
        calls = calls.into_iter().step_by(4).collect();
    }
    let is_asked = |row: &&Row| {
        calls.contains(&row.call) && (extent() != Extent::Few || row.runs[0] != row.runs[1])
    };
    let rows: Vec<&Row> = table.iter().filter(is_asked).collect();
    let mut choosers: Vec<Chooser> = Vec::new();
    for row in &rows {
        if !choosers.contains(&row.chooser) {
            choosers.push(row.chooser.clone());
        }
    }
    calls.retain(|call| rows.iter().any(|row| row.call == *call));
    let sandbox = Sandbox::new(Path::new(env!("CARGO_BIN_EXE_hookman")), &BTreeMap::new())?;
    let ran = play(&sandbox, &choosers, &calls)?;
    let fires = |chooser: &Chooser, call: &Call| {
        let chooser = choosers.iter().position(|known| known == chooser);
        let call = calls.iter().position(|known| known == call);
        chooser.zip(call).is_some_and(|pair| ran.contains(&pair))
    };
    let mut differences = Vec::new();
    let is_newest = version() == DEFAULT_VERSION;
    for row in &rows {
        let expected = row.runs[usize::from(!is_newest)];
        if fires(&row.chooser, &row.call) != expected {
            let verb = if expected { "does not run" } else { "runs" };
            differences.push(format!("line {}: client {} {verb} it", row.line, version()));
        }
    }
    if !is_newest {
        return Ok(differences);
    }
    let [project, home] = ["@PROJECT@", "@HOME@"].map(|name| sandbox.fill(name));
    for call in
        calls.iter().filter(|call| !table.iter().any(|row| row.differs && row.call == **call))
    {
        for chooser in &choosers {
            let ours = hookman_runs(chooser, call, &project, &home);
            if ours != fires(chooser, call) {
                differences.push(format!("hookman says {ours} to {chooser:?} for {call:?}"));
            }
        }
    }
    Ok(differences)
}

/// Has the client called with every call, none of which is carried out, and gives the pairs of
/// chooser and call for which it ran a hook.
fn play(
    sandbox: &Sandbox,
    choosers: &[Chooser],
    calls: &[Call],
) -> Result<BTreeSet<(usize, usize)>> {
    let groups = choosers.iter().enumerate().map(|(index, chooser)| {
        let log = format!(
            r#"read -r it; it=${{it##*'"toolu_'}}; echo {index} "${{it%%\"*}}" >> @TMP@/log"#
        );
        let mut handler = json!({ "type": "command", "command": sandbox.fill(&log) });
        match chooser {
            Chooser::Matcher(matcher) => json!({ "matcher": matcher, "hooks": [handler] }),
            Chooser::If(rule) => {
                handler["if"] = sandbox.fill(rule).into();
                json!({ "hooks": [handler] })
            }
        }
    });
    // The others have long begun when this one ends the call.
    let refusal = json!({ "type": "command", "command": "sleep 0.1; echo no >&2; exit 2" });
    let groups: Vec<_> = groups.chain([json!({ "hooks": [refusal] })]).collect();
    let settings = json!({ "hooks": { "PreToolUse": groups } });
    sandbox.write("project/.claude/settings.json", &settings.to_string())?;
    sandbox.write("server", SERVER)?;
    let server = sandbox.fill("@HOME@/../server");
    let servers = json!({ "mcpServers": { "mem": { "command": server } } }).to_string();

    let tools: BTreeSet<&String> = calls.iter().map(|call| &call.tool).collect();
    let args = ["--mcp-config", &servers, "--allowedTools"].map(str::to_owned).into_iter();
    let args: Vec<String> = args.chain(tools.into_iter().cloned()).collect();
    let mut session = Session::new()?;
    for batch in calls.chunks(BATCH) {
        let mut turns: Vec<Turn> = Vec::new();
        for call in batch {
            let input = serde_json::from_str(&sandbox.fill(&call.input.to_string()))?;
            turns.push(Turn(vec![Block::Call { tool: call.tool.clone(), input }]));
        }
        turns.push(Turn(vec![Block::Text("done".to_owned())]));
        session.api.queue(turns);
        session.say("go on", &args, sandbox)?;
        session.hear()?;
    }
    session.end()?;
    let log = fs::read_to_string(sandbox.fill("@TMP@/log")).context("no hook ran at all")?;
    log.lines()
        .map(|line| {
            let (chooser, call) = line.split_once(' ').context("a line of the log is damaged")?;
            let call: usize = call.parse()?;
            Ok((chooser.parse()?, call - 1))
        })
        .collect()
}

//! What the model says, as text: a paragraph is a turn, a line `call Tool {…}` is a tool call,
//! a line `used 190000` says that so many tokens were in the context, and `fail 400` refuses.

use anyhow::{Context, Result};
use serde_json::Value;

/// One answer of the model.
pub(crate) struct Turn(pub(crate) Vec<Block>);

/// One part of an answer.
pub(crate) enum Block {
    /// What the client is told of the tokens in its context, as an API that has seen much says.
    Used(u64),
    /// The API refuses with this status.
    Fail(u16),
    /// Words.
    Text(String),
    /// A tool call.
    Call {
        /// The tool's name.
        tool: String,
        /// Its input.
        input: Value,
    },
}

/// Reads a script.
pub(crate) fn parse(script: &str) -> Result<Vec<Turn>> {
    script
        .split("\n\n")
        .map(str::trim)
        .filter(|paragraph| !paragraph.is_empty())
        .map(|paragraph| paragraph.lines().map(block).collect::<Result<_>>().map(Turn))
        .collect()
}

fn block(line: &str) -> Result<Block> {
    if let Some(tokens) = line.strip_prefix("used ") {
        let tokens = tokens.parse().with_context(|| format!("no number in `{line}`"))?;
        return Ok(Block::Used(tokens));
    }
    if let Some(status) = line.strip_prefix("fail ") {
        let status = status.parse().with_context(|| format!("no number in `{line}`"))?;
        return Ok(Block::Fail(status));
    }
    let Some(call) = line.strip_prefix("call ") else {
        return Ok(Block::Text(line.to_owned()));
    };
    let (tool, input) = call.split_once(' ').with_context(|| format!("no input in `{line}`"))?;
    let input = serde_json::from_str(input).with_context(|| format!("no JSON in `{line}`"))?;
    Ok(Block::Call { tool: tool.to_owned(), input })
}

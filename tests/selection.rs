//! What hookman makes of the table of rules and matchers that the client was asked about.

#![cfg(test)]

#[path = "client/table.rs"]
pub(crate) mod table;

use table::{hookman_runs, rows};

#[test]
fn hooks_are_chosen_as_the_client_chooses() {
    let rows = rows();
    assert!(rows.len() >= 80, "{} rows", rows.len());
    let wrong: Vec<String> = rows
        .iter()
        .filter(|row| {
            hookman_runs(&row.chooser, &row.call, "/w/project", "/w/home")
                != (row.runs[0] != row.differs)
        })
        .map(|row| format!("line {}: {:?} for {:?}", row.line, row.chooser, row.call))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

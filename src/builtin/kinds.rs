//! The kinds there are, in the order of their names.

use super::command_guard;
use super::compaction_guard;
use super::content_guard;
use super::decision_log;
use super::directives;
use super::facts;
use super::kind::Kind;
use super::notify;
use super::prefer_tool;
use super::protect;
use super::rules;
use super::run_after_edit;
use super::scope;
use super::session_cleanup;
use super::todo_gate;

pub(super) static KINDS: &[&Kind] = &[
    &command_guard::KIND,
    &compaction_guard::KIND,
    &content_guard::KIND,
    &decision_log::KIND,
    &directives::KIND,
    &facts::KIND,
    &notify::KIND,
    &prefer_tool::KIND,
    &protect::KIND,
    &rules::KIND,
    &run_after_edit::KIND,
    &scope::KIND,
    &session_cleanup::KIND,
    &todo_gate::KIND,
];

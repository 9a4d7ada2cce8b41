//! Taking handlers out of a text in which everything else stays as it is written.

use crate::settings::{Registration, plan::Plan, record::Record};

/// The plan over the current text without the handlers that `bare` does not have any more, so that
/// hookman's other entries stay as they are written. `bare` is the wanted text without any of those.
///
/// `None` where that does not give the wanted text, as when a handler comes back.
pub(super) fn plan(
    current: &str,
    record: &Record,
    bare: &str,
    wanted: &[Registration],
) -> Option<Plan> {
    let gone = gone(current, bare)?;
    let pointers: Vec<&str> = gone.iter().map(String::as_str).collect();
    let left = super::strip::strip(current, &pointers).ok()?;
    let plan = crate::settings::plan(Some(&left), wanted, record).ok()?;
    let reached = super::texts::bare(plan.after.as_deref()?, &plan.record).ok()?;
    (reached == bare).then_some(plan)
}

/// JSON Pointers of the handlers of others in a text that another has not, which has no others.
fn gone(text: &str, other: &str) -> Option<Vec<String>> {
    let mut left =
        super::texts::lines(other, false).ok()?.into_iter().map(|(_, line)| line).peekable();
    let mut gone = Vec::new();
    for (pointer, line) in super::texts::lines(text, false).ok()? {
        if left.next_if_eq(&line).is_none() {
            gone.push(pointer);
        }
    }
    left.next().is_none().then_some(gone)
}

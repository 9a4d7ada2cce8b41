//! The answer of a hook, free of the event's layout.

use serde_json::{Map, Value};

use crate::syntax::named::named;

named! {
/// A hook's say, the weakest first: by the client's hooks reference "deny > defer > ask > allow".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    /// Skips the permission prompt; on events without permissions, the legacy `approve`.
    Allow = "allow",
    Ask = "ask",
    /// Leaves the call to the caller of a headless run.
    Defer = "defer",
    /// Stops it; `block` in the words of most events.
    Deny = "deny",
}
}

/// One answer: an empty one is a hook that has nothing to say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    pub decision: Option<Decision>,
    /// The reason, for the model (deny) or for the user (ask).
    pub reason: Option<String>,
    /// Of a built-in hook, what decided, in words without anything of the call.
    pub rule: Option<String>,
    /// True of a denial that the same call passes when it is made again, which its reason promises.
    pub once: bool,
    /// Of a built-in hook that says nothing, the word for its reason.
    pub quiet: Option<&'static str>,
    /// Texts for the model, in order.
    pub context: Vec<String>,
    pub system_message: Option<String>,
    /// True if the warning is that something failed.
    pub failed: bool,
    /// `continue: false`: the client stops after this hook.
    pub stop: bool,
    pub stop_reason: Option<String>,
    pub terminal_sequence: Option<String>,
    /// `suppressOutput`, which clients accept and most pass over.
    pub suppress_output: bool,
    /// Every other key of `hookSpecificOutput`, as it came.
    pub specific: Map<String, Value>,
}

impl Answer {
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { decision: Some(Decision::Deny), reason: Some(reason.into()), ..Self::default() }
    }

    pub fn ask(reason: impl Into<String>) -> Self {
        Self { decision: Some(Decision::Ask), reason: Some(reason.into()), ..Self::default() }
    }

    /// An answer that only tells the model something.
    pub fn context(text: impl Into<String>) -> Self {
        Self { context: vec![text.into()], ..Self::default() }
    }

    /// The sentence by which a denial promises that the same call passes when it is made again.
    pub fn promise(rules: &str) -> String {
        format!("On purpose? Run it again: {rules} then passes.")
    }

    /// Takes the promise out of the reason, as where another hook denies the call for good.
    pub fn break_promise(&mut self) {
        let rules = self.rule.as_deref().and_then(|rule| rule.strip_prefix("rule "));
        if let (true, Some(reason), Some(rules)) = (self.once, &mut self.reason, rules)
            && let Some((head, tail)) = reason.split_once(&Self::promise(rules))
        {
            *reason = format!("{head}{}", tail.trim_start());
        }
    }

    pub fn is_silent(&self) -> bool {
        // An empty answer to compare it with would have to be made and dropped for each hook.
        let Self {
            decision,
            reason,
            rule,
            once,
            quiet: _,
            context,
            system_message,
            failed,
            stop,
            stop_reason,
            terminal_sequence,
            suppress_output,
            specific,
        } = self;
        let texts = [reason, rule, system_message, stop_reason, terminal_sequence];
        decision.is_none()
            && texts.iter().all(|it| it.is_none())
            && ![once, failed, stop, suppress_output].into_iter().any(|it| *it)
            && context.is_empty()
            && specific.is_empty()
    }
}

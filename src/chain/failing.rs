//! The meaning of a failure of a hook, or of hookman itself.

use crate::client::{Answer, Block, Decision, Event, ExitTwo};
use crate::manifest::OnError;

/// The answer in the place of one that did not come, with `message` for whoever reads why.
pub fn answer(event: Event, on_error: OnError, message: String) -> Answer {
    // Hooks do here what the client would do itself: what failed is not done, whatever a policy says.
    if event.facts().exit_two == ExitTwo::Fails {
        return Answer::deny(message);
    }
    match (on_error, event.facts().block) {
        (OnError::Open, _) | (_, Block::Never) => {
            Answer { system_message: Some(message), failed: true, ..Answer::default() }
        }
        (OnError::Ask, Block::Permission) => Answer::ask(message),
        // The user is asked already, and no other hook's `allow` may take that away.
        (OnError::Ask, Block::Request) => Answer {
            decision: Some(Decision::Ask),
            system_message: Some(message),
            failed: true,
            ..Answer::default()
        },
        // Only permissions can be asked for; a hook that must not be ignored blocks elsewhere.
        (OnError::Ask | OnError::Closed, _) => Answer::deny(message),
    }
}

//! The text that the hooks of a session may add to the model's context, and the treatment of the rest.

/// The bytes that count as one token. Tokenizers differ; for English and code this is near enough.
const BYTES: usize = 4;

/// The length in bytes above which a text is told once in a session.
const LONG: usize = 400;

/// The limit that the manifest sets for the hooks, and the rank of one hook among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Tokens for one call of the client; `None` for no limit.
    pub call: Option<u64>,
    /// Tokens for a session, or until its context is compacted; `None` for no limit.
    pub session: Option<u64>,
    /// The lower it is, the sooner the hook gets room.
    pub priority: i64,
}

impl Budget {
    /// Reads what [`Budget::write`] wrote; `None` for anything else.
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.split('/');
        let mut limit = || match parts.next()? {
            "" => Some(None),
            number => number.parse().ok().map(Some),
        };
        let (call, session) = (limit()?, limit()?);
        Some(Self { call, session, priority: parts.next()?.parse().ok()? })
    }

    /// The form that plans have: the three numbers between slashes.
    pub fn write(self) -> String {
        let limit = |limit: Option<u64>| limit.map(|it| it.to_string()).unwrap_or_default();
        format!("{}/{}/{}", limit(self.call), limit(self.session), self.priority)
    }
}

pub fn tokens(text: &str) -> u64 {
    text.len().div_ceil(BYTES) as u64
}

/// One text that a hook has for the model.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    pub priority: i64,
    pub text: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Said,
    /// Another hook says the same in this call.
    Doubled,
    /// The session was told all of it before, so one line will do.
    Repeated,
    Spilled,
}

/// Returns whether a text is long enough to be told once in a session.
pub fn is_long(text: &str) -> bool {
    text.len() > LONG
}

/// Decides on each text where there is room for so many tokens, lower priorities first.
pub fn fates(told: &[Told<'_>], room: u64, is_known: &dyn Fn(&str) -> bool) -> Vec<Fate> {
    let mut fates = vec![Fate::Said; told.len()];
    let mut order: Vec<usize> = (0..told.len()).collect();
    order.sort_by_key(|&place| told[place].priority);
    let mut left = room;
    for (done, &place) in order.iter().enumerate() {
        let text = told[place].text;
        fates[place] = if order[..done].iter().any(|&other| told[other].text == text) {
            Fate::Doubled
        } else if is_long(text) && is_known(text) {
            Fate::Repeated
        } else if let Some(rest) = left.checked_sub(tokens(text)) {
            left = rest;
            Fate::Said
        } else {
            Fate::Spilled
        };
    }
    fates
}

#[cfg(test)]
mod tests {
    use super::*;

    type Row<'a> = (&'a [(i64, &'a str)], u64, &'a [Fate]);

    #[test]
    fn a_budget_is_read_as_it_is_written() {
        for (text, call, session, priority) in [
            ("2000/40000/-5", Some(2000), Some(40_000), -5),
            ("/40000/0", None, Some(40_000), 0),
            ("0//7", Some(0), None, 7),
        ] {
            let budget = Budget { call, session, priority };
            assert_eq!((Budget::read(text), budget.write().as_str()), (Some(budget), text));
        }
        for text in ["", "1", "1/2", "1/x/3", "1/2/"] {
            assert_eq!(Budget::read(text), None, "{text}");
        }
    }

    #[test]
    fn the_first_by_priority_get_the_room_and_nothing_is_said_twice() {
        use Fate::{Doubled, Repeated, Said, Spilled};
        let long = "x".repeat(LONG + 1);
        let rows: [Row<'_>; 6] = [
            (&[(0, "12345678"), (0, "1234")], 3, &[Said, Said]),
            (&[(0, "12345678"), (0, "1234")], 2, &[Said, Spilled]),
            (&[(1, "12345678"), (0, "1234")], 2, &[Spilled, Said]),
            // What is too long for the room does not keep a shorter one out.
            (&[(0, "12345678"), (0, "1234")], 1, &[Spilled, Said]),
            (&[(0, "a"), (0, "b"), (-1, "a")], 9, &[Doubled, Said, Said]),
            (&[(0, &long), (0, "known")], 9_999, &[Repeated, Said]),
        ];
        for (told, room, expected) in rows {
            let told: Vec<Told<'_>> =
                told.iter().map(|&(priority, text)| Told { priority, text }).collect();
            assert_eq!(fates(&told, room, &|_| true), expected, "{told:?}");
        }
    }
}

//! Handlers as lines, of which equal ones count.

use std::collections::HashMap;

/// Lines in no order, each with how often it is there.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Multiset(HashMap<String, usize>);

impl Multiset {
    /// Takes a line out once; whether it was there.
    pub(super) fn take(&mut self, line: &str) -> bool {
        self.take_times(line, 1)
    }

    /// Takes all the lines of another out; whether all of them were there.
    pub(super) fn take_all(&mut self, other: &Self) -> bool {
        other.0.iter().all(|(line, times)| self.take_times(line, *times))
    }

    fn take_times(&mut self, line: &str, times: usize) -> bool {
        let Some(count) = self.0.get_mut(line).filter(|count| **count >= times) else {
            return false;
        };
        *count -= times;
        if *count == 0 {
            self.0.remove(line);
        }
        true
    }

    pub(super) fn contains(&self, line: &str) -> bool {
        self.0.contains_key(line)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Extend<String> for Multiset {
    fn extend<T: IntoIterator<Item = String>>(&mut self, lines: T) {
        for line in lines {
            *self.0.entry(line).or_default() += 1;
        }
    }
}

impl FromIterator<String> for Multiset {
    fn from_iter<T: IntoIterator<Item = String>>(lines: T) -> Self {
        let mut set = Self::default();
        set.extend(lines);
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(lines: &[&str]) -> Multiset {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn equal_lines_count() {
        let mut left = set(&["a", "b", "a"]);
        assert!(left == set(&["a", "a", "b"]) && left != set(&["a", "b"]));
        assert!(left.take("a") && left.contains("a"));
        assert!(!left.take_all(&set(&["a", "a"])), "one is left");
        assert!(left.take_all(&set(&["b", "a"])) && left.is_empty());
        assert!(!left.take("a"));
    }
}

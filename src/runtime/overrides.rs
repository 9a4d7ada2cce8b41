//! Variables of the client's environment, out of agents' reach, by which a person leaves hooks out.

use crate::machine::environment;
use crate::session::names;
use crate::state::Chain;

#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `HOOKMAN=0`: no hook runs.
    pub off: bool,
    /// `HOOKMAN_SKIP`: these hooks do not run, by name or pattern.
    pub skip: Vec<String>,
    /// `HOOKMAN_DEBUG=1`: each run says why each hook did or did not run.
    pub debug: bool,
    /// The effects that the run may have; no variable sets this.
    pub effects: Effects,
    /// True if hooks with an entry of their own run with their chain, as in a rehearsal.
    pub with_apart: bool,
}

pub const OFF: &str = "HOOKMAN";
pub const SKIP: &str = "HOOKMAN_SKIP";
pub const DEBUG: &str = "HOOKMAN_DEBUG";

impl Overrides {
    /// Reads the environment for a chain; an administrator's heeds nothing that keeps hooks from running.
    pub fn of_process(chain: &Chain) -> Self {
        let mut all = Self::of_environment();
        if chain.is_managed() {
            (all.off, all.skip) = (false, Vec::new());
        }
        all
    }

    pub fn of_environment() -> Self {
        let is = |name, value: &str| environment::text(name).is_some_and(|text| text == value);
        let skip = environment::text(SKIP).unwrap_or_default();
        Self { off: is(OFF, "0"), debug: is(DEBUG, "1"), ..Self::skipping(&skip) }
    }

    /// The value of `HOOKMAN_SKIP` alone.
    pub fn skipping(names: &str) -> Self {
        let skip = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        Self { skip: skip.map(str::to_owned).collect(), ..Self::default() }
    }

    /// Returns whether a hook is left out, by its whole name, as a part might hit another gate.
    pub fn skips(&self, hook: &str) -> bool {
        self.skip.iter().any(|name| is_meant(name, hook))
    }

    /// The names to leave out that none of `hooks` has.
    pub fn unknown<'a>(&'a self, hooks: &'a [&str]) -> impl Iterator<Item = &'a str> {
        let is_known = |name: &str| hooks.iter().any(|hook| is_meant(name, hook));
        self.skip.iter().map(String::as_str).filter(move |name| !is_known(name))
    }

    /// Lists the variables that are set with their effect; `hooks` are those that are configured.
    pub fn lines(&self, hooks: &[&str]) -> Vec<String> {
        let mut lines = Vec::new();
        if self.off {
            lines.push(format!("{OFF}=0: no hook runs"));
        }
        for name in &self.skip {
            let hits: Vec<&str> = hooks.iter().copied().filter(|it| is_meant(name, it)).collect();
            lines.push(match hits.as_slice() {
                [] => format!("{SKIP}={name}: no hook has this name, so nothing is left out"),
                hits => format!("{SKIP}={name}: left out: {}", hits.join(", ")),
            });
        }
        if self.debug {
            lines.push(format!("{DEBUG}=1: each run says why each hook did or did not run"));
        }
        lines
    }
}

fn is_meant(name: &str, hook: &str) -> bool {
    name == hook || names::matching(name, &[hook]).is_some_and(|hits| !hits.is_empty())
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effects {
    /// All: commands run, files are written, notices are given.
    #[default]
    Real,
    /// None: built-in hooks decide on what they read, and whatever starts a program is left out.
    Held,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_is_left_out_by_its_name_or_a_pattern_and_not_by_a_part() {
        let skip = ["format", "notify-*"].map(str::to_owned).to_vec();
        let overrides = Overrides { skip, ..Overrides::default() };
        for (hook, expected) in [
            ("format", true),
            ("format-rust", false),
            ("notify-stop", true),
            ("notify", false),
            ("form", false),
        ] {
            assert_eq!(overrides.skips(hook), expected, "{hook}");
        }
        let lines = overrides.lines(&["notify-a", "notify-b", "x"]);
        let expected = [
            "HOOKMAN_SKIP=format: no hook has this name, so nothing is left out",
            "HOOKMAN_SKIP=notify-*: left out: notify-a, notify-b",
        ];
        assert_eq!(lines, expected);
    }
}

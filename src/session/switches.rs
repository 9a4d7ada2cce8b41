//! The switches of one session.

use serde::{Deserialize, Serialize};

pub use super::off::{Moment, Off, SCOPES, TURN_WITHOUT_PROMPT, label};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Switches {
    pub session_id: String,
    pub working_directory: String,
    /// The directory the session was started in, where the client said.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub project: String,
    pub transcript_path: String,
    pub disabled: Vec<Off>,
    /// When the file was last written.
    pub timestamp: String,
}

impl Switches {
    /// Reads a switches file; a text that hookman did not write is an error, and switches nothing.
    pub fn parse(text: &str) -> serde_json::Result<Self> {
        // A list would pass for the fields in their order.
        if text.trim_start().starts_with('[') {
            return Err(serde::de::Error::custom("it is a list"));
        }
        serde_json::from_str(text)
    }

    pub fn to_text(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// The entry that has a hook off at `moment`: one for the session before one for the agent.
    pub fn off(&self, scope: &str, hook: &str, moment: Moment<'_>) -> Option<&Off> {
        let mut of_hook = self
            .disabled
            .iter()
            .filter(|off| off.hook == hook && off.covers(Some(scope)) && off.holds(moment));
        of_hook
            .clone()
            .find(|off| off.agent.is_none())
            .or_else(|| of_hook.find(|off| off.is_for(moment.agent)))
    }

    /// The entries that have the `hook` of a `scope` off for some agents only.
    pub fn off_for_agents(
        &self,
        scope: &str,
        hook: &str,
        moment: Moment<'_>,
    ) -> impl Iterator<Item = &Off> {
        self.current(moment)
            .filter(move |off| off.hook == hook && off.covers(Some(scope)) && off.agent.is_some())
    }

    /// The entries that hold at `moment`, for whomever.
    pub fn current(&self, moment: Moment<'_>) -> impl Iterator<Item = &Off> {
        self.disabled.iter().filter(move |off| off.holds(moment))
    }

    /// Switches a hook off; `false` if it is off as long already, and by a person if one asks.
    pub fn disable(&mut self, off: Off, moment: Moment<'_>) -> bool {
        let scope = off.scope.as_deref();
        let same = |known: &Off| known.same_place(&off) && known.covers(scope);
        let as_good = |known: &Off| {
            known.same_length(&off)
                && (known.person || !off.person)
                && (known.profile.is_none() || known.profile == off.profile)
        };
        if self.current(moment).any(|known| same(known) && as_good(known)) {
            return false;
        }
        // What was switched by hand, or by another profile, is still wanted when this profile ends.
        let gives_way = |other: &Off| off.profile.is_none() || other.profile == off.profile;
        self.drop_where(scope, |other| other.same_place(&off) && gives_way(other));
        self.disabled.push(off);
        true
    }

    /// Switches on what the profile `name` or any switched off; gives what that was at `moment`.
    pub fn end_profiles(&mut self, name: Option<&str>, moment: Moment<'_>) -> Vec<Off> {
        let is_meant = |off: &Off| {
            let wanted = |profile: &str| name.is_none_or(|it| it.eq_ignore_ascii_case(profile));
            off.profile.as_deref().is_some_and(wanted)
        };
        let ended = self.current(moment).filter(|off| is_meant(off)).cloned().collect();
        self.disabled.retain(|off| !is_meant(off));
        ended
    }

    /// Switches a hook of a scope, or both, on for everyone or for `agent`; `false` if it was not off.
    pub fn enable(
        &mut self,
        scope: Option<&str>,
        hook: &str,
        agent: Option<&str>,
        moment: Moment<'_>,
    ) -> bool {
        let meant = |off: &Off| off.hook == hook && agent.is_none_or(|agent| off.is_for(agent));
        let was_off =
            self.current(moment).any(|off| meant(off) && (scope.is_none() || off.covers(scope)));
        self.drop_where(scope, meant);
        was_off
    }

    fn drop_where(&mut self, scope: Option<&str>, meant: impl Fn(&Off) -> bool) {
        let drop = |off: Off| if meant(&off) { off.without(scope) } else { Some(off) };
        self.disabled = std::mem::take(&mut self.disabled).into_iter().filter_map(drop).collect();
    }

    pub fn awaits_turn(&self, prompt: &str) -> bool {
        self.disabled.iter().any(|off| off.waits_for(prompt))
    }

    /// Ties the switches that wait for a turn to `prompt`, the id of the prompt that is worked on.
    pub fn begin_turn(&mut self, prompt: &str) {
        for off in self.disabled.iter_mut().filter(|off| off.waits_for(prompt)) {
            off.turn = Some(prompt.to_owned());
            off.until = None;
        }
    }

    /// Lets a prompt without an id begin a turn: it is that of a switch that was typed, and ends the one of
    /// any other. Only the user's chain hears what is typed. Returns whether there is such a switch.
    pub fn begin_unnamed_turn(&mut self, is_of_user: bool) -> bool {
        let waits =
            |off: &Off| off.turn.as_deref() == Some("") && (is_of_user || off.typed_as.is_none());
        let is_any = self.disabled.iter().any(waits);
        self.disabled.retain_mut(|off| !waits(off) || off.typed_as.take().is_some());
        is_any
    }

    /// Drops the switches for this turn that cannot be kept from holding for every other.
    pub fn drop_untied(&mut self, prompt: &str) {
        self.disabled.retain(|off| !off.waits_for(prompt));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(now: i64) -> Moment<'static> {
        Moment { now, ..Moment::default() }
    }

    fn off(hook: &str) -> Off {
        Off { hook: hook.to_owned(), ..Off::default() }
    }

    #[test]
    fn a_switch_holds_for_whom_and_as_long_as_it_says() {
        let until = Off { until: Some(10), ..off("a") };
        let turn = Off { turn: Some("p1".to_owned()), ..off("a") };
        let agent = Off { agent: Some("Explore".to_owned()), ..off("a") };
        let prompt = |prompt| Moment { now: 5, prompt, ..Moment::default() };
        let by = |agent| Moment { now: 5, prompt: "p1", agent, ..Moment::default() };
        for (entry, moment, expected) in [
            (off("a"), at(5), true),
            (off("b"), at(5), false),
            (until.clone(), at(9), true),
            (until, at(10), false),
            (turn.clone(), prompt("p1"), true),
            (turn.clone(), prompt("p2"), false),
            (turn, prompt(""), false),
            (agent.clone(), by("explore"), true),
            (agent.clone(), by("Plan"), false),
            (agent, by(""), false),
        ] {
            let switches = Switches { disabled: vec![entry.clone()], ..Switches::default() };
            assert_eq!(
                switches.off("user", "a", moment).is_some(),
                expected,
                "{entry:?} {moment:?}"
            );
        }
    }

    #[test]
    fn switching_twice_changes_nothing_and_another_length_replaces() {
        let mut switches = Switches::default();
        assert!(switches.disable(off("a"), at(0)));
        assert!(!switches.disable(off("a"), at(0)));
        assert!(switches.disable(Off { until: Some(9), ..off("a") }, at(0)));
        assert!(switches.disable(Off { agent: Some("Plan".to_owned()), ..off("a") }, at(0)));
        assert!(!switches.disable(Off { agent: Some("plan".to_owned()), ..off("a") }, at(0)));
        assert_eq!(switches.disabled.len(), 2);
        assert!(!switches.enable(None, "a", Some("Explore"), at(0)));
        assert!(switches.enable(None, "a", Some("Plan"), at(0)));
        assert!(!switches.enable(None, "a", None, at(9)), "it had ended");
        assert!(switches.disabled.is_empty());
    }

    #[test]
    fn a_list_is_no_file_of_switches() {
        for list in ["[]", r#"["one","2026","","",[{"hook":"a"}],""]"#] {
            assert!(Switches::parse(list).is_err(), "{list}");
        }
    }

    #[test]
    fn a_fenced_hook_heeds_only_what_a_person_switched() {
        let by = |person| Off { person, ..off("a") };
        let is_off = |switches: &Switches, user_only| {
            switches.off("user", "a", Moment { user_only, ..at(5) }).is_some()
        };
        let mut switches = Switches::default();
        assert!(switches.disable(by(false), at(0)));
        assert_eq!([false, true].map(|only| is_off(&switches, only)), [true, false]);
        let agents = Off { agent: Some("Plan".to_owned()), ..by(false) };
        assert!(switches.disable(agents, at(0)));
        let fenced = Moment { user_only: true, ..at(5) };
        assert_eq!(switches.off_for_agents("user", "a", fenced).count(), 0);
        assert!(switches.disable(by(true), at(0)), "the agent's is not as good");
        assert!(!switches.disable(by(false), at(0)), "the person's is");
        assert_eq!([false, true].map(|only| is_off(&switches, only)), [true, true]);
        let read = Switches::parse(&switches.to_text().unwrap()).unwrap();
        assert_eq!(read, switches);
        let unsaid = Switches::parse(r#"{"disabled":[{"hook":"a"}]}"#).unwrap();
        assert_eq!([false, true].map(|only| is_off(&unsaid, only)), [true, false]);
    }

    #[test]
    fn one_name_in_two_chains_is_switched_in_one_or_both() {
        let of = |scope: &str| Off { scope: Some(scope.to_owned()), ..off("a") };
        let is_off = |switches: &Switches| SCOPES.map(|it| switches.off(it, "a", at(0)).is_some());
        let mut switches = Switches::default();
        assert!(switches.disable(of("user"), at(0)));
        assert_eq!(is_off(&switches), [true, false]);
        assert!(!switches.enable(Some("project"), "a", None, at(0)));
        assert!(switches.disable(off("a"), at(0)));
        assert_eq!((is_off(&switches), switches.disabled.len()), ([true, true], 1));
        assert!(!switches.disable(of("project"), at(0)), "both are off already");
        assert!(switches.enable(Some("user"), "a", None, at(0)));
        assert_eq!(is_off(&switches), [false, true]);
        assert!(switches.disable(Off { until: Some(9), ..off("a") }, at(0)));
        assert!(switches.disable(of("user"), at(0)));
        assert_eq!(is_off(&switches), [true, true]);
        assert!(switches.off("project", "a", at(9)).is_none(), "its own time has come");
        assert!(switches.enable(None, "a", None, at(0)));
        assert!(switches.disabled.is_empty());
    }

    #[test]
    fn a_profile_lies_over_what_was_switched_by_hand() {
        let profile = |name: &str| Off { profile: Some(name.to_owned()), ..off("a") };
        let hour = |name: &str| Off { until: Some(9), ..profile(name) };
        let is_off = |switches: &Switches| switches.off("user", "a", at(5)).is_some();
        let mut switches = Switches::default();
        assert!(switches.disable(off("a"), at(0)));
        assert!(switches.disable(hour("quiet"), at(0)));
        assert!(!switches.disable(profile("quiet"), at(0)), "it is off for as long by hand");
        assert_eq!(switches.end_profiles(None, at(5)).len(), 1);
        assert!(is_off(&switches), "it was off before the profile");
        assert!(switches.enable(None, "a", None, at(5)));

        assert!(switches.disable(profile("quiet"), at(0)));
        assert!(switches.disable(profile("loud"), at(0)));
        assert_eq!(switches.end_profiles(Some("QUIET"), at(5)).len(), 1);
        assert!(is_off(&switches), "another profile has it off too");
        assert!(switches.disable(off("a"), at(5)), "by hand it outlasts the profile");
        assert!(switches.end_profiles(None, at(5)).is_empty());
        assert!(is_off(&switches));
        assert!(switches.enable(None, "a", None, at(5)));
        assert!(switches.disable(hour("quiet"), at(0)));
        assert!(switches.end_profiles(None, at(9)).is_empty(), "it had ended by itself");
        assert!(switches.disabled.is_empty());
    }

    #[test]
    fn a_turn_is_the_first_that_meets_the_switch() {
        let in_turn = |now, prompt| Moment { now, prompt, ..Moment::default() };
        let is_off = |switches: &Switches, now, prompt| {
            switches.off("user", "a", in_turn(now, prompt)).is_some()
        };
        let turn = || Off { turn: Some(String::new()), until: Some(9), ..off("a") };
        let mut switches = Switches::default();
        assert!(switches.disable(Off { typed_as: Some("p0".to_owned()), ..turn() }, at(0)));
        assert!(!switches.disable(turn(), in_turn(0, "p0")), "it waits already");
        assert_eq!(["", "p0", "p1"].map(|it| switches.awaits_turn(it)), [false, false, true]);
        for no_turn in ["", "p0"] {
            switches.begin_turn(no_turn);
            assert!(is_off(&switches, 8, no_turn) && is_off(&switches, 8, "p1"), "{no_turn:?}");
        }
        assert!(!is_off(&switches, 9, "p1"), "no turn came in time");
        switches.begin_turn("p1");
        assert!(!switches.awaits_turn("p2"));
        let holds = ["p1", "p2", ""].map(|prompt| is_off(&switches, 9, prompt));
        assert_eq!(holds, [true, false, false]);
        assert!(switches.disable(turn(), in_turn(9, "p1")), "off for the next turn too");
        switches.begin_turn("p2");
        assert_eq!(["p1", "p2"].map(|prompt| is_off(&switches, 9, prompt)), [false, true]);
        assert!(switches.disable(turn(), in_turn(9, "p2")));
        switches.drop_untied("p3");
        assert!(!is_off(&switches, 8, "p3"), "what cannot be tied does not hold");
    }
}

//! Commands in any order: no handler is lost without a word, and none for good.

use std::collections::BTreeSet;

use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

use super::Home;

const EVENTS: [&str; 4] = ["PreToolUse", "PostToolUse", "Stop", "SessionEnd"];

/// A command, as somebody might type it.
#[derive(Debug, Clone)]
enum Step {
    Install,
    /// Registers an event more or less, so that entries tell of another moment.
    Toggle,
    Apply,
    /// Those that a bit is set for.
    Adopt(u8),
    Release(u8),
    Restore(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        1 => Just(Step::Install),
        1 => Just(Step::Toggle),
        2 => Just(Step::Apply),
        4 => any::<u8>().prop_map(Step::Adopt),
        4 => any::<u8>().prop_map(Step::Release),
        5 => (0..8_usize).prop_map(Step::Restore),
    ]
}

/// The events of handlers, and whether each stands in the group of the one before it.
fn settings(handlers: &[(&str, bool)]) -> String {
    let mut events = json!({});
    for (index, (event, joined)) in handlers.iter().enumerate() {
        let groups = &mut events[event];
        if groups.is_null() {
            *groups = json!([]);
        }
        let groups = groups.as_array_mut().unwrap();
        let handler = json!({"type": "command", "command": format!("/bin/h{index}")});
        match groups.last_mut().filter(|_| *joined) {
            Some(group) => group["hooks"].as_array_mut().unwrap().push(handler),
            None => groups.push(json!({"matcher": format!("T{index}"), "hooks": [handler]})),
        }
    }
    format!("{:#}\n", json!({"model": "opus", "hooks": events}))
}

struct Scene {
    home: Home,
    count: usize,
    toggled: bool,
    /// The handlers of which a restore said that the copy does not have them.
    gone: BTreeSet<usize>,
}

impl Scene {
    fn names(&self, bits: u8) -> Vec<String> {
        let chosen = (0..self.count).filter(|index| bits >> index & 1 == 1);
        chosen.map(|index| format!("h{index}")).collect()
    }

    /// How often each handler stands in the settings and in the manifest.
    fn places(&self) -> Vec<(usize, usize)> {
        let [settings, manifest] =
            ["settings.json", "hookman.toml"].map(|name| self.home.read(name).unwrap_or_default());
        let count = |text: &str, index: usize| text.matches(&format!("\"/bin/h{index}\"")).count();
        (0..self.count).map(|index| (count(&settings, index), count(&manifest, index))).collect()
    }

    fn run(&mut self, step: &Step) -> String {
        match step {
            Step::Install => self.home.hookman("install --yes"),
            Step::Apply => self.home.hookman("apply --yes"),
            Step::Toggle => {
                let hook = "\n[[hook]]\nname = \"own\"\nevent = \"PreCompact\"\ncommand = \"x\"\n";
                let text = self.home.read("hookman.toml").unwrap_or_default();
                let other =
                    if self.toggled { text.replace(hook, "") } else { format!("{text}{hook}") };
                self.toggled = !self.toggled;
                self.home.write("hookman.toml", Some(&other));
                self.home.hookman("apply --yes")
            }
            Step::Adopt(bits) => self.each("adopt", *bits),
            Step::Release(bits) => self.each("release", *bits),
            Step::Restore(number) => self.home.hookman(&format!("restore {} --yes", number + 1)),
        }
    }

    /// Moves those that can be moved.
    fn each(&self, verb: &str, bits: u8) -> String {
        let listing = self.home.hookman(&format!("{verb} --json"));
        let listing: Value = serde_json::from_str(&listing).unwrap_or_default();
        let list = if verb == "adopt" { "handlers" } else { "adopted" };
        let known: BTreeSet<&str> = listing[list]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|it| it["name"].as_str())
            .collect();
        let names = self.names(bits);
        let names: Vec<&str> =
            names.iter().map(String::as_str).filter(|name| known.contains(name)).collect();
        if names.is_empty() {
            return String::new();
        }
        self.home.hookman(&format!("{verb} --yes {}", names.join(" ")))
    }

    /// The handlers that stand in neither file and are not told of.
    fn check(&self, said: &str) -> Result<(), TestCaseError> {
        let report = || {
            let report: Value =
                serde_json::from_str(&self.home.hookman("verify --json")).unwrap_or_default();
            let standing: Value =
                serde_json::from_str(&self.home.hookman("adopt --json")).unwrap_or_default();
            (report["lost"].clone(), standing["standing"].clone())
        };
        let places = self.places();
        if places.iter().all(|(settings, manifest)| settings + manifest == 1) {
            return Ok(());
        }
        let (lost, standing) = report();
        for (index, place) in places.iter().enumerate() {
            let name = json!(format!("h{index}"));
            let listed = |list: &Value| list.as_array().is_some_and(|it| it.contains(&name));
            match place {
                (0, 1) | (1, 0) => {}
                (0, 0) if self.gone.contains(&index) => {}
                (0, 0) => prop_assert!(listed(&lost), "{name} is lost without a word\n{said}"),
                (1, 1) => prop_assert!(listed(&standing), "{name} runs twice\n{said}"),
                _ => prop_assert!(false, "{name} stands there {place:?}\n{said}"),
            }
        }
        Ok(())
    }
}

/// The warnings of a command.
fn warnings(said: &str) -> String {
    said.lines().filter(|line| line.starts_with("warning:")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        max_shrink_iters: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_handler_is_lost_without_a_word(
        handlers in vec((select(&EVENTS[..]), any::<bool>()), 1..6),
        is_installed in any::<bool>(),
        steps in vec(step(), 1..10),
    ) {
        let home = Home::new(Some(&settings(&handlers)), None);
        let mut scene = Scene { home, count: handlers.len(), toggled: false, gone: BTreeSet::new() };
        if is_installed {
            scene.home.hookman("install --yes");
        }
        for step in &steps {
            let before = scene.places();
            let said = scene.run(step);
            let told = warnings(&said);
            for (index, (old, new)) in before.iter().zip(scene.places()).enumerate() {
                let is_told = told.contains(&format!("h{index}"));
                prop_assert!(*old == (0, 0) || new != (0, 0) || is_told, "h{index}: {step:?}\n{said}");
                let is_restored = matches!(step, Step::Restore(_));
                if new != (0, 0) {
                    scene.gone.remove(&index);
                } else if *old != (0, 0) && is_restored {
                    scene.gone.insert(index);
                }
            }
            scene.check(&said)?;
        }
        // What nothing runs comes back, and what runs twice runs once again.
        scene.home.hookman("release --all --yes");
        for (index, place) in scene.places().into_iter().enumerate() {
            let is_gone = place == (0, 0) && scene.gone.contains(&index);
            prop_assert!(is_gone || place == (1, 0), "h{}: {:?}", index, place);
        }
    }
}

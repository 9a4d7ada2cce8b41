//! Processes that are killed at random times.

use std::process::Stdio;
use std::time::{Duration, Instant};

use super::home::{Files, Home, State, variable};

pub(super) fn rounds() -> u32 {
    variable("ROUNDS").and_then(|text| text.to_str()?.parse().ok()).unwrap_or(20)
}

/// Times that are spread over what a command takes, the same ones in every run.
pub(super) struct Spread(u64);

impl Default for Spread {
    fn default() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }
}

impl Spread {
    /// Waits for a part of `whole`, or a little more than it.
    pub(super) fn wait(&mut self, whole: Duration) {
        let Self(seed) = self;
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let share = u32::try_from(*seed >> 33).unwrap() % 1000;
        let until = Instant::now() + whole * share / 700;
        // A sleep is too coarse for the microseconds between two steps.
        while Instant::now() < until {
            std::hint::spin_loop();
        }
    }
}

/// The commands that write, each with what is done before it.
const COMMANDS: &[(&str, &[&str])] = &[
    ("install --yes", &[]),
    ("uninstall --yes", &["install --yes"]),
    ("adopt --all --yes", &["install --yes"]),
    ("release --all --yes", &["install --yes", "adopt --all --yes"]),
    ("uninstall --yes", &["adopt --all --yes"]),
    ("apply --yes", &["install --yes", "adopt --all --yes", "restore 1 --yes"]),
];

#[test]
fn kills_at_random_times_leave_the_old_files_or_the_new_ones() {
    let home = Home::foreign();
    let original = home.state();
    let empty = home.files();
    let scenes: Vec<(&str, Files, State, State)> = COMMANDS
        .iter()
        .map(|(command, before)| {
            home.reset(&empty);
            for command in *before {
                home.does(command);
            }
            let (files, old) = (home.files(), home.state());
            home.does(command);
            (*command, files, old, home.state())
        })
        .collect();
    // The quickest of a few, so that most of the kills hit.
    let time = |_| {
        home.reset(&empty);
        let start = Instant::now();
        home.does("install --yes");
        start.elapsed()
    };
    let whole = (0..5).map(time).min().unwrap();
    let mut spread = Spread::default();
    let (mut killed, mut written) = (0, 0);
    for (round, (command, files, old, new)) in (0..rounds()).zip(scenes.iter().cycle()) {
        home.reset(files);
        let mut child = home
            .command(home.path("bin/hookman").to_str().unwrap())
            .args(command.split(' '))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        spread.wait(whole);
        child.kill().unwrap();
        killed += u32::from(!child.wait().unwrap().success());
        let found = home.state();
        let State { settings, manifest } = &found;
        let what = format!("round {round}, {command}: {found:?}");
        assert!(*settings == old.settings || *settings == new.settings, "{what}");
        assert!(*manifest == old.manifest || *manifest == new.manifest, "{what}");
        written += u32::from(found == *new);
        home.does(command);
        assert_eq!(home.state(), *new, "round {round}, {command}");
        home.does("uninstall --yes");
        assert_eq!(home.state(), original, "round {round}, {command}");
    }
    eprintln!("{killed} of {} killed in {whole:?} each, {written} after the write", rounds());
    assert!(killed > 0, "nothing was killed");
}

#[test]
fn what_a_killed_process_left_is_swept() {
    let home = Home::new();
    for (name, hours) in [("old123456789", 2), ("new123456789", 0)] {
        home.write(&format!(".claude/.hookman-{name}"), "half");
        let path = home.path(&format!(".claude/.hookman-{name}"));
        let file = std::fs::File::options().write(true).open(path).unwrap();
        let time = std::time::SystemTime::now() - Duration::from_secs(hours * 3600);
        file.set_modified(time).unwrap();
    }
    home.does("install --yes");
    assert_eq!(home.litter(), [home.path(".claude/.hookman-new123456789")]);
}

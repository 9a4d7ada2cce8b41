//! Processes that are killed at random times.

use std::process::Stdio;
use std::time::{Duration, Instant};

use super::home::{Home, SETTINGS, variable};

fn rounds() -> u32 {
    variable("ROUNDS").and_then(|text| text.to_str()?.parse().ok()).unwrap_or(20)
}

#[test]
fn kills_at_random_times_leave_the_old_file_or_the_new_one() {
    let home = Home::new();
    let begin = home.files();
    // The quickest of a few, so that most of the kills hit.
    let time = |_| {
        home.reset(&begin);
        let start = Instant::now();
        home.does("install --yes");
        start.elapsed()
    };
    let whole = (0..5).map(time).min().unwrap();
    let (installed, new) = (home.files(), home.settings());
    let old = Some(SETTINGS.to_owned());
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let (mut killed, mut written) = (0, 0);
    for round in 0..rounds() {
        let (command, files) =
            if round % 2 == 0 { ("install", &begin) } else { ("uninstall", &installed) };
        home.reset(files);
        // A simple generator is enough to spread the times, and it is the same in every run.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut child = home
            .command(home.path("bin/hookman").to_str().unwrap())
            .args([command, "--yes"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let share = u32::try_from(seed >> 33).unwrap() % 1000;
        let until = Instant::now() + whole * share / 1000;
        // A sleep is too coarse for the microseconds between two steps.
        while Instant::now() < until {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        killed += u32::from(!child.wait().unwrap().success());
        let found = home.settings();
        assert!(found == old || found == new, "round {round}, {command}: {found:?}");
        written += u32::from((found == new) == (command == "install"));
        home.does("install --yes");
        assert_eq!(home.settings(), new, "round {round}");
        home.does("uninstall --yes");
        assert_eq!(home.settings(), old, "round {round}");
    }
    eprintln!("{killed} of {} killed in {whole:?} each, {written} after the write", rounds());
    assert!(killed > 0, "nothing was killed");
}

#[test]
fn what_a_killed_process_left_is_swept() {
    let home = Home::new();
    for (name, hours) in [("old", 2), ("new", 0)] {
        home.write(&format!(".claude/.hookman-{name}"), "half");
        let path = home.path(&format!(".claude/.hookman-{name}"));
        let file = std::fs::File::options().write(true).open(path).unwrap();
        let time = std::time::SystemTime::now() - Duration::from_secs(hours * 3600);
        file.set_modified(time).unwrap();
    }
    home.does("install --yes");
    assert_eq!(home.litter(), [home.path(".claude/.hookman-new")]);
}

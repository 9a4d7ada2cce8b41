//! The settings engine, case by case: each folder in `tests/settings` holds a text, the wanted
//! registrations and what has to come of them.
//!
//! `UPDATE_CASES=1` writes what came instead of comparing; read the difference before keeping it.

#![cfg(test)]

pub(crate) mod random;

use std::{
    fs,
    path::{Path, PathBuf},
};

use hookman::settings::{Plan, Record, Registration, plan};
use serde_json::{Value, json};

/// A file of a case; none if the case has none of that name.
fn read(case: &Path, name: &str) -> Option<String> {
    let path = case.join(name);
    path.exists().then(|| fs::read_to_string(&path).unwrap())
}

struct Case {
    folder: PathBuf,
    failures: Vec<String>,
}

impl Case {
    fn fail(&mut self, what: &str, expected: Option<&str>, found: Option<&str>) {
        let name = self.folder.file_name().unwrap().to_string_lossy().into_owned();
        self.failures.push(format!("{name}: {what}\nexpected {expected:?}\nfound    {found:?}"));
    }

    /// Compares with a file of the case, or writes it when asked to.
    #[expect(clippy::disallowed_methods, reason = "the switch is the test's own")]
    fn compare(&mut self, name: &str, found: Option<&str>) {
        let path = self.folder.join(name);
        let expected = read(&self.folder, name);
        if expected.as_deref() == found {
            return;
        }
        if std::env::var_os("UPDATE_CASES").is_none() {
            self.fail(name, expected.as_deref(), found);
        } else if let Some(found) = found {
            fs::write(path, found).unwrap();
        } else {
            fs::remove_file(path).unwrap();
        }
    }

    fn run(&mut self) {
        let before = read(&self.folder, "before.json");
        let wanted: Vec<Registration> =
            serde_json::from_str(&read(&self.folder, "wanted.json").unwrap()).unwrap();
        let record: Record = read(&self.folder, "record.json")
            .map_or_else(Record::default, |text| serde_json::from_str(&text).unwrap());
        match plan(before.as_deref(), &wanted, &record) {
            Err(refusal) => {
                self.compare("refusal.txt", Some(&format!("{refusal}\n")));
                self.compare("plan.json", None);
                self.compare("after.json", None);
            }
            Ok(plan) => {
                self.compare("refusal.txt", None);
                self.compare("plan.json", Some(&shown(&plan)));
                self.compare("after.json", plan.after.as_deref());
                self.second(&plan, &wanted);
                self.removal(&plan, before.as_deref());
            }
        }
    }

    /// Planning again finds nothing to do.
    fn second(&mut self, first: &Plan, wanted: &[Registration]) {
        let second = plan(first.after.as_deref(), wanted, &first.record).unwrap();
        let idle = second.is_empty() && second.changes.is_empty() && second.record == first.record;
        if !idle || second.summary() != "nothing to do" {
            self.fail("second plan", first.after.as_deref(), second.after.as_deref());
        }
    }

    /// Removal by splices gives the original bytes, or those that the case names instead.
    fn removal(&mut self, first: &Plan, before: Option<&str>) {
        let removal = plan(first.after.as_deref(), &[], &first.record).unwrap();
        let other = self.folder.join("removed.txt").exists();
        if other {
            self.compare("removed.json", removal.after.as_deref());
        } else if removal.after.as_deref() != before {
            self.fail("removal", before, removal.after.as_deref());
        }
        if removal.record != Record::default() {
            self.fail("record after removal", None, None);
        }
    }
}

/// The plan as it stands in `plan.json`.
fn shown(plan: &Plan) -> String {
    let shown: Value = json!({
        "summary": plan.summary(),
        "changes": plan.changes,
        "patch": plan.patch(),
        "record": plan.record,
    });
    serde_json::to_string_pretty(&shown).unwrap() + "\n"
}

#[test]
fn cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/settings");
    let mut folders: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.retain(|path| path.join("wanted.json").exists());
    folders.sort();
    assert!(folders.len() >= 60, "only {} cases were found", folders.len());
    let mut failures = Vec::new();
    for folder in folders {
        let mut case = Case { folder, failures: Vec::new() };
        case.run();
        failures.append(&mut case.failures);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

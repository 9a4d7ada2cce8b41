//! Generated files: what is adopted comes back, in any order, whatever is registered beside it.

use hookman::adoption::{self, Adopted, Adoption, Current, Kept, candidates};
use hookman::settings::{Plan, Registration, Undo, handlers, plan};
use hookman::syntax::json::Document;
use proptest::prelude::*;

use crate::settings::random::{text, wanted};

/// A settings file with what is kept of it, as the commands keep it.
#[derive(Clone)]
struct File {
    text: String,
    undo: Option<Undo>,
    adoption: Adoption,
}

impl File {
    fn new(text: &str) -> Self {
        let adoption = Adoption::of(None, text, None).unwrap();
        Self { text: text.to_owned(), undo: None, adoption }
    }

    fn write(&mut self, plan: &Plan, previous: Option<&Undo>) {
        self.undo = Undo::of(previous, plan).unwrap();
        self.text = plan.after.clone().unwrap();
    }

    fn register(&mut self, wanted: &[Registration]) {
        let record = self.undo.as_ref().map(|undo| undo.record.clone()).unwrap_or_default();
        let plan = plan(Some(&self.text), wanted, &record).unwrap();
        let previous = self.undo.take();
        self.write(&plan, previous.as_ref());
    }

    fn look(&self) -> Adoption {
        let kept = Some(&self.adoption).filter(|kept| !kept.hooks.is_empty());
        Adoption::of(kept, &self.text, self.undo.as_ref()).unwrap()
    }

    /// What a running session does that writes its old copy over ours, and how that is repaired.
    fn survives(&self, old: &Self, wanted: &[Registration]) {
        let record = old.undo.as_ref().map(|undo| undo.record.clone()).unwrap_or_default();
        let original = Some(self.adoption.original.clone());
        let undo = Undo { original, after: old.text.clone(), record };
        let all = self.adoption.joined(&old.adoption);
        let adoption = Adoption::of(Some(&all), &old.text, Some(&undo)).unwrap();
        let stays = |name: &str| self.adoption.hooks.iter().any(|hook| hook.hook == name);
        let names = adoption.hooks.iter().map(|hook| hook.hook.as_str());
        let released: Vec<&str> = names.filter(|name| !stays(name)).collect();
        let current = Current { text: &old.text, undo: Some(&undo), adoption: &adoption };
        let plan = adoption::plan(current, &adoption.without(&released), wanted).unwrap();
        assert_eq!(held(&plan.after.unwrap()), held(&self.text));
    }

    /// A process that was killed before or after the settings were written; the same again ends it.
    fn is_ended(&self, old: &Self, wanted: &[Registration]) {
        let (now, next) = (old.adoption.clone(), Some(self.adoption.clone()));
        let kept = Kept { now, next };
        for file in [old, self] {
            let (text, undo) = (&*file.text, file.undo.as_ref());
            let all = kept.in_line_with(text, undo).unwrap();
            let stays = |name: &str| self.adoption.hooks.iter().any(|hook| hook.hook == name);
            let names = all.hooks.iter().map(|hook| hook.hook.as_str());
            let released: Vec<&str> = names.filter(|name| !stays(name)).collect();
            let current = Current { text, undo, adoption: &all };
            let plan = adoption::plan(current, &all.without(&released), wanted).unwrap();
            // A handler that goes back into an edited file is written in the style of what is around
            // it, which our own entries are a part of before the kill and not after it.
            assert_eq!(held(&plan.after.unwrap()), held(&self.text));
        }
    }

    fn step(&mut self, adoption: &Adoption, next: Adoption, wanted: &[Registration]) {
        let old = self.clone();
        let undo = self.undo.as_ref();
        let current = Current { text: &self.text, undo, adoption };
        let plan = adoption::plan(current, &next, wanted).unwrap();
        plan.verify().unwrap();
        let record = undo.map(|undo| undo.record.clone()).unwrap_or_default();
        let original = Some(next.original.clone());
        self.write(&plan, Some(&Undo { original, after: self.text.clone(), record }));
        self.adoption = next;
        let old = Self { adoption: adoption.clone(), ..old };
        self.survives(&old, wanted);
        self.is_ended(&old, wanted);
    }

    /// Adopts the handlers that `pick` chooses among those that could be.
    fn adopt(&mut self, pick: u32, round: usize, wanted: &[Registration]) {
        let adoption = self.look();
        let document = Document::parse(&adoption.original).unwrap();
        let open = candidates(&document, None).into_iter().filter(|candidate| {
            candidate.wrapped.is_ok()
                && !adoption.hooks.iter().any(|hook| hook.pointer == candidate.pointer)
        });
        let chosen = open.enumerate().filter(|(index, _)| pick >> (index % 32) & 1 == 1);
        let adopted: Vec<Adopted> = chosen
            .map(|(index, candidate)| {
                Adopted::new(format!("{round}-{index}"), candidate.pointer, String::new())
            })
            .collect();
        if adopted.is_empty() {
            return;
        }
        let next = adoption.with(adopted, &self.text, self.undo.as_ref());
        self.step(&adoption, next, wanted);
    }

    fn release(&mut self, hooks: &[&str], wanted: &[Registration]) {
        let adoption = self.look();
        self.step(&adoption, adoption.without(hooks), wanted);
    }
}

/// The foreign handlers of a file, in any order; of equal ones it is all the same which is adopted.
fn held(text: &str) -> Vec<String> {
    let all = handlers(&Document::parse(text).unwrap()).into_iter();
    let mut held: Vec<String> = all
        .filter(|handler| !handler.ours)
        .map(|handler| format!("{} {:?} {}", handler.event, handler.matcher, handler.value))
        .collect();
    held.sort();
    held
}

/// Whether the engine edits the file at all; keys that stand twice are refused.
fn is_clear(text: &str) -> bool {
    Adoption::of(None, text, None).is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_adopted_comes_back(
        before in text(),
        first in wanted(0),
        second in wanted(1),
        picks in (any::<u32>(), any::<u32>()),
        backwards in any::<bool>(),
    ) {
        prop_assume!(is_clear(&before));
        let mut file = File::new(&before);
        file.register(&first);
        let registered = file.text.clone();
        file.adopt(picks.0, 1, &second);
        file.adopt(picks.1, 2, &second);
        let mut names: Vec<String> =
            file.adoption.hooks.iter().map(|hook| hook.hook.clone()).collect();
        if backwards {
            names.reverse();
        }
        let mut other = file.clone();
        for (index, name) in names.iter().enumerate() {
            let last = index + 1 == names.len();
            file.release(&[name], if last { &first } else { &second });
        }
        if !names.is_empty() {
            prop_assert_eq!(&file.text, &registered);
            prop_assert_eq!(file.undo.unwrap().removal(Some(&registered)).unwrap().after, Some(before.clone()));
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        other.release(&names, &[]);
        prop_assert_eq!(other.text, before);
    }

    #[test]
    fn no_handler_is_lost_when_the_file_is_another(
        before in text(),
        other in text(),
        wanted in wanted(1),
        pick in any::<u32>(),
    ) {
        prop_assume!(is_clear(&before) && is_clear(&other));
        let mut file = File::new(&before);
        file.adopt(pick, 1, &wanted);
        let names: Vec<String> = file.adoption.hooks.iter().map(|hook| hook.hook.clone()).collect();
        file.text = other;
        file.register(&wanted);
        // The proof inside of the plan fails if a handler is lost or doubled.
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        file.release(&names, &wanted);
        prop_assert!(file.adoption.hooks.is_empty());
    }
}

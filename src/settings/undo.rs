//! Giving back the original bytes of a settings file.

use serde::{Deserialize, Serialize};

use crate::syntax::json::{Document, is_blank};

use super::{
    change::Action,
    plan::{Plan, plan},
    record::Record,
    refusal::Refusal,
};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undo {
    /// The text without any hookman entry; none if there was no file.
    pub original: Option<String>,
    pub after: String,
    /// The record to remove by, should the text have changed since.
    pub record: Record,
}

impl Undo {
    /// The same for the texts of [`Record::inner`].
    #[must_use]
    pub fn inner(self) -> Self {
        let text = |text: String| self.record.inner(&text).into_owned();
        let (original, after) = (self.original.map(text), text(self.after));
        Self { original, after, record: Record { bare: false, ..self.record } }
    }

    /// Makes the record for the text that `plan` writes; none if no file is left. Over the text of
    /// `previous` the original stays, else it is the text without our entries.
    pub fn of(previous: Option<&Self>, plan: &Plan) -> Result<Option<Self>, Refusal> {
        let Some(after) = plan.after.clone() else { return Ok(None) };
        let current = plan.before.as_deref();
        let untouched = previous.filter(|previous| current == Some(&*previous.after));
        let original = if let Some(previous) = untouched {
            previous.original.clone()
        } else if previous.is_none() && only_adds(plan) {
            plan.before.clone()
        } else {
            let presumed =
                || current.map_or_else(|| plan.record.form(), |it| plan.record.presumed_of(it));
            let record = previous.map_or_else(presumed, |previous| previous.record.clone());
            let removal = super::plan(current, &[], &record)?;
            // Without a hookman entry the record is about some other text.
            if removal.changes.is_empty() { removal.before } else { removal.after }
        };
        Ok(Some(Self { original, after, record: plan.record.clone() }))
    }

    /// The removal of all hookman entries from `current`: to the original text where `current` is
    /// what was written, else by the record.
    pub fn removal(&self, current: Option<&str>) -> Result<Plan, Refusal> {
        let mut removal = plan(current, &[], &self.record)?;
        if current != Some(&*self.after) || removal.after == self.original {
            return Ok(removal);
        }
        let value = |text: Option<&str>| value(text.map(|text| self.record.plain(text)).as_deref());
        if value(self.original.as_deref())? != value(removal.after.as_deref())? {
            let (old, new) = (value(current)?, value(self.original.as_deref())?);
            removal.operations = json_patch::diff(&old, &new).0;
        }
        removal.after.clone_from(&self.original);
        removal.verify()?;
        Ok(removal)
    }
}

/// The record next to a settings file, with the one before it in case a process is killed between the two.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Remembered {
    pub last: Undo,
    /// The record of the write before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<Undo>,
}

impl Remembered {
    /// Finds the record of the text that the file holds.
    pub fn of(self, current: Option<&str>) -> Option<Undo> {
        let wrote = |undo: &Undo| current == Some(&*undo.after);
        match self.earlier.filter(wrote) {
            Some(earlier) if !wrote(&self.last) => Some(earlier),
            _ if self.last.original.as_deref() == current => None,
            _ => Some(self.last),
        }
    }
}

/// Returns whether no hookman entry was in the text that a plan was made from.
fn only_adds(plan: &Plan) -> bool {
    let adds = plan.changes.iter().filter(|change| change.action == Action::Add).count();
    adds == plan.changes.len() && adds == plan.wanted.len()
}

/// The value of a text; no file and an empty one count as `{}`.
fn value(text: Option<&str>) -> Result<serde_json::Value, Refusal> {
    let text = text.filter(|text| !is_blank(text)).unwrap_or("{}");
    let document = Document::parse(text)?;
    Ok(document.value(document.root()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Registration;

    fn wanted() -> Registration {
        serde_json::from_str(r#"{"event": "Stop", "command": "hookman run Stop"}"#).unwrap()
    }

    #[test]
    fn a_file_that_was_not_there_goes_again() {
        let applied = plan(None, &[wanted()], &Record::default()).unwrap();
        let undo = Undo::of(None, &applied).unwrap().unwrap();
        assert_eq!(undo.original, None);
        assert_eq!(undo.removal(applied.after.as_deref()).unwrap().after, None);

        let grown = applied.after.unwrap().replacen('{', "{\n  \"model\": \"opus\",", 1);
        let removal = undo.removal(Some(&grown)).unwrap();
        assert_eq!(removal.after.as_deref(), Some("{\n  \"model\": \"opus\"\n}\n"));
        assert_eq!(undo.removal(None).unwrap().after, None);
    }

    #[test]
    fn entries_that_were_there_before_are_no_part_of_the_original() {
        let text =
            r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"hookman run Stop"}]}]}}"#;
        let mut other = wanted();
        other.timeout = Some(5);
        let applied = plan(Some(text), &[other], &Record::default()).unwrap();
        let undo = Undo::of(None, &applied).unwrap().unwrap();
        assert_eq!(undo.original.as_deref(), Some("{}"));
    }

    #[test]
    fn the_original_comes_back_even_where_removal_would_give_another_text() {
        let text = r#"{"hooks":{"Stop":[{"hooks":[]}]}}"#;
        let after =
            r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"hookman run Stop"}]}]}}"#;
        let (original, after) = (Some(text.to_owned()), after.to_owned());
        let undo = Undo { original, after, record: Record::default() };
        let removal = undo.removal(Some(&undo.after)).unwrap();
        assert_eq!(removal.after.as_deref(), Some(text));
        removal.verify().unwrap();
    }

    #[test]
    fn survives_being_stored() {
        let applied = plan(Some("{ }"), &[wanted()], &Record::default()).unwrap();
        let undo = Undo::of(None, &applied).unwrap().unwrap();
        let stored = serde_json::to_string(&undo).unwrap();
        assert_eq!(serde_json::from_str::<Undo>(&stored).unwrap(), undo);
        assert_eq!(undo.removal(applied.after.as_deref()).unwrap().after.as_deref(), Some("{ }"));
    }
}

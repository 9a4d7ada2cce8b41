//! From what a settings file holds to what it should hold.

use json_patch::{Patch, PatchOperation};

use super::change::{self, Change, Extra};
use super::draft::{Draft, Outcome};
use super::inventory::Survey;
use super::record::{self, Record};
use super::refusal::{self, Claim, Refusal};
use super::registration::{Passed, Registration};
use crate::syntax::json::{Document, is_blank, strip_bom};

/// The planned change of a settings file. Nothing is written by making one.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The text the plan was made from; none if there is no file.
    pub before: Option<String>,
    /// The text to write; none to remove the file, which only hookman made.
    pub after: Option<String>,
    /// The steps, entry by entry, in the order in which the pointers hold.
    pub changes: Vec<Change>,
    pub extras: Vec<Extra>,
    pub record: Record,
    pub(crate) operations: Vec<PatchOperation>,
    pub(crate) wanted: Vec<Registration>,
    pub(crate) foreign: usize,
}

/// Plans the edit after which the hookman entries in a settings file are exactly `wanted`; without any it
/// is the removal.
///
/// `before` is the text, if there is a file, and `record` what the last plan left to remember. It fails
/// where the text is no JSON, something is in the way, or the result is too large or fails
/// [`Plan::verify`].
pub fn plan(
    before: Option<&str>,
    wanted: &[Registration],
    record: &Record,
) -> Result<Plan, Refusal> {
    if record.bare {
        return planned_bare(before, wanted, record);
    }
    let wanted = distinct(wanted)?;
    let plan = match before.filter(|text| !is_blank(text)) {
        Some(text) => edited(text, wanted, record)?,
        None => created(before, wanted, record)?,
    };
    plan.verify()?;
    Ok(plan)
}

impl Plan {
    pub fn is_empty(&self) -> bool {
        self.before == self.after
    }

    /// Returns whether nothing that hookman wants is missing and nothing is too many.
    pub fn is_in_line(&self) -> bool {
        self.changes.is_empty() && self.extras.is_empty()
    }

    pub fn has_entries(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// The plan as a JSON Patch (RFC 6902) of the file's value; no file and an empty one count as `{}`.
    pub fn patch(&self) -> Patch {
        Patch(self.operations.clone())
    }

    /// The plan in words, such as `adds 3 entries, changes 1, leaves 14 of yours alone`.
    pub fn summary(&self) -> String {
        if self.is_empty() {
            return "nothing to do".to_owned();
        }
        let mut parts = Vec::new();
        if !self.changes.is_empty() {
            parts.push(change::summary(&self.changes, self.foreign));
        }
        parts.extend(self.extras.iter().map(|extra| extra.name().to_owned()));
        if parts.is_empty() {
            parts.push("removes what hookman had left empty".to_owned());
        }
        let mut summary = parts.join(", ");
        if self.after.is_none() {
            summary.push_str(", and then the file, which hookman made");
        }
        summary
    }

    /// Proves the plan again: the new text is the old value with the patch, has no new defect that drops
    /// the file, and our entries are exactly the wanted ones. [`Refusal::Unproven`] names what failed,
    /// [`Refusal::TooLarge`] a file above the client's limit.
    pub fn verify(&self) -> Result<(), Refusal> {
        let [before, after] =
            [&self.before, &self.after].map(|text| text.as_deref().map(|it| self.record.plain(it)));
        refusal::prove(&Claim {
            before: before.as_deref(),
            after: after.as_deref(),
            patch: &self.patch(),
            wanted: &self.wanted,
            passed: &self.record.passed,
            in_schema: !self.record.flat,
        })
    }

    pub(crate) fn unchanged(text: Option<&str>, record: Record) -> Self {
        Self {
            before: text.map(str::to_owned),
            after: text.map(str::to_owned),
            changes: Vec::new(),
            extras: Vec::new(),
            record,
            operations: Vec::new(),
            wanted: Vec::new(),
            foreign: 0,
        }
    }
}

/// The registrations without repetitions, each of a shape that will be recognised again.
fn distinct(wanted: &[Registration]) -> Result<Vec<Registration>, Refusal> {
    let mut distinct: Vec<Registration> = Vec::with_capacity(wanted.len());
    for registration in wanted {
        if registration.words().is_none() {
            return Err(Refusal::Unrecognisable { command: registration.command.clone() });
        }
        if !distinct.contains(registration) {
            distinct.push(registration.clone());
        }
    }
    Ok(distinct)
}

/// The plan for a file that does not exist or holds only blanks.
fn created(
    before: Option<&str>,
    wanted: Vec<Registration>,
    record: &Record,
) -> Result<Plan, Refusal> {
    let none = record.form();
    if wanted.is_empty() {
        return Ok(Plan::unchanged(before, none));
    }
    let mut plan = edited("{}", wanted, &none)?;
    let blanks = before.unwrap_or_default();
    // The blanks go first and our newline last, so that removing both gives the blanks back.
    let newline = if blanks.contains("\r\n") { "\r\n" } else { "\n" };
    let text = plan.after.unwrap_or_default().replace('\n', newline);
    plan.after = Some(format!("{blanks}{text}{newline}"));
    plan.before = before.map(str::to_owned);
    plan.record.file_made = before.is_none();
    if before.is_some() {
        plan.record.note("");
    }
    Ok(plan)
}

fn edited(text: &str, wanted: Vec<Registration>, record: &Record) -> Result<Plan, Refusal> {
    let plain = record.plain(text);
    let document = Document::parse(&plain)?;
    let root = document.root();
    if root.members().is_none() {
        if wanted.is_empty() {
            return Ok(Plan::unchanged(Some(text), record.form()));
        }
        return Err(Refusal::wrong_type(&document, None, root, "an object"));
    }
    let mut survey = Survey::of(&document);
    survey.claim(&document, &record.passed);
    let wanted: Vec<Registration> = wanted
        .into_iter()
        .filter(|wanted| !is_theirs(wanted, &document, &survey, record))
        .collect();
    let mut draft = Draft::new(&document, &survey, &wanted, record)?;
    draft.bring_up_to_date();
    draft.take_out();
    draft.prune();
    draft.append();
    let Outcome { after, mut record, changes, operations, foreign } = draft.finish(text);
    if wanted.is_empty() {
        record = record.form();
    }
    record.passed = wanted.iter().filter_map(Passed::of).collect();
    let before = Some(text.to_owned());
    Ok(Plan { before, after, changes, extras: Vec::new(), record, operations, wanted, foreign })
}

/// As [`plan()`], for a file with the events at its root.
fn planned_bare(
    before: Option<&str>,
    wanted: &[Registration],
    record: &Record,
) -> Result<Plan, Refusal> {
    let inner = Record { bare: false, ..record.clone() };
    let Some(text) = before.filter(|text| !is_blank(text)) else {
        let mut plan = plan(None, wanted, &inner)?;
        plan.before = before.map(str::to_owned);
        plan.after = (!wanted.is_empty()).then(|| fresh(wanted)).or(plan.before.clone());
        plan.record = Record { bare: true, file_made: before.is_none(), ..plan.record };
        return Ok(plan);
    };
    let mut plan = plan(Some(&record::wrapped(text)), wanted, &inner)?;
    let emptied = record.file_made && wanted.is_empty();
    plan.before = before.map(str::to_owned);
    plan.after = plan.after.map(|text| record::unwrapped(&text)).filter(|text| {
        !(emptied && strip_bom(text).split_whitespace().collect::<String>() == "{}")
    });
    plan.record.bare = true;
    Ok(plan)
}

fn fresh(wanted: &[Registration]) -> String {
    let mut events = serde_json::Map::new();
    for entry in wanted {
        let groups = events
            .entry(entry.event.clone())
            .or_insert_with(|| serde_json::Value::Array(Vec::new()));
        groups.as_array_mut().into_iter().for_each(|groups| groups.push(entry.group()));
    }
    format!("{:#}\n", serde_json::Value::Object(events))
}

/// Returns whether an entry that the client runs without hookman is there already as somebody else's:
/// the client runs equal ones once, and theirs stays theirs.
fn is_theirs(
    wanted: &Registration,
    document: &Document<'_>,
    survey: &Survey<'_>,
    record: &Record,
) -> bool {
    Passed::of(wanted).is_some_and(|passed| {
        !record.passed.contains(&passed) && survey.find(document, &passed).is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned() -> Plan {
        let wanted = serde_json::from_str(r#"{"event": "Stop", "command": "hookman run Stop"}"#);
        plan(Some("{}\n"), &[wanted.unwrap()], &Record::default()).unwrap()
    }

    fn unproven(plan: &Plan) -> String {
        plan.verify().unwrap_err().to_string()
    }

    #[test]
    fn the_patch_prints_as_json() {
        let text = format!("{:#}", planned().patch());
        assert!(
            text.starts_with("[\n  {\n    \"op\": \"add\",\n    \"path\": \"/hooks\""),
            "{text}"
        );
    }

    #[test]
    fn the_proof_fails_on_a_text_that_is_none_of_the_plan() {
        let mut plan = planned();
        plan.after = plan.after.map(|text| text + "}");
        assert!(unproven(&plan).contains("the end of the file was expected"));

        let mut plan = planned();
        plan.after = plan.after.map(|text| text.replacen('{', "{\"x\": 1,", 1));
        assert!(unproven(&plan).contains("differs from the old value with the changes made"));

        let mut plan = planned();
        plan.operations.pop();
        assert!(unproven(&plan).contains("differs from the old value with the changes made"));
    }

    #[test]
    fn the_proof_fails_on_entries_that_are_not_the_wanted_ones() {
        let mut plan = planned();
        plan.wanted.clear();
        assert!(unproven(&plan).contains("its hookman entries are not the wanted ones"));

        let mut plan = planned();
        plan.wanted[0].timeout = Some(1);
        assert!(unproven(&plan).contains("its hookman entries are not the wanted ones"));
    }

    #[test]
    fn the_proof_fails_on_a_new_defect_that_drops_the_file() {
        let wanted: Registration = serde_json::from_str(
            r#"{"event": "Stop", "command": "hookman run Stop", "shell": "fish"}"#,
        )
        .unwrap();
        let refusal = plan(Some("{}"), &[wanted], &Record::default()).unwrap_err().to_string();
        assert!(
            refusal.contains("`shell` is `fish` instead of `bash` or `powershell`"),
            "{refusal}"
        );
    }

    #[test]
    fn a_file_does_not_grow_beyond_what_the_client_reads() {
        let limit = crate::client::settings_schema::MAX_BYTES;
        let wanted = planned().wanted;
        let text = format!("{{\"x\": \"{}\"}}", "y".repeat(limit - 20));
        let refusal = plan(Some(&text), &wanted, &Record::default()).unwrap_err();
        assert!(matches!(refusal, Refusal::TooLarge { bytes } if bytes > limit));

        let entry = planned().after.unwrap_or_default();
        let text = entry.replacen('{', &format!("{{\"x\": \"{}\",", "y".repeat(limit)), 1);
        assert!(plan(Some(&text), &[], &Record::default()).is_ok());
    }
}

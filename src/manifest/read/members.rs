//! The hooks of packages among those of a manifest.

use std::collections::BTreeSet;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::super::draft::{Defaults, Draft};
use super::super::keys::{DefaultKeys, HeadKeys, OVERRIDABLE};
use super::super::model::{Action, KIND, Presets, Problem, check_name};
use super::super::package::{ALL, Membership, Package};
use super::super::packages;
use super::super::reader::Reader;
use super::super::table::Table;
use crate::syntax::suggestion::{did_you_mean, nearest};

pub(super) type ReadHook<'r> =
    &'r dyn Fn(&mut Reader<'_>, &DeTable<'_>, usize, &Defaults) -> Option<Draft>;

/// The hooks that a manifest takes from a package; `outer` are the manifest's own defaults.
pub(super) fn of(
    reader: &mut Reader<'_>,
    package: &Package,
    offset: usize,
    (outer, presets): (&Defaults, &dyn Presets),
    read_hook: ReadHook<'_>,
) -> Vec<Draft> {
    let text = match presets.package(package) {
        Ok(text) => text,
        Err(why) => {
            let Some(absent) = presets.absent(package).filter(|_| why.is_settled()) else {
                reader.problem(offset, why.to_string());
                return Vec::new();
            };
            let why: Arc<str> = why.to_string().into();
            let draft = |hook| Draft::absent(package, hook, &why, reader.origin(offset));
            return absent.into_iter().map(draft).collect();
        }
    };
    let mut inner = Reader::new(&text.file, &text.text);
    let document = inner.parse();
    let table = document.get_ref();
    let head = packages::head(&mut inner, table).unwrap_or_default();
    let mut defaults = Defaults::default();
    let said = table.get("defaults").and_then(|it| it.get_ref().as_table());
    defaults.keys = said.map(|said| DefaultKeys::of(&mut inner, said)).unwrap_or_default();
    // How much hooks may add to the context is for who runs them to say.
    defaults.keys.budget.clone_from(&outer.keys.budget);
    let items = table.get("hook").and_then(|hooks| hooks.get_ref().as_array());
    let mut drafts = Vec::new();
    for item in items.into_iter().flatten() {
        let Some(table) = inner.inner("hook", item) else { continue };
        drafts.extend(read_hook(&mut inner, table, item.span().start, &defaults));
    }
    let mut extra = Vec::new();
    for (file, text) in &text.entries {
        let mut entry = Reader::new(file, text);
        let (draft, is_default) = entry_of(&mut entry, &defaults, presets, read_hook);
        extra.extend(draft.iter().filter(|_| !is_default).map(|draft| draft.name.clone()));
        drafts.extend(draft);
        inner.problems.append(&mut entry.problems);
    }
    // A package is pinned as a whole; files outside of it are not pinned.
    for draft in &drafts {
        if draft.keys.package.is_some() {
            let message =
                format!("`{}`: a package's hooks are its own, without `package`", draft.name);
            inner.problems.push(Problem { origin: draft.origin.clone(), message });
        }
        let Some(Action::Argv(words)) = &draft.action else { continue };
        let is_path = |(index, word): &(usize, &String)| {
            let is_relative = !word.starts_with(['/', '~', '$']);
            word.starts_with('.') || *index == 0 && is_relative
        };
        let paths = words.iter().enumerate().filter(is_path).map(|(_, word)| word);
        for word in paths.filter(|word| leads_out(word)) {
            let message = format!("`{}`: `{word}` leads out of the package", draft.name);
            inner.problems.push(Problem { origin: draft.origin.clone(), message });
        }
    }
    let is_broken = !inner.problems.is_empty();
    reader.problems.append(&mut inner.problems);
    if is_broken {
        return Vec::new();
    }
    if let Some(why) = too_new(package, &head) {
        reader.problem(offset, why);
        return Vec::new();
    }
    let (root, data) = (Arc::from(text.root), Arc::from(text.data));
    for draft in &mut drafts {
        draft.membership = Some(Membership {
            package: package.name.clone(),
            rev: package.rev.clone().unwrap_or_default(),
            name: draft.name.clone(),
            root: Arc::clone(&root),
            data: Arc::clone(&data),
            foreign: text.foreign,
            absent: None,
        });
    }
    let Some(wanted) = package.hooks.as_ref().or(head.default.as_ref()) else {
        drafts.retain(|draft| !extra.contains(&draft.name));
        return drafts;
    };
    if wanted.iter().any(|name| name == ALL) {
        return drafts;
    }
    for name in wanted {
        if !drafts.iter().any(|draft| draft.name == *name) {
            let names = drafts.iter().map(|draft| draft.name.as_str());
            let hint = nearest(name, names).map(did_you_mean).unwrap_or_default();
            reader.problem(
                offset,
                format!("the package `{}` has no hook `{name}`{hint}", package.name),
            );
        }
    }
    drafts.retain(|draft| wanted.contains(&draft.name));
    drafts
}

/// Returns whether a relative path goes above the directory that it begins in.
fn leads_out(path: &str) -> bool {
    let mut depth = 0_usize;
    path.split('/').any(|part| {
        match part {
            "" | "." => {}
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
        false
    })
}

/// Reads a catalogue entry of a package as a hook; true if it is one of the package's defaults.
fn entry_of(
    reader: &mut Reader<'_>,
    defaults: &Defaults,
    presets: &dyn Presets,
    read_hook: ReadHook<'_>,
) -> (Option<Draft>, bool) {
    let mut table = reader.parse().into_inner();
    let mut text = |key: &str| table.remove(key)?.into_inner().as_str().map(str::to_owned);
    let summary = text("summary");
    for about in ["description", "group", "keywords"] {
        table.remove(about);
    }
    let is_default = table.remove("default").is_some_and(|it| it.get_ref().as_bool() == Some(true));
    for (from, to) in [("kind", "builtin"), ("events", "event")] {
        let Some(mut value) = table.remove(from) else { continue };
        let span = value.span();
        if let Some(kind) = value.get_ref().as_str().filter(|_| from == "kind") {
            let name = format!("{KIND}{kind}");
            if presets.find(&name).is_none() {
                reader.problem(span.start, format!("no kind of built-in hook is called `{kind}`"));
                return (None, is_default);
            }
            value = Spanned::new(span.clone(), DeValue::String(name.into()));
        }
        table.insert(Spanned::new(span, to.into()), value);
    }
    let name = reader.file_stem().to_owned();
    let is_named = check_name(&name).map_err(|why| reader.problem(0, why.to_string())).is_ok();
    if !table.contains_key("builtin") {
        reader.problem(0, "a catalogue entry needs `kind`, that of a built-in hook".to_owned());
        return (None, is_default);
    }
    let draft = read_hook(reader, &table, 0, defaults).filter(|_| is_named);
    (draft.map(|draft| Draft { name, summary, ..draft }), is_default)
}

/// Gives the message about a package that is for a later hookman.
fn too_new(package: &Package, head: &HeadKeys) -> Option<String> {
    let numbers = |text: &str| -> Option<Vec<u64>> {
        text.split('.').map(|part| part.trim().parse().ok()).collect()
    };
    let wanted = head.hookman.as_deref()?;
    let Some(least) = wanted.trim().strip_prefix(">=").and_then(numbers) else {
        return Some(format!(
            "the package `{}` has \"{wanted}\" as `hookman`, which is not read; it takes a version such \
             as \">=0.2\"",
            package.name
        ));
    };
    let mut this = numbers(env!("CARGO_PKG_VERSION"))?;
    this.truncate(least.len().max(1));
    (this < least).then(|| {
        format!(
            "the package `{}` is for hookman {wanted}, and this is {}; `hookman self-update` gets a newer \
             one",
            package.name,
            env!("CARGO_PKG_VERSION")
        )
    })
}

/// Lays each `[[hook]]` that names a package over the hook of that package, which takes its place, and
/// gives hooks of packages whose names are taken the package's name in front.
pub(super) fn settle(files: &mut [(Vec<Draft>, bool)], problems: &mut Vec<Problem>) {
    // Of a package that could not be read the reason is among the problems already.
    let drafts = || files.iter().flat_map(|(drafts, _)| drafts);
    let read: BTreeSet<String> =
        drafts().filter_map(|it| Some(it.membership.as_ref()?.package.clone())).collect();
    let is_missed =
        |package: &String, problems: &[Problem]| problems.is_empty() || read.contains(package);
    for (drafts, is_overlay) in &mut *files {
        let mut at = 0;
        while at < drafts.len() {
            let Some(package) = drafts[at].keys.package.clone() else {
                at += 1;
                continue;
            };
            let name = drafts[at].name.clone();
            let found = drafts.iter().position(|it| is_member(it, &package, &name));
            match found {
                Some(found) => {
                    let under = drafts.remove(found);
                    at -= usize::from(found < at);
                    let over = drafts.remove(at);
                    match lay(over, under) {
                        Ok(draft) => drafts.insert(at, draft),
                        Err(problem) => {
                            problems.push(problem);
                            continue;
                        }
                    }
                }
                None if *is_overlay => {}
                None => {
                    let draft = drafts.remove(at);
                    if is_missed(&package, problems) {
                        problems.push(missing(&draft, &package));
                    }
                    continue;
                }
            }
            at += 1;
        }
    }
    let names: Vec<String> = files
        .iter()
        .flat_map(|(drafts, _)| drafts)
        .filter(|draft| draft.action.is_some())
        .map(|draft| draft.name.clone())
        .collect();
    for draft in files.iter_mut().flat_map(|(drafts, _)| drafts) {
        if let Some(Membership { package, name, .. }) = &draft.membership
            && names.iter().filter(|it| *it == name).count() > 1
        {
            draft.name = format!("{package}/{name}");
        }
    }
    let [(base, _), (overlay, _)] = files else { return };
    overlay.retain_mut(|draft| {
        let Some(package) = draft.keys.package.clone().filter(|_| draft.action.is_none()) else {
            return true;
        };
        let found = base.iter().find(|it| is_member(it, &package, &draft.name));
        match found {
            Some(member) => draft.name.clone_from(&member.name),
            None if is_missed(&package, problems) => problems.push(missing(draft, &package)),
            None => {}
        }
        found.is_some()
    });
}

fn is_member(draft: &Draft, package: &str, name: &str) -> bool {
    draft.membership.as_ref().is_some_and(|it| it.package == package && it.name == name)
}

fn missing(draft: &Draft, package: &str) -> Problem {
    let message = format!(
        "no package `{package}` gives a hook `{}` here; its `hooks` name those that are wanted",
        draft.name
    );
    Problem { origin: draft.origin.clone(), message }
}

/// The hook of a package with what a manifest says otherwise.
fn lay(over: Draft, mut under: Draft) -> Result<Draft, Problem> {
    const MORE: &[&str] =
        &["event", "matcher", "parallel", "always", "after", "when", "switch", "context_priority"];
    let known = |key: &str| OVERRIDABLE.contains(&key) || MORE.contains(&key);
    let is_odd = |key: &str| !known(key) && !matches!(key, "name" | "hook" | "package");
    if let Some((key, origin)) = over.origins.iter().find(|(key, _)| is_odd(key)) {
        let message = format!(
            "a manifest may set {}, {} of a package's hook, not `{key}`",
            OVERRIDABLE.join(", "),
            MORE.join(", ")
        );
        return Err(Problem { origin: origin.clone(), message });
    }
    under.lay(over);
    Ok(under)
}

//! `hookman package`: what an author needs of a package.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use serde_json::json;

use super::args::{Package, PackageCheck, PackageCommand};
use super::exit::ExitStatus;
use super::word::counted;
use super::word::hint;
use crate::client::Event;
use crate::doctor;
use crate::machine::trees::{self, Tree};
use crate::machine::{Scratch, World, files, harmless, program};
use crate::manifest::package::{self, Provenance};
use crate::manifest::{self, Action, Hook, Source, package_edit};
use crate::package::known::Known;
use crate::package::lock::{Lock, Locked};
use crate::package::{definition, form};
use crate::rehearsal::cases::{self, Book};
use crate::runtime::overrides::Effects;
use crate::state::{Catalogue, Chain};

/// The package that is made, and the files of the example that it begins as.
const EXAMPLE: &[(&str, &str)] = &[
    ("hookman.toml", include_str!("../../templates/package/hookman.toml")),
    ("hookman.test.toml", include_str!("../../templates/package/hookman.test.toml")),
    ("bin/no-verify.sh", include_str!("../../templates/package/bin/no-verify.sh")),
    ("README.md", include_str!("../../templates/package/README.md")),
    (".github/workflows/check.yml", include_str!("../../templates/package/check.yml")),
];

const TABLE: [&str; 2] =
    ["<!-- hooks: `hookman package check --fix` writes this table -->", "<!-- /hooks -->"];

pub(super) fn package(args: &Package, world: &World) -> Result<ExitStatus> {
    match &args.command {
        PackageCommand::Check(args) => check(args, world),
    }
}

/// Makes a package with a hook, a case for it, a README and a line for continuous integration.
pub(super) fn make(folder: &Path, world: &World) -> Result<ExitStatus> {
    let folder = std::path::absolute(folder)?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    manifest::check_name(&name)?;
    if let Some((file, _)) = EXAMPLE.iter().find(|(file, _)| files::is_there(&folder.join(file))) {
        bail!("`{}` is there already; nothing was written", world.paths.shown(&folder.join(file)));
    }
    for (file, text) in EXAMPLE {
        let (path, text) = (folder.join(file), text.replace("example", &name));
        files::make_folders(&path)?;
        let is_program = text.starts_with("#!");
        let write = if is_program { files::replace_program } else { files::replace };
        write(&path, &text)?;
        world.terminal.line(format!("wrote {}", world.paths.shown(&path)));
    }
    let checked = Checked::of(world, &folder);
    files::replace(&folder.join("README.md"), &checked.readme)?;
    hint(
        world,
        "run `hookman package check` there to check it, then `git init`, `git add .` and `git commit`; a tag \
         such as v0.1.0 makes a version",
    );
    Ok(ExitStatus::Done)
}

struct Checked {
    hooks: Vec<Hook>,
    findings: Vec<String>,
    cases: usize,
    readme: String,
}

fn check(args: &PackageCheck, world: &World) -> Result<ExitStatus> {
    let folder = std::path::absolute(args.folder.as_deref().unwrap_or(Path::new(".")))?;
    let Checked { hooks, mut findings, cases, readme } = Checked::of(world, &folder);
    let file = folder.join("README.md");
    if !hooks.is_empty() && files::read_text(&file)?.as_deref() != Some(&readme) {
        if args.fix {
            files::replace(&file, &readme)?;
            world.terminal.line(format!("wrote {}", world.paths.shown(&file)));
        } else {
            findings
                .push("README.md: its table of hooks is out of date; --fix writes it".to_owned());
        }
    }
    if args.json {
        let names: Vec<&str> = hooks.iter().map(|hook| hook.name.as_str()).collect();
        let report = json!({"hooks": names, "cases": cases, "findings": findings});
        world.terminal.line(report.to_string());
    } else {
        for finding in &findings {
            world.terminal.line(harmless(finding));
        }
        world.terminal.line(format!(
            "{}, {}, {}",
            counted(hooks.len(), "hook"),
            counted(cases, "case"),
            counted(findings.len(), "finding")
        ));
    }
    Ok(if findings.is_empty() { ExitStatus::Done } else { ExitStatus::Found })
}

impl Checked {
    fn of(world: &World, folder: &Path) -> Self {
        let mut findings = Vec::new();
        let tree = trees::read(folder).map_err(|bad| findings.push(bad.to_string()));
        let tree = tree.unwrap_or_default();
        let hooks = hooks(world, folder, &mut findings);
        for hook in &hooks {
            let missing = unpacked(hook, &tree, folder);
            findings.extend(missing.iter().map(|why| format!("{}: {why}", hook.name)));
            let advice = doctor::of_hook(hook).into_iter();
            findings.extend(advice.map(|it| format!("{}: {}: {}", hook.name, it.message, it.fix)));
        }
        let text = files::read_text(&folder.join(form::MANIFEST)).ok().flatten();
        if text.is_some_and(|text| manifest::on_change(&text).is_some()) {
            let why = "`on_change` counts only in the manifest of a user; take it out";
            findings.push(format!("{}: {why}", form::MANIFEST));
        }
        let cases = if hooks.is_empty() { 0 } else { tested(world, folder, &mut findings) };
        let old = files::read_text(&folder.join("README.md")).ok().flatten();
        let readme = with_table(&old.unwrap_or_default(), &hooks);
        Self { hooks, findings, cases, readme }
    }
}

/// A manifest that takes all hooks of the package in a directory and nothing else, and its lock.
fn alone(folder: &Path) -> (String, Lock) {
    let name = "package".to_owned();
    let path = folder.to_string_lossy().into_owned();
    let locked = Locked { name: name.clone(), path: path.clone(), ..Locked::default() };
    let wanted = package::Package {
        name,
        from: Provenance::Path(path),
        folder: String::new(),
        rev: None,
        hooks: Some(vec![package::ALL.to_owned()]),
        line: 0,
    };
    (package_edit::block(&wanted), Lock { package: vec![locked], own: Vec::new() })
}

/// A chain of all hooks of the package in a directory, for its cases.
pub(super) fn staged(world: &World, folder: &Path) -> io::Result<(Chain, Scratch)> {
    let (text, lock) = alone(folder);
    let scratch = Scratch::new()?;
    scratch.write(form::MANIFEST, &text)?;
    scratch.write("hookman.lock", &lock.text().unwrap_or_default())?;
    let manifest = scratch.path(form::MANIFEST);
    Ok((Chain { manifest, overlay: None, ..Chain::of_user(&world.paths) }, scratch))
}

pub(super) fn hooks(world: &World, folder: &Path, findings: &mut Vec<String>) -> Vec<Hook> {
    match form::read(folder) {
        Err(why) => {
            findings.push(why.to_string());
            return Vec::new();
        }
        Ok(reading) => findings.extend(reading.notes),
    }
    let (text, lock) = alone(folder);
    let default =
        text.lines().filter(|line| !line.starts_with("hooks")).collect::<Vec<_>>().join("\n");
    let manifests: [PathBuf; 1] = [folder.join(form::MANIFEST)];
    let known = Known::of(&world.paths, manifests.iter().map(PathBuf::as_path)).with(&lock);
    let catalogue = Catalogue { known, is_whole: true };
    let mut read = |text: &str| {
        let read = manifest::read(Some(Source { file: "", text }), None, &catalogue);
        let problems = read.as_ref().err().into_iter().flat_map(|problems| &problems.0);
        findings.extend(problems.map(|it| match &*it.origin.file {
            "" => format!("{}: {}", form::MANIFEST, it.message),
            _ => it.to_string(),
        }));
        read.ok().map(|it| it.hooks)
    };
    let hooks = read(&text);
    // The hooks that the package takes by itself may be others than it has.
    if hooks.is_some() {
        read(&default);
    }
    hooks.unwrap_or_default()
}

/// Lists the words of a hook that name no file of its package, or one outside of it.
fn unpacked(hook: &Hook, tree: &Tree, folder: &Path) -> Vec<String> {
    let leads_out = |word: &String| format!("`{word}` leads out of the package");
    let mut found: Vec<String> = definition::outside(hook).iter().map(leads_out).collect();
    let Action::Argv(words) = &hook.action else { return found };
    for (index, word) in words.iter().enumerate() {
        let is_file = word.split('/').any(|it| it == "..")
            || word.starts_with("./")
            || index == 0 && word.contains('/');
        if !is_file && word.contains('/') && tree.contains_key(word.as_str()) {
            found.push(format!("`{word}` is a file of the session's directory; write `./{word}`"));
        }
        if !is_file || word.starts_with(['/', '~', '$']) {
            continue;
        }
        let Some(path) = trees::led_to("", word) else {
            found.extend(Some(leads_out(word)).filter(|it| !found.contains(it)));
            continue;
        };
        match tree.get(&path) {
            None if index > 0 && !word.starts_with("./") => {}
            None => found.push(format!("there is no file `{path}` in the package")),
            Some(_) if index == 0 && program::trouble(&folder.join(&path)).is_some() => {
                found.push(format!("`{path}` cannot be run; is it executable, with a `#!` line?"));
            }
            Some(_) => {}
        }
    }
    found
}

fn tested(world: &World, folder: &Path, findings: &mut Vec<String>) -> usize {
    let file = folder.join(cases::FILE);
    let book = match files::read_text(&file).ok().flatten().map(|text| Book::read(&text)) {
        None => return 0,
        Some(Err(why)) => {
            findings.push(format!("{}: {why}", cases::FILE));
            return 0;
        }
        Some(Ok(book)) => book,
    };
    let staged = staged(world, folder).map_err(|why| findings.push(why.to_string()));
    let Ok((chain, _scratch)) = staged else { return 0 };
    for case in &book.case {
        let tested = case.run(&world.paths, &chain, Effects::Real, None);
        if !tested.problems.is_empty() {
            let problems = tested.problems.join("\n    ");
            findings.push(format!("{}: {}\n    {problems}", cases::FILE, tested.name));
        }
    }
    book.case.len()
}

/// A README with the table of the hooks between its two marks, or at its end.
fn with_table(text: &str, hooks: &[Hook]) -> String {
    let mut table = format!("{}\n\n| hook | runs on | does |\n| --- | --- | --- |\n", TABLE[0]);
    for hook in hooks {
        let events = Event::names(&hook.events).join(", ");
        let matcher = hook.matcher.as_deref().map(|it| format!("({it})")).unwrap_or_default();
        let on = format!("{events}{matcher}").replace('|', "\\|");
        let does = match &hook.action {
            Action::Builtin { .. } => hook.summary.clone(),
            Action::Command(line) => format!("`{}`", line.lines().next().unwrap_or_default()),
            Action::Argv(words) => format!("`{}`", words.join(" ")),
            Action::Passed(passed) => passed.summary(),
        };
        let does = does.replace('|', "\\|");
        table.extend(["| `", &*hook.name, "` | ", &*on, " | ", &*does, " |\n"]);
    }
    table.extend(["\n", TABLE[1]]);
    match (text.split_once(TABLE[0]), text.split_once(TABLE[1])) {
        (Some((before, _)), Some((_, after))) => format!("{before}{table}{after}"),
        _ if text.is_empty() => format!("{table}\n"),
        _ => format!("{}\n\n{table}\n", text.trim_end()),
    }
}

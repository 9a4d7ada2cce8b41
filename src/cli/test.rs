//! `hookman test`: the cases of a manifest.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use serde::Serialize;

use super::args::rehearse::Test;
use super::exit::ExitStatus;
use super::word::hint;
use super::{package, packaging, written};
use crate::install::target::{Scope, Target};
use crate::machine::files;
use crate::machine::scratch::Scratch;
use crate::machine::signals::Endings;
use crate::machine::terminal::harmless;
use crate::machine::world::World;
use crate::rehearsal::cases::{self, Book, Tested};
use crate::runtime::overrides::Effects;
use crate::state::chains::{self, Chain};
use crate::state::configured;

#[derive(Serialize)]
struct Results {
    file: String,
    cases: Vec<Tested>,
}

pub(super) fn test(args: &Test, world: &World) -> Result<ExitStatus> {
    let effects = if args.run_commands { Effects::Real } else { Effects::Held };
    if args.init {
        return init(args, effects, world);
    }
    let mut results = Vec::new();
    for (file, chain, _scratch) in books(args, world)? {
        let text = files::read_text(&file)?;
        let text = text.with_context(|| format!("`{}` is not there", file.display()))?;
        let book = Book::read(&text).map_err(|why| anyhow!("`{}`: {why}", file.display()))?;
        if !files::is_there(&chain.manifest) {
            bail!("`{}` has no manifest next to it", file.display());
        }
        let cases = book
            .case
            .iter()
            .map(|case| case.run(&world.paths, &chain, effects, args.host.as_deref()))
            .collect();
        results.push(Results { file: world.paths.shown(&file), cases });
    }
    if Endings::watch().is_some_and(|it| it.come().is_some()) {
        bail!("interrupted: hooks that did not finish give no answer");
    }
    if results.is_empty() {
        bail!("there is no {} next to a manifest; `hookman test --init` writes one", cases::FILE);
    }
    if let Some(path) = &args.junit {
        written::report(path, &junit(&results))?;
    }
    if args.json {
        world.terminal.line(serde_json::to_string_pretty(&results)?);
    } else {
        world.terminal.line(harmless(text(&results).trim_end()));
    }
    let failed = results.iter().flat_map(|it| &it.cases).any(|it| !it.problems.is_empty());
    Ok(if failed { ExitStatus::Found } else { ExitStatus::Done })
}

/// Finds the files of cases, each with the chain of the manifest next to it or of the named package.
fn books(args: &Test, world: &World) -> Result<Vec<(PathBuf, Chain, Option<Scratch>)>> {
    // The cases are the team's, and what is in one person's local manifest is not.
    let shared = |chain: Chain| Chain { overlay: None, ..chain };
    let chains = chains::chains_of(&world.paths, configured::project().as_deref());
    let chains: Vec<Chain> = chains.into_iter().map(shared).collect();
    let book = |manifest: &Path| manifest.with_file_name(cases::FILE);
    if args.files.is_empty() {
        let books = chains.into_iter().map(|chain| (book(&chain.manifest), chain, None));
        return Ok(books.filter(|(file, ..)| files::is_there(file)).collect());
    }
    let found = |file: &PathBuf| {
        if let Some(place) = packaging::place(world, &chains, file)? {
            let (chain, scratch) = package::staged(world, &place)?;
            return Ok((place.join(cases::FILE), chain, Some(scratch)));
        }
        let path = std::path::absolute(file).unwrap_or_else(|_| file.clone());
        let manifest = path.with_file_name("hookman.toml");
        let chain = chains.iter().find(|it| it.manifest == manifest).cloned();
        let chain = chain.unwrap_or_else(|| Chain { manifest, ..Chain::of_user(&world.paths) });
        Ok((path, chain, None))
    };
    args.files.iter().map(found).collect()
}

fn init(args: &Test, effects: Effects, world: &World) -> Result<ExitStatus> {
    let project = args.project.then_some(None);
    let target = Target::of(&Scope { project, ..Scope::default() }, world)?;
    target.check_links(world)?;
    let chain = Chain { overlay: None, ..target.chain };
    if !files::is_there(&chain.manifest) {
        bail!("`{}` is not there; `hookman install` makes one", world.paths.shown(&chain.manifest));
    }
    let file = chain.manifest.with_file_name(cases::FILE);
    if files::is_there(&file) {
        bail!("`{}` is there already; edit it, or remove it first", world.paths.shown(&file));
    }
    files::replace(&file, &cases::first(&world.paths, &chain, effects)?)?;
    let flag = if args.run_commands { " --run-commands" } else { "" };
    hint(world, format!("wrote {}; run `hookman test{flag}`", world.paths.shown(&file)));
    Ok(ExitStatus::Done)
}

fn text(results: &[Results]) -> String {
    let mut text = String::new();
    for Results { file, cases } in results {
        let _ = writeln!(text, "{file}");
        for Tested { name, problems, .. } in cases {
            let mark = if problems.is_empty() { '✓' } else { '✗' };
            let _ = writeln!(text, "  {mark} {name}");
            for problem in problems {
                let _ = writeln!(text, "      {}", problem.replace('\n', "\n      "));
            }
        }
        let mut hooks: Vec<String> = cases.iter().flat_map(|it| it.not_run.clone()).collect();
        hooks.sort();
        hooks.dedup();
        if let Some(line) = cases::not_run(&hooks) {
            let _ = writeln!(text, "  {line}");
        }
    }
    let all = results.iter().flat_map(|it| &it.cases);
    let (passed, failed): (Vec<_>, Vec<_>) = all.partition(|it| it.problems.is_empty());
    text + &format!("{} passed, {} failed\n", passed.len(), failed.len())
}

fn junit(results: &[Results]) -> String {
    let escaped = |text: &str| {
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        text.replace(|it: char| it.is_control() && it != '\n', " ")
    };
    let row = |Tested { name, problems, .. }: &Tested| {
        let first: Vec<&str> = problems.iter().filter_map(|it| it.lines().next()).collect();
        let [first, all] = [first.join("; "), problems.join("\n")].map(|it| escaped(&it));
        let end = if problems.is_empty() {
            "/>".to_owned()
        } else {
            format!("><failure message=\"{first}\">{all}</failure></testcase>")
        };
        format!("    <testcase name=\"{}\"{end}\n", escaped(name))
    };
    let suite = |Results { file, cases }: &Results| {
        let failures = cases.iter().filter(|it| !it.problems.is_empty()).count();
        let rows: String = cases.iter().map(row).collect();
        let (file, count) = (escaped(file), cases.len());
        format!(
            "  <testsuite name=\"{file}\" tests=\"{count}\" failures=\"{failures}\">\n{rows}  </testsuite>\n"
        )
    };
    let suites: String = results.iter().map(suite).collect();
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n{suites}</testsuites>\n")
}

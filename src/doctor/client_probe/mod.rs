//! Asking the installed client itself which handlers of the settings files it runs.
//!
//! It is started in a home of its own against a scripted model on loopback, with copies in which each
//! handler leaves a mark and nothing else happens. An administrator's settings apply here too.

mod copy;
mod model;
mod plan;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::Serialize;

use super::answers::shortened;
use super::facts::Facts;
use super::installed;
use super::settings;
use super::settings_file::SettingsFile;
use crate::client::off_switch::{Off, VARIABLES};
use crate::install::command_faults::Layer;
use crate::machine::loopback::Loopback;
use crate::machine::scratch::{Ended, Run};
use crate::machine::{Scratch, environment, files};
use crate::settings::Handler;
use crate::syntax::named::{named, words};
use copy::Marks;
use model::Model;
use plan::{Seen, Session};

const SESSION_TIME: Duration = Duration::from_secs(45);

const TOTAL_TIME: Duration = Duration::from_secs(120);

/// Tools that run without a question.
const ALLOWED: &[&str] = &words::<13>(
    "--allowedTools Bash Read Write Edit Glob Grep Agent Skill TaskCreate TaskUpdate TaskList \
     TodoWrite",
);

/// The name of the copy of the git root's local settings: the project is below it.
const OF_GIT_ROOT: &str = ".claude/settings.local.json";

/// The file of the record that hookman's own hook made.
const SEEN: &str = "seen";

const SETTINGS: &str = "seen.json";

/// The directories of an administrator's files on this platform.
const MANAGED: &[&str] = &[
    "/etc/claude-code/managed-settings.json",
    "/etc/claude-code/managed-settings.d",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
];

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Came {
        Fired = "fired",
        /// The client had a reason to run it, and did not.
        Silent = "did not fire",
        Ignored = "file ignored",
        Off = "hooks off",
        /// The client failed, so nothing can be said.
        Unasked = "not asked",
        /// Nothing that can be caused here concerns it.
        Unreached = "not reached",
    }
}

#[derive(Debug, Serialize)]
pub struct Proof {
    /// Its file, line and column; without a handler, the file's name alone.
    pub place: String,
    pub event: String,
    pub matcher: Option<String>,
    pub came: Came,
    pub why: Option<String>,
    pub rests_on: Layer,
}

#[derive(Debug, Serialize)]
pub struct Asked {
    pub client: PathBuf,
    pub version: String,
    pub proofs: Vec<Proof>,
    pub remarks: Vec<String>,
}

struct Copied<'a> {
    file: &'a SettingsFile,
    name: &'static str,
    handlers: Vec<(Handler, String)>,
    sentinel: String,
    text: String,
}

struct CameAbout<'a> {
    marked: BTreeSet<String>,
    /// The record that hookman's own hook made.
    seen: Seen<'a>,
    /// The switches that keep hooks from running as a whole.
    off: Vec<Off>,
    failure: Option<String>,
}

/// Asks the client `program` about the settings files of a user and a project. Fails when it does not start
/// or asks the model nothing.
pub fn ask(program: &Path, facts: &Facts) -> Result<Asked> {
    if !files::is_executable(program) {
        bail!("there is no client to ask at `{}`", program.display());
    }
    let scratch = Scratch::new().context("failed to make a directory for the client")?;
    let model = Arc::new(Model::default());
    let answering = Arc::clone(&model);
    let server = Loopback::start(move |request| answering.answer(request))
        .context("failed to listen on the loopback interface")?;
    let mut remarks = Vec::new();
    let copies = copies(facts, &scratch, &server, &mut remarks);
    let handlers: Vec<&Handler> =
        copies.iter().flat_map(|copy| &copy.handlers).map(|(handler, _)| handler).collect();
    let project = scratch.path("project").display().to_string();
    let sessions = plan::sessions(&handlers, &project);
    furnish(&scratch, &copies, &sessions).context("failed to write the copies")?;
    let seen = scratch.path(SEEN).display().to_string();
    let settings = plan::settings(&handlers, &seen).to_string();
    scratch.write(SETTINGS, &settings).context("failed to write the copies")?;
    let client = Client { program, scratch: &scratch, url: server.url() };
    let version = client.version()?;
    let started = Instant::now();
    let (mut is_first, mut failure) = (true, None);
    for session in sessions {
        let left = TOTAL_TIME.saturating_sub(started.elapsed()).min(SESSION_TIME);
        if left.is_zero() {
            remarks.push("time ran out before all events had happened".to_owned());
            break;
        }
        model.play(session.turns.clone());
        let remark = client.run(&session, left)?;
        // The first session is the one that all others are like.
        if is_first && remark.is_some() {
            failure = remark;
            break;
        }
        is_first = false;
        remarks.extend(remark);
    }
    if !model.was_asked() && failure.is_none() {
        failure = Some("the client never asked the model".to_owned());
    }
    let mut marked: BTreeSet<String> = scratch.read("marks").lines().map(str::to_owned).collect();
    marked.extend(model.marks());
    if let Some(managed) = MANAGED.iter().find(|path| Path::new(path).exists()) {
        remarks.push(format!(
            "{managed} applies here too, because another home does not hide it; its hooks really \
             ran"
        ));
    }
    let off = settings::off_switches_on(facts);
    let (text, home) = (scratch.read(SEEN), scratch.path("home").display().to_string());
    let came = CameAbout { marked, seen: Seen::read(&text, &project, &home), off, failure };
    let mut proofs = Vec::new();
    let mut fired = BTreeMap::new();
    for copy in &copies {
        proofs.extend(copy.proofs(&came, &mut fired));
    }
    Ok(Asked { client: program.to_owned(), version, proofs, remarks })
}

fn copies<'a>(
    facts: &'a Facts,
    scratch: &Scratch,
    server: &Loopback,
    remarks: &mut Vec<String>,
) -> Vec<Copied<'a>> {
    let (marks_file, url) = (scratch.path("marks").display().to_string(), server.url());
    let mut copies = Vec::new();
    for (of, file) in facts.writable_files().into_iter().enumerate() {
        if !matches!(file.text, Ok(Some(_))) {
            continue;
        }
        let Some(document) = file.document() else {
            // It is not given to a client that might read more than hookman does.
            remarks.push(format!(
                "{} is not strict JSON, so the client ignores it as a whole and was not asked \
                 about it",
                file.shown
            ));
            continue;
        };
        let handlers = file.handlers();
        let marks = Marks { file: &marks_file, url: &url, of, handlers: &handlers };
        let sentinel = format!("{of}.file");
        let free = ["UserPromptSubmit", "Stop", "SessionStart", "PreToolUse", "PostToolUse"];
        let event =
            free.into_iter().find(|event| document.lookup(&format!("/hooks/{event}")).is_none());
        let added = event.map(|event| (event, sentinel.as_str()));
        let text = copy::harmless(&document.value(document.root()), &marks, added).to_string();
        let is_of_root = facts.of_git_root.as_ref().is_some_and(|it| it.path == file.path);
        let name = match file.scope {
            _ if is_of_root => OF_GIT_ROOT,
            "project" => "project/.claude/settings.json",
            "local" => "project/.claude/settings.local.json",
            _ => "home/.claude/settings.json",
        };
        let marked = |it: &Handler| (it.clone(), marks.mark(&it.pointer).unwrap_or_default());
        let handlers = handlers.iter().map(marked).collect();
        copies.push(Copied { file, name, handlers, sentinel, text });
    }
    copies
}

fn furnish(scratch: &Scratch, copies: &[Copied<'_>], sessions: &[Session]) -> Result<()> {
    for folder in ["tmp", "home/.claude", "project/below", "project/.claude"] {
        scratch.make(folder)?;
    }
    scratch.write("project/probe.txt", "probe\n")?;
    scratch.write("project/CLAUDE.md", "Say done.\n")?;
    for name in plan::COMMANDS {
        let file = format!("home/.claude/commands/{}.md", name.replace(':', "/"));
        scratch.write(&file, "Say done.\n")?;
    }
    for file in plan::files_read(sessions) {
        scratch.write(file, "probe\n")?;
    }
    for copy in copies {
        scratch.write(copy.name, &copy.text)?;
        if copy.name == OF_GIT_ROOT {
            scratch.write(".git/HEAD", "ref: refs/heads/main\n")?;
            scratch.make(".git/objects")?;
            scratch.make(".git/refs")?;
        }
    }
    Ok(())
}

impl Copied<'_> {
    /// Decides for each handler whether it ran. `fired` has the places of those that ran, by the text
    /// that the client compares to run equal ones once.
    fn proofs(
        &self,
        about: &CameAbout<'_>,
        fired: &mut BTreeMap<(String, Option<String>, String), String>,
    ) -> Vec<Proof> {
        let marked = &about.marked;
        let mut marks = self.handlers.iter().map(|(_, mark)| mark).chain([&self.sentinel]);
        let is_read = marks.any(|mark| marked.contains(mark));
        let proof = |(handler, mark): &(Handler, String)| {
            let (place, has_fired) = (self.file.at(handler.position), marked.contains(mark));
            let mut is_off = about.off.iter().filter(|off| settings::is_kept_by(off, handler));
            // The client itself shows all but the prefix, which the copies leave out.
            let (came, why) = if let Some(off) = is_off.find(|off| off.spares_exec_form || !is_read)
            {
                (Came::Off, Some(format!("{} ({})", off.message, off.place)))
            } else if has_fired {
                let of = (handler.event.clone(), handler.matcher.clone(), handler.identity.clone());
                let equal = fired.get(&of).map(|first| {
                    format!("it is equal to {first}, and the client runs the two once")
                });
                fired.entry(of).or_insert(place.clone());
                (Came::Fired, equal)
            } else if let Some(failure) = &about.failure {
                (Came::Unasked, Some(failure.clone()))
            } else if !is_read {
                let why = "no hook of the file runs, not even one that hookman added";
                (Came::Ignored, Some(why.to_owned()))
            } else if let Some(why) = plan::unreached(handler, &about.seen) {
                (Came::Unreached, Some(why.to_owned()))
            } else {
                (Came::Silent, None)
            };
            let (event, matcher) = (handler.event.clone(), handler.matcher.clone());
            Proof { place, event, matcher, came, why, rests_on: Layer::Asked }
        };
        let mut proofs: Vec<Proof> = self.handlers.iter().map(proof).collect();
        let is_certain = about.off.is_empty() && about.failure.is_none();
        if proofs.is_empty() && !is_read && is_certain && self.text.contains(&self.sentinel) {
            // It has hooks that are of no use to the client.
            let place = self.file.shown.clone();
            let (event, matcher, came) = ("hooks".to_owned(), None, Came::Ignored);
            proofs.push(Proof { place, event, matcher, came, why: None, rests_on: Layer::Asked });
        }
        proofs
    }
}

struct Client<'a> {
    program: &'a Path,
    scratch: &'a Scratch,
    url: String,
}

impl Client<'_> {
    fn variables(&self) -> Vec<(&'static str, OsString)> {
        let mut variables = installed::variables(self.scratch);
        variables
            .extend([("ANTHROPIC_API_KEY", "made-up".into()), ("NO_PROXY", "127.0.0.1".into())]);
        let of_server = ["ANTHROPIC_BASE_URL", "HTTPS_PROXY", "HTTP_PROXY"];
        variables.extend(of_server.map(|name| (name, self.url.clone().into())));
        // What the client goes by when it starts is as it is here.
        let kept = VARIABLES.iter().map(|(name, _)| *name).chain(["IS_SANDBOX"]);
        variables.extend(kept.filter_map(|name| Some((name, environment::raw(name)?))));
        variables
    }

    fn version(&self) -> Result<String> {
        let ended = self.start(&["--version"], Duration::from_secs(20))?;
        let shown = self.program.display();
        match ended.stdout.lines().next().map(str::trim) {
            Some(version) if ended.code == Some(0) && version.contains("Claude Code") => {
                Ok(version.to_owned())
            }
            Some(said) if ended.code == Some(0) && !said.is_empty() => {
                let said = shortened(said);
                bail!("`{shown}` is not the client: to `--version` it says `{said}`")
            }
            _ if ended.is_late => bail!("`{shown} --version` does not end, so it cannot be asked"),
            _ => bail!("`{shown} --version` says no version, so it cannot be asked"),
        }
    }

    fn run(&self, session: &Session, timeout: Duration) -> Result<Option<String>> {
        let mut arguments = vec!["-p", session.prompt.as_str(), "--output-format", "json"];
        let settings = self.scratch.path(SETTINGS).display().to_string();
        arguments.extend(["--settings", &settings]);
        arguments.extend(session.arguments);
        arguments.extend(ALLOWED.iter().filter(|_| session.may));
        let ended = self.start(&arguments, timeout)?;
        let typed = &session.prompt;
        if ended.is_late {
            return Ok(Some(format!("the client took too long over `{typed}`, and was ended")));
        }
        let said = || ended.stderr.lines().chain(ended.stdout.lines()).next().unwrap_or_default();
        let why = match (said(), ended.code) {
            (_, Some(0)) => return Ok(None),
            ("", Some(code)) => format!("it ended with {code} and said nothing"),
            ("", None) => "a signal ended it".to_owned(),
            (said, _) => shortened(said),
        };
        Ok(Some(format!("the client failed over `{typed}`: {why}")))
    }

    fn start(&self, arguments: &[&str], timeout: Duration) -> Result<Ended> {
        let (program, directory, variables) = (self.program, "project", &self.variables());
        let run = Run { program, arguments, directory, variables, timeout };
        let started = self.scratch.run(&run);
        started.with_context(|| format!("failed to start `{}`", self.program.display()))
    }
}

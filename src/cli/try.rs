//! `hookman try`: what hooks would do with a call, without consequences.

use std::fmt::Write;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use serde::Serialize;
use serde_json::{Map, Value};

use super::args::rehearse::Try;
use super::exit::ExitStatus;
use super::word::typed;
use super::{args, switching, which};
use crate::builtin::silence::Silence;
use crate::chain::condition::falls_under;
use crate::client::event::{Block, Event, ExitTwo, PlainText};
use crate::client::host::Host;
use crate::client::matcher::Target;
use crate::client::payload::Payload;
use crate::client::permission_rule::Anchors;
use crate::doctor::facts::Facts;
use crate::machine::paths::{Paths, real};
use crate::machine::signals::Endings;
use crate::machine::terminal::harmless;
use crate::machine::world::World;
use crate::machine::{environment, files};
use crate::rehearsal::call::{Call, Place, SESSION};
use crate::rehearsal::stage::{self, Answer, Answered, HookReason, Stage};
use crate::runtime::overrides::Effects;
use crate::session::id::SessionId;
use crate::state::chains::{self, Chain};

/// A handler of others that the client would call as well.
#[derive(Serialize)]
struct Foreign {
    place: String,
    /// Its command, or what else it runs.
    runs: String,
    fires: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

#[derive(Serialize)]
struct Report {
    event: &'static str,
    subject: String,
    verdict: Answer,
    /// Reasons why the client does not obey all the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lacking: Vec<String>,
    /// True if the settings keep every hook from running.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    off: bool,
    /// True if what decided is not in force.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    idle: bool,
    chains: Vec<Answered>,
    others: Vec<Foreign>,
}

pub(super) fn r#try(args: &Try, world: &World) -> Result<ExitStatus> {
    let cwd = environment::current_directory().context("failed to find the current directory")?;
    let cwd = cwd.to_string_lossy();
    if let Some(event) = &args.sample {
        let place = Place { session: SESSION, transcript: "", cwd: &cwd };
        let sample: Value = serde_json::from_str(&Call::sample(named(event)?).payload(place))?;
        world.terminal.line(serde_json::to_string_pretty(&sample)?);
        return Ok(ExitStatus::Done);
    }
    let mut call = call(args)?;
    let asked = args::Session { session: args.session.clone() };
    let named = asked.session.is_some().then(|| which::session_if_any(&asked, world));
    let named = named.transpose()?.flatten();
    if let Some(session) = named.as_ref().filter(|it| it.is_stranger()) {
        bail!(
            "no session {} has called hookman yet; `hookman sessions` lists those that did",
            session.id
        );
    }
    let project = which::project(named.as_ref(), world);
    let own = named.as_ref().map(|it| it.id.as_str());
    let own = own.or_else(|| call.fields.get("session_id")?.as_str()).unwrap_or(SESSION).to_owned();
    let session = SessionId::new(&*own);
    let place = Place { session: &own, transcript: "", cwd: &cwd };
    let effects = if args.run_commands { Effects::Real } else { Effects::Held };
    let mut stage = Stage::of(&world.paths, &session, effects)
        .context("failed to copy the state; nothing was changed")?;
    stage.host.clone_from(&args.host);
    let host = args.host.as_deref().map_or(call.host, |name| Host::named(name, false));
    let mut answers = Vec::new();
    // A project without a manifest has no chain, unless its settings still call one.
    let is_one = |it: &Chain| {
        it.project().is_none() || it.files().any(files::is_there) || !chains::entries(it).is_empty()
    };
    let mut chains = chains::chains_of(&world.paths, project.as_deref());
    chains.retain(is_one);
    let mut ask = |call: &Call| {
        let payload = call.payload(place);
        answers.extend(chains.iter().map(|chain| stage.ask(chain, call.event, &payload, None)));
        stage::strictest(&answers)
    };
    let before = call.expansion().filter(|_| host.is_claude() && args.payload.is_none());
    let before = match before {
        Some(expansion) if ask(&expansion).drops() => {
            call = expansion;
            None
        }
        before => {
            ask(&call);
            before
        }
    };
    if Endings::watch().is_some_and(|it| it.come().is_some()) {
        bail!("interrupted: hooks that did not finish give no answer");
    }
    let project = project.as_deref();
    let has_run = |scope: &str, name: &str| {
        let has_run = |it: &HookReason| it.ran && it.hook == name;
        // A manifest that cannot be read answers without a hook.
        let answers_itself = |it: &Answered| it.before.is_some() && name.is_empty();
        let meets = |it: &&Answered| it.hooks.iter().any(has_run) || answers_itself(it);
        answers.iter().filter(|it| it.chain == scope).any(|it| meets(&it))
    };
    let (lacking, off, idle, others) = if host.is_claude() {
        let lacking = switching::not_in_force(world, project, &has_run);
        let off = switching::is_off(world, project);
        let mut deciders =
            answers.iter().flat_map(|it| it.deciders().map(|name| (it.chain, name))).peekable();
        let idle = !lacking.is_empty()
            && deciders.peek().is_some()
            && deciders.all(|(scope, name)| switching::is_idle(world, project, scope, name));
        // Settings count where no manifest is, too.
        let is_users = |it: &&Path| real(&it.join(".claude")) == real(&world.paths.config);
        let directory = project.filter(|it| !is_users(it)).unwrap_or(Path::new(&*cwd)).to_owned();
        let of_call = |it| foreign(stage.paths(), Some(&directory), it, &it.payload(place));
        let mut others: Vec<Foreign> = before.iter().chain([&call]).flat_map(of_call).collect();
        for other in others.iter_mut().filter(|it| off && it.fires) {
            (other.fires, other.why) = (false, Some("hooks are off as a whole".to_owned()));
        }
        (lacking, off, idle, others)
    } else {
        let lacking: Vec<String> =
            switching::unregistered(world, project, host, call.event).into_iter().collect();
        let idle = !lacking.is_empty();
        (lacking, false, idle, Vec::new())
    };
    let (event, subject) = (call.event.name(), call.subject());
    let verdict = stage::strictest(&answers);
    let stops = verdict.stop || matches!(verdict.decision, "deny" | "ask" | "defer");
    let idle = idle && stops;
    let report = Report { event, subject, verdict, lacking, off, idle, chains: answers, others };
    let holds = !report.off && !report.idle && stops;
    if args.json {
        world.terminal.line(serde_json::to_string_pretty(&report)?);
    } else {
        world.terminal.line(harmless(text(&report, host, world).trim_end()));
    }
    Ok(if holds { ExitStatus::Found } else { ExitStatus::Done })
}

fn named(event: &str) -> Result<Event> {
    Event::meant(event).map_err(|error| anyhow!("{error}"))
}

fn call(args: &Try) -> Result<Call> {
    let event = args.event.as_deref().map(named).transpose()?;
    let of_tool = event.unwrap_or(Event::PreToolUse);
    let checked = |call: Call| call.checked().map_err(|why| anyhow!(why));
    if let Some(line) = &args.line {
        return checked(Call::of_line(of_tool, line));
    }
    if let Some(tool) = &args.tool {
        return checked(match (&args.file, &args.input) {
            (Some(file), _) => {
                let path =
                    std::path::absolute(file).with_context(|| format!("`{file}` is no path"))?;
                Call::of_file(of_tool, tool, &path.to_string_lossy())
            }
            (None, Some(input)) => {
                let input: Map<String, Value> = serde_json::from_str(input)
                    .context("--input is no JSON object, such as '{\"command\": \"ls\"}'")?;
                Call::of_tool(of_tool, tool, &input.into())
            }
            (None, None) => Call::of_tool(of_tool, tool, &Map::new().into()),
        });
    }
    if let Some(prompt) = &args.prompt {
        return checked(Call {
            event: event.unwrap_or(Event::UserPromptSubmit),
            ..Call::of_prompt(prompt)
        });
    }
    let Some(file) = &args.payload else {
        match event {
            Some(event) => return Ok(Call::sample(event)),
            None => bail!(
                "nothing to try: give a shell line, --tool, --prompt, --event or --payload; \
                 `hookman try --help` has examples"
            ),
        }
    };
    let text = if file == Path::new("-") {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).context("failed to read standard input")?;
        text
    } else {
        files::read_stream(file)?.with_context(|| format!("`{}` is not there", file.display()))?
    };
    let shown = match file.to_str() {
        Some("-") => "standard input".to_owned(),
        _ => format!("`{}`", file.display()),
    };
    Call::of_payload(event, args.host.as_deref(), &text)
        .map_err(|why| anyhow!("{shown} is no payload: {why}"))
}

/// Lists the handlers of others for the event, which run besides the chains, equal ones once.
fn foreign(paths: &Paths, project: Option<&Path>, call: &Call, payload: &str) -> Vec<Foreign> {
    let facts = Facts::gather(paths, project, None);
    let Ok(payload) = Payload::parse(payload) else { return Vec::new() };
    let target = Target::of(call.event, &payload);
    let home = paths.home.as_deref().map(Path::to_string_lossy).unwrap_or_default();
    let around = project.map(Path::to_string_lossy).unwrap_or_default();
    let anchors = Anchors { cwd: &payload.cwd, project: &around, home: &home };
    let mut seen = Vec::new();
    let mut others = Vec::new();
    for file in facts.files() {
        for handler in file.handlers() {
            if handler.ours || handler.event != call.event.name() {
                continue;
            }
            let matcher = handler.matcher.as_deref().unwrap_or_default();
            // The settings are one source for the client, and each plugin is one.
            let plugin = if file.scope == "plugin" { &*file.shown } else { "" };
            let source = (handler.identity.clone(), plugin.to_owned());
            let why = if target.hit(matcher).is_none() {
                Some(format!("its matcher `{matcher}` does not match `{}`", call.subject()))
            } else if let Some(rule) =
                handler.text("if").filter(|rule| !falls_under(&payload, rule, anchors))
            {
                Some(format!("its `if` {rule} does not match the call"))
            } else if seen.contains(&source) {
                Some("an equal one runs, and the client runs equal ones once".to_owned())
            } else if matches!(file.scope, "skill" | "agent" | "command") {
                Some(format!("the client calls it while that {} is at work", file.scope))
            } else {
                seen.push(source);
                None
            };
            let runs =
                ["command", "url", "prompt", "tool"].iter().find_map(|key| handler.text(key));
            others.push(Foreign {
                place: file.at(handler.position),
                runs: runs.unwrap_or("?").lines().next().unwrap_or_default().to_owned(),
                fires: why.is_none(),
                why,
            });
        }
    }
    others
}

struct Readers {
    reason: &'static str,
    context: &'static str,
    message: &'static str,
}

impl Readers {
    fn of(report: &Report, host: &Host) -> Self {
        const NOBODY: &str = "nobody sees";
        let mut readers = Self {
            reason: if report.verdict.decision == "deny" { "the model sees" } else { "you see" },
            context: "added to the model's context",
            message: "you are shown",
        };
        let Some(facts) = Event::from_name(report.event).map(Event::facts) else { return readers };
        readers.reason = match facts.exit_two {
            ExitTwo::BlocksForUser if report.verdict.decision == "deny" => {
                "you see, and the model does not"
            }
            ExitTwo::BlocksSilently if report.verdict.decision == "deny" => NOBODY,
            _ if facts.block == Block::Never && !report.verdict.stop => NOBODY,
            _ => readers.reason,
        };
        if host.is_claude() {
            let is_text = report.verdict.is_plain;
            readers.context = match facts.plain_text {
                PlainText::User if is_text => "you are shown",
                PlainText::Steers if is_text => "steers Claude Code",
                PlainText::Ignored if is_text => NOBODY,
                _ if is_text || facts.context => readers.context,
                _ => NOBODY,
            };
            let is_shown = facts.top.contains(&"systemMessage");
            readers.message = if is_shown { readers.message } else { NOBODY };
        }
        readers
    }

    fn of_texts(self, said: &Answer) -> [(&'static str, &str); 3] {
        [(self.reason, &said.reason), (self.context, &said.context), (self.message, &said.message)]
    }
}

fn text(report: &Report, host: &Host, world: &World) -> String {
    let mut text = String::new();
    let expansion = Event::UserPromptExpansion.name();
    let is_command = report.chains.iter().any(|it| it.event == expansion);
    for chain in &report.chains {
        // A slash command comes to a chain twice.
        let about = if is_command { format!(", about {}", chain.event) } else { String::new() };
        let _ = writeln!(text, "{} chain{about}", chain.chain);
        if let Some(before) = &chain.before {
            let _ = writeln!(text, "{}", world.terminal.row("  ", before, 2));
        }
        let width = chain.hooks.iter().map(|it| it.hook.chars().count()).max().unwrap_or(0);
        for hook in &chain.hooks {
            let start = format!("  {:width$}  ", hook.hook);
            let _ = writeln!(text, "{}", world.terminal.row(&start, &hook.why, width + 4));
        }
    }
    if !report.others.is_empty() {
        let _ = writeln!(text, "hooks of others, which the client runs at the same time");
        for it in &report.others {
            let why =
                it.why.as_deref().map_or("fires".to_owned(), |why| format!("does not fire: {why}"));
            let cell = format!("{}: {why}", it.runs);
            let _ =
                writeln!(text, "{}", world.terminal.row(&format!("  {}  ", it.place), &cell, 4));
        }
    }
    let verdict = &report.verdict;
    let is_silent =
        verdict.input.is_none() && verdict.context.is_empty() && verdict.message.is_empty();
    let is_held = |it: &HookReason| !it.ran && it.why.contains(Silence::Held.words());
    let is_partial = report.others.iter().any(|it| it.fires)
        || report.chains.iter().any(|chain| chain.hooks.iter().any(is_held));
    let what = match (report.event, verdict.decision) {
        _ if report.off => {
            "nothing of it is in force, and the event goes on as if there were no hooks"
        }
        _ if report.idle => "the deciding hook is not in force, so the event goes on without it",
        _ if verdict.stop => "@ stops there",
        (_, "none") if is_partial => {
            "the event goes on, unless a hook that did not run here stops it"
        }
        (_, "none") if is_silent => "the event goes on as if there were no hooks",
        (_, "none") => "the event goes on",
        ("Stop" | "SubagentStop", "deny") => "@ goes on with the turn",
        ("UserPromptSubmit" | "UserPromptExpansion", "deny") => "@ drops the prompt",
        ("PreToolUse" | "PermissionRequest", "deny") => "@ does not run the call",
        ("PostToolUse" | "PostToolUseFailure", "deny") => "the call has run; @ tells the model",
        (_, "deny") => "@ does not go on with it",
        (_, "ask") => "@ asks you",
        (_, "defer") => "@ leaves the decision for later",
        _ => "@ goes on without asking",
    };
    let what = what.replace('@', if host.is_claude() { "Claude Code" } else { host.name });
    let is_lacking = !report.off && !report.idle && !report.lacking.is_empty();
    let as_far = if is_lacking { ", as far as the hooks are in force" } else { "" };
    let _ = writeln!(text, "verdict: {}; {what}{as_far}", verdict.decision);
    for line in &report.lacking {
        let _ = writeln!(text, "{}", world.terminal.row("", &typed(world, line), 2));
    }
    for part in &verdict.left_out {
        let _ = writeln!(text, "{} does not heed {part}, so it is left out", host.name);
    }
    for (who, said) in Readers::of(report, host).of_texts(verdict) {
        // A prompt that is dropped takes what hooks added along.
        let is_lost = what.ends_with("drops the prompt") && who.starts_with("added");
        if !said.is_empty() && !is_lost {
            let start = if report.off || report.idle { "if in force, " } else { "" };
            let _ = writeln!(text, "{start}{who}:");
            for line in said.lines() {
                let _ = writeln!(text, "{}", world.terminal.row("  ", line, 2));
            }
        }
    }
    if let Some(input) = &verdict.input {
        let _ = writeln!(text, "the tool gets instead: {input}");
    }
    text
}

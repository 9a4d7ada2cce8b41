//! `hookman events`: what the client does with each event.

use anyhow::Result;
use serde_json::{Value, json};

use super::args::Events;
use super::exit::ExitStatus;
use crate::client::event::Handler;
use crate::client::host::files::Files;
use crate::client::{Block, Event, PlainText, Subject};
use crate::install::registration::hosts;
use crate::machine::{World, terminal};

pub(super) fn events(args: &Events, world: &World) -> Result<ExitStatus> {
    let chosen = match &args.event {
        None => Event::ALL.to_vec(),
        Some(name) => vec![Event::meant(name)?],
    };
    let name = args.host.as_ref().map(|name| hosts::named(world, std::slice::from_ref(name)));
    if let Some(of) = name.transpose()?.iter().flatten().find_map(|name| Files::of(name)) {
        of_host(of, &chosen, args.json, world);
        return Ok(ExitStatus::Done);
    }
    if args.json {
        let rows: Vec<Value> = chosen.iter().map(|event| as_json(*event)).collect();
        world.terminal.line(json!({"events": rows}).to_string());
    } else if args.event.is_some() {
        let lines = chosen.iter().flat_map(|event| in_full(*event));
        lines.for_each(|line| world.terminal.line(terminal::row("", &line, 19)));
    } else {
        let line = |row: [&str; 4]| {
            let [name, since, subject, stops] = row;
            format!("{name:20} {since:8} {subject:18} {stops}")
        };
        world.terminal.line(line(["event", "since", "matcher", "can stop it"]));
        for event in chosen {
            let facts = event.facts();
            let subject = facts.subject.field().unwrap_or("-");
            world.terminal.line(line([facts.name, facts.since, subject, stops(event)]));
        }
    }
    Ok(ExitStatus::Done)
}

/// Lists the events of an agent, and the parts of answers that it honours.
fn of_host(of: &'static Files, chosen: &[Event], json: bool, world: &World) {
    let of_event = |event: &Event| of.has(*event).then(|| of.host.event_name(*event));
    if json {
        let row = |event: &Event| json!({"event": event.name(), "there": of_event(event)});
        let rows: Vec<Value> = chosen.iter().map(row).collect();
        let honours: serde_json::Map<_, _> = of
            .host
            .heeds
            .words()
            .into_iter()
            .map(|(what, does)| (what.to_owned(), does.into()))
            .collect();
        let report = json!({"host": of.host.name, "events": rows, "honours": honours});
        world.terminal.line(report.to_string());
        return;
    }
    world.terminal.line(format!("{:20} {:20} can stop it", "event", of.title));
    for event in chosen {
        let there = of_event(event);
        let stops = match there {
            None => "",
            Some(_) if !of.host.lets_stop(*event) => "no",
            Some(_) => stops(*event),
        };
        let line = format!("{:20} {:20} {stops}", event.name(), there.unwrap_or("-"));
        world.terminal.line(line.trim_end());
    }
    world.terminal.line(format!("\n{:24} {}", "a hook that", of.title));
    for (what, does) in of.host.heeds.words() {
        world.terminal.line(format!("{what:24} {does}"));
    }
}

pub fn stops(event: Event) -> &'static str {
    match event.facts().block {
        // The tool has run by then.
        Block::Decision if is_past(event) => "no, it tells the model",
        Block::Never => "no",
        Block::Permission => "by permissionDecision",
        Block::Request => "by decision.behavior",
        Block::Decision => "by decision",
        Block::ExitCode => "by exit code",
        Block::Action => "by action",
    }
}

fn is_past(event: Event) -> bool {
    matches!(event, Event::PostToolUse | Event::PostToolUseFailure)
}

fn plain_text(text: PlainText) -> &'static str {
    match text {
        PlainText::Ignored => "goes to the debug log",
        PlainText::Context => "is read by the model",
        PlainText::User => "is shown to the user",
        PlainText::Steers => "steers the client",
    }
}

fn handlers(event: Event) -> Vec<&'static str> {
    let takes = event.facts().takes;
    let all = Handler::ALL.iter();
    all.filter(|handler| takes.includes(**handler)).map(|handler| handler.name()).collect()
}

fn seconds(milliseconds: u64) -> String {
    let (whole, rest) = (milliseconds / 1000, milliseconds % 1000);
    if rest == 0 { format!("{whole} s") } else { format!("{whole}.{} s", rest / 100) }
}

fn in_full(event: Event) -> Vec<String> {
    let facts = event.facts();
    let matcher = match facts.subject {
        Subject::None => "has no effect".to_owned(),
        Subject::FileName => {
            "names the files to watch, and is tested against the last component of file_path"
                .to_owned()
        }
        subject => format!("is tested against {}", subject.field().unwrap_or_default()),
    };
    let list = |fields: &[&str]| if fields.is_empty() { "-".into() } else { fields.join(", ") };
    let late = if facts.late_blocks { "; a hook that takes longer blocks" } else { "" };
    let mut lines = vec![
        format!("{}, since client {}", facts.name, facts.since),
        format!("  fires            {}", event.occasion()),
        format!("  matcher          {matcher}"),
        format!("  can stop it      {}", stops(event)),
        format!("  exit code 2      {}", facts.exit_two.name()),
        format!("  plain text       {}", plain_text(facts.plain_text)),
        format!("  honoured         {}", list(facts.top)),
        format!("  in the specific  {}", list(facts.specific)),
        format!("  time limit       {}{late}", seconds(facts.timeout_ms)),
        format!("  handlers         {}", handlers(event).join(", ")),
    ];
    lines.extend(facts.note.map(|note| format!("  note             {note}")));
    lines.extend(facts.catch_all_risk.map(|risk| format!("  beware           {risk}")));
    lines
}

fn as_json(event: Event) -> Value {
    let facts = event.facts();
    json!({
        "event": facts.name,
        "since": facts.since,
        "fires": event.occasion(),
        "matcher": facts.subject.field(),
        "can_stop": facts.block != Block::Never && !is_past(event),
        "stops": stops(event),
        "exit_2": facts.exit_two.name(),
        "plain_text": plain_text(facts.plain_text),
        "top": facts.top,
        "specific": facts.specific,
        "timeout_ms": facts.timeout_ms,
        "handlers": handlers(event),
        "note": facts.note,
        "risk": facts.catch_all_risk,
    })
}

//! The rules as the runtime reads them, and what they match.
//!
//! A list is one text with blanks between its items, and alternatives have `|` between them, so
//! reading the rules of a hook costs one allocation.

use std::cell::OnceCell;

use serde::Deserialize;

use super::operands::{self, has_word, words as texts};
use crate::builtin::arguments::{Argument, Arguments, Flags, after_subcommand};
use crate::builtin::values::Level;
use crate::syntax::lent::Lent;
use crate::syntax::shell::{self, Invocation, Word};
use crate::syntax::suggestion;

/// The part of a guard's options that the runtime reads before any rule.
#[derive(Deserialize)]
#[serde(bound = "'de: 'a")]
pub(super) struct Head<'a> {
    pub(super) level: Level,
    pub(super) forget_after: u64,
    #[serde(default)]
    pub(super) per_agent: bool,
    #[serde(default)]
    pub(super) careful: bool,
    /// For each program with such options: its name, then those that take the next word.
    pub(super) globals: Vec<Lent<'a>>,
    /// For each letter the programs that begin with it and their rules; see [`Rules::about`].
    index: Vec<Lent<'a>>,
}

/// A guard's rules, of which only those are read whose program is called with their subcommand.
pub(super) struct Rules<'a> {
    index: &'a [Lent<'a>],
    text: &'a str,
    read: OnceCell<Box<Read<'a>>>,
}

/// A rule that was read, and the one that was read after it. None moves, as findings refer to them.
struct Read<'a> {
    start: usize,
    rule: Option<Rule<'a>>,
    next: OnceCell<Box<Self>>,
}

impl<'a> Rules<'a> {
    /// The rules that `head` has the index of; `text` is their JSON.
    pub(super) fn new(head: &'a Head<'_>, text: &'a str) -> Self {
        Self { index: &head.index, text, read: OnceCell::new() }
    }

    /// The rules that may be about a call; `None` in the place of one that cannot be read.
    ///
    /// The index of a letter is programs with commas between them, each with its rules behind blanks:
    /// the first words of the subcommand, and where in the text it begins.
    pub(super) fn about<'s, 'i>(
        &'s self,
        invocation: &'i Invocation<'i>,
    ) -> impl Iterator<Item = Option<&'s Rule<'a>>> + use<'s, 'i, 'a> {
        let program = invocation.program;
        let first = program.as_bytes().first().map_or(b',', u8::to_ascii_lowercase);
        let of_letter = self.index.iter().find(|it| it.0.as_bytes().first() == Some(&first));
        let programs = of_letter.into_iter().flat_map(|it| it.0.split(','));
        let rules = programs.filter_map(move |entry| {
            let (name, rules) = entry.split_once(' ')?;
            is_program(name, program).then(|| rules.split(' '))
        });
        let may_fit = |words: &str| {
            let has = |word: &str| {
                invocation.arguments.iter().any(|it| it.text.eq_ignore_ascii_case(word))
            };
            words.is_empty() || words.split('|').any(has)
        };
        rules.flatten().filter_map(move |rule| {
            let (words, start) = rule.rsplit_once(':').unwrap_or_default();
            may_fit(words).then(|| self.read(start))
        })
    }

    /// Returns whether a call may be one that a rule is about, of whose program only a pattern is known;
    /// true where not even that is.
    pub(super) fn may_be_about(
        &self,
        hidden: &Invocation<'_>,
        globals: &[Lent<'_>],
        is_made: &dyn Fn(&str) -> bool,
    ) -> bool {
        let Some((first, arguments)) = hidden.arguments.split_first() else { return true };
        if first.text.contains(['$', '`']) {
            return true;
        }
        let pattern = first.text.rsplit('/').next().unwrap_or_default();
        let mut names = self.index.iter().flat_map(|it| it.0.split(','));
        names.any(|entry| {
            let name = entry.split(' ').next().unwrap_or_default();
            let program = name.trim_end_matches('*');
            let call = Invocation { program, arguments, ..*hidden };
            suggestion::may_hit(pattern, program)
                && self.about(&call).flatten().any(|rule| rule.matches(&call, globals, is_made))
        })
    }

    fn read(&self, start: &str) -> Option<&Rule<'a>> {
        let start = start.parse().ok()?;
        let read = || {
            let mut reader = serde_json::Deserializer::from_str(self.text.get(start..)?);
            Rule::deserialize(&mut reader).ok()
        };
        let new = || Box::new(Read { start, rule: read(), next: OnceCell::new() });
        let mut known = self.read.get_or_init(new);
        while known.start != start {
            known = known.next.get_or_init(new);
        }
        known.rule.as_ref()
    }
}

#[derive(Default, Deserialize)]
#[serde(default, bound = "'de: 'a")]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of a rule")]
pub(super) struct Rule<'a> {
    pub(super) id: Lent<'a>,
    subcommand: Lent<'a>,
    before: Lent<'a>,
    flags: Lent<'a>,
    all_flags: Lent<'a>,
    operands: Lent<'a>,
    without: Lent<'a>,
    least: usize,
    separator: bool,
    pub(super) default_branch: bool,
    pub(super) existing: bool,
    pub(super) file: bool,
    values: Lent<'a>,
    except_flags: Lent<'a>,
    except_subcommands: Lent<'a>,
    except_operands: Lent<'a>,
    pub(super) level: Option<Level>,
    pub(super) what: Lent<'a>,
    pub(super) instead: Lent<'a>,
    /// The file in which a script notes that it warned of this.
    pub(super) legacy: Lent<'a>,
}

impl Rule<'_> {
    /// Returns whether a rule about the call's program speaks about this call, but for its branch;
    /// `globals` as in [`Head`], and `is_made` tells what the line makes itself.
    pub(super) fn matches(
        &self,
        invocation: &Invocation<'_>,
        globals: &[Lent<'_>],
        is_made: &dyn Fn(&str) -> bool,
    ) -> bool {
        let program = invocation.program;
        if asks_for_help(invocation) || rehearses(invocation) {
            return false;
        }
        let Some(words) = self.words(invocation, globals) else { return false };
        let arguments = invocation.arguments;
        let before = &arguments[..arguments.len() - words.len()];
        let rehearses = |word: &Word<'_>| {
            matches!(&*word.text, "-s" | "--simulate") && has_word(&self.except_flags, &word.text)
        };
        self.wants_before(before)
            && self.wants_flags(words, program)
            && self.wants_operands(words)
            && !before.iter().any(rehearses)
            && !self.spares(words, program, is_made)
    }

    /// The operands of a call that the rule matches.
    pub(super) fn operands_of<'w, 'c>(
        &'w self,
        invocation: &'w Invocation<'c>,
        globals: &[Lent<'_>],
    ) -> Vec<&'w Word<'c>> {
        self.operands(self.words(invocation, globals).unwrap_or_default()).collect()
    }

    fn words<'w, 'c>(
        &self,
        invocation: &'w Invocation<'c>,
        globals: &[Lent<'_>],
    ) -> Option<&'w [Word<'c>]> {
        if self.subcommand.is_empty() {
            return Some(invocation.arguments);
        }
        let globals = globals.iter().find_map(|entry| {
            let (name, options) = entry.0.split_once(' ')?;
            is_program(name, invocation.program).then_some(options)
        });
        after_subcommand(invocation.arguments, &self.subcommand, globals.unwrap_or_default())
    }

    fn wants_before(&self, words: &[Word<'_>]) -> bool {
        let is_wanted = |word: &Word<'_>| {
            let text = word.text.strip_prefix("-c").unwrap_or(&word.text);
            texts(&self.before).any(|wanted| text.eq_ignore_ascii_case(wanted))
        };
        self.before.is_empty() || words.iter().any(is_wanted)
    }

    fn wants_flags(&self, words: &[Word<'_>], program: &str) -> bool {
        let has = |wanted| self.has_flag(words, program, wanted);
        (self.flags.is_empty() || has(&self.flags)) && texts(&self.all_flags).all(has)
    }

    /// Returns whether the rule asks for an operand, as it does for any if it names none.
    pub(super) fn is_wanted(&self, word: &Word<'_>) -> bool {
        self.operands.is_empty() || texts(&self.operands).any(|wanted| operands::is(word, wanted))
    }

    fn wants_operands(&self, words: &[Word<'_>]) -> bool {
        (self.operands.is_empty() || self.operands(words).any(|word| self.is_wanted(word)))
            && (self.least == 0 || self.operands(words).nth(self.least - 1).is_some())
            && (!self.separator || words.iter().rev().skip(1).any(|word| word.text == "--"))
    }

    fn spares(&self, words: &[Word<'_>], program: &str, is_made: &dyn Fn(&str) -> bool) -> bool {
        let first_is_spared = || {
            let mut spared = texts(&self.except_subcommands);
            words.first().is_some_and(|first| spared.any(|name| first.text == name))
        };
        let all_are_spared = || {
            // Of a search what it finds counts.
            let hits: Vec<Word<'_>> = match program {
                "find" => shell::hits(words).into_iter().map(Word::literal).collect(),
                _ => Vec::new(),
            };
            // Of a copy the place to which it goes, as long as the other keeps what it has.
            let goes =
                program == "rsync" && !words.iter().any(|it| it.text == "--remove-source-files");
            let count = self.operands(words).count();
            let operands = self.operands(words).filter(|_| program != "find");
            let operands = operands.skip(if goes { count.saturating_sub(1) } else { 0 });
            let operands: Vec<&Word<'_>> = operands.chain(&hits).collect();
            let names: Vec<Word<'_>> = operands.iter().flat_map(|it| printed(it)).collect();
            let mut operands = operands.into_iter().chain(&names).peekable();
            let is_spared = |word: &Word<'_>| {
                let mut spared = texts(&self.except_operands);
                !printed(word).is_empty()
                    || spared.any(|name| match name {
                        "@made" => is_made(&word.text),
                        "@created" => is_made(&format!("&&{}", word.text)),
                        name => match name.strip_prefix('=') {
                            Some(kind) => word.text == kind,
                            None => operands::is_spared(word, name),
                        },
                    })
            };
            // A kind, as in `kubectl delete ns NAME`, is spared with a name behind it alone.
            let is_kind = |it: &Word<'_>| {
                texts(&self.except_operands).any(|name| name.strip_prefix('=') == Some(&*it.text))
            };
            let lacks_name = words.last().is_some_and(is_kind);
            !lacks_name && operands.peek().is_some() && operands.all(is_spared)
        };
        (!self.except_flags.is_empty() && self.has_flag(words, program, &self.except_flags))
            || (!self.except_subcommands.is_empty() && first_is_spared())
            || (!self.except_operands.is_empty() && all_are_spared())
            || (!self.without.is_empty()
                && words.iter().any(|word| has_word(&self.without, &word.text)))
    }

    fn has_flag(&self, words: &[Word<'_>], program: &str, wanted: &str) -> bool {
        let flags = Flags { program, subcommand: &self.subcommand, values: &self.values };
        self.arguments(words).any(|argument| match argument {
            Argument::Flag(flag) => wanted.split([' ', '|']).any(|wanted| flags.has(flag, wanted)),
            Argument::Operand(_) => false,
        })
    }

    /// The operands of the words after the subcommand.
    fn operands<'w, 'c>(&'w self, words: &'w [Word<'c>]) -> impl Iterator<Item = &'w Word<'c>> {
        self.arguments(words).filter_map(|argument| match argument {
            Argument::Operand(word) => Some(word),
            Argument::Flag(_) => None,
        })
    }

    fn arguments<'w, 'c>(&'w self, words: &'w [Word<'c>]) -> Arguments<'w, 'c> {
        Arguments::new(words, &self.values)
    }
}

/// The names that a search in an operand such as `$(find . -name x)` prints, as far as that can be told.
fn printed(word: &Word<'_>) -> Vec<Word<'static>> {
    let text = word.text.trim_start_matches(['$', '(', '`']).trim_end_matches([')', '`']);
    let is_search =
        text.len() < word.text.len() && ["find ", "ls -d "].iter().any(|it| text.starts_with(it));
    let commands = if is_search { shell::split(text).commands } else { Vec::new() };
    let [command] = &commands[..] else { return Vec::new() };
    let names = match &*command.words[0].text {
        "find" => shell::hits(&command.words[1..]),
        _ => command.words[2..].iter().map(|it| it.text.to_string()).collect(),
    };
    names.into_iter().map(Word::literal).collect()
}

/// Programs that do their work on what comes before `--help`.
const WITHOUT_HELP: &str = "cp halt kill ln mongo mv poweroff reboot redis-cli rm rmdir shutdown sql truncate \
     unlink valkey-cli";
/// Those of them that Linux has do so only on what comes behind it.
const OF_LINUX: &str = "cp ln mv rm rmdir truncate unlink";
/// Others to which `-h` at the end means something else.
const WITHOUT_SHORT_HELP: &str =
    "chgrp chmod chown dd find heroku ip mkfs.vfat restore rsync shred";

/// Returns whether a call only asks how its program is used, or for what it would do.
fn asks_for_help(invocation: &Invocation<'_>) -> bool {
    let (words, program) = (invocation.arguments, invocation.program);
    let Some(last) = words.last() else { return false };
    let is_flag = |word: &Word<'_>| word.text.starts_with('-');
    let mut before_end = words.iter().take_while(|word| word.text != "--");
    if has_word(WITHOUT_HELP, program) {
        let of_linux = cfg!(target_os = "linux") && has_word(OF_LINUX, program);
        return before_end
            .take_while(|word| of_linux || is_flag(word))
            .any(|word| word.text == "--help");
    }
    let ends_in_help = matches!(&*last.text, "--help" | "-h" | "-help" | "/?")
        && !has_word(WITHOUT_SHORT_HELP, program)
        && !words.iter().any(|word| word.text == "--");
    let asks = words.len() > 1 && words[0].text == "help" && !has_word("find rsync shred", program)
        || program == "aws" && last.text == "help";
    ends_in_help
        || asks
        || before_end.any(|word| {
            matches!(&*word.text, "--help" | "-help")
                || (program.contains('-') && word.text.eq_ignore_ascii_case("-WhatIf"))
        })
}

/// Returns whether a call only shows what it would do, by an option that means so wherever it is known.
fn rehearses(invocation: &Invocation<'_>) -> bool {
    const OPTIONS: &[&str] = &[
        "--dry-run",
        "--dry-run=client",
        "--dry-run=server",
        "--dry_run",
        "--dryrun",
        "--what-if",
        "-dry-run",
    ];
    let mut words = invocation.arguments.iter().take_while(|word| word.text != "--");
    words.any(|word| OPTIONS.contains(&&*word.text))
}

/// Returns whether a program is the one that a rule names; `mkfs*` is each that begins so.
fn is_program(name: &str, program: &str) -> bool {
    match name.strip_suffix('*') {
        Some(start) => program
            .get(..start.len())
            .is_some_and(|beginning| beginning.eq_ignore_ascii_case(start)),
        None => name.eq_ignore_ascii_case(program),
    }
}

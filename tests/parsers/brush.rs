//! The simple commands of a script as `brush-parser` reads them.

use brush_parser::ast::{
    AndOr, AndOrList, AssignmentValue, Command, CommandPrefixOrSuffixItem as Item, CompoundCommand,
    CompoundList, ExtendedTestExpr, IoFileRedirectTarget, IoRedirect, Pipeline, Program,
    SimpleCommand, Word,
};
use brush_parser::word::{self, ParameterExpr, WordPiece, WordPieceWithSource};
use brush_parser::{Parser, ParserOptions};

/// The words of each simple command, as they were written; `None` where the script is refused.
pub(super) fn commands(script: &str) -> Option<Vec<String>> {
    let mut reader = Reader { commands: Vec::new(), accepts: true };
    reader.script(script);
    reader.accepts.then_some(reader.commands)
}

struct Reader {
    commands: Vec<String>,
    accepts: bool,
}

impl Reader {
    fn script(&mut self, script: &str) {
        match Parser::new(script.as_bytes(), &ParserOptions::default()).parse_program() {
            Ok(Program { complete_commands }) => {
                for list in &complete_commands {
                    self.list(list);
                }
            }
            Err(_) => self.accepts = false,
        }
    }

    fn list(&mut self, list: &CompoundList) {
        for item in &list.0 {
            let AndOrList { first, additional } = &item.0;
            self.pipeline(first);
            for next in additional {
                let (AndOr::And(pipeline) | AndOr::Or(pipeline)) = next;
                self.pipeline(pipeline);
            }
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        for command in &pipeline.seq {
            self.command(command);
        }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound, redirects) => {
                self.compound(compound);
                redirects.iter().flat_map(|list| &list.0).for_each(|it| self.redirect(it));
            }
            Command::Function(function) => {
                self.compound(&function.body.0);
                let redirects = function.body.1.iter().flat_map(|list| &list.0);
                redirects.for_each(|it| self.redirect(it));
            }
            Command::ExtendedTest(test, redirects) => {
                self.test(&test.expr);
                redirects.iter().flat_map(|list| &list.0).for_each(|it| self.redirect(it));
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand) {
        match compound {
            CompoundCommand::Arithmetic(command) => self.text(&command.expr.value),
            CompoundCommand::ArithmeticForClause(each) => {
                let parts = [&each.initializer, &each.condition, &each.updater];
                parts.into_iter().flatten().for_each(|part| self.text(&part.value));
                self.list(&each.body.list);
            }
            CompoundCommand::BraceGroup(group) => self.list(&group.list),
            CompoundCommand::Subshell(shell) => self.list(&shell.list),
            CompoundCommand::ForClause(each) => {
                each.values.iter().flatten().for_each(|word| self.word(word));
                self.list(&each.body.list);
            }
            CompoundCommand::CaseClause(choice) => {
                self.word(&choice.value);
                for case in &choice.cases {
                    for word in &case.patterns {
                        self.word(word);
                    }
                    if let Some(list) = &case.cmd {
                        self.list(list);
                    }
                }
            }
            CompoundCommand::IfClause(branch) => {
                self.list(&branch.condition);
                self.list(&branch.then);
                for other in branch.elses.iter().flatten() {
                    if let Some(list) = &other.condition {
                        self.list(list);
                    }
                    self.list(&other.body);
                }
            }
            CompoundCommand::WhileClause(each) | CompoundCommand::UntilClause(each) => {
                self.list(&each.0);
                self.list(&each.1.list);
            }
            CompoundCommand::Coprocess(coprocess) => self.command(&coprocess.body),
        }
    }

    fn simple(&mut self, simple: &SimpleCommand) {
        let mut words: Vec<String> = Vec::new();
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            self.item(item);
        }
        if let Some(word) = &simple.word_or_name {
            self.word(word);
            words.push(word.value.clone());
        }
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            self.item(item);
            if let Item::Word(word) | Item::AssignmentWord(_, word) = item {
                words.push(word.value.clone());
            }
        }
        if !words.is_empty() {
            self.commands.push(words.join(" "));
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::IoRedirect(redirect) => self.redirect(redirect),
            Item::Word(word) => self.word(word),
            Item::AssignmentWord(assignment, _) => match &assignment.value {
                AssignmentValue::Scalar(word) => self.word(word),
                AssignmentValue::Array(values) => {
                    for (key, value) in values {
                        if let Some(word) = key {
                            self.word(word);
                        }
                        self.word(value);
                    }
                }
            },
            Item::ProcessSubstitution(_, shell) => self.list(&shell.list),
        }
    }

    fn redirect(&mut self, redirect: &IoRedirect) {
        match redirect {
            IoRedirect::File(_, _, target) => match target {
                IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word) => {
                    self.word(word);
                }
                IoFileRedirectTarget::ProcessSubstitution(_, shell) => self.list(&shell.list),
                IoFileRedirectTarget::Fd(_) => {}
            },
            IoRedirect::HereDocument(_, document) => {
                if document.requires_expansion {
                    match word::parse_heredoc(&document.doc.value, &ParserOptions::default()) {
                        Ok(pieces) => self.pieces(&pieces),
                        Err(_) => self.accepts = false,
                    }
                }
            }
            IoRedirect::HereString(_, word) | IoRedirect::OutputAndError(word, _) => {
                self.word(word);
            }
        }
    }

    fn test(&mut self, test: &ExtendedTestExpr) {
        match test {
            ExtendedTestExpr::And(left, right) | ExtendedTestExpr::Or(left, right) => {
                self.test(left);
                self.test(right);
            }
            ExtendedTestExpr::Not(inner) | ExtendedTestExpr::Parenthesized(inner) => {
                self.test(inner);
            }
            ExtendedTestExpr::UnaryTest(_, word) => self.word(word),
            ExtendedTestExpr::BinaryTest(_, left, right) => {
                self.word(left);
                self.word(right);
            }
        }
    }

    fn word(&mut self, word: &Word) {
        self.text(&word.value);
    }

    fn text(&mut self, text: &str) {
        if !text.contains(['$', '`']) {
            return;
        }
        match word::parse(text, &ParserOptions::default()) {
            Ok(pieces) => self.pieces(&pieces),
            Err(_) => self.accepts = false,
        }
    }

    fn pieces(&mut self, pieces: &[WordPieceWithSource]) {
        for piece in pieces {
            match &piece.piece {
                WordPiece::DoubleQuotedSequence(inner)
                | WordPiece::GettextDoubleQuotedSequence(inner) => self.pieces(inner),
                WordPiece::CommandSubstitution(script)
                | WordPiece::BackquotedCommandSubstitution(script) => self.script(script),
                WordPiece::ArithmeticExpression(expression) => self.text(&expression.value),
                WordPiece::ParameterExpansion(expansion) => self.parameter(expansion),
                _ => {}
            }
        }
    }

    fn parameter(&mut self, expansion: &ParameterExpr) {
        match expansion {
            ParameterExpr::UseDefaultValues { default_value: text, .. }
            | ParameterExpr::AssignDefaultValues { default_value: text, .. }
            | ParameterExpr::IndicateErrorIfNullOrUnset { error_message: text, .. }
            | ParameterExpr::UseAlternativeValue { alternative_value: text, .. }
            | ParameterExpr::RemoveSmallestSuffixPattern { pattern: text, .. }
            | ParameterExpr::RemoveLargestSuffixPattern { pattern: text, .. }
            | ParameterExpr::RemoveSmallestPrefixPattern { pattern: text, .. }
            | ParameterExpr::RemoveLargestPrefixPattern { pattern: text, .. } => {
                if let Some(text) = text {
                    self.text(text);
                }
            }
            ParameterExpr::Substring { offset, length, .. } => {
                self.text(&offset.value);
                if let Some(length) = length {
                    self.text(&length.value);
                }
            }
            ParameterExpr::ReplaceSubstring { pattern, replacement, .. } => {
                self.text(pattern);
                if let Some(text) = replacement {
                    self.text(text);
                }
            }
            _ => {}
        }
    }
}

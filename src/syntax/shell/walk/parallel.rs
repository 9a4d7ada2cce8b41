//! GNU parallel.

use super::super::Word;
use super::finding::replace;
use super::options::{Argument, Options};
use super::{Place, Walk};

const VALUES: &str = "-a -C -d -E -I -j -L -n -N -P -s -S -U --arg-file --colsep --delay --jobs \
                      --joblog --max-args --results --retries --sshlogin --tempdir --timeout \
                      --workdir --wd --halt --load --memfree --nice --tagstring";
/// So many of its inputs are looked at.
const INPUTS: usize = 8;

impl Walk<'_> {
    /// The command with each input in the place of `{}`; without a command each input is one.
    ///
    /// The words are shown as they stand and read as a shell reads them when they are joined.
    pub(super) fn parallel(&mut self, arguments: &[Word<'_>], place: Place<'_>) {
        let is_mark = |word: &Word<'_>| matches!(&*word.text, ":::" | ":::+" | "::::");
        let end = arguments.iter().position(is_mark).unwrap_or(arguments.len());
        let mut options = Options::new(&arguments[..end], VALUES);
        let words = loop {
            let rest = options.rest();
            match options.next() {
                Some(Argument::Option { .. }) => {}
                Some(Argument::Operand(_)) => break rest,
                Some(Argument::End) => break options.rest(),
                None => break &[],
            }
        };
        let mut inputs: Vec<String> = match arguments.get(end..).filter(|rest| !rest.is_empty()) {
            Some(rest) => {
                rest.iter().filter(|word| !is_mark(word)).map(|it| it.text.to_string()).collect()
            }
            None => self.input(place).unwrap_or_default().lines().map(str::to_owned).collect(),
        };
        inputs.truncate(INPUTS);
        if words.is_empty() {
            for input in inputs {
                self.script(&input, place.depth + 1);
            }
            return;
        }
        if inputs.is_empty() {
            inputs.push("{}".to_owned());
        }
        let takes_input = words.iter().any(|word| word.text.contains("{}"));
        for input in inputs {
            let mut words: Vec<Word<'_>> =
                words.iter().map(|word| replace(word, "{}", &input)).collect();
            if !takes_input {
                words.push(Word::literal(input));
            }
            let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
            self.script(&texts.join(" "), place.depth + 1);
            self.call_deeper(&words, place);
        }
    }
}

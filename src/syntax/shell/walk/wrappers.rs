//! Programs that run the words after their own options, or a text that an option gives them.

use super::super::Word;
use super::super::programs::{EMBEDDED, WRAPPERS, Wrapper};
use super::options::{Argument, Options};

/// The wrapper that a program is with these arguments, and how many of them name it.
pub(super) fn find(program: &str, arguments: &[Word<'_>]) -> Option<(&'static Wrapper, usize)> {
    let of_program = |name: &&'static str| {
        name.strip_prefix(program).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    WRAPPERS.iter().filter(|wrapper| of_program(&wrapper.name)).find_map(|wrapper| {
        let mut leads = 0;
        for wanted in wrapper.name.split(' ').skip(1) {
            let mut follows_option = false;
            for word in &arguments[leads..] {
                let is_option = word.text.starts_with('-');
                // An option in front may take a word for its value.
                if word.text == wanted || !(is_option || follows_option) {
                    break;
                }
                (leads, follows_option) = (leads + 1, is_option);
            }
            if arguments.get(leads)?.text != wanted {
                return None;
            }
            leads += 1;
        }
        Some((wrapper, leads))
    })
}

/// The texts in a program's arguments that it has a shell read.
pub(super) fn embedded(program: &str, arguments: &[Word<'_>]) -> Vec<String> {
    let Some(embedded) = EMBEDDED.iter().find(|it| it.name == program) else { return Vec::new() };
    let options = embedded.options;
    let mut texts = Vec::new();
    for argument in Options::new(arguments, options) {
        match argument {
            // Of an editor's own commands only what follows a `!` is a shell's.
            Argument::Option { name, value: Some(value) }
                if program.ends_with("vim") || program == "vi" =>
            {
                let line = value.split_once('!').filter(|_| options.contains(&*name));
                texts.extend(line.map(|(_, line)| line.to_owned()));
            }
            Argument::Option { name, value: Some(value) } if options.contains(&*name) => {
                let keyed = value
                    .split_once('=')
                    .filter(|(key, _)| key.ends_with("Command") || *key == "exec");
                texts.push(
                    keyed
                        .map_or(&*value, |(_, text)| text)
                        .trim_start_matches([':', '!'])
                        .to_owned(),
                );
            }
            Argument::Operand(word) if program == "socat" => {
                let addresses = word.text.split("!!").filter_map(|address| {
                    let (kind, text) = address.split_once(':').unwrap_or((address, "sh"));
                    let runs =
                        ["EXEC", "SYSTEM", "SHELL"].iter().any(|it| kind.eq_ignore_ascii_case(it));
                    runs.then(|| text.replace('\\', ""))
                });
                texts.extend(addresses);
            }
            Argument::Operand(word) if program == "concurrently" => {
                texts.push(word.text.clone().into_owned());
            }
            _ => {}
        }
    }
    texts
}

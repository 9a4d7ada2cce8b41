//! The commands by which a person switches hooks in another program: files that the program offers.
//! What they become is a prompt, which hookman answers in the model's place.

use super::files::Files;

/// The names of the commands, and their descriptions.
const COMMANDS: [(&str, &str); 3] = [
    ("disable", "Switch a hook of hookman off for this session"),
    ("enable", "Switch a hook of hookman on again for this session"),
    ("status", "Show which hooks of hookman are on and off in this session"),
];

/// Lists the files of a program's commands, below the directory of its user's files, with their texts.
pub fn files(of: &Files) -> Vec<(String, String)> {
    let file = |(name, does): (&str, &str)| {
        let arguments = if name == "status" { "" } else { " {{args}}" };
        let path = of.commands.replace('@', name);
        let text = if of.commands.ends_with("@.toml") {
            format!("description = \"{does}\"\nprompt = \"hookman {name}{arguments}\"\n")
        } else if of.commands.ends_with("/SKILL.md") {
            format!(
                "---\nname: hook-{name}\ndescription: {does}\n---\n\
                 hookman answers `$hook-{name}` itself where it is typed as a prompt of one line. If you read \
                 this, it has not: tell the user so, and run nothing.\n"
            )
        } else {
            format!("---\ndescription: {does}\n---\nhookman {name}{arguments}\n")
        };
        (path, text)
    };
    COMMANDS.into_iter().filter(|_| !of.commands.is_empty()).map(file).collect()
}

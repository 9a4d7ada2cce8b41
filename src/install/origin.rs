//! The origin of this copy of hookman, told by its place.

use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A package manager, and the command that updates the copy with it.
    Manager(&'static str, &'static str),
    Build,
    Own,
}

/// Package managers: a part of the path, the name, and the command that updates.
const MANAGERS: &[(&str, &str, &str)] = &[
    ("/Cellar/", "Homebrew", "brew upgrade hookman"),
    ("/node_modules/", "npm", "npm update -g hookman"),
    ("/nix/store/", "Nix", "the command that you update your profile with"),
    ("/snap/", "snap", "snap refresh hookman"),
];

/// Places that belong to the system's package manager.
const SYSTEM: &[&str] = &["/usr/bin", "/usr/sbin", "/bin", "/sbin"];

impl Origin {
    /// Of a program at this path, with links resolved, where cargo's home is `cargo`.
    pub fn of(program: &Path, cargo: &[PathBuf]) -> Self {
        let text = program.to_string_lossy();
        if let Some((_, name, how)) = MANAGERS.iter().find(|(part, ..)| text.contains(part)) {
            return Self::Manager(name, how);
        }
        let folder = program.parent();
        if cargo.iter().any(|home| folder == Some(&home.join("bin"))) {
            return Self::Manager("cargo", "cargo install hookman --locked");
        }
        if SYSTEM.iter().any(|system| folder == Some(Path::new(system))) {
            return Self::Manager("the system's package manager", "that");
        }
        if program.components().any(|part| part.as_os_str() == "target") {
            return Self::Build;
        }
        Self::Own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_tells_who_updates() {
        let cargo = [PathBuf::from("/home/a/.cargo")];
        let name = |path: &str| match Origin::of(Path::new(path), &cargo) {
            Origin::Manager(name, _) => name,
            Origin::Build => "build",
            Origin::Own => "own",
        };
        for (path, expected) in [
            ("/opt/homebrew/Cellar/hookman/0.1.0/bin/hookman", "Homebrew"),
            ("/home/linuxbrew/.linuxbrew/Cellar/hookman/0.1.0/bin/hookman", "Homebrew"),
            ("/usr/lib/node_modules/hookman/node_modules/@hookman/linux-x64/bin/hookman", "npm"),
            ("/nix/store/abc-hookman-0.1.0/bin/hookman", "Nix"),
            ("/home/a/.cargo/bin/hookman", "cargo"),
            ("/usr/bin/hookman", "the system's package manager"),
            ("/home/a/hookman/target/release/hookman", "build"),
            ("/usr/local/bin/hookman", "own"),
            ("/home/a/.local/bin/hookman", "own"),
        ] {
            assert_eq!(name(path), expected, "{path}");
        }
    }
}

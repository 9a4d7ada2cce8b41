//! A home with hookman in it, which can be put back to how it began.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A settings file whose layout no serializer would give back.
pub(crate) const SETTINGS: &str =
    "{\n\t\"model\" : \"opus\",  \n\t\"hooks\": {\"Stop\": []},\n\t\"n\": 1.0}";

/// A manifest with hooks on two events.
pub(crate) const MANIFEST: &str = "[[hook]]\nname = \"a\"\nevent = \"Stop\"\ncommand = \"true\"\n\
     [[hook]]\nname = \"b\"\nevent = [\"PreToolUse\", \"SessionStart\"]\ncommand = \"true\"\n";

/// Settings with handlers of others, which no serializer would give back either.
pub(crate) const FOREIGN: &str = "{\n\t\"model\" : \"opus\",  \n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t\
     {\"hooks\": [{\"type\":\"command\", \"command\": \"theirs-one\"}, \
     {\"type\": \"command\",\"command\": \"theirs-two\", \"timeout\": 5.0}]}  ],\n\t\t\
     \"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [ {\"type\": \"command\", \
     \"command\": \"theirs-three\", \"args\": [ \"\\u0078\" ]} ]}, \
     {\"matcher\": \"Edit\", \"hooks\": [{\"type\": \"prompt\", \"prompt\": \"theirs-stays\"}]}]\n\t},\n\t\
     \"n\": 1.0}";

/// What the handlers of others among those settings run.
pub(crate) const THEIRS: &[&str] = &["theirs-one", "theirs-two", "theirs-three", "theirs-stays"];

/// The text of every file, by path.
pub(crate) type Files = BTreeMap<PathBuf, String>;

/// What a command that writes leaves.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    pub(crate) settings: Option<String>,
    pub(crate) manifest: Option<String>,
}

pub(crate) struct Home {
    root: TempDir,
    /// The project's flag where `.claude` is a project's; the user's own is elsewhere then.
    flag: &'static str,
}

impl Home {
    /// A home with the settings and manifest above.
    pub(crate) fn new() -> Self {
        let home = Self { root: TempDir::with_prefix("hookman-writing-").unwrap(), flag: "" };
        let program = home.path("bin/hookman");
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        let built = Path::new(env!("CARGO_BIN_EXE_hookman"));
        if fs::hard_link(built, &program).is_err() {
            fs::copy(built, &program).unwrap();
        }
        home.write(".claude/settings.json", SETTINGS);
        home.write(".claude/hookman.toml", MANIFEST);
        home
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes a program.
    pub(crate) fn program(&self, path: &str, text: &str) {
        self.write(path, text);
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A home with handlers of others in its settings.
    pub(crate) fn foreign() -> Self {
        let home = Self::new();
        home.write(".claude/settings.json", FOREIGN);
        home
    }

    /// The same as a project.
    pub(crate) fn project() -> Self {
        Self { flag: " --project", ..Self::foreign() }
    }

    /// The same without a manifest.
    pub(crate) fn bare(self) -> Self {
        fs::remove_file(self.path(".claude/hookman.toml")).unwrap();
        self
    }

    /// The words of a command for this home.
    pub(crate) fn words(&self, arguments: &str) -> Vec<String> {
        format!("{arguments}{}", self.flag).split(' ').map(str::to_owned).collect()
    }

    /// The settings file; none if there is none.
    pub(crate) fn settings(&self) -> Option<String> {
        self.state().settings
    }

    /// The settings file and the manifest.
    pub(crate) fn state(&self) -> State {
        let read = |name: &str| fs::read_to_string(self.path(name)).ok();
        State { settings: read(".claude/settings.json"), manifest: read(".claude/hookman.toml") }
    }

    /// A command in this home and in no other.
    pub(crate) fn command(&self, program: &str) -> Command {
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.path("bin").display());
        let mut command = Command::new(program);
        command
            .current_dir(self.root.path())
            .env_clear()
            .env("HOME", self.root.path())
            .env("HOOKMAN_STATE_DIR", self.path("state"))
            .env("PATH", path)
            .stdin(Stdio::null());
        if !self.flag.is_empty() {
            command.env("CLAUDE_CONFIG_DIR", self.path("config"));
        }
        command
    }

    pub(crate) fn hookman(&self, arguments: &str) -> Output {
        let mut command = self.command(self.path("bin/hookman").to_str().unwrap());
        command.args(self.words(arguments)).output().unwrap()
    }

    /// Runs a command that has to end well. Settings that are put back may lack what the manifest asks for,
    /// which is 1.
    pub(crate) fn does(&self, arguments: &str) -> String {
        let output = self.hookman(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        let most = i32::from(arguments.starts_with("restore"));
        let code = output.status.code().unwrap_or(-1);
        assert!((0..=most).contains(&code), "{arguments}: {code}: {error}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The files below `.claude` and `state`.
    pub(crate) fn files(&self) -> Files {
        let mut files = Files::new();
        let mut folders = vec![self.path(".claude"), self.path("state")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.insert(path.clone(), fs::read_to_string(path).unwrap());
                }
            }
        }
        files
    }

    /// The folders below `.claude` with nothing in them.
    pub(crate) fn empty_folders(&self) -> Vec<PathBuf> {
        let (mut empty, mut folders) = (Vec::new(), vec![self.path(".claude")]);
        while let Some(folder) = folders.pop() {
            let entries = fs::read_dir(&folder).into_iter().flatten();
            let entries: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
            if entries.is_empty() {
                empty.push(folder);
            }
            folders.extend(entries.into_iter().filter(|path| path.is_dir()));
        }
        empty
    }

    /// Puts the files below `.claude` and `state` back.
    pub(crate) fn reset(&self, files: &Files) {
        for folder in [self.path(".claude"), self.path("state")] {
            if folder.exists() {
                fs::remove_dir_all(folder).unwrap();
            }
        }
        for (path, text) in files {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
            if text.starts_with("#!") {
                fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
            }
        }
    }

    /// The temporary files that lie about.
    pub(crate) fn litter(&self) -> Vec<PathBuf> {
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        self.files().into_keys().filter(|path| name(path).starts_with(".hookman-")).collect()
    }
}

/// A switch of the tests.
#[expect(clippy::disallowed_methods, reason = "the switches are the test's own")]
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

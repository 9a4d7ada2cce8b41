//! `install.sh`: from a checkout, from releases that are good and bad, and from the crate.

#![cfg(test)]

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;

use crate::release_server::{Releases, key};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// What the script calls, besides what a test adds.
const TOOLS: &[&str] = &[
    "bash",
    "basename",
    "cat",
    "chmod",
    "cmp",
    "cp",
    "curl",
    "cut",
    "dirname",
    "env",
    "grep",
    "gzip",
    "head",
    "mkdir",
    "mktemp",
    "mv",
    "readlink",
    "rm",
    "sed",
    "sh",
    "sha256sum",
    "shasum",
    "ssh-keygen",
    "tail",
    "tar",
    "tr",
    "uname",
];

/// A program that says its version and writes down how it was called.
fn stand_in(version: &str) -> String {
    format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && echo 'hookman {version}' && exit\nprintf '%s\\n' \"$*\" >>\"$HOME/calls\"\n"
    )
}

/// A home, a PATH of its own, and a copy of the script as `scripts/release` publishes it.
struct Bench {
    home: TempDir,
    keys: TempDir,
    releases: Releases,
}

impl Bench {
    fn new() -> Self {
        let it = Self {
            home: tempfile::tempdir().unwrap(),
            keys: tempfile::tempdir().unwrap(),
            releases: Releases::new(),
        };
        key(it.keys.path(), "release-key");
        let tools = it.tools();
        fs::create_dir(&tools).unwrap();
        for tool in TOOLS {
            let places = ["/usr/bin", "/bin", "/usr/local/bin"];
            if let Some(found) =
                places.iter().map(|it| Path::new(it).join(tool)).find(|it| it.exists())
            {
                symlink(found, tools.join(tool)).unwrap();
            }
        }
        let public = fs::read_to_string(it.keys.path().join("release-key.pub")).unwrap();
        let script = fs::read_to_string(Path::new(ROOT).join("install.sh")).unwrap();
        let published = script.replace("\nKEY=\n", &format!("\nKEY='{}'\n", public.trim()));
        assert_ne!(script, published);
        fs::write(it.script(), published).unwrap();
        it
    }

    fn key(&self) -> PathBuf {
        self.keys.path().join("release-key")
    }

    fn tools(&self) -> PathBuf {
        self.keys.path().join("tools")
    }

    fn script(&self) -> PathBuf {
        self.keys.path().join("published.sh")
    }

    fn tool(&self, name: &str, text: &str) {
        let path = self.tools().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn program(&self) -> PathBuf {
        self.home.path().join(".local/bin/hookman")
    }

    /// Runs the script, as from a pipe if `script` is `None`.
    fn run(&self, script: Option<&Path>, releases: &str, arguments: &[&str]) -> Output {
        self.run_with(&["/bin/sh"], script, releases, arguments)
    }

    /// The same with a shell of one's own.
    fn run_with(
        &self,
        shell: &[&str],
        script: Option<&Path>,
        releases: &str,
        arguments: &[&str],
    ) -> Output {
        let stdin = script.is_none().then(|| fs::File::open(self.script()).unwrap());
        let mut command = Command::new(shell[0]);
        command.args(&shell[1..]);
        match script {
            Some(script) => command.arg(script),
            None => command.arg("-s").arg("--"),
        };
        command
            .args(arguments)
            .current_dir(self.home.path())
            .env_clear()
            .env("HOME", self.home.path())
            .env("PATH", self.tools())
            .env("TMPDIR", self.keys.path())
            .env("HOOKMAN_RELEASES", releases)
            .stdin(stdin.map_or_else(Stdio::null, Stdio::from))
            .output()
            .unwrap()
    }

    /// The calls of the stand-in.
    fn calls(&self) -> String {
        let calls = fs::read_to_string(self.home.path().join("calls")).unwrap_or_default();
        calls.replace(self.home.path().to_str().unwrap(), "~")
    }

    /// Every file below the home, sorted.
    fn left(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.home.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.push(path.strip_prefix(self.home.path()).unwrap().display().to_string());
                }
            }
        }
        found.sort();
        found
    }

    /// Holds that the script refused with these words and left nothing behind.
    fn refused(&self, output: &Output, words: &str) {
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(words), "{said}");
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert_eq!(self.left(), Vec::<String>::new());
    }
}

fn succeeded(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_release_is_checked_and_placed_once() {
    let bench = Bench::new();
    bench.releases.publish("1.2.3", stand_in("1.2.3").as_bytes(), &bench.key());
    let address = bench.releases.serve();

    let said = succeeded(&bench.run(None, &address, &["--yes"]));
    assert!(said.contains("checked the signature and the checksum of hookman 1.2.3"), "{said}");
    assert_eq!(fs::read_to_string(bench.program()).unwrap(), stand_in("1.2.3"));
    assert_eq!(
        bench.calls(),
        "man ~/.local/share/man/man1\ninstall --binary ~/.local/bin/hookman --yes\n"
    );
    let placed =
        [".local/bin/hookman", ".local/share/bash-completion/completions/hookman", "calls"];
    assert_eq!(bench.left(), placed);

    let said = succeeded(&bench.run(None, &address, &["--yes"]));
    assert!(said.contains("~/.local/bin/hookman is up to date".trim_start_matches('~')), "{said}");
    assert_eq!(bench.left(), placed);
}

#[test]
fn a_version_and_a_directory_can_be_chosen() {
    let bench = Bench::new();
    bench.releases.publish("1.2.3", stand_in("1.2.3").as_bytes(), &bench.key());
    bench.releases.publish("1.3.0", stand_in("1.3.0").as_bytes(), &bench.key());
    let address = bench.releases.serve();

    succeeded(&bench.run(None, &address, &["--version", "v1.2.3", "--dir", "a b", "--no-hooks"]));
    let program = bench.home.path().join("a b/hookman");
    assert_eq!(fs::read_to_string(&program).unwrap(), stand_in("1.2.3"));
    assert_eq!(bench.calls(), "man ~/.local/share/man/man1\n");

    succeeded(&bench.run(None, &address, &["--dir=a b", "--no-hooks"]));
    assert_eq!(fs::read_to_string(&program).unwrap(), stand_in("1.3.0"));
}

#[test]
fn an_older_release_comes_only_when_it_is_named() {
    let bench = Bench::new();
    for version in ["1.9.0", "1.10.0"] {
        bench.releases.publish(version, stand_in(version).as_bytes(), &bench.key());
    }
    let address = bench.releases.serve();
    succeeded(&bench.run(None, &address, &["--no-hooks"]));
    // A mirror that has only an older one.
    bench.releases.publish("1.9.0", stand_in("1.9.0").as_bytes(), &bench.key());
    let output = bench.run(None, &address, &["--no-hooks"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("is 1.10.0, which is newer than the newest release there, 1.9.0"),
        "{said}"
    );
    assert_eq!(fs::read_to_string(bench.program()).unwrap(), stand_in("1.10.0"));
    succeeded(&bench.run(None, &address, &["--no-hooks", "--version", "1.9.0"]));
    assert_eq!(fs::read_to_string(bench.program()).unwrap(), stand_in("1.9.0"));
}

#[test]
fn what_was_not_signed_is_not_placed() {
    let bench = Bench::new();
    let stranger = key(bench.keys.path(), "stranger");
    let folder = bench.releases.folder("1.2.3");
    let archive = folder.join(Releases::archive("1.2.3"));
    bench.releases.publish("1.2.3", stand_in("1.2.3").as_bytes(), &bench.key());
    let address = bench.releases.serve();
    // A cargo that works must not be the way around a bad signature.
    bench.tool("cargo", "#!/bin/sh\necho called >\"$HOME/cargo\"\n");
    let good = fs::read(&archive).unwrap();

    fs::write(&archive, [&good[..], b"more"].concat()).unwrap();
    bench.refused(&bench.run(None, &address, &["--yes"]), "is not the one that was signed");

    fs::write(&archive, &good).unwrap();
    fs::write(folder.join(format!("{}.cut", Releases::archive("1.2.3"))), "").unwrap();
    bench.refused(&bench.run(None, &address, &["--yes"]), "did not come whole");
    fs::remove_file(folder.join(format!("{}.cut", Releases::archive("1.2.3")))).unwrap();

    let long = fs::File::options().write(true).open(&archive).unwrap();
    long.set_len(65 * 1024 * 1024).unwrap();
    bench.refused(&bench.run(None, &address, &["--yes"]), "did not come whole");
    fs::write(&archive, &good).unwrap();

    bench.releases.seal("1.2.3", &stranger);
    bench.refused(&bench.run(None, &address, &["--yes"]), "is not that of the release key");

    fs::write(folder.join("SHA256SUMS.sig"), "no signature").unwrap();
    bench.refused(&bench.run(None, &address, &["--yes"]), "is not that of the release key");
}

#[test]
fn each_shell_of_the_machine_installs_and_uninstalls() {
    const SHELLS: &[&[&str]] = &[
        &["/bin/sh"],
        &["/bin/bash", "--posix"],
        &["/bin/dash"],
        &["/usr/bin/zsh", "--emulate", "sh"],
        &["/usr/bin/busybox", "sh"],
        &["/usr/bin/mksh"],
    ];
    for shell in SHELLS.iter().filter(|shell| Path::new(shell[0]).exists()) {
        let bench = Bench::new();
        bench.releases.publish("1.2.3", stand_in("1.2.3").as_bytes(), &bench.key());
        let address = bench.releases.serve();
        succeeded(&bench.run_with(shell, None, &address, &["--yes", "--dir", "a b"]));
        assert!(bench.home.path().join("a b/hookman").exists(), "{shell:?}");
        let arguments = ["--uninstall", "--yes", "--dir", "a b"];
        succeeded(&bench.run_with(shell, None, &address, &arguments));
        assert_eq!(bench.left(), ["calls"], "{shell:?}");
        assert!(bench.calls().ends_with("uninstall --yes\n"), "{shell:?}: {}", bench.calls());
    }
}

#[test]
fn wget_does_where_there_is_no_curl() {
    let bench = Bench::new();
    bench.releases.publish("1.2.3", stand_in("1.2.3").as_bytes(), &bench.key());
    let address = bench.releases.serve();
    fs::remove_file(bench.tools().join("curl")).unwrap();
    bench.refused(&bench.run(None, &address, &["--yes"]), "there is no curl or wget");
    let wget = Path::new("/usr/bin/wget");
    if wget.exists() {
        symlink(wget, bench.tools().join("wget")).unwrap();
        succeeded(&bench.run(None, &address, &["--no-hooks"]));
        assert!(bench.program().exists());
    }
}

#[test]
fn what_downloads_has_five_minutes() {
    let bench = Bench::new();
    for (program, limit) in [("curl", "--max-time 300"), ("wget", "timeout 300 wget")] {
        for tool in ["curl", "wget", "timeout"] {
            let _ = fs::remove_file(bench.tools().join(tool));
        }
        let told = bench.keys.path().join(program);
        let tool = |name: &str| {
            bench.tool(
                name,
                &format!("#!/bin/sh\necho {name} \"$@\" >>'{}'\nexit 1\n", told.display()),
            );
        };
        tool(program);
        if program == "wget" {
            tool("timeout");
        }
        bench.run(None, "http://127.0.0.1:9", &["--yes"]);
        let told = fs::read_to_string(told).unwrap();
        assert!(told.contains(limit), "{told}");
    }
}

#[test]
fn a_release_can_be_checked_by_hand() {
    let bench = Bench::new();
    bench.releases.publish("1.2.3", stand_in("1.2.3").as_bytes(), &bench.key());
    let folder = bench.releases.folder("1.2.3");
    fs::copy(bench.keys.path().join("release-key.pub"), folder.join("release-key.pub")).unwrap();
    let page = fs::read_to_string(Path::new(ROOT).join("docs/install.md")).unwrap();
    let section = page.split_once("\nBy hand, ").unwrap().1;
    let block = section.split_once("```sh\n").unwrap().1.split_once("```").unwrap().0;
    assert_eq!(block.lines().count(), 3, "{block}");
    let check = || {
        let shell = Command::new("/bin/sh").args(["-e", "-c", block]).current_dir(&folder).output();
        shell.unwrap()
    };
    succeeded(&check());
    fs::write(folder.join(Releases::archive("1.2.3")), "another").unwrap();
    assert!(!check().status.success());
    bench.releases.seal("1.2.3", &key(bench.keys.path(), "stranger"));
    assert!(!check().status.success());
}

#[test]
fn an_old_release_does_not_pass_for_another() {
    let bench = Bench::new();
    bench.releases.publish("1.2.3", stand_in("1.2.3").as_bytes(), &bench.key());
    fs::rename(bench.releases.folder("1.2.3"), bench.releases.folder("9.9.9")).unwrap();
    let address = bench.releases.serve();
    let output = bench.run(None, &address, &["--yes", "--version", "9.9.9"]);
    bench.refused(&output, "the release has no archive for");
}

#[test]
fn without_a_release_the_crate_is_built() {
    const CARGO: &str = "#!/bin/sh
printf '%s\\n' \"$*\" >\"$HOME/calls\"
while [ \"$1\" != --root ]; do shift; done
mkdir -p \"$2/bin\"
printf '#!/bin/sh\\n' >\"$2/bin/hookman\"
chmod 755 \"$2/bin/hookman\"
";
    let bench = Bench::new();
    let nowhere = "http://127.0.0.1:1";
    bench.refused(&bench.run(None, nowhere, &["--yes"]), "there is no cargo to build hookman with");

    bench.tool("cargo", CARGO);
    bench.tool("rustc", "#!/bin/sh\necho 'host: a-b-c'\n");
    let said = succeeded(&bench.run(None, nowhere, &["--yes", "--version", "1.2.3"]));
    assert!(
        said.contains("SHA256SUMS cannot be downloaded; building the published crate"),
        "{said}"
    );
    let calls = bench.calls();
    assert!(calls.starts_with("install hookman --locked --target a-b-c --root "), "{calls}");
    assert!(calls.ends_with("--version 1.2.3\n"), "{calls}");
    assert!(bench.program().exists());

    fs::remove_file(bench.tools().join("ssh-keygen")).unwrap();
    let said = succeeded(&bench.run(None, nowhere, &["--yes"]));
    assert!(said.contains("there is no ssh-keygen"), "{said}");
}

/// The program that the tests run, in a checkout whose build is done.
#[test]
fn a_checkout_is_built_and_everything_goes_again() {
    let bench = Bench::new();
    let checkout = bench.keys.path().join("check out");
    fs::create_dir_all(checkout.join("scripts")).unwrap();
    fs::create_dir_all(checkout.join("packaging")).unwrap();
    for file in ["install.sh", "Cargo.toml", "packaging/release-key.pub"] {
        fs::copy(Path::new(ROOT).join(file), checkout.join(file)).unwrap();
    }
    let build = format!("printf '%s\\n' '{}'\n", env!("CARGO_BIN_EXE_hookman"));
    fs::write(checkout.join("scripts/build"), build).unwrap();
    let script = checkout.join("install.sh");

    succeeded(&bench.run(Some(&script), "", &["--yes"]));
    let placed = bench.left();
    for file in [
        ".claude/settings.json",
        ".local/bin/hookman",
        ".local/share/bash-completion/completions/hookman",
        ".local/share/man/man1/hookman-install.1",
        ".local/share/man/man1/hookman.1",
    ] {
        assert!(placed.iter().any(|it| it == file), "{file} is not in {placed:?}");
    }

    let foreign = bench.home.path().join(".local/share/man/man1/hookman-of-another.1");
    fs::write(&foreign, ".TH another 1\n").unwrap();
    let completions = bench.home.path().join(".local/share/bash-completion/completions/hookman");
    fs::write(&completions, "# mine\n").unwrap();
    let said = succeeded(&bench.run(Some(&script), "", &["--yes"]));
    assert!(said.contains("is not hookman's, so it was left as it is"), "{said}");

    succeeded(&bench.run(Some(&script), "", &["--uninstall", "--yes"]));
    let mut left = bench.left();
    left.retain(|file| !file.starts_with(".local/state/"));
    assert_eq!(
        left,
        [
            ".claude/hookman.toml",
            ".local/share/bash-completion/completions/hookman",
            ".local/share/man/man1/hookman-of-another.1",
        ]
    );
}

#[test]
fn what_is_in_the_way_stays() {
    let bench = Bench::new();
    bench.releases.publish("1.2.3", stand_in("1.2.3").as_bytes(), &bench.key());
    let address = bench.releases.serve();
    let elsewhere = bench.keys.path().join("elsewhere");
    fs::write(&elsewhere, "").unwrap();
    fs::create_dir_all(bench.program().parent().unwrap()).unwrap();
    symlink(&elsewhere, bench.program()).unwrap();
    let output = bench.run(None, &address, &["--yes"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("is a link to"), "{said}");

    for (arguments, words) in [
        (&["--dir"][..], "--dir needs a value"),
        (&["--version", "../x"], "../x is no version"),
        (&["--frobnicate"], "there is no option --frobnicate"),
        (&["--uninstall", "--no-hooks"], "without the program they would only fail"),
    ] {
        let output = bench.run(None, &address, arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(words), "{said}");
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn a_script_that_breaks_off_does_nothing() {
    let bench = Bench::new();
    let script = fs::read_to_string(bench.script()).unwrap();
    let lines: Vec<&str> = script.lines().collect();
    assert_eq!(lines.last(), Some(&"main \"$@\""));
    for length in (0..lines.len()).step_by(7) {
        let cut = bench.keys.path().join("cut.sh");
        fs::write(&cut, lines[..length].join("\n")).unwrap();
        let output = bench.run(Some(&cut), "http://127.0.0.1:1", &["--yes"]);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{length} lines");
        assert_eq!(bench.left(), Vec::<String>::new(), "{length} lines");
    }
}
